import { describe, expect, it } from 'vitest';
import { guardOutput } from '../../../src/reporting/guard.ts';
import { Prepared, serialize } from '../../../src/reporting/serialize.ts';
import { table } from '../../../src/reporting/table.ts';
import { size, visibleLength, wrap } from '../../../src/reporting/text.ts';
import { createTheme } from '../../../src/reporting/theme.ts';
import fc from '../../helpers/fc.ts';

const colour = createTheme({ color: true, unicode: true });

describe('wrap', () => {
  it('keeps to the width and loses no word', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        const lines = wrap(words.join(' '), 30, '    ', '* ').split('\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30);
        expect(
          lines
            .join(' ')
            .split(/ +/)
            .filter((part) => part !== '' && part !== '*'),
        ).toEqual(words);
      }),
    );
  });

  it('keeps a long word whole, and does not count colour', () => {
    expect(wrap(`a ${'x'.repeat(50)} b`, 20, '  ')).toBe(`  a\n  ${'x'.repeat(50)}\n  b`);
    expect(visibleLength(colour.ok('abc'))).toBe(3);
  });
});

describe('table', () => {
  it('aligns by what is seen and ends no line in blanks', () => {
    expect(
      table(
        [
          [colour.bold('a'), 'b'],
          ['ccc', ''],
        ],
        2,
        ' ',
      ),
    ).toBe(' \u001b[1ma\u001b[22m    b\n ccc');
  });
});

describe('size', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [2100, '2.1 kB'],
    [3_400_000, '3.4 MB'],
  ])('of %d is %s', (bytes, text) => {
    expect(size(bytes)).toBe(text);
  });
});

describe('serialize', () => {
  it('puts in what was prepared, at every depth', () => {
    const value = { text: 'a\u202eb', big: 2n ** 70n, none: undefined, list: [undefined] };
    for (const wrap of [
      (one: unknown) => one,
      (one: unknown) => [[[[[[{ one }]]]]]],
      (one: unknown) => ({ one }),
    ])
      expect(serialize(wrap(Prepared.of(value)))).toBe(serialize(wrap(value)));
    expect(serialize([Prepared.of(undefined)])).toBe('[null]');
  });

  it('gives what JSON.stringify gives for plain values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(serialize(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('holds no character that acts on a terminal, and the same text for a parser', () => {
    const text = 'a\u001b[2J\u202eb\u2028\u0085\ufeff';
    const json = serialize({ [text]: text });
    expect(json).toMatch(/^[ -~]*$/);
    expect(JSON.parse(json)).toEqual({ [text]: text });
  });

  it('takes bigint, maps, sets, and drops undefined', () => {
    expect(
      serialize({
        a: 10n ** 20n,
        b: new Map([['k', new Set([1])]]),
        c: undefined,
        d: [undefined],
        e: Number.NaN,
      }),
    ).toBe('{"a":100000000000000000000,"b":{"k":[1]},"d":[null],"e":null}');
  });
});

describe('guardOutput', () => {
  it('keeps the colours of the theme and no other control', () => {
    const text = `${colour.warn(colour.bold('x'))}\n\ty`;
    expect(guardOutput(text)).toBe(text);
    expect(guardOutput('\u001b[8mhidden\u001b[0m\r\u0007')).toBe('\\e[8mhidden\\e[0m\\r\\u{7}');
  });
});
