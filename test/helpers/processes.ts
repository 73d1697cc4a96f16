import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** Whether a process runs. One that ended and was not waited for yet is still listed, and counts as ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // No /proc here, or the process ended just now.
    return process.platform !== 'linux';
  }
}

/**
 * Waits until none of these processes runs. What was sent SIGKILL is there until the system has come round to it, on a busy
 * machine some while after the program that sent it has ended.
 */
export async function expectEnded(pids: readonly number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  expect(pids.every((pid) => Number.isInteger(pid) && pid > 1)).toBe(true);
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
}
