import type { Theme } from './types.ts';

/** Length on the screen: colour codes have none, every other code point counts one. */
export function visibleLength(text: string): number {
  return [...text.replace(COLOUR, '')].length;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC is what a colour code begins with
const COLOUR = /\u001b\[\d+m/g;

/** Pads with blanks to a visible width. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - visibleLength(text)));
}

/**
 * Breaks text at blanks into lines of at most `width` columns; a longer word keeps its own line whole, so that a path
 * or command can still be copied. Following lines begin with `indent`, which counts.
 */
export function wrap(text: string, width: number, indent = '', first = indent): string {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(/ +/).filter((one) => one !== '')) {
    if (!empty && visibleLength(line) + 1 + visibleLength(word) > width) {
      lines.push(line);
      line = indent;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  lines.push(line);
  return lines.join('\n').replaceAll(UNBROKEN, ' ');
}

/** A blank at which {@link wrap} does not break; no text that was made printable holds it. */
const UNBROKEN = '\0';
/** A command line may be broken where it leaves a line of text no room. */
const LONGEST_UNBROKEN = 60;

/** `tenon`, its command and the words behind that can only be part of a command line: flags, values, quoted words. */
const COMMAND =
  /(?<![\w./-])tenon [a-z]+(?: (?:'[^']*'|<[a-z]+>|--?[A-Za-z][a-z-]*(?:=[^\s,;()]*[^\s,;:.()]|(?=[ .,;:)]|$))|[\w./@-]+(?= -)|[\w-]+=[^\s,;()]*[^\s,;:.()]|[A-Z]+(?![a-z])))*/gu;

/** Changes the command lines in the midst of a text. */
export const mapCommands = (text: string, change: (command: string) => string): string =>
  text.includes('tenon ') ? text.replace(COMMAND, change) : text;

/** A text for {@link wrap} whose command lines stand out and stay whole, so that they can be copied. */
export const accentCommands = (text: string, theme: Pick<Theme, 'accent'>): string =>
  mapCommands(text, (command) => {
    const shown = theme.accent(command);
    return visibleLength(shown) > LONGEST_UNBROKEN ? shown : shown.replaceAll(' ', UNBROKEN);
  });

/** `1 change`, `2 changes`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Bytes as people read them: `512 B`, `2.1 kB`, `3.4 MB` (decimal units). */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
