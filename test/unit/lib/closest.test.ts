import { describe, expect, it } from 'vitest';
import { closest } from '../../../src/lib/closest.ts';

describe('the text that was probably meant', () => {
  it.each<[string, string[], string | undefined]>([
    ['vrea', ['vera', 'veritas'], 'vera'],
    ['Vera', ['vera', 'veritas'], 'vera'],
    ['verita', ['vera', 'veritas'], 'veritas'],
    ['ATLAS_URI', ['ATLAS_URL', 'ATLAS_TEAM'], 'ATLAS_URL'],
    ['other', ['vera', 'veritas'], undefined],
    ['', ['vera'], undefined],
    ['ab', ['xy'], undefined],
    ['v'.repeat(300), ['vera'], undefined],
    ['vera', [], undefined],
  ])('%j of %j is %j', (text, candidates, expected) => {
    expect(closest(text, candidates)).toBe(expected);
  });
});
