import { pathsOf } from '../system/paths.ts';
import type { AbsPath, Reader, System } from '../system/ports.ts';
import { sha256 } from './fingerprint.ts';
import type { Fingerprint } from './types.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** What stands at a real path: the hash of a plain file, `absent`, or `other` for a link, folder or huge file. */
export function hashFile(reader: Reader, path: AbsPath): Fingerprint | 'absent' | 'other' {
  const stat = reader.lstat(path);
  if (stat === undefined) return 'absent';
  if (stat.kind !== 'file' || stat.size > MAX_BYTES) return 'other';
  const bytes = reader.readFile(path, MAX_BYTES);
  return bytes === undefined ? 'absent' : sha256(bytes);
}

/**
 * Whether the folder of a recorded real path is still the folder that it was: no folder above was replaced by a link
 * since, which would lead a write out of the repository. True where the folder is not there. Asked right before each
 * write, because the time between is all that someone has to swap it (node has no openat(2)).
 */
export function isSameFolder({ reader, host }: Pick<System, 'reader' | 'host'>, path: AbsPath): boolean {
  const folder = pathsOf(host.platform).dirname(path);
  const real = reader.realpath(folder);
  return real === undefined ? reader.lstat(folder) === undefined : real === folder;
}

/** Like {@link hashFile}, and `other` behind a folder that was replaced by a link. */
export const standingAt = (
  system: Pick<System, 'reader' | 'host'>,
  path: AbsPath,
): ReturnType<typeof hashFile> => (isSameFolder(system, path) ? hashFile(system.reader, path) : 'other');

/**
 * Whether bytes are what an interrupted write in place leaves: a beginning of the result and, from there on, the base
 * (`Writer.writeInPlace` writes over and cuts afterwards).
 */
export function isTorn(current: Uint8Array, base: Uint8Array, result: Uint8Array): boolean {
  let same = 0;
  while (same < current.length && same < result.length && current[same] === result[same]) same += 1;
  if (current.length !== Math.max(base.length, same)) return false;
  for (let at = same; at < current.length; at += 1) if (current[at] !== base[at]) return false;
  return true;
}
