import fs from 'node:fs';
import { isAtOpenLimit, noteOpenLimit, openLimitOf } from '../lib/open-files.ts';
import type { AbsPath, FileStat, Reader, Writer } from './ports.ts';

// Functions are called through the module object, so that fault injection from outside the process can replace them.

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

const MISSING = new Set(['ENOENT', 'ENOTDIR']);

function orMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (MISSING.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

const factsOf = (stat: fs.Stats): FileStat => ({
  kind: stat.isSymbolicLink() ? 'link' : stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
  mode: stat.mode & 0o7777,
  size: stat.size,
  nlink: stat.nlink,
  uid: stat.uid,
  gid: stat.gid,
  dev: stat.dev,
  ino: stat.ino,
  mtimeMs: stat.mtimeMs,
});

/** Most paths that are asked for are not there, and an error costs many times what the call does. */
const UNLESS_MISSING = { throwIfNoEntry: false } as const;
const factsIfThere = (stat: fs.Stats | undefined): FileStat | undefined =>
  stat === undefined ? undefined : factsOf(stat);

const systemError = (code: string, message: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${message}, '${path}'`), { code, path });

const pause = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

const OPEN_PATIENCE_MS = 500;

/**
 * Opens something to be read. Where the process or the machine has as many files open as it may, other threads and programs may close
 * theirs in a moment; if they do not, the limit is noted, and nothing waits for it again.
 */
function opened<T>(open: () => T): T {
  const end = performance.now() + OPEN_PATIENCE_MS;
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    try {
      return open();
    } catch (error) {
      if (openLimitOf(error) === undefined) throw error;
      if (isAtOpenLimit() || performance.now() + wait > end) {
        noteOpenLimit(error);
        throw error;
      }
    }
    pause(wait);
  }
}

function readBounded(path: AbsPath, limit: number): Uint8Array {
  // O_NONBLOCK: opening a pipe that stands where a file is expected must not wait for its writer.
  const flags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);
  const handle = opened(() => fs.openSync(path, flags));
  try {
    const stat = fs.fstatSync(handle);
    if (stat.isDirectory()) throw systemError('EISDIR', 'is a directory', path);
    if (!stat.isFile()) throw systemError('EINVAL', 'not a regular file', path);
    if (stat.size > limit) throw systemError('EFBIG', 'file too large', path);
    // Files of /proc state no size: read until the end instead of trusting it.
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.max(4096, stat.size - total + 1));
      const count = fs.readSync(handle, chunk, 0, chunk.length, null);
      if (count === 0) return new Uint8Array(Buffer.concat(chunks, total));
      total += count;
      if (total > limit) throw systemError('EFBIG', 'file too large', path);
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    fs.closeSync(handle);
  }
}

export const realReader: Reader = {
  readFile: (path, limit = Number.MAX_SAFE_INTEGER) => orMissing(() => readBounded(path, limit)),
  lstat: (path) => orMissing(() => factsIfThere(fs.lstatSync(path, UNLESS_MISSING))),
  stat: (path) => orMissing(() => factsIfThere(fs.statSync(path, UNLESS_MISSING))),
  list: (path) => orMissing(() => opened(() => fs.readdirSync(path)).sort()),
  readLink: (path) => orMissing(() => fs.readlinkSync(path)),
  realpath: (path) => orMissing(() => fs.realpathSync.native(path)),
};

function writeAll(handle: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) done += fs.writeSync(handle, bytes, done, bytes.length - done, done);
}

function createExclusive(path: AbsPath, bytes: Uint8Array, mode: number): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
  // Created for the owner alone: never wider than the final mode at any moment (case F06).
  const handle = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600 & mode);
  let open = true;
  try {
    writeAll(handle, bytes);
    fs.fchmodSync(handle, mode);
    fs.fsyncSync(handle);
    open = false;
    fs.closeSync(handle);
  } catch (error) {
    try {
      if (open) fs.closeSync(handle);
      fs.unlinkSync(path);
    } catch {
      // The first fault is the one to tell; the caller still knows the name.
    }
    throw error;
  }
}

const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY']);
const RENAME_PATIENCE_MS = 2000;

/**
 * On Windows a rename fails for as long as an editor, indexer or virus scanner holds the file (case F09). Elsewhere the
 * same codes are final, and waiting costs only an apply that fails anyway.
 */
function renamePatiently(from: AbsPath, to: AbsPath): void {
  const end = performance.now() + RENAME_PATIENCE_MS;
  for (let wait = 10; ; wait = Math.min(wait * 2, 200)) {
    try {
      fs.renameSync(from, to);
      return;
    } catch (error) {
      if (!BUSY.has(codeOf(error) ?? '') || performance.now() + wait > end) throw error;
    }
    pause(wait);
  }
}

function writeInPlace(path: AbsPath, bytes: Uint8Array): void {
  const handle = fs.openSync(path, fs.constants.O_WRONLY | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    // Written over first and cut afterwards: at no moment is the file empty.
    writeAll(handle, bytes);
    fs.ftruncateSync(handle, bytes.length);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Codes with which platforms and file systems say that a folder cannot be synced. */
const NO_DIR_SYNC = new Set(['EINVAL', 'EPERM', 'EACCES', 'EISDIR', 'ENOTSUP', 'ENOSYS', 'EBADF']);

function syncDir(path: AbsPath): void {
  if (process.platform === 'win32') return;
  try {
    const handle = fs.openSync(path, fs.constants.O_RDONLY);
    try {
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  } catch (error) {
    if (!NO_DIR_SYNC.has(codeOf(error) ?? '')) throw error;
  }
}

export const realWriter: Writer = {
  createExclusive,
  rename: renamePatiently,
  writeInPlace,
  remove: (path) => fs.unlinkSync(path),
  makeDir: (path, mode) => {
    fs.mkdirSync(path, mode);
  },
  removeDir: (path) => fs.rmdirSync(path),
  chmod: (path, mode) => fs.chmodSync(path, mode),
  chown: (path, uid, gid) => fs.chownSync(path, uid, gid),
  syncDir,
};
