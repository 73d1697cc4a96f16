import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderFindings } from './findings-view.ts';
import type { Theme } from './types.ts';

interface Entry {
  readonly time: string;
  readonly command: string;
  readonly digest: string;
  readonly files: readonly { readonly path: string; readonly action: string }[];
}

const MARK: Readonly<Record<string, string>> = { create: '+', edit: '~', delete: '-' };

/** Applied plans, newest first. */
export function renderHistory(entries: readonly Entry[], findings: readonly Finding[], theme: Theme): string {
  if (entries.length === 0) return 'No plan was applied here on this host.\n';
  const blocks = entries.map((entry) => {
    const head = `${entry.time.slice(0, 16).replace('T', ' ')}  ${theme.bold(printable(entry.command))}  ${theme.dim(entry.digest.slice(0, 19))}`;
    return [
      head,
      ...entry.files.map(({ path, action }) => `  ${MARK[action] ?? '='} ${printable(path)}`),
    ].join('\n');
  });
  return `${[...blocks, renderFindings(findings, theme).trimEnd()].filter((part) => part !== '').join('\n\n')}\n`;
}
