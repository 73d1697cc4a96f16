import { spawn } from 'node:child_process';

export interface Run {
  readonly code: number | null;
  /** Without colours, cursor movements and carriage returns. */
  readonly stdout: string;
  readonly stderr: string;
  /** Both together, in the order of arrival. */
  readonly text: string;
  /** It did not end by itself within its deadline. */
  readonly isHung: boolean;
}

export interface RunOptions {
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Default 60 s. The program and all that it started are then killed. */
  readonly deadlineMs?: number;
}

const MAX_CHARACTERS = 4_000_000;

/**
 * Runs a program in a process group of its own, with stdin at its end. Whatever it left running is killed when it ends,
 * and when it does not. Rejects only where it cannot be started.
 */
export function runProgram(file: string, args: readonly string[], options: RunOptions): Promise<Run> {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const taken = { stdout: '', stderr: '', text: '' };
  const take = (stream: 'stdout' | 'stderr') => (chunk: string) => {
    if (taken.text.length > MAX_CHARACTERS) return;
    taken[stream] += chunk;
    taken.text += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', take('stdout'));
  child.stderr.setEncoding('utf8').on('data', take('stderr'));
  return new Promise((done, fail) => {
    let isHung = false;
    const limit = setTimeout(() => {
      isHung = true;
      killGroup(child.pid);
    }, options.deadlineMs ?? 60_000);
    child.on('error', fail);
    // A descendant may hold the pipes open: with the group gone they close.
    child.on('exit', () => killGroup(child.pid));
    child.on('close', (code) => {
      clearTimeout(limit);
      done({
        code,
        isHung,
        stdout: plain(taken.stdout),
        stderr: plain(taken.stderr),
        text: plain(taken.text),
      });
    });
  });
}

/** Ends a program that was started with `detached`, and its whole group. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}

const CONTROL = new RegExp(
  ['\\u001b\\[[0-9;?]*[A-Za-z]', '\\u001b\\][^\\u0007]*\\u0007', '\\r'].join('|'),
  'g',
);

const plain = (text: string): string => text.replace(CONTROL, '');
