import { describe, expect, it } from 'vitest';
import { answerInterrupt, interruptionOf, noteWrites, type RunState } from '../../../src/cli/interrupt.ts';
import { memorySystem } from '../../../src/system/memory.ts';

const fresh = (more: Partial<RunState> = {}): RunState => ({
  wrote: false,
  reported: false,
  interrupts: 0,
  ...more,
});

describe('Ctrl-C', () => {
  it('ends a run that has written nothing, at once', () => {
    expect(answerInterrupt(fresh())).toBe('stop');
  });

  it('lets a run that has written finish and report, the first time', () => {
    const state = fresh({ wrote: true });
    expect([answerInterrupt(state), answerInterrupt(state)]).toEqual(['finish', 'stop']);
    expect(answerInterrupt(fresh({ wrote: true, reported: true }))).toBe('stop');
  });

  it('is noted while a plan is applied, for the apply to ask; the second ends the run', async () => {
    const state = fresh();
    const seen = await interruptionOf(state).during(async (requested) => {
      const before = requested();
      const answers = [answerInterrupt(state), answerInterrupt(state)];
      return [before, ...answers, requested()];
    });
    expect(seen).toEqual([false, 'note', 'stop', true]);
    expect(state.applying).toBe(false);
    await expect(interruptionOf(state).during(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(state.applying).toBe(false);
  });
});

describe('what counts as written', () => {
  it('is a rename or a write in place, also one that fails half-way, and no staging', () => {
    const system = memorySystem({ '/a': 'x', '/d': { directory: true } });
    const state = fresh();
    const writer = noteWrites(system.writer, state);
    writer.makeDir('/e');
    writer.createExclusive('/e/b', new Uint8Array(), 0o600);
    writer.chmod('/a', 0o600);
    expect(() => writer.rename('/nothing', '/c')).toThrow();
    expect(state.wrote).toBe(false);
    writer.rename('/e/b', '/c');
    expect(state.wrote).toBe(true);
    const other = fresh();
    expect(() => noteWrites(system.writer, other).writeInPlace('/nothing', new Uint8Array())).toThrow();
    expect(other.wrote).toBe(true);
  });
});
