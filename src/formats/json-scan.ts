import type { Fault, Result } from './format.ts';
import { Ints } from './ints.ts';
import { conflictMarker, textFault } from './json-faults.ts';
import { BrokenToken, T, Tokens } from './json-tokens.ts';
import { bad, good } from './outcome.ts';
import type { Span, Spans } from './spans.ts';
import { positionAt } from './text-lines.ts';

export interface JsonScalar extends Span {
  readonly kind: 'string' | 'number' | 'true' | 'false' | 'null';
}

export interface JsonBranch extends Span {
  readonly kind: 'object' | 'array';
  /** Read from the text when they are first asked for. */
  readonly children: readonly JsonChild[];
  /** The children for one look at them: read, but not kept. */
  read(): readonly JsonChild[];
}

export type JsonNode = JsonScalar | JsonBranch;

/** A member of an object or an element of an array; `start` is that of the key, or of the element. */
export interface JsonChild extends Span {
  readonly key: string | undefined;
  /** Offset of the colon; -1 in arrays. */
  readonly colon: number;
  readonly value: JsonNode;
  /** Offset of the comma behind it; -1 when there is none. */
  readonly comma: number;
}

/** One value with everything that the editor must not lose. */
export interface ScannedValue {
  readonly node: JsonNode;
  /** Comments inside the value, in order. */
  readonly comments: Spans;
  readonly hasTrailingComma: boolean;
}

export interface JsonDocument {
  readonly text: string;
  /** Undefined for an empty or comment-only document. */
  readonly root: JsonNode | undefined;
  /** Every comment of the document, in order. */
  readonly comments: Spans;
  /** RFC 8259: a value, no comment, no trailing comma. */
  readonly strict: boolean;
}

/** What clients nest is far below; parsers that recurse give up at some thousands. */
export const MAX_DEPTH = 500;

const SCALARS: Readonly<Record<number, JsonScalar['kind']>> = {
  [T.string]: 'string',
  [T.number]: 'number',
  [T.true]: 'true',
  [T.false]: 'false',
  [T.null]: 'null',
};

/**
 * The objects and arrays of a text in the order of their beginnings: three numbers each, start, end, and the index of
 * the first one that does not begin inside it. So a branch is read without reading what stands in those inside it.
 */
class Branches {
  readonly #numbers = new Ints();

  get length(): number {
    return this.#numbers.length / 3;
  }

  open(start: number): number {
    const index = this.length;
    this.#numbers.push(start);
    this.#numbers.push(-1);
    this.#numbers.push(-1);
    return index;
  }

  close(index: number, end: number): void {
    this.#numbers.set(index * 3 + 1, end);
    this.#numbers.set(index * 3 + 2, this.length);
  }

  start = (index: number): number => this.#numbers.at(index * 3);
  end = (index: number): number => this.#numbers.at(index * 3 + 1);
  next = (index: number): number => this.#numbers.at(index * 3 + 2);
}

/** An object or array that is known to be well formed. */
class Branch implements JsonBranch {
  readonly kind: 'object' | 'array';
  readonly start: number;
  readonly end: number;
  readonly #text: string;
  readonly #branches: Branches;
  readonly #index: number;
  #children: readonly JsonChild[] | undefined;

  constructor(text: string, branches: Branches, index: number) {
    this.start = branches.start(index);
    this.end = branches.end(index);
    this.kind = isObjectAt(text, this.start) ? 'object' : 'array';
    this.#text = text;
    this.#branches = branches;
    this.#index = index;
  }

  get children(): readonly JsonChild[] {
    this.#children ??= this.#read();
    return this.#children;
  }

  read(): readonly JsonChild[] {
    return this.#children ?? this.#read();
  }

  #read(): JsonChild[] {
    const [text, branches] = [this.#text, this.#branches];
    const tokens = new Tokens(text, this.start + 1, false);
    const children: JsonChild[] = [];
    let inner = this.#index + 1;
    for (let token = tokens.next(); tokens.end < this.end; ) {
      const start = tokens.start;
      let key: string | undefined;
      let colon = -1;
      if (this.kind === 'object') {
        key = tokens.string();
        tokens.next();
        colon = tokens.start;
        token = tokens.next();
      }
      const kind = SCALARS[token];
      let value: JsonNode;
      if (kind === undefined) {
        value = new Branch(text, branches, inner);
        inner = branches.next(inner);
        tokens.skipTo(value.end);
      } else value = { kind, start: tokens.start, end: tokens.end };
      token = tokens.next();
      const comma = token === T.comma ? tokens.start : -1;
      if (token === T.comma) token = tokens.next();
      children.push({ key, start, end: value.end, colon, value, comma });
    }
    return children;
  }
}

const isObjectAt = (text: string, offset: number): boolean => text.charCodeAt(offset) === 123;

/** Thrown inside this file only: where the text stops being JSON, and why. */
class Stop {
  readonly at: number;
  readonly reason: string;
  readonly code: 'config/malformed' | 'config/too-deep';
  /** Where the branch begins that the text ends in. */
  readonly open: number | undefined;
  constructor(at: number, reason: string, more: { code?: Stop['code']; open?: number } = {}) {
    this.at = at;
    this.reason = reason;
    this.code = more.code ?? 'config/malformed';
    this.open = more.open;
  }
}

/**
 * Reads a whole JSONC document: comments and trailing commas are allowed, nothing else that RFC 8259 forbids.
 * Own walk over the tokens instead of a recursive parser: no stack to overflow, and comments and commas are kept. The
 * walk keeps where objects and arrays begin and end; what stands in one of them is read when it is asked for.
 *
 * Faults: `config/malformed`, `config/merge-conflict`, `config/line-ends`, `config/too-deep`.
 */
export function scanDocument(text: string, maxDepth = MAX_DEPTH): Result<JsonDocument> {
  const known = newest?.text === text ? newest : older?.text === text ? older : undefined;
  if (known !== undefined && maxDepth === MAX_DEPTH) return good(known);
  const result = scan(text, maxDepth);
  if (result.ok && maxDepth === MAX_DEPTH) {
    older = newest;
    newest = result.value;
  }
  return result;
}

// The last two texts are remembered: a plan looks at one file once for every address in it.
let newest: JsonDocument | undefined;
let older: JsonDocument | undefined;

function scan(text: string, maxDepth: number): Result<JsonDocument> {
  const fault = textFault(text);
  if (fault !== undefined) return { ok: false, fault };
  const tokens = new Tokens(text, 0);
  try {
    const first = tokens.next();
    if (first === T.end) return good({ text, root: undefined, comments: tokens.comments, strict: false });
    const { node, hasTrailingComma } = readValue(text, tokens, first, maxDepth);
    if (tokens.next() !== T.end) {
      throw new Stop(tokens.start, 'nothing may follow the end of the document');
    }
    const strict = tokens.comments.length === 0 && !hasTrailingComma;
    return good({ text, root: node, comments: tokens.comments, strict });
  } catch (stop) {
    return refused(text, stop);
  }
}

/** Reads the one value that begins at `offset`, and nothing behind it. Faults as {@link scanDocument}. */
export function scanValueAt(text: string, offset: number, maxDepth = MAX_DEPTH): Result<ScannedValue> {
  const tokens = new Tokens(text, offset);
  try {
    const value = readValue(text, tokens, tokens.next(), maxDepth);
    return good({ ...value, comments: tokens.comments });
  } catch (stop) {
    return refused(text, stop);
  }
}

function refused(text: string, stop: unknown): { readonly ok: false; readonly fault: Fault } {
  if (!(stop instanceof Stop) && !(stop instanceof BrokenToken)) throw stop;
  const code = stop instanceof Stop ? stop.code : 'config/malformed';
  const conflict = code === 'config/malformed' ? conflictMarker(text) : undefined;
  if (conflict !== undefined) return { ok: false, fault: conflict };
  const open = stop instanceof Stop ? stop.open : undefined;
  const hint = stop instanceof BrokenToken ? stop.hint : undefined;
  const where =
    open === undefined ? '' : ` the ${named(text, open)} that begins at line ${positionAt(text, open).line}`;
  return bad(code, stop.reason + where, {
    at: positionAt(text, stop.at),
    ...(hint === undefined ? {} : { hint }),
  });
}

const named = (text: string, open: number): string => (isObjectAt(text, open) ? 'object' : 'array');

/** The value that begins with `first`, the token just read. Throws {@link Stop} and {@link BrokenToken}. */
function readValue(
  text: string,
  tokens: Tokens,
  first: number,
  maxDepth: number,
): Omit<ScannedValue, 'comments'> {
  const branches = new Branches();
  /** The branches that are open, by index, outermost first. */
  const open: number[] = [];
  let hasTrailingComma = false;
  let token = first;
  for (;;) {
    const kind = SCALARS[token];
    let isDone = kind !== undefined;
    if (kind === undefined) open.push(openBranch(tokens, token, branches, open, maxDepth));
    else if (open.length === 0)
      return { node: { kind, start: tokens.start, end: tokens.end }, hasTrailingComma };
    for (;;) {
      const parent = open.at(-1);
      if (parent === undefined) return { node: new Branch(text, branches, 0), hasTrailingComma };
      const close = isObjectAt(text, branches.start(parent)) ? T.closeBrace : T.closeBracket;
      token = tokens.next();
      if (isDone && token === T.comma) {
        token = tokens.next();
        if (token !== close) break;
        hasTrailingComma = true;
      } else if (token !== close) {
        if (isDone) throw missingComma(text, tokens.start, token, branches.start(parent));
        break;
      }
      open.pop();
      branches.close(parent, tokens.end);
      isDone = true;
    }
    const parent = open.at(-1);
    if (parent === undefined) throw new Error('a member without an object');
    const start = branches.start(parent);
    if (isObjectAt(text, start)) token = readKey(tokens, token, start);
  }
}

function openBranch(
  tokens: Tokens,
  token: number,
  branches: Branches,
  open: readonly number[],
  maxDepth: number,
): number {
  const { start } = tokens;
  if (token !== T.openBrace && token !== T.openBracket) {
    const outer = open.at(-1);
    if (token === T.end && outer !== undefined) throw endsInside(start, branches.start(outer));
    throw new Stop(start, 'a value is expected here');
  }
  if (open.length >= maxDepth) {
    throw new Stop(start, `values are nested deeper than ${maxDepth} levels`, { code: 'config/too-deep' });
  }
  return branches.open(start);
}

/** Reads `"key" :` and answers the token behind it. */
function readKey(tokens: Tokens, token: number, open: number): number {
  if (token === T.end) throw endsInside(tokens.start, open);
  if (token !== T.string) throw new Stop(tokens.start, 'a member name in double quotes is expected here');
  const next = tokens.next();
  if (next !== T.colon) throw new Stop(tokens.start, 'a colon is missing after the member name');
  return tokens.next();
}

const endsInside = (at: number, open: number): Stop => new Stop(at, 'the text ends inside', { open });

const missingComma = (text: string, at: number, token: number, open: number): Stop =>
  token === T.end
    ? endsInside(at, open)
    : new Stop(at, `a comma or ${isObjectAt(text, open) ? '}' : ']'} is expected here`);
