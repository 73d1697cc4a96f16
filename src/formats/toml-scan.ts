import type { JsonPath } from '../lib/json.ts';
import type { Fault, Result } from './format.ts';
import { Ints } from './ints.ts';
import { bad, good } from './outcome.ts';
import type { Span, Spans } from './spans.ts';
import { findConflict, findNul, type Line, positionAt, splitLines } from './text-lines.ts';
import { NoToml, TomlLexer } from './toml-lex.ts';
import { N, TomlNames, type TomlPath } from './toml-names.ts';
import { checkValue, duplicate, equals, type TomlNode, valueAt } from './toml-values.ts';

export type { TomlPath } from './toml-names.ts';

/** `[a.b]` or `[[a.b]]`; `[start, end)` is the header itself, without the pairs below it. */
export interface Header {
  readonly kind: 'header';
  /** Position among the statements of the document. */
  readonly id: number;
  readonly path: TomlPath;
  readonly start: number;
  readonly end: number;
}

/** `key = value` on table level. `owner` is the header above it, undefined for the root. */
export interface Pair {
  readonly kind: 'pair';
  readonly id: number;
  readonly path: TomlPath;
  readonly start: number;
  readonly end: number;
  readonly owner: Header | undefined;
  readonly value: TomlNode;
}

export type Statement = Header | Pair;

/** start, end, start of the value (-1 for a header), node of the name */
const FIELDS = 4;

/** The headers and the pairs of a document in its order: 16 bytes for each. */
export class Statements {
  readonly #text: string;
  readonly #numbers = new Ints();
  readonly #headers = new Ints();
  readonly names: TomlNames;

  constructor(text: string) {
    this.#text = text;
    this.names = new TomlNames(text);
  }

  get length(): number {
    return this.#numbers.length / FIELDS;
  }

  add(start: number, end: number, value: number, node: number): number {
    const id = this.length;
    if (value < 0) this.#headers.push(id);
    this.#numbers.push(start);
    this.#numbers.push(end);
    this.#numbers.push(value);
    this.#numbers.push(node);
    return id;
  }

  start = (id: number): number => this.#numbers.at(id * FIELDS);
  end = (id: number): number => this.#numbers.at(id * FIELDS + 1);
  isHeader = (id: number): boolean => this.#numbers.at(id * FIELDS + 2) < 0;
  node = (id: number): number => this.#numbers.at(id * FIELDS + 3);

  /** The header above a pair; -1 for a pair of the root. */
  owner(pair: number): number {
    const index = this.#headers.lowerBound(pair) - 1;
    return index < 0 ? -1 : this.#headers.at(index);
  }

  /** The statement at a position, which must exist. */
  at(id: number): Statement {
    const start = this.start(id);
    const end = this.end(id);
    const path = this.names.path(this.node(id));
    if (this.isHeader(id)) return { kind: 'header', id, path, start, end };
    const owner = this.owner(id);
    const value = valueAt(this.#text, this.#numbers.at(id * FIELDS + 2));
    const header = owner < 0 ? undefined : this.at(owner);
    return {
      kind: 'pair',
      id,
      path,
      start,
      end,
      owner: header?.kind === 'header' ? header : undefined,
      value,
    };
  }

  /** The statement with which nothing but the name of this path is defined; undefined when there is none. */
  of(path: JsonPath): Statement | undefined {
    const node = this.find(path);
    const kind = node < 0 ? -1 : this.names.kind(node);
    return node > 0 && (kind === N.value || kind === N.table) ? this.at(this.names.link(node)) : undefined;
  }

  /** The node of a path of names; -1 when there is none, or one inside a value or an array of tables. */
  find(path: JsonPath): number {
    let node = 0;
    for (const name of path) {
      node = this.names.member(node, name);
      if (node < 0) return -1;
    }
    return node;
  }

  /** The first statement that begins at an offset or behind it; the number of statements when there is none. */
  lowerBound = (offset: number): number => this.#numbers.lowerBound(offset, FIELDS);

  /** How many pairs stand before the first header. */
  get rootPairs(): number {
    return this.#headers.length === 0 ? this.length : this.#headers.at(0);
  }

  /** The last statement of a header's section: its last pair, or itself. */
  sectionEnd(header: number): number {
    const next = this.#headers.lowerBound(header + 1);
    return (next < this.#headers.length ? this.#headers.at(next) : this.length) - 1;
  }

  /** The statements at or below a node, in order. */
  below(node: number): number[] {
    const found: number[] = [];
    if (node >= 0)
      for (let id = 0; id < this.length; id += 1) if (this.names.isBelow(this.node(id), node)) found.push(id);
    return found;
  }
}

/** A text that is TOML, and where what stands in it. What its values mean is the second reader's to say (`toml-read.ts`). */
export interface TomlRanges {
  readonly text: string;
  readonly lines: Lines;
  readonly statements: Statements;
  readonly comments: Spans;
}

/** The lines of a text: four bytes for each. */
export class Lines {
  readonly #text: string;
  readonly #starts = new Ints();

  constructor(text: string) {
    this.#text = text;
    for (let start = 0; start < text.length; ) {
      this.#starts.push(start);
      const feed = text.indexOf('\n', start);
      start = feed < 0 ? text.length : feed + 1;
    }
  }

  get length(): number {
    return this.#starts.length;
  }

  at(index: number): Line | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const text = this.#text;
    const start = this.#starts.at(index);
    const next = index + 1 < this.length ? this.#starts.at(index + 1) : text.length;
    const feed = text[next - 1] === '\n' ? 1 : 0;
    const end = next - feed;
    return { start, end: feed === 1 && end > start && text[end - 1] === '\r' ? end - 1 : end, next };
  }

  /** Index of the line that holds an offset. */
  holding(offset: number): number {
    return Math.max(0, this.#starts.lowerBound(offset + 1) - 1);
  }
}

/**
 * Reads where the headers, pairs and comments of a text stand (TOML 1.1, no byte-order mark), and checks that it is TOML.
 * Faults: `config/malformed`, `config/duplicate-key`, `config/line-ends`, `config/merge-conflict`, `config/too-deep`.
 */
export function scanRanges(text: string, maxDepth: number): Result<TomlRanges> {
  const fault = findNul(text) ?? findLoneReturn(text) ?? conflictIn(text);
  if (fault !== undefined) return { ok: false, fault };
  const lexer = new TomlLexer(text);
  try {
    const statements = statementsOf(lexer, maxDepth);
    return good({ text, lines: new Lines(text), statements, comments: lexer.comments });
  } catch (stop) {
    if (!(stop instanceof NoToml)) throw stop;
    const { code, at, message, hint } = stop;
    if (code === 'config/too-deep')
      return bad(code, `tables and arrays are nested more than ${maxDepth} deep`);
    return bad(code, message, {
      ...(at === undefined ? {} : { at: positionAt(text, at) }),
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

const conflictIn = (text: string): Fault | undefined =>
  text.includes('<<<<<<<') ? findConflict(text, splitLines(text)) : undefined;

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

function statementsOf(lexer: TomlLexer, maxDepth: number): Statements {
  const statements = new Statements(lexer.text);
  const { names } = statements;
  /** The table that the pairs belong to, and how deep it is. */
  let table = 0;
  let depth = 0;
  for (lexer.skipVoid(); !lexer.isEnd; lexer.skipVoid()) {
    const start = lexer.at;
    if (lexer.code() === 91) {
      const isArray = readHeader(lexer);
      table = isArray ? defineElement(lexer, names) : defineTable(lexer, names);
      depth = names.depth(table);
      if (depth > maxDepth) throw new NoToml(undefined, '', { code: 'config/too-deep' });
      names.setLink(table, statements.add(start, lexer.at, -1, table));
    } else {
      lexer.key();
      const node = defineValue(lexer, names, table);
      const room = maxDepth - depth - lexer.partCount;
      if (room < 0) throw new NoToml(undefined, '', { code: 'config/too-deep' });
      equals(lexer);
      const value = lexer.at;
      checkValue(lexer, room);
      names.setLink(node, statements.add(start, lexer.at, value, node));
    }
    lexer.skipBlanks();
    if (!lexer.isLineEnd && lexer.code() !== 35)
      throw new NoToml(lexer.at, 'something follows where the line should end');
  }
  return statements;
}

/** Reads `[key]` or `[[key]]`; whether it is the second. */
function readHeader(lexer: TomlLexer): boolean {
  lexer.at += 1;
  const isArray = lexer.code() === 91;
  if (isArray) lexer.at += 1;
  lexer.skipBlanks();
  if (lexer.code() === 91) throw new NoToml(lexer.at, 'a space stands where none is allowed');
  if (lexer.code() === 93) throw new NoToml(lexer.at, 'a key is missing');
  if (lexer.code() === 46) throw new NoToml(lexer.at, 'a key begins with a dot');
  if (!lexer.isLineEnd) lexer.key();
  if (lexer.isLineEnd) throw new NoToml(lexer.at, 'a key or a table header is not finished on its line');
  if (lexer.code() !== 93) throw new NoToml(lexer.at, 'a table header is not closed with ]');
  lexer.at += 1;
  if (isArray) {
    if (lexer.code() !== 93) {
      const start = lexer.at;
      lexer.skipBlanks();
      const isParted = lexer.code() === 93 && lexer.at > start;
      throw new NoToml(
        lexer.at,
        isParted ? 'a space stands where none is allowed' : 'a table header is not closed with ]',
      );
    }
    lexer.at += 1;
  }
  return isArray;
}

/** The table that holds what the last part of a header names: its other parts are made where they are missing. */
function tableAround(lexer: TomlLexer, names: TomlNames, kind: number): number {
  let node = 0;
  for (let index = 0; index < lexer.partCount - 1; index += 1) {
    const part = lexer.parts[index];
    if (part === undefined) break;
    let next = names.find(node, part);
    if (next < 0) next = names.add(node, part, kind);
    const known = names.kind(next);
    if (known === N.value) throw duplicate(part.at);
    node = known === N.array ? names.link(next) : next;
  }
  return node;
}

function defineTable(lexer: TomlLexer, names: TomlNames): number {
  const around = tableAround(lexer, names, N.implied);
  const part = lexer.parts[lexer.partCount - 1];
  if (part === undefined) throw new Error('a header without a name');
  const node = names.find(around, part);
  if (node < 0) return names.add(around, part, N.table);
  const kind = names.kind(node);
  if (kind !== N.implied && kind !== N.impliedByArray) throw duplicate(part.at);
  names.setKind(node, N.table);
  return node;
}

function defineElement(lexer: TomlLexer, names: TomlNames): number {
  const around = tableAround(lexer, names, N.impliedByArray);
  const part = lexer.parts[lexer.partCount - 1];
  if (part === undefined) throw new Error('a header without a name');
  let node = names.find(around, part);
  if (node < 0) node = names.add(around, part, N.array);
  else if (names.kind(node) !== N.array) throw duplicate(part.at);
  return names.addElement(node);
}

/** Dotted keys make tables, and add to those that dotted keys made; a table with a header is finished. */
function defineValue(lexer: TomlLexer, names: TomlNames, table: number): number {
  let node = table;
  for (let index = 0; index < lexer.partCount - 1; index += 1) {
    const part = lexer.parts[index];
    if (part === undefined) break;
    const next = names.find(node, part);
    const kind = next < 0 ? N.dotted : names.kind(next);
    if (kind !== N.dotted && kind !== N.impliedByArray) throw duplicate(part.at);
    node = next < 0 ? names.add(node, part, N.dotted) : next;
  }
  const part = lexer.parts[lexer.partCount - 1];
  if (part === undefined) throw new Error('a pair without a name');
  if (names.find(node, part) >= 0) throw duplicate(part.at);
  return names.add(node, part, N.value);
}

/** Numbers are positions, so the key `0` of a table is another thing than the first table of an array. */
export const startsWith = (path: TomlPath, prefix: TomlPath): boolean =>
  path.length >= prefix.length && prefix.every((part, index) => path[index] === part);

export const samePath = (a: TomlPath, b: TomlPath): boolean => a.length === b.length && startsWith(a, b);

/** Index of the line that holds an offset. */
export const lineAt = (doc: TomlRanges, offset: number): number => doc.lines.holding(offset);

/** Comments that begin inside a span. */
export const commentsIn = (doc: TomlRanges, { start, end }: Span): Span[] => doc.comments.within(start, end);
