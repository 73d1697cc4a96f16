import stringify from '@iarna/toml/stringify.js';
import { parse } from 'smol-toml';
import { equalJson, isObject, type Json, type JsonObject, type JsonPath } from '../lib/json.ts';
import { fitsInt64 } from './toml-lex.ts';

/** Thrown for a value that TOML cannot hold; the format turns it into a fault. */
export class NotToml extends Error {}

/** One part of a key: bare where TOML allows it, else a basic string. */
const renderKeyPart = (part: string): string => (/^[A-Za-z0-9_-]+$/.test(part) ? part : renderString(part));

export const renderKey = (path: JsonPath): string => path.map(renderKeyPart).join('.');

/** `key = value` on one line. */
export const renderPair = (path: JsonPath, value: Json): string =>
  `${renderKey(path)} = ${renderInline(value)}`;

/** A value on one line. Throws {@link NotToml} on null and on what no candidate spelling gives back unchanged. */
export function renderInline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(renderInline).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.keys(value).map((key) => renderPair([key], value[key] as Json));
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value === 'string') return renderString(value);
  if (value === null) throw new NotToml('TOML has no null');
  if (typeof value === 'boolean') return stringify.value(value);
  return checked(value, typeof value === 'number' ? [`${value}`, `${value}.0`] : [`${value}`]);
}

/**
 * The table of an entry: its header, its own leaves, then one sub-table for each non-empty object, all with LF ends and
 * without a last line end. Arrays and empty objects stay on one line, so that every leaf has a line of its own.
 */
export function renderTable(path: JsonPath, value: JsonObject): string {
  const keys = Object.keys(value);
  const isTable = (key: string): boolean => {
    const member = value[key];
    return isObject(member) && Object.keys(member).length > 0;
  };
  const leaves = keys.filter((key) => !isTable(key)).map((key) => renderPair([key], value[key] as Json));
  const own = [`[${renderKey(path)}]`, ...leaves].join('\n');
  const tables = keys.filter(isTable).map((key) => renderTable([...path, key], value[key] as JsonObject));
  return [own, ...tables].join('\n\n');
}

/** A literal string keeps backslashes (Windows paths) and double quotes readable; it can hold no single quote. */
function renderString(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: TOML 1.0 forbids exactly these in a literal string
  const isLiteral = /[\\"]/.test(value) && !/['\u0000-\u0008\u000a-\u001f\u007f]/.test(value);
  const escaped = JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  return checked(value, [...(isLiteral ? [`'${value}'`] : []), stringify.value(value), escaped]);
}

/** The first spelling on one line that reads back as the value. */
function checked(value: Json, spellings: readonly string[]): string {
  const found = spellings.find((spelling) => !/[\r\n]/.test(spelling) && readsAs(spelling, value));
  if (found === undefined)
    throw new NotToml(`TOML cannot hold ${typeof value === 'string' ? 'this text' : value}`);
  return found;
}

function readsAs(spelling: string, value: Json): boolean {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) return false;
  try {
    const read = parse(`x = ${spelling}`, { integersAsBigInt: 'asNeeded' })['x'];
    if (typeof read === 'bigint' && !fitsInt64(read)) return false;
    return typeof read !== 'object' && equalJson(read as Json, value);
  } catch {
    return false;
  }
}
