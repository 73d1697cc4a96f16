import type { Document } from './documents.ts';
import type { Examined, ExaminedFile } from './examined.ts';
import type { Facts } from './facts.ts';

/** One runtime that reads a file. */
export interface ReaderOfFile {
  readonly runtime: Examined;
  readonly file: ExaminedFile;
}

/** A file on disk with every examined runtime that reads it. */
export interface SharedFile {
  readonly document: Document;
  readonly readers: readonly ReaderOfFile[];
}

/** The configuration files that are there (JSON and TOML), each once, with all their readers. Links count as there. */
export function sharedFiles(facts: Facts): SharedFile[] {
  const byPath = new Map<string, { document: Document; readers: ReaderOfFile[] }>();
  for (const runtime of facts.examined) {
    for (const file of runtime.files) {
      if (!file.exists || (file.data.format !== 'json' && file.data.format !== 'toml')) continue;
      const document = facts.documents.get(file.path, file.data.format);
      const known = byPath.get(file.path.abs);
      if (known === undefined) byPath.set(file.path.abs, { document, readers: [{ runtime, file }] });
      else if (!known.readers.some((one) => one.runtime === runtime)) known.readers.push({ runtime, file });
    }
  }
  return [...byPath.values()].filter(({ document }) => document.state !== 'absent');
}

/** What a client does with a whole file that it cannot read, as a clause; undefined when it keeps the rest, or nobody knows. */
export function lossOf({ file }: ReaderOfFile): string | undefined {
  switch (file.data.onInvalid) {
    case 'drops-file':
      return 'ignores the whole file';
    case 'refuses-to-start':
      return 'refuses to start';
    case 'rewrites-file':
      return 'replaces the file';
    default:
      return undefined;
  }
}

/** Runtimes that are used here, not only possible readers. */
export const inUse = (readers: readonly ReaderOfFile[]): ReaderOfFile[] =>
  readers.filter(({ runtime }) => runtime.reason !== 'shared');

/** `Claude Code and Copilot CLI`. */
export function titles(readers: readonly ReaderOfFile[]): string {
  const names = [...new Set(readers.map(({ runtime }) => runtime.spec.title))];
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** `, so Claude Code ignores the whole file and Codex refuses to start`; empty when no such effect is known. */
export function effects(readers: readonly ReaderOfFile[]): string {
  const clauses = readers.flatMap((reader) => {
    const loss = lossOf(reader);
    return loss === undefined ? [] : [`${reader.runtime.spec.title} ${loss}`];
  });
  return clauses.length === 0 ? '' : `, so ${[...new Set(clauses)].join(' and ')}`;
}
