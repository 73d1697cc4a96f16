import type { Finding, Remedy, Severity } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { wrap } from './text.ts';
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
  const text = wrap(`Fix: ${printable(remedy.text)}`, theme.width, `${indent}     `, indent);
  return remedy.command === undefined
    ? text
    : `${text}\n${indent}     ${theme.accent(printable(remedy.command))}`;
}

/** One finding as in the error layout: code, what is the case, and what to do. */
export function renderFinding(finding: Finding, theme: Theme): string {
  const subject = printable(finding.subject);
  const message = printable(finding.message);
  const says = subject === '' || message.includes(subject) ? message : `${subject}: ${message}`;
  const head = wrap(
    says,
    theme.width,
    '  ',
    `${severityGlyph(finding.severity, theme)} ${theme.bold(printable(finding.code))}  `,
  );
  return finding.remedy === undefined ? head : `${head}\n${renderRemedy(finding.remedy, theme)}`;
}

/** All findings, worst first, one below the other; the same one twice is shown once. Empty text for none. */
export function renderFindings(findings: readonly Finding[], theme: Theme): string {
  const blocks = bySeverity(findings).map((finding) => renderFinding(finding, theme));
  return [...new Set(blocks)].join('\n');
}
