import { expect, it } from 'vitest';
import { canonicalJson, equalJson, getIn, type Json, setOwn } from '../../../src/lib/json.ts';
import fc from '../../helpers/fc.ts';

const scalar = fc.constantFrom<Json>(null, true, 0, -0, 1, 1n, 2 ** 53, Number.NaN, '', '1', 'a');
const key = fc.constantFrom('a', 'b', '__proto__', 'constructor');
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((members) => {
      const made = {};
      for (const [name, member] of members) setOwn(made, name, member);
      return made;
    }),
  ),
}));

it('two values are equal exactly where their canonical texts are', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(equalJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
      expect(equalJson(a, structuredClone(a))).toBe(true);
    }),
    {
      numRuns: 500,
      examples: [
        [Number.NaN, null],
        [null, Number.NaN],
        [1n, 1],
        [{}, []],
      ],
    },
  );
});

it('a path leads through own members only', () => {
  const made: Json = JSON.parse('{"a":{"__proto__":{"b":1},"c":[{"d":2}]}}');
  expect(getIn(made, ['a', '__proto__', 'b'])).toBe(1);
  expect(getIn(made, ['a', 'c', '0', 'd'])).toBe(2);
  for (const path of [
    ['constructor'],
    ['a', 'toString'],
    ['__proto__'],
    ['a', 'c', '0', 'constructor', 'name'],
  ])
    expect(getIn(made, path)).toBeUndefined();
  expect(getIn(undefined, ['a'])).toBeUndefined();
});
