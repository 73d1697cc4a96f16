import {
  equalJson,
  getIn,
  isObject,
  type Json,
  type JsonObject,
  type JsonPath,
  setOwn,
} from '../lib/json.ts';
import type { Edit, Fault, Result } from './format.ts';
import { bad, good } from './outcome.ts';
import { sameSpans } from './spans.ts';
import { partOf, readAgain, scanStep, type TomlDoc, topOf } from './toml-doc.ts';
import { N } from './toml-names.ts';

/** The value with one member set; missing tables are created. */
export function withMember(value: JsonObject, path: JsonPath, member: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return isObject(member) ? member : value;
  const copy = { ...value };
  const inner = Object.hasOwn(value, key) ? value[key] : undefined;
  setOwn(copy, key, rest.length === 0 ? member : withMember(isObject(inner) ? inner : {}, rest, member));
  return copy;
}

/** The value without one member; nothing else goes. */
export function withoutMember(value: JsonObject, path: JsonPath): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(value, key)) return value;
  const copy = { ...value };
  const inner = value[key];
  if (rest.length === 0) delete (copy as Record<string, Json>)[key];
  else if (isObject(inner)) setOwn(copy, key, withoutMember(inner, rest));
  return copy;
}

/** Tables that only existed because of their members are gone with the last one: then they count as never there. */
export function withoutVanished(expected: JsonObject, path: JsonPath, seen: JsonObject): JsonObject {
  let value = expected;
  for (let length = path.length - 1; length > 0; length -= 1) {
    const table = path.slice(0, length);
    const left = getIn(value, table);
    if (!isObject(left) || Object.keys(left).length > 0 || getIn(seen, table) !== undefined) break;
    value = withoutMember(value, table);
  }
  return value;
}

/**
 * Accepts an edit only when both readers accept the new text, when what it means is what was meant before with the
 * expected change, and when its comments are those of the old text, in the same order. The bytes outside the edit are
 * the same by construction: edits are splices.
 *
 * The statements outside the edit are the same, stand in the same order and have the same full names: so they mean the
 * same. What is left, and everything that bears on `path`, the second reader reads in both texts.
 */
function proveToml(
  before: TomlDoc,
  text: string,
  path: JsonPath,
  expect: (after: JsonObject, before: JsonObject) => JsonObject,
): Result<TomlDoc> {
  const after = scanStep(text);
  if (!after.ok) return invalid(after.fault);
  const same = sameStatements(before, after.value);
  const { length } = after.value.statements;
  const fault = readAgain(after.value, Math.max(0, same.head - 1), Math.min(length, length - same.tail + 1));
  if (fault !== undefined) return invalid(fault);
  // A table of an array is known by its position: where one is touched, all of them count.
  const isArrayTouched = touchesArray(before, same) || touchesArray(after.value, same);
  const old = partOf(before, changedOrAt(before, same, path, isArrayTouched));
  const now = partOf(after.value, changedOrAt(after.value, same, path, isArrayTouched));
  if (!equalJson(now, expect(now, old)))
    return bad('edit/unprovable', 'the file would mean something else than intended after the edit');
  if (!sameSpans(before.text, before.comments, text, after.value.comments))
    return bad('edit/unprovable', 'a comment would be changed by the edit');
  return after;
}

const invalid = ({ message }: Fault): ReturnType<typeof bad> =>
  bad('edit/unprovable', `the file would not be valid TOML after the edit: ${message}`);

/** How many statements at the beginning and at the end of two documents are the same. */
interface Same {
  readonly head: number;
  readonly tail: number;
}

function sameStatements(before: TomlDoc, after: TomlDoc): Same {
  const a = before.statements;
  const b = after.statements;
  const most = Math.min(a.length, b.length);
  const begin = commonStart(before.text, after.text);
  let head = 0;
  while (
    head < most &&
    a.start(head) === b.start(head) &&
    a.end(head) === b.end(head) &&
    a.end(head) <= begin &&
    a.isHeader(head) === b.isHeader(head)
  )
    head += 1;
  const shift = after.text.length - before.text.length;
  const end = before.text.length - commonEnd(before.text, after.text);
  let tail = 0;
  for (; tail < most - head; tail += 1) {
    const x = a.length - 1 - tail;
    const y = b.length - 1 - tail;
    const isSame =
      a.start(x) >= end &&
      a.start(x) + shift === b.start(y) &&
      a.end(x) + shift === b.end(y) &&
      a.isHeader(x) === b.isHeader(y) &&
      sameElements(before, a.node(x), after, b.node(y));
    if (!isSame) break;
  }
  // Pairs at the beginning of the tail mean the same only below the same header.
  const owner = (doc: TomlDoc): number => doc.statements.owner(doc.statements.length - tail);
  while (
    tail > 0 &&
    !a.isHeader(a.length - tail) &&
    (owner(before) !== owner(after) || owner(before) >= head)
  )
    tail -= 1;
  return { head, tail };
}

/** Whether two names of the same spelling stand in the same tables of arrays. */
function sameElements(before: TomlDoc, one: number, after: TomlDoc, other: number): boolean {
  const a = before.statements.names;
  const b = after.statements.names;
  let x = one;
  let y = other;
  while (x > 0 && y > 0) {
    const isElement = a.kind(x) === N.element;
    if (isElement !== (b.kind(y) === N.element)) return false;
    if (isElement && a.position(x) !== b.position(y)) return false;
    x = a.parent(x);
    y = b.parent(y);
  }
  return x === 0 && y === 0;
}

/** Whether a statement that is not the same in both documents belongs to a table of an array. */
function touchesArray({ statements }: TomlDoc, { head, tail }: Same): boolean {
  const { names } = statements;
  for (let id = head; id < statements.length - tail; id += 1)
    for (let node = statements.node(id); node > 0; node = names.parent(node))
      if (names.kind(node) === N.element) return true;
  return false;
}

/**
 * The statements that are not the same in both documents, and those that bear on a path; where asked, the headers of all
 * tables of arrays too.
 */
function changedOrAt(doc: TomlDoc, { head, tail }: Same, path: JsonPath, withArrays: boolean): number[] {
  const { statements } = doc;
  const { names } = statements;
  const top = topOf(doc, path);
  const ids: number[] = [];
  for (let id = 0; id < statements.length; id += 1) {
    const isChanged = id >= head && id < statements.length - tail;
    const isAt = top >= 0 && names.isBelow(statements.node(id), top);
    const isElement = withArrays && statements.isHeader(id) && names.kind(statements.node(id)) === N.element;
    if (isChanged || isAt || isElement) ids.push(id);
  }
  return ids;
}

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
    length += 1;
  return length;
}

/** The last step of every edit; `path` is that of the entry or array that changes. */
export function provedEdit(
  before: TomlDoc,
  text: string,
  path: JsonPath,
  expect: (after: JsonObject, before: JsonObject) => JsonObject,
  memory: Pick<Edit, 'trace' | 'containers'>,
): Result<Edit> {
  const proof = proveToml(before, text, path, expect);
  return proof.ok ? good({ text, ...memory }) : proof;
}
