import { posix } from 'node:path';
import { sha256 } from '../engine/fingerprint.ts';
import type { Fingerprint } from '../engine/types.ts';
import type { ExpandedArtifact } from '../integrations/types.ts';
import { isObject, type Json } from '../lib/json.ts';
import { shellWords } from '../runtimes/hook-scripts.ts';
import { isWithin, pathsOf } from '../system/paths.ts';
import type { AbsPath, Reader } from '../system/ports.ts';

/** A file of the repository that a launch names. `print` is null when its bytes cannot be bound (too large, a link that leaves). */
export interface BoundFile {
  readonly path: string;
  readonly print: Fingerprint | null;
}

/** A program of more bytes is named, but not bound. */
const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** Of a launch with more words the rest is not looked at; it then counts as not bound. */
const MAX_WORDS = 10_000;

/**
 * Files of the repository that a server's launch or a setting names, by path or behind a variable for the project's
 * folder. Hooks and whole files run what the definition itself holds, which is bound already, and so is a file outside
 * the definition's folder whose bytes are one of its own: that is what an earlier setup wrote.
 */
export function boundFiles(
  reader: Reader,
  platform: NodeJS.Platform,
  root: AbsPath,
  { artifact, files }: ExpandedArtifact,
  value: Json,
  source: string,
): BoundFile[] {
  if (artifact.kind !== 'mcp-server' && artifact.kind !== 'setting') return [];
  const own = new Set([...files.values()].map((bytes) => sha256(bytes)));
  const found = new Map<string, BoundFile>();
  const words = candidates(value);
  if (words.length > MAX_WORDS) found.set('.', { path: '.', print: null });
  for (const word of words.slice(0, MAX_WORDS)) {
    // However it is spelled (`a//b`, `a/../b`, `./b`): what the program opens counts.
    const path = posix.normalize(word);
    if (path.includes('\0') || posix.isAbsolute(path) || path.startsWith('../') || found.has(path)) continue;
    const abs = pathsOf(platform).join(root, path);
    const file = bind(reader, platform, root, abs, path);
    const isCopy = file?.print != null && own.has(file.print) && !path.startsWith(`${source}/`);
    if (file !== undefined && !isCopy) found.set(path, file);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function bind(
  reader: Reader,
  platform: NodeJS.Platform,
  root: AbsPath,
  abs: AbsPath,
  path: string,
): BoundFile | undefined {
  try {
    const stat = reader.stat(abs);
    if (stat?.kind !== 'file') return undefined;
    const real = reader.realpath(abs);
    if (real === undefined || !isWithin(root, real, platform) || stat.size > MAX_FILE_BYTES) {
      return { path, print: null };
    }
    const bytes = reader.readFile(real, MAX_FILE_BYTES);
    return { path, print: bytes === undefined ? null : sha256(bytes) };
  } catch {
    return { path, print: null };
  }
}

/** A variable that clients or shells expand; a default in it can be a path: `${X:-tools/x.mjs}`. */
const VARIABLE = /\$\{[\w:.-]*?(?::?-([^{}]*))?\}|\$\w+|%\w+%/g;

/** Every word of every text of a value, without `./`, `--option=` and a variable before the path. */
function candidates(value: Json): string[] {
  const words: string[] = [];
  const add = (word: string): void => {
    if (word !== '') words.push(word);
  };
  const walk = (one: Json): void => {
    if (words.length > MAX_WORDS) return;
    if (typeof one === 'string') {
      for (const word of new Set([one, ...shellWords(one)])) {
        const bare = word.replace(/^--?[\w-]+=/, '').replace(/^file:(?:\/\/)?/, '');
        add(bare.replace(/^(?:\$\{[^{}]*\}|\$\w+|%\w+%)\/+/, ''));
        const expanded = bare.replace(VARIABLE, (_, value: string | undefined) => value ?? '');
        if (expanded !== bare) add(expanded);
      }
    } else if (Array.isArray(one)) for (const item of one) walk(item as Json);
    else if (isObject(one)) for (const member of Object.values(one)) walk(member);
  };
  walk(value);
  return words;
}
