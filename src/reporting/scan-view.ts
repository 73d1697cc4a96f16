import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { redactText } from '../lib/secrets.ts';
import type { ScanEntry } from '../trust/scan.ts';
import { renderFindings } from './findings-view.ts';
import { table } from './table.ts';
import { plural, size } from './text.ts';
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
    parts.push(`${theme.bold(title)}\n${table(own.flatMap(rowsOf), 2, '  ')}`);
  }
  if (view.entries.length === 0) parts.push('Nothing here is run or obeyed by a coding tool.');
  const told = renderFindings(view.findings, theme).trimEnd();
  if (told !== '') parts.push(told);
  const skipped =
    view.skipped.length === 0 ? '' : `\nNot looked into: ${view.skipped.map(printable).join(', ')}`;
  parts.push(`${plural(view.entries.length, 'entry', 'entries')}  ${view.digest}${skipped}`);
  if (view.expected !== undefined) {
    parts.push(
      view.differs
        ? `${theme.fail(theme.glyph.fail)} The inventory differs from the reviewed one.`
        : `${theme.ok(theme.glyph.ok)} The inventory is the reviewed one.`,
    );
  }
  return `${parts.join('\n\n')}\n`;
}

function rowsOf(entry: ScanEntry): string[][] {
  const short = entry.print.slice('sha256:'.length, 'sha256:'.length + 12);
  const what = entry.link ? 'link, not followed' : size(entry.size);
  const servers = entry.servers.map((server) => [
    `  ${printable(server.name)}`,
    '',
    '',
    printable(
      redactText(server.launch.length > 0 ? `runs ${server.launch.join(' ')}` : `connects to ${server.url}`),
    ),
  ]);
  return [[printable(entry.path), entry.kind, short, what], ...servers];
}
