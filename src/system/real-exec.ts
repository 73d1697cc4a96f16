import type * as ChildProcess from 'node:child_process';
import { noteOpenLimit } from '../lib/open-files.ts';
import { noteOutside } from '../lib/outside.ts';
import type { Exec, ExecResult, Host, Reader } from './ports.ts';
import { findExecutable } from './which.ts';

// Most commands start no program: the module is loaded by the first one that does.
const load = (): typeof ChildProcess => process.getBuiltinModule('node:child_process');

const DEFAULT_MAX_BYTES = 1024 * 1024;

const codeOf = (error: Error | undefined): string | undefined =>
  error !== undefined && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

function problemOf(result: ChildProcess.SpawnSyncReturns<string>): ExecResult['problem'] {
  const code = codeOf(result.error);
  if (code === 'ETIMEDOUT') return 'timeout';
  if (code === 'ENOBUFS') return 'output-limit';
  // A program that ends before it has read its input has ended all the same.
  if (code !== undefined && code !== 'EPIPE') return 'not-found';
  return result.signal === null ? undefined : 'signal';
}

export const realExec = (host: Host, reader: Reader): Exec => ({
  run(command, args, options) {
    noteOutside();
    const group = host.platform !== 'win32';
    const result = load().spawnSync(command, [...args], {
      cwd: options.cwd,
      env: { ...options.env },
      encoding: 'utf8',
      shell: false,
      windowsHide: true,
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: options.maxBytes ?? DEFAULT_MAX_BYTES,
      // A process group of its own, so that children of the program can be ended with it.
      ...(group ? { detached: true } : {}),
      ...(options.input === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] } : { input: options.input }),
    });
    noteOpenLimit(result.error);
    const problem = problemOf(result);
    if (group && result.pid > 0 && (problem === 'timeout' || problem === 'output-limit')) {
      try {
        process.kill(-result.pid, 'SIGKILL');
      } catch {
        // Every process of the group has ended already.
      }
    }
    return {
      code: problem === undefined ? (result.status ?? undefined) : undefined,
      stdout: result.stdout ?? '',
      stderr: result.stderr ?? '',
      ...(problem === undefined ? {} : { problem }),
    };
  },
  which: (name) => findExecutable(name, host, reader),
  isAlive(pid) {
    noteOutside();
    if (!Number.isSafeInteger(pid) || pid <= 0) return false;
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // EPERM: it exists and belongs to someone else.
      return error instanceof Error && codeOf(error) === 'EPERM';
    }
  },
});
