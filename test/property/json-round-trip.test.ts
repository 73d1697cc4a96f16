import { describe, expect, it } from 'vitest';
import type { Container, Place, Trace } from '../../src/formats/format.ts';
import type { JsonBranch, JsonNode } from '../../src/formats/json-scan.ts';
import { scanDocument } from '../../src/formats/json-scan.ts';
import type { Span } from '../../src/formats/spans.ts';
import { decodeText, encodeText } from '../../src/formats/text-style.ts';
import { canonicalJson, equalJson, isObject, type Json, setOwn } from '../../src/lib/json.ts';
import fc from '../helpers/fc.ts';
import { type Added, add, draft, item, key, take, valueOfText } from '../helpers/json-edits.ts';
import {
  emptyText,
  entryValue,
  type Insertion,
  insertions,
  jsoncText,
  placed,
} from '../helpers/jsonc-documents.ts';
import { unwrap } from '../helpers/results.ts';

const RUNS = 1_500;
const PARTED = { numRuns: RUNS };

const text = fc.oneof({ weight: 9, arbitrary: jsoncText }, { weight: 1, arbitrary: emptyText });

type Wish = (value: Json) => Place;
const wish: fc.Arbitrary<Wish> = fc.constantFrom<Wish>(
  () => key('oak'),
  () => key('servers', 'oak'),
  () => key('servers', '__proto__x'),
  () => key('new', 'deep', 'oak'),
  (value) => item(['list'], { oak: value }),
  (value) => item(['hooks', 'Start'], { oak: value }),
);
const valueAt = (place: Place, value: Json): Json => (place.kind === 'item' ? { oak: value } : value);

/** The value that a document must have after an insertion, built without the editor. */
function withValue(root: Json | undefined, place: Place, value: Json): Json {
  if (place.kind !== 'key' && place.kind !== 'item') throw new Error('no JSON place');
  const put = (base: Json | undefined, path: readonly string[]): Json => {
    const [name, ...rest] = path;
    if (name === undefined) return place.kind === 'item' ? [...((base ?? []) as Json[]), value] : value;
    const object = {};
    for (const [member, inner] of Object.entries(isObject(base) ? base : {})) setOwn(object, member, inner);
    const old = isObject(base) && Object.hasOwn(base, name) ? base[name] : undefined;
    setOwn(object, name, put(old, rest));
    return object;
  };
  return put(root, place.path);
}

/** What the editor put into `added`, found from the tree and the memory of the edit. */
function ownSpans(
  before: string,
  added: string,
  place: Place,
  containers: readonly Container[],
  trace: Trace,
): Span[] {
  const { root } = unwrap(scanDocument(added));
  const own = containers.filter((one) => one.trace['filled'] !== true);
  const outer = own[0];
  const path = outer?.path ?? (place.kind === 'key' || place.kind === 'item' ? place.path : []);
  const memory = outer?.trace ?? trace;
  const pre = String(memory['pre']);
  const suf = String(memory['suf']);
  if (root === undefined) throw new Error('no root');
  if (outer !== undefined && path.length === 0) {
    return [{ start: root.start - pre.length, end: root.end + suf.length }];
  }
  const isItem = outer === undefined && place.kind === 'item';
  const parent = follow(root, isItem ? path : path.slice(0, -1));
  const index = parent.children.length - 1;
  const child = parent.children[index];
  if (child === undefined) throw new Error('no entry');
  const spans = [{ start: child.start - pre.length, end: child.end + suf.length }];
  if (child.comma >= 0) spans.push({ start: child.comma, end: child.comma + 1 });
  else if (index > 0) {
    const comma = parent.children[index - 1]?.comma ?? -1;
    spans.unshift({ start: comma, end: comma + 1 });
  }
  const kept = spans.reduceRight(
    (result, span) => result.slice(0, span.start) + result.slice(span.end),
    added,
  );
  expect(kept).toBe(before);
  return spans;
}

function follow(root: JsonNode, path: readonly string[]): JsonBranch {
  let node = root;
  for (const part of path) {
    const child = 'children' in node ? node.children.find((one) => one.key === part) : undefined;
    if (child === undefined) throw new Error(`no ${part}`);
    node = child.value;
  }
  if (!('children' in node)) throw new Error('no branch');
  return node;
}

/** The user's insertions, made in the text before and at the same places of the text with our entries. */
function editBoth(
  before: string,
  added: string,
  spans: readonly Span[],
  list: readonly Insertion[],
): [string, string] {
  const shifted: { at: number; length: number }[] = [];
  let removed = 0;
  for (const span of spans) {
    shifted.push({ at: span.start - removed, length: span.end - span.start });
    removed += span.end - span.start;
  }
  let one = before;
  let two = added;
  for (const { at, insertion } of placed(before, list).toReversed()) {
    one = one.slice(0, at) + insertion.text + one.slice(at);
    let there = at;
    for (const piece of shifted) {
      if (piece.at < at || (piece.at === at && insertion.behind)) there += piece.length;
    }
    two = two.slice(0, there) + insertion.text + two.slice(there);
  }
  return [one, two];
}

describe('an entry of a JSON file', () => {
  it('goes in as stated and out without a trace (laws 1 and 3)', () => {
    const property = fc.property(text, wish, entryValue, (before, make, value) => {
      const place = make(value);
      const own = valueAt(place, value);
      const added = add(draft(before), place, own);
      if (!equalJson(valueOfText(added.text) ?? null, withValue(valueOfText(before), place, own))) {
        throw new Error(`wrong value: ${added.text}`);
      }
      expect(take(added, place, added.trace)).toEqual({ text: before, containers: [] });
    });
    fc.assert(property, PARTED);
    expect.hasAssertions();
  });

  it('leaves every other byte alone (law 2)', () => {
    const property = fc.property(text, wish, entryValue, (before, make, value) => {
      const place = make(value);
      const added = add(draft(before), place, valueAt(place, value));
      ownSpans(before, added.text, place, added.containers, added.trace);
    });
    fc.assert(property, PARTED);
    expect.hasAssertions();
  });

  it('keeps line ends, final newline and BOM (law 7)', () => {
    const property = fc.property(text, wish, entryValue, fc.boolean(), (before, make, value, bom) => {
      const decoded = unwrap(decodeText(encodeText(before, bom)));
      const place = make(value);
      const added = add(draft(decoded.text), place, valueAt(place, value));
      const bytes = encodeText(added.text, decoded.bom);
      expect([bytes[0], bytes[1], bytes[2]].join() === '239,187,191').toBe(bom);
      if (!/[^\r]\n|^\n/.test(before) && before.includes('\n')) expect(added.text).not.toMatch(/[^\r]\n/);
      if (!before.includes('\r')) expect(added.text).not.toContain('\r');
      if (valueOfText(before) !== undefined) expect(added.text.endsWith('\n')).toBe(before.endsWith('\n'));
      const back = take(added, place, added.trace);
      expect(encodeText(back.text, decoded.bom)).toEqual(encodeText(before, bom));
    });
    fc.assert(property, PARTED);
    expect.hasAssertions();
  });

  it('stays removable when white space and comments come in between', () => {
    let reflowed = 0;
    const property = fc.property(text, wish, entryValue, insertions(4), (before, make, value, list) => {
      const place = make(value);
      const added = add(draft(before), place, valueAt(place, value));
      const spans = ownSpans(before, added.text, place, added.containers, added.trace);
      const [wanted, edited] = editBoth(before, added.text, spans, list);
      const back = take({ ...added, text: edited }, place, added.trace).text;
      if (back !== wanted && isInline(added) && equalUpToBlanks(back, wanted)) reflowed += 1;
      else expect(back).toBe(wanted);
    });
    fc.assert(property, { numRuns: 3_000 });
    expect(reflowed).toBeLessThan(30);
  });

  it('goes by the structure of the text when its record is lost', () => {
    const property = fc.property(jsoncText, wish, entryValue, insertions(3), (before, make, value, list) => {
      const place = make(value);
      const added = add(draft(before), place, valueAt(place, value));
      const spans = ownSpans(before, added.text, place, added.containers, added.trace);
      const [plain, edited] = editBoth(before, added.text, spans, list);
      const back = take(draft(edited), place);
      expect(commentsOf(back.text)).toEqual(commentsOf(plain));
      // Nobody knows any more that the containers were ours: they stay, empty.
      const left = withValue(valueOfText(plain), place, valueAt(place, value));
      expect(canonicalJson(valueOfText(back.text) ?? null)).toBe(canonicalJson(without(left, place)));
    });
    fc.assert(property, PARTED);
    expect.hasAssertions();
  });

  it('leaves no trace either when a formatter wrote the file anew', () => {
    let oddlyIndented = 0;
    const anew = (text: string, indent: number | string): string =>
      text.trim() === '' ? text : JSON.stringify(JSON.parse(text), undefined, indent);
    const strict = text.filter((before) => {
      const scanned = unwrap(scanDocument(before));
      // Nobody knows any more that an empty container had a line end in it.
      return (scanned.strict && !/[[{]\s+[\]}]/.test(before)) || before.trim() === '';
    });
    const layout = fc.constantFrom<number | string>(2, 4, '\t', 0);
    const property = fc.property(strict, wish, entryValue, layout, (before, make, value, indent) => {
      const place = make(value);
      const added = add(draft(before), place, valueAt(place, value));
      const back = take({ ...added, text: anew(added.text, indent) }, place, added.trace);
      if (before.trim() === '') expect(back.text.trim()).toBe('');
      else if (back.text !== anew(before, indent) && equalUpToBlanks(back.text, before)) oddlyIndented += 1;
      else expect(back).toEqual({ text: anew(before, indent), containers: [] });
    });
    fc.assert(property, PARTED);
    // A container that stood at an indent of its own can end up with our indent by the formatter's.
    expect(oddlyIndented).toBeLessThan(15);
  });

  it('leaves no trace either when every line end was converted', () => {
    const plain = text.map((before) => before.replaceAll('\r\n', '\n'));
    const property = fc.property(plain, wish, entryValue, fc.boolean(), (before, make, value, toPairs) => {
      const pairs = (one: string): string => one.replaceAll('\n', '\r\n');
      const place = make(value);
      const added = add(draft(toPairs ? before : pairs(before)), place, valueAt(place, value));
      const converted = toPairs ? pairs(added.text) : added.text.replaceAll('\r\n', '\n');
      expect(take({ ...added, text: converted }, place, added.trace)).toEqual({
        text: toPairs ? pairs(before) : before,
        containers: [],
      });
    });
    fc.assert(property, PARTED);
    expect.hasAssertions();
  });

  it('is not the worse for a second one, in either order of removal', () => {
    let reflowed = 0;
    const property = fc.property(
      text,
      wish,
      wish,
      entryValue,
      fc.boolean(),
      insertions(3),
      (before, makeOne, makeTwo, value, newestFirst, list) => {
        const one = makeOne(value);
        const two = renamed(makeTwo(value));
        const first = add(draft(before), one, valueAt(one, value));
        const second = add(first, two, own(two, value));
        const [wanted, edited] = editBoth(
          before,
          second.text,
          spansOfBoth(before, first, second, one, two),
          list,
        );
        const both = { ...second, text: edited };
        const [a, b] = newestFirst ? [two, one] : [one, two];
        const traces = newestFirst ? [second.trace, first.trace] : [first.trace, second.trace];
        const half = take(both, a, traces[0]);
        const back = take(half, b, traces[1]);
        expect(back.containers).toEqual([]);
        const isSame = back.text === wanted;
        if (!isSame && (isInline(first) || isInline(second)) && equalUpToBlanks(back.text, wanted))
          reflowed += 1;
        else expect(back.text).toBe(wanted);
      },
    );
    fc.assert(property, { numRuns: 2_000 });
    expect(reflowed).toBeLessThan(20);
  });
});

/**
 * White space with line ends on both sides of an entry that was written into a line is also what a formatter leaves,
 * and read as such. Then the text is right up to white space.
 */
const isInline = (added: Added): boolean =>
  [added.trace, ...added.containers.map(({ trace }) => trace)].some(({ pre }) => !String(pre).includes('\n'));

const equalUpToBlanks = (a: string, b: string): boolean =>
  canonicalJson(valueOfText(a) ?? null) === canonicalJson(valueOfText(b) ?? null) &&
  commentsOf(a).join('\n') === commentsOf(b).join('\n') &&
  a.replaceAll(/\s/g, '') === b.replaceAll(/\s/g, '');

function commentsOf(document: string): string[] {
  const { comments } = unwrap(scanDocument(document));
  return comments.all().map(({ start, end }) => document.slice(start, end));
}

/** A value with the entry taken out and its containers left. */
function without(value: Json, place: Place): Json {
  if (place.kind !== 'key' && place.kind !== 'item') throw new Error('no JSON place');
  const drop = (base: Json, [name, ...rest]: readonly string[]): Json => {
    if (name === undefined) return (base as Json[]).slice(0, -1);
    const object = {};
    for (const [key, inner] of Object.entries(base as object)) {
      if (key !== name) setOwn(object, key, inner);
      else if (rest.length > 0 || place.kind === 'item') setOwn(object, key, drop(inner, rest));
    }
    return object;
  };
  return drop(value, place.path);
}

const renamed = (place: Place): Place =>
  place.kind === 'key'
    ? { ...place, path: [...place.path.slice(0, -1), 'elm'] }
    : place.kind === 'item'
      ? { ...place, value: { elm: (place.value as { oak: Json }).oak } }
      : place;

const own = (place: Place, value: Json): Json => (place.kind === 'item' ? place.value : value);

/** Spans of both entries in the second text: those of the first, moved, cut up by those of the second. */
function spansOfBoth(before: string, first: Added, second: Added, one: Place, two: Place): Span[] {
  const newer = ownSpans(
    first.text,
    second.text,
    two,
    second.containers.slice(first.containers.length),
    second.trace,
  );
  const older = ownSpans(before, first.text, one, first.containers, first.trace);
  const isOurs = new Array<boolean>(second.text.length).fill(false);
  for (const span of newer) isOurs.fill(true, span.start, span.end);
  let from = 0;
  const positions: number[] = [];
  for (let at = 0; at < second.text.length; at += 1) if (!isOurs[at]) positions[from++] = at;
  for (const span of older)
    for (let at = span.start; at < span.end; at += 1) isOurs[positions[at] ?? 0] = true;
  const spans: Span[] = [];
  for (let at = 0; at < isOurs.length; at += 1) {
    if (!isOurs[at]) continue;
    let end = at;
    while (isOurs[end]) end += 1;
    spans.push({ start: at, end });
    at = end;
  }
  return spans;
}
