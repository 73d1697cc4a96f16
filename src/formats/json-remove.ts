import type { JsonPath } from '../lib/json.ts';
import { equalJson, isObject, toPointer } from '../lib/json.ts';
import type { Container, Edit, RemoveContext, Result, Trace } from './format.ts';
import { commentInside, proveEmptied, proveRemoval, withoutSpans } from './json-prove.ts';
import type { JsonBranch, JsonDocument, JsonNode, Span } from './json-scan.ts';
import { scanDocument } from './json-scan.ts';
import type { SlotText } from './json-slot.ts';
import type { Step } from './json-tree.ts';
import { commentsWithin, nodeValue, ownComments } from './json-tree.ts';
import { bad, good } from './outcome.ts';
import { toLf, withLineEnd } from './text-lines.ts';
import { isFirstOnLine, lineEndStart, skipBlanks, skipBlanksBack } from './text-style.ts';

/** An entry that exists: the steps to it, its own last, and the path of the branch that holds it. */
export interface Located {
  readonly steps: readonly Step[];
  readonly own: Step;
  readonly path: JsonPath;
}

/**
 * Takes an entry out, and with it each container of ours that it was the only content of. First exactly the white
 * space that was inserted; where someone changed that, by the structure of the text. Comments inside the entry stop it
 * (`edit/user-comment`); with `force` they stay in its place. Fault: `edit/unprovable`.
 */
export function removeEntry(document: JsonDocument, entry: Located, context: RemoveContext): Result<Edit> {
  const { step, path, trace, gone } = climb(document, entry, context);
  const { parent, index } = step;
  const isOnly = parent.children.length === 1;
  const around = isOnly ? recordOf(context.containers, path) : undefined;
  const filled = around?.trace['filled'] === true ? around : undefined;
  const inside = commentsWithin(document.comments, step.child.start, step.child.end);
  const [comment] = inside;
  if (comment !== undefined && context.force !== true) return commentInside(document, comment);
  const candidates =
    comment === undefined
      ? [
          filled === undefined ? undefined : exactCuts(document.text, parent, index, filled.trace),
          trace === undefined ? undefined : exactCuts(document.text, parent, index, trace),
          structuralCuts(document, parent, index, filled !== undefined),
          barestCuts(parent, index),
        ]
      : [cutsAround(document.text, inside, barestCuts(parent, index))];
  let refusal: Result<Edit> | undefined;
  for (const cuts of candidates) {
    if (cuts === undefined) continue;
    const text = withoutSpans(document.text, cuts);
    const proved = proveRemoval(document, parent, index, text, cuts);
    if (proved.ok) {
      const containers = context.containers.filter((one) => one !== filled && !gone.has(toPointer(one.path)));
      return withoutEmptyDocument({ text, trace: {}, containers });
    }
    refusal ??= proved;
  }
  return refusal ?? bad('edit/unprovable', 'the entry cannot be taken out');
}

interface Top {
  /** What goes: the entry, or the outermost container of ours below the document that holds nothing else. */
  readonly step: Step;
  /** Path of the branch that holds it. */
  readonly path: JsonPath;
  readonly trace: Trace | undefined;
  /** Pointers of the containers that go with it. */
  readonly gone: ReadonlySet<string>;
}

function climb(document: JsonDocument, entry: Located, context: RemoveContext): Top {
  let step = entry.own;
  let trace = context.trace;
  const gone = new Set<string>();
  for (let depth = entry.path.length; ; depth -= 1) {
    const path = entry.path.slice(0, depth);
    const outer = entry.steps[depth - 1];
    const record = recordOf(context.containers, path);
    const isOurs =
      record !== undefined && record.trace['filled'] !== true && record.kind === step.parent.kind;
    const isAlone =
      step.parent.children.length === 1 && ownComments(document.comments, step.parent).length === 0;
    if (outer === undefined || !isOurs || !isAlone) return { step, path, trace, gone };
    gone.add(toPointer(path));
    trace = record.trace;
    step = outer;
  }
}

/** The newest record of a container: one that was removed and created again has two. */
const recordOf = (containers: readonly Container[], path: JsonPath): Container | undefined =>
  containers.findLast((container) => toPointer(container.path) === toPointer(path));

/** Takes the document itself out when we created it and it holds nothing but what it was created with. */
function withoutEmptyDocument(edit: Edit): Result<Edit> {
  const record = recordOf(edit.containers, []);
  if (record === undefined || record.trace['filled'] === true) return good(edit);
  const scanned = scanDocument(edit.text);
  if (!scanned.ok) return scanned;
  const { root, comments } = scanned.value;
  if (root === undefined || !holdsOnlySkeleton(edit.text, root, record.trace)) return good(edit);
  if (commentsWithin(comments, root.start, root.end).length > 0) return good(edit);
  return removeRoot({ ...scanned.value, root }, record.trace);
}

/** The user may have deleted members of the skeleton; a changed or further one is the user's. */
function holdsOnlySkeleton(text: string, root: JsonNode, trace: Trace): boolean {
  const skeleton: unknown = JSON.parse(String(trace['skeleton'] ?? '{}'));
  if (root.kind !== 'object' || !isObject(skeleton)) return false;
  return root.children.every(({ key, value }) => {
    const own = key !== undefined && Object.hasOwn(skeleton, key) ? skeleton[key] : undefined;
    return own !== undefined && equalJson(nodeValue(text, value), own);
  });
}

function removeRoot(document: JsonDocument & { readonly root: JsonNode }, trace: Trace): Result<Edit> {
  const { text, root } = document;
  const { pre, suf } = whiteSpace(trace);
  const cut = {
    start: startOf(text, root.start, pre) ?? root.start,
    end: endOf(text, root.end, suf) ?? root.end,
  };
  const after = withoutSpans(text, [cut]);
  const proved = proveEmptied(document, root, after, cut);
  return proved.ok ? good({ text: after, trace: {}, containers: [] }) : proved;
}

function whiteSpace(trace: Trace | undefined): { pre: string; suf: string } {
  const blank = (name: string): string => {
    const text = trace?.[name];
    return typeof text === 'string' && /^\s*$/.test(text) ? text : '';
  };
  return { pre: blank('pre'), suf: blank('suf') };
}

/** Where white space of ours that ends at `offset` begins; also when all line ends of the file were converted. */
function startOf(text: string, offset: number, blank: string): number | undefined {
  for (const spelling of [blank, toLf(blank), withLineEnd(blank, '\r\n')]) {
    const start = offset - spelling.length;
    const splitsLineEnd = spelling.startsWith('\n') && text[start - 1] === '\r';
    if (start >= 0 && !splitsLineEnd && text.slice(start, offset) === spelling) return start;
  }
  return undefined;
}

/** Where white space of ours that begins at `offset` ends. */
function endOf(text: string, offset: number, blank: string): number | undefined {
  const spelling = [blank, toLf(blank), withLineEnd(blank, '\r\n')].find((one) =>
    text.startsWith(one, offset),
  );
  return spelling === undefined ? undefined : offset + spelling.length;
}

/** An entry that was written into a line and now has a line of its own: a formatter wrote the file anew. */
function isReflowed(text: string, child: Span, end: number, pre: string): boolean {
  const next = text[skipBlanks(text, end)];
  return !pre.includes('\n') && isFirstOnLine(text, child.start) && (next === '\n' || next === '\r');
}

/** The inverse of the insertion; undefined when the white space around the entry is no longer ours. */
function exactCuts(text: string, parent: JsonBranch, index: number, trace: Trace): Span[] | undefined {
  const child = parent.children[index];
  if (child === undefined) return undefined;
  const { pre, suf } = whiteSpace(trace);
  const start = startOf(text, child.start, pre);
  const end = child.comma >= 0 ? child.comma + 1 : child.end;
  if (start === undefined || start <= parent.start || isReflowed(text, child, end, pre)) return undefined;
  const before = parent.children[index - 1];
  const isOnly = parent.children.length === 1;
  const sufEnd = isOnly ? endOf(text, end, suf) : end;
  if (sufEnd === undefined) return undefined;
  const cuts: Span[] = [];
  if (child.comma < 0 && before !== undefined && before.comma >= 0) cuts.push(charAt(before.comma));
  cuts.push({ start, end: child.end });
  if (child.comma >= 0) cuts.push(charAt(child.comma));
  // The entry was the first of a line that someone continued: the blank behind its comma goes with it.
  const isInlineFirst = index === 0 && !isOnly && pre === '';
  const tail = isInlineFirst ? skipBlanks(text, end) : sufEnd;
  if (tail > end) cuts.push({ start: end, end: tail });
  return joined(cuts);
}

/**
 * Removal by what stands around the child, for text that was edited or whose record is lost. `wasEmpty`: the last
 * child leaves `{}` where no comment stands. Throws when there is no such child.
 */
export function structuralCuts(
  source: SlotText,
  parent: JsonBranch,
  index: number,
  wasEmpty: boolean,
): Span[] {
  const { text, comments } = source;
  const child = parent.children[index];
  if (child === undefined) throw new Error('no such child');
  const isOnly = parent.children.length === 1;
  if (isOnly && wasEmpty && ownComments(comments, parent).length === 0) {
    return [{ start: parent.start + 1, end: parent.end - 1 }];
  }
  const end = child.comma >= 0 ? child.comma + 1 : child.end;
  const lineEnd = endOfLine(text, end);
  const next = parent.children[index + 1];
  const isContinued =
    (next !== undefined && next.start < lineEnd) || commentsWithin(comments, end, lineEnd).length > 0;
  const isLined = isFirstOnLine(text, child.start);
  const blanks = skipBlanksBack(text, child.start);

  let start = child.start;
  let tail = end;
  if (isLined && !isContinued) start = lineEndStart(text, blanks);
  else if (isLined || (index === 0 && child.comma >= 0)) tail = skipBlanks(text, end);
  else if (index > 0) start = blanks;

  const before = parent.children[index - 1];
  const cuts: Span[] = [];
  if (child.comma < 0 && before !== undefined && before.comma >= 0) cuts.push(charAt(before.comma));
  cuts.push({ start, end: child.end });
  if (child.comma >= 0) cuts.push(charAt(child.comma));
  if (tail > end) cuts.push({ start: end, end: tail });
  return joined(cuts);
}

/** The child and its comma alone; the white space around them stays. */
function barestCuts(parent: JsonBranch, index: number): Span[] {
  const child = parent.children[index];
  if (child === undefined) throw new Error('no such child');
  const before = parent.children[index - 1];
  const node = { start: child.start, end: child.end };
  if (child.comma >= 0) return joined([node, charAt(child.comma)]);
  return before !== undefined && before.comma >= 0 ? joined([charAt(before.comma), node]) : [node];
}

/** Cuts that leave comments standing, a line comment with the end of its line. */
function cutsAround(text: string, comments: readonly Span[], cuts: readonly Span[]): Span[] {
  return cuts.flatMap((cut) => {
    const parts: Span[] = [];
    let from = cut.start;
    for (const { start, end } of comments) {
      if (start < cut.start || end > cut.end) continue;
      parts.push({ start: from, end: start });
      from = text.startsWith('//', start) ? endOfLine(text, end) + 1 : end;
    }
    return [...parts, { start: from, end: cut.end }].filter((part) => part.start < part.end);
  });
}

const charAt = (offset: number): Span => ({ start: offset, end: offset + 1 });

function endOfLine(text: string, offset: number): number {
  const feed = text.indexOf('\n', offset);
  return feed < 0 ? text.length : feed;
}

/** Spans that touch become one. */
function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last !== undefined && last.end >= span.start)
      result.splice(-1, 1, { start: last.start, end: span.end });
    else result.push(span);
  }
  return result;
}
