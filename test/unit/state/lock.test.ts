import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStateFolder } from '../../../src/state/folder.ts';
import { isLocked, lockPath, takeLock } from '../../../src/state/lock.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import type { System } from '../../../src/system/ports.ts';
import { realSystem } from '../../../src/system/real.ts';
import { scratch } from '../../helpers/repo.ts';

const alive = (system: System, ...pids: number[]): System => ({
  ...system,
  exec: { ...system.exec, isAlive: (pid) => pids.includes(pid) },
});
const as = (system: System, pid: number, hostname = 'memory'): System => ({
  ...system,
  host: { ...system.host, pid, hostname },
});

describe('takeLock', () => {
  it('tells every call that fails on the way as a fault of the state folder, before anything is written', async () => {
    const base = alive(memorySystem(), 1, 2);
    const state = openStateFolder(base);
    await takeLock(as(base, 1), state, '/repo');
    let calls = 0;
    const failing = (at: number): System => ({
      ...as(base, 2),
      reader: {
        ...base.reader,
        lstat: (one) => {
          calls += 1;
          if (calls === at)
            throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO', syscall: 'lstat' });
          return base.reader.lstat(one);
        },
      },
    });
    // The one is free, the other is held: a call of every step on the way to an answer fails.
    for (const root of ['/other', '/repo']) {
      for (let at = 1; at < 12; at += 1) {
        calls = 0;
        let taken = Number.POSITIVE_INFINITY;
        const found = await takeLock(failing(at), state, root, 0).then(
          (lock) => {
            taken = calls;
            lock.release();
          },
          (error: unknown) => error,
        );
        if (Math.min(taken, calls) < at) break;
        expect(found, `${root} ${at}`).toMatchObject({
          code: 'state/unwritable',
          exit: 4,
          state: 'nothing-written',
        });
      }
      expect(calls).toBeGreaterThan(2);
    }
  });

  it('gives a lock to one run at a time, and waits 10 s for the other', async () => {
    const base = alive(memorySystem(), 1, 2);
    const state = openStateFolder(base);
    const first = await takeLock(as(base, 1), state, '/repo');
    expect(isLocked(base, state, '/repo')).toBe(true);
    const start = base.clock.now();
    await expect(takeLock(as(base, 2), state, '/repo')).rejects.toMatchObject({
      code: 'state/busy',
      exit: 4,
      state: 'nothing-written',
    });
    expect(base.clock.now() - start).toBeGreaterThanOrEqual(10_000);
    expect(base.clock.now() - start).toBeLessThan(11_000);
    await takeLock(as(base, 2), state, '/other');
    await takeLock(as(base, 2), state, '~');
    first.release();
    first.release();
    expect(isLocked(base, state, '/repo')).toBe(false);
    await takeLock(as(base, 2), state, '/repo');
    expect(isLocked(base, state, '/repo')).toBe(true);
  });

  it('takes over from a run that has ended on this host, and from no other', async () => {
    const base = memorySystem();
    const state = openStateFolder(base);
    const first = await takeLock(as(base, 1), state, '/repo');
    const second = await takeLock(as(alive(base, 2), 2), state, '/repo');
    first.release();
    expect(isLocked(alive(base, 2), state, '/repo')).toBe(true);
    second.release();
    await takeLock(as(base, 1, 'elsewhere'), state, '/repo');
    await expect(takeLock(as(alive(base), 2), state, '/repo')).rejects.toMatchObject({ code: 'state/busy' });
    expect(isLocked(alive(base), state, '/repo')).toBe(true);
  });

  it('tells a process from a later one with the same id', async () => {
    const stat = (start: number) => `7 (a) b) S ${'0 '.repeat(18)}${start} 0\n`;
    const base = memorySystem({ '/proc/7/stat': stat(100) });
    const state = openStateFolder(base);
    await takeLock(as(base, 7), state, '/repo', 0);
    const same = as(alive(base, 7, 8), 8);
    await expect(takeLock(same, state, '/repo', 0)).rejects.toMatchObject({ code: 'state/busy' });
    base.writer.writeInPlace('/proc/7/stat', new TextEncoder().encode(stat(200)));
    await takeLock(same, state, '/repo', 0);
    expect(isLocked(same, state, '/repo')).toBe(true);
  });

  it('gives a dead lock to exactly one of many, whatever the order of their steps', async () => {
    for (let pause = 1; pause <= 12; pause += 1) {
      const base = memorySystem();
      const state = openStateFolder(base);
      await takeLock(as(base, 1), state, '/repo');
      const world = alive(base, 2, 3);
      // The second run gets its turn in the middle of the first one's take-over, before its n-th disk access.
      let accesses = 0;
      let inner: Promise<unknown> | undefined;
      const step = (): void => {
        accesses += 1;
        if (accesses === pause)
          inner = takeLock(as(world, 3), state, '/repo', 0).catch((error: unknown) => error);
      };
      const stepped =
        <A extends unknown[], R>(call: (...args: A) => R) =>
        (...args: A): R => {
          step();
          return call(...args);
        };
      const slow: System = {
        ...as(world, 2),
        reader: { ...base.reader, lstat: stepped(base.reader.lstat) },
        writer: {
          ...base.writer,
          createExclusive: stepped(base.writer.createExclusive),
          rename: stepped(base.writer.rename),
        },
      };
      const outer = await takeLock(slow, state, '/repo', 0).catch((error: unknown) => error);
      const winners = [outer, await inner].filter((one) => one !== undefined && !(one instanceof Error));
      expect([pause, winners.length]).toEqual([pause, 1]);
    }
  });

  it('passes a lock file that was torn by a crash, once it is old', async () => {
    const base = memorySystem();
    const state = openStateFolder(base);
    const file = lockPath(state, '/repo');
    await (await takeLock(base, state, '/repo')).release();
    base.writer.createExclusive(file, new TextEncoder().encode('{"id'), 0o600);
    await expect(takeLock(base, state, '/repo', 5000)).rejects.toMatchObject({ code: 'state/busy' });
    await takeLock(base, state, '/repo');
    expect(isLocked(base, state, '/repo')).toBe(true);
  });

  it.each([
    ['forwards', 3_600_000],
    ['back', -3_600_000],
  ])('waits just as long while the clock jumps %s', async (_, jump) => {
    const base = alive(memorySystem(), 1, 2);
    const state = openStateFolder(base);
    await takeLock(as(base, 1), state, '/repo');
    let [slept, now] = [0, base.clock.now()];
    const jumping: System = {
      ...as(base, 2),
      clock: {
        now: () => {
          now += jump;
          return now;
        },
        sleep: async (ms) => {
          slept += ms;
        },
      },
    };
    await expect(takeLock(jumping, state, '/repo')).rejects.toMatchObject({ code: 'state/busy' });
    expect(slept).toBe(10_000);
  });

  it('passes a torn lock file of a time to come: the clock was set back since', async () => {
    const base = memorySystem();
    const state = openStateFolder(base);
    await (await takeLock(base, state, '/repo')).release();
    base.writer.createExclusive(lockPath(state, '/repo'), new TextEncoder().encode('{"id'), 0o600);
    const earlier: System = { ...base, clock: { ...base.clock, now: () => 1000 } };
    await takeLock(earlier, state, '/repo', 0);
    expect(isLocked(alive(base, base.host.pid), state, '/repo')).toBe(true);
  });

  it('works with real processes', async () => {
    const home = scratch();
    const real = realSystem();
    const system: System = {
      ...real,
      host: { ...real.host, env: { TENON_STATE_DIR: path.join(home, 'state') } },
    };
    const state = openStateFolder(system);
    const other = spawn('sleep', ['30'], { stdio: 'ignore' });
    const start = fs.readFileSync(`/proc/${other.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
    const lock = await takeLock(system, state, '/repo');
    expect(fs.statSync(lockPath(state, '/repo')).mode & 0o777).toBe(0o600);
    lock.release();
    expect(fs.existsSync(lockPath(state, '/repo'))).toBe(false);
    const holder = { id: 'abcd', pid: other.pid, host: system.host.hostname, start };
    fs.writeFileSync(lockPath(state, '/repo'), JSON.stringify(holder));
    await expect(takeLock(system, state, '/repo', 60)).rejects.toMatchObject({ code: 'state/busy' });
    other.kill('SIGKILL');
    await new Promise((resolve) => other.on('exit', resolve));
    (await takeLock(system, state, '/repo', 0)).release();
    expect(fs.readdirSync(path.join(home, 'state/journal'))).toEqual([]);
  });
});
