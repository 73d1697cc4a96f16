import type { ParseError } from 'jsonc-parser';
import { parseTree } from 'jsonc-parser';
import type { Json } from '../lib/json.ts';
import { equalJson } from '../lib/json.ts';
import type { Result } from './format.ts';
import { textFault } from './json-faults.ts';
import type { JsonBranch, JsonChild, JsonDocument, JsonNode } from './json-scan.ts';
import { MAX_DEPTH, scanDocument, scanValueAt } from './json-scan.ts';
import { nodeValue } from './json-tree.ts';
import { bad, good } from './outcome.ts';
import type { Span } from './spans.ts';
import { positionAt } from './text-lines.ts';

/** Text that an edit puts in before the unit at `at`. */
export interface Piece {
  readonly at: number;
  readonly text: string;
}

/** `pieces` in order of their offsets, which count in the text before. */
export function withPieces(text: string, pieces: readonly Piece[]): string {
  let result = '';
  let from = 0;
  for (const piece of pieces) {
    result += text.slice(from, piece.at) + piece.text;
    from = piece.at;
  }
  return result + text.slice(from);
}

/** `spans` in order and disjoint. */
export function withoutSpans(text: string, spans: readonly Span[]): string {
  let result = '';
  let from = 0;
  for (const span of spans) {
    result += text.slice(from, span.start);
    from = span.end;
  }
  return result + text.slice(from);
}

/** Whether `text` is `after` without `spans`: compared part by part, since a copy of a large file takes as much again. */
function isWithout(after: string, spans: readonly Span[], text: string): boolean {
  let from = 0;
  let at = 0;
  for (const { start, end } of [...spans, { start: after.length, end: after.length }]) {
    const next = at + start - from;
    if (after.slice(from, start) !== text.slice(at, next)) return false;
    at = next;
    from = end;
  }
  return at === text.length;
}

const unproved = (why: string, document: JsonDocument, offset: number): ReturnType<typeof bad> =>
  bad('edit/unprovable', `the edit cannot be shown to leave everything else as it is: ${why}`, {
    at: positionAt(document.text, offset),
  });

/** A new child and the text in which its offsets count. */
export interface ProvedChild {
  readonly text: string;
  readonly child: JsonChild;
}

/**
 * Proof of an insertion at the end of `branch`, which stands `depth` levels deep. Fault: `edit/unprovable`.
 *
 * The bytes outside the pieces are compared; what stands before the last sibling and behind the branch then reads as
 * before. So only the part from that sibling on is read again, and by a second parser.
 */
export function proveInsert(
  document: JsonDocument,
  branch: JsonBranch,
  depth: number,
  after: string,
  pieces: readonly Piece[],
  added: { readonly key: string | undefined; readonly value: Json },
): Result<ProvedChild> {
  const { text } = document;
  const fail = (why: string): ReturnType<typeof bad> => unproved(why, document, branch.start);
  if (!isWithout(after, spansOf(pieces), text)) return fail('bytes of the file changed');
  const last = branch.children.at(-1);
  const again = reread(document, branch, depth, after, last, undefined);
  if (typeof again === 'string') return fail(again);
  const { children } = again.branch;
  const child = children.at(-1);
  if (
    child === undefined ||
    !sameTexts(text, last === undefined ? [] : [last], again.text, children.slice(0, -1))
  ) {
    return fail('a neighbour reads differently');
  }
  const isThere = branch.children.some(({ key }) => key !== undefined && key === added.key);
  if (isThere || child.key !== added.key || !equalJson(nodeValue(again.text, child.value), added.value)) {
    return fail('the new entry reads differently');
  }
  return again.sameComments ? good({ text: again.text, child }) : fail('a comment changed');
}

/**
 * Proof of a removal: nothing but the child, white space and one comma was cut, its siblings stand, and so does every
 * comment, those inside the child included. Fault: `edit/unprovable`.
 */
export function proveRemoval(
  document: JsonDocument,
  branch: JsonBranch,
  index: number,
  after: string,
  cuts: readonly Span[],
): Result<true> {
  const { text } = document;
  const child = branch.children[index];
  if (child === undefined) throw new Error('no such child');
  const fail = (why: string): ReturnType<typeof bad> => unproved(why, document, child.start);
  if (!cutsOnly(document, cuts, child)) return fail('not exactly the entry would go');
  const previous = branch.children[index - 1];
  const next = branch.children[index + 1];
  const again = reread(document, branch, 0, after, previous, next);
  if (typeof again === 'string') return fail(again);
  const neighbours = [previous, next].filter((one) => one !== undefined);
  if (!sameTexts(text, neighbours, again.text, again.branch.children))
    return fail('a neighbour reads differently');
  return again.sameComments ? good(true) : fail('a comment changed');
}

/** Proof that taking out the root leaves a document of the same comments and nothing else. */
export function proveEmptied(document: JsonDocument, root: JsonNode, after: string, cut: Span): Result<true> {
  const again = scanDocument(after);
  const isSame =
    again.ok &&
    again.value.root === undefined &&
    cutsOnly(document, [cut], root) &&
    sameTexts(document.text, document.comments.all(), after, again.value.comments.all());
  return isSame ? good(true) : unproved('a comment changed', document, root.start);
}

/**
 * Proof of a change inside `node`, `depth` levels deep: bytes around it, its new value, its comments.
 * Faults: `edit/unprovable`, `edit/user-comment`.
 */
export function proveUpdate(
  document: JsonDocument,
  node: JsonNode,
  depth: number,
  after: string,
  value: Json,
  mayLoseComments: boolean,
): Result<true> {
  const { text } = document;
  const fail = (why: string): ReturnType<typeof bad> => unproved(why, document, node.start);
  const end = after.length - (text.length - node.end);
  if (!sameAround(text, node.start, node.end, after, end)) return fail('bytes around the entry changed');
  const again = scanValueAt(after, node.start, MAX_DEPTH - depth);
  if (!again.ok || again.value.node.end !== end) return fail('the entry does not read again');
  if (!equalJson(nodeValue(after, again.value.node), value)) return fail('the entry reads differently');
  const comments = document.comments.within(node.start, node.end);
  if (!mayLoseComments && !sameTexts(text, comments, after, again.value.comments.all())) {
    const lost = comments[0];
    return lost === undefined ? fail('a comment appeared') : commentInside(document, lost);
  }
  return secondParserReads(document, after, after.slice(node.start, end)) ? good(true) : fail(NOT_READ);
}

/** Proof of a new document written into an empty or comment-only text. */
export function proveCreated(
  document: JsonDocument,
  after: string,
  piece: Piece,
  value: Json,
): Result<JsonBranch> {
  const fail = (why: string): ReturnType<typeof bad> => unproved(why, document, piece.at);
  if (!isWithout(after, spansOf([piece]), document.text)) return fail('bytes of the file changed');
  const again = scanDocument(after);
  if (!again.ok) return fail('the result does not read again');
  const { root, comments } = again.value;
  if (root?.kind !== 'object' || !equalJson(nodeValue(after, root), value))
    return fail('the entry reads differently');
  if (!sameTexts(document.text, document.comments.all(), after, comments.all()))
    return fail('a comment changed');
  return secondParserReads({ strict: document.comments.length === 0 }, after, after)
    ? good(root)
    : fail(NOT_READ);
}

const NOT_READ = 'a second parser does not read the result';

/** The refusal for a comment inside a span that would go. */
export function commentInside(document: JsonDocument, comment: Span): ReturnType<typeof bad> {
  return bad('edit/user-comment', 'a comment of yours stands inside what would be taken out or replaced', {
    at: positionAt(document.text, comment.start),
    hint: 'Move the comment out of the entry, or delete it.',
  });
}

interface Reread {
  readonly text: string;
  readonly branch: JsonBranch;
  readonly sameComments: boolean;
}

/**
 * Reads a branch again from its child `previous` to its child `next` (from its beginning, to its end, where there is
 * none), as a branch of its own: around these children the text is the same and is in the same state of the grammar.
 * The reason as a string when it does not read as one.
 */
function reread(
  document: JsonDocument,
  branch: JsonBranch,
  depth: number,
  after: string,
  previous: JsonChild | undefined,
  next: JsonChild | undefined,
): Reread | string {
  const from = previous?.start ?? branch.start;
  const to = next?.end ?? branch.end;
  const end = to + after.length - document.text.length;
  if (!sameAround(document.text, from, to, after, end)) return 'bytes around the entry changed';
  const [open, close] = branch.kind === 'object' ? ['{', '}'] : ['[', ']'];
  const part = after.slice(from, end);
  const text = (previous === undefined ? '' : open) + part + (next === undefined ? '' : close);
  const again = scanValueAt(text, 0, MAX_DEPTH - depth);
  if (!again.ok || again.value.node.end !== text.length) return 'the result does not read again';
  const { node, comments } = again.value;
  if ((node.kind !== 'object' && node.kind !== 'array') || node.kind !== branch.kind) return 'a type changed';
  if (!secondParserReads(document, after, text)) return NOT_READ;
  const before = document.comments.within(from, to);
  return { text, branch: node, sameComments: sameTexts(document.text, before, text, comments.all()) };
}

const sameAround = (text: string, from: number, to: number, after: string, end: number): boolean =>
  end >= from && after.slice(0, from) === text.slice(0, from) && after.slice(end) === text.slice(to);

/** The part that changed, read by JSON.parse in a file that was strict JSON, so that it stays so; else by jsonc-parser. */
function secondParserReads(document: { readonly strict: boolean }, after: string, part: string): boolean {
  if (textFault(after) !== undefined) return false;
  if (document.strict) {
    try {
      JSON.parse(part);
      return true;
    } catch {
      return false;
    }
  }
  const errors: ParseError[] = [];
  parseTree(part, errors, { allowTrailingComma: true });
  return errors.length === 0;
}

function spansOf(pieces: readonly Piece[]): Span[] {
  let shift = 0;
  return pieces.map(({ at, text }) => {
    const start = at + shift;
    shift += text.length;
    return { start, end: start + text.length };
  });
}

/** Whether the cuts leave of `node` only its comments, and take beside it only white space and at most one comma. */
function cutsOnly(document: JsonDocument, cuts: readonly Span[], node: Span): boolean {
  const { text } = document;
  const comments = document.comments.within(node.start, node.end);
  const rest = withoutSpans(
    text.slice(node.start, node.end),
    [...cuts, ...comments]
      .map(({ start, end }) => ({ start: start - node.start, end: Math.min(end, node.end) - node.start }))
      .map(({ start, end }) => ({ start: Math.max(start, 0), end }))
      .filter(({ start, end }) => start < end)
      .sort((a, b) => a.start - b.start),
  );
  const beside = cuts.map(
    ({ start, end }) =>
      text.slice(start, Math.max(start, Math.min(end, node.start))) +
      text.slice(Math.min(end, Math.max(start, node.end)), end),
  );
  return rest.trim() === '' && /^\s*,?\s*$/.test(beside.join(''));
}

/** Equal text is equal value: the same bytes between the same tokens. */
function sameTexts(text: string, before: readonly Span[], after: string, now: readonly Span[]): boolean {
  if (before.length !== now.length) return false;
  return before.every((span, index) => {
    const other = now[index];
    return other !== undefined && text.slice(span.start, span.end) === after.slice(other.start, other.end);
  });
}
