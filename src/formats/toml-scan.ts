import { parse as parseValue, TomlError } from 'smol-toml';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { type Json, type JsonObject, setOwn } from '../lib/json.ts';
import type { Fault, Result } from './format.ts';
import { bad, good } from './outcome.ts';
import { findConflict, findNul, type Line, positionAt, splitLines } from './text-lines.ts';
import { rangeFault, valueFault } from './toml-faults.ts';

/** Full path of a table or key; a number is the position inside an array of tables. */
export type TomlPath = readonly (string | number)[];

/** `[a.b]` or `[[a.b]]`; `[start, end)` is the header itself, without the pairs below it. */
interface Header {
  readonly kind: 'header';
  readonly path: TomlPath;
  readonly start: number;
  readonly end: number;
}

/** `key = value` on table level. `owner` is the header above it, undefined for the root. */
export interface Pair {
  readonly kind: 'pair';
  readonly path: TomlPath;
  readonly start: number;
  readonly end: number;
  readonly owner: Header | undefined;
  readonly value: AST.TOMLContentNode;
}

export type Statement = Header | Pair;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A TOML text that two independent parsers accept. */
export interface TomlDoc {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly statements: readonly Statement[];
  readonly comments: readonly Span[];
  /** Datetimes are strings here; the proof of the bytes carries their kind. */
  readonly value: JsonObject;
}

/** Nesting beyond this is no configuration, and costs the parsers their stack. */
const MAX_DEPTH = 200;
/** TOML 1.0: implementations must keep 64-bit integers; clients that parse strictly refuse larger ones. */
export const fitsInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

let newest: TomlDoc | undefined;
let older: TomlDoc | undefined;

/** Parses a text (TOML 1.1, no byte-order mark). The last two texts are remembered, since edits read what they wrote. */
export function scanToml(text: string, maxDepth = MAX_DEPTH): Result<TomlDoc> {
  const known = newest?.text === text ? newest : older?.text === text ? older : undefined;
  if (known !== undefined && maxDepth === MAX_DEPTH) return good(known);
  const result = scan(text, maxDepth);
  if (result.ok && maxDepth === MAX_DEPTH) {
    older = newest;
    newest = result.value;
  }
  return result;
}

function scan(text: string, maxDepth: number): Result<TomlDoc> {
  const lines = splitLines(text);
  const fault = findNul(text) ?? findLoneReturn(text) ?? findConflict(text, lines);
  if (fault !== undefined) return { ok: false, fault };
  try {
    const ast = parseTOML(text, { tomlVersion: '1.1' });
    const comments = ast.comments.map(({ range }) => ({ start: range[0], end: range[1] }));
    const raw = parseValue(text, { integersAsBigInt: 'asNeeded', maxDepth });
    const value = toJson(raw, maxDepth) as JsonObject;
    return good({ text, lines, statements: statementsOf(text, ast), comments, value });
  } catch (error) {
    if (error instanceof ParseError) return { ok: false, fault: rangeFault(text, error, valueError(text)) };
    if (error instanceof TomlError) return { ok: false, fault: valueFault(text, error) };
    if (error instanceof RangeError && isShallow(text, maxDepth))
      return bad('edit/unsupported', 'a string or number in this file is too long for the editor');
    if (error instanceof TooDeep || error instanceof RangeError)
      return bad('config/too-deep', `tables and arrays are nested more than ${maxDepth} deep`);
    if (error instanceof TooLong)
      return bad('config/malformed', `the integer ${error.message} does not fit in 64 bits`);
    throw error;
  }
}

/**
 * The range parser overflows its stack on deep nesting, but also on a token of more than about 100,000 characters.
 * The value parser counts the depth and has no trouble with long tokens.
 */
function isShallow(text: string, maxDepth: number): boolean {
  try {
    toJson(parseValue(text, { integersAsBigInt: 'asNeeded', maxDepth }), maxDepth);
    return true;
  } catch (error) {
    return error instanceof TooLong;
  }
}

class TooDeep extends Error {}
class TooLong extends Error {}

function toJson(value: unknown, room: number): Json {
  if (room < 0) throw new TooDeep();
  if (typeof value === 'bigint' && !fitsInt64(value)) throw new TooLong(String(value));
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => toJson(item, room - 1));
  if (typeof value !== 'object' || value === null) return value as Json;
  const table: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) setOwn(table, key, toJson(member, room - 1));
  return table;
}

/** TOML 1.0: a newline is LF or CRLF; a CR alone is an illegal control character everywhere. */
function findLoneReturn(text: string): Fault | undefined {
  const offset = text.search(/\r(?!\n)/);
  if (offset < 0) return undefined;
  return {
    code: 'config/line-ends',
    message: 'a carriage return without a line feed stands in this file, which TOML does not allow',
    at: positionAt(text, offset),
    hint: 'Convert the line ends of the file to LF or CRLF.',
  };
}

/** What the value parser says of a text that the range parser refuses. */
function valueError(text: string): TomlError | undefined {
  try {
    parseValue(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (error instanceof TomlError) return error;
  }
  return undefined;
}

export const keysOf = (key: AST.TOMLKey): string[] =>
  key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));

function statementsOf(text: string, ast: AST.TOMLProgram): Statement[] {
  const statements: Statement[] = [];
  const addPair = (pair: AST.TOMLKeyValue, owner: Header | undefined): void => {
    const path = [...(owner?.path ?? []), ...keysOf(pair.key)];
    const [start, end] = pair.range;
    statements.push({ kind: 'pair', path, start, end, owner, value: pair.value });
  };
  for (const node of ast.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      addPair(node, undefined);
      continue;
    }
    const close = node.kind === 'array' ? ']]' : ']';
    const end = text.indexOf(close, node.key.range[1]) + close.length;
    const header: Header = { kind: 'header', path: node.resolvedKey, start: node.range[0], end };
    statements.push(header);
    for (const pair of node.body) addPair(pair, header);
  }
  return statements;
}

/** Numbers are positions, so the key `0` of a table is another thing than the first table of an array. */
export const startsWith = (path: TomlPath, prefix: TomlPath): boolean =>
  path.length >= prefix.length && prefix.every((part, index) => path[index] === part);

export const samePath = (a: TomlPath, b: TomlPath): boolean => a.length === b.length && startsWith(a, b);

/** Index of the line that holds an offset. */
export function lineAt(doc: TomlDoc, offset: number): number {
  let low = 0;
  let high = doc.lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((doc.lines[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Comments that begin inside a span. */
export const commentsIn = (doc: TomlDoc, span: Span): Span[] =>
  doc.comments.filter(({ start }) => start >= span.start && start < span.end);
