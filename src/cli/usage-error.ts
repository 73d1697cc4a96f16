import { type ErrorCode, TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { redactText } from '../lib/secrets.ts';

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

/**
 * The same fault of a command line without what looks like a credential: a token that was pasted into the wrong place is
 * not shown again, where it would end up in the log of a job. Other faults stay as they are.
 */
export function withoutTypedSecrets(error: TenonError): TenonError {
  if (!error.code.startsWith('usage/') && error.code !== 'integration/unknown') return error;
  const { remedy } = error;
  return new TenonError(error.code, redactText(error.message), {
    exit: error.exit,
    state: error.state,
    ...(remedy === undefined ? {} : { remedy: { ...remedy, text: redactText(remedy.text) } }),
    findings: error.findings,
    ...(error.data === undefined ? {} : { data: error.data }),
    cause: error,
  });
}
