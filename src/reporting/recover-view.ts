import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderFindings } from './findings-view.ts';
import { plural } from './text.ts';
import type { Theme } from './types.ts';

export interface RecoverView {
  readonly outcome: 'nothing' | 'pending' | 'finished' | 'undone';
  readonly command: string | undefined;
  readonly files: readonly string[];
  readonly findings: readonly Finding[];
}

/** The result of `recover`: which state the files are in now. */
export function renderRecover(view: RecoverView, theme: Theme): string {
  const ok = theme.ok(theme.glyph.ok);
  const files = view.files.map((path) => `  ${printable(path)}`).join('\n');
  const what = `${plural(view.files.length, 'file')} of tenon ${view.command ?? ''}`;
  const lines = {
    nothing: 'No apply was interrupted here. Nothing to do.',
    pending: `An apply was interrupted: ${what}. Nothing was written.\n${files}`,
    finished: `${ok} Finished: ${what} are as planned.\n${files}`,
    undone: `${ok} Undone: ${what} are as they were before.\n${files}`,
  } as const;
  const parts = [renderFindings(view.findings, theme).trimEnd(), lines[view.outcome].trimEnd()];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
