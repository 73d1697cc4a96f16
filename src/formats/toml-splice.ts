import type { Fault, Result, Trace } from './format.ts';
import { bad, good } from './outcome.ts';
import type { Span } from './spans.ts';
import { positionAt } from './text-lines.ts';
import { commentsIn, lineAt, type Statement, type TomlRanges } from './toml-scan.ts';

/** Replaces `[start, end)` by `text`. */
export interface Splice extends Span {
  readonly text: string;
}

/** Applies splices that do not overlap, in any order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const splice of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (splice.start < at) throw new Error('splices overlap');
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

/** Memory of lines put into a file: whether a blank line was put above, and whether the file had no final line end. */
export interface Surroundings {
  readonly blank: 0 | 1;
  readonly open: boolean;
}

export const toTrace = ({ blank, open }: Surroundings): Trace => ({ blank, open });

export function fromTrace(trace: Trace | undefined): Surroundings | undefined {
  if (trace === undefined || typeof trace['open'] !== 'boolean') return undefined;
  return { blank: trace['blank'] === 1 ? 1 : 0, open: trace['open'] };
}

/** The first and the last line of a statement. */
export const linesOf = (doc: TomlRanges, statement: Span): [number, number] => [
  lineAt(doc, statement.start),
  lineAt(doc, Math.max(statement.start, statement.end - 1)),
];

/** The line end of a line; empty for the last line of a text without a final one. */
export function lineEndOf(doc: TomlRanges, index: number): string {
  const line = doc.lines.at(index);
  return line === undefined ? '' : doc.text.slice(line.end, line.next);
}

const contentOf = (doc: TomlRanges, index: number): string => {
  const line = doc.lines.at(index);
  return line === undefined ? '' : doc.text.slice(line.start, line.end);
};

/** Space and tab are all the white space that TOML knows. */
export const isBlank = (doc: TomlRanges, index: number): boolean =>
  doc.lines.at(index) !== undefined && /^[ \t]*$/.test(contentOf(doc, index));

export const isComment = (doc: TomlRanges, index: number): boolean => /^[ \t]*#/.test(contentOf(doc, index));

/** A line without any character, as tenon puts them; white space on a blank line is the user's. */
export const isEmpty = (doc: TomlRanges, index: number): boolean =>
  doc.lines.at(index) !== undefined && contentOf(doc, index) === '';

/** The nearest line above a line, looking past comments only, if it is empty. */
export function emptyAbove(doc: TomlRanges, index: number, pastComments: boolean): number | undefined {
  let at = index - 1;
  while (pastComments && isComment(doc, at)) at -= 1;
  return isEmpty(doc, at) ? at : undefined;
}

export function userComment(doc: TomlRanges, span: Span): Fault {
  return {
    code: 'edit/user-comment',
    message: 'a comment of yours stands on a line that would be taken out',
    at: positionAt(doc.text, span.start),
    hint: 'Move the comment to a line of its own.',
  };
}

/**
 * What to put in place of the lines of the statements that go: nothing, or with `force` the comments that stand on
 * these lines, each on a line of its own.
 */
export function dropStatements(
  doc: TomlRanges,
  statements: readonly Statement[],
  force: boolean,
): Result<{ readonly drop: Set<number>; readonly keep: Splice[] }> {
  const drop = new Set<number>();
  const keep: Splice[] = [];
  for (const statement of statements) {
    const [first, last] = linesOf(doc, statement);
    const start = doc.lines.at(first)?.start ?? 0;
    const end = doc.lines.at(last)?.end ?? doc.text.length;
    const comments = commentsIn(doc, { start, end });
    const [comment] = comments;
    if (comment === undefined) {
      for (let index = first; index <= last; index += 1) drop.add(index);
    } else if (force) {
      const eol = lineEndOf(doc, first) || '\n';
      const texts = comments.map((span) => doc.text.slice(span.start, span.end));
      keep.push({ start, end, text: texts.join(eol) });
    } else {
      return { ok: false, fault: userComment(doc, comment) };
    }
  }
  return good({ drop, keep });
}

/**
 * Cuts whole lines. A run of lines goes with its own line ends; at the end of a file without a final line end, and for
 * the last run where `open` says that the file had none, with the line end before it.
 */
export function cutLines(doc: TomlRanges, drop: ReadonlySet<number>, open: boolean): Splice[] {
  const sorted = [...drop].sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const index of sorted) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs.flatMap(([first, last], position) => {
    const from = doc.lines.at(first);
    const to = doc.lines.at(last);
    if (from === undefined || to === undefined) return [];
    const before = doc.lines.at(first - 1);
    const isShifted = to.end === to.next || (open && position === runs.length - 1);
    if (isShifted && before !== undefined) return [{ start: before.end, end: to.end, text: '' }];
    return [{ start: from.start, end: to.next, text: '' }];
  });
}

/** The comma that follows an offset; -1 where none follows, or something else than white space stands before it. */
function commaAfter(doc: TomlRanges, offset: number, limit: number): number {
  const comma = /^[ \t\r\n]*,/.exec(doc.text.slice(offset, limit));
  return comma === null ? -1 : offset + comma[0].length - 1;
}

/**
 * Where the line of an offset begins, with the line end before it, if nothing but white space stands before the offset;
 * the limit where nothing else stands behind that.
 */
function ownLine(text: string, offset: number, limit: number): number {
  let at = offset;
  while (at > limit && /[ \t]/.test(text[at - 1] ?? '')) at -= 1;
  if (at <= limit) return limit;
  if (text[at - 1] !== '\n') return offset;
  return text[at - 2] === '\r' && at - 2 >= limit ? at - 2 : at - 1;
}

/**
 * Cuts one of several things that commas separate, in a table or array on one or more lines, with one comma. Ours is put
 * in with the comma before it, or with one right behind it where the list had one at its end ({@link afterLast}): what
 * stands between commas and the user's own values is the user's.
 */
export function cutBetween(
  doc: TomlRanges,
  outer: Span,
  items: readonly Span[],
  index: number,
): Result<Splice> {
  const item = items[index];
  if (item === undefined) return bad('edit/unprovable', 'the value is not there any more');
  const before = items[index - 1];
  const after = items[index + 1];
  const { text } = doc;
  const own = commaAfter(doc, item.end, outer.end);
  let { start, end } = item;
  if (before !== undefined) {
    const comma = commaAfter(doc, before.end, item.start);
    if (own === item.end && comma >= 0) [start, end] = [comma + 1, own + 1];
    else start = comma >= 0 ? comma : before.end;
  } else if (after !== undefined) {
    // The first of a line that the user continued: a blank that separated the two goes, a line of the user's stays.
    end = own >= 0 && /[\r\n]/.test(text.slice(own, after.start)) ? own + 1 : after.start;
    if (end !== after.start) start = ownLine(text, start, outer.start + 1);
  } else {
    end = own >= 0 ? own + 1 : end;
    // On a line of its own it was put behind something that is gone.
    const line = ownLine(text, start, outer.start + 1);
    if (text[line] === '\n' || text[line] === '\r') start = line;
  }
  const splice: Splice = { start, end, text: '' };
  const [comment] = commentsIn(doc, splice);
  return comment === undefined ? good(splice) : { ok: false, fault: userComment(doc, comment) };
}
