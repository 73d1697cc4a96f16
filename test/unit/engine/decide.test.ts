import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/engine/decide.ts';
import { fingerprint } from '../../../src/engine/fingerprint.ts';
import type { Generation, Observed } from '../../../src/engine/types.ts';
import type { Json } from '../../../src/lib/json.ts';

const generation = (value: Json): Generation => fingerprint(value);
const seen = (value: Json): Observed => ({ state: 'present', value });
const absent: Observed = { state: 'absent' };

const old = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
const fresh = { type: 'http', url: 'http://127.0.0.1:2/mcp' };

function run(
  recorded: readonly Json[],
  observed: Observed,
  desired: Json | undefined,
  options: { switches?: string[]; force?: boolean; restore?: boolean } = {},
) {
  return decide({
    recorded: recorded.map(generation),
    observed,
    desired,
    switches: options.switches ?? [],
    force: options.force ?? false,
    restore: options.restore ?? false,
  });
}

describe('without a record', () => {
  test('absent and wanted is created', () => {
    expect(run([], absent, old)).toEqual({ kind: 'create' });
  });
  test('equal and wanted is reused, never owned', () => {
    expect(run([], seen({ url: old.url, type: 'http' }), old)).toEqual({ kind: 'reuse' });
  });
  test('different and wanted is not ours', () => {
    expect(run([], seen(fresh), old)).toEqual({ kind: 'not-ours' });
  });
  test('an item found by its tag alone is not ours', () => {
    expect(run([], { state: 'present', value: old, byTag: true }, old)).toEqual({ kind: 'not-ours' });
  });
  test('not wanted is nothing', () => {
    expect(run([], seen(old), undefined)).toEqual({ kind: 'nothing' });
  });
});

describe('with a record and a wish', () => {
  test('equal to the newest is kept', () => {
    expect(run([old], seen(old), old)).toEqual({ kind: 'keep' });
  });
  test('equal to the wish while the newest record is another refreshes the record alone', () => {
    expect(run([old, fresh], seen(old), old)).toEqual({ kind: 'refresh' });
    expect(run([old], seen(fresh), fresh)).toEqual({ kind: 'refresh' });
  });
  test('untouched is updated, leaf by leaf', () => {
    expect(run([old], seen(old), fresh)).toEqual({
      kind: 'update',
      change: { set: new Map([['/url', fresh.url]]), unset: [] },
    });
  });
  test('a leaf that the definition no longer has is taken out', () => {
    const wider = { ...old, headers: { 'X-A': '1' } };
    expect(run([wider], seen(wider), old)).toEqual({
      kind: 'update',
      change: { set: new Map(), unset: ['/headers/X-A'] },
    });
  });
  test('an entry of an older generation is untouched', () => {
    expect(run([old, fresh], seen(old), fresh)).toMatchObject({ kind: 'update' });
  });
  test('leaves of two generations mixed are touched', () => {
    const a = { url: 'a', extra: '1' };
    const b = { url: 'b', extra: '2' };
    expect(run([a, b], seen({ url: 'a', extra: '2' }), b)).toEqual({ kind: 'drift', theirs: ['/url'] });
  });
  test('a leaf that the user added is no drift', () => {
    expect(run([old], seen({ ...old, note: 'mine' }), old)).toEqual({ kind: 'keep' });
  });
  test('touched while the definition stands still is drift', () => {
    expect(run([old], seen({ ...old, url: 'http://127.0.0.1:9/mcp' }), old)).toEqual({
      kind: 'drift',
      theirs: ['/url'],
    });
  });
  test('touched in the same leaf as the definition is a conflict', () => {
    expect(run([old], seen({ ...old, url: 'mine' }), fresh)).toEqual({
      kind: 'both-changed',
      theirs: ['/url'],
    });
  });
  test('touched in another leaf is merged', () => {
    expect(run([old], seen({ ...old, type: 'sse' }), fresh)).toEqual({
      kind: 'merge',
      change: { set: new Map([['/url', fresh.url]]), unset: [] },
      theirs: ['/type'],
    });
  });
  test('force restores the edited leaves', () => {
    expect(run([old], seen({ ...old, url: 'mine' }), old, { force: true })).toEqual({
      kind: 'restore',
      change: { set: new Map([['/url', old.url]]), unset: [] },
    });
  });
  test('removed by the user stays removed, unless it is asked back', () => {
    expect(run([old], absent, old)).toEqual({ kind: 'removed-by-user' });
    expect(run([old], absent, old, { restore: true })).toEqual({ kind: 'create' });
  });
  test('a flipped switch is no drift and is kept on update', () => {
    const on = { ...old, enabled: true };
    const off = seen({ ...old, enabled: false });
    expect(run([on], off, on, { switches: ['/enabled'] })).toEqual({ kind: 'keep' });
    expect(run([on], off, { ...fresh, enabled: true }, { switches: ['/enabled'] })).toEqual({
      kind: 'update',
      change: { set: new Map([['/url', fresh.url]]), unset: [] },
    });
  });
});

describe('with a record and no wish', () => {
  test('untouched is removed', () => {
    expect(run([old], seen(old), undefined)).toEqual({ kind: 'remove' });
    expect(run([old, fresh], seen(old), undefined)).toEqual({ kind: 'remove' });
  });
  test('an edited leaf keeps it', () => {
    expect(run([old], seen({ ...old, url: 'mine' }), undefined)).toEqual({
      kind: 'keep-edited',
      theirs: ['/url'],
    });
  });
  test('an added switch goes with it, another added leaf keeps it', () => {
    const withSwitch = seen({ ...old, enabled: false });
    expect(run([old], withSwitch, undefined, { switches: ['/enabled'] })).toEqual({ kind: 'remove' });
    expect(run([old], seen({ ...old, note: 'x' }), undefined)).toEqual({
      kind: 'keep-edited',
      theirs: ['/note'],
    });
  });
  test('force removes it', () => {
    expect(run([old], seen({ ...old, url: 'mine' }), undefined, { force: true })).toEqual({ kind: 'remove' });
  });
  test('absent is dormant', () => {
    expect(run([old], absent, undefined)).toEqual({ kind: 'dormant' });
  });
});
