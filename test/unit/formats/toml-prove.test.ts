import { describe, expect, it } from 'vitest';
import { scanToml } from '../../../src/formats/toml-doc.ts';
import { provedEdit, withMember, withoutMember, withoutVanished } from '../../../src/formats/toml-prove.ts';

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
    provedEdit(before, text, [], () => expected, { trace: { t: 1 }, containers: [] });

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

describe('the proof of an edit, of what stands around it', () => {
  const text = 'a = 1\n\n[x]\nv = 1\nw = 2\n\n[[t]]\nk = 1\n\n[[t]]\nk = 2\n\n[t.sub]\nk = 3\n';
  const before = unwrap(scanToml(text));
  const prove = (after: string, expect = (_: JsonObject, value: JsonObject): JsonObject => value) =>
    provedEdit(before, after, ['a'], expect, { trace: {}, containers: [] });

  it('accepts a change at the path alone, wherever it stands', () => {
    const without = (_: JsonObject, value: JsonObject) => withoutMember(value, ['a']);
    expect(prove(text.replace('a = 1\n', ''), without).ok).toBe(true);
    const other = (_: JsonObject, value: JsonObject) => withMember(value, ['a'], 2);
    expect(prove(text.replace('a = 1', 'a = 2'), other).ok).toBe(true);
    expect(prove(text.replace('\n[x]', '\n\n[x]')).ok).toBe(true);
    expect(prove(text).ok).toBe(true);
  });

  it('refuses what the second reader does not read', () => {
    expect(faultOf(prove(text.replace('w = 2', 'w = 23:59:60'))).message).toBe(
      'the file would not be valid TOML after the edit: a date or time does not exist',
    );
  });

  it('refuses a removal that hands pairs on to the table above', () => {
    const rest = text.replace('[x]\nv = 1\n', '[y]\nz = 0\n[x]\nv = 1\n');
    const whole = unwrap(scanToml(rest));
    const cut = rest.replace('[x]\nv = 1\n', '');
    const without = (_: JsonObject, value: JsonObject) => withoutMember(value, ['x']);
    const memory = { trace: {}, containers: [] };
    expect(faultOf(provedEdit(whole, cut, ['x'], without, memory)).code).toBe('edit/unprovable');
    expect(provedEdit(whole, cut.replace('w = 2\n', ''), ['x'], without, memory).ok).toBe(true);
  });

  it.each([
    ['another value', text.replace('v = 1', 'v = 3')],
    ['another name', text.replace('v = 1', 'u = 1')],
    ['a header above pairs of another', text.replace('w = 2', '[y]\nw = 2')],
    ['a header fewer', text.replace('[x]\n', '')],
    ['one more table of an array', text.replace('[[t]]', '[[t]]\n[[t]]')],
    ['one table of an array fewer', text.replace('[[t]]\nk = 1\n\n', '')],
    ['a table moved to another', text.replace('[t.sub]', '[x.sub]')],
    ['pairs in another order', text.replace('v = 1\nw = 2', 'w = 2\nv = 2')],
    ['a header that became an array', text.replace('[x]', '[[x]]')],
    ['something lost at the end', text.replace('k = 3\n', '')],
  ])('refuses %s', (_, after) => {
    expect(faultOf(prove(after)).message).toBe(
      'the file would mean something else than intended after the edit',
    );
  });
});
