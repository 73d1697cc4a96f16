import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { noteOutside } from '../lib/outside.ts';
import type { ChildOptions, ChildResult } from './child.ts';
import { endProcessTree, RUN_MARK } from './child-end.ts';
import { startOf } from './shim.ts';

/** After a program has ended, its pipes may stay open this long because a child of it holds them. */
const LINGER_MS = 300;
/** And this long until they are closed from our side although nothing was left to be ended. */
const CLOSE_MS = 1000;

/** A program with open pipes. */
export interface OpenTree {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program itself has ended; `code` is undefined when a signal ended it or it was not started. */
  readonly ended: Promise<{ readonly code: number | undefined; readonly started: boolean }>;
  /** Ends the program and everything that it started. May be called at any time and again. */
  end(): void;
}

/**
 * Starts a program without a shell, in a process group of its own and marked, so that everything it starts can be ended
 * with it. Never throws: what cannot be started has ended.
 */
export function openTree(
  command: string,
  args: readonly string[],
  options: Pick<ChildOptions, 'cwd' | 'env'> & { readonly stdin: 'pipe' | 'ignore' },
): OpenTree {
  noteOutside();
  const mark = randomBytes(16).toString('hex');
  const launch = startOf(command, args, process);
  const child = spawn(launch?.command ?? '', [...(launch?.args ?? [])], {
    windowsVerbatimArguments: launch?.windowsVerbatimArguments ?? false,
    cwd: options.cwd,
    env: { ...options.env, [RUN_MARK]: mark },
    stdio: [options.stdin, 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    detached: process.platform !== 'win32',
  });
  const ended = new Promise<{ code: number | undefined; started: boolean }>((resolve) => {
    child.once('error', () => resolve({ code: undefined, started: child.pid !== undefined }));
    child.once('exit', (code) => resolve({ code: code ?? undefined, started: true }));
  });
  // A program that has ended closes its end; writing to it then is no fault of ours.
  child.stdin?.on('error', () => {});
  const end = (): void => {
    endProcessTree(child.pid, mark);
    release(end);
  };
  hold(end);
  return {
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    ended,
    end,
  };
}

/** What is to be ended when this process ends first: a group of its own gets no Ctrl-C from the terminal. */
const open = new Set<() => void>();
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

function hold(end: () => void): void {
  if (open.size === 0) {
    process.once('exit', endAll);
    for (const signal of SIGNALS) process.once(signal, onSignal);
  }
  open.add(end);
}

function release(end: () => void): void {
  if (!open.delete(end) || open.size > 0) return;
  process.removeListener('exit', endAll);
  for (const signal of SIGNALS) process.removeListener(signal, onSignal);
}

function endAll(): void {
  for (const end of [...open]) end();
}

/** Ends what was started, then lets the signal do what it does without us. */
function onSignal(signal: NodeJS.Signals): void {
  endAll();
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

/**
 * Runs a program to its end with a closed stdin, bounded in time and output, and then ends whatever it left behind: its
 * process group and everything that carries its mark. Never rejects.
 */
export async function runTree(
  command: string,
  args: readonly string[],
  options: ChildOptions,
): Promise<ChildResult> {
  let tree: OpenTree;
  try {
    tree = openTree(command, args, { cwd: options.cwd, env: options.env, stdin: 'ignore' });
  } catch {
    // A null byte in a word, or (Windows) a script that cannot be started safely.
    return { code: undefined, stdout: '', stderr: '', problem: 'not-started' };
  }
  let problem: ChildResult['problem'];
  const end = (why: NonNullable<ChildResult['problem']>): void => {
    problem ??= why;
    tree.end();
  };
  const stdout = collect(tree.stdout, options.maxBytes, () => end('output-limit'));
  const stderr = collect(tree.stderr, options.maxBytes, () => end('output-limit'));
  const timer = setTimeout(() => end('timeout'), options.timeoutMs);
  const abort = (): void => end('ended');
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted === true) abort();
  const { code, started } = await tree.ended;
  const closed = Promise.all([stdout.closed, stderr.closed]);
  await settled(closed, LINGER_MS);
  tree.end();
  await settled(closed, CLOSE_MS);
  for (const stream of [tree.stdout, tree.stderr]) stream.destroy();
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', abort);
  if (!started) problem ??= 'not-started';
  return {
    code: problem === undefined ? code : undefined,
    stdout: stdout.text(),
    stderr: stderr.text(),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** What a stream says, up to a limit of bytes. */
function collect(
  stream: Readable,
  maxBytes: number,
  onLimit: () => void,
): { readonly text: () => string; readonly closed: Promise<void> } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    const room = maxBytes - bytes;
    const wasBelow = bytes <= maxBytes;
    bytes += chunk.length;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    if (wasBelow && bytes > maxBytes) onLimit();
  });
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
  return { text: () => Buffer.concat(chunks).toString('utf8'), closed };
}

/** Waits for a promise, at most so long. No timer stays behind: it would hold the process when its work is done. */
async function settled(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, limit]);
  clearTimeout(timer);
}
