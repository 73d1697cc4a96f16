import type { Fault, Position } from './format.ts';

/** One line of a text: content `[start, end)`, the line after it begins at `next` (`end` where no line end follows). */
export interface Line {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** Lines end at LF or CRLF; a text that ends with a line end has no further empty line. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf('\n', start);
    const next = feed < 0 ? text.length : feed + 1;
    const last = feed < 0 ? text.length : feed;
    const end = feed > start && text[feed - 1] === '\r' ? feed - 1 : last;
    lines.push({ start, end, next });
    start = next;
  }
  return lines;
}

/** Line and column (both from 1, columns in UTF-16 units) of an offset; offsets past the end count as the end. */
export function positionAt(text: string, offset: number): Position {
  const at = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let start = 0;
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < at; feed = text.indexOf('\n', start)) {
    line += 1;
    start = feed + 1;
  }
  return { offset: at, line, column: at - start + 1 };
}

export type LineEnd = '\n' | '\r\n';

/** The line end that most lines have; undefined for a text of one line. */
export function commonLineEnd(text: string): LineEnd | undefined {
  let feeds = 0;
  let pairs = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    feeds += 1;
    if (text[at - 1] === '\r') pairs += 1;
  }
  if (feeds === 0) return undefined;
  return pairs * 2 > feeds ? '\r\n' : '\n';
}

/** The last line end of a text; undefined for a text of one line. */
export function lastLineEnd(text: string): LineEnd | undefined {
  const feed = text.lastIndexOf('\n');
  if (feed < 0) return undefined;
  return text[feed - 1] === '\r' ? '\r\n' : '\n';
}

export const toLf = (text: string): string => text.replaceAll('\r\n', '\n');

export const withLineEnd = (text: string, eol: LineEnd): string => toLf(text).replaceAll('\n', eol);

/**
 * The first line of an unresolved merge, where opening and closing marker (7 signs at column 0, git's default size)
 * both stand. One alone may be prose.
 */
export function findConflict(text: string, lines: readonly Line[]): Fault | undefined {
  if (!text.includes('<<<<<<<') || !text.includes('>>>>>>>')) return undefined;
  const marks = (line: Line, sign: string): boolean => {
    const content = text.slice(line.start, Math.min(line.end, line.start + 8));
    return content === sign || content === `${sign} `;
  };
  const first = lines.findIndex((line) => marks(line, '<<<<<<<'));
  const last = lines.findIndex((line, index) => index > first && marks(line, '>>>>>>>'));
  const line = lines[first];
  if (line === undefined || last < 0) return undefined;
  return {
    code: 'config/merge-conflict',
    message: 'an unresolved merge conflict stands in this file',
    at: { offset: line.start, line: first + 1, column: 1 },
    hint: 'Resolve the conflict and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.',
  };
}

/** A text that ends in a carriage return alone: a line feed of ours would make a line end of it that is not ours. */
export function openEnd(text: string): Fault | undefined {
  if (!text.endsWith('\r')) return undefined;
  return {
    code: 'config/line-ends',
    message: 'the file ends in a carriage return without a line feed, to which nothing can be added',
    at: positionAt(text, text.length - 1),
    hint: 'Save the file with LF or CRLF line ends.',
  };
}

/** A NUL character: no text format allows it, and it mostly means UTF-16. */
export function findNul(text: string): Fault | undefined {
  const offset = text.indexOf('\0');
  if (offset < 0) return undefined;
  return {
    code: 'config/malformed',
    message: 'a NUL character stands in this file, so it is no plain text',
    at: positionAt(text, offset),
  };
}
