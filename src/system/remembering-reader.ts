import type { AbsPath, Reader } from './ports.ts';

/**
 * A reader that asks once for what lies outside a folder: the home folder, the folders of PATH and of administrators are the
 * same for every root of a run that only reads. What lies inside the folder is asked for each time, so that the memory does
 * not grow with the number of roots. Failures are not remembered.
 */
export function rememberOutside(reader: Reader, folder: AbsPath): Reader {
  // Another spelling of a path inside is remembered as well, which costs memory and nothing else.
  return remember(reader, (path) => !path.startsWith(folder));
}

/** A reader that asks once for everything but the bytes of files: for one root of a run that only reads. */
export const rememberAll = (reader: Reader): Reader => remember(reader, () => true);

function remember(reader: Reader, isKept: (path: AbsPath) => boolean): Reader {
  const once = <T>(ask: (path: AbsPath) => T): ((path: AbsPath) => T) => {
    const known = new Map<AbsPath, T>();
    return (path) => {
      const before = known.get(path);
      if (before !== undefined || known.has(path)) return before as T;
      const answer = ask(path);
      if (isKept(path)) known.set(path, answer);
      return answer;
    };
  };
  return {
    ...reader,
    lstat: once((path) => reader.lstat(path)),
    stat: once((path) => reader.stat(path)),
    list: once((path) => reader.list(path)),
    readLink: once((path) => reader.readLink(path)),
    realpath: once((path) => reader.realpath(path)),
  };
}
