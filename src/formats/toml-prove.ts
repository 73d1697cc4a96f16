import {
  equalJson,
  getIn,
  isObject,
  type Json,
  type JsonObject,
  type JsonPath,
  setOwn,
} from '../lib/json.ts';
import type { Container, Edit, Result, Trace } from './format.ts';
import { bad, good } from './outcome.ts';
import { type Span, scanToml, type TomlDoc } from './toml-scan.ts';

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

const commentsOf = (doc: TomlDoc): string =>
  doc.comments.map(({ start, end }: Span) => doc.text.slice(start, end)).join('\n');

/**
 * Accepts an edit only when both parsers accept the new text, its value is the expected one and its comments are those
 * of the old text, in the same order. The bytes outside the edit are the same by construction: edits are splices.
 */
function proveToml(
  before: TomlDoc,
  text: string,
  expect: (after: JsonObject) => JsonObject,
): Result<TomlDoc> {
  const after = scanToml(text);
  if (!after.ok)
    return bad('edit/unprovable', `the file would not be valid TOML after the edit: ${after.fault.message}`);
  if (!equalJson(after.value.value, expect(after.value.value)))
    return bad('edit/unprovable', 'the file would mean something else than intended after the edit');
  if (commentsOf(after.value) !== commentsOf(before))
    return bad('edit/unprovable', 'a comment would be changed by the edit');
  return after;
}

/** The last step of every edit. */
export function provedEdit(
  before: TomlDoc,
  text: string,
  expect: (after: JsonObject) => JsonObject,
  trace: Trace,
  containers: readonly Container[],
): Result<Edit> {
  const proof = proveToml(before, text, expect);
  return proof.ok ? good({ text, trace, containers }) : proof;
}
