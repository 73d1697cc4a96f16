import { pathsOf } from '../system/paths.ts';
import type { AbsPath, FileStat, Host, Reader } from '../system/ports.ts';

/** So many files are looked at; the folders of coding tools hold a few. */
const MAX_FILES = 5000;
const MAX_DEPTH = 8;

type Stamps = ReadonlyMap<string, string>;

/**
 * Remembers the files at the top of a root and below the folders named, by size and time. The function that is returned
 * gives the paths (relative, posix, sorted) that are new, changed or gone since. Contents are not read; what lies in
 * `node_modules` counts as one.
 */
export function watchFiles(
  root: AbsPath,
  folders: readonly string[],
  reader: Pick<Reader, 'list' | 'lstat'>,
  platform: Host['platform'],
): () => string[] {
  const before = stampsOf(root, folders, reader, platform);
  return () => {
    const after = stampsOf(root, folders, reader, platform);
    const names = new Set([...before.keys(), ...after.keys()]);
    return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
  };
}

function stampsOf(
  root: AbsPath,
  folders: readonly string[],
  reader: Pick<Reader, 'list' | 'lstat'>,
  platform: Host['platform'],
): Stamps {
  const { join } = pathsOf(platform);
  const stamps = new Map<string, string>();
  const wanted = new Set(folders);
  const look = (relative: string, depth: number): void => {
    for (const name of listOf(join(root, relative), reader)) {
      if (stamps.size >= MAX_FILES) return;
      const path = relative === '' ? name : `${relative}/${name}`;
      if (path === '.git') continue;
      const stat = statOf(join(root, path), reader);
      if (stat === undefined) continue;
      if (stat.kind !== 'directory') {
        stamps.set(path, `${stat.kind} ${stat.size} ${stat.mtimeMs} ${stat.ino}`);
        continue;
      }
      // A folder says by its existence only: its own time changes with every file in it.
      stamps.set(path, 'directory');
      if (name === 'node_modules' || depth >= MAX_DEPTH) continue;
      if (relative !== '' || wanted.has(name)) look(path, depth + 1);
    }
  };
  look('', 0);
  return stamps;
}

function listOf(path: AbsPath, reader: Pick<Reader, 'list'>): readonly string[] {
  try {
    return reader.list(path) ?? [];
  } catch {
    return [];
  }
}

function statOf(path: AbsPath, reader: Pick<Reader, 'lstat'>): FileStat | undefined {
  try {
    return reader.lstat(path);
  } catch {
    return undefined;
  }
}
