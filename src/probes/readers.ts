import type { Document } from './documents.ts';
import type { Examined, ExaminedFile } from './examined.ts';
import { type Facts, oncePerRoot } from './facts.ts';

/** One runtime that reads a file. */
export interface ReaderOfFile {
  readonly runtime: Examined;
  readonly file: ExaminedFile;
}

/** A file on disk with every examined runtime that reads it; a runtime stands there once for each role of the file. */
export interface SharedFile {
  readonly document: Document;
  readonly readers: readonly ReaderOfFile[];
}

/** The configuration files that are there (JSON and TOML), each once, with all their readers. Links count as there. */
export const sharedFiles: (facts: Facts) => readonly SharedFile[] = oncePerRoot((facts) => {
  const byPath = new Map<string, { document: Document; readers: ReaderOfFile[] }>();
  for (const runtime of facts.examined) {
    for (const file of runtime.files) {
      if (!file.exists || (file.data.format !== 'json' && file.data.format !== 'toml')) continue;
      const document = facts.documents.get(file.path, file.data.format);
      const known = byPath.get(file.path.abs);
      if (known === undefined) byPath.set(file.path.abs, { document, readers: [{ runtime, file }] });
      else known.readers.push({ runtime, file });
    }
  }
  return [...byPath.values()].filter(({ document }) => document.state !== 'absent');
});

/** Ways to lose a whole file, in the words of specs. */
const LOSSES = {
  'drops-file': { one: 'ignores the whole file', many: 'ignore the whole file' },
  'refuses-to-start': { one: 'refuses to start', many: 'refuse to start' },
  'rewrites-file': { one: 'replaces the file', many: 'replace the file' },
} as const;

export type Loss = keyof typeof LOSSES;

/** What a client does with a file that it cannot read; undefined when it keeps the rest, or nobody knows. */
export function lossOf({ file }: ReaderOfFile): Loss | undefined {
  const { onInvalid } = file.data;
  return onInvalid === 'drops-entry' || onInvalid === 'unknown' ? undefined : onInvalid;
}

/** Runtimes that are used here, not only possible readers. */
export const inUse = (readers: readonly ReaderOfFile[]): ReaderOfFile[] =>
  readers.filter(({ runtime }) => runtime.reason !== 'shared');

/** `Claude Code and Copilot CLI`. */
export function titles(readers: readonly ReaderOfFile[]): string {
  const names = titlesOf(readers);
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

const titlesOf = (readers: readonly ReaderOfFile[]): string[] => [
  ...new Set(readers.map(({ runtime }) => runtime.spec.title)),
];

/** `, so Claude Code and Copilot CLI ignore the whole file`; empty when no such effect is known. */
export function effects(readers: readonly ReaderOfFile[]): string {
  const byLoss = new Map<Loss, ReaderOfFile[]>();
  for (const reader of readers) {
    const loss = lossOf(reader);
    if (loss !== undefined) byLoss.set(loss, [...(byLoss.get(loss) ?? []), reader]);
  }
  const clauses = [...byLoss].map(([loss, losing]) => {
    const { one, many } = LOSSES[loss];
    return `${titles(losing)} ${titlesOf(losing).length === 1 ? one : many}`;
  });
  return clauses.length === 0 ? '' : `, so ${clauses.join(' and ')}`;
}
