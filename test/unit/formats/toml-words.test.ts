import { describe, expect, it } from 'vitest';
import { tomlFormat as toml } from '../../../src/formats/toml.ts';
import { faultOf } from '../../helpers/results.ts';

const said = (text: string) => {
  const { code, message, at } = faultOf(toml.parse(text));
  return `${code} ${at?.line}:${at?.column} ${message}`;
};

describe('what is wrong with a TOML file, in words and at its place', () => {
  it.each([
    ['x = 1\na = "x\n', 'config/malformed 2:7 a string is not closed'],
    ['[a\n', 'config/malformed 1:3 a key or a table header is not finished on its line'],
    ['a = [1\n', 'config/malformed 2:1 an array is not closed with ]'],
    ['a = { b = 1\n', 'config/malformed 2:1 an inline table is not closed with }'],
    ['x = 1\n= 1\n', 'config/malformed 2:1 a sign stands where none is allowed'],
    ['a = 1 b = 2\n', 'config/malformed 1:7 something follows where the line should end'],
    ['x = 1\na\n', 'config/malformed 2:2 the = after a key is missing'],
    ['x = 1\na =\n', 'config/malformed 2:4 a value is missing'],
    ['x = 1\na =\n\n\nb = 1\n', 'config/malformed 2:4 a value is missing'],
    ['a = [1 2]\n', 'config/malformed 1:8 a comma is missing'],
    ['a = 1\na = 2\n', 'config/duplicate-key 2:1 a key or table is defined twice'],
    ['[a]\n[a]\n', 'config/duplicate-key 2:2 a key or table is defined twice'],
    ['a = 1\n[a]\n', 'config/duplicate-key 2:2 a key or table is defined twice'],
    ['a = 2024-13-01\n', 'config/malformed 1:14 a date does not exist'],
    ['a = 2023-02-30\n', 'config/malformed 1:14 a date does not exist'],
    ['a = 25:00:00\n', 'config/malformed 1:12 a time does not exist'],
    // A leap second, which the second reader cannot keep.
    ['x = 1\n[a]\nb = 23:59:60\n', 'config/malformed 3:5 a date or time does not exist'],
    ['a = 01\n', 'config/malformed 1:5 a number begins with a needless zero'],
    [
      'a = "C:\\Users"\n',
      'config/malformed 1:8 a backslash in a double-quoted string begins no known escape',
    ],
    ['a = "C:\\xyz"\n', 'config/malformed 1:8 a backslash in a double-quoted string begins no known escape'],
    ['a..b = 1\n', 'config/malformed 1:2 two dots follow each other in a key'],
    ['a. = 1\n', 'config/malformed 1:2 a key ends with a dot'],
    ['.a = 1\n', 'config/malformed 1:1 a sign stands where none is allowed'],
    ['a = 1__0\n', 'config/malformed 1:7 an underscore may only stand between digits'],
    ['a = \u0001\n', 'config/malformed 1:5 a character stands where none is allowed'],
    ['a = "\u0001"\n', 'config/malformed 1:6 a control character is not allowed here'],
    ['a = !\n', 'config/malformed 1:5 a character stands where none is allowed'],
    ['a = tru\n', 'config/malformed 1:5 a character stands where none is allowed'],
    ['[ [a]]\n', 'config/malformed 1:3 a space stands where none is allowed'],
    [
      'a = 1\rb = 2\n',
      'config/line-ends 1:6 a carriage return without a line feed stands in this file, which TOML does not allow',
    ],
  ])('%j', (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it('names the line also far down a section, where the second reader gets a part of it', () => {
    const lines = Array.from({ length: 400 }, (_, at) => `k${at} = "${'x'.repeat(30)}" # ${at}\n`);
    const said = (above: string) => faultOf(toml.parse(`${above}${lines.join('')}z = 23:59:60\n`)).at;
    expect(said('[a]\n')).toMatchObject({ line: 402, column: 5 });
    expect(said('[[b]]\n\n[b.c]\n')).toMatchObject({ line: 404, column: 5 });
    expect(said('')).toMatchObject({ line: 401, column: 5 });
  });

  it.each([
    ['a = 1', '[a]'],
    ['a.b = 1', '[a]'],
    ['a.b = 1', '[a.b.c]'],
    ['[a]', '[a]'],
    ['[a]', '["\\u0061"]'],
    ['[a]', '[[a]]'],
    ['[a.b]', '[[a]]'],
    ['[[a]]', '[a]'],
    ['[a.b]', '[a]\nb = 1'],
    ['[a.b]', '[a]\nb.c = 1'],
    ['[a.b.c]', '[a]\nb.d = 1'],
    ['[[a.b]]', '[a]\nb.c = 1'],
    ['[a]\nb.c = 1', '[a.b]'],
    ['[a]\nb = {}', '[a.b]'],
    ['[a]\nb = {}', '[a.b.c]'],
    ['[a]\nb = []', '[[a.b]]'],
    ['[[a]]\n[a.b]', '[a.b]'],
  ])('tells what is defined twice, however far apart: %j and %j', (first, second) => {
    const lines = Array.from({ length: 300 }, (_, at) => `[other.t${at}]\nk = "${'x'.repeat(30)}"\n`);
    const { code, at } = faultOf(toml.parse(`${first}\n${lines.join('')}${second}\n`));
    expect(code).toBe('config/duplicate-key');
    expect(at?.line).toBe(first.split('\n').length + 600 + second.split('\n').length);
    expect(toml.parse(`${first}\n${lines.join('')}${second.replaceAll(/\ba|u0061/g, 'u007a')}\n`).ok).toBe(
      true,
    );
  });

  it('says how a Windows path is written', () => {
    expect(faultOf(toml.parse('a = "C:\\xyz"\n')).hint).toBe(
      "Write a Windows path in single quotes ('C:\\Users\\me') or double each backslash.",
    );
    expect(faultOf(toml.parse('a = 9223372036854775808\n')).message).toBe(
      'the integer 9223372036854775808 does not fit in 64 bits',
    );
  });
});
