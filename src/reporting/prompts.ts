import type { Readable, Writable } from 'node:stream';
import { printable, printableLines } from '../lib/printable.ts';
import type { Prompter } from './types.ts';

type Clack = typeof import('./clack.ts');

/** Where questions are asked: keys come from stdin, everything is drawn on stderr. */
export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Questions to a person, through clack, which is loaded with the first question. Ctrl-C, Ctrl-D and the end of input
 * are `undefined`: clack itself waits for ever at the end of input, hence the abort signal. The preselected answer of
 * a confirmation is No (contract, section 4).
 */
export function createPrompter(streams: PromptStreams): Prompter {
  const ask = async <T>(
    question: (clack: Clack, common: Common) => Promise<T | symbol>,
  ): Promise<T | undefined> => {
    const clack = await import('./clack.ts');
    const abort = new AbortController();
    const cancel = () => abort.abort();
    const onData = (chunk: Buffer | string) => {
      if (chunk.toString().includes('\u0004')) cancel();
    };
    streams.input.once('end', cancel).once('close', cancel).on('data', onData);
    try {
      const answer = await question(clack, { ...streams, signal: abort.signal });
      return clack.isCancel(answer) ? undefined : (answer as T);
    } finally {
      streams.input.off('end', cancel).off('close', cancel).off('data', onData);
    }
  };
  return {
    confirm: (message) =>
      ask<boolean>((clack, common) =>
        clack.confirm({
          ...common,
          message: printableLines(message),
          initialValue: false,
          active: 'Yes',
          inactive: 'No',
        }),
      ),
    select: <T extends string>(message: string, options: readonly Choice<T>[]) =>
      ask<T>(
        (clack, common) =>
          clack.select<string>({
            ...common,
            message: printableLines(message),
            options: shown(options),
          }) as Promise<T | symbol>,
      ),
    multiselect: <T extends string>(message: string, options: readonly Choice<T>[], initial: readonly T[]) =>
      ask<T[]>(
        (clack, common) =>
          clack.multiselect<string>({
            ...common,
            message: printableLines(message),
            options: shown(options),
            initialValues: [...initial],
            required: true,
          }) as Promise<T[] | symbol>,
      ),
    text: (message, options) =>
      ask<string>((clack, common) =>
        clack.text({
          ...common,
          message: printableLines(message),
          ...(options?.initial === undefined ? {} : { initialValue: options.initial }),
          ...(options?.validate === undefined
            ? {}
            : { validate: (value) => options.validate?.(value ?? '') }),
        }),
      ),
    password: (message) =>
      ask<string>((clack, common) =>
        clack.password({ ...common, message: printableLines(message), mask: '*' }),
      ),
  };
}

interface Common extends PromptStreams {
  readonly signal: AbortSignal;
}

interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

const shown = <T extends string>(options: readonly Choice<T>[]) =>
  options.map((option) => ({
    value: option.value as string,
    label: printable(option.label),
    ...(option.hint === undefined ? {} : { hint: printable(option.hint) }),
  }));

/** Where nobody can be asked every question is answered with "cancelled", so that no path can hang or be approved. */
export const SILENT_PROMPTER: Prompter = {
  confirm: async () => undefined,
  select: async () => undefined,
  multiselect: async () => undefined,
  text: async () => undefined,
  password: async () => undefined,
};
