import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { tomlFormat as toml } from '../../../src/formats/toml.ts';
import { NotToml, renderInline, renderKey, renderTable } from '../../../src/formats/toml-render.ts';
import type { Json } from '../../../src/lib/json.ts';
import { faultOf } from '../../helpers/results.ts';

describe('rendering of values', () => {
  it.each<[Json, string]>([
    ['plain', '"plain"'],
    ['C:\\Users\\me', "'C:\\Users\\me'"],
    ['say "hi"', `'say "hi"'`],
    ["C:\\it's", '"C:\\\\it\'s"'],
    ['two\nlines\u0001\u0002', '"two\\nlines\\u0001\\u0002"'],
    ['\u007f\u007f', '"\\u007f\\u007f"'],
    [60000, '60000'],
    [-0.5, '-0.5'],
    [1e-7, '1e-7'],
    [1e21, '1e+21'],
    [9223372036854776000, '9223372036854776000.0'],
    [9223372036854775807n, '9223372036854775807'],
    [true, 'true'],
    [['a', 1, [false]], '["a", 1, [false]]'],
    [[], '[]'],
    [{}, '{}'],
    [{ 'a b': { c: 1 } }, '{ "a b" = { c = 1 } }'],
  ])('renders %o', (value, text) => {
    expect(renderInline(value)).toBe(text);
    const read = parse(`x = ${text}`, { integersAsBigInt: 'asNeeded' })['x'];
    expect(read).toEqual(value);
  });

  it.each<Json>([null, Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 2n ** 63n, [null], { a: null }])(
    'refuses case %#, which TOML cannot hold',
    (value) => {
      expect(() => renderInline(value)).toThrow(NotToml);
      const place = { kind: 'key', path: ['a'] } as const;
      expect(faultOf(toml.insert('', place, [value], {})).code).toBe('edit/unsupported');
    },
  );

  it('quotes keys where TOML wants it', () => {
    expect(renderKey(['a-b_1', 'a.b', '', 'ü', "it's"])).toBe('a-b_1."a.b".""."ü"."it\'s"');
  });

  it('gives sub-tables a header of their own, leaves first', () => {
    const value = { env: { B: '1' }, url: 'u', none: {}, list: [{ a: 1 }] };
    expect(renderTable(['m', 'x y'], value)).toBe(
      '[m."x y"]\nurl = "u"\nnone = {}\nlist = [{ a = 1 }]\n\n[m."x y".env]\nB = "1"',
    );
  });

  it('prints what a person would paste', () => {
    expect(toml.snippet({ kind: 'key', path: ['m', 'v'] }, { url: 'u' })).toBe('[m.v]\nurl = "u"\n');
    expect(toml.snippet({ kind: 'key', path: ['features', 'hooks'] }, true)).toBe(
      '[features]\nhooks = true\n',
    );
    expect(toml.snippet({ kind: 'key', path: ['approval_policy'] }, 'never')).toBe(
      'approval_policy = "never"\n',
    );
    expect(toml.snippet({ kind: 'item', path: ['notify'], value: 'x' }, 'x')).toBe('notify = ["x"]\n');
  });
});
