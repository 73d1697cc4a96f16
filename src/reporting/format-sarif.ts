import { createHash } from 'node:crypto';
import { catalogEntry } from '../errors/catalog.ts';
import type { Finding, Severity } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import {
  bounded,
  type FormatRun,
  folderOf,
  inFolder,
  locationOf,
  moreText,
  suppressionOf,
  withRemedy,
} from './format-parts.ts';
import { serialize } from './serialize.ts';

/** Code scanning of GitHub shows 5,000 results of a run and refuses more than 25,000. */
const MOST = 5000;
const LEVEL: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };
/** Where results without a file of their own are shown: code scanning refuses a file with a result that has none. */
const MANIFEST = '.tenon/manifest.json';

/** SARIF 2.1.0 (OASIS): one run, one rule per code, the worst results first. */
export function sarif(run: FormatRun): string {
  const { shown, rest } = bounded(run.findings, MOST);
  const codes = [...new Set(shown.map(({ code }) => code))].sort();
  const notifications = [
    ...(run.error === undefined
      ? []
      : [
          {
            level: 'error',
            message: { text: printable(run.error.message) },
            descriptor: { id: run.error.code },
          },
        ]),
    ...(rest === 0 ? [] : [{ level: 'warning', message: { text: moreText(rest) } }]),
  ];
  return `${serialize({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'tenon',
            version: run.version,
            semanticVersion: run.version,
            rules: codes.map(rule),
          },
        },
        automationDetails: { id: `tenon/${run.command ?? 'error'}/` },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: run.error === undefined,
            exitCode: run.exit,
            ...(notifications.length === 0 ? {} : { toolExecutionNotifications: notifications }),
          },
        ],
        results: shown.map((finding) => result(finding, codes.indexOf(finding.code), run.folder)),
        ...(rest === 0 ? {} : { properties: { findingsNotShown: rest } }),
      },
    ],
  })}\n`;
}

function rule(id: string) {
  const entry = catalogEntry(id);
  return {
    id,
    ...(entry === undefined
      ? {}
      : { shortDescription: { text: entry.title }, help: { text: entry.explain } }),
  };
}

function result(finding: Finding, ruleIndex: number, folder: string | undefined) {
  const suppression = suppressionOf(finding);
  return {
    ruleId: finding.code,
    ruleIndex,
    level: LEVEL[finding.severity],
    message: { text: printable(withRemedy(finding)) },
    locations: [location(finding, folder)],
    partialFingerprints: { 'tenonFinding/v1': fingerprint(finding, folder) },
    ...(suppression === undefined
      ? {}
      : {
          suppressions: [
            {
              kind: 'external',
              status: 'accepted',
              justification: printable(`${suppression.reason} (until ${suppression.expires})`),
            },
          ],
        }),
  };
}

function location(finding: Finding, folder: string | undefined) {
  const at = locationOf(finding, folder);
  const physicalLocation = {
    artifactLocation: { uri: uriOf(at?.file ?? inFolder(folderOf(finding, folder), MANIFEST)) },
    ...(at?.line === undefined
      ? {}
      : {
          region: {
            startLine: at.line,
            ...(at.column === undefined ? {} : { startColumn: at.column }),
          },
        }),
  };
  if (at !== undefined) return { physicalLocation };
  return {
    physicalLocation,
    logicalLocations: [{ fullyQualifiedName: printable(finding.subject || finding.code) }],
    message: { text: 'This finding has no file in the repository; it is shown at the manifest.' },
  };
}

/** A relative reference of RFC 3986, every segment percent-encoded; a name that is no Unicode text is shown escaped. */
function uriOf(file: string): string {
  return file
    .split('/')
    .map((segment) => encodeURIComponent(/\p{Surrogate}/u.test(segment) ? printable(segment) : segment))
    .join('/');
}

/** The same fact keeps its identity when lines above it move; the same one in another root is another. */
const fingerprint = ({ code, subject }: Finding, folder = '.'): string =>
  createHash('sha256')
    .update(`${code}\0${inFolder(folder, subject)}`)
    .digest('hex');
