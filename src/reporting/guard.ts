import { printableLines } from '../lib/printable.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC is what a colour code begins with
const OWN_COLOURS = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;

/**
 * Last net before a stream: keeps line ends, tabs and the colour codes that the theme writes, escapes every other
 * control and bidirectional character, so that text of a repository cannot act on a terminal even where a view forgot it.
 */
export function guardOutput(text: string): string {
  return text
    .split(OWN_COLOURS)
    .map((part, index) => (index % 2 === 1 ? part : printableLines(part)))
    .join('');
}

/**
 * A CI log takes a line that begins with `::name …::` for a command of the job, wherever the text comes from. A space
 * between the colons leaves it readable and makes it text.
 */
export const defuseCommands = (text: string): string => text.replace(/^([ \t]*):(?=:[a-z])/gim, '$1: ');
