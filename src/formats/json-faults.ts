import type { Fault } from './format.ts';
import { findConflict, positionAt, splitLines } from './text-lines.ts';

/** What makes a text unfit before it is read as JSON. */
export function textFault(text: string): Fault | undefined {
  if (text.includes('<<<<<<<') && text.includes('>>>>>>>')) {
    const conflict = findConflict(text, splitLines(text));
    if (conflict?.at !== undefined) return atConflict(text, conflict.at.offset);
  }
  const lone = text.search(/\r(?!\n)/);
  if (lone < 0) return undefined;
  return {
    code: 'config/line-ends',
    message:
      'a carriage return without a line feed stands here; some programs see a line end in it and some do not',
    at: positionAt(text, lone),
    hint: 'Save the file with LF or CRLF line ends.',
  };
}

/**
 * The first line of a text that is no JSON which is one of git's conflict markers (7 signs at column 0): a half
 * resolved merge leaves single ones behind.
 */
export function conflictMarker(text: string): Fault | undefined {
  const marker = /^(?:<{7} |>{7} |\|{7} |={7}\r?$)/m.exec(text);
  return marker === null ? undefined : atConflict(text, marker.index);
}

function atConflict(text: string, offset: number): Fault {
  const at = positionAt(text, offset);
  return {
    code: 'config/merge-conflict',
    message: `merge conflict markers stand in this file, the first at line ${at.line}`,
    at,
    hint: 'Resolve the conflict and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.',
  };
}

/** Reason and hint for the error numbers of jsonc-parser's scanner. */
export function explainScanError(error: number): readonly [reason: string, hint?: string] {
  switch (error) {
    case 1:
      return ['the comment that begins here is never closed'];
    case 2:
      return ['the string that begins here is not closed on its line'];
    case 3:
      return ['the number here is incomplete'];
    case 4:
      return ['the string here holds a \\u that four hexadecimal digits do not follow', BACKSLASH_HINT];
    case 5:
      return ['the string here holds a backslash that begins no JSON escape', BACKSLASH_HINT];
    default:
      return ['the string here holds a control character', 'Write it as an escape, a tab as \\t.'];
  }
}

const BACKSLASH_HINT = 'Write each backslash of a Windows path twice, or use forward slashes.';
