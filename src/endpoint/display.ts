/**
 * Characters of foreign text that could move a cursor, hide or reorder what a person reads: controls, format characters
 * (bidirectional ones, zero width, tags), line and paragraph separators, lone surrogates (Unicode general categories).
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** True when the text holds a character that {@link showText} would escape. */
export const hasUnsafeCharacters = (text: string): boolean => text.search(UNSAFE) >= 0;

/**
 * Text of a server or user, safe for a terminal: unsafe characters become `\u{hex}`, at most `max` characters are
 * kept (`…` marks a cut). Never throws.
 */
export function showText(text: string, max = 200): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;
  return cut.replace(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** {@link showText} for a value that should be a string and may be anything. */
export const showValue = (value: unknown, max = 200): string =>
  typeof value === 'string' ? showText(value, max) : `(${value === null ? 'null' : typeof value})`;
