import type { DiskState, Finding, TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderFindings, renderRemedy } from './findings-view.ts';
import { accentCommands, wrap } from './text.ts';
import type { Theme } from './types.ts';

/** What the disk is like after an error, in one sentence. */
export const STATE_SENTENCE: Readonly<Record<DiskState, string>> = {
  'nothing-written': 'Nothing was written.',
  restored: 'Every file was put back to its previous state.',
  'needs-recover': 'Some files are changed and some are not: tenon recover finishes or undoes it.',
  written: 'The changes were written.',
  unknown: 'What was written is not known: run tenon status.',
};

/**
 * An error as people see it: code, what happened and why, the state of the disk, the remedy, where to read more.
 * A fault of the command line needs no state of the disk.
 */
export function renderError(error: TenonError, theme: Theme): string {
  const lines: string[] = [];
  const findings = furtherFindings(error);
  if (findings.length > 0) lines.push(renderFindings(findings, theme), '');
  const head = `${theme.fail(theme.glyph.fail)} ${theme.bold(printable(error.code))}  `;
  for (const [index, line] of error.message.split('\n').entries()) {
    lines.push(wrap(printable(line), theme.width, '  ', index === 0 ? head : '  '));
  }
  const isUsage = error.code.startsWith('usage/');
  if (!isUsage) lines.push(wrap(accentCommands(STATE_SENTENCE[error.state], theme), theme.width, '  '));
  if (error.remedy !== undefined) lines.push(renderRemedy(error.remedy, theme));
  if (!isUsage) lines.push(`  More: ${theme.accent(`tenon explain ${error.code}`)}`);
  return `${lines.join('\n')}\n`;
}

/** What stands beside the error: not the error itself once more, nor conflicts, which the refused plan just showed. */
function furtherFindings({ code, message, findings, data }: TenonError): readonly Finding[] {
  const plan = data?.['plan'] as { readonly conflicts?: readonly { readonly address: string }[] } | undefined;
  const shown = new Set(plan?.conflicts?.map(({ address }) => address));
  return findings.filter(
    (finding) => !shown.has(finding.subject) && !(finding.code === code && message.includes(finding.message)),
  );
}
