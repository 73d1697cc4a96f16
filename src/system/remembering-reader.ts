import { listedReader } from './listed-reader.ts';
import type { AbsPath, FileStat, Reader } from './ports.ts';

/**
 * Readers for the roots of one run that only reads, each of which asks the disk once for everything in its root; the home
 * folder, the folders of PATH and of administrators and what lies between the roots are asked for once in all. What one
 * root was told of its own files is forgotten with its reader, so that the memory does not grow with the number of roots.
 */
export function rememberRoots(reader: Reader): (root: AbsPath) => Reader {
  const shared = rememberAll(reader);
  return (root) => {
    const own = listedReader(rememberAll(reader), root);
    // Another spelling of a path inside is remembered with the shared ones, which costs memory and nothing else.
    const of = (path: AbsPath): Reader => (path.startsWith(root) ? own : shared);
    const both: Reader = {
      readFile: (path, limit) => of(path).readFile(path, limit),
      lstat: (path) => of(path).lstat(path),
      stat: (path) => of(path).stat(path),
      list: (path) => of(path).list(path),
      readLink: (path) => of(path).readLink(path),
      realpath: (path) => of(path).realpath(path),
    };
    sharedParts.set(both, shared);
    return both;
  };
}

const sharedParts = new WeakMap<Reader, Reader>();

/** The reader of what the roots of a run have in common; undefined for a reader of one root. */
export const sharedPart = (reader: Reader): Reader | undefined => sharedParts.get(reader);

/** A reader that asks once for everything: for one root of a run that only reads. Failures are not remembered. */
export function rememberAll(reader: Reader): Reader {
  const { get: lstat, known } = once((path) => reader.lstat(path));
  const files = new Map<AbsPath, Uint8Array | undefined>();
  return {
    lstat,
    stat: once((path): FileStat | undefined => {
      const own = known.get(path);
      // What is no link is what its path leads to.
      return own !== undefined && own.kind !== 'link' ? own : reader.stat(path);
    }).get,
    list: once((path) => reader.list(path)).get,
    readLink: once((path) => reader.readLink(path)).get,
    realpath: once((path) => reader.realpath(path)).get,
    readFile(path, limit) {
      const before = files.get(path);
      if (before === undefined ? files.has(path) : limit === undefined || before.length <= limit)
        return before;
      const bytes = reader.readFile(path, limit);
      files.set(path, bytes);
      return bytes;
    },
  };
}

function once<T>(ask: (path: AbsPath) => T) {
  const known = new Map<AbsPath, T>();
  const get = (path: AbsPath): T => {
    const before = known.get(path);
    if (before !== undefined || known.has(path)) return before as T;
    const answer = ask(path);
    known.set(path, answer);
    return answer;
  };
  return { get, known };
}
