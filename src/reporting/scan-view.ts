import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { redactText } from '../lib/secrets.ts';
import type { ScanEntry } from '../trust/scan.ts';
import { renderFindings } from './findings-view.ts';
import { table } from './table.ts';
import { plural, size, wrap } from './text.ts';
import type { Theme } from './types.ts';

export interface ScanView {
  readonly entries: readonly ScanEntry[];
  readonly digest: string;
  readonly skipped: readonly string[];
  readonly findings: readonly Finding[];
  readonly expected: string | undefined;
  readonly differs: boolean;
}

const CLASSES = [
  ['executable', 'Runs programs'],
  ['model-influencing', 'Steers the model'],
  ['declarative-only', 'Only declares'],
] as const;

/** The inventory of `tenon trust scan`, the most dangerous first, the digest last. */
export function renderScan(view: ScanView, theme: Theme): string {
  const parts: string[] = [];
  for (const [name, title] of CLASSES) {
    const own = view.entries.filter((entry) => entry.class === name);
    if (own.length === 0) continue;
    parts.push(`${theme.bold(title)}\n${linesOf(own, theme).join('\n')}`);
  }
  if (view.entries.length === 0) parts.push('Nothing here is run or obeyed by a coding tool.');
  const told = renderFindings(view.findings, theme).trimEnd();
  if (told !== '') parts.push(told);
  const skipped =
    view.skipped.length === 0 ? '' : `\nNot looked into: ${view.skipped.map(printable).join(', ')}`;
  const count = plural(view.entries.length, 'entry', 'entries');
  parts.push(
    `${count}${count.length + 2 + view.digest.length > theme.width ? '\n' : ''}  ${view.digest}${skipped}`,
  );
  if (view.expected !== undefined) {
    parts.push(
      view.differs
        ? `${theme.fail(theme.glyph.fail)} The inventory differs from the reviewed one.`
        : `${theme.ok(theme.glyph.ok)} The inventory is the reviewed one.`,
    );
  }
  return `${parts.join('\n\n')}\n`;
}

/** The files in columns, below each one the servers that it names. */
function linesOf(entries: readonly ScanEntry[], theme: Theme): string[] {
  const rows = table(entries.map(rowOf), 2, '  ').split('\n');
  return entries.flatMap((entry, at) => [
    rows[at] ?? '',
    ...entry.servers.map(({ name, launch, url }) => {
      const does = printable(
        redactText(launch.length > 0 ? `runs ${launch.join(' ')}` : `connects to ${url}`),
      );
      return wrap(does, theme.width, ' '.repeat(6), `    ${printable(name)}  `);
    }),
  ]);
}

function rowOf(entry: ScanEntry): string[] {
  const short = entry.print.slice('sha256:'.length, 'sha256:'.length + 12);
  return [printable(entry.path), entry.kind, short, entry.link ? 'link, not followed' : size(entry.size)];
}
