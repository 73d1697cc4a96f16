import { describe, expect, it } from 'vitest';
import { outsideCount } from '../../../src/lib/outside.ts';
import { patternProblem, testPattern } from '../../../src/lib/pattern.ts';

describe('patternProblem', () => {
  it.each([
    '^a+b*$',
    '(?:ab)+',
    '(?<year>\\d{4})(?:-\\d+)?',
    '[(a+)+]+',
    '\\(a+\\)+',
    '\\p{L}+\\u{1f600}*',
    '^(?:yes|no)$',
    '(a+){1}',
  ])('lets %s pass', (source) => expect(patternProblem(source)).toBeUndefined());
  it.each([
    '(a+)+$',
    '^(?:a*)*b',
    '(a|aa)+$',
    '((a|b))*',
    '(?<n>x{1,9}){2,}',
    '(a?){30}a{30}',
    '((ab)+c){9}',
    '(\\d+\\.?)+',
  ])('refuses %s', (source) => expect(patternProblem(source)).toMatch(/repeats a group/));
  it('refuses what does not parse, and what is long', () => {
    expect(patternProblem('(')).toBe('is no regular expression');
    expect(patternProblem('a'.repeat(501))).toMatch(/longer/);
  });
});

describe('testPattern', () => {
  it('answers as the expression does', () => {
    expect(testPattern('^https://[^/]+/mcp$', 'u', 'https://a.example/mcp')).toBe(true);
    expect(testPattern('^HTTPS:', 'iu', 'https://a.example/mcp')).toBe(true);
    expect(testPattern('^b', 'u', 'abc')).toBe(false);
  });
  it('has no answer where one would take long', () => {
    // Polynomial, so the form tells nothing: the time limit ends it.
    const slow = `${'.*'.repeat(12)}X`;
    expect(patternProblem(slow)).toBeUndefined();
    const from = performance.now();
    const outside = outsideCount();
    expect(testPattern(slow, 'u', 'a'.repeat(2000))).toBeUndefined();
    // Another time it might have come in time, so that nothing is kept of it.
    expect(outsideCount()).toBe(outside + 1);
    expect(testPattern('(a+)+$', 'u', `${'a'.repeat(60)}!`)).toBeUndefined();
    expect(testPattern('a', 'u', 'a'.repeat(2001))).toBeUndefined();
    expect(performance.now() - from).toBeLessThan(15_000);
  });
});
