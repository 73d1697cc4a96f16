import { pathsOf } from './paths.ts';
import type { AbsPath, FileStat, System } from './ports.ts';

/** Limits of the search: folders deep, and folders looked at in all. */
const MAX_DEPTH = 8;
const MAX_FOLDERS = 20_000;

/** Never looked into: dependencies and what tools generate. Folders that begin with a dot are skipped as well. */
const SKIPPED = new Set([
  'node_modules',
  'bower_components',
  'vendor',
  'target',
  'dist',
  'build',
  '__pycache__',
]);

export interface EnrolledRoots {
  /** Canonical folders with a `.tenon/manifest.json`, the top level first, then by name. */
  readonly roots: readonly AbsPath[];
  /** The search stopped at one of its limits, so there may be more. */
  readonly isPartial: boolean;
  /** Folders that were not looked into, and why. */
  readonly unread: readonly { readonly path: AbsPath; readonly why: 'refused' | 'name' }[];
}

/**
 * Folders of one repository that have something set up. Links are not followed, other repositories inside (submodules,
 * nested checkouts) are not entered; each folder is listed once. A folder that cannot be looked into stops nothing; one
 * whose manifest cannot be looked at is a root, and whoever reads it finds out why.
 */
export function enrolledRoots(
  { reader, host }: Pick<System, 'reader' | 'host'>,
  top: AbsPath,
): EnrolledRoots {
  const { join } = pathsOf(host.platform);
  const roots: AbsPath[] = [];
  const unread: { path: AbsPath; why: 'refused' | 'name' }[] = [];
  let isPartial = false;
  let left = MAX_FOLDERS;
  const visit = (folder: AbsPath, depth: number): void => {
    if (left <= 0) {
      isPartial = true;
      return;
    }
    left -= 1;
    const names = looked(() => reader.list(folder)) ?? [];
    if (names === 'refused') {
      unread.push({ path: folder, why: 'refused' });
      return;
    }
    const manifest = looked(() => reader.stat(join(folder, '.tenon', 'manifest.json')));
    if (manifest !== undefined && (manifest !== 'refused' || names.includes('.tenon'))) roots.push(folder);
    for (const name of names) {
      if (name.startsWith('.') || SKIPPED.has(name)) continue;
      const below = join(folder, name);
      const own = looked(() => reader.lstat(below));
      // Node reads bytes of a name that are no UTF-8 as this sign, and the name that it gives leads nowhere.
      if (own === undefined && name.includes('\ufffd')) unread.push({ path: below, why: 'name' });
      const git = isFolder(own) ? looked(() => reader.lstat(join(below, '.git'))) : undefined;
      if (own === 'refused' || git === 'refused') unread.push({ path: below, why: 'refused' });
      else if (!isFolder(own) || git !== undefined) continue;
      else if (depth < MAX_DEPTH) visit(below, depth + 1);
      else isPartial = true;
    }
  };
  visit(top, 0);
  return { roots, isPartial, unread };
}

const isFolder = (own: FileStat | 'refused' | undefined): boolean =>
  own !== undefined && own !== 'refused' && own.kind === 'directory';

function looked<T>(look: () => T): T | 'refused' {
  try {
    return look();
  } catch {
    return 'refused';
  }
}
