/**
 * The shortest way to an answer: what a command printed last time, if nothing that it looked at has changed since. Loaded
 * before everything else, so it imports next to nothing (cold start); everything that is not as expected is a "no", and the
 * program runs as usual.
 */
import { homedir, hostname } from 'node:os';
import { dirname, join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import {
  ANSWERS_SWITCH,
  ANSWERS_VERSION,
  type Answer,
  type Answers,
  answersName,
  dayOf,
  envKey,
  MAX_ANSWERS_BYTES,
  type Printed,
  programKey,
  wordsKey,
} from './state/answers.ts';
import { stateLocation } from './state/location.ts';
import { isInRepository, isTerminal, readOwnFile, writeText } from './system/descriptors.ts';
import { ALL_FACTS, isUnchanged } from './system/unchanged.ts';

/** Prints the kept answer to a command line and gives its exit code; undefined, and nothing printed, where there is none. */
export function answer(argv: readonly string[]): number | undefined {
  const found = keptAnswer(argv);
  if (found === undefined) return undefined;
  return print(found.printed) ? found.exit : undefined;
}

function keptAnswer(argv: readonly string[]): Answer | undefined {
  try {
    const { env } = process;
    if (env[ANSWERS_SWITCH] === '0' || process.execArgv.length > 0 || [1, 2].some(isTerminal))
      return undefined;
    const cwd = process.cwd();
    const home = homedir();
    const dir = stateLocation({ platform: process.platform, env, home });
    if (dir === undefined) return undefined;
    const text = readOwnFile(join(dir, 'answers', answersName(cwd)), MAX_ANSWERS_BYTES);
    // What a repository carries does not speak for the user (state/unsafe).
    if (text === undefined || isInRepository(dir)) return undefined;
    const kept: Answers = JSON.parse(text);
    if (!isOfThisRun(kept, cwd, home)) return undefined;
    const words = wordsKey(argv);
    const found = kept.answers.find((one) => one.words === words);
    return found !== undefined && isPrintable(found) && isUnchanged(kept) ? found : undefined;
  } catch {
    return undefined;
  }
}

const packageDir = dirname(import.meta.dirname);

/**
 * Made by this program for this folder, user and environment. The program's own file is the first that was looked at: nobody
 * but this machine knows its inode and times, so an answer that was made elsewhere is none.
 */
const isOfThisRun = (kept: Answers, cwd: string, home: string): boolean =>
  kept.v === ANSWERS_VERSION &&
  kept.cwd === cwd &&
  kept.seen[0]?.path === join(packageDir, 'package.json') &&
  kept.seen[0].facts.length === ALL_FACTS &&
  kept.program ===
    programKey(manifest.version, packageDir, { home, umask: process.umask(), hostname: hostname() }) &&
  kept.uid === (process.getuid?.() ?? -1) &&
  (kept.day === undefined || kept.day === dayOf(Date.now())) &&
  kept.env.every(([name, value]) => envKey(process.env[name]) === value);

const isPrintable = ({ exit, printed }: Answer): boolean =>
  (exit === 0 || exit === 1) &&
  printed.every(([fd, text]) => (fd === 1 || fd === 2) && typeof text === 'string');

/** False where it could not be printed: the run as usual then fails in the same way, and tells why. */
function print(printed: Printed): boolean {
  try {
    for (const [fd, text] of printed) writeText(fd, text);
    return true;
  } catch (error) {
    // The reader has gone, as with `| head -1`; a run as usual does not fail then either.
    return error instanceof Error && 'code' in error && error.code === 'EPIPE';
  }
}
