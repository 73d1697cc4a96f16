/** JSON as tenon handles it. `bigint` stands for TOML and JSON integers beyond 2^53. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Path of members inside a document, outermost first; array positions are decimal strings. */
export type JsonPath = readonly string[];

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 6901 pointer of a path: `['a/b', 'c']` -> `/a~1b/c`; the root is `''`. */
export const toPointer = (path: JsonPath): string =>
  path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Inverse of {@link toPointer}. Throws on a string that is no RFC 6901 pointer. */
export function fromPointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new SyntaxError(`not a JSON pointer: ${pointer}`);
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Canonical text of a value: keys sorted by UTF-16 units, no white space, bigint as plain digits.
 * Equal values give equal text; the input of every fingerprint.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Whether two values have the same canonical text. Members that are the same object are not walked. */
export function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => equalJson(item, b[at]));
  }
  if (isObject(a)) {
    if (!isObject(b)) return false;
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key] as Json, b[key] as Json))
    );
  }
  return !Array.isArray(b) && !isObject(b) && canonicalJson(a) === canonicalJson(b);
}

/** Sets a member also for names such as `__proto__`, which plain assignment would lose. */
export function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}

/** Value at a path, own members only; undefined where there is none. */
export function getIn(value: Json | undefined, path: JsonPath): Json | undefined {
  let current: Json | undefined = value;
  for (const part of path) {
    if (Array.isArray(current)) current = current[Number(part)];
    else if (isObject(current) && Object.hasOwn(current, part)) current = current[part];
    else return undefined;
  }
  return current;
}

/**
 * The leaves of a value: objects are walked, everything else (arrays, scalars, empty objects) is one leaf.
 * Keys are JSON pointers relative to the value; a value that is itself a leaf has the pointer `''`.
 */
export function leavesOf(value: Json, path: JsonPath = []): Map<string, Json> {
  if (!isObject(value) || Object.keys(value).length === 0) return new Map([[toPointer(path), value]]);
  const leaves = new Map<string, Json>();
  for (const [key, member] of Object.entries(value)) {
    for (const [pointer, leaf] of leavesOf(member, [...path, key])) leaves.set(pointer, leaf);
  }
  return leaves;
}
