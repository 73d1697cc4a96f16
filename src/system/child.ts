import { spawn } from 'node:child_process';
import { noteOpenLimit } from '../lib/open-files.ts';
import { noteOutside } from '../lib/outside.ts';

export interface ChildOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Bytes of stdout, and of stderr, after which the child is ended. */
  readonly maxBytes: number;
  /** Ends the child, e.g. because nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

export interface ChildResult {
  /** Undefined when the child was ended from outside or could not be started. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly problem?: 'not-started' | 'timeout' | 'output-limit' | 'ended';
}

/**
 * Starts a program without a shell and with a closed stdin, and waits for it without blocking. On a limit the child's
 * whole process group is killed. Never rejects.
 */
export function runChild(
  command: string,
  args: readonly string[],
  options: ChildOptions,
): Promise<ChildResult> {
  noteOutside();
  return new Promise((resolve) => {
    const isGroup = process.platform !== 'win32';
    const child = spawn(command, [...args], {
      cwd: options.cwd,
      env: { ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
      detached: isGroup,
    });
    let problem: ChildResult['problem'];
    const end = (why: NonNullable<ChildResult['problem']>): void => {
      problem ??= why;
      try {
        if (isGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // Every process of the group has ended already.
      }
    };
    // Where no further file can be opened the child has no streams.
    const read = (stream: NodeJS.ReadableStream | undefined): (() => string) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      stream?.on('data', (chunk: Buffer) => {
        const room = options.maxBytes - bytes;
        bytes += chunk.length;
        if (room > 0) chunks.push(chunk.subarray(0, room));
        if (bytes > options.maxBytes) end('output-limit');
      });
      return () => Buffer.concat(chunks).toString('utf8');
    };
    const stdout = read(child.stdout);
    const stderr = read(child.stderr);
    const timer = setTimeout(() => end('timeout'), options.timeoutMs);
    const abort = (): void => end('ended');
    options.signal?.addEventListener('abort', abort, { once: true });
    if (options.signal?.aborted === true) abort();
    const done = (code: number | null): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      resolve({
        code: problem === undefined ? (code ?? undefined) : undefined,
        stdout: stdout(),
        stderr: stderr(),
        ...(problem === undefined ? {} : { problem }),
      });
    };
    child.on('error', (error) => {
      noteOpenLimit(error);
      problem ??= 'not-started';
      done(null);
    });
    child.on('close', done);
  });
}

/**
 * Whether a process exists: `gone` only where the system says so. EPERM means that it exists and belongs to someone
 * else; any other answer says nothing.
 */
export function processState(pid: number): 'alive' | 'gone' | 'unknown' {
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ESRCH') return 'gone';
    return code === 'EPERM' ? 'alive' : 'unknown';
  }
}
