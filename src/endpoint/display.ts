import { printable } from '../lib/printable.ts';

/** True when the text holds a character that a terminal or editor acts on instead of showing. */
export const hasUnsafeCharacters = (text: string): boolean => printable(text) !== text;

/**
 * Text of a server or user, safe for a terminal: active characters become escapes, at most `max` characters of the text
 * are kept (`…` marks a cut). Never throws.
 */
export const showText = (text: string, max = 200): string =>
  printable(text.length > max ? text.slice(0, max) : text) + (text.length > max ? '…' : '');

/** {@link showText} for a value that should be a string and may be anything. */
export const showValue = (value: unknown, max = 200): string =>
  typeof value === 'string' ? showText(value, max) : `(${value === null ? 'null' : typeof value})`;
