import { pathsOf } from './paths.ts';
import type { AbsPath, System } from './ports.ts';

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
}

/**
 * Folders of one repository that have something set up. Links are not followed, other repositories inside (submodules,
 * nested checkouts) are not entered; each folder is listed once.
 */
export function enrolledRoots(
  { reader, host }: Pick<System, 'reader' | 'host'>,
  top: AbsPath,
): EnrolledRoots {
  const { join } = pathsOf(host.platform);
  const roots: AbsPath[] = [];
  let isPartial = false;
  let left = MAX_FOLDERS;
  const visit = (folder: AbsPath, depth: number): void => {
    if (left <= 0) {
      isPartial = true;
      return;
    }
    left -= 1;
    if (reader.stat(join(folder, '.tenon', 'manifest.json')) !== undefined) roots.push(folder);
    for (const name of listed(reader, folder)) {
      if (name.startsWith('.') || SKIPPED.has(name)) continue;
      const below = join(folder, name);
      if (reader.lstat(below)?.kind !== 'directory' || reader.lstat(join(below, '.git')) !== undefined)
        continue;
      if (depth < MAX_DEPTH) visit(below, depth + 1);
      else isPartial = true;
    }
  };
  visit(top, 0);
  return { roots, isPartial };
}

function listed(reader: System['reader'], folder: AbsPath): readonly string[] {
  try {
    return reader.list(folder) ?? [];
  } catch {
    // A folder that may not be read has nothing that could be set up there either.
    return [];
  }
}
