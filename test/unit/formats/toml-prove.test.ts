import { describe, expect, it } from 'vitest';
import { provedEdit, withMember, withoutMember, withoutVanished } from '../../../src/formats/toml-prove.ts';
import { scanToml } from '../../../src/formats/toml-scan.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { faultOf, unwrap } from '../../helpers/results.ts';

describe('what a document should be after an edit', () => {
  it.each<[JsonObject, string[], JsonObject]>([
    [{}, ['a'], { a: 1 }],
    [{ a: 2, b: 3 }, ['a'], { a: 1, b: 3 }],
    [{}, ['a', 'b'], { a: { b: 1 } }],
    [{ a: { c: 2 } }, ['a', 'b'], { a: { c: 2, b: 1 } }],
    [{ a: 'text' }, ['a', 'b'], { a: { b: 1 } }],
    [{ a: [1] }, ['a', 'b'], { a: { b: 1 } }],
  ])('with a member: %j at %j', (value, path, expected) => {
    const before = structuredClone(value);
    expect(withMember(value, path, 1)).toEqual(expected);
    expect(value).toEqual(before);
  });

  it('with the whole of it', () => {
    expect(withMember({ a: 1 }, [], { b: 2 })).toEqual({ b: 2 });
    expect(withMember({ a: 1 }, [], 7)).toEqual({ a: 1 });
    expect(Object.keys(withMember({}, ['__proto__'], { x: 1 }))).toEqual(['__proto__']);
  });

  it.each<[JsonObject, string[], JsonObject]>([
    [{ a: 1, b: 2 }, ['a'], { b: 2 }],
    [{ a: { b: 1, c: 2 } }, ['a', 'b'], { a: { c: 2 } }],
    [{ a: { b: 1 } }, ['a', 'b'], { a: {} }],
    [{ a: 1 }, ['b'], { a: 1 }],
    [{ a: 1 }, ['a', 'b'], { a: 1 }],
    [{ a: 1 }, ['toString'], { a: 1 }],
    [{ a: 1 }, [], { a: 1 }],
  ])('without a member: %j at %j', (value, path, expected) => {
    const before = structuredClone(value);
    expect(withoutMember(value, path)).toEqual(expected);
    expect(value).toEqual(before);
  });

  it.each<[string, JsonObject, string[], JsonObject, JsonObject]>([
    ['an emptied table that is gone', { a: {} }, ['a', 'b'], {}, {}],
    ['one that still has a header', { a: {} }, ['a', 'b'], { a: {} }, { a: {} }],
    ['one with another member', { a: { c: 1 } }, ['a', 'b'], {}, { a: { c: 1 } }],
    ['two that are gone', { a: { b: {} } }, ['a', 'b', 'c'], {}, {}],
    ['the inner one of two', { a: { b: {} } }, ['a', 'b', 'c'], { a: {} }, { a: {} }],
    ['one that is no table', { a: 1 }, ['a', 'b'], {}, { a: 1 }],
    ['a root key', {}, ['a'], {}, {}],
  ])('does not count %s', (_, expected, path, seen, result) => {
    expect(withoutVanished(expected, path, seen)).toEqual(result);
  });
});

describe('the proof of an edit', () => {
  const before = unwrap(scanToml('# one\na = 1 # two\n'));
  const prove = (text: string, expected: JsonObject = { a: 1 }) =>
    provedEdit(before, text, () => expected, { t: 1 }, []);

  it('accepts the expected value with the same comments', () => {
    const text = '# one\na = 1 # two\nb = 2\n';
    expect(unwrap(prove(text, { a: 1, b: 2 }))).toEqual({ text, trace: { t: 1 }, containers: [] });
  });

  it.each<[string, JsonObject, string]>([
    ['# one\na = # two\n', { a: 1 }, 'the file would not be valid TOML after the edit: a value is missing'],
    ['# one\na = 2 # two\n', { a: 1 }, 'the file would mean something else than intended after the edit'],
    [
      '# one\na = 1 # two\n',
      { a: 1, b: 1 },
      'the file would mean something else than intended after the edit',
    ],
    ['a = 1 # two\n', { a: 1 }, 'a comment would be changed by the edit'],
    ['# two\na = 1 # one\n', { a: 1 }, 'a comment would be changed by the edit'],
    ['# one\na = 1 # two\n# three\n', { a: 1 }, 'a comment would be changed by the edit'],
    ['# one\na = 1 #two\n', { a: 1 }, 'a comment would be changed by the edit'],
  ])('refuses %j', (text, expected, message) => {
    const fault = faultOf(prove(text, expected));
    expect(fault.code).toBe('edit/unprovable');
    expect(fault.message).toContain(message);
  });
});
