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
  /** Stack of what the program let through; undefined when it ended as it should. */
  readonly thrown?: string;
}

export interface Warm {
  /** Runs the built program with these settings of `fault-preload.cjs`. */
  run(
    args: readonly string[],
    where: { readonly cwd: string; readonly home: string; readonly env?: Readonly<Record<string, string>> },
    faults?: Readonly<Record<string, string>>,
  ): Promise<WarmRun>;
}

/** The code behind the program that users start. */
const ENTRY = path.join(PACKAGE, 'dist', 'cli.cjs');

const LIMIT_MS = 60_000;
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children.splice(0)) child.kill();
});

/** A process that runs the built program many times without starting anew; ends with the test file. */
export function warm(): Warm {
  let child: ChildProcess | undefined;
  const start = (): ChildProcess => {
    const made = fork(path.resolve('test/helpers/warm-child.cjs'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(made);
    return made;
  };
  return {
    run(args, { cwd, home, env }, faults = {}) {
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
          entry: ENTRY,
          args,
          cwd,
          env: cleanEnv(home, env),
          faults: { FAULT_SKIP: `${PACKAGE}${path.sep}`, ...faults },
        });
      });
    },
  };
}
