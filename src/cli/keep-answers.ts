import { dirname, join } from 'node:path';
import type { ExitCode } from '../errors/error.ts';
import { outsideCount } from '../lib/outside.ts';
import { outcomeDocument, type Streams } from '../reporting/reporter.ts';
import { createTheme } from '../reporting/theme.ts';
import type { Outcome } from '../reporting/types.ts';
import {
  ANSWERS_SWITCH,
  ANSWERS_VERSION,
  type Answer,
  type Answers,
  answersName,
  dayOf,
  envKey,
  MAX_ANSWERS_BYTES,
  programKey,
  wordsKey,
} from '../state/answers.ts';
import {
  ensureStateDir,
  openStateFolder,
  removeState,
  type StateFolder,
  writeState,
} from '../state/folder.ts';
import { readOwnFile } from '../system/descriptors.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { realSystem } from '../system/real.ts';
import { type Recording, record } from '../system/recording.ts';
import { type Inputs, isUnchanged } from '../system/unchanged.ts';
import type { CommandSpec } from './command-table.ts';
import type { GlobalOptions } from './context.ts';
import { colorFlag, wantsJson } from './early.ts';
import { useColor, useUnicode } from './interactive.ts';
import { createRun } from './run.ts';

/** A run that has reported. */
export interface Finished {
  readonly wrote: boolean;
  readonly argv: readonly string[];
  readonly command: CommandSpec;
  readonly options: GlobalOptions;
  readonly exit: ExitCode;
  readonly packageDir: AbsPath;
  readonly version: string;
}

/** What people and their hooks ask again and again, as text and as JSON. The first one tells whether anything is set up. */
const ASKED = [['status'], ['doctor', '--offline'], ['sync', '--check']] as const;

/** Longer than a step of a fine clock of a file system, so that what was just written counts as settled. */
const SETTLING_MS = 25;

/** Commands after which people look around. After every other one that wrote, what was kept is taken away. */
const KEEPING = new Set(['setup', 'sync']);

/**
 * Keeps, after a setup or sync, what the reading commands would answer in this working folder, with everything that they
 * look at, so that the next of them need not do it all again (src/answer.ts). Reading commands keep nothing: they write
 * nothing. A setup or sync that had nothing to do brings up to date what is out of date, and makes nothing new. An answer
 * that depends on a program, another host, the time of day or a refused read is not kept. All this only saves time, so no
 * fault of it is told.
 */
export async function keepAnswers(finished: Finished): Promise<void> {
  const { argv, command, options, exit, wrote } = finished;
  const isElsewhere = options.cwd !== undefined || options.root !== undefined || options.allRoots;
  const isReading = options.dryRun || argv.includes('--check');
  if (!wrote && (isReading || !KEEPING.has(command.name))) return;
  if (isElsewhere || exit > 1 || process.execArgv.length > 0 || process.env[ANSWERS_SWITCH] === '0') return;
  try {
    const system = realSystem();
    const state = openStateFolder(system);
    const path = state.path('answers', answersName(system.host.cwd));
    if (wrote ? system.reader.lstat(state.dir) === undefined : !isStale(path)) return;
    if (wrote) sweep(system, dirname(path));
    if (!KEEPING.has(command.name)) {
      forget(system, path);
      return;
    }
    // Made before anything is looked at: the program looks whether it is a link.
    ensureStateDir(system, state, dirname(path));
    await system.clock.sleep(SETTLING_MS);
    const kept = await answersOf(finished, system);
    if (kept === undefined) forget(system, path);
    else write(system, state, path, kept);
  } catch {
    // The next run takes the long way.
  }
}

/** There is one, and something that it depends on has changed. */
function isStale(path: AbsPath): boolean {
  const text = readOwnFile(path, MAX_ANSWERS_BYTES);
  return text !== undefined && !isUnchanged(JSON.parse(text));
}

function write(system: System, state: StateFolder, path: AbsPath, kept: Answers): void {
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  if (bytes.length <= MAX_ANSWERS_BYTES) writeState(system, state, path, bytes, 'nothing-written');
}

function forget(system: System, path: AbsPath): void {
  removeState(system, path);
  if (system.reader.list(dirname(path))?.length === 0) system.writer.removeDir(dirname(path));
}

/** What a run that was killed leaves while it writes: state/folder.ts. */
const TEMPORARY = /^[0-9a-f]+\.json\.[0-9a-f]+\.tmp$/;
const ABANDONED_MS = 3_600_000;

/** Takes away what nobody can use any more: answers for folders that are gone, and what was left half written. */
function sweep(system: System, folder: AbsPath): void {
  for (const name of system.reader.list(folder) ?? []) {
    const path = join(folder, name);
    if (TEMPORARY.test(name) ? isAbandoned(system, path) : isOfNoFolder(system, path))
      removeState(system, path);
  }
}

const isAbandoned = ({ reader, clock }: System, path: AbsPath): boolean =>
  Math.abs(clock.now() - (reader.lstat(path)?.mtimeMs ?? Number.NaN)) > ABANDONED_MS;

function isOfNoFolder({ reader }: System, path: AbsPath): boolean {
  try {
    const text = readOwnFile(path, MAX_ANSWERS_BYTES);
    const cwd: unknown = text === undefined ? undefined : JSON.parse(text).cwd;
    return typeof cwd === 'string' && reader.lstat(cwd) === undefined;
  } catch {
    // Not ours to judge: a folder that may not be looked into may be there.
    return false;
  }
}

/** Undefined where nothing is set up, or where what was looked at may have changed meanwhile. */
async function answersOf(finished: Finished, real: System): Promise<Answers | undefined> {
  const { argv, command, options, packageDir, version } = finished;
  const since = real.clock.now();
  const asked = await observed(ASKED, finished, real, since);
  if (asked === undefined) return undefined;
  // By itself: a setup that is not idle the second time would write, which spoils what was recorded with it.
  const isAgain = command.name === 'setup' && options.yes;
  const again = isAgain ? await observed([withOffline(argv)], finished, real, since) : undefined;
  const { answers, inputs, env, askedTime } = again === undefined ? asked : together(asked, again);
  return {
    v: ANSWERS_VERSION,
    program: programKey(version, packageDir, real.host),
    uid: real.host.uid,
    cwd: real.host.cwd,
    env: [...env, ['NODE_OPTIONS', process.env['NODE_OPTIONS']] as const].map(
      ([name, value]) => [name, envKey(value)] as const,
    ),
    ...(askedTime ? { day: dayOf(since) } : {}),
    answers,
    ...inputs,
  };
}

interface Observed {
  readonly answers: readonly Answer[];
  readonly inputs: Inputs;
  readonly env: ReadonlyMap<string, string | undefined>;
  readonly askedTime: boolean;
}

/** Answers to several command lines with all that they depend on; undefined where the first has none, or that is not sure. */
async function observed(
  lines: readonly (readonly string[])[],
  finished: Finished,
  real: System,
  since: number,
): Promise<Observed | undefined> {
  const recording = record(real);
  const { reader } = recording.system;
  for (const part of ['package.json', 'dist/cli.cjs']) reader.lstat(`${finished.packageDir}/${part}`);
  const answers: Answer[] = [];
  for (const words of lines) {
    const told = await answersTo(words, finished, recording);
    if (told === undefined && answers.length === 0) return undefined;
    answers.push(...(told ?? []));
  }
  const inputs = recording.inputs(since);
  const { env } = recording;
  return inputs === undefined ? undefined : { answers, inputs, env, askedTime: recording.askedTime() };
}

/** Both; the first alone where a path was another one for the second. */
function together(first: Observed, second: Observed): Observed {
  const seen = new Map(first.inputs.seen.map((one) => [one.path, one]));
  for (const one of second.inputs.seen) {
    const before = seen.get(one.path);
    if (before === undefined || (one.listed && !before.listed)) seen.set(one.path, one);
    else if (one.listed === before.listed && JSON.stringify(one) !== JSON.stringify(before)) return first;
  }
  return {
    answers: [...first.answers, ...second.answers],
    inputs: { seen: [...seen.values()], real: [...first.inputs.real, ...second.inputs.real] },
    env: new Map([...first.env, ...second.env]),
    askedTime: first.askedTime || second.askedTime,
  };
}

/** The same setup again. What it would ask of a host is not known before, so only the one that asks none is kept. */
const withOffline = (argv: readonly string[]): readonly string[] =>
  argv.includes('--offline') ? argv : [...argv, '--offline'];

/** What the command line answers; undefined where nothing is set up, or where that depends on more than was recorded. */
async function answersTo(
  words: readonly string[],
  { packageDir, version }: Finished,
  { system }: Recording,
): Promise<readonly Answer[] | undefined> {
  const outside = outsideCount();
  const printed: [1 | 2, string][] = [];
  const { env, platform } = system.host;
  const theme = createTheme({
    color: useColor(env, { flag: colorFlag(words), tty: false, json: wantsJson(words) }),
    unicode: useUnicode(env, platform),
  });
  const streamTo = (fd: 1 | 2): Streams['stdout'] => ({
    write: (text) => void printed.push([fd, text]),
    theme,
    isTty: false,
  });
  let outcome: Outcome | undefined;
  const { exit } = await createRun({
    argv: words,
    env,
    streams: { stdout: streamTo(1), stderr: streamTo(2) },
    state: { wrote: false, reported: false, interrupts: 0 },
    packageDir,
    version,
    system,
    observe: (one) => {
      outcome = one;
    },
  }).complete();
  const isWhole = outcome !== undefined && exit <= 1 && outsideCount() === outside;
  if (!isWhole || outcome === undefined || outcome.data['state'] === 'not-set-up') return undefined;
  const own = { words: wordsKey(words), exit, printed };
  if (wantsJson(words) || words[0] === 'setup') return [own];
  // The same outcome as a document: neither the strictness nor anything else of the command line differs.
  const document = outcomeDocument(outcome, false);
  return [own, { words: wordsKey([...words, '--json']), exit, printed: [[1, document]] }];
}
