import type { Finding, Severity } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { serialize } from './serialize.ts';
import type { Outcome } from './types.ts';

export type ReportFormat = 'text' | 'json' | 'sarif' | 'junit' | 'github' | 'html';

/** The findings of a run in a form that other programs read; undefined for text and json, which are made elsewhere. */
export function renderFormat(format: ReportFormat, outcome: Outcome, version: string): string | undefined {
  switch (format) {
    case 'sarif':
      return sarif(outcome, version);
    case 'junit':
      return junit(outcome);
    case 'github':
      return github(outcome);
    case 'html':
      return html(outcome);
    default:
      return undefined;
  }
}

/** The file part of an address, when the subject is one that lies in the repository. */
function fileOf(subject: string): string | undefined {
  const file = subject.split('#')[0] ?? '';
  const isRelative = file !== '' && !file.startsWith('~') && !file.startsWith('/') && !file.includes('://');
  return isRelative && (file.includes('/') || file.includes('.'))
    ? file.replace(/(:\d+){1,2}$/, '')
    : undefined;
}

const lineOf = (finding: Finding): number | undefined => {
  const line = finding.data?.['line'] ?? /:(\d+)(?::\d+)?$/.exec(finding.subject.split('#')[0] ?? '')?.[1];
  const value = Number(line);
  return Number.isInteger(value) && value > 0 ? value : undefined;
};

const withRemedy = (finding: Finding): string =>
  finding.remedy === undefined
    ? finding.message
    : `${finding.message} Fix: ${finding.remedy.text}${finding.remedy.command === undefined ? '' : ` (${finding.remedy.command})`}`;

const SARIF_LEVEL: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** SARIF 2.1.0 (OASIS): one run, one rule per code. */
function sarif(outcome: Outcome, version: string): string {
  const codes = [...new Set(outcome.findings.map((finding) => finding.code))].sort();
  const results = outcome.findings.map((finding) => {
    const uri = fileOf(finding.subject);
    const startLine = lineOf(finding);
    const physical =
      uri === undefined
        ? undefined
        : {
            artifactLocation: { uri: encodeURI(uri) },
            region: startLine === undefined ? undefined : { startLine },
          };
    return {
      ruleId: finding.code,
      level: SARIF_LEVEL[finding.severity],
      message: { text: printable(withRemedy(finding)) },
      locations: [
        physical === undefined
          ? { logicalLocations: [{ fullyQualifiedName: printable(finding.subject) }] }
          : { physicalLocation: physical },
      ],
    };
  });
  return `${serialize({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'tenon', version, rules: codes.map((id) => ({ id })) } },
        invocations: [{ executionSuccessful: true, exitCode: outcome.exit }],
        results,
      },
    ],
  })}\n`;
}

const xml = (text: string): string =>
  printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

interface Check {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly message: string;
}

function checksOf(outcome: Outcome): readonly Check[] {
  const checks = outcome.data['checks'];
  if (!Array.isArray(checks)) return [];
  return checks.map((check: Partial<Check>) => ({
    id: String(check.id ?? ''),
    title: String(check.title ?? check.id ?? ''),
    status: String(check.status ?? ''),
    message: String(check.message ?? ''),
  }));
}

/** JUnit XML: one case per check of doctor (a skipped one stays skipped), else one per finding. */
function junit(outcome: Outcome): string {
  const checks = checksOf(outcome);
  const cases =
    checks.length > 0
      ? checks.map((check) => ({ name: check.id, kind: check.status, message: check.message }))
      : outcome.findings.map((finding) => ({
          name: `${finding.code} ${finding.subject}`,
          kind: finding.severity === 'error' ? 'fail' : 'pass',
          message: withRemedy(finding),
        }));
  const body = cases.map(({ name, kind, message }) => {
    const open = `    <testcase classname="tenon.${xml(outcome.command)}" name="${xml(name)}"`;
    if (kind === 'fail') return `${open}>\n      <failure message="${xml(message)}"/>\n    </testcase>`;
    if (kind === 'skip') return `${open}>\n      <skipped message="${xml(message)}"/>\n    </testcase>`;
    return kind === 'warn'
      ? `${open}>\n      <system-out>${xml(message)}</system-out>\n    </testcase>`
      : `${open}/>`;
  });
  const count = (kind: string) => cases.filter((one) => one.kind === kind).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="tenon ${xml(outcome.command)}" tests="${cases.length}" failures="${count('fail')}" skipped="${count('skip')}">`,
    ...body,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const GITHUB_LEVEL: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
};
const githubText = (text: string) => printable(text).replaceAll('%', '%25');
const githubProperty = (text: string) => githubText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Workflow commands of GitHub Actions (`::error file=…::…`): annotations where a reviewer looks. */
function github(outcome: Outcome): string {
  const lines = outcome.findings.map((finding) => {
    const file = fileOf(finding.subject);
    const line = lineOf(finding);
    const place = [
      ...(file === undefined ? [] : [`file=${githubProperty(file)}`]),
      ...(file === undefined || line === undefined ? [] : [`line=${line}`]),
      `title=${githubProperty(finding.code)}`,
    ].join(',');
    return `::${GITHUB_LEVEL[finding.severity]} ${place}::${githubText(withRemedy(finding))}`;
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** One self-contained page: no script, no outside resource. */
function html(outcome: Outcome): string {
  const rows = outcome.findings.map(
    (finding) =>
      `<tr class="${finding.severity}"><td>${finding.severity}</td><td><code>${xml(finding.code)}</code></td><td>${xml(finding.subject)}</td><td>${xml(withRemedy(finding))}</td></tr>`,
  );
  const checks = checksOf(outcome).map(
    (check) =>
      `<tr class="${xml(check.status)}"><td>${xml(check.status)}</td><td>${xml(check.title)}</td><td>${xml(check.message)}</td></tr>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>tenon report</title>',
    '<style>body{font:14px/1.5 system-ui,sans-serif;margin:2rem;max-width:70rem}td{padding:.2rem .8rem .2rem 0;vertical-align:top}.error td:first-child,.fail td:first-child{color:#a11}.warning td:first-child,.warn td:first-child{color:#850}</style>',
    `</head><body><h1>tenon ${xml(outcome.command)}</h1><p>exit code ${outcome.exit}</p>`,
    rows.length === 0 ? '<p>No findings.</p>' : `<h2>Findings</h2><table>${rows.join('')}</table>`,
    checks.length === 0 ? '' : `<h2>Checks</h2><table>${checks.join('')}</table>`,
    '</body></html>',
    '',
  ].join('\n');
}
