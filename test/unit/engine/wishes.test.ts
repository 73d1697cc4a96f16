import { describe, expect, test } from 'vitest';
import type { Desired } from '../../../src/engine/types.ts';
import { composeWishes } from '../../../src/engine/wishes.ts';
import type { Json } from '../../../src/lib/json.ts';
import { want } from '../../helpers/memory-repo.ts';

const FILE = '.codex/config.toml';
const owner = (integration: string, artifact = 'server') => ({ integration, artifact, version: '1.0.0' });
const key = (path: string[], value: Json, more: Partial<Desired> = {}): Desired =>
  want(FILE, path, value, more);
const item = (value: Json, more: Partial<Desired> = {}, tag: string | null = 'x.cjs'): Desired => ({
  ...want('.claude/settings.json', [], value, more),
  target: {
    path: '.claude/settings.json',
    format: 'json',
    place: { kind: 'item', path: ['hooks', 'Start'], value, ...(tag === null ? {} : { tag }) },
  },
});
const compose = (...desired: Desired[]) => composeWishes(desired, () => false);
const valuesOf = (...desired: Desired[]) => compose(...desired).wishes.map(({ value }) => value);

describe('wishes at one address', () => {
  test('of several owners share it when they are equal, with everything of both', () => {
    const { wishes, problems } = compose(
      key(['s', 'a'], { url: 'x', n: 1 }, { owner: owner('one'), runtimes: ['codex'] }),
      key(
        ['s', 'a'],
        { n: 1, url: 'x' },
        { owner: owner('two'), runtimes: ['codex', 'zed'], class: 'grants', switches: ['/t'] },
      ),
    );
    expect(problems).toEqual([]);
    expect(wishes).toMatchObject([
      {
        address: `${FILE}#/s/a`,
        identity: `${FILE}#/s/a`,
        owners: [owner('one'), owner('two')],
        runtimes: ['codex', 'zed'],
        classes: ['connects', 'grants'],
        switches: ['/enabled', '/t'],
        main: { owner: owner('one') },
      },
    ]);
  });

  test('of one artifact for two runtimes have it as owner once; two artifacts of one integration both', () => {
    const twice = compose(key(['a'], 1, { runtimes: ['x'] }), key(['a'], 1, { runtimes: ['y'] }));
    expect(twice.wishes).toMatchObject([{ owners: [owner('vera')], runtimes: ['x', 'y'] }]);
    const two = compose(key(['a'], 1), key(['a'], 1, { owner: owner('vera', 'other') }));
    expect(two.wishes[0]?.owners).toHaveLength(2);
  });

  test('that differ are a problem of both, and the first one stays', () => {
    const { wishes, problems } = compose(
      key(['a'], 1, { owner: owner('one'), runtimes: ['x'] }),
      key(['a'], 2, { owner: owner('two'), runtimes: ['y'] }),
    );
    expect(wishes.map(({ value }) => value)).toEqual([1]);
    expect(problems).toEqual([
      {
        code: 'ownership/overlap',
        address: `${FILE}#/a`,
        message: 'two and one want different things at this address',
        runtimes: ['x', 'y'],
      },
    ]);
  });

  test('in two files are two', () => {
    expect(compose(key(['a'], 1), want('.mcp.json', ['a'], 2)).wishes).toHaveLength(2);
  });
});

describe('a wish inside the entry of another', () => {
  const outer = key(['s', 'a'], { url: 'x' });
  const inner = (value: Json, more: Partial<Desired> = {}) =>
    key(['s', 'a', 'tools', 'write'], value, { class: 'grants', owner: owner('vera', 'mode'), ...more });

  test('becomes part of it, whichever comes first', () => {
    for (const both of [
      [outer, inner('ask')],
      [inner('ask'), outer],
    ]) {
      const { wishes, problems } = compose(...both);
      expect(problems).toEqual([]);
      expect(wishes).toMatchObject([
        {
          address: `${FILE}#/s/a`,
          value: { url: 'x', tools: { write: 'ask' } },
          classes: ['connects', 'grants'],
          owners: [owner('vera'), owner('vera', 'mode')],
        },
      ]);
    }
  });

  test('equal to what stands there already changes nothing; another is a problem', () => {
    const there = key(['s', 'a'], { tools: { write: 'ask', read: 'x' } });
    expect(valuesOf(there, inner('ask'))).toEqual([{ tools: { write: 'ask', read: 'x' } }]);
    const { wishes, problems } = compose(there, inner('never'));
    expect(wishes.map(({ value }) => value)).toEqual([{ tools: { write: 'ask', read: 'x' } }]);
    expect(problems).toMatchObject([{ code: 'ownership/overlap', address: `${FILE}#/s/a/tools/write` }]);
  });

  test('of another integration is a problem', () => {
    const { wishes, problems } = compose(outer, inner('ask', { owner: owner('other') }));
    expect(wishes).toHaveLength(1);
    expect(problems).toMatchObject([{ message: 'other and vera want different things at this address' }]);
  });

  test('beside it, in another file, or with a name that only begins alike is one of its own', () => {
    for (const other of [
      key(['s', 'ab', 'tools'], 1),
      key(['t', 'a', 'tools'], 1),
      want('.mcp.json', ['s', 'a', 'tools'], 1),
    ])
      expect(compose(outer, other)).toMatchObject({ problems: [], wishes: [{}, {}] });
  });

  test('an item in an array is never part of a key', () => {
    const settings = want('.claude/settings.json', ['hooks'], {});
    expect(compose(settings, item({ a: 1 })).wishes).toHaveLength(2);
  });

  test('with a name that objects have anyway is set as a member', () => {
    const [value] = valuesOf(outer, key(['s', 'a', '__proto__', 'x'], 1));
    expect(Object.keys(value as object)).toEqual(['url', '__proto__']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    const [named] = valuesOf(outer, key(['s', 'a', 'constructor'], 1));
    expect(Object.hasOwn(named as object, 'constructor')).toBe(true);
  });
});

describe('a wish that only makes sense inside an entry', () => {
  const mode = key(['s', 'a', 'mode'], 'ask', { within: ['s', 'a'], summary: 'asks before writing' });

  test('is left out with a finding where the entry is neither there nor wanted', () => {
    expect(compose(mode)).toEqual({
      wishes: [],
      problems: [],
      findings: [
        {
          code: 'render/entry-missing',
          severity: 'warning',
          subject: `${FILE}#/s/a/mode`,
          message: 'left out: asks before writing belongs into an entry that is neither there nor wanted',
        },
      ],
    });
  });

  test('is wished for where it is there, asked for by file and path', () => {
    const asked: unknown[] = [];
    const { wishes, findings } = composeWishes([mode], (target, path) => {
      asked.push([target.path, path]);
      return true;
    });
    expect([wishes.length, findings.length, asked]).toEqual([1, 0, [[FILE, ['s', 'a']]]]);
  });

  test('joins the entry where it is wanted', () => {
    expect(compose(key(['s', 'a'], { url: 'x' }), mode)).toMatchObject({
      findings: [],
      wishes: [{ value: { url: 'x', mode: 'ask' } }],
    });
  });
});

describe('items of an array', () => {
  test('for the same script are shared when equal, by their owners', () => {
    const { wishes } = compose(item({ a: 1 }), item({ a: 1 }, { owner: owner('two') }));
    expect(wishes).toMatchObject([{ owners: [owner('vera'), owner('two')] }]);
  });

  test.each<[string, Desired]>([
    ['another value', item({ a: 2 }, { owner: owner('two') })],
    ['another script', item({ a: 1 }, { owner: owner('two') }, 'y.cjs')],
    [
      'another list',
      {
        ...item({ a: 1 }, { owner: owner('two') }),
        target: {
          path: '.claude/settings.json',
          format: 'json',
          place: { kind: 'item', path: ['hooks', 'Stop'], value: { a: 1 }, tag: 'x.cjs' },
        },
      },
    ],
    [
      'another file',
      {
        ...item({ a: 1 }, { owner: owner('two') }),
        target: { ...item({ a: 1 }).target, path: '.claude/settings.local.json' },
      },
    ],
  ])('with %s are two', (_, other) => {
    expect(compose(item({ a: 1 }), other)).toMatchObject({ problems: [], wishes: [{}, {}] });
  });

  test('without a tag are known by their value', () => {
    const { wishes } = compose(item('Bash', {}, null), item('Bash', { owner: owner('two') }, null));
    expect(wishes).toMatchObject([{ owners: [owner('vera'), owner('two')] }]);
    expect(compose(item('Bash', {}, null), item('Read', {}, null)).wishes).toHaveLength(2);
  });

  test('with a tag are known by their artifact, so that a new value is an update', () => {
    expect(compose(item({ a: 1 })).wishes[0]?.identity).toBe(compose(item({ a: 2 })).wishes[0]?.identity);
    expect(compose(item({ a: 1 })).wishes[0]?.address).not.toBe(compose(item({ a: 2 })).wishes[0]?.address);
  });
});
