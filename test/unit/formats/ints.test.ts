import { describe, expect, it } from 'vitest';
import { Ints } from '../../../src/formats/ints.ts';
import { Spans, sameSpans } from '../../../src/formats/spans.ts';

describe('a list of integers', () => {
  it('keeps as many as it gets', () => {
    const ints = new Ints();
    for (let index = 0; index < 10_000; index += 1) ints.push(index * 3);
    expect(ints.length).toBe(10_000);
    for (let index = 0; index < 10_000; index += 1) expect(ints.at(index)).toBe(index * 3);
    ints.set(4321, -1);
    expect([ints.at(4320), ints.at(4321), ints.at(4322)]).toEqual([12_960, -1, 12_966]);
  });

  it('finds the first one that is not below a value', () => {
    const ints = new Ints();
    for (const value of [2, 9, 4, 9, 4, 9, 8, 9]) ints.push(value);
    expect([1, 2, 3, 4, 5, 8, 9].map((value) => ints.lowerBound(value, 2))).toEqual([0, 0, 1, 1, 3, 3, 4]);
    expect(new Ints().lowerBound(1)).toBe(0);
  });
});

describe('a list of spans', () => {
  const spans = (...ends: [number, number][]): Spans => {
    const list = new Spans();
    for (const [start, end] of ends) list.push(start, end);
    return list;
  };

  it('gives those that begin within a range', () => {
    const list = spans([1, 3], [4, 9], [9, 10]);
    expect(list.within(2, 9)).toEqual([{ start: 4, end: 9 }]);
    expect(list.within(1, 10)).toHaveLength(3);
    expect(list.within(10, 20)).toEqual([]);
    expect(list.at(-1)).toEqual({ start: 9, end: 10 });
    expect([list.at(3), list.at(-4), spans().at(-1)]).toEqual([undefined, undefined, undefined]);
    expect([...list]).toEqual(list.all());
  });

  it('is compared by its texts', () => {
    expect(sameSpans('ab cd', spans([0, 2], [3, 5]), 'ab  cd', spans([0, 2], [4, 6]))).toBe(true);
    expect(sameSpans('ab cd', spans([0, 2], [3, 5]), 'ab  ce', spans([0, 2], [4, 6]))).toBe(false);
    expect(sameSpans('ab cd', spans([0, 2]), 'ab cd', spans([0, 2], [3, 5]))).toBe(false);
  });
});
