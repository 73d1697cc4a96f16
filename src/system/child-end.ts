import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Variable that marks every process of one run; its value is random. */
export const RUN_MARK = 'TENON_RUN_MARK';

/** So often is looked again for processes that were started while others were being ended. */
const ROUNDS = 5;

/**
 * Ends a process and everything that it started, at once (SIGKILL): its process group, and on Linux every process that
 * inherited the mark of the run in its environment, because a group of its own or a parent that has ended does not take
 * that away. Processes of other users, and ones that are gone, are passed over. Never throws.
 */
export function endProcessTree(pid: number | undefined, mark: string): void {
  if (process.platform === 'win32') {
    if (pid !== undefined) taskkill(pid);
    return;
  }
  if (pid !== undefined) kill(-pid);
  if (process.platform !== 'linux') return;
  for (let round = 0; round < ROUNDS; round += 1) {
    const marked = markedProcesses(mark);
    if (marked.length === 0) return;
    for (const one of marked) kill(one);
  }
}

/** Ids of the living processes that carry the mark; empty where /proc does not say it. */
export function markedProcesses(mark: string): number[] {
  const wanted = `${RUN_MARK}=${mark}`;
  return names('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => environmentOf(name).includes(wanted) && !isZombie(name))
    .map(Number);
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(join('/proc', pid, 'environ'), 'latin1').split('\0');
  } catch {
    return [];
  }
}

function isZombie(pid: string): boolean {
  try {
    return /\) Z /.test(readFileSync(join('/proc', pid, 'stat'), 'latin1'));
  } catch {
    return true;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already, or belongs to someone else.
  }
}

/** Windows has no process groups; its own tool follows the tree. */
function taskkill(pid: number): void {
  const program = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');
  spawnSync(program, ['/PID', String(pid), '/T', '/F'], {
    stdio: 'ignore',
    timeout: 5000,
    windowsHide: true,
  });
}
