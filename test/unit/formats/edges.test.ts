import { describe, expect, it } from 'vitest';
import { jsonFormat as json } from '../../../src/formats/json.ts';
import { linesFormat as lines } from '../../../src/formats/lines.ts';
import { markdownFormat as markdown } from '../../../src/formats/markdown.ts';
import {
  commonLineEnd,
  findConflict,
  lastLineEnd,
  positionAt,
  splitLines,
} from '../../../src/formats/text-lines.ts';
import { decodeText, skipBlanks, skipBlanksBack } from '../../../src/formats/text-style.ts';
import { tomlFormat as toml } from '../../../src/formats/toml.ts';
import { wholeFileFormat as whole } from '../../../src/formats/whole-file.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

const none = { containers: [] };

describe('lines of a text', () => {
  it.each<[string, '\n' | '\r\n' | undefined]>([
    ['', undefined],
    ['a', undefined],
    ['a\n', '\n'],
    ['a\r\n', '\r\n'],
    ['a\r\nb\n', '\n'],
    ['a\r\nb\nc\r\n', '\r\n'],
    ['\n\r\n\n', '\n'],
    ['a\r', undefined],
  ])('%j ends most of them with %j', (text, eol) => {
    expect(commonLineEnd(text)).toBe(eol);
  });

  it.each<[string, '\n' | '\r\n' | undefined]>([
    ['a', undefined],
    ['a\r\nb\n', '\n'],
    ['a\nb\r\nc', '\r\n'],
    ['\n', '\n'],
  ])('%j ends the last one with %j', (text, eol) => {
    expect(lastLineEnd(text)).toBe(eol);
  });

  it('are split at LF and CRLF alone', () => {
    const contents = (text: string) => splitLines(text).map(({ start, end }) => text.slice(start, end));
    expect(contents('a\r\n\n\rb\r')).toEqual(['a', '', '\rb\r']);
    expect(contents('')).toEqual([]);
    expect(contents('\r\n')).toEqual(['']);
    expect(splitLines('ab\r\nc')).toEqual([
      { start: 0, end: 2, next: 4 },
      { start: 4, end: 5, next: 5 },
    ]);
  });

  it.each([
    [0, 1, 1],
    [1, 1, 2],
    [2, 2, 1],
    [3, 3, 1],
    [4, 3, 2],
    [99, 3, 2],
    [-1, 1, 1],
  ])('offset %d of "a\\n\\nb" is line %d, column %d', (offset, line, column) => {
    expect(positionAt('a\n\nb', offset)).toMatchObject({ line, column });
  });

  it.each<[string, number | undefined]>([
    ['a\n<<<<<<< x\n=======\n>>>>>>> y\n', 2],
    ['<<<<<<<\n>>>>>>>', 1],
    ['<<<<<<< x\r\n>>>>>>> y\r\n', 1],
    ['>>>>>>> y\n<<<<<<< x\n', undefined],
    ['<<<<<<< x\n', undefined],
    ['>>>>>>> x\n', undefined],
    ['<<<<<<<< x\n>>>>>>>> y\n', undefined],
    [' <<<<<<< x\n >>>>>>> y\n', undefined],
    ['<<<<<<<x\n>>>>>>>y\n', undefined],
    ['<<<<<<< x\n >>>>>>> y\n', undefined],
  ])('%j is an unresolved merge at line %s', (text, line) => {
    expect(findConflict(text, splitLines(text))?.at?.line).toBe(line);
  });
});

describe('blanks', () => {
  it('are skipped as far as the text goes', () => {
    expect(skipBlanksBack('  x', 2)).toBe(0);
    expect(skipBlanksBack('a \tx', 3)).toBe(1);
    expect(skipBlanksBack('\n x', 2)).toBe(1);
    expect(skipBlanksBack('x', 0)).toBe(0);
    expect(skipBlanks('a \t', 1)).toBe(3);
    expect(skipBlanks('a \nb', 1)).toBe(2);
  });
});

describe('the first byte that is no UTF-8', () => {
  it('is where a character is cut by it, not where the text ends', () => {
    const at = (...bytes: number[]) => faultOf(decodeText(Uint8Array.from(bytes))).at;
    expect(at(0x61, 0xe2, 0x9c, 0x61)).toMatchObject({ line: 1, column: 2 });
    expect(at(0xe2, 0x9c, 0x93, 0x0a, 0x61, 0xc3, 0x28)).toMatchObject({ line: 2, column: 2 });
    const tick = [0xe2, 0x9c, 0x93];
    expect(at(...tick, ...tick, ...tick, 0xff)).toMatchObject({ line: 1, column: 4 });
  });
});

describe('a list of patterns', () => {
  it('takes a slash inside a pattern for a part of it', () => {
    const place = { kind: 'line', line: 'a/b/' } as const;
    for (const other of ['ab', 'ab/', 'a/b/c', 'b', '/a/b/c', 'x/a/b'])
      expect(unwrap(lines.read(`${other}\n`, place))).toEqual({ state: 'absent' });
    for (const same of ['a/b', '/a/b', '/a/b/'])
      expect(unwrap(lines.read(`${same}\n`, place))).toMatchObject({ state: 'present' });
  });

  it('holds no pattern that would not be one', () => {
    for (const line of ['', '#x', '!x', ' x', 'x ', 'a\nb', 'a\rb', 'a\0b']) {
      const fault = faultOf(lines.insert('', { kind: 'line', line }, line, {}));
      expect(fault).toMatchObject({
        code: 'edit/unsupported',
        message: 'a pattern must be one line, no comment, no negation, and have no space at its ends',
      });
    }
    expect(faultOf(lines.insert('', { kind: 'line', line: 'x' }, 'y', {})).message).toBe(
      'the value of a line must be the line itself',
    );
    expect(faultOf(lines.read('', { kind: 'block', id: 'x' })).message).toBe(
      'a list of lines holds no block',
    );
  });

  it('is changed in its line alone, and says what is missing', () => {
    const place = { kind: 'line', line: 'x' } as const;
    const to = (value: string) => ({ set: new Map([['', value]]), unset: [] });
    expect(unwrap(lines.update('a\r\nx\r\nb\r\n', place, to('y/'), none)).text).toBe('a\r\ny/\r\nb\r\n');
    expect(faultOf(lines.update('a\n', place, to('y'), none))).toMatchObject({
      code: 'edit/unprovable',
      message: 'the line is not in this file',
    });
    expect(faultOf(lines.remove('a\n/x/\n', place, none))).toMatchObject({
      message: 'an equal line in another spelling is there, and it may be someone else’s',
      at: { line: 2, column: 1 },
    });
  });
});

describe('a block of Markdown', () => {
  const place = { kind: 'block', id: 'vera' } as const;
  const to = (value: string) => ({ set: new Map([['', value]]), unset: [] });

  it('that is not there is neither changed nor taken out', () => {
    const missing = { code: 'edit/unprovable', message: 'the block is not in this file' };
    expect(faultOf(markdown.update('x\n', place, to('y'), none))).toMatchObject(missing);
    expect(faultOf(markdown.remove('x\n', place, none))).toMatchObject(missing);
  });

  it.each([
    ['<!-- tenon:begin other -->', 'the content of a block holds a marker line'],
    ['a\n<!-- tenon:end vera -->\nb', 'the content of a block holds a marker line'],
    ['```\nx', 'the content of a block leaves a fence open'],
    ['<!-- x', 'the content of a block leaves a comment open'],
    ['a\rb', 'the content of a block must be plain text'],
    ['a\0b', 'the content of a block must be plain text'],
  ])('may not hold %j', (value, message) => {
    const fault = { code: 'edit/unsupported', message };
    expect(faultOf(markdown.insert('', place, value, {}))).toMatchObject(fault);
    const text = unwrap(markdown.insert('', place, 'old', {})).text;
    expect(faultOf(markdown.update(text, place, to(value), none))).toMatchObject(fault);
  });

  it('has no parts', () => {
    const text = unwrap(markdown.insert('', place, 'old', {})).text;
    for (const change of [
      { set: new Map([['/a', 'x']]), unset: [] },
      { set: new Map([['', 'x']]), unset: ['/a'] },
    ])
      expect(faultOf(markdown.update(text, place, change, none)).message).toBe(
        'a block has no parts that could be changed one by one',
      );
    expect(faultOf(markdown.insert('', place, 7, {})).message).toBe('the content of a block must be text');
  });
});

describe('a whole file', () => {
  it('has no parts', () => {
    for (const change of [
      { set: new Map([['/a', 'x']]), unset: [] },
      { set: new Map([['', 'x']]), unset: ['/a'] },
    ])
      expect(faultOf(whole.update('x', { kind: 'file' }, change, none))).toMatchObject({
        code: 'edit/unsupported',
        message: 'a whole file has no parts that could be changed one by one',
      });
  });

  it('is located at its beginning, where it is there', () => {
    expect(whole.locate('x', [])).toEqual({ offset: 0, line: 1, column: 1 });
    expect(whole.locate('', [])).toBeUndefined();
    expect(whole.locate('x', ['a'])).toBeUndefined();
  });
});

describe('an item of a TOML array', () => {
  const place = (value: string, tag?: string) =>
    ({ kind: 'item', path: ['rules', 'ask'], value, ...(tag === undefined ? {} : { tag }) }) as const;

  it('is found by its tag also when it is the first, and the last of several', () => {
    const text = '[rules]\nask = ["x one", "y", "x two", "z"]\n';
    expect(unwrap(toml.read('[rules]\nask = ["x one"]\n', place('x', 'x')))).toMatchObject({
      state: 'present',
      value: 'x one',
      byTag: true,
    });
    expect(unwrap(toml.read(text, place('new', 'x')))).toMatchObject({ value: 'x two', byTag: true });
    expect(unwrap(toml.read(text, place('y', 'x')))).toMatchObject({ value: 'y' });
    expect(unwrap(toml.read(text, place('none', 'none')))).toEqual({ state: 'absent' });
  });

  it.each([
    ['[rules]\n\nask = "a"\n', 'config/shape', 'rules.ask is a string, not an array', 3],
    ['[[rules.ask]]\na = 1\n', 'edit/unsupported', 'rules.ask is an array of tables, which is not edited', 1],
    [
      '[rules]\nask = [\n "a", # why\n]\n',
      'edit/unsupported',
      'nothing is put into an array with comments inside',
      2,
    ],
  ])('is not put into %j', (text, code, message, line) => {
    expect(faultOf(toml.insert(text, place('new'), 'new', {}))).toMatchObject({
      code,
      message,
      at: { line },
    });
  });
});

describe('a block of another tool in TOML', () => {
  const insert = (text: string) => toml.insert(text, { kind: 'key', path: ['a', 'vera'] }, 'x', {});
  it.each(['# BEGIN acme', '#BEGIN acme', '#\tBEGIN acme', '# >>> acme >>>', '#>>> acme'])(
    'that begins with %j is not written into',
    (begin) => {
      for (const end of ['# END acme', '#END', '# <<< acme <<<'])
        expect(faultOf(insert(`[a]\nx = 1\n${begin}\ny = 1\n${end}`))).toMatchObject({
          code: 'edit/unsupported',
          at: { line: 3, column: 1 },
        });
    },
  );

  it.each(['# BEGINNING', '# The BEGIN', '#x>>>', '# begin'])('is not meant by %j', (begin) => {
    expect(insert(`[a]\nx = 1\n${begin}\ny = 1\n# END acme`).ok).toBe(true);
  });
});

describe('a TOML table', () => {
  const place = { kind: 'key', path: ['a'] } as const;
  it('is replaced by nothing but a table', () => {
    const change = { set: new Map([['', 'text']]), unset: [] };
    expect(faultOf(toml.update('x = 1\n[a]\nb = 1\n', place, change, none))).toMatchObject({
      code: 'edit/unsupported',
      message: 'a table is replaced by nothing but a table',
      at: { line: 2, column: 1 },
      hint: 'Take the table out of the file first.',
    });
  });

  it('is replaced leaf by leaf, so that equal ones keep their spelling', () => {
    const change = { set: new Map([['', { b: 1, c: 3, e: 'new' }]]), unset: [] };
    expect(unwrap(toml.update('[a]\nb = 0x1\nc = 2\nd = 4\n', place, change, none)).text).toBe(
      '[a]\nb = 0x1\nc = 3\ne = "new"\n',
    );
  });
});

describe('what an insertion into JSON remembers', () => {
  const place = { kind: 'key', path: ['s', 'a'] } as const;
  const add = (text: string) => unwrap(json.insert(text, place, 1, {}));

  it('is the white space around it, and around each container that it made', () => {
    expect(add('{"s":{"b":2}}')).toEqual({
      text: '{"s":{"b":2,"a":1}}',
      trace: { pre: '', suf: '' },
      containers: [],
    });
    expect(add('{\n  "s": {\n    "b": 2\n  }\n}\n')).toMatchObject({
      trace: { pre: '\n    ', suf: '' },
      containers: [],
    });
    const created = add('');
    expect(created).toMatchObject({
      text: '{\n  "s": {\n    "a": 1\n  }\n}\n',
      trace: { pre: '\n    ', suf: '\n  ' },
    });
    expect(created.containers).toMatchObject([
      { path: [], kind: 'object', trace: { pre: '', suf: '\n' } },
      { path: ['s'], kind: 'object', trace: { pre: '\n  ', suf: '\n' } },
    ]);
  });

  it('lets an emptied document of the user stay, and one of ours go', () => {
    for (const [text, after] of [
      ['{}', '{}'],
      ['{ }\n', '{ }\n'],
      ['{\n}\n', '{\n}\n'],
      ['', ''],
    ] as const) {
      const { text: next, trace, containers } = add(text);
      expect(unwrap(json.remove(next, place, { trace, containers }))).toMatchObject({
        text: after,
        containers: [],
      });
    }
  });
});

describe('small differences', () => {
  it('a text with NUL at every other byte is UTF-16 only when its bytes come in pairs', () => {
    expect(decodeText(Uint8Array.from([0x61, 0, 0x62, 0])).ok).toBe(false);
    expect(unwrap(decodeText(Uint8Array.from([0x61, 0, 0x62, 0, 0x63]))).text).toBe('a\0b\0c');
  });

  it('the line that is the pattern is found before one that only asks for the same', () => {
    const place = { kind: 'line', line: '.vera/' } as const;
    expect(unwrap(lines.read('.vera/\n/.vera\n', place))).toMatchObject({ at: { line: 1 } });
    expect(unwrap(lines.read('.vera\n/.vera\n', place))).toMatchObject({ at: { line: 2 } });
  });

  it('an element is located by its number alone', () => {
    const text = '{"a": [1, 2]}';
    expect(json.locate(text, ['a', '1'])).toMatchObject({ column: 11 });
    for (const part of ['01', '1x', '-1', '', '2']) expect(json.locate(text, ['a', part])).toBeUndefined();
  });

  it('a text that TOML cannot hold is not shown', () => {
    expect(faultOf(toml.insert('', { kind: 'key', path: ['a'] }, '\ud800', {})).message).toBe(
      'TOML cannot hold this text',
    );
  });
});
