import { type ErrorCode, TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';

/** A mistake on the command line: exit 2, nothing was done (contract, section 3). */
export function usageError(code: ErrorCode, message: string, remedy: string, command?: string): TenonError {
  return new TenonError(code, message, {
    exit: 2,
    remedy: command === undefined ? { text: remedy } : { text: remedy, command },
  });
}

/** A word of the command line as a message may show it: the value behind `=` is cut, long words are shortened. */
export function shownWord(word: string): string {
  const name = word.startsWith('-') ? word.replace(/=.*$/s, '=…') : word;
  return printable(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}
