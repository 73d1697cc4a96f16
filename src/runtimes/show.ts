import { printable } from '../lib/printable.ts';
import { redactText } from '../lib/secrets.ts';

/** Foreign text for a finding or summary: one line, at most 200 characters, secrets and active characters masked. */
export function showText(text: string): string {
  const short = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return printable(redactText(short));
}

/** A command and its arguments; an argument that is not plain is quoted. */
export const showLaunch = (words: readonly string[]): string =>
  showText(words.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : JSON.stringify(word))).join(' '));
