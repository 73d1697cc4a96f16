import type { TomlError } from 'smol-toml';
import type { Fault } from './format.ts';
import { positionAt } from './text-lines.ts';

/** Words of the second reader (smol-toml 1.9.1) that say little to someone who edits a file. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['invalid value', 'a value is missing or is none that TOML knows'],
  ['illegal character in key', 'a key or a table header is not finished on its line'],
  ['trying to redefine an already defined table or value', 'a key or table is defined twice'],
  ['trying to redefine an already defined value', 'a key or table is defined twice'],
  ['invalid date', 'a date or time does not exist'],
  ['unfinished string', 'a string is not closed'],
  ['unfinished array', 'an array is not closed with ]'],
  ['unfinished table', 'an inline table is not closed with }'],
  ['document contains excessively nested structures. aborting.', 'tables and arrays are nested too deep'],
]);

/**
 * The fault of what the second reader refuses in a part of a text; `shift` is what an offset in the part lacks to one in
 * the text. Its message holds a drawing of the code below the first line.
 */
export function valueFault(text: string, part: string, shift: number, error: TomlError): Fault {
  const own = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
  const message = PLAIN.get(own) ?? own;
  const code = own.startsWith('trying to redefine')
    ? 'config/duplicate-key'
    : own.includes('excessively nested')
      ? 'config/too-deep'
      : 'config/malformed';
  return { code, message, at: positionAt(text, offsetOf(part, error.line, error.column) + shift) };
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
