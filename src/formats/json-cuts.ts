import type { Trace } from './format.ts';
import type { JsonBranch } from './json-scan.ts';
import type { SlotText } from './json-slot.ts';
import { ownComments } from './json-tree.ts';
import type { Span } from './spans.ts';
import { toLf, withLineEnd } from './text-lines.ts';
import { isFirstOnLine, lineEndStart, skipBlanks, skipBlanksBack } from './text-style.ts';

/** White space of ours from a trace; anything else that may stand in a damaged record counts as none. */
export function whiteSpace(trace: Trace | undefined): { pre: string; suf: string } {
  const blank = (name: string): string => {
    const text = trace?.[name];
    return typeof text === 'string' && /^\s*$/.test(text) ? text : '';
  };
  return { pre: blank('pre'), suf: blank('suf') };
}

/** Where white space of ours that ends at `offset` begins; also when all line ends of the file were converted. */
export function startOf(text: string, offset: number, blank: string): number | undefined {
  for (const spelling of [blank, toLf(blank), withLineEnd(blank, '\r\n')]) {
    const start = offset - spelling.length;
    const splitsLineEnd = spelling.startsWith('\n') && text[start - 1] === '\r';
    if (start >= 0 && !splitsLineEnd && text.slice(start, offset) === spelling) return start;
  }
  return undefined;
}

/** Where white space of ours that begins at `offset` ends. */
export function endOf(text: string, offset: number, blank: string): number | undefined {
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

/**
 * The comma that goes with a child. The one behind it, unless something stands between them: ours stand right behind the
 * value, so that one is somebody else's (commas that begin the lines), and the one before the child was put in with it.
 */
function commaOf(parent: JsonBranch, index: number): number {
  const child = parent.children[index];
  const before = parent.children[index - 1]?.comma ?? -1;
  if (child === undefined || child.comma < 0) return before;
  return child.comma > child.end && before >= 0 ? before : child.comma;
}

/** The inverse of the insertion; undefined when the white space around the entry is no longer ours. */
export function exactCuts(text: string, parent: JsonBranch, index: number, trace: Trace): Span[] | undefined {
  const child = parent.children[index];
  if (child === undefined) return undefined;
  const { pre, suf } = whiteSpace(trace);
  const start = startOf(text, child.start, pre);
  const comma = commaOf(parent, index);
  const end = comma >= child.end ? comma + 1 : child.end;
  if (start === undefined || start <= parent.start || isReflowed(text, child, end, pre)) return undefined;
  const isOnly = parent.children.length === 1;
  const sufEnd = isOnly ? endOf(text, end, suf) : end;
  if (sufEnd === undefined) return undefined;
  const cuts: Span[] = [];
  if (comma >= 0 && comma < child.start) cuts.push(charAt(comma));
  cuts.push({ start, end: child.end });
  if (comma >= child.end) cuts.push(charAt(comma));
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
  const comma = commaOf(parent, index);
  const end = comma >= child.end ? comma + 1 : child.end;
  const lineEnd = endOfLine(text, end);
  const next = parent.children[index + 1];
  const isContinued =
    (next !== undefined && next.start < lineEnd) || comments.within(end, lineEnd).length > 0;
  const isLined = isFirstOnLine(text, child.start);
  const blanks = skipBlanksBack(text, child.start);

  let start = child.start;
  let tail = end;
  if (isLined && !isContinued) start = lineEndStart(text, blanks);
  else if (isLined || (index === 0 && comma >= 0)) tail = skipBlanks(text, end);
  else if (index > 0) start = blanks;

  const cuts: Span[] = [];
  if (comma >= 0 && comma < child.start) cuts.push(charAt(comma));
  cuts.push({ start, end: child.end });
  if (comma >= child.end) cuts.push(charAt(comma));
  if (tail > end) cuts.push({ start: end, end: tail });
  return joined(cuts);
}

/** The child and its comma alone; the white space around them stays. */
export function barestCuts(parent: JsonBranch, index: number): Span[] {
  const child = parent.children[index];
  if (child === undefined) throw new Error('no such child');
  const comma = commaOf(parent, index);
  const node = { start: child.start, end: child.end };
  if (comma < 0) return [node];
  return joined(comma < child.start ? [charAt(comma), node] : [node, charAt(comma)]);
}

/** Cuts that leave comments standing, a line comment with the end of its line. */
export function cutsAround(text: string, comments: readonly Span[], cuts: readonly Span[]): Span[] {
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
