import { describe, expect, test } from 'vitest';
import { type Decision, decide } from '../../../src/engine/decide.ts';
import { fingerprint } from '../../../src/engine/fingerprint.ts';
import type { Json } from '../../../src/lib/json.ts';

type Entry = Record<string, Json>;
const run = (
  recorded: Json | readonly Json[],
  seen: Json,
  desired: Json | undefined,
  options: { switches?: string[]; force?: boolean } = {},
): Decision =>
  decide({
    recorded: (Array.isArray(recorded) ? recorded : [recorded]).map((one) => fingerprint(one as Json)),
    observed: { state: 'present', value: seen },
    desired,
    switches: options.switches ?? ['/on'],
    force: options.force ?? false,
    restore: false,
  });
const change = (set: Entry, unset: string[] = []) => ({ set: new Map(Object.entries(set)), unset });

describe('leaf by leaf, after an edit of the user', () => {
  const ours = { a: 1, b: 2, c: 3 };

  test.each<[string, Entry, Entry, object]>([
    [
      'ours changes a leaf that the user left',
      { ...ours, a: 9 },
      { ...ours, b: 5 },
      { kind: 'merge', change: change({ '/b': 5 }), theirs: ['/a'] },
    ],
    [
      'ours gets a leaf',
      { ...ours, a: 9 },
      { ...ours, d: 4 },
      { kind: 'merge', change: change({ '/d': 4 }), theirs: ['/a'] },
    ],
    [
      'ours loses a leaf',
      { ...ours, a: 9 },
      { a: 1, b: 2 },
      { kind: 'merge', change: change({}, ['/c']), theirs: ['/a'] },
    ],
    [
      'both lose the same leaf: nothing is left to do',
      { a: 9, b: 2 },
      { a: 1, b: 2 },
      { kind: 'drift', theirs: ['/a', '/c'] },
    ],
    [
      'both set the same leaf to the same value',
      { a: 9, b: 5, c: 3 },
      { a: 1, b: 5, c: 3 },
      { kind: 'drift', theirs: ['/a', '/b'] },
    ],
    [
      'the user has the wish already, but for what went',
      { a: 5, b: 6, c: 7 },
      { a: 5, b: 6, c: 7 },
      { kind: 'refresh' },
    ],
    [
      'the user took out a leaf that ours changes',
      { a: 1, b: 2 },
      { ...ours, c: 5 },
      { kind: 'both-changed', theirs: ['/c'] },
    ],
    [
      'the user changed a leaf that ours takes out',
      { ...ours, c: 9 },
      { a: 1, b: 2 },
      { kind: 'both-changed', theirs: ['/c'] },
    ],
    [
      'two leaves clash, in order',
      { a: 8, b: 2, c: 9 },
      { a: 5, b: 2, c: 6 },
      { kind: 'both-changed', theirs: ['/a', '/c'] },
    ],
    [
      'one clashes, one does not',
      { a: 8, b: 2, c: 9 },
      { a: 5, b: 2, c: 3 },
      { kind: 'both-changed', theirs: ['/a'] },
    ],
    [
      'a leaf that the user added is not counted as an edit',
      { ...ours, a: 9, mine: 1 },
      { ...ours, b: 5 },
      { kind: 'merge', change: change({ '/b': 5 }), theirs: ['/a'] },
    ],
  ])('%s', (_, seen, wish, expected) => {
    expect(run(ours, seen, wish)).toEqual(expected);
  });

  test('what the user left out of an untouched entry is not there to be taken out', () => {
    expect(run([{ a: 1 }, ours], { a: 1 }, { b: 2 })).toEqual({
      kind: 'update',
      change: change({ '/b': 2 }, ['/a']),
    });
  });

  test('force sets every leaf that differs, and takes out what ours does not have any more, where it is there', () => {
    expect(run(ours, { a: 9, c: 3 }, { a: 1, d: 4 }, { force: true })).toEqual({
      kind: 'restore',
      change: change({ '/a': 1, '/d': 4 }, ['/c']),
    });
    expect(run(ours, { a: 9, b: 2, c: 3, mine: 1 }, ours, { force: true })).toEqual({
      kind: 'restore',
      change: change({ '/a': 1 }),
    });
  });
});

describe('switches', () => {
  const ours = { a: 1, on: true, limits: { soft: 1, hard: 2 } };
  test.each<[string, Entry, string[], string]>([
    ['flipped', { ...ours, on: false }, ['/on'], 'keep'],
    ['taken out', { a: 1, limits: ours.limits }, ['/on'], 'keep'],
    ['below a listed one', { ...ours, limits: { soft: 9, hard: 2 } }, ['/limits'], 'keep'],
    ['listed itself', { ...ours, limits: { soft: 9, hard: 2 } }, ['/limits/soft'], 'keep'],
    ['only beginning like one', { ...ours, limits: { soft: 9, hard: 2 } }, ['/lim'], 'drift'],
    ['not listed', { ...ours, on: false }, ['/a'], 'drift'],
  ])('%s', (_, seen, switches, kind) => {
    expect(run(ours, seen, ours, { switches }).kind).toBe(kind);
  });

  test('that ours changes are set where the user did not flip them', () => {
    expect(run(ours, ours, { ...ours, on: false })).toEqual({
      kind: 'update',
      change: change({ '/on': false }),
    });
    const flipped = { ...ours, on: 'later' };
    expect(run(ours, flipped, { ...ours, on: false })).toMatchObject({ kind: 'refresh' });
    expect(run(ours, flipped, ours, { force: true })).toEqual({
      kind: 'update',
      change: change({ '/on': true }),
    });
  });

  test('added by the user go with the entry, other leaves keep it, each named once in order', () => {
    const added = (more: Entry) =>
      run({ a: 1, b: 1 }, { a: 1, b: 1, ...more }, undefined, { switches: ['/on'] });
    expect(added({ on: false })).toEqual({ kind: 'remove' });
    expect(added({ on: { x: 1 } })).toEqual({ kind: 'remove' });
    expect(added({ z: 1, on: 1, c: 1 })).toEqual({ kind: 'keep-edited', theirs: ['/c', '/z'] });
    expect(run({ a: 1, b: 1 }, { b: 2, 0: 1 }, undefined)).toEqual({
      kind: 'keep-edited',
      theirs: ['/0', '/a', '/b'],
    });
  });
});

describe('an older generation', () => {
  test('is untouched by what the newer one added, and gives it up', () => {
    const [first, second] = [{ a: 1 }, { a: 1, b: 2 }];
    expect(run([first, second], first, undefined)).toEqual({ kind: 'remove' });
    expect(run([first, second], second, undefined)).toEqual({ kind: 'remove' });
    expect(run([first, second], { a: 1, b: 3 }, undefined)).toEqual({ kind: 'keep-edited', theirs: ['/b'] });
    expect(run([first, second], { a: 1, b: 3 }, second)).toEqual({
      kind: 'update',
      change: change({ '/b': 2 }),
    });
  });

  test('is the one to compare with: the newest that fits', () => {
    const generations = [{ a: 1 }, { a: 1, b: 2 }, { a: 3 }];
    expect(run(generations, { a: 1, b: 2 }, { a: 4 })).toEqual({
      kind: 'update',
      change: change({ '/a': 4 }, ['/b']),
    });
  });
});
