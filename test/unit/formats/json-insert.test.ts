import { describe, expect, it } from 'vitest';
import { jsonFormat } from '../../../src/formats/json.ts';
import type { Json } from '../../../src/lib/json.ts';
import { add, draft, item, key, take, valueOfText } from '../../helpers/json-edits.ts';
import { faultOf } from '../../helpers/results.ts';

const server = { url: 'http://127.0.0.1:1/mcp' };
const place = key('servers', 'oak');

/** Inserts, checks the text, and takes it out again. */
function roundTrip(before: string, after: string): void {
  const added = add(draft(before), place, server);
  expect(added.text).toBe(after);
  const back = take(added, place, added.trace);
  expect(back).toEqual({ text: before, containers: [] });
}

describe('insert and remove in an object with members', () => {
  it.each([
    [
      'on lines',
      '{\n  "servers": {\n    "a": {}\n  }\n}\n',
      '{\n  "servers": {\n    "a": {},\n    "oak": {\n      "url": "http://127.0.0.1:1/mcp"\n    }\n  }\n}\n',
    ],
    [
      'with tabs and no final newline',
      '{\n\t"servers": {\n\t\t"a": {}\n\t}\n}',
      '{\n\t"servers": {\n\t\t"a": {},\n\t\t"oak": {\n\t\t\t"url": "http://127.0.0.1:1/mcp"\n\t\t}\n\t}\n}',
    ],
    [
      'with CRLF',
      '{\r\n  "servers": {\r\n    "a": 1\r\n  }\r\n}\r\n',
      '{\r\n  "servers": {\r\n    "a": 1,\r\n    "oak": {\r\n      "url": "http://127.0.0.1:1/mcp"\r\n    }\r\n  }\r\n}\r\n',
    ],
    [
      'with the line end of the container where the file mixes them',
      '{\n  "x": 1,\n  "y": 2,\n  "servers": {\r\n    "a": 1\r\n  }\n}\n',
      '{\n  "x": 1,\n  "y": 2,\n  "servers": {\r\n    "a": 1,\r\n    "oak": {\r\n      "url": "http://127.0.0.1:1/mcp"\r\n    }\r\n  }\n}\n',
    ],
    [
      'with a trailing comma',
      '{\n  "servers": {\n    "a": 1,\n  },\n}\n',
      '{\n  "servers": {\n    "a": 1,\n    "oak": {\n      "url": "http://127.0.0.1:1/mcp"\n    },\n  },\n}\n',
    ],
    [
      'with a comment behind the last member',
      '{\n  "servers": {\n    "a": 1 // of a\n  }\n}\n',
      '{\n  "servers": {\n    "a": 1, // of a\n    "oak": {\n      "url": "http://127.0.0.1:1/mcp"\n    }\n  }\n}\n',
    ],
    [
      'with a comment behind a trailing comma',
      '{\n  "servers": {\n    "a": 1, // of a\n    // the end\n  }\n}\n',
      '{\n  "servers": {\n    "a": 1, // of a\n    // the end\n    "oak": {\n      "url": "http://127.0.0.1:1/mcp"\n    },\n  }\n}\n',
    ],
    [
      'minified',
      '{"servers":{"a":{"b":1}},"z":9}',
      '{"servers":{"a":{"b":1},"oak":{"url":"http://127.0.0.1:1/mcp"}},"z":9}',
    ],
    [
      'on one line with blanks',
      '{ "servers": { "a": 1, "b": 2 } }\n',
      '{ "servers": { "a": 1, "b": 2, "oak": {"url": "http://127.0.0.1:1/mcp"} } }\n',
    ],
    [
      'on one line inside a file with lines',
      '{\n  "servers": {"a": 1}\n}\n',
      '{\n  "servers": {"a": 1, "oak": {"url": "http://127.0.0.1:1/mcp"}}\n}\n',
    ],
    [
      'on one line with a block comment at the end',
      '{"servers": {"a": 1 /* of a */}}',
      '{"servers": {"a": 1, /* of a */ "oak": {"url": "http://127.0.0.1:1/mcp"}}}',
    ],
    [
      'on one line with a line comment at the end',
      '{"servers": {"a": 1 // of a\n}}',
      '{"servers": {"a": 1, // of a\n  "oak": {\n    "url": "http://127.0.0.1:1/mcp"\n  }\n}}',
    ],
    [
      'with members that begin on the line of the brace',
      '{ "servers": { "a": 1,\n               "b": 2 } }',
      '{ "servers": { "a": 1,\n               "b": 2,\n               "oak": {\n                              "url": "http://127.0.0.1:1/mcp"\n               } } }',
    ],
  ])('%s', (_, before, after) => roundTrip(before, after));
});

describe('insert and remove in an empty object', () => {
  const lines = '    "oak": {\n      "url": "http://127.0.0.1:1/mcp"\n    }';
  it.each([
    ['{}', '{\n  "servers": {}\n}\n', `{\n  "servers": {\n${lines}\n  }\n}\n`],
    ['{ }', '{\n  "servers": { }\n}\n', `{\n  "servers": {\n${lines}\n   }\n}\n`],
    ['{\\n}', '{\n  "servers": {\n  }\n}\n', `{\n  "servers": {\n${lines}\n  }\n}\n`],
    ['in a minified file', '{"servers":{}}', '{"servers":{"oak":{"url":"http://127.0.0.1:1/mcp"}}}'],
    [
      'with a comment on its own line',
      '{\n  "servers": {\n    // add servers here\n  }\n}\n',
      `{\n  "servers": {\n    // add servers here\n${lines}\n  }\n}\n`,
    ],
    [
      'with a comment on the line of the brace',
      '{\n  "servers": { // none\n  }\n}\n',
      `{\n  "servers": { // none\n${lines}\n  }\n}\n`,
    ],
    [
      'with a comment on one line',
      '{\n  "servers": { /* none */ }\n}\n',
      `{\n  "servers": { /* none */\n${lines}\n   }\n}\n`,
    ],
    [
      'with a comment in a minified file',
      '{"servers":{/* none */}}',
      '{"servers":{/* none */ "oak":{"url":"http://127.0.0.1:1/mcp"}}}',
    ],
  ])('%s', (_, before, after) => roundTrip(before, after));
});

describe('insert creates what is missing', () => {
  const tree = '  "servers": {\n    "oak": {\n      "url": "http://127.0.0.1:1/mcp"\n    }\n  }';
  it.each([
    ['in {}', '{}\n', `{\n${tree}\n}\n`],
    ['in {\\n}', '{\n}\n', `{\n${tree}\n}\n`],
    ['beside other members', '{\n  "x": 1\n}\n', `{\n  "x": 1,\n${tree}\n}\n`],
    ['in a minified file', '{"x":1}', '{"x":1,"servers":{"oak":{"url":"http://127.0.0.1:1/mcp"}}}'],
    ['in an empty file', '', `{\n${tree}\n}\n`],
    ['in a file of one line end', '\n', `{\n${tree}\n}\n`],
    ['in a file of blanks', '  ', `{\n${tree}\n}\n  `],
    ['behind comments', '// licence\n/* more */\n', `// licence\n/* more */\n{\n${tree}\n}\n`],
    ['behind a comment without a line end', '// licence', `// licence\n{\n${tree}\n}`],
    ['behind a comment and blanks', '// licence\n  ', `// licence\n{\n${tree}\n}\n  `],
  ])('%s', (_, before, after) => roundTrip(before, after));

  it('uses CRLF for a new file when told so', () => {
    expect(add(draft(''), place, server, { eol: '\r\n' }).text).toBe(
      '{\r\n  "servers": {\r\n    "oak": {\r\n      "url": "http://127.0.0.1:1/mcp"\r\n    }\r\n  }\r\n}\r\n',
    );
  });

  it('puts the skeleton first and takes it away with the last entry', () => {
    const skeleton = { $schema: 'https://example.test/s.json', servers: { kept: {} } };
    const first = add(draft(''), place, server, { skeleton });
    expect(Object.keys(valueOfText(first.text) as object)).toEqual(['$schema', 'servers']);
    expect(take(first, place, first.trace)).toEqual({ text: '', containers: [] });
    const plain = add(draft(''), place, server, { skeleton: { $schema: 'https://example.test/s.json' } });
    expect(plain.text).toBe(`{\n  "$schema": "https://example.test/s.json",\n${tree}\n}\n`);
    expect(take(plain, place, plain.trace)).toEqual({ text: '', containers: [] });
  });

  it('keeps a document of its own when the user added to it', () => {
    const added = add(draft(''), place, server, { skeleton: { $schema: 'x' } });
    const edited = added.text.replace('"$schema": "x",', '"$schema": "x",\n  "mine": 1,');
    expect(take({ ...added, text: edited }, place, added.trace).text).toBe(
      '{\n  "$schema": "x",\n  "mine": 1\n}\n',
    );
  });

  it('keeps a container of its own when the user wrote a comment or a member into it', () => {
    const added = add(draft('{\n  "x": 1\n}\n'), place, server);
    const commented = added.text.replace('"servers": {', '"servers": { // mine');
    expect(take({ ...added, text: commented }, place, added.trace).text).toBe(
      '{\n  "x": 1,\n  "servers": { // mine\n  }\n}\n',
    );
    const joined = added.text.replace('"servers": {', '"servers": {\n    "elm": {},');
    expect(take({ ...added, text: joined }, place, added.trace).text).toBe(
      '{\n  "x": 1,\n  "servers": {\n    "elm": {}\n  }\n}\n',
    );
  });
});

describe('array items', () => {
  it.each([
    ['one line', '{\n  "ask": ["a", "b"]\n}\n', '{\n  "ask": ["a", "b", "oak"]\n}\n'],
    ['lines', '{\n  "ask": [\n    "a"\n  ]\n}\n', '{\n  "ask": [\n    "a",\n    "oak"\n  ]\n}\n'],
    ['empty', '{\n  "ask": []\n}\n', '{\n  "ask": [\n    "oak"\n  ]\n}\n'],
    ['missing', '{\n  "x": 1\n}\n', '{\n  "x": 1,\n  "ask": ["oak"]\n}\n'],
    ['minified', '{"ask":["a"]}', '{"ask":["a","oak"]}'],
    ['trailing comma', '{"ask": ["a", ]}', '{"ask": ["a", "oak", ]}'],
    ['comments', '{"ask": [ // c\n]}', '{"ask": [ // c\n  "oak"\n]}'],
  ])('%s', (_, before, after) => {
    const at = item(['ask'], 'oak');
    const added = add(draft(before), at, 'oak');
    expect(added.text).toBe(after);
    expect(take(added, at, added.trace)).toEqual({ text: before, containers: [] });
  });

  it('creates nested containers and climbs out of them', () => {
    const hook = { hooks: [{ type: 'command', command: 'oak.sh' }] };
    const at = item(['hooks', 'SessionStart'], hook, 'oak.sh');
    const before = '{\n  "model": "x"\n}\n';
    const added = add(draft(before), at, hook);
    expect(added.containers.map(({ path, kind }) => [path.join('.'), kind])).toEqual([
      ['hooks', 'object'],
      ['hooks.SessionStart', 'array'],
    ]);
    expect(valueOfText(added.text)).toEqual({ model: 'x', hooks: { SessionStart: [hook] } });
    expect(take(added, at, added.trace)).toEqual({ text: before, containers: [] });
  });

  it('removes the last of equal items', () => {
    const at = item(['ask'], { b: 2, a: 1 });
    expect(take(draft('{"ask": [{"a":1,"b":2}, 0, {"b":2, "a":1}]}'), at).text).toBe(
      '{"ask": [{"a":1,"b":2}, 0]}',
    );
  });
});

describe('layout of values', () => {
  it('writes short arrays on one line, long ones and objects on lines, empty ones as they are', () => {
    const value = {
      args: ['-y', 'oak@1'],
      long: Array.from({ length: 12 }, (_, index) => `argument-${index}`),
      none: [],
      empty: {},
      deep: [{ a: 9007199254740993n }],
    };
    const { text } = add(draft('{}'), key('oak'), value);
    expect(text).toBe(`{
  "oak": {
    "args": ["-y", "oak@1"],
    "long": [
${value.long.map((argument) => `      "${argument}"`).join(',\n')}
    ],
    "none": [],
    "empty": {},
    "deep": [
      {
        "a": 9007199254740993
      }
    ]
  }
}`);
  });

  it('takes the indent unit from the file', () => {
    const before = '{\n    "x": {\n        "y": 1\n    }\n}\n';
    expect(add(draft(before), key('oak'), { a: 1 }).text).toContain('\n    "oak": {\n        "a": 1\n    }');
  });

  it('escapes names and strings', () => {
    const { text } = add(draft('{}'), key('a"b\n'), '\u0001\ud800');
    expect(text).toBe('{\n  "a\\"b\\n": "\\u0001\\ud800"\n}');
  });
});

describe('insert refuses', () => {
  it.each([
    [
      'a container that is an array',
      '{\n  "servers": []\n}',
      'config/shape',
      /servers must be an object, but it is an array/,
      2,
    ],
    [
      'a container that is null',
      '{\n\n  "servers": null\n}',
      'config/shape',
      /must be an object, but it is null/,
      3,
    ],
    ['a container that is a string', '{"servers": "x"}', 'config/shape', /but it is a string/, 1],
    ['a root that is an array', '\n[]', 'config/shape', /the document must be an object/, 2],
    [
      'a container that stands twice',
      '{\n"servers": {},\n"servers": {}}',
      'config/duplicate-key',
      /servers stands twice/,
      3,
    ],
    ['an entry that is there', '{"servers": {\n"oak": 1}}', 'edit/exists', /servers.oak is already there/, 2],
    [
      'an entry that is there twice',
      '{"servers": {"oak": 1,\n"oak": 1}}',
      'config/duplicate-key',
      /servers.oak stands twice/,
      2,
    ],
    ['malformed text', '{"servers": {', 'config/malformed', /ends inside the object/, 1],
  ])('%s', (_, text, code, message, line) => {
    const fault = faultOf(jsonFormat.insert(text, place, server, {}));
    expect(fault).toMatchObject({ code, at: { line } });
    expect(fault.message).toMatch(message);
  });

  it('an item into an object', () => {
    const fault = faultOf(jsonFormat.insert('{"ask": {}}', item(['ask'], 'x'), 'x', {}));
    expect(fault.message).toBe('ask must be an array, but it is an object');
  });

  it('does not mind a duplicate elsewhere', () => {
    expect(valueOfText(add(draft('{"x": 1, "x": 2, "servers": {}}'), place, server).text)).toEqual({
      x: 2,
      servers: { oak: server },
    });
  });
});

describe('special names', () => {
  it.each(['__proto__', 'constructor', 'a/b', '', '0'])('%j is a name like any other', (name) => {
    const at = key('servers', name);
    const added = add(draft('{"x": 1}'), at, { url: 'u' });
    expect(jsonFormat.read(added.text, at)).toMatchObject({ ok: true, value: { value: { url: 'u' } } });
    expect(take(added, at, added.trace).text).toBe('{"x": 1}');
    const through = add(draft('{}'), key(name, 'inner'), 1);
    expect(take(through, key(name, 'inner'), through.trace).text).toBe('{}');
  });
});

describe('strict JSON stays strict', () => {
  it.each(['{}', '{"a":1}', '', '{\n  "servers": {}\n}'])('%j', (before) => {
    const { text } = add(draft(before), place, server);
    expect(JSON.parse(text)).toMatchObject({ servers: { oak: server } });
  });
});

describe('depth', () => {
  const deep = (levels: number): Json => (levels === 0 ? 1 : { in: deep(levels - 1) });
  it('is counted for the whole file, so that what was written can be read', () => {
    const before = `{"a": ${'['.repeat(499)}${']'.repeat(499)}}`;
    expect(jsonFormat.insert(before, key('b', 'c'), deep(498), {}).ok).toBe(true);
    expect(faultOf(jsonFormat.insert(before, key('b', 'c'), deep(499), {})).code).toBe('edit/unprovable');
    expect(faultOf(jsonFormat.insert('{"b": {}}', key('b', 'c'), deep(499), {})).code).toBe(
      'edit/unprovable',
    );
  });
});

describe('an entry that was the first of its line', () => {
  it('leaves no blank behind when someone continued the line', () => {
    const added = add(draft('{"servers":{},"z":0}'), place, 1);
    const text = added.text.replace('"oak":1', '"oak":1, "mine": 2');
    expect(take({ ...added, text }, place, added.trace).text).toBe('{"servers":{"mine": 2},"z":0}');
  });
});
