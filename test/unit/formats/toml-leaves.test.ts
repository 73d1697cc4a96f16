import { describe, expect, it } from 'vitest';
import type { Place } from '../../../src/formats/format.ts';
import { tomlFormat as toml } from '../../../src/formats/toml.ts';
import type { Json } from '../../../src/lib/json.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

function roundTrip(before: string, place: Place, value: Json, after: string) {
  const edit = unwrap(toml.insert(before, place, value, {}));
  expect(edit.text).toBe(after);
  expect(unwrap(toml.read(after, place))).toMatchObject({ state: 'present', value });
  expect(unwrap(toml.remove(after, place, edit))).toEqual({ text: before, trace: {}, containers: [] });
  return edit;
}

describe('a scalar at the root', () => {
  const place = { kind: 'key', path: ['approval_policy'] } as const;
  it.each([
    ['', 'approval_policy = "never"\n'],
    ['# about\n', '# about\n\napproval_policy = "never"\n'],
    ['model = "x" # m\n\n[t]\nx = 1\n', 'model = "x" # m\napproval_policy = "never"\n\n[t]\nx = 1\n'],
    ['model = "x"', 'model = "x"\napproval_policy = "never"'],
    ['x = [\n  1,\n]\n[t]\n', 'x = [\n  1,\n]\napproval_policy = "never"\n[t]\n'],
    ['[t]\nx = 1\n', 'approval_policy = "never"\n\n[t]\nx = 1\n'],
    ['# about t\n[t]\nx = 1\n', 'approval_policy = "never"\n\n# about t\n[t]\nx = 1\n'],
    ['#:schema x\n\n# about t\n[t]', '#:schema x\n\napproval_policy = "never"\n\n# about t\n[t]'],
    ['[t]\r\nx = 1\r\n', 'approval_policy = "never"\r\n\r\n[t]\r\nx = 1\r\n'],
  ])('stands before the first header in %j', (before, after) => {
    roundTrip(before, place, 'never', after);
  });
});

describe('a leaf of a table', () => {
  const place = { kind: 'key', path: ['features', 'hooks'] } as const;
  it.each([
    ['under a header', '[features]\na = 1 # one\n\n[t]\n', '[features]\na = 1 # one\nhooks = true\n\n[t]\n'],
    [
      'under a bare header',
      '[features] # mine\n# note\n\n[t]\n',
      '[features] # mine\nhooks = true\n# note\n\n[t]\n',
    ],
    ['at the end', '[features]\na = 1', '[features]\na = 1\nhooks = true'],
    [
      'after a value on several lines',
      '[features]\n  a = [\n1]\n',
      '[features]\n  a = [\n1]\n  hooks = true\n',
    ],
    ['beside dotted keys', 'features.a = 1\nx = 1\n', 'features.a = 1\nfeatures.hooks = true\nx = 1\n'],
    ['inline', 'features = { a = 1 }\n', 'features = { a = 1, hooks = true }\n'],
    ['in no table yet', '[t]\nx = 1\n', '[t]\nx = 1\n\n[features]\nhooks = true\n'],
    ['above sub-tables', '[features.sub]\nx = 1\n', '[features.sub]\nx = 1\n\n[features]\nhooks = true\n'],
    ['in no table, no final line end', 'x = 1', 'x = 1\n\n[features]\nhooks = true'],
  ])('%s', (_name, before, after) => {
    roundTrip(before, place, true, after);
  });

  it('inside the table of our server, which then goes as a whole', () => {
    const server = { kind: 'key', path: ['mcp_servers', 'vera'] } as const;
    const mode = { kind: 'key', path: ['mcp_servers', 'vera', 'default_tools_approval_mode'] } as const;
    const first = unwrap(toml.insert('x = 1\n', server, { url: 'u', env: { A: '1' } }, {}));
    const second = roundTrip(
      first.text,
      mode,
      'approve',
      first.text.replace('"u"\n', '"u"\ndefault_tools_approval_mode = "approve"\n'),
    );
    expect(unwrap(toml.remove(second.text, server, first)).text).toBe('x = 1\n');
  });

  it('hands the header that it created to the next leaf', () => {
    const more = { kind: 'key', path: ['features', 'more'] } as const;
    const one = unwrap(toml.insert('x = 1', place, true, {}));
    expect(one.containers).toMatchObject([{ path: ['features'], kind: 'object' }]);
    const two = unwrap(toml.insert(one.text, more, 1, {}));
    expect(two.containers).toEqual([]);
    const left = unwrap(toml.remove(two.text, place, { trace: one.trace, containers: one.containers }));
    expect(left).toMatchObject({ text: 'x = 1\n\n[features]\nmore = 1', containers: one.containers });
    expect(
      unwrap(toml.remove(left.text, more, { trace: two.trace, containers: left.containers })),
    ).toMatchObject({
      text: 'x = 1',
      containers: [],
    });
  });

  it('keeps a header that it did not create, or that the user put a key below', () => {
    const one = unwrap(toml.insert('', place, true, {}));
    const users = `${one.text}mine = 1\n`;
    expect(unwrap(toml.remove(users, place, one))).toMatchObject({ text: '[features]\nmine = 1\n' });
    expect(unwrap(toml.remove('[features]\nhooks = true\n', place, { containers: [] })).text).toBe(
      '[features]\n',
    );
  });

  it('is replaced in place', () => {
    const change = { set: new Map([['', false]]), unset: [] };
    const text = '[features]\nhooks  =  true # why\n';
    expect(unwrap(toml.update(text, place, change, { containers: [] })).text).toBe(
      '[features]\nhooks  =  false # why\n',
    );
  });
});

describe('the block of another tool', () => {
  const place = { kind: 'key', path: ['features', 'hooks'] } as const;
  it.each(['# BEGIN acme managed\n', '# >>> acme >>>\n'])('is not written into after %j', (begin) => {
    const end = begin.replace('BEGIN', 'END').replaceAll('>>>', '<<<');
    const text = `x = 1\n${begin}[features]\na = 1\n${end}`;
    expect(faultOf(toml.insert(text, place, true, {}))).toMatchObject({
      code: 'edit/unsupported',
      at: { line: 2 },
    });
    const server = { kind: 'key', path: ['mcp_servers', 'vera'] } as const;
    expect(unwrap(toml.insert(text, server, { url: 'u' }, {})).text.startsWith(text)).toBe(true);
    const open = `x = 1\n${begin}[features]\na = 1\n`;
    expect(unwrap(toml.insert(open, place, true, {})).text).toBe(`${open}hooks = true\n`);
    const closed = `${begin}x = 1\n${end}[features]\n`;
    expect(unwrap(toml.insert(closed, place, true, {})).text).toBe(`${closed}hooks = true\n`);
  });
});

describe('an item of an array', () => {
  const place = { kind: 'item', path: ['rules', 'ask'], value: 'b' } as const;
  it.each([
    ['[rules]\nask = ["a"]\n', '[rules]\nask = ["a", "b"]\n'],
    ['[rules]\nask = ["a",] # c\n', '[rules]\nask = ["a", "b",] # c\n'],
    ['rules.ask = []\n', 'rules.ask = ["b"]\n'],
    ['[rules]\nask = [\n  "a",\n]\n', '[rules]\nask = [\n  "a",\n  "b",\n]\n'],
    ['[rules]\r\nask = [\r\n\t"a"\r\n]\r\n', '[rules]\r\nask = [\r\n\t"a",\r\n\t"b"\r\n]\r\n'],
    ['[rules]\n', '[rules]\nask = ["b"]\n'],
    ['x = 1', 'x = 1\n\n[rules]\nask = ["b"]'],
  ])('goes into %j and out again', (before, after) => {
    roundTrip(before, place, 'b', after);
  });

  it('keeps an array of ours that the user put another value into', () => {
    const edit = unwrap(toml.insert('x = 1\n', place, 'b', {}));
    const users = edit.text.replace('["b"]', '["b", "mine"]');
    expect(unwrap(toml.remove(users, place, edit)).text).toBe('x = 1\n\n[rules]\nask = ["mine"]\n');
  });

  it('is found by its tag when its value was edited, and replaced', () => {
    const tagged = { kind: 'item', path: ['hooks'], value: { command: 'sh a.sh' }, tag: 'a.sh' } as const;
    const text = 'hooks = [{ command = "sh b.sh" }, { command = "bash a.sh", t = 1 }]\n';
    expect(unwrap(toml.read(text, tagged))).toMatchObject({
      byTag: true,
      value: { t: 1 },
      at: { column: 35 },
    });
    const change = { set: new Map<string, Json>([['', { command: 'sh a.sh' }]]), unset: [] };
    expect(unwrap(toml.update(text, tagged, change, { containers: [] })).text).toBe(
      'hooks = [{ command = "sh b.sh" }, { command = "sh a.sh" }]\n',
    );
    expect(unwrap(toml.read('hooks = []\n', tagged))).toEqual({ state: 'absent' });
  });

  it.each([
    ['[rules]\nask = 1\n', 'config/shape'],
    ['[rules.ask]\nx = 1\n', 'config/shape'],
    ['[[rules.ask]]\nx = 1\n', 'edit/unsupported'],
    ['[rules]\nask = [\n  "a", # why\n]\n', 'edit/unsupported'],
    ['[rules]\nask = ["b"]\n', 'edit/unprovable'],
  ])('is refused by %j', (text, code) => {
    expect(faultOf(toml.insert(text, place, 'b', {})).code).toBe(code);
  });
});

describe('places and positions', () => {
  const text = '# c\na.b = 1\n[ t ]\nx = [ "p", { q = "r" } ]\n[[l]]\nn = 1\n[[l]]\nn = 2\n[m.s]\n';
  it.each([
    [['a', 'b'], 2, 1],
    [['a'], 2, 1],
    [['t'], 3, 1],
    [['t', 'x'], 4, 1],
    [['t', 'x', '1'], 4, 12],
    [['t', 'x', '1', 'q'], 4, 14],
    [['l', '1', 'n'], 8, 1],
    [['m'], 9, 1],
    [[], 1, 1],
  ])('locates %j', (path, line, column) => {
    expect(toml.locate(text, path)).toMatchObject({ line, column });
  });

  it('locates nothing that is not there', () => {
    for (const path of [['z'], ['t', 'x', '7'], ['a', 'b', 'c']])
      expect(toml.locate(text, path)).toBeUndefined();
    expect(toml.locate('a = ', [])).toBeUndefined();
  });

  it('parses datetimes to their text and empty documents to nothing', () => {
    expect(unwrap(toml.parse('d = 1979-05-27\n[__proto__]\nx = 1\n'))).toMatchObject({ d: '1979-05-27' });
    expect(Object.keys(unwrap(toml.parse('[__proto__]\nx = 1\n')) as object)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(unwrap(toml.parse('# only\n'))).toBeUndefined();
  });

  it('holds no block, line or whole file, and does not update or remove what is absent', () => {
    for (const place of [{ kind: 'file' }, { kind: 'block', id: 'x' }, { kind: 'key', path: [] }] as const)
      expect(faultOf(toml.read('', place)).code).toBe('edit/unsupported');
    const place = { kind: 'key', path: ['a'] } as const;
    expect(faultOf(toml.remove('b = 1\n', place, { containers: [] })).code).toBe('edit/unprovable');
    const change = { set: new Map([['', 1]]), unset: [] };
    expect(faultOf(toml.update('b = 1\n', place, change, { containers: [] })).code).toBe('edit/unprovable');
  });

  describe('the whole value of a table', () => {
    const place = { kind: 'key', path: ['s', 'v'] } as const;
    const whole = (before: string, value: Json, unset: string[] = []) =>
      toml.update(before, place, { set: new Map([['', value]]), unset }, { containers: [] });
    it.each<[string, string, Json, string]>([
      ['an empty table gets its leaves', '[s.v]\n\n[t]\n', { url: 'u' }, '[s.v]\nurl = "u"\n\n[t]\n'],
      ['other leaves go', '[s.v]\na = 1\nurl = "x"\n', { url: 'u' }, '[s.v]\nurl = "u"\n'],
      ['all leaves go', '[s.v]\na = 1\n\n[t]\n', {}, '[s.v]\n\n[t]\n'],
      [
        'a sub-table goes',
        '[s.v]\nurl = "u"\n\n[s.v.env]\nA = "1"\n\n[t]\n',
        { url: 'u' },
        '[s.v]\nurl = "u"\n\n[t]\n',
      ],
      ['a leaf becomes a table', '[s.v]\na = 1\n', { a: { b: 2 } }, '[s.v]\n\n[s.v.a]\nb = 2\n'],
      ['equal: nothing', '[s.v]\na = 1 # mine\n', { a: 1 }, '[s.v]\na = 1 # mine\n'],
      ['an inline table', 's.v = { a = 1 }\n', { b: 2 }, 's.v = { b = 2 }\n'],
      ['an inline table without leaves', 's.v = { a = 1 }\n', {}, 's.v = {}\n'],
    ])('%s', (_what, before, value, after) => {
      expect(unwrap(whole(before, value)).text).toBe(after);
      expect(unwrap(toml.read(after, place))).toMatchObject({ value });
    });

    it('is a table; an empty one beside leaves that go leaves the others', () => {
      expect(faultOf(whole('x = 1\n\n[s.v]\na = 1\n', 1))).toMatchObject({
        code: 'edit/unsupported',
        at: { line: 3 },
      });
      expect(faultOf(whole('[[s.v]]\na = 1\n', { a: 1 })).code).toBe('edit/unsupported');
      expect(unwrap(whole('[s.v]\na = 1\nb = 2\n', {}, ['/a'])).text).toBe('[s.v]\nb = 2\n');
    });
  });

  it('reads a token of any length', () => {
    const long = 'x'.repeat(300_000);
    expect(unwrap(toml.parse(`a = "${long}"\n`))).toEqual({ a: long });
  });
});
