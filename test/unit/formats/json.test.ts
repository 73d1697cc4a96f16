import { describe, expect, it } from 'vitest';
import { jsonFormat } from '../../../src/formats/json.ts';
import { item, key } from '../../helpers/json-edits.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

describe('parse', () => {
  it('gives undefined for a document without a value', () => {
    expect(unwrap(jsonFormat.parse(' // nothing\n'))).toBeUndefined();
  });

  it('bounds the depth', () => {
    expect(faultOf(jsonFormat.parse('{"a": {"b": 1}}', { maxDepth: 1 })).code).toBe('config/too-deep');
  });
});

describe('a member that the user put behind ours', () => {
  const place = key('m', 'vera');
  it.each([
    ['{\n  "m": {\n    "a": 1\n  , "b": 2\n  }\n}\n', '\n  }\n}', '\n  , "c": 3\n  }\n}'],
    ['{"m":{"a":1}}\n', '}}', ' , "c": 3}}'],
    ['{"m":{"a":1}}\n', '}}', ', "c": 3}}'],
  ])('keeps its comma where it was written: %j', (text, end, continued) => {
    const edit = unwrap(jsonFormat.insert(text, place, { url: 'u' }, {}));
    const edited =
      edit.text.slice(0, edit.text.lastIndexOf(end)) +
      continued +
      edit.text.slice(edit.text.lastIndexOf(end) + end.length);
    const wanted =
      text.slice(0, text.lastIndexOf(end)) + continued + text.slice(text.lastIndexOf(end) + end.length);
    expect(unwrap(jsonFormat.remove(edited, place, edit)).text).toBe(wanted);
    // Without a record too.
    expect(unwrap(jsonFormat.remove(edited, place, { containers: [] })).text).toBe(wanted);
  });
});

describe('read', () => {
  const text =
    '{\n  "servers": {\n    "oak": { "url": "u" }\n  },\n  "ask": ["a", {"run": "sh oak.sh"}, "a"]\n}\n';

  it('finds a member and where its name stands', () => {
    expect(unwrap(jsonFormat.read(text, key('servers', 'oak')))).toEqual({
      state: 'present',
      value: { url: 'u' },
      at: { offset: 21, line: 3, column: 5 },
    });
  });

  it.each([
    [key('servers', 'elm')],
    [key('missing', 'oak')],
    [key('servers', 'toString')],
    [item(['ask'], 'b')],
    [item(['other'], 'a')],
    [item(['ask'], { run: 'x' }, 'elm.sh')],
  ])('says absent for %j', (place) => {
    expect(unwrap(jsonFormat.read(text, place))).toEqual({ state: 'absent' });
  });

  it('finds the last of equal items', () => {
    expect(unwrap(jsonFormat.read(text, item(['ask'], 'a')))).toMatchObject({ at: { line: 5, column: 38 } });
  });

  it('finds an edited item by its tag and says so', () => {
    expect(unwrap(jsonFormat.read(text, item(['ask'], { run: 'oak.sh' }, 'oak.sh')))).toEqual({
      state: 'present',
      value: { run: 'sh oak.sh' },
      at: expect.objectContaining({ line: 5 }),
      byTag: true,
    });
  });

  it('prefers the value over the tag', () => {
    const both = '{"ask": ["oak.sh", "oak.sh --more"]}';
    const found = unwrap(jsonFormat.read(both, item(['ask'], 'oak.sh', 'oak.sh')));
    expect(found).toMatchObject({ value: 'oak.sh', at: { column: 10 } });
    expect(found).not.toHaveProperty('byTag');
  });

  it('compares items whatever the order and spelling of their members', () => {
    const spelled = '{"ask": [{"b": "\\u0041", "a": 1.0}]}';
    expect(unwrap(jsonFormat.read(spelled, item(['ask'], { a: 1, b: 'A' }))).state).toBe('present');
  });

  it('refuses what programs read differently', () => {
    expect(faultOf(jsonFormat.read('{"servers": {}, "servers": {}}', key('servers', 'oak'))).code).toBe(
      'config/duplicate-key',
    );
    expect(faultOf(jsonFormat.read('{"servers": 1}', key('servers', 'oak')))).toMatchObject({
      code: 'config/shape',
      message: 'servers must be an object, but it is a number',
    });
    expect(faultOf(jsonFormat.read('{"a b": {"ask": {}}}', item(['a b', 'ask'], 1))).message).toBe(
      '"a b".ask must be an array, but it is an object',
    );
  });

  it('reads a server called 0 as a member, never as a position', () => {
    expect(faultOf(jsonFormat.read('{"servers": [{"url": "u"}]}', key('servers', '0'))).code).toBe(
      'config/shape',
    );
  });
});

describe('locate', () => {
  const text = '{\n  "a": [\n    {"b": 1}\n  ]\n}';
  it('finds members and elements', () => {
    expect(jsonFormat.locate(text, ['a'])).toEqual({ offset: 4, line: 2, column: 3 });
    expect(jsonFormat.locate(text, ['a', '0', 'b'])).toMatchObject({ line: 3, column: 6 });
    expect(jsonFormat.locate(text, [])).toMatchObject({ offset: 0 });
  });

  it.each([[['x']], [['a', '1']], [['a', '-1']], [['a', '0', 'b', 'c']]])(
    'gives undefined for %j',
    (path) => {
      expect(jsonFormat.locate(text, path)).toBeUndefined();
    },
  );

  it('gives undefined for malformed text', () => {
    expect(jsonFormat.locate('{"a": 1', ['a'])).toBeUndefined();
  });
});

describe('snippet', () => {
  it('is a document with the entry at its place', () => {
    expect(jsonFormat.snippet(key('servers', 'oak'), { url: 'u' })).toBe(
      '{\n  "servers": {\n    "oak": {\n      "url": "u"\n    }\n  }\n}',
    );
    expect(jsonFormat.snippet(item(['ask'], 'x'), 'x')).toBe('{\n  "ask": ["x"]\n}');
  });
});

describe('places of other formats', () => {
  it('are a bug of the caller', () => {
    expect(() => jsonFormat.read('{}', { kind: 'line', line: 'x' })).toThrow(/no place of kind line/);
    expect(() => jsonFormat.read('{}', key())).toThrow(/empty path/);
  });
});
