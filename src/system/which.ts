import { isWithin, joinBelow, pathsOf } from './paths.ts';
import type { AbsPath, Host, Reader } from './ports.ts';

/** Value of a variable; on Windows names are compared without case (`Path`, `PATH`). */
export function envValue(host: Pick<Host, 'env' | 'platform'>, name: string): string | undefined {
  const exact = host.env[name];
  if (exact !== undefined || host.platform !== 'win32') return exact;
  const key = Object.keys(host.env).find((candidate) => candidate.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : host.env[key];
}

/** The absolute entries of PATH; split once, for it is asked about every program in every root. */
function foldersOf(host: Pick<Host, 'env' | 'platform'>): readonly AbsPath[] {
  const { platform } = host;
  const value = envValue(host, 'PATH') ?? '';
  if (last?.value !== value || last.platform !== platform) {
    const paths = pathsOf(platform);
    const folders = value.split(paths.delimiter).filter((folder) => paths.isAbsolute(folder));
    last = { value, platform, folders };
  }
  return last.folders;
}

let last:
  | { readonly value: string; readonly platform: Host['platform']; readonly folders: readonly AbsPath[] }
  | undefined;

/**
 * Absolute path of an executable on PATH; nothing is started. Relative and empty PATH entries are skipped: they would
 * find programs of the repository. A name with a separator is taken only when it is absolute.
 */
export function findExecutable(
  name: string,
  host: Pick<Host, 'env' | 'platform'>,
  reader: Pick<Reader, 'stat'>,
): AbsPath | undefined {
  const paths = pathsOf(host.platform);
  if (name === '' || name.includes('\0')) return undefined;
  const folders = paths.isAbsolute(name) ? [''] : /[\\/]/.test(name) ? [] : foldersOf(host);
  for (const folder of folders) {
    for (const ending of endings(name, host)) {
      const path = folder === '' ? name + ending : joinBelow(folder, name + ending, host.platform);
      if (isExecutable(path, host, reader)) return path;
    }
  }
  return undefined;
}

/**
 * Like {@link findExecutable}, but undefined for a program of this repository, links followed: an absolute entry of PATH
 * can lead into it (`node_modules/.bin`, a `PATH_add` of direnv), and its content is never started.
 */
export function findOutside(
  name: string,
  root: AbsPath,
  host: Pick<Host, 'env' | 'platform'>,
  reader: Pick<Reader, 'stat' | 'realpath'>,
): AbsPath | undefined {
  const program = findExecutable(name, host, reader);
  if (program === undefined) return undefined;
  const real = reader.realpath(program) ?? program;
  return [program, real].some((path) => isWithin(root, path, host.platform)) ? undefined : program;
}

/** Where a program was looked for on PATH, and why it may not be started. */
export type FoundProgram =
  | { readonly state: 'found'; readonly path: AbsPath }
  /** Only entries of this repository hold it. */
  | { readonly state: 'inside'; readonly path: AbsPath }
  /** A link on PATH that leads nowhere, or a file that is no program. */
  | { readonly state: 'broken'; readonly path: AbsPath }
  | { readonly state: 'absent' };

/**
 * The first program of a name on PATH that is not of this repository, links followed. Relative entries and entries inside
 * the repository are passed over, as if PATH did not hold them; nothing is started.
 */
export function findProgram(
  name: string,
  root: AbsPath,
  host: Pick<Host, 'env' | 'platform'>,
  reader: Pick<Reader, 'stat' | 'lstat' | 'realpath'>,
): FoundProgram {
  const { platform } = host;
  if (name === '' || /[\0\\/]/.test(name)) return { state: 'absent' };
  let fallback: FoundProgram = { state: 'absent' };
  for (const folder of foldersOf(host)) {
    for (const ending of endings(name, host)) {
      const path = joinBelow(folder, name + ending, platform);
      const isProgram = isExecutable(path, host, reader);
      if (!isProgram && fallback.state === 'absent' && isSomething(path, reader)) {
        fallback = { state: 'broken', path };
      }
      if (!isProgram) continue;
      const real = reader.realpath(path) ?? path;
      const isInside = [path, real].some((one) => isWithin(root, one, platform));
      if (!isInside) return { state: 'found', path };
      if (fallback.state !== 'inside') fallback = { state: 'inside', path };
    }
  }
  return fallback;
}

function isSomething(path: AbsPath, reader: Pick<Reader, 'lstat'>): boolean {
  try {
    const kind = reader.lstat(path)?.kind;
    return kind === 'link' || kind === 'file';
  } catch {
    return false;
  }
}

/** PATH for a child: absolute entries that do not lie in this repository, in their order. */
export function outsidePath(
  root: AbsPath,
  host: Pick<Host, 'env' | 'platform'>,
  reader: Pick<Reader, 'realpath'>,
): string {
  const paths = pathsOf(host.platform);
  return foldersOf(host)
    .filter((folder) => {
      const real = realOf(folder, reader);
      return ![folder, real].some((one) => isWithin(root, one, host.platform));
    })
    .join(paths.delimiter);
}

function realOf(folder: AbsPath, reader: Pick<Reader, 'realpath'>): AbsPath {
  try {
    return reader.realpath(folder) ?? folder;
  } catch {
    return folder;
  }
}

function endings(name: string, host: Pick<Host, 'env' | 'platform'>): string[] {
  if (host.platform !== 'win32') return [''];
  const known = (envValue(host, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD')
    .split(';')
    .filter((ending) => ending !== '');
  const has = known.some((ending) => name.toLowerCase().endsWith(ending.toLowerCase()));
  return has ? [''] : known;
}

function isExecutable(path: AbsPath, host: Pick<Host, 'platform'>, reader: Pick<Reader, 'stat'>): boolean {
  try {
    const stat = reader.stat(path);
    return stat?.kind === 'file' && (host.platform === 'win32' || (stat.mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
