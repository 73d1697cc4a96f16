import { parse, TomlError } from 'smol-toml';
import { getIn, type Json, type JsonObject, type JsonPath, setOwn } from '../lib/json.ts';
import type { Fault, Result } from './format.ts';
import { good } from './outcome.ts';
import { valueFault } from './toml-faults.ts';
import { N } from './toml-names.ts';
import { type Statements, scanRanges, type TomlRanges } from './toml-scan.ts';

/** A TOML text that two independent readers accept: our own for the ranges, smol-toml for the values. */
export interface TomlDoc extends TomlRanges {
  /** Values that were read already, by path. */
  readonly values: Map<string, Json | undefined>;
  /** Whether the second reader has read the whole of it. */
  isRead: boolean;
}

/** Nesting beyond this is no configuration, and costs readers their stack. */
const MAX_DEPTH = 200;

/**
 * How much of a text the second reader gets at once, in units. It builds forty times as much; a part of this size is
 * garbage before it grows old. What lies below is read in one piece.
 */
const PART = 4096;

/** Thrown when the second reader refuses a part of a text whose whole it accepted. */
export class Unread extends Error {}

// The last two texts are remembered, since edits read what they wrote.
let newest: TomlDoc | undefined;
let older: TomlDoc | undefined;

/** Parses a text (TOML 1.1, no byte-order mark). Faults: those of {@link scanRanges}. */
export function scanToml(text: string, maxDepth = MAX_DEPTH): Result<TomlDoc> {
  const doc = scanStep(text, maxDepth);
  if (!doc.ok) return doc;
  const fault = readAgain(doc.value, 0, doc.value.statements.length);
  return fault === undefined ? doc : { ok: false, fault };
}

/** As {@link scanToml}, for the text that an edit leaves: {@link readAgain} has to follow. */
export function scanStep(text: string, maxDepth = MAX_DEPTH): Result<TomlDoc> {
  const known = newest?.text === text ? newest : older?.text === text ? older : undefined;
  if (known !== undefined && maxDepth === MAX_DEPTH) return good(known);
  const ranges = scanRanges(text, maxDepth);
  if (!ranges.ok) return ranges;
  const doc: TomlDoc = { ...ranges.value, values: new Map(), isRead: false };
  if (maxDepth === MAX_DEPTH) {
    older = newest;
    newest = doc;
  }
  return good(doc);
}

/**
 * Gives the text of the statements from `from` to `to` to the second reader, with all that stands between and beside
 * them: the whole document, or what an edit changed of one that was read. Answers what it refuses.
 */
export function readAgain(doc: TomlDoc, from: number, to: number): Fault | undefined {
  const { text, statements } = doc;
  if (doc.isRead) return undefined;
  for (let first = from; first < Math.max(to, 1); ) {
    const start = first === 0 ? 0 : statements.start(first);
    let next = first + 1;
    while (next < to && statements.start(next) - start < PART) next += 1;
    const end = next < statements.length ? statements.start(next) : text.length;
    const around = headersAround(statements, first, Math.min(next, to))
      .map((id) => `${text.slice(statements.start(id), statements.end(id))}\n`)
      .join('');
    const part = around + text.slice(start, end);
    try {
      parse(part, { integersAsBigInt: 'asNeeded' });
    } catch (error) {
      if (error instanceof TomlError) return valueFault(text, part, start - around.length, error);
      throw error;
    }
    first = next;
  }
  doc.isRead = true;
  return undefined;
}

/**
 * The headers above a part of a document that it needs to mean what it means there: that of its first pair, and those of
 * the tables of arrays that it continues.
 */
function headersAround(statements: Statements, from: number, to: number): number[] {
  const { names } = statements;
  const needed = new Set<number>();
  const need = (node: number): void => {
    for (let at = node; at > 0; at = names.parent(at))
      if (names.kind(at) === N.element && names.link(at) < from) needed.add(names.link(at));
  };
  if (from < to && !statements.isHeader(from) && statements.owner(from) >= 0) {
    const owner = statements.owner(from);
    need(statements.node(owner));
    needed.add(owner);
  }
  for (let id = from; id < to; id += 1) if (statements.isHeader(id)) need(statements.node(id));
  return [...needed].sort((a, b) => a - b);
}

/** The value at a path; undefined when nothing is there. Datetimes are strings: the proof of the bytes carries their kind. */
export function valueIn(doc: TomlDoc, path: JsonPath): Json | undefined {
  const key = JSON.stringify(path);
  if (doc.values.has(key)) return doc.values.get(key);
  const top = topOf(doc, path);
  const value = top < 0 ? undefined : getIn(partOf(doc, doc.statements.below(top)), path);
  doc.values.set(key, value);
  return value;
}

/** What stands at a path: a table of headers or dotted keys, something else, or nothing. */
export function isTableAt(doc: TomlDoc, path: JsonPath): boolean {
  const node = doc.statements.find(path);
  return (
    node >= 0 && doc.statements.names.kind(node) !== N.value && doc.statements.names.kind(node) !== N.array
  );
}

/** The name below which everything stands that bears on a path; -1 when nothing does. */
export function topOf({ statements: { names } }: TomlDoc, path: JsonPath): number {
  let node = 0;
  for (const name of path) {
    node = names.member(node, name);
    if (node < 0 || names.kind(node) === N.value || names.kind(node) === N.array) return node;
  }
  return node;
}

/**
 * What some statements of a document, given in its order, mean by themselves: pairs below their headers. Read by the
 * second reader. Of statements in tables of arrays all headers of these must be given. Throws {@link Unread}.
 */
export function partOf({ text, statements }: TomlDoc, ids: readonly number[]): JsonObject {
  if (ids.length === statements.length) return read(text);
  const parts: string[] = [];
  let section = -1;
  const write = (id: number): void => {
    if (statements.isHeader(id)) section = id;
    parts.push(text.slice(statements.start(id), statements.end(id)));
  };
  for (const id of ids) {
    const owner = statements.isHeader(id) ? -1 : statements.owner(id);
    if (owner >= 0 && owner !== section) write(owner);
    write(id);
  }
  return read(parts.join('\n'));
}

function read(text: string): JsonObject {
  try {
    return toJson(parse(text, { integersAsBigInt: 'asNeeded' })) as JsonObject;
  } catch (error) {
    if (error instanceof TomlError) throw new Unread(error.message.split('\n')[0], { cause: error });
    throw error;
  }
}

function toJson(value: unknown): Json {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value as Json;
  const table: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) setOwn(table, key, toJson(member));
  return table;
}
