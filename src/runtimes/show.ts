import { printable } from '../lib/printable.ts';
import { redactText } from '../lib/secrets.ts';

const SHOWN = 200;
/** No more of a text is looked through for secrets; what stands behind it is not shown either. */
const LOOKED_AT = 16 * 1024;

/** Foreign text for a finding or summary: one line, at most 200 characters, secrets and active characters masked. */
export function showText(text: string): string {
  // Masked before it is cut: the beginning of a secret alone looks like none.
  const masked = redactText(text.slice(0, LOOKED_AT));
  return (
    printable(masked.length > SHOWN ? masked.slice(0, SHOWN) : masked) + (masked.length > SHOWN ? '…' : '')
  );
}

/** A command and its arguments; an argument that is not plain is quoted. */
export const showLaunch = (words: readonly string[]): string =>
  showText(words.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : JSON.stringify(word))).join(' '));
