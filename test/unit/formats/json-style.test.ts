import { describe, expect, it } from 'vitest';
import { type JsonBranch, scanDocument } from '../../../src/formats/json-scan.ts';
import { commaOf, styleOf } from '../../../src/formats/json-style.ts';
import { unwrap } from '../../helpers/results.ts';

const styleIn = (text: string, eol?: '\n' | '\r\n') => styleOf(unwrap(scanDocument(text)), eol);
const commaIn = (text: string, colon: string) =>
  commaOf(text, unwrap(scanDocument(text)).root as JsonBranch, colon);

describe('the style of a JSON file', () => {
  it.each([
    ['{"a":1}', ':'],
    ['{"a": 1}', ': '],
    ['{"a":\t1}', ': '],
    ['{"a":\n1}', ': '],
    ['{"a":\r\n1}', ': '],
    ['{"a" :1}', ':'],
    ['[[{"a":1}]]', ':'],
    ['[[{"a": 1}]]', ': '],
    ['[1, {"a":1}]', ': '],
    ['[]', ': '],
    ['[[]]', ': '],
    ['{}', ': '],
    ['', ': '],
    ['7', ': '],
  ])('has the colon of its first member: %j', (text, colon) => {
    expect(styleIn(text).colon).toBe(colon);
  });

  it.each([
    ['{"a": 1,"b": 2}', ': ', ','],
    ['{"a":1, "b":2}', ':', ', '],
    ['{"a":1,\t"b":2}', ':', ', '],
    ['{"a":1,\n"b":2}', ':', ', '],
    ['{"a":1,\r\n"b":2}', ':', ', '],
    ['{"a":1}', ':', ','],
    ['{"a": 1}', ': ', ', '],
    ['[1,2]', ': ', ','],
    ['[1, 2]', ':', ', '],
    ['[]', ':', ','],
    ['[]', ': ', ', '],
  ])('has the comma of the branch, else what fits the colon: %j', (text, colon, comma) => {
    expect(commaIn(text, colon)).toBe(comma);
  });

  it.each([
    ['{\n    "a": 1\n}', '    '],
    ['{\n\t"a": 1\n}', '\t'],
    ['{ "a": {\n   "b": 1\n} }', '   '],
    ['[\n {}\n]', ' '],
    ['{\n"a": {\n "b": 1\n}\n}', ' '],
    ['{\n"a": 1\n}', '  '],
    ['{"a": 1}', '  '],
    ['', '  '],
    ['  {\n    "a": 1\n  }', '  '],
    ['  {\n\t\t\t"a": 1\n  }', '  '],
  ])('has the indent of the first child on a line of its own: %j', (text, unit) => {
    expect(styleIn(text).unit).toBe(unit);
  });

  it.each<[string, '\n' | '\r\n' | undefined, string]>([
    ['{\n\n}', '\r\n', '\n'],
    ['{\r\n\r\n}', '\n', '\r\n'],
    ['{\r\n\n}', undefined, '\n'],
    ['{}', '\r\n', '\r\n'],
    ['{}', undefined, '\n'],
  ])('has the line ends of most lines, else those that are asked for: %j', (text, eol, expected) => {
    expect(styleIn(text, eol).eol).toBe(expected);
  });

  it.each([
    ['{}', true],
    ['{"a":1}\n', true],
    ['\n{}', true],
    ['{\n}', false],
    ['', false],
  ])('stands on one line: %j', (text, oneLine) => {
    expect(styleIn(text).oneLine).toBe(oneLine);
  });
});
