import { posix, win32 } from 'node:path';
import type { DisplayPath } from '../engine/types.ts';
import { printable } from '../lib/printable.ts';
import type { AbsPath, FileStat, Host, Reader } from './ports.ts';

/** The folders that display paths refer to. All are canonical absolute paths of `platform`. */
export interface Places {
  readonly root: AbsPath;
  readonly home: AbsPath;
  readonly platform: Host['platform'];
}

/** Path functions of a platform, also of one that this process does not run on. */
export const pathsOf = (platform: Host['platform']): typeof posix => (platform === 'win32' ? win32 : posix);

const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i;

/**
 * Why a text is no path below a folder, or undefined when it is one. Rules of Windows hold everywhere, because a
 * committed path must work on every clone (requirements D-12, section 6.7 law 9).
 */
export function relativeProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.includes('\0')) return 'holds a NUL character';
  if (path.includes('\\')) return 'holds a backslash; use / between folders';
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is absolute';
  if (path === '~' || path.startsWith('~/')) return 'begins in the home folder';
  for (const part of path.split('/')) {
    if (part === '' || part === '.') return 'has an empty or "." part';
    if (part === '..') return 'leaves the folder with ".."';
    if (/[. ]$/.test(part)) return `has the part "${part}" that ends in a dot or a space`;
    if (DEVICE.test(part)) return `has the part "${part}", a device name on Windows`;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
    if (/[<>:"|?*\u0000-\u001f]/.test(part))
      return `has the part "${part}" with a character that Windows forbids`;
    if (printable(part) !== part) return 'has an invisible or direction-changing character';
  }
  return undefined;
}

/** The form in which two paths are one file on a file system that ignores case or normalises (NTFS, APFS). */
export const foldPath = (path: string): string => path.normalize('NFC').toLowerCase();

/** Groups of different paths that are one file where case is ignored; empty when there is none. */
export function caseCollisions(paths: readonly string[]): string[][] {
  const groups = new Map<string, Set<string>>();
  for (const path of paths) {
    const key = foldPath(path);
    groups.set(key, (groups.get(key) ?? new Set()).add(path));
  }
  return [...groups.values()].filter((group) => group.size > 1).map((group) => [...group].sort());
}

/** An absolute posix path with a part that is empty, `.` or `..`, which `node:path` would take out. */
const ODD = /\/\.{0,2}(?:\/|$)/;
/** The same in a relative path. */
const ODD_RELATIVE = /(?:^|\/)\.{0,2}(?:\/|$)/;
const isPlain = (path: AbsPath): boolean => path.startsWith('/') && !ODD.test(path);

/**
 * What follows `folder/` in a path below it, empty for the folder itself; undefined for a path that lies elsewhere. Plain
 * posix paths are compared as texts, which takes a tenth of the time.
 */
function restBelow(folder: AbsPath, path: AbsPath, platform: Host['platform']): string | undefined {
  const paths = pathsOf(platform);
  const isSure = platform !== 'win32' && isPlain(folder) && isPlain(path);
  if (isSure && path !== folder && !path.startsWith(`${folder}/`)) return undefined;
  const rest = isSure ? path.slice(folder.length + 1) : paths.relative(folder, path);
  return rest === '..' || /^\.\.[\\/]/.test(rest) || paths.isAbsolute(rest) ? undefined : rest;
}

/** Joins an absolute folder and a relative posix path. */
export function joinBelow(folder: AbsPath, relative: string, platform: Host['platform']): AbsPath {
  return platform === 'win32' || ODD_RELATIVE.test(relative) || !isPlain(folder)
    ? pathsOf(platform).join(folder, relative)
    : `${folder}/${relative}`;
}

/** Whether `child` is `parent` or lies below it. Both absolute and normalised; on Windows case is ignored. */
export const isWithin = (parent: AbsPath, child: AbsPath, platform: Host['platform']): boolean =>
  restBelow(parent, child, platform) !== undefined;

/** Whether two spellings of an absolute Windows or posix path name one folder (case I06: `C:\a`, `c:/a`, `C:/A`). */
export const samePath = (a: string, b: string, platform: Host['platform']): boolean =>
  oneSpelling(a, platform) === oneSpelling(b, platform);

/** The text that all spellings of one folder have in common, as {@link samePath} compares them. */
export const oneSpelling = (path: string, platform: Host['platform']): string =>
  platform === 'win32'
    ? foldPath(win32.normalize(path)).replace(/\\$/, '')
    : isPlain(path)
      ? path
      : posix.normalize(path).replace(/(.)\/$/, '$1');

/** Relative posix path below the root, else `~/…`, else the absolute path with forward slashes. */
export function displayPath(abs: AbsPath, { root, home, platform }: Places): DisplayPath {
  const forward = (path: string) => (platform === 'win32' ? path.replaceAll('\\', '/') : path);
  const inRoot = restBelow(root, abs, platform);
  if (inRoot !== undefined) return forward(inRoot) || '.';
  const inHome = restBelow(home, abs, platform);
  if (inHome !== undefined) return inHome === '' ? '~' : `~/${forward(inHome)}`;
  return forward(abs);
}

/** Inverse of {@link displayPath}. The path is not checked for containment. */
export function fromDisplay(display: DisplayPath, places: Places): AbsPath {
  const paths = pathsOf(places.platform);
  if (display === '~') return places.home;
  if (display.startsWith('~/')) return paths.resolve(places.home, display.slice(2));
  const isSure = places.platform !== 'win32' && !ODD_RELATIVE.test(display) && isPlain(places.root);
  return isSure ? `${places.root}/${display}` : paths.resolve(places.root, display);
}

/** Whether a display path names a file outside the root (`~/…` or absolute): needs `--allow user-files`. */
export const isOutside = (display: DisplayPath): boolean =>
  display === '~' || display.startsWith('~/') || display.startsWith('/') || /^[a-z]:\//i.test(display);

/** Replaces the home folder in a text by `~` (contract, section 8), also in its forward-slash spelling. */
export function maskHome(text: string, home: AbsPath): string {
  if (home.length < 2) return text;
  const forward = home.includes('\\') ? home.replaceAll('\\', '/') : home;
  const masked = maskFolder(text, home);
  return forward === home ? masked : maskFolder(masked, forward);
}

function maskFolder(text: string, folder: string): string {
  // Most texts do not hold it, and making the expression takes longer than looking for it.
  if (!text.includes(folder)) return text;
  const quoted = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`${quoted}(?![\\p{L}\\p{N}_.-])`, 'gu'), '~');
}

/**
 * What stands at a path, links followed; undefined also where that cannot be looked at, such as a circle of links or a
 * folder without permission. For guesses and advice alone: a file that gets written is looked at strictly.
 */
export function glance(reader: Pick<Reader, 'stat'>, path: AbsPath): FileStat | undefined {
  try {
    return reader.stat(path);
  } catch {
    return undefined;
  }
}

/** Like {@link glance}, of the path itself: links are not followed. */
export function glanceAt(reader: Pick<Reader, 'lstat'>, path: AbsPath): FileStat | undefined {
  try {
    return reader.lstat(path);
  } catch {
    return undefined;
  }
}

/** Whether something stands at a path, a circle of links in it included: what looks closer then refuses it by its name. */
export function isThere(reader: Pick<Reader, 'lstat'>, path: AbsPath): boolean {
  try {
    return reader.lstat(path) !== undefined;
  } catch {
    return true;
  }
}
