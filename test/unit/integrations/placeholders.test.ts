import { describe, expect, it } from 'vitest';
import { fillFile, fillText, placeholdersOf } from '../../../src/integrations/placeholders.ts';
import fc from '../../helpers/fc.ts';

const value = fc.string({ unit: fc.constantFrom(...'aB1\'"`\\{}$\n\r\u2028/*'), maxLength: 30 });

describe('placeholders', () => {
  it('are found once each, and never in references or lower case', () => {
    expect(placeholdersOf('{A} {B_1}{A} ${env:C} ${D} {e} {F-G} {}')).toEqual(['A', 'B_1']);
  });

  it('give a string literal in code that reads back as the value, whatever the value is', () => {
    fc.assert(
      fc.property(value, fc.constantFrom("'", '"'), (text, quote) => {
        const code = fillFile('x.ts', `const a = ${quote}{A}${quote};`, new Map([['A', text]]));
        const literal = /^const a = (.*);$/s.exec(code)?.[1] ?? '';
        return JSON.parse(literal) === text;
      }),
    );
    expect(fillFile('x.cjs', "f('{A}')", new Map([['A', `'); evil('`]]))).toBe(`f("'); evil('")`);
  });

  it('put a value in as it is, and look at nothing twice', () => {
    fc.assert(
      fc.property(
        value,
        value,
        (a, b) =>
          fillText(
            '<{A}|{B}>',
            new Map([
              ['A', a],
              ['B', b],
            ]),
          ) === `<${a}|${b}>`,
      ),
    );
    expect(fillText('{A}', new Map([['A', '{A}']]))).toBe('{A}');
  });

  it('are no use without a value', () => {
    expect(fillText('{A}{B}', new Map([['A', 'x']]))).toBe(undefined);
    expect(fillText('plain', new Map())).toBe('plain');
  });
});
