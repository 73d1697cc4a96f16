import { describe, expect, it } from 'vitest';
import { jsonFormat } from '../../../src/formats/json.ts';
import { expected } from '../../../src/formats/json-update.ts';
import type { Json } from '../../../src/lib/json.ts';
import { add, draft, item, key, take } from '../../helpers/json-edits.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const oak = key('oak');
const change = (set: Record<string, Json>, unset: string[] = []) => ({
  set: new Map(Object.entries(set)),
  unset,
});
const update = (text: string, what: ReturnType<typeof change>): string =>
  unwrap(jsonFormat.update(text, oak, what, { containers: [] })).text;

describe('a changed list of objects', () => {
  it.each([
    [
      'stands on lines where its member begins one',
      '{\n  "oak": {\n    "args": ["x"]\n  }\n}\n',
      '{\n  "oak": {\n    "args": [\n      {\n        "a": 1\n      }\n    ]\n  }\n}\n',
    ],
    [
      'stands on lines where it stood on several',
      '{ "oak": { "args": [\n  "x"\n] } }\n',
      '{ "oak": { "args": [\n  {\n    "a": 1\n  }\n] } }\n',
    ],
    [
      'stays on the line that its member shares',
      '{\n  "oak": { "args": ["x"] }\n}\n',
      '{\n  "oak": { "args": [{"a": 1}] }\n}\n',
    ],
  ])('%s', (_, text, after) => {
    expect(update(text, change({ '/args': [{ a: 1 }] }))).toBe(after);
  });
});

describe('update splices values', () => {
  const before =
    '{\n  "oak": {\n    "url": "u", // where\n    "env": { "A": "1" },\n    "args": ["x"]\n  }, // ours\n  "z": 1.0\n}\n';
  it.each([
    ['a changed scalar', { '/url': 'v' }, [], before.replace('"u"', '"v"')],
    ['a changed array', { '/args': ['x', 'y'] }, [], before.replace('["x"]', '["x", "y"]')],
    ['a new member at the end', { '/on': true }, [], before.replace('["x"]', '["x"],\n    "on": true')],
    [
      'a new member of an inner object',
      { '/env/B': '2' },
      [],
      before.replace('"A": "1"', '"A": "1", "B": "2"'),
    ],
    [
      'missing inner objects',
      { '/headers/a~1b/c': 'd' },
      [],
      before.replace('["x"]', '["x"],\n    "headers": {\n      "a/b": {\n        "c": "d"\n      }\n    }'),
    ],
    ['an unset member', {}, ['/args'], before.replace(',\n    "args": ["x"]', '')],
    ['the last member of an inner object', {}, ['/env/A'], before.replace('\n    "env": { "A": "1" },', '')],
    ['an inner object emptied on purpose', { '/env': {} }, ['/env/A'], before.replace('{ "A": "1" }', '{}')],
    ['one member for another', { '/env/B': '2' }, ['/env/A'], before.replace('"A": "1"', '"B": "2"')],
    ['a value for an object', { '/env': 'off' }, ['/env/A'], before.replace('{ "A": "1" }', '"off"')],
    [
      'an object for a value',
      { '/url/host': 'h' },
      ['/url'],
      before.replace('"u"', '{\n      "host": "h"\n    }'),
    ],
    ['nothing', {}, [], before],
    ['what is so already', { '/url': 'u' }, ['/absent'], before],
  ])('%s', (_, set, unset, after) => {
    expect(update(before, change(set as Record<string, Json>, unset))).toBe(after);
  });

  it('replaces a whole entry', () => {
    expect(update('{\n  "oak": "a"\n}\n', change({ '': { b: [] } }))).toBe(
      '{\n  "oak": {\n    "b": []\n  }\n}\n',
    );
  });

  it('keeps a minified file on one line', () => {
    expect(update('{"oak":{"a":1}}', change({ '/b/c': [1, 2] }))).toBe('{"oak":{"a":1,"b":{"c":[1,2]}}}');
  });

  it('keeps CRLF', () => {
    expect(update('{\r\n  "oak": {\r\n    "a": 1\r\n  }\r\n}\r\n', change({ '/b': {}, '/c/d': 1 }))).toBe(
      '{\r\n  "oak": {\r\n    "a": 1,\r\n    "b": {},\r\n    "c": {\r\n      "d": 1\r\n    }\r\n  }\r\n}\r\n',
    );
  });

  it('fills an empty entry and empties a full one', () => {
    expect(update('{"oak": {}}', change({ '/a': 1 }))).toBe('{"oak": {"a": 1}}');
    expect(update('{"oak": {"a": 1}}', change({}, ['/a']))).toBe('{"oak": {}}');
  });

  it('treats __proto__ as a name', () => {
    expect(update('{"oak": {"a": 1}}', change({ '/__proto__/x': 1 }))).toBe(
      '{"oak": {"a": 1, "__proto__": {"x": 1}}}',
    );
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('replaces an array item by its value', () => {
    const text = '{"ask": ["a", "b"]}';
    const edit = jsonFormat.update(text, item(['ask'], 'a'), change({ '': 'c' }), { containers: [] });
    expect(unwrap(edit).text).toBe('{"ask": ["c", "b"]}');
  });
});

describe('update and remove', () => {
  it.each(['{}', '{"x":1}', '{\n  "x": 1\n}\n', '', '{\n  "x": 1,\n}\n'])('gives %j back', (before) => {
    const place = key('servers', 'oak');
    const added = add(draft(before), place, { url: 'u', env: { A: '1' } });
    const edit = unwrap(
      jsonFormat.update(added.text, place, change({ '/url': 'v', '/headers/h': 'x' }, ['/env/A']), added),
    );
    expect(jsonFormat.read(edit.text, place)).toMatchObject({
      value: { value: { url: 'v', headers: { h: 'x' } } },
    });
    expect(take(edit, place, edit.trace)).toEqual({ text: before, containers: [] });
  });
});

describe('update refuses', () => {
  it('an absent entry', () => {
    expect(faultOf(jsonFormat.update('{}', oak, change({ '': 1 }), { containers: [] })).code).toBe(
      'edit/not-found',
    );
  });

  it('a leaf where the user has an object, and an object where the user has a leaf', () => {
    const text = '{"oak": {"env": {"A": 1, "MINE": 2}, "url": "u"}}';
    const at = { line: 1, column: 9 };
    const run = (set: Record<string, Json>, unset: string[]) =>
      faultOf(jsonFormat.update(text, oak, change(set, unset), { containers: [] }));
    expect(run({ '/env': 'off' }, ['/env/A'])).toMatchObject({ code: 'edit/unsupported', at });
    expect(run({ '/url/host': 'h' }, [])).toMatchObject({ code: 'edit/unsupported', at });
  });

  it('members of an entry that is no object', () => {
    const fault = faultOf(jsonFormat.update('{"oak": [1]}', oak, change({ '/a': 1 }), { containers: [] }));
    expect(fault.code).toBe('config/shape');
  });

  it('an array with a comment of the user in it', () => {
    const text = '{"oak": {"args": [1, /* mine */ 2]}}';
    const fault = faultOf(jsonFormat.update(text, oak, change({ '/args': [1] }), { containers: [] }));
    expect(fault).toMatchObject({ code: 'edit/user-comment', at: { column: 22 } });
    const forced = jsonFormat.update(text, oak, change({ '/args': [1] }), { containers: [], force: true });
    expect(unwrap(forced).text).toBe('{"oak": {"args": [1]}}');
  });
});

describe('expected', () => {
  it('keeps leaves of the user and their order', () => {
    const value = { a: 1, mine: { x: 1 }, list: [1] };
    const result = unwrap(expected(value, change({ '/b': 2, '/a': 3 }, ['/list'])));
    expect(JSON.stringify(result)).toBe('{"a":3,"mine":{"x":1},"b":2}');
  });

  it('leaves an empty object alone that gains a member', () => {
    expect(unwrap(expected({ env: {} }, change({ '/env/A': 1 })))).toEqual({ env: { A: 1 } });
    expect(unwrap(expected({ env: { A: 1 } }, change({ '/env': {} })))).toEqual({ env: { A: 1 } });
  });
});
