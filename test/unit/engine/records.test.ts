import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanRequest } from '../../../src/engine/plan-request.ts';
import { isSharedItem, recordIdentities, recordOf } from '../../../src/engine/records.ts';
import type { Desired } from '../../../src/engine/types.ts';
import { composeWishes, type Wish } from '../../../src/engine/wishes.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import type { Json } from '../../../src/lib/json.ts';
import { MemoryRepo, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const FILE = '.claude/settings.json';
const owner = (integration: string, artifact = 'hook', version = '1.0.0') => ({
  integration,
  artifact,
  version,
});
const group = (command: string): Json => ({ hooks: [{ type: 'command', command }] });
const item = (value: Json, more: Partial<Desired> = {}): Desired => ({
  ...want(FILE, [], value, { owner: owner('vera'), ...more }),
  target: {
    path: FILE,
    format: 'json',
    place: { kind: 'item', path: ['hooks', 'Start'], value, tag: 'x.cjs' },
  },
});
const wishOf = (...desired: Desired[]): Wish => composeWishes(desired, () => false).wishes[0] as Wish;
const key = (value: Json, more: Partial<Desired> = {}) => wishOf(want('.mcp.json', ['a'], value, more));

describe('a record', () => {
  test('remembers values oldest first, each once, at most twenty', () => {
    let record = recordOf(key(0), undefined, { t: 1 }, '/repo');
    expect(record).toMatchObject({ trace: { t: 1 }, scope: 'project', order: 'normal' });
    for (let at = 1; at < 25; at += 1) record = recordOf(key(at), record, undefined, '/repo');
    const prints = (from: number) =>
      Array.from(
        { length: 25 - from },
        (_, at) => recordOf(key(from + at), undefined, {}, '/').generations[0]?.print,
      );
    expect(record.generations.map(({ print }) => print)).toEqual(prints(5));
    expect(record.trace).toEqual({ t: 1 });
    const again = recordOf(key(10), record, undefined, '/repo');
    expect(again.generations).toHaveLength(20);
    expect(again.generations.at(-1)?.print).toBe(prints(10)[0]);
    expect(recordOf(key(10), again, undefined, '/repo').generations).toBe(again.generations);
  });

  test('keeps the value of an item, which finds it again, and of nothing else', () => {
    expect(recordOf(key({ a: 1 }), undefined, {}, '/').generations[0]).not.toHaveProperty('value');
    expect(recordOf(wishOf(item(group('x'))), undefined, {}, '/').generations[0]).toHaveProperty(
      'value',
      group('x'),
    );
  });

  test('keeps other owners, and one of an integration in its newest version', () => {
    const before = recordOf(key(1, { owner: owner('acme') }), undefined, {}, '/');
    const next = recordOf(key(1, { owner: owner('vera'), runtimes: ['zed'] }), before, undefined, '/');
    expect(next.owners).toEqual([owner('vera'), owner('acme')]);
    expect(next.runtimes).toEqual(['claude-code', 'zed']);
    const upgraded = recordOf(
      key(1, { owner: owner('vera', 'renamed', '2.0.0'), runtimes: ['zed'] }),
      recordOf(key(1, { owner: owner('vera') }), undefined, {}, '/'),
      undefined,
      '/',
    );
    expect(upgraded.owners).toEqual([owner('vera', 'renamed', '2.0.0')]);
    const same = recordOf(
      key(1, { owner: owner('vera', 'hook', '2.0.0'), runtimes: ['zed'] }),
      recordOf(key(1, { owner: owner('vera') }), undefined, {}, '/'),
      undefined,
      '/',
    );
    expect(same).toMatchObject({ owners: [owner('vera', 'hook', '2.0.0')], runtimes: ['zed'] });
  });

  test('names its root where it stands outside of it, for this root alone', () => {
    const at = (path: string, scope: Desired['scope']) =>
      recordOf(wishOf(want(path, ['a'], 1, { scope })), undefined, {}, '/repo');
    expect(at('~/x.json', 'local')).toHaveProperty('root', '/repo');
    expect(at('/abs/x.json', 'local')).toHaveProperty('root', '/repo');
    expect(at('~/x.json', 'user')).not.toHaveProperty('root');
    expect(at('x.json', 'local')).not.toHaveProperty('root');
  });

  test('keeps what was put aside until it is put back', () => {
    const before = { ...recordOf(key(1), undefined, {}, '/'), replaced: { backup: 'x', whole: false } };
    expect(recordOf(key(2), before, undefined, '/').replaced).toEqual({ backup: 'x', whole: false });
    expect(recordOf(key(2), undefined, undefined, '/')).not.toHaveProperty('replaced');
  });
});

describe('an item that two owners want', () => {
  const record = recordOf(wishOf(item(group('x'))), undefined, {}, '/');

  test('has an identity for each owner', () => {
    const both = { ...record, owners: [owner('vera'), owner('acme')] };
    expect(recordIdentities(both)).toEqual([
      `${FILE}#/hooks/Start/@vera/hook`,
      `${FILE}#/hooks/Start/@acme/hook`,
    ]);
    expect(recordIdentities(recordOf(key(1), undefined, {}, '/'))).toEqual(['.mcp.json#/a']);
  });

  test.each<[string, boolean, Wish]>([
    ['an equal one', true, wishOf(item(group('x'), { owner: owner('acme') }))],
    ['another value', false, wishOf(item(group('y'), { owner: owner('acme') }))],
    ['a key', false, key(group('x'))],
    [
      'another list',
      false,
      wishOf({
        ...item(group('x')),
        target: {
          path: FILE,
          format: 'json',
          place: { kind: 'item', path: ['hooks', 'Stop'], value: group('x'), tag: 'x.cjs' },
        },
      }),
    ],
    [
      'another script',
      false,
      wishOf({
        ...item(group('x')),
        target: {
          path: FILE,
          format: 'json',
          place: { kind: 'item', path: ['hooks', 'Start'], value: group('x'), tag: 'y.cjs' },
        },
      }),
    ],
    [
      'another file',
      false,
      wishOf({ ...item(group('x')), target: { ...item(group('x')).target, path: 'other.json' } }),
    ],
  ])('%s is the same item: %s', (_, shared, wish) => {
    expect(isSharedItem(record, wish)).toBe(shared);
  });

  test('two plain items are not one by being equal in having no tag', () => {
    const plain = (value: string): Desired => ({
      ...want(FILE, [], value),
      target: { path: FILE, format: 'json', place: { kind: 'item', path: ['permissions', 'ask'], value } },
    });
    const [one, wish] = [recordOf(wishOf(plain('a')), undefined, {}, '/'), wishOf(plain('a'))];
    expect(isSharedItem(one, wish)).toBe(false);
  });

  test('is written once and goes with the last owner', () => {
    const repo = new MemoryRepo({ [FILE]: '{"hooks":{}}' });
    const before = repo.snapshot();
    const acme = item(group('node x.cjs'), { owner: owner('acme') });
    repo.apply(repo.plan([item(group('node x.cjs'))]));
    const second = repo.plan([acme]);
    expect(second.plan.files).toEqual([]);
    repo.apply(second);
    expect(repo.ledgers.root.records).toMatchObject([{ owners: [owner('acme'), owner('vera')] }]);
    const leave = (left: string): Partial<PlanRequest> => ({
      command: 'uninstall',
      uncovered: ({ owners }) => {
        const keepOwners = owners.filter(({ integration }) => integration === left);
        return keepOwners.length > 0 ? { keepOwners } : 'remove';
      },
    });
    repo.apply(repo.plan([], leave('acme')));
    expect(JSON.parse(repo.files.get(FILE) as string).hooks.Start).toHaveLength(1);
    repo.apply(repo.plan([], leave('none')));
    expect(repo.snapshot()).toEqual(before);
  });

  test('of an older value is found by it and becomes the newest one in its place', () => {
    const repo = new MemoryRepo({ [FILE]: '{"hooks":{}}' });
    for (const command of ['1', '2']) repo.apply(repo.plan([item(group(command))]));
    const two = repo.files.get(FILE) as string;
    repo.files.set(FILE, two.replace('"2"', '"1"'));
    const { plan } = repo.plan([item(group('3'))]);
    expect(plan.ops).toMatchObject([{ action: 'update' }]);
    expect(JSON.parse(new TextDecoder().decode(plan.files[0]?.result)).hooks.Start).toEqual([group('3')]);
  });
});
