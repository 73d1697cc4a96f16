import { printable } from './printable.ts';

/**
 * A word for a POSIX shell; plain words stay as they are. What a terminal would act on stands as an escape (`$'…'`, POSIX
 * 2024 and the usual shells before it), so that the word can be shown, and means the same when it is copied.
 */
export function shellQuote(word: string): string {
  if (/^[A-Za-z0-9_./:@%+=,-]+$/.test(word)) return word;
  if (printable(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  const shown = [...word].map((char) => (printable(char) === char ? inEscapes(char) : bytesOf(char)));
  return `$'${shown.join('')}'`;
}

const inEscapes = (char: string): string => (char === "'" || char === '\\' ? `\\${char}` : char);

const bytesOf = (char: string): string =>
  char === '\n'
    ? '\\n'
    : Array.from(new TextEncoder().encode(char), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(
        '',
      );
