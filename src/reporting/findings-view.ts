import type { Finding, Remedy, Severity } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { accentCommands, plural, wrap } from './text.ts';
import type { Theme } from './types.ts';

const ORDER: readonly Severity[] = ['error', 'warning', 'info'];

/** Worst first; equal ones stay in the order in which they came. */
export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  return ORDER.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}

/** The glyph of a severity in its colour. */
export function severityGlyph(severity: Severity, theme: Theme): string {
  if (severity === 'error') return theme.fail(theme.glyph.fail);
  return severity === 'warning' ? theme.warn(theme.glyph.warn) : theme.accent(theme.glyph.dot);
}

/** `Fix: <text>` and the command on a line of its own, which stays whole for copying. */
export function renderRemedy(remedy: Remedy, theme: Theme, indent = '  '): string {
  const what = accentCommands(sentence(printable(remedy.text)), theme);
  const text = wrap(`Fix: ${what}`, theme.width, `${indent}     `, indent);
  return remedy.command === undefined
    ? text
    : `${text}\n${indent}     ${theme.accent(printable(remedy.command))}`;
}

/** Remedies from data (a spec, a definition) begin small; beside the others they would look like another thing. */
const sentence = (text: string): string =>
  /^(?:tenon|git|chmod|npm|npx)\b/u.test(text)
    ? text
    : text.replace(/^[a-z]/u, (letter) => letter.toUpperCase());

/** Whether a message names its subject; `claude-code` is named by "Claude Code" too, `vscode` by "VS Code". */
function names(message: string, subject: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll('-', ' ');
  // "." is the whole root, of which every message of a run is.
  if (subject === '' || subject === '.' || plain(message).includes(plain(subject))) return true;
  if (!/^[a-z0-9-]+$/u.test(subject)) return false;
  const letters = [...subject.replaceAll('-', '')].join('[- ]?');
  return new RegExp(`(?<![a-z0-9])${letters}(?![a-z0-9])`, 'iu').test(message);
}

/** One finding as in the error layout: code, what is the case, and what to do. */
export function renderFinding(finding: Finding, theme: Theme): string {
  const subject = printable(finding.subject);
  const message = printable(finding.message);
  const says = names(message, subject) ? message : `${subject}: ${message}`;
  const head = wrap(
    says,
    theme.width,
    '  ',
    `${severityGlyph(finding.severity, theme)} ${theme.bold(printable(finding.code))}  `,
  );
  return finding.remedy === undefined ? head : `${head}\n${renderRemedy(finding.remedy, theme)}`;
}

/**
 * All findings, worst first, one below the other; the same one twice is shown once, and those that differ in their
 * subject alone are one with a list. Empty text for none.
 */
export function renderFindings(findings: readonly Finding[], theme: Theme): string {
  const groups = new Map<string, Finding[]>();
  for (const finding of bySeverity(findings)) {
    const { code, severity, message, remedy } = finding;
    const key = JSON.stringify([code, severity, message, remedy]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [finding]);
    else known.push(finding);
  }
  return [...groups.values()].map((group) => renderGroup(group, theme)).join('\n');
}

function renderGroup(group: readonly Finding[], theme: Theme): string {
  const [first] = group;
  const subjects = [...new Set(group.map(({ subject }) => subject))];
  if (first === undefined) return '';
  if (subjects.length === 1) return renderFinding(first, theme);
  const { remedy: _remedy, ...head } = first;
  return [
    renderFinding({ ...head, subject: `${subjects.length} times` }, theme),
    ...subjects.map((subject) => `    ${printable(subject)}`),
    ...(first.remedy === undefined ? [] : [renderRemedy(first.remedy, theme)]),
  ].join('\n');
}

/** What setup said when it was approved: how something fits a coding tool, and what that cannot do. */
const isSettled = ({ code, severity, data }: Finding): boolean =>
  /^(?:render|hook)\//u.test(code) &&
  code !== 'hook/interpreter-missing' &&
  (severity === 'info' || data?.['withheld'] === true);

/** The findings of a run that changes nothing about them: what setup said already is counted, not told again. */
export function renderNews(findings: readonly Finding[], theme: Theme): string {
  const settled = new Set(findings.filter(isSettled).map(({ code, message }) => `${code} ${message}`)).size;
  const news = renderFindings(
    findings.filter((finding) => !isSettled(finding)),
    theme,
  );
  if (settled === 0) return news;
  const told = `${plural(settled, 'note')} on how it fits the coding tools: tenon doctor tells ${settled === 1 ? 'it' : 'them'}`;
  const line = wrap(accentCommands(told, theme), theme.width, '  ', `${severityGlyph('info', theme)} `);
  return news === '' ? line : `${news}\n${line}`;
}

/** The findings that were not told before in the same run. */
export function untold(findings: readonly Finding[], told: readonly Finding[]): readonly Finding[] {
  const key = ({ code, subject, message }: Finding): string => JSON.stringify([code, subject, message]);
  const known = new Set(told.map(key));
  return findings.filter((finding) => !known.has(key(finding)));
}
