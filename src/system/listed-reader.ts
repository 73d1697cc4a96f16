import type { AbsPath, Reader } from './ports.ts';

/** Names that every file system compares in the same way but for the case of their letters. */
const PLAIN = /^[\u0020-\u007e]+$/;

/**
 * A reader that lists a folder once and then knows without asking the disk what is not in it: of the paths that the coding
 * tools could read, next to none is there. For runs in which nothing changes. A path is asked for as before where a
 * listing would not tell: a folder that cannot be listed, names beyond ASCII (file systems that fold letters differ in
 * them), another spelling of the folder, Windows with its short names.
 */
export function listedReader(reader: Reader, folder: AbsPath): Reader {
  let names: ReadonlySet<string> | 'unknown' | undefined;
  const namesIn = (): ReadonlySet<string> | 'unknown' => {
    names ??= listed(reader, folder);
    return names;
  };
  const prefix = `${folder}/`;
  const isAbsent = (path: AbsPath): boolean => {
    if (!path.startsWith(prefix)) return false;
    const end = path.indexOf('/', prefix.length);
    const name = path.slice(prefix.length, end < 0 ? undefined : end);
    if (name === '.' || name === '..' || !PLAIN.test(name)) return false;
    const known = namesIn();
    return known !== 'unknown' && !known.has(name.toLowerCase());
  };
  const unlessAbsent =
    <A extends readonly unknown[], T>(ask: (path: AbsPath, ...rest: A) => T | undefined) =>
    (path: AbsPath, ...rest: A): T | undefined =>
      isAbsent(path) ? undefined : ask(path, ...rest);
  return {
    readFile: unlessAbsent(reader.readFile),
    lstat: unlessAbsent(reader.lstat),
    stat: unlessAbsent(reader.stat),
    list: unlessAbsent(reader.list),
    readLink: unlessAbsent(reader.readLink),
    realpath: unlessAbsent(reader.realpath),
  };
}

function listed(reader: Reader, folder: AbsPath): ReadonlySet<string> | 'unknown' {
  if (!folder.startsWith('/')) return 'unknown';
  try {
    const names = reader.list(folder);
    if (names === undefined || !names.every((name) => PLAIN.test(name))) return 'unknown';
    return new Set(names.map((name) => name.toLowerCase()));
  } catch {
    return 'unknown';
  }
}
