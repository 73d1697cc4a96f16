import { describe, expect, test } from 'vitest';
import { matchesWildcard } from '../../../src/lib/wildcard.ts';
import fc from '../../helpers/fc.ts';

const asExpression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/gu, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'su',
  );

describe('matchesWildcard', () => {
  test('says what the regular expression says', () => {
    const part = fc.constantFrom('*', '?', 'a', 'b', '.', '\n', '😀');
    const texts = fc.array(fc.constantFrom('a', 'b', '.', '\n', '😀'), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), texts, (pattern, text) => {
        const [rule, given] = [pattern.join(''), text.join('')];
        expect(matchesWildcard(rule, given, { single: true })).toBe(asExpression(rule).test(given));
      }),
      { numRuns: 2000 },
    );
  });

  test('takes ? for itself where it is none', () => {
    expect(matchesWildcard('a?', 'ab')).toBe(false);
    expect(matchesWildcard('a?', 'a?')).toBe(true);
  });

  test('is done with a pattern that no regular expression gets done with', () => {
    const started = performance.now();
    expect(matchesWildcard(`${'*a'.repeat(50_000)}b`, 'a'.repeat(200))).toBe(false);
    expect(matchesWildcard(`${'*a'.repeat(40)}*b`, 'a'.repeat(2000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
