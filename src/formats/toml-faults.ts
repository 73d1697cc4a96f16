import type { TomlError } from 'smol-toml';
import type { ParseError } from 'toml-eslint-parser';
import type { Fault } from './format.ts';
import { positionAt } from './text-lines.ts';

/** Words of the range parser (toml-eslint-parser 1.0.3) that say little to someone who edits a file. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['Unterminated string constant', 'a string is not closed'],
  ['Unterminated table-key', 'a table header is not closed with ]'],
  ['Unterminated array', 'an array is not closed with ]'],
  ['Unterminated inline table', 'an inline table is not closed with }'],
  ['Empty bare keys are not allowed', 'a key is missing'],
  ['Must be a newline', 'something follows where the line should end'],
  ['Expected equal (=) token', 'the = after a key is missing'],
  ['Unspecified values are invalid', 'a value is missing'],
  ['Expected comma (,) token', 'a comma is missing'],
  ['Defining a key multiple times is invalid', 'a key or table is defined twice'],
  ['Unexpected character', 'a character stands where none is allowed'],
  ['Unexpected token', 'a sign stands where none is allowed'],
  ['Control characters (codes < 0x1f and 0x7f) are not allowed', 'a control character is not allowed here'],
  ['Underscores are allowed between digits', 'an underscore may only stand between digits'],
  ['Unexpected spaces', 'a space stands where none is allowed'],
  ['Unexpected invalid date', 'a date does not exist'],
  ['Unexpected invalid time', 'a time does not exist'],
  ['Leading zeros are not allowed', 'a number begins with a needless zero'],
  ['Invalid character in escape sequence', 'a backslash in a double-quoted string begins no known escape'],
  ['Consecutive dots are not permitted in keys', 'two dots follow each other in a key'],
  ['Keys cannot end with a dot', 'a key ends with a dot'],
  ['Keys cannot start with a dot', 'a key begins with a dot'],
]);

/** The same for the value parser (smol-toml 1.9.1). */
const PLAIN_VALUE: ReadonlyMap<string, string> = new Map([
  ['invalid value', 'a value is missing or is none that TOML knows'],
  ['illegal character in key', 'a key or a table header is not finished on its line'],
  ['trying to redefine an already defined table or value', 'a key or table is defined twice'],
  ['trying to redefine an already defined value', 'a key or table is defined twice'],
  ['unfinished string', 'a string is not closed'],
  ['unfinished array', 'an array is not closed with ]'],
  ['unfinished table', 'an inline table is not closed with }'],
  ['document contains excessively nested structures. aborting.', 'tables and arrays are nested too deep'],
]);

const DUPLICATE = 'Defining a key multiple times is invalid';
const ESCAPE = 'Invalid character in escape sequence';
const ENDS_EARLY = ['Unspecified values are invalid', 'Expected equal (=) token'];

/**
 * The fault of what the range parser refuses. Where the value parser complains of an earlier line, that is where the
 * mistake begins (an unclosed string, a missing value), and its words are taken.
 */
export function rangeFault(text: string, error: ParseError, second: TomlError | undefined): Fault {
  const { message, index } = error;
  if (message === DUPLICATE)
    return {
      code: 'config/duplicate-key',
      message: PLAIN.get(message) ?? message,
      at: positionAt(text, index),
    };
  if (message === ESCAPE) {
    const back = text.lastIndexOf('\\', index);
    return {
      code: 'config/malformed',
      message: PLAIN.get(message) ?? message,
      at: positionAt(text, index - back < 10 ? back : index),
      hint: "Write a Windows path in single quotes ('C:\\Users\\me') or double each backslash.",
    };
  }
  const at = positionAt(text, ENDS_EARLY.includes(message) ? endOfLineBefore(text, index) : index);
  if (second !== undefined && second.line < at.line) return valueFault(text, second);
  return { code: 'config/malformed', message: PLAIN.get(message) ?? message.toLowerCase(), at };
}

/** The fault of what the value parser refuses. Its message holds a drawing of the code below the first line. */
export function valueFault(text: string, error: TomlError): Fault {
  const own = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
  const message = PLAIN_VALUE.get(own) ?? own;
  const code = own.startsWith('trying to redefine')
    ? 'config/duplicate-key'
    : own.includes('excessively nested')
      ? 'config/too-deep'
      : 'config/malformed';
  return { code, message, at: positionAt(text, offsetOf(text, error.line, error.column)) };
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let index = 1; index < line; index += 1) {
    const feed = text.indexOf('\n', start);
    if (feed < 0) return text.length;
    start = feed + 1;
  }
  return start + column - 1;
}

/** A parser that misses something names the first sign after it, which stands on the next line. */
function endOfLineBefore(text: string, index: number): number {
  let at = index;
  while (at > 0 && (text[at - 1] === '\n' || text[at - 1] === '\r')) at -= 1;
  return at;
}
