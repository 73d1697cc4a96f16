import { describe, expect, it } from 'vitest';
import { startWatchdog, type WatchdogSettings, type WatchdogSystem } from '../../../src/mcp/watchdog.ts';

type State = 'alive' | 'gone' | 'unknown';

function start(settings: Partial<WatchdogSettings>, states: readonly (State | Error)[] = []) {
  const lines: Record<string, unknown>[] = [];
  const asked: number[] = [];
  const left = [...states];
  let tick: (() => void) | undefined;
  let ended = 0;
  const system: WatchdogSystem = {
    state(pid) {
      asked.push(pid);
      const next = left.shift() ?? 'alive';
      if (next instanceof Error) throw next;
      return next;
    },
    every(_ms, run) {
      tick = run;
      return () => {
        tick = undefined;
      };
    },
    log: (line) => void lines.push(line),
  };
  const stop = startWatchdog(
    { switch: undefined, parentPid: undefined, ownParent: 7, ...settings },
    system,
    () => {
      ended += 1;
    },
  );
  const readings = states.length;
  for (let index = 0; index < readings; index += 1) tick?.();
  return { lines, asked, ended: () => ended, isArmed: () => tick !== undefined, stop };
}

describe('the watchdog of tenon mcp', () => {
  it('ends after two readings that say gone, with one line', () => {
    const dog = start({ parentPid: '42' }, ['alive', 'gone', 'gone', 'gone']);
    expect(dog.ended()).toBe(1);
    expect(dog.asked).toEqual([42, 42, 42]);
    expect(dog.lines).toEqual([expect.objectContaining({ event: 'watchdog-ended', parentPid: 42 })]);
  });

  it('watches the process that started it unless another is named', () => {
    expect(start({}, ['alive']).asked).toEqual([7]);
  });

  it.each<[string, (State | Error)[]]>([
    ['says nothing', ['gone', 'unknown', 'gone', 'unknown', 'unknown']],
    ['fails', ['gone', new Error('EIO'), 'gone', new Error('EIO')]],
    ['says alive again', ['gone', 'alive', 'gone', 'alive']],
  ])('goes on when a reading %s', (_, states) => {
    const dog = start({}, states);
    expect(dog.ended()).toBe(0);
    expect(dog.isArmed()).toBe(true);
  });

  it.each(['0', 'false', 'off', 'no', 'disable', ' OFF '])('is off with %j', (word) => {
    const dog = start({ switch: word }, ['gone', 'gone', 'gone']);
    expect([dog.isArmed(), dog.ended(), dog.lines]).toEqual([false, 0, []]);
  });

  it.each(['', '1', 'true', 'on'])('is armed with %j', (word) => {
    const dog = start({ switch: word });
    expect([dog.isArmed(), dog.lines]).toEqual([true, []]);
  });

  it('warns about another word and stays armed', () => {
    const dog = start({ switch: 'of\u001b[31m' });
    expect(dog.isArmed()).toBe(true);
    expect(dog.lines).toEqual([expect.objectContaining({ event: 'watchdog-switch' })]);
    expect(JSON.stringify(dog.lines)).not.toContain('\\u001b');
  });

  it.each(['0', '-1', 'abc', '1e3', '99999999999', ''])('serves on without a watchdog for pid %j', (pid) => {
    const dog = start({ parentPid: pid }, ['gone', 'gone']);
    expect([dog.isArmed(), dog.ended()]).toEqual([false, 0]);
    expect(dog.lines).toEqual([expect.objectContaining({ event: 'watchdog-not-started' })]);
  });

  it('serves on when the timer cannot be made', () => {
    const lines: Record<string, unknown>[] = [];
    const broken: WatchdogSystem = {
      state: () => 'gone',
      every: () => {
        throw new Error('no timers');
      },
      log: (line) => void lines.push(line),
    };
    startWatchdog({ switch: undefined, parentPid: undefined, ownParent: 7 }, broken, () => {
      throw new Error('ended');
    });
    expect(lines).toEqual([expect.objectContaining({ event: 'watchdog-not-started' })]);
  });

  it('is disarmed by its caller', () => {
    const dog = start({});
    dog.stop();
    expect(dog.isArmed()).toBe(false);
  });
});
