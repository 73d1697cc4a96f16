import type { ErrorCode, Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { displayPath, isOutside, isWithin, type Places, pathsOf } from '../system/paths.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import { decodeText } from './decode-text.ts';
import { sha256 } from './fingerprint.ts';
import { TEXT_LINK_REMEDY, textLinkTarget } from './text-link.ts';
import type { DisplayPath, FileFacts } from './types.ts';

/** Largest files that are read: 5 MB of JSON or text, 1 MB of TOML (editing.md, section 2.6: parsers are super-linear). */
export const maxBytesOf = (path: string): number => (/\.toml$/i.test(path) ? 1_000_000 : 5_000_000);

export interface ObserveOptions {
  /** Default: {@link maxBytesOf}. */
  readonly maxBytes?: number;
  /** `--resolve PATH=follow`: a link may leave the root or home. */
  readonly follow?: boolean;
  /** The real file that an earlier run was told to follow: a link may leave the root or home for it. */
  readonly followed?: AbsPath | undefined;
  /** `--force FILE`: a hard-linked file is written in place. */
  readonly force?: boolean;
  /** Folders that nothing may be written into, such as the state folder. */
  readonly forbidden?: readonly AbsPath[];
}

export interface FilePlace extends Places {
  readonly display: DisplayPath;
  readonly abs: AbsPath;
}

/** Folders of the system: never reached through a link (contract, section 7). */
const SYSTEM = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib64',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
  '/usr',
  '/System',
  '/Library',
];

/**
 * What a file is on disk, and why it cannot be edited where it cannot. Links inside the root (or home, for `~/…`) are
 * followed to the real file; nothing is written. Problems: `file/outside`, `file/dangling-link`, `file/hard-linked`,
 * `file/read-only`, `file/encoding`, `file/too-large`, `file/not-a-file`, `file/link-as-text`, `file/unreadable`.
 */
export function observeFile(reader: Reader, place: FilePlace, options: ObserveOptions = {}): FileFacts {
  const none = {
    path: place.display,
    abs: place.abs,
    real: place.abs,
    exists: false,
    bom: false,
    size: 0,
    hash: 'absent' as const,
  };
  const problem = problemOf(place.display);
  let found: Found;
  try {
    found = locate(reader, place);
  } catch (error) {
    const code = systemCode(error);
    return code === 'ELOOP'
      ? {
          ...none,
          problem: problem(
            'file/dangling-link',
            'is a link that leads in a circle',
            'Remove or correct the link.',
          ),
        }
      : {
          ...none,
          problem: problem('file/unreadable', `cannot be reached (${code})`, 'Correct its access rights.'),
        };
  }
  if ('fault' in found) return { ...none, problem: problem(found.code, found.fault, found.remedy) };
  const { real } = found;
  const away = leadsAway(reader, place, real);
  const barred = forbidden(reader, place, real, options.forbidden ?? []);
  const base = { ...none, real };
  if (barred !== undefined) {
    return {
      ...base,
      problem: problem(
        'file/outside',
        `leads to ${shown(place, real)}, ${barred}`,
        'Replace the link by a file of its own.',
      ),
    };
  }
  const leaves = away ? consentTo(real, options) : undefined;
  if (away && leaves === undefined) {
    const was = options.followed;
    return {
      ...base,
      problem: problem(
        'file/outside',
        `is reached through a link that leaves ${isOutside(place.display) ? 'the home folder' : 'the repository'}: ${shown(place, real)}${was === undefined ? '' : `; what was agreed to is ${shown(place, was)}, where the link led before`}`,
        'Decide whether the file behind the link may be changed.',
        `--resolve ${place.display}=follow`,
      ),
    };
  }
  const facts = { ...base, ...(leaves === undefined ? {} : { leaves }) };
  return found.exists ? readFacts(reader, place, facts, options) : absentFacts(reader, facts, problem);
}

/** How it came that a link may be followed out of the root or home; undefined where nobody agreed to this file. */
function consentTo(real: AbsPath, { follow, followed }: ObserveOptions): FileFacts['leaves'] {
  if (follow === true) return 'answered';
  return followed === real ? 'recorded' : undefined;
}

type Found =
  | { readonly real: AbsPath; readonly exists: boolean }
  | { readonly fault: string; readonly code: ErrorCode; readonly remedy: string };
type Facts = FileFacts & { readonly real: AbsPath };

const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

const shown = (place: FilePlace, real: AbsPath): string => printable(displayPath(real, place));

const problemOf =
  (path: DisplayPath) =>
  (code: ErrorCode, what: string, remedy: string, command?: string): Finding => ({
    code,
    severity: 'error',
    subject: path,
    message: `${printable(path)} ${what}`,
    remedy: { text: remedy, ...(command === undefined ? {} : { command }) },
  });

/** The real path: of the file, or of where it would be created. */
function locate(reader: Reader, place: FilePlace): Found {
  const paths = pathsOf(place.platform);
  const own = reader.lstat(place.abs);
  if (own !== undefined) {
    const real = reader.realpath(place.abs);
    if (real !== undefined) return { real, exists: true };
    const target = printable(reader.readLink(place.abs) ?? '');
    return {
      code: 'file/dangling-link',
      fault: `is a link to ${target}, which does not exist`,
      remedy: 'Create what it points to, or remove the link.',
    };
  }
  const missing: string[] = [paths.basename(place.abs)];
  for (let at = paths.dirname(place.abs); ; at = paths.dirname(at)) {
    const kind = reader.stat(at)?.kind;
    const name = printable(displayPath(at, place));
    if (kind === 'directory')
      return { real: paths.join(reader.realpath(at) ?? at, ...missing), exists: false };
    if (kind !== undefined) {
      const target = kind === 'file' ? textLinkAt(reader, at, place) : undefined;
      if (target !== undefined) {
        return {
          code: 'file/link-as-text',
          fault: `cannot be created, because its folder ${name} ${asText(target)}`,
          remedy: TEXT_LINK_REMEDY,
        };
      }
      return {
        code: 'file/not-a-file',
        fault: `cannot be created, because ${name} is no folder`,
        remedy: `Move ${name} out of the way.`,
      };
    }
    if (reader.lstat(at) !== undefined) {
      return {
        code: 'file/dangling-link',
        fault: `cannot be created, because its folder ${name} is a link to nothing`,
        remedy: 'Create what it points to, or remove the link.',
      };
    }
    missing.unshift(paths.basename(at));
  }
}

const asText = (target: string): string =>
  `is a link to ${printable(target)} that this checkout holds as text`;

function textLinkAt(reader: Reader, at: AbsPath, place: FilePlace): string | undefined {
  try {
    const bytes = reader.readFile(at, 4096);
    return bytes === undefined ? undefined : textLinkTarget(reader, at, bytes, place.platform);
  } catch {
    return undefined;
  }
}

/** Whether the real path left the folder that the display path promises. */
function leadsAway(reader: Reader, place: FilePlace, real: AbsPath): boolean {
  const within = (folder: AbsPath) => isWithin(reader.realpath(folder) ?? folder, real, place.platform);
  if (!isOutside(place.display)) return !within(place.root);
  if (within(place.home)) return false;
  // A folder that a variable of the client names outside the home folder is the user's own choice; a link in it is not.
  return place.display.startsWith('~') || real !== realOf(reader, place);
}

/** The path with links of the folders above its own folder resolved, but none from there on. */
function realOf(reader: Reader, place: FilePlace): AbsPath {
  const paths = pathsOf(place.platform);
  const missing: string[] = [paths.basename(place.abs)];
  for (let at = paths.dirname(place.abs); paths.dirname(at) !== at; at = paths.dirname(at)) {
    const real = reader.realpath(at);
    if (real !== undefined) return paths.join(real, ...missing);
    missing.unshift(paths.basename(at));
  }
  return place.abs;
}

/** Places that no link leads into, whatever was answered. */
function forbidden(
  reader: Reader,
  place: FilePlace,
  real: AbsPath,
  folders: readonly AbsPath[],
): string | undefined {
  const paths = pathsOf(place.platform);
  if (folders.some((folder) => isWithin(folder, real, place.platform))) return "a folder of tenon's own";
  if (real === place.abs) return undefined;
  const hasGit = (path: AbsPath) => path.split(paths.sep).some((part) => part.toLowerCase() === '.git');
  if (hasGit(real) && !hasGit(place.abs)) return 'inside a .git folder';
  const isIn = (folder: AbsPath) => isWithin(reader.realpath(folder) ?? folder, real, place.platform);
  const system = SYSTEM.some((folder) => isWithin(folder, real, place.platform));
  if (system && !isIn(place.root) && !isIn(place.home)) return 'a folder of the system';
  return undefined;
}

/** The folder that a new file goes into must take one. */
function absentFacts(reader: Reader, facts: Facts, problem: ReturnType<typeof problemOf>): FileFacts {
  const folder = reader.stat(parentOf(facts.real));
  return folder !== undefined && (folder.mode & 0o200) === 0
    ? {
        ...facts,
        problem: problem(
          'file/read-only',
          'cannot be created: its folder is read-only',
          'Make the folder writable.',
        ),
      }
    : facts;
}

/** A reader that remembers gives the same bytes to everybody who looks at a file. */
const hashes = new WeakMap<Uint8Array, FileFacts['hash']>();
const texts = new WeakMap<Uint8Array, ReturnType<typeof decodeText>>();

function hashOf(bytes: Uint8Array): FileFacts['hash'] {
  let hash = hashes.get(bytes);
  if (hash === undefined) {
    hash = sha256(bytes);
    hashes.set(bytes, hash);
  }
  return hash;
}

function decodedOf(bytes: Uint8Array): ReturnType<typeof decodeText> {
  let decoded = texts.get(bytes);
  if (decoded === undefined) {
    decoded = decodeText(bytes);
    texts.set(bytes, decoded);
  }
  return decoded;
}

const parentOf = (path: AbsPath): AbsPath => path.replace(/[\\/][^\\/]*$/, '') || '/';

function readFacts(reader: Reader, place: FilePlace, facts: Facts, options: ObserveOptions): FileFacts {
  const problem = problemOf(place.display);
  const stat = reader.stat(facts.real);
  if (stat === undefined) return facts;
  const seen: Facts = { ...facts, exists: true, size: stat.size, mode: stat.mode };
  if (stat.kind !== 'file') {
    const what = stat.kind === 'directory' ? 'is a folder' : 'is no regular file';
    return { ...seen, problem: problem('file/not-a-file', what, 'Move it out of the way.') };
  }
  const limit = options.maxBytes ?? maxBytesOf(place.display);
  let bytes: Uint8Array | undefined;
  try {
    bytes = reader.readFile(facts.real, limit);
  } catch (error) {
    const code = systemCode(error);
    return code === 'EFBIG'
      ? {
          ...seen,
          problem: problem(
            'file/too-large',
            `is larger than ${limit / 1_000_000} MB, which tenon does not edit`,
            'Add the entry by hand.',
          ),
        }
      : {
          ...seen,
          problem: problem('file/unreadable', `cannot be read (${code})`, 'Correct its access rights.'),
        };
  }
  if (bytes === undefined) return facts;
  const whole: Facts = { ...seen, size: bytes.length, hash: hashOf(bytes) };
  const target = textLinkTarget(reader, facts.real, bytes, place.platform);
  if (target !== undefined)
    return { ...whole, problem: problem('file/link-as-text', asText(target), TEXT_LINK_REMEDY) };
  const decoded = decodedOf(bytes);
  if ('fault' in decoded)
    return { ...whole, problem: problem('file/encoding', decoded.fault, decoded.remedy) };
  const text = { ...whole, text: decoded.text, bom: decoded.bom };
  if ((stat.mode & 0o200) === 0) {
    return {
      ...text,
      problem: problem(
        'file/read-only',
        'is read-only',
        'Make it writable, then run again.',
        `chmod u+w ${place.display}`,
      ),
    };
  }
  const folder = reader.stat(parentOf(facts.real));
  if (stat.nlink === 1 && folder !== undefined && (folder.mode & 0o200) === 0) {
    return {
      ...text,
      problem: problem(
        'file/read-only',
        'is in a read-only folder, so it cannot be replaced',
        'Make the folder writable.',
      ),
    };
  }
  if (stat.nlink > 1) {
    return options.force === true
      ? { ...text, inPlace: true }
      : {
          ...text,
          problem: problem(
            'file/hard-linked',
            `has ${stat.nlink} names on disk (hard links); replacing it would separate them`,
            'Have it written in place, which changes the file under every name.',
            `--force ${place.display}`,
          ),
        };
  }
  return text;
}
