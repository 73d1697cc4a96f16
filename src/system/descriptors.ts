import fs from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Plain access to what is open already, and to one file of the user's own, without a stream: Node's streams take as long to
 * load as a short answer takes altogether (src/answer.ts).
 */

/** Whether a descriptor leads to a terminal; the null device does not, every other character device is taken for one. */
export function isTerminal(fd: number): boolean {
  const stat = fs.fstatSync(fd);
  if (!stat.isCharacterDevice()) return false;
  return process.platform === 'win32' || stat.rdev !== fs.statSync('/dev/null').rdev;
}

/**
 * Text of a plain file that belongs to this user and that no other may write; undefined for every other file, for a link
 * and above the limit in bytes. Throws the system's error where it cannot be read.
 */
export function readOwnFile(path: string, limit: number): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const handle = fs.openSync(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    const stat = fs.fstatSync(handle);
    const uid = process.getuid?.();
    const isOwn = uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0);
    if (!stat.isFile() || !isOwn || stat.size > limit) return undefined;
    return fs.readFileSync(handle, 'utf8');
  } finally {
    fs.closeSync(handle);
  }
}

/** Writes a whole text to a descriptor. Throws the system's error, EPIPE where nobody reads any more. */
export function writeText(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += fs.writeSync(fd, bytes, done);
    } catch (error) {
      const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!isFull) throw error;
      // A pipe that is full, and that whoever made it has set to non-blocking.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Whether a folder lies in a checkout, links followed. Throws the system's error where it does not exist. */
export function isInRepository(folder: string): boolean {
  for (let at = fs.realpathSync.native(folder); ; at = dirname(at)) {
    if (fs.lstatSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return true;
    if (dirname(at) === at) return false;
  }
}
