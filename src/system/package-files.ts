import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import type { AbsPath, FileStat, Reader } from './ports.ts';

/** Far above what coding tools bring (some 10,000 files, 400 MB); a folder beyond it is hashed up to here. */
const MAX_FILES = 60_000;
const CHUNK = 1024 * 1024;

/** One file of a package. */
export interface PackageFile {
  readonly path: AbsPath;
  readonly stat: FileStat;
}

/**
 * Every plain file below a folder, sorted by path, links not followed: bounded to {@link MAX_FILES}. A folder that cannot be
 * listed counts as empty.
 */
export function filesBelow(reader: Pick<Reader, 'list' | 'lstat'>, folder: AbsPath): readonly PackageFile[] {
  const files: PackageFile[] = [];
  const visit = (at: AbsPath): void => {
    for (const name of listed(reader, at)) {
      if (files.length >= MAX_FILES) return;
      const path = join(at, name);
      const stat = reader.lstat(path);
      if (stat?.kind === 'directory') visit(path);
      else if (stat?.kind === 'file') files.push({ path, stat });
    }
  };
  visit(folder);
  return files;
}

function listed(reader: Pick<Reader, 'list'>, folder: AbsPath): readonly string[] {
  try {
    return reader.list(folder) ?? [];
  } catch {
    return [];
  }
}

/**
 * SHA-256 in hex of a file's bytes, read in pieces: programs of 250 MB are common. `unreadable` where the system refuses it.
 */
export function hashOfFile(path: AbsPath): string {
  let handle: number;
  try {
    handle = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  } catch {
    return 'unreadable';
  }
  try {
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const count = fs.readSync(handle, chunk, 0, CHUNK, null);
      if (count === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, count));
    }
  } catch {
    return 'unreadable';
  } finally {
    fs.closeSync(handle);
  }
}
