import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { afterAll } from 'vitest';
import { cleanEnv } from './clean-env.ts';
import { PACKAGE } from './cli.ts';

/** One call of node:fs: the function and its path. */
export type Call = readonly [name: string, path: string];

export interface WarmRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly calls: readonly Call[];
  /** With `STATES`: what was there right before each writing call. */
  readonly states: readonly string[];
  /** Stack of what the program let through; undefined when it ended as it should. */
  readonly thrown?: string;
}

export interface WarmPlace {
  readonly cwd: string;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of another built package. Default: {@link PACKAGE}. */
  readonly packageDir?: string;
}

export interface Warm {
  /** Runs the built program with these settings of `fault-preload.cjs`; calls wait for those before them. */
  run(args: readonly string[], where: WarmPlace, faults?: Readonly<Record<string, string>>): Promise<WarmRun>;
}

const LIMIT_MS = 60_000;
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children.splice(0)) child.kill();
});

/** A process that runs the built program many times without starting anew; ends with the test file. */
function makeWarm(): Warm {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const start = (): ChildProcess => {
    const made = fork(path.resolve('test/helpers/warm-child.cjs'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(made);
    return made;
  };
  const runNow: Warm['run'] = (args, { cwd, home, env, packageDir = PACKAGE }, faults = {}) => {
    child ??= start();
    const running = child;
    return new Promise((done, fail) => {
      const stop = (why: string) => {
        clearTimeout(limit);
        running.removeAllListeners();
        running.kill('SIGKILL');
        child = undefined;
        fail(new Error(`tenon ${args.join(' ')} ${why} (${JSON.stringify(faults)})`));
      };
      const limit = setTimeout(() => stop('did not end'), LIMIT_MS);
      running.once('exit', (code, signal) => stop(`ended its process: ${code ?? signal}`));
      running.once('message', (answer: WarmRun) => {
        clearTimeout(limit);
        running.removeAllListeners('exit');
        done(answer);
      });
      running.send({
        // The code behind the program that users start.
        entry: path.join(packageDir, 'dist', 'cli.cjs'),
        args,
        cwd,
        env: cleanEnv(home, env),
        faults: { FAULT_SKIP: `${PACKAGE}${path.sep}`, ...faults },
      });
    });
  };
  return {
    run(...given) {
      const run = last.then(() => runNow(...given));
      last = run.catch(() => undefined);
      return run;
    },
  };
}

/**
 * The writing calls, from 1, right before which something is there that was not before the call ahead of them. A run that is
 * killed leaves what is on the disk and nothing else, so one killed before any other call leaves what one of these does.
 */
export const changedBefore = ({ states }: Pick<WarmRun, 'states'>): number[] =>
  states.flatMap((state, index) => (state === states[index - 1] ? [] : [index + 1]));

let shared: Warm | undefined;

/** The one such process of this test file. */
export const warm = (): Warm => {
  shared ??= makeWarm();
  return shared;
};

/**
 * The built program in the one warm process of this test file: for runs that only bring a place into the state that a test
 * begins with, or that say what another run is compared with. What a test is about is run as users run it.
 */
export async function runWarm(args: readonly string[], where: WarmPlace): Promise<WarmRun> {
  const run = await warm().run(args, where);
  if (run.thrown !== undefined) throw new Error(`tenon ${args.join(' ')} threw ${run.thrown}`);
  return run;
}

/** {@link runWarm} with `--json`; the one document of the run is in `document`. */
export async function warmJson(args: readonly string[], where: WarmPlace) {
  const run = await runWarm([...args, '--json'], where);
  return { ...run, document: JSON.parse(run.stdout) };
}

/** {@link runWarm} of command lines that have to succeed. */
export async function prepare(where: WarmPlace, ...commands: readonly (readonly string[])[]): Promise<void> {
  for (const args of commands) {
    const { code, stdout, stderr } = await runWarm(args, where);
    if (code !== 0) throw new Error(`tenon ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
  }
}
