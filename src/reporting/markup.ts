import { printable } from '../lib/printable.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\ufffe': '\\u{fffe}',
  '\uffff': '\\u{ffff}',
};

/** Text for XML or HTML, in elements and in quoted attributes; what XML 1.0 cannot hold is shown escaped. */
export const markup = (text: string): string =>
  printable(text).replace(/[&<>"'\ufffe\uffff]/g, (char) => ENTITIES[char] ?? char);
