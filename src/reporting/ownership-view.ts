import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { type ChangedFacts, renderChanged } from './changed-view.ts';
import { renderFindings } from './findings-view.ts';
import { plural } from './text.ts';
import type { Theme } from './types.ts';

export interface OwnershipView {
  readonly verb: 'adopt' | 'forget';
  readonly addresses: readonly string[];
  readonly findings: readonly Finding[];
  readonly changed: ChangedFacts;
  readonly isDryRun: boolean;
}

/** The result of `adopt` and `forget`: which entries changed hands, and that their files were not touched. */
export function renderOwnership(view: OwnershipView, theme: Theme): string {
  const parts = [renderFindings(view.findings, theme).trimEnd()];
  if (view.addresses.length > 0) {
    parts.push(view.addresses.map((address) => `  ${printable(address)}`).join('\n'));
  }
  if (view.changed.files.length > 0) parts.push(renderChanged(view.changed, theme).trimEnd());
  parts.push(lastLine(view, theme));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function lastLine({ verb, addresses, isDryRun, findings }: OwnershipView, theme: Theme): string {
  if (addresses.length === 0)
    return findings.some(({ severity }) => severity === 'error')
      ? `${theme.warn(theme.glyph.warn)} Nothing was taken over; what is named above could not be looked at.`
      : 'There is nothing to adopt here.';
  if (isDryRun) return 'This was a dry run. Nothing was written.';
  const entries = plural(addresses.length, 'entry', 'entries');
  const good = theme.ok(theme.glyph.ok);
  return verb === 'adopt'
    ? `${good} ${entries} taken over on this host; their files were not written.`
    : `${good} ${entries} given up: they stay as they are and are yours.`;
}
