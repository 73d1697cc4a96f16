import { describe, expect, it } from 'vitest';
import type { Container, Trace } from '../../../src/formats/format.ts';
import { tomlFormat as toml } from '../../../src/formats/toml.ts';
import type { Json } from '../../../src/lib/json.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const place = { kind: 'key', path: ['mcp_servers', 'vera'] } as const;
const VALUE = { url: 'http://127.0.0.1:8765/mcp', env: { A: '1' } };
const BLOCK = '[mcp_servers.vera]\nurl = "http://127.0.0.1:8765/mcp"\n\n[mcp_servers.vera.env]\nA = "1"';

const add = (text: string) => unwrap(toml.insert(text, place, VALUE, {}));
const read = (text: string) => unwrap(toml.read(text, place));
const remove = (text: string, trace?: Trace, containers: readonly Container[] = []) =>
  unwrap(toml.remove(text, place, { containers, ...(trace === undefined ? {} : { trace }) }));
const update = (text: string, set: Record<string, Json>, unset: string[] = []) =>
  unwrap(
    toml.update(text, place, { set: new Map(Object.entries(set)), unset }, { containers: [], trace: {} }),
  ).text;

/** Adds, checks what stands there, and takes it out: with the record, and for block shapes without it too. */
function roundTrip(before: string, after: string, isBlock = true) {
  const edit = add(before);
  expect(edit.text).toBe(after);
  expect(read(edit.text)).toMatchObject({ state: 'present', value: VALUE });
  expect(remove(edit.text, edit.trace, edit.containers)).toEqual({ text: before, trace: {}, containers: [] });
  if (isBlock) expect(remove(edit.text).text).toBe(before);
}

describe('shapes of the table: entry absent', () => {
  it.each([
    ['1 no servers', 'model = "x"\n'],
    ['1 root table only', '[tools]\nweb = true\n'],
    ['2 other servers with headers', '[mcp_servers.a]\ncommand = "x"\n'],
    ['3 a header without keys', '[mcp_servers]\n'],
    ['3 a header with dotted keys', '[mcp_servers]\na.command = "x"\n'],
    ['7 dotted siblings', '[mcp_servers]\na.command = "x"\na.args = [1]\n'],
    ['9 dotted keys at the root', 'mcp_servers.a.command = "x"\napproval_policy = "never"\n'],
    ['15 an array of tables near', '[[other]]\nx = 1\n[[other]]\nx = 2\n'],
    ['18 comments at the end', '[tools]\nweb = true\n# one\n# two\n'],
    ['20 the file ends inside a table with an array', '[a]\nx = [\n  1,\n  2,\n]\n'],
  ])('%s: a block at the end', (_name, before) => {
    roundTrip(before, `${before}\n${BLOCK}\n`);
  });

  it('20: line ends, blank lines and the end of the file stay', () => {
    roundTrip('', `${BLOCK}\n`);
    roundTrip('\n', `\n${BLOCK}\n`, false);
    roundTrip('a = 1\n\n', `a = 1\n\n${BLOCK}\n`, false);
    roundTrip('a = 1', `a = 1\n\n${BLOCK}`);
    roundTrip('a = 1 # note', `a = 1 # note\n\n${BLOCK}`);
    roundTrip('[a]\r\nx = 1\r\n', `[a]\r\nx = 1\r\n\r\n${BLOCK.replaceAll('\n', '\r\n')}\r\n`);
    roundTrip('[a]\r\nx = 1', `[a]\r\nx = 1\r\n\r\n${BLOCK.replaceAll('\n', '\r\n')}`);
    roundTrip('a = 1\r\nb = 2\n', `a = 1\r\nb = 2\n\n${BLOCK}\n`);
  });

  it('11: inserts a member after the last one of a root inline table', () => {
    const member = 'vera = { url = "http://127.0.0.1:8765/mcp", env = { A = "1" } }';
    roundTrip('mcp_servers = { a = {} }\n', `mcp_servers = { a = {}, ${member} }\n`);
    roundTrip('mcp_servers = {a = {},}\n', `mcp_servers = {a = {}, ${member},}\n`);
    roundTrip('x = 1\nmcp_servers={a={b=1}} # mine\n', `x = 1\nmcp_servers={a={b=1}, ${member}} # mine\n`);
  });

  it('12: fills and empties an empty inline table', () => {
    const member = 'vera = { url = "http://127.0.0.1:8765/mcp", env = { A = "1" } }';
    roundTrip('mcp_servers = {}\n', `mcp_servers = { ${member} }\n`);
    roundTrip('mcp_servers = { }\n', `mcp_servers = { ${member} }\n`, false);
  });

  it('13: appends to a multi-line inline table only where no comment follows its last member', () => {
    const member = 'vera = { url = "http://127.0.0.1:8765/mcp", env = { A = "1" } }';
    roundTrip('mcp_servers = {\n  a = {},\n}\n', `mcp_servers = {\n  a = {},\n  ${member},\n}\n`);
    roundTrip('mcp_servers = { # c\n  a = {}\n}\n', `mcp_servers = { # c\n  a = {},\n  ${member}\n}\n`);
    const fault = faultOf(toml.insert('x = 1\nmcp_servers = {\n  a = {}, # c\n}\n', place, VALUE, {}));
    expect(fault).toMatchObject({ code: 'edit/unsupported', at: { line: 2 } });
  });

  it.each([
    ['[[mcp_servers]]\nname = "a"\n', 'mcp_servers is an array of tables', 1],
    ['x = 1\nmcp_servers = 1\n', 'mcp_servers is a number, not a table', 2],
    ['mcp_servers = "x"\n', 'mcp_servers is a string, not a table', 1],
    ['\n\nmcp_servers = []\n', 'mcp_servers is an array, not a table', 3],
    ['[[a.mcp_servers]]\n[mcp_servers]\nvera.x = 1\n', '', 0],
  ])('14: refuses the container of %j with its line', (text, message, line) => {
    if (line === 0) {
      expect(faultOf(toml.insert(text, place, VALUE, {})).code).toBe('edit/unprovable');
      return;
    }
    expect(faultOf(toml.insert(text, place, VALUE, {}))).toMatchObject({
      code: 'config/shape',
      message,
      at: { line },
    });
    expect(faultOf(toml.read(text, place))).toMatchObject({ code: 'config/shape', at: { line } });
  });
});

describe('shapes of the table: entry present', () => {
  it.each([
    ['4 a header', '[mcp_servers.vera]\nurl = "u"\n', ''],
    [
      '5 sub-tables and the blank lines between',
      '[a]\n\n[mcp_servers.vera]\nurl = "u"\n\n\n[mcp_servers.vera.env]\nA = "1"\n',
      '[a]\n',
    ],
    [
      '6 quotes and white space in the header',
      '[a]\n[ mcp_servers . "vera" ]\nurl = "u"\n[b]\n',
      '[a]\n[b]\n',
    ],
    ['6 literal quotes', "['mcp_servers'.vera]\nurl = 'u'\n", ''],
    [
      '7 dotted keys below a header',
      '[mcp_servers]\na.x = 1\nvera.command = "u"\nvera.args = [\n 1,\n]\nb.x = 2\n',
      '[mcp_servers]\na.x = 1\nb.x = 2\n',
    ],
    [
      '8 inline below a header',
      '[mcp_servers]\nvera = { url = "u" }\na = { url = "x" }\n',
      '[mcp_servers]\na = { url = "x" }\n',
    ],
    [
      '10 dotted keys at the root',
      'mcp_servers.a.x = 1\nmcp_servers.vera.url = "u"\n\n[t]\n',
      'mcp_servers.a.x = 1\n\n[t]\n',
    ],
    ['11 first in an inline table', 'mcp_servers = { vera = {}, a = {} }\n', 'mcp_servers = { a = {} }\n'],
    [
      '11 between others',
      'mcp_servers = { b = {}, vera = {}, a = {} }\n',
      'mcp_servers = { b = {}, a = {} }\n',
    ],
    [
      '16 out-of-order tables',
      '[mcp_servers.vera]\nurl = "u"\n[other]\nx = 1\n[mcp_servers.vera.env]\nA = "1"\n[z]\n',
      '[other]\nx = 1\n[z]\n',
    ],
    [
      '17 sub-table first, super table later',
      '[mcp_servers.vera.env]\nA = "1"\n\n[mcp_servers.vera]\nurl = "u"\n',
      '',
    ],
    [
      '18 comments above, between and after',
      '# above\n[mcp_servers.vera]\n# between\nurl = "u"\n# after\n',
      '# above\n# between\n# after\n',
    ],
    [
      '20 in the middle of a CRLF file',
      '[a]\r\nx = 1\r\n\r\n[mcp_servers.vera]\r\nurl = "u"\r\n\r\n[b]\r\n',
      '[a]\r\nx = 1\r\n\r\n[b]\r\n',
    ],
  ])('%s: taken out without a record', (_name, before, after) => {
    expect(read(before).state).toBe('present');
    expect(remove(before).text).toBe(after);
    expect(faultOf(toml.insert(before, place, VALUE, {})).code).toBe('edit/unprovable');
  });

  it('3: keeps a header of the user, and 14: the arrays of tables inside the entry go with it', () => {
    expect(remove('[mcp_servers]\n\n[mcp_servers.vera]\nurl = "u"\n').text).toBe('[mcp_servers]\n');
    expect(remove('[x]\n[[mcp_servers.vera.tools]]\nn = 1\n[[mcp_servers.vera.tools]]\nn = 2\n').text).toBe(
      '[x]\n',
    );
  });

  it('13: a comment in the cut of a multi-line inline table stops it', () => {
    const text = 'mcp_servers = {\n  a = {}, # about a\n  vera = {}, # about vera\n}\n';
    expect(faultOf(toml.remove(text, place, { containers: [] }))).toMatchObject({
      code: 'edit/user-comment',
      at: { line: 2 },
    });
  });

  it('18: a comment on one of our lines stops it; forced, the comment stays on a line of its own', () => {
    const text = 'x = 1\n\n[mcp_servers.vera]\nurl = "u" # mine\nargs = [ # why\n  1, # one\n]\n';
    expect(faultOf(toml.remove(text, place, { containers: [] }))).toMatchObject({
      code: 'edit/user-comment',
      at: { line: 4, column: 11 },
    });
    const forced = unwrap(toml.remove(text, place, { containers: [], force: true })).text;
    expect(forced).toBe('x = 1\n\n# mine\n# why\n# one\n');
  });

  it('19: reads the keys that the user added, and takes them out with the entry', () => {
    const edit = add('x = 1\n');
    const text = `${edit.text}enabled = false\n`;
    expect(read(text)).toMatchObject({ value: { env: { enabled: false } } });
    expect(remove(text, edit.trace).text).toBe('x = 1\n');
  });
});

describe('shapes of the table: updates', () => {
  it.each([
    ['4', '[mcp_servers.vera]\nurl = "u" # mine\nn = 1\n', '[mcp_servers.vera]\nurl = "v" # mine\nn = 1\n'],
    ['6', '[ mcp_servers . "vera" ]\n"url"   =  "u"\n', '[ mcp_servers . "vera" ]\n"url"   =  "v"\n'],
    ['7', '[mcp_servers]\nvera.url = "u"\n', '[mcp_servers]\nvera.url = "v"\n'],
    ['8', '[mcp_servers]\nvera = { url = "u", n = 1 }\n', '[mcp_servers]\nvera = { url = "v", n = 1 }\n'],
    ['10', 'mcp_servers.vera.url = "u"\n[t]\n', 'mcp_servers.vera.url = "v"\n[t]\n'],
    ['11', 'mcp_servers = { vera = { url = "u" } }\n', 'mcp_servers = { vera = { url = "v" } }\n'],
  ])('%s: replaces only the range of the value', (_name, before, after) => {
    expect(update(before, { '/url': 'v' })).toBe(after);
  });

  it.each([
    [
      '4',
      '[mcp_servers.vera]\nurl = "u"\n\n# t\n[t]\n',
      '[mcp_servers.vera]\nurl = "u"\nn = 1\n\n# t\n[t]\n',
    ],
    [
      '5',
      '[mcp_servers.vera]\n  url = "u"\n\n[mcp_servers.vera.env]\nA = "1"',
      '[mcp_servers.vera]\n  url = "u"\n  n = 1\n\n[mcp_servers.vera.env]\nA = "1"',
    ],
    ['7', '[mcp_servers]\nvera.url = "u"\na.x = 1\n', '[mcp_servers]\nvera.url = "u"\nvera.n = 1\na.x = 1\n'],
    ['8', '[mcp_servers]\nvera = { url = "u" }\n', '[mcp_servers]\nvera = { url = "u", n = 1 }\n'],
    ['10', 'mcp_servers.vera.url = "u"', 'mcp_servers.vera.url = "u"\nmcp_servers.vera.n = 1'],
    [
      '17',
      '[mcp_servers.vera.env]\nA = "1"\n',
      '[mcp_servers.vera.env]\nA = "1"\n\n[mcp_servers.vera]\nn = 1\n',
    ],
  ])('%s: adds a leaf and takes it out again', (_name, before, after) => {
    expect(update(before, { '/n': 1 })).toBe(after);
    if (_name !== '17') expect(update(after, {}, ['/n'])).toBe(before);
  });

  it('creates and drops a sub-table with its first and last leaf', () => {
    const before = 'x = 1\n\n[mcp_servers.vera]\nurl = "u"\n\n[t]\n';
    const after =
      'x = 1\n\n[mcp_servers.vera]\nurl = "u"\n\n[mcp_servers.vera.env]\nA = "1"\nB = "2"\n\n[t]\n';
    expect(update(before, { '/env/A': '1', '/env/B': '2' })).toBe(after);
    expect(update(after, {}, ['/env/A', '/env/B'])).toBe(before);
  });

  it('changes the kind of a leaf: empty table, value, table', () => {
    const empty = '[mcp_servers.vera]\nurl = "u"\nenv = {}\n';
    expect(update(empty, { '/env/A': '1' }, ['/env'])).toBe(
      '[mcp_servers.vera]\nurl = "u"\nenv = { A = "1" }\n',
    );
    const text = '[mcp_servers.vera]\nurl = "u"\nenv = "x"\n';
    const table = update(text, { '/env/A': '1' }, ['/env']);
    expect(table).toBe('[mcp_servers.vera]\nurl = "u"\n\n[mcp_servers.vera.env]\nA = "1"\n');
    expect(update(table, { '/env': {} }, ['/env/A'])).toBe(empty);
    expect(update('[mcp_servers.vera]\na = 1\nb = 2\n', { '': {} }, ['/a', '/b'])).toBe(
      '[mcp_servers.vera]\n',
    );
  });

  it('13: refuses inside an inline table on several lines', () => {
    const text = '[mcp_servers]\nvera = {\n  url = "u",\n}\n';
    const change = { set: new Map([['/url', 'v']]), unset: [] };
    expect(faultOf(toml.update(text, place, change, { containers: [] }))).toMatchObject({
      code: 'edit/unsupported',
      at: { line: 2 },
    });
  });

  it('18: a comment inside a replaced value stops it; forced, it moves above', () => {
    const text = '[mcp_servers.vera]\nargs = [ # why\n  1,\n]\n';
    const change = { set: new Map([['/args', [2]]]), unset: [] };
    expect(faultOf(toml.update(text, place, change, { containers: [] })).code).toBe('edit/user-comment');
    const forced = toml.update(text, place, change, { containers: [], force: true });
    expect(unwrap(forced).text).toBe('[mcp_servers.vera]\n# why\nargs = [2]\n');
  });

  it.each(['', 'x = 1\n', 'x = 1', 'x = 1\n\n', '[a]\r\nx = 1', '[a]\r\nx = 1\r\n'])(
    'after an update the record still restores %j',
    (before) => {
      const edit = add(before);
      const change = {
        set: new Map<string, Json>([
          ['/url', 'v'],
          ['/env/B', '2'],
          ['/h/X', 1],
          ['/n', 5],
        ]),
        unset: ['/env/A'],
      };
      const second = unwrap(toml.update(edit.text, place, change, edit));
      expect(read(second.text)).toMatchObject({ value: { url: 'v', env: { B: '2' }, h: { X: 1 }, n: 5 } });
      expect(remove(second.text, second.trace, second.containers).text).toBe(before);
    },
  );
});

describe('shapes of the table: refused texts', () => {
  it.each([
    ['21 open multi-line string', 'a = 1\nx = """abc\n', 'config/malformed', 2, 5],
    ['21 open array', 'x = [1,\n', 'config/malformed', 1, 8],
    ['21 value missing', 'a = 1\nx =\ny = 2\n', 'config/malformed', 2, 4],
    ['21 duplicate table', '[a]\nx = 1\n[a]\n', 'config/duplicate-key', 3, 2],
    ['21 duplicate key', 'a = 1\na = 2\n', 'config/duplicate-key', 2, 1],
    [
      '21 dotted key into a table',
      '[mcp_servers.vera.env]\nA = 1\n[mcp_servers]\nvera.x = 1\n',
      'config/duplicate-key',
      4,
      1,
    ],
    ['21 Windows path', '[a]\nx = 1\ncommand = "C:\\Users\\x"\n', 'config/malformed', 3, 14],
    ['21 number over 64 bits', 'a = 9223372036854775808\n', 'config/malformed', 0, 0],
    ['22 NUL', 'a = 1\nb = "\0"\n', 'config/malformed', 2, 6],
    ['22 lone CR', 'a = 1\rb = 2\n', 'config/line-ends', 1, 6],
    [
      'merge conflict',
      'a = 1\n<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> x\n',
      'config/merge-conflict',
      2,
      1,
    ],
  ])('%s: refused with its line', (_name, text, code, line, column) => {
    for (const fault of [
      faultOf(toml.parse(text)),
      faultOf(toml.insert(text, place, VALUE, {})),
      faultOf(toml.read(text, place)),
      faultOf(toml.remove(text, place, { containers: [] })),
    ]) {
      expect(fault.code).toBe(code);
      if (line > 0) expect(fault.at).toMatchObject({ line, column });
    }
  });

  it('says how to write a Windows path, and what is nested too deep', () => {
    expect(faultOf(toml.parse('x = "C:\\Users"\n')).hint).toContain('single quotes');
    expect(faultOf(toml.parse(`x = ${'['.repeat(100_000)}${']'.repeat(100_000)}`)).code).toBe(
      'config/too-deep',
    );
    expect(faultOf(toml.parse(`${'a.'.repeat(300)}b = 1\n`)).code).toBe('config/too-deep');
    expect(faultOf(toml.parse('a.b.c = 1\n', { maxDepth: 1 })).code).toBe('config/too-deep');
  });
});
