import type { Fault, Result } from './format.ts';
import { bad, good } from './outcome.ts';
import { findConflict, findNul, type Line, positionAt, splitLines } from './text-lines.ts';

/** A marker line, found outside (or, `hidden`, inside) fenced code and comments. */
export interface Marker {
  readonly kind: 'begin' | 'end';
  readonly id: string;
  readonly line: Line;
  readonly hidden: boolean;
}

/** What a Markdown text means for blocks: its lines, the markers, and a construct that is still open at its end. */
interface Outline {
  readonly lines: readonly Line[];
  readonly markers: readonly Marker[];
  readonly open: { readonly kind: 'fence' | 'comment'; readonly line: Line } | undefined;
}

/** A marker is an HTML block that begins and ends on its own line, at column 0 (CommonMark 4.6, kind 2). */
const MARKER = /^<!--[ \t]*tenon:(begin|end)[ \t]+(\S+)[ \t]*-->[ \t]*$/;
/** CommonMark 4.5: three or more of one sign, at most three spaces before. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The sign of a fence that a line begins with; no backtick in the info of a backtick fence. */
function fenceOf(content: string): string | undefined {
  const [all = '', sign] = FENCE.exec(content) ?? [];
  return sign?.startsWith('`') === true && content.includes('`', all.length) ? undefined : sign;
}

const COMMENT = /^ {0,3}<!--/;

/** One pass over the lines. Blocks inside lists and quotes are not told apart: markers stand at column 0. */
export function outline(text: string): Outline {
  const lines = splitLines(text);
  const markers: Marker[] = [];
  let fence: { readonly sign: string; readonly line: Line } | undefined;
  let comment: Line | undefined;
  for (const line of lines) {
    const content = text.slice(line.start, line.end);
    const marker = MARKER.exec(content);
    if (marker?.[1] !== undefined && marker[2] !== undefined) {
      const kind = marker[1] === 'begin' ? 'begin' : 'end';
      markers.push({ kind, id: marker[2], line, hidden: fence !== undefined || comment !== undefined });
    }
    if (fence !== undefined) {
      const closing = fenceOf(content);
      if (closing?.startsWith(fence.sign) && content.trim() === closing) fence = undefined;
    } else if (comment !== undefined) {
      if (content.includes('-->')) comment = undefined;
    } else if (COMMENT.test(content)) {
      if (!content.slice(content.indexOf('<!--') + 4).includes('-->')) comment = line;
    } else {
      const sign = fenceOf(content);
      if (sign !== undefined) fence = { sign, line };
    }
  }
  if (fence !== undefined) return { lines, markers, open: { kind: 'fence', line: fence.line } };
  return { lines, markers, open: comment === undefined ? undefined : { kind: 'comment', line: comment } };
}

/** The marker lines of one block. */
export interface Block {
  readonly begin: Line;
  readonly end: Line;
}

/** Conflict markers and NUL; conflict markers inside fenced code are an example, not a conflict. */
export function checkMarkdown(text: string): Fault | undefined {
  const nul = findNul(text);
  if (nul !== undefined) return nul;
  const conflict = findConflict(text, splitLines(text));
  if (conflict?.at === undefined) return undefined;
  return outline(text.slice(0, conflict.at.offset)).open?.kind === 'fence' ? undefined : conflict;
}

/**
 * The block of an id: undefined when no marker of it is there; exactly one begin followed by one end, with no other
 * marker between, is a block; everything else is `block/damaged` with the line of the first marker that does not fit.
 */
export function findBlock(text: string, view: Outline, id: string): Result<Block | undefined> {
  const own = view.markers.filter((marker) => marker.id === id);
  const shown = own.filter((marker) => !marker.hidden);
  const [begin, end, surplus] = shown;
  const damaged = (line: Line, message: string): Result<Block | undefined> =>
    bad('block/damaged', message, {
      at: positionAt(text, line.start),
      hint: 'Put both marker lines back around the text, or remove what is left of the block by hand.',
    });
  if (begin === undefined) {
    const hidden = own[0];
    if (hidden === undefined || view.open === undefined) return good(undefined);
    const what = view.open.kind === 'fence' ? 'a code fence' : 'a comment';
    return damaged(view.open.line, `${what} is opened above the block and not closed`);
  }
  if (begin.kind === 'end') return damaged(begin.line, 'an end marker has no begin marker above it');
  if (end === undefined) return damaged(begin.line, 'a begin marker has no end marker below it');
  if (end.kind === 'begin') return damaged(end.line, 'a second begin marker follows the first');
  if (surplus !== undefined)
    return damaged(surplus.line, `a second ${surplus.kind} marker follows the block`);
  const inner = view.markers.find(
    (marker) => !marker.hidden && marker.line.start > begin.line.start && marker.line.start < end.line.start,
  );
  if (inner !== undefined) return damaged(inner.line, 'a marker of another block stands inside the block');
  return good({ begin: begin.line, end: end.line });
}
