import type { RuntimeSpec } from '../runtimes/schema.ts';
import { foldPath } from '../system/paths.ts';

/** What a file of a repository does to whoever works in it with a coding tool (requirement K26). */
export type ScanClass = 'executable' | 'model-influencing' | 'declarative-only';

/** Why a path is in the inventory. */
export type ScanKind =
  | 'config'
  | 'hook'
  | 'skill'
  | 'file-folder'
  | 'instructions'
  | 'git-hook'
  | 'git-hooks-path'
  | 'environment';

/** A spec that reads a file, and the file's id in it. */
export interface Reading {
  readonly spec: RuntimeSpec;
  readonly file: string;
}

export interface Match {
  readonly kind: ScanKind;
  readonly runtimes: readonly string[];
  readonly readings: readonly Reading[];
}

export interface Places {
  /** What a file at this path is, wherever in the tree its folder stands; undefined for all others. */
  match(path: string): Match | undefined;
  /** Whether a link at this path stands in the way to a place. */
  leadsTo(path: string): boolean;
}

interface Place {
  readonly kind: ScanKind;
  readonly spec: RuntimeSpec | undefined;
  readonly file?: string;
}

/** Started by git, a shell or a code host just by being there; files of no coding tool. */
const GENERAL_FILES = ['.envrc', '.pre-commit-config.yaml', '.gitmodules'];
const GENERAL_FOLDERS = ['.husky', '.githooks', '.devcontainer'];

/** The inventory's places from the specs: a tool that is started in a sub-folder reads the same names there. */
export function placesOf(specs: Iterable<RuntimeSpec>): Places {
  const files = new Map<string, Place[]>();
  const folders = new Map<string, Place[]>();
  const add = (map: Map<string, Place[]>, path: string, place: Place): void => {
    const key = foldPath(path).replace(/\/+$/, '');
    if (!isInside(path) || key === '') return;
    map.set(key, [...(map.get(key) ?? []), place]);
  };
  for (const spec of specs) {
    for (const [id, file] of Object.entries(spec.files)) {
      if (file.scope !== 'project' && file.scope !== 'local') continue;
      const own = [file, ...Object.values(file.os ?? {})];
      for (const path of new Set(own.flatMap((one) => [...one.paths, one.create])))
        add(files, path, { kind: 'config', spec, file: id });
    }
    for (const { folder, scope } of spec.hooks?.places ?? [])
      if (scope !== 'user') add(folders, folder, { kind: 'hook', spec });
    for (const { path, scope } of spec.skills?.places ?? [])
      if (scope !== 'user') add(folders, path.replace(/\/\{name\}.*$/, ''), { kind: 'skill', spec });
    for (const folder of spec.fileFolders) add(folders, folder, { kind: 'file-folder', spec });
    for (const { path, scope } of spec.instructions?.files ?? [])
      if (scope !== 'user') add(files, path, { kind: 'instructions', spec });
  }
  for (const path of GENERAL_FILES) add(files, path, { kind: 'environment', spec: undefined });
  for (const path of GENERAL_FOLDERS) add(folders, path, { kind: 'environment', spec: undefined });
  const names = [...files.keys(), ...folders.keys()];
  return {
    match: (path) => matchOf(path, files, folders),
    leadsTo: (path) =>
      suffixesOf(path).some((suffix) =>
        names.some((name) => name === suffix || name.startsWith(`${suffix}/`)),
      ),
  };
}

const isInside = (path: string): boolean =>
  !path.startsWith('~') && !path.startsWith('{env:') && !path.startsWith('/') && !/^[A-Z]:/.test(path);

/** `a/b/c` -> `a/b/c`, `b/c`, `c`, folded. */
function suffixesOf(path: string): string[] {
  const parts = foldPath(path).split('/');
  return parts.map((_, index) => parts.slice(index).join('/'));
}

/** The more telling kind first. */
const RANK: readonly ScanKind[] = ['config', 'hook', 'environment', 'skill', 'file-folder', 'instructions'];

function matchOf(
  path: string,
  files: ReadonlyMap<string, readonly Place[]>,
  folders: ReadonlyMap<string, readonly Place[]>,
): Match | undefined {
  const found: Place[] = [];
  for (const suffix of suffixesOf(path)) {
    found.push(...(files.get(suffix) ?? []));
    for (let at = suffix.lastIndexOf('/'); at > 0; at = suffix.lastIndexOf('/', at - 1))
      found.push(...(folders.get(suffix.slice(0, at)) ?? []));
  }
  const kind = RANK.find((one) => found.some((place) => place.kind === one));
  if (kind === undefined) return undefined;
  return {
    kind,
    runtimes: [...new Set(found.flatMap(({ spec }) => (spec === undefined ? [] : [spec.id])))].sort(),
    readings: found.flatMap(({ spec, file }) =>
      spec === undefined || file === undefined ? [] : [{ spec, file }],
    ),
  };
}
