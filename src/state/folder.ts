import { createHash } from 'node:crypto';
import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { systemReason } from '../lib/system-reason.ts';
import { maskHome, pathsOf } from '../system/paths.ts';
import type { AbsPath, FileStat, Host, System } from '../system/ports.ts';
import { stateLocation } from './location.ts';

const AREAS = ['ledger', 'trust', 'journal', 'backup', 'history', 'evidence', 'answers'] as const;
export type StateArea = (typeof AREAS)[number];

/** The user's state folder: where it is. Making one touches nothing. */
export interface StateFolder {
  readonly dir: AbsPath;
  /** Path of a file or folder below an area; `parts` are names, not paths. */
  path(area: StateArea, ...parts: string[]): AbsPath;
}

const FILE_MODE = 0o600;
const DIR_MODE = 0o700;
const MAX_STATE_BYTES = 64 * 1024 * 1024;

function location(host: Host): AbsPath {
  const dir = stateLocation(host);
  if (dir !== undefined) return dir;
  const chosen = host.env['TENON_STATE_DIR'] ?? '';
  const [what, path] = chosen === '' ? ['The home folder', host.home] : ['TENON_STATE_DIR', chosen];
  throw unsafe(
    `${what} is the relative path "${printable(path)}", which names another folder in every working folder.`,
  );
}

const unsafe = (message: string): TenonError =>
  new TenonError('state/unsafe', message, {
    exit: 4,
    remedy: { text: 'Set TENON_STATE_DIR to an absolute path of your own outside every repository.' },
  });

/**
 * The state folder of this host, for reading and writing. Throws `state/unsafe` (exit 4) when it lies inside a
 * repository, whose content could then speak for the user, or when it or a folder of it is a link, and `state/unreadable`
 * (exit 2) when it may not be looked into. It need not exist.
 */
export function openStateFolder(system: Pick<System, 'reader' | 'host'>): StateFolder {
  const dir = location(system.host);
  try {
    return openAt(system, dir);
  } catch (error) {
    throw systemCode(error) === undefined ? error : unreachable(system, dir, error);
  }
}

function openAt(system: Pick<System, 'reader' | 'host'>, dir: AbsPath): StateFolder {
  const { reader, host } = system;
  const paths = pathsOf(host.platform);
  const shown = maskHome(dir, host.home);
  const own = reader.lstat(dir);
  if (own?.kind === 'link') throw unsafe(`The state folder ${shown} is a link.`);
  const linked = own === undefined ? undefined : AREAS.find((area) => isLink(reader, paths.join(dir, area)));
  if (linked !== undefined) throw unsafe(`The folder ${linked} of the state folder ${shown} is a link.`);
  let existing = dir;
  while (reader.stat(existing) === undefined && paths.dirname(existing) !== existing)
    existing = paths.dirname(existing);
  const real = reader.realpath(existing) ?? existing;
  for (let at = real; ; at = paths.dirname(at)) {
    if (reader.lstat(paths.join(at, '.git')) !== undefined) {
      throw unsafe(`The state folder ${shown} lies inside the repository ${maskHome(at, host.home)}.`);
    }
    if (paths.dirname(at) === at) break;
  }
  return { dir, path: (area, ...parts) => paths.join(dir, area, ...parts) };
}

const isLink = (reader: System['reader'], path: AbsPath): boolean => reader.lstat(path)?.kind === 'link';

/** Name of a root in the state folder: the first 32 hex digits of the SHA-256 of its canonical path. */
export const rootKey = (root: AbsPath): string =>
  createHash('sha256').update(root).digest('hex').slice(0, 32);

/** The code of a system's error, such as ENOSPC; undefined for every other error, ours included. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[A-Z]\w*$/.test(error.code)
    ? error.code
    : undefined;

/** Fault of a state file or folder that cannot be written. */
export function unwritable(system: Pick<System, 'host'>, path: AbsPath, error: unknown): TenonError {
  const why = systemCode(error) ?? String(error);
  return new TenonError(
    'state/unwritable',
    `The state folder cannot be written: ${maskHome(path, system.host.home)} (${why}).`,
    {
      exit: 4,
      remedy: { text: 'Make it writable, free space, or set TENON_STATE_DIR to a folder that is.' },
      cause: error,
    },
  );
}

/** Creates a folder below the state folder, and the state folder itself, mode 0700. Throws `state/unwritable`, `state/unsafe`. */
export function ensureStateDir(system: System, state: StateFolder, dir: AbsPath): void {
  const { reader, writer, host } = system;
  const paths = pathsOf(host.platform);
  const missing: AbsPath[] = [];
  for (let at = dir; ; at = paths.dirname(at)) {
    const own = tryLook(system, at, () => reader.lstat(at));
    const within = at === state.dir || at.startsWith(state.dir + paths.sep);
    if (own === undefined) missing.unshift(at);
    else if (own.kind === 'link' && within)
      throw unsafe(`${maskHome(at, host.home)} in the state folder is a link.`);
    else if (own.kind !== 'directory' && own.kind !== 'link') throw unwritable(system, at, 'not a folder');
    else if (!within) break;
    if (own !== undefined && within && host.platform !== 'win32' && (own.mode & 0o077) !== 0) {
      // `TENON_STATE_DIR=/tmp`: closing a folder that others use as well is not ours to do.
      if (at === state.dir && tryLook(system, at, () => holdsMore(reader, at))) {
        const mode = (own.mode & 0o7777).toString(8);
        throw unsafe(
          `The state folder ${maskHome(at, host.home)} holds other things than tenon's records, and others may look into it (mode ${mode}); its rights are left as they are.`,
        );
      }
      tryWrite(system, at, () => writer.chmod(at, DIR_MODE));
    }
    if (paths.dirname(at) === at) break;
  }
  for (const path of missing) tryWrite(system, path, () => writer.makeDir(path, DIR_MODE), 'EEXIST');
}

/** Whether a folder holds anything but records of ours. */
export function holdsMore(reader: Pick<System['reader'], 'list'>, dir: AbsPath): boolean {
  const names = reader.list(dir) ?? [];
  return names.some((name) => !AREAS.some((area) => area === name));
}

/** A look that comes before a write, and whose fault is one of the folder like that of the write. */
export function tryLook<T>(system: Pick<System, 'host'>, path: AbsPath, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw systemCode(error) === undefined ? error : unwritable(system, path, error);
  }
}

function tryWrite(system: System, path: AbsPath, write: () => void, tolerated?: string): void {
  try {
    write();
  } catch (error) {
    if (tolerated === undefined || systemCode(error) !== tolerated) throw unwritable(system, path, error);
  }
}

/** Codes of a file or folder that is there and may not be looked at: nothing about it can be repaired by tenon. */
const isDenied = (code: string | undefined): boolean => code === 'EACCES' || code === 'EPERM';

const CORRECT_RIGHTS =
  'Correct its access rights, or set TENON_STATE_DIR to a folder of your own outside every repository.';

/** Fault of a state folder that cannot be looked into. */
function unreachable(system: Pick<System, 'host'>, dir: AbsPath, error: unknown): TenonError {
  const code = systemCode(error);
  const why = systemReason(code);
  return new TenonError(
    'state/unreadable',
    `The state folder ${maskHome(dir, system.host.home)} cannot be looked into: ${why === undefined ? code : `${why} (${code})`}.`,
    {
      exit: 2,
      remedy: {
        text: isDenied(code)
          ? CORRECT_RIGHTS
          : 'Correct the cause, or set TENON_STATE_DIR to a folder of your own outside every repository.',
      },
      cause: error,
    },
  );
}

/** Fault of a state file that is there and cannot be used; it is never reset. */
export function unreadable(
  system: Pick<System, 'host'>,
  path: AbsPath,
  why: string,
  cause?: unknown,
): TenonError {
  return new TenonError(
    'state/unreadable',
    `The state file ${maskHome(path, system.host.home)} cannot be used: ${why}.`,
    {
      exit: 2,
      remedy: isDenied(systemCode(cause))
        ? { text: `Nothing was reset. ${CORRECT_RIGHTS}` }
        : {
            text: 'Nothing was reset. Look at the file, then let tenon set it aside and rebuild what it can.',
            command: 'tenon state repair',
          },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** Bytes of a state file, undefined when it does not exist. Throws `state/unreadable` for anything but a plain file. */
export function readState(system: Pick<System, 'reader' | 'host'>, path: AbsPath): Uint8Array | undefined {
  let own: FileStat | undefined;
  try {
    own = system.reader.lstat(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw unreadable(system, path, systemCode(error) ?? '', error);
  }
  if (own === undefined) return undefined;
  if (own.kind !== 'file') throw unreadable(system, path, `it is a ${own.kind}, not a plain file`);
  try {
    return system.reader.readFile(path, MAX_STATE_BYTES);
  } catch (error) {
    throw unreadable(system, path, systemCode(error) ?? String(error), error);
  }
}

/**
 * Replaces a state file atomically, mode 0600, folders made as needed. Throws `state/unwritable`; where the file was
 * replaced and only the disk did not confirm it, the error says that the change is `counted` as: `written`, or nothing for
 * a file that by itself changes nothing.
 */
export function writeState(
  system: System,
  state: StateFolder,
  path: AbsPath,
  bytes: Uint8Array,
  counted: 'written' | 'nothing-written' = 'written',
): void {
  const paths = pathsOf(system.host.platform);
  ensureStateDir(system, state, paths.dirname(path));
  const temp = `${path}.${system.randomHex(6)}.tmp`;
  try {
    system.writer.createExclusive(temp, bytes, FILE_MODE);
    system.writer.rename(temp, path);
  } catch (error) {
    try {
      if (system.reader.lstat(temp) !== undefined) system.writer.remove(temp);
    } catch {
      // The fault of the write itself is the one to tell.
    }
    throw unwritable(system, path, error);
  }
  try {
    system.writer.syncDir(paths.dirname(path));
  } catch (error) {
    throw unconfirmed(system, path, error, counted);
  }
}

const unconfirmed = (
  system: Pick<System, 'host'>,
  path: AbsPath,
  error: unknown,
  state: TenonError['state'],
): TenonError =>
  new TenonError(
    'state/unwritable',
    `${maskHome(path, system.host.home)} was written, but the disk did not confirm that it will last (${systemCode(error) ?? String(error)}).`,
    {
      exit: 4,
      state,
      remedy: { text: 'Look after the disk; then look at how things stand.', command: 'tenon status' },
      cause: error,
    },
  );

/** Removes a state file if it is there. Throws `state/unwritable`. */
export function removeState(system: System, path: AbsPath): void {
  tryWrite(
    system,
    path,
    () => {
      if (system.reader.lstat(path) !== undefined) system.writer.remove(path);
    },
    'ENOENT',
  );
}
