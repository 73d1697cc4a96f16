import type { Finding, Severity } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { bounded, type FormatRun, locationOf, moreText, suppressionOf, withRemedy } from './format-parts.ts';

/** GitHub shows ten annotations of each kind per step; the log may hold more, but nobody reads thousands. */
const MOST = 100;
const COMMAND: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/**
 * Workflow commands of GitHub Actions (`::error file=…,line=…::…`): annotations where a reviewer looks, the worst first.
 * Nothing of a file name or message can end a property or begin a command of its own.
 */
export function github(run: FormatRun): string {
  const { shown, rest } = bounded(run.findings, MOST);
  const lines = shown.map((finding) => annotation(finding, run.folder));
  if (rest > 0) lines.push(`::notice title=tenon::${data(moreText(rest))}`);
  return lines.map((line) => `${line}\n`).join('');
}

function annotation(finding: Finding, folder: string | undefined): string {
  const at = locationOf(finding, folder);
  const suppressed = suppressionOf(finding) === undefined ? '' : ' (suppressed)';
  const places = [
    `title=${property(finding.code + suppressed)}`,
    ...(at === undefined ? [] : [`file=${property(at.file)}`]),
    ...(at?.line === undefined ? [] : [`line=${at.line}`]),
    ...(at?.column === undefined ? [] : [`col=${at.column}`]),
  ];
  const subject = at === undefined && finding.subject !== '' ? `${finding.subject}: ` : '';
  return `::${COMMAND[finding.severity]} ${places.join(',')}::${data(printable(subject + withRemedy(finding)))}`;
}

/** Line ends as the runner decodes them, so that a file name stays the name of that file; other controls are shown. */
const data = (text: string): string =>
  text
    .split(/([\r\n])/)
    .map((part) => (part === '\r' ? '%0D' : part === '\n' ? '%0A' : printable(part).replaceAll('%', '%25')))
    .join('');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
