import { describe, expect, test } from 'vitest';
import { coverReaders } from '../../../src/runtimes/cover.ts';
import fc from '../../helpers/fc.ts';

const reader = (id: string, ...places: string[]) => ({ id, places });

describe('the fewest places that all read', () => {
  test.each([
    [[reader('a', 'x')], ['x']],
    [[reader('a', 'x', 'y'), reader('b', 'y')], ['y']],
    [
      [reader('a', 'x', 'y'), reader('b', 'z', 'y'), reader('c', 'q', 'z')],
      ['x', 'z'],
    ],
    [[], []],
  ])('%j', (readers, expected) => {
    expect(coverReaders(readers).sort()).toEqual([...expected].sort());
  });

  test('own places are preferred among equally few', () => {
    expect(coverReaders([reader('a', 'x', 'y'), reader('b', 'y', 'x'), reader('c', 'y', 'x')])).toEqual([
      'y',
    ]);
  });

  test('always cover everyone, and no smaller set does', () => {
    const place = fc.constantFrom('p', 'q', 'r', 's', 't');
    const readers = fc.array(
      fc.uniqueArray(place, { minLength: 1, maxLength: 4 }).map((places) => ({ id: 'x', places })),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(readers, (all) => {
        const chosen = coverReaders(all);
        expect(all.every(({ places }) => places.some((one) => chosen.includes(one)))).toBe(true);
        for (let mask = 0; mask < 32; mask += 1) {
          const other = ['p', 'q', 'r', 's', 't'].filter((_, bit) => mask & (1 << bit));
          const covers = all.every(({ places }) => places.some((one) => other.includes(one)));
          if (covers) expect(other.length).toBeGreaterThanOrEqual(chosen.length);
        }
      }),
    );
    expect.hasAssertions();
  });
});
