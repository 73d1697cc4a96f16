import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { printable } from '../../../src/lib/printable.ts';
import { shellQuote } from '../../../src/lib/shell-quote.ts';

it.each([
  ['plain/word-1.json', 'plain/word-1.json'],
  ["it's a word", "'it'\\''s a word'"],
  ['a\\b\nc', "$'a\\\\b\\nc'"],
  ["\u001b[31m'\u202e", "$'\\x1b[31m\\'\\xe2\\x80\\xae'"],
])('%j is shown without a character that acts, and is the same word to a shell', (word, shown) => {
  expect(shellQuote(word)).toBe(shown);
  expect(printable(shown)).toBe(shown);
  const echoed = execFileSync('bash', ['-c', `printf %s ${shown}`], { encoding: 'utf8' });
  expect(echoed).toBe(word);
});
