import { join, posix } from 'node:path';
import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { isWithin } from '../system/paths.ts';
import type { AbsPath, Reader } from '../system/ports.ts';

/** Bounds of a definition; a folder beyond them is refused, never read in part. */
export const LIMITS = { fileBytes: 1024 * 1024, totalBytes: 4 * 1024 * 1024, files: 500, depth: 16 } as const;

/** Not part of a definition, and able to hold far more than one. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

/**
 * Every file of a definition's folder: posix path below it -> bytes, sorted by path. A link is read when it leads to a
 * regular file inside the folder. Refused with `integration/invalid` (exit 4): links that leave the folder or lead to a
 * folder, devices and pipes, names that no plan could show, and whatever exceeds {@link LIMITS}.
 */
export function readFolder(reader: Reader, folder: AbsPath, shown: string): ReadonlyMap<string, Uint8Array> {
  const real = reader.realpath(folder) ?? folder;
  const files: [string, Uint8Array][] = [];
  let total = 0;
  const refuse = (path: string, why: string): never => {
    throw new TenonError('integration/invalid', `${printable(posix.join(shown, path))} ${why}.`, {
      exit: 4,
      remedy: { text: 'Keep in the folder only the files that the integration installs, as regular files' },
    });
  };
  const visit = (below: string, depth: number): void => {
    if (depth > LIMITS.depth) refuse(below, `lies deeper than ${LIMITS.depth} folders`);
    for (const name of reader.list(join(real, below)) ?? []) {
      if (SKIPPED.has(name)) continue;
      const path = posix.join(below, name);
      if (printable(name) !== name || name.includes('\\')) {
        refuse(path, 'has a control character or backslash in its name');
      }
      const abs = join(real, path);
      const kind = reader.lstat(abs)?.kind;
      if (kind === 'directory') {
        visit(path, depth + 1);
        continue;
      }
      if (kind === 'link') {
        const target = reader.realpath(abs);
        if (target === undefined || !isWithin(real, target, process.platform)) {
          refuse(path, 'is a link that leads out of the folder');
        }
      }
      const stat = reader.stat(abs);
      if (stat?.kind !== 'file') refuse(path, 'is no regular file');
      const size = stat?.size ?? 0;
      if (size > LIMITS.fileBytes) refuse(path, 'is larger than 1 MB');
      total += size;
      if (total > LIMITS.totalBytes) refuse(path, 'brings the folder over 4 MB');
      if (files.length >= LIMITS.files)
        refuse(path, `is one file more than the ${LIMITS.files} that are allowed`);
      const bytes = reader.readFile(abs);
      if (bytes === undefined || bytes.length > LIMITS.fileBytes) refuse(path, 'changed while it was read');
      else files.push([path, bytes]);
    }
  };
  visit('', 0);
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
