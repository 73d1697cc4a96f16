import { createScanner } from 'jsonc-parser';
import type { Fault, Result } from './format.ts';
import { conflictMarker, explainScanError, textFault } from './json-faults.ts';
import { bad, good } from './outcome.ts';
import { positionAt } from './text-lines.ts';

/** A half-open range of UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface JsonScalar extends Span {
  readonly kind: 'string' | 'number' | 'true' | 'false' | 'null';
}

export interface JsonBranch extends Span {
  readonly kind: 'object' | 'array';
  readonly children: readonly JsonChild[];
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
  readonly comments: readonly Span[];
  readonly hasTrailingComma: boolean;
}

export interface JsonDocument {
  readonly text: string;
  /** Undefined for an empty or comment-only document. */
  readonly root: JsonNode | undefined;
  /** Every comment of the document, in order. */
  readonly comments: readonly Span[];
  /** RFC 8259: a value, no comment, no trailing comma. */
  readonly strict: boolean;
}

/** What clients nest is far below; parsers that recurse give up at some thousands. */
export const MAX_DEPTH = 500;

// The package declares these as ambient const enums, which isolated modules cannot read.
const T = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  null: 7,
  true: 8,
  false: 9,
  string: 10,
  number: 11,
  lineComment: 12,
  blockComment: 13,
  unknown: 16,
  end: 17,
} as const;

const SCALARS: Readonly<Record<number, JsonScalar['kind']>> = {
  [T.string]: 'string',
  [T.number]: 'number',
  [T.true]: 'true',
  [T.false]: 'false',
  [T.null]: 'null',
};

/** A branch while it is read: `key`, `keyStart` and `colon` belong to the member whose value comes next. */
interface OpenBranch {
  readonly kind: 'object' | 'array';
  readonly close: number;
  readonly start: number;
  end: number;
  readonly children: JsonChild[];
  key: string | undefined;
  keyStart: number;
  colon: number;
}

/** Thrown inside this file only: where the text stops being JSON, and why. */
class Stop {
  readonly at: number;
  readonly reason: string;
  readonly hint: string | undefined;
  readonly code: 'config/malformed' | 'config/too-deep';
  /** The branch that the text ends in. */
  readonly open: OpenBranch | undefined;
  constructor(
    at: number,
    reason: string,
    more: { hint?: string | undefined; code?: Stop['code']; open?: OpenBranch } = {},
  ) {
    this.at = at;
    this.reason = reason;
    this.hint = more.hint;
    this.code = more.code ?? 'config/malformed';
    this.open = more.open;
  }
}

/**
 * Reads a whole JSONC document: comments and trailing commas are allowed, nothing else that RFC 8259 forbids.
 * Own walk over the tokens instead of a recursive parser: no stack to overflow, and comments and commas are kept.
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
  const tokens = tokensOf(text, 0);
  try {
    const first = tokens.next();
    if (first === T.end) return good({ text, root: undefined, comments: tokens.comments, strict: false });
    const { node, hasTrailingComma } = readValue(tokens, first, maxDepth);
    if (tokens.next() !== T.end) {
      throw new Stop(tokens.start(), 'nothing may follow the end of the document');
    }
    const strict = tokens.comments.length === 0 && !hasTrailingComma;
    return good({ text, root: node, comments: tokens.comments, strict });
  } catch (stop) {
    return refused(text, stop);
  }
}

/** Reads the one value that begins at `offset`, and nothing behind it. Faults as {@link scanDocument}. */
export function scanValueAt(text: string, offset: number, maxDepth = MAX_DEPTH): Result<ScannedValue> {
  const tokens = tokensOf(text, offset);
  try {
    const value = readValue(tokens, tokens.next(), maxDepth);
    return good({ ...value, comments: tokens.comments });
  } catch (stop) {
    return refused(text, stop);
  }
}

function refused(text: string, stop: unknown): { readonly ok: false; readonly fault: Fault } {
  if (!(stop instanceof Stop)) throw stop;
  const conflict = stop.code === 'config/malformed' ? conflictMarker(text) : undefined;
  if (conflict !== undefined) return { ok: false, fault: conflict };
  const { open, reason } = stop;
  const where =
    open === undefined ? '' : ` the ${open.kind} that begins at line ${positionAt(text, open.start).line}`;
  return bad(stop.code, reason + where, {
    at: positionAt(text, stop.at),
    ...(stop.hint === undefined ? {} : { hint: stop.hint }),
  });
}

interface Tokens {
  readonly comments: Span[];
  /** Reads the next token that is no white space and no comment. Throws {@link Stop} on a broken one. */
  next(): number;
  start(): number;
  end(): number;
  /** Decoded text of a string token. */
  value(): string;
}

function tokensOf(text: string, from: number): Tokens {
  const scanner = createScanner(text, false);
  const comments: Span[] = [];
  let start = from;
  let end = from;
  const next = (): number => {
    for (;;) {
      // The scanner copies white space character by character; skipping it here saves a third of the time.
      start = end;
      let code = text.charCodeAt(start);
      while (code === 32 || code === 10 || code === 9 || code === 13) {
        start += 1;
        code = text.charCodeAt(start);
      }
      scanner.setPosition(start);
      const token: number = scanner.scan();
      end = scanner.getPosition();
      const error: number = scanner.getTokenError();
      if (error !== 0) {
        const [reason, hint] = explainScanError(error);
        throw new Stop(start, reason, { hint });
      }
      if (token === T.lineComment || token === T.blockComment) comments.push({ start, end });
      else return token;
    }
  };
  return { comments, next, start: () => start, end: () => end, value: () => scanner.getTokenValue() };
}

/** The value that begins with `first`, the token just read. */
function readValue(tokens: Tokens, first: number, maxDepth: number): Omit<ScannedValue, 'comments'> {
  const open: OpenBranch[] = [];
  let hasTrailingComma = false;
  let token = first;
  for (;;) {
    const kind = SCALARS[token];
    let done: JsonNode | undefined;
    if (kind !== undefined) done = { kind, start: tokens.start(), end: tokens.end() };
    else open.push(openBranch(tokens, token, open, maxDepth));
    for (;;) {
      const parent = open.at(-1);
      if (parent === undefined) {
        if (done === undefined) throw new Error('a value without a beginning');
        return { node: done, hasTrailingComma };
      }
      const child = done === undefined ? undefined : attach(parent, done);
      token = tokens.next();
      if (child !== undefined && token === T.comma) {
        child.comma = tokens.start();
        token = tokens.next();
        if (token !== parent.close) break;
        hasTrailingComma = true;
      } else if (token !== parent.close) {
        if (child !== undefined) throw missingComma(tokens.start(), token, parent);
        break;
      }
      open.pop();
      parent.end = tokens.end();
      done = parent;
    }
    const parent = open.at(-1);
    if (parent?.kind === 'object') token = readKey(tokens, token, parent);
  }
}

function openBranch(
  tokens: Tokens,
  token: number,
  open: readonly OpenBranch[],
  maxDepth: number,
): OpenBranch {
  const start = tokens.start();
  if (token !== T.openBrace && token !== T.openBracket) {
    const outer = open.at(-1);
    if (token === T.end && outer !== undefined) throw endsInside(start, outer);
    throw new Stop(start, 'a value is expected here');
  }
  if (open.length >= maxDepth) {
    throw new Stop(start, `values are nested deeper than ${maxDepth} levels`, { code: 'config/too-deep' });
  }
  const isObject = token === T.openBrace;
  return {
    kind: isObject ? 'object' : 'array',
    close: isObject ? T.closeBrace : T.closeBracket,
    start,
    end: -1,
    children: [],
    key: undefined,
    keyStart: -1,
    colon: -1,
  };
}

/** Reads `"key" :` and answers the token behind it. */
function readKey(tokens: Tokens, token: number, parent: OpenBranch): number {
  if (token === T.end) throw endsInside(tokens.start(), parent);
  if (token !== T.string) throw new Stop(tokens.start(), 'a member name in double quotes is expected here');
  parent.key = tokens.value();
  parent.keyStart = tokens.start();
  const next = tokens.next();
  if (next !== T.colon) throw new Stop(tokens.start(), 'a colon is missing after the member name');
  parent.colon = tokens.start();
  return tokens.next();
}

function attach(parent: OpenBranch, value: JsonNode): { comma: number } {
  const isMember = parent.kind === 'object';
  const child = {
    key: isMember ? parent.key : undefined,
    start: isMember ? parent.keyStart : value.start,
    end: value.end,
    colon: isMember ? parent.colon : -1,
    value,
    comma: -1,
  };
  parent.children.push(child);
  return child;
}

const endsInside = (at: number, open: OpenBranch): Stop => new Stop(at, 'the text ends inside', { open });

const missingComma = (at: number, token: number, parent: OpenBranch): Stop =>
  token === T.end
    ? endsInside(at, parent)
    : new Stop(at, `a comma or ${parent.kind === 'object' ? '}' : ']'} is expected here`);
