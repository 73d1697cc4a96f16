import { isSign, NO_SIGN, NoToml, TomlLexer } from './toml-lex.ts';
import { decoded } from './toml-names.ts';

/** A value and where it stands, as far as an edit goes into it. */
export type TomlNode =
  | { readonly kind: 'scalar'; readonly start: number; readonly end: number }
  | {
      readonly kind: 'array';
      readonly start: number;
      readonly end: number;
      readonly elements: readonly TomlNode[];
    }
  | TomlInline;

/** An inline table. */
export interface TomlInline {
  readonly kind: 'table';
  readonly start: number;
  readonly end: number;
  readonly members: readonly TomlMember[];
}

/** `key = value` in an inline table; `keys` are the parts of the key. */
export interface TomlMember {
  readonly keys: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly value: TomlNode;
}

/** What reads a value may do with what it finds; the scanner wants nothing, an editor a tree. */
interface Names {
  readonly members: Map<string, Names>;
  /** A value, to which no dotted key may add. */
  isValue: boolean;
}

const OPEN_ARRAY = 'an array is not closed with ]';
const OPEN_TABLE = 'an inline table is not closed with }';

/**
 * Checks the value at the lexer's place and moves behind it. `room` is how many levels may be nested in it. Throws
 * {@link NoToml}.
 */
export function checkValue(lexer: TomlLexer, room: number): void {
  const code = lexer.code();
  if (code === 34 || code === 39) lexer.string();
  else if (code === 91) checkArray(lexer, room);
  else if (code === 123) checkInline(lexer, room);
  else if (lexer.isLineEnd || code === 35) throw new NoToml(lexer.at, 'a value is missing');
  else if (isSign(code)) throw new NoToml(lexer.at, NO_SIGN);
  else lexer.scalar();
}

const tooDeep = (): NoToml => new NoToml(undefined, '', { code: 'config/too-deep' });

function checkArray(lexer: TomlLexer, room: number): void {
  lexer.at += 1;
  lexer.skipVoid();
  if (room <= 0 && lexer.code() !== 93) throw tooDeep();
  while (lexer.code() !== 93) {
    if (lexer.isEnd) throw new NoToml(lineBefore(lexer), 'a value is missing');
    checkValue(lexer, room - 1);
    lexer.skipVoid();
    if (lexer.code() === 44) {
      lexer.at += 1;
      lexer.skipVoid();
    } else if (lexer.code() !== 93)
      throw new NoToml(lexer.at, lexer.isEnd ? OPEN_ARRAY : 'a comma is missing');
  }
  lexer.at += 1;
}

function checkInline(lexer: TomlLexer, room: number): void {
  const names: Names = { members: new Map(), isValue: true };
  lexer.at += 1;
  lexer.skipVoid();
  while (lexer.code() !== 125) {
    if (lexer.isEnd) throw new NoToml(lexer.at, OPEN_TABLE);
    lexer.key();
    if (lexer.partCount > room) throw tooDeep();
    define(lexer, names);
    const depth = lexer.partCount;
    equals(lexer);
    checkValue(lexer, room - depth);
    lexer.skipVoid();
    if (lexer.code() === 44) {
      lexer.at += 1;
      lexer.skipVoid();
    } else if (lexer.code() !== 125)
      throw new NoToml(lexer.at, lexer.isEnd ? OPEN_TABLE : 'a comma is missing');
  }
  lexer.at += 1;
}

/** Moves over the `=` behind a key and the blanks behind it: key, sign and value stand on one line. */
export function equals(lexer: TomlLexer): void {
  if (lexer.code() !== 61) throw new NoToml(lexer.at, 'the = after a key is missing');
  lexer.at += 1;
  lexer.skipBlanks();
}

function define(lexer: TomlLexer, table: Names): void {
  let names = table;
  for (let index = 0; index < lexer.partCount; index += 1) {
    const part = lexer.parts[index];
    if (part === undefined) return;
    const isLast = index === lexer.partCount - 1;
    const name = part.isEscaped
      ? decoded(lexer.text, part.start, part.end)
      : lexer.text.slice(part.start, part.end);
    const known = names.members.get(name);
    if (known !== undefined && (isLast || known.isValue)) throw duplicate(part.at);
    const next = known ?? { members: new Map<string, Names>(), isValue: isLast };
    if (known === undefined) names.members.set(name, next);
    names = next;
  }
}

export const duplicate = (at: number): NoToml =>
  new NoToml(at, 'a key or table is defined twice', { code: 'config/duplicate-key' });

/** What is missing at the end of a text is missing at the end of its last line. */
function lineBefore({ text, at }: TomlLexer): number {
  let end = at;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end -= 1;
  return end;
}

/** The tree of the value that begins at an offset of a text that was checked. */
export function valueAt(text: string, offset: number): TomlNode {
  return node(new TomlLexer(text, offset, false));
}

function node(lexer: TomlLexer): TomlNode {
  const start = lexer.at;
  const code = lexer.code();
  if (code === 91) {
    const elements: TomlNode[] = [];
    between(lexer, 93, () => elements.push(node(lexer)));
    return { kind: 'array', start, end: lexer.at, elements };
  }
  if (code === 123) {
    const members: TomlMember[] = [];
    between(lexer, 125, () => members.push(member(lexer)));
    return { kind: 'table', start, end: lexer.at, members };
  }
  if (code === 34 || code === 39) lexer.string();
  else lexer.scalar();
  return { kind: 'scalar', start, end: lexer.at };
}

/** Reads what stands between commas up to a closing sign. */
function between(lexer: TomlLexer, close: number, read: () => void): void {
  lexer.at += 1;
  lexer.skipVoid();
  while (lexer.code() !== close) {
    read();
    lexer.skipVoid();
    if (lexer.code() === 44) lexer.at += 1;
    lexer.skipVoid();
  }
  lexer.at += 1;
}

function member(lexer: TomlLexer): TomlMember {
  const start = lexer.at;
  lexer.key();
  const keys = lexer.parts
    .slice(0, lexer.partCount)
    .map((part) =>
      part.isEscaped ? decoded(lexer.text, part.start, part.end) : lexer.text.slice(part.start, part.end),
    );
  equals(lexer);
  const value = node(lexer);
  return { keys, start, end: lexer.at, value };
}
