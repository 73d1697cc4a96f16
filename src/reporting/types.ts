import type { ExitCode, Finding, TenonError } from '../errors/error.ts';

/** Colours and glyphs of one stream. Every function returns plain text when colour is off. */
export interface Theme {
  readonly color: boolean;
  readonly unicode: boolean;
  /** Columns to wrap at; 80 when unknown. */
  readonly width: number;
  bold(text: string): string;
  dim(text: string): string;
  ok(text: string): string;
  warn(text: string): string;
  fail(text: string): string;
  add(text: string): string;
  del(text: string): string;
  accent(text: string): string;
  /** `✔ ▲ ✖ ●` or `v ! x *`. */
  readonly glyph: { readonly ok: string; readonly warn: string; readonly fail: string; readonly dot: string };
}

/** What a command hands back. One place prints it, one place sets the exit code. */
export interface Outcome {
  /** `setup`; the schema of the JSON document is `tenon/<command>/v1`. */
  readonly command: string;
  readonly exit: ExitCode;
  /** `data` of the JSON document; plain JSON, already redacted. */
  readonly data: { readonly [key: string]: unknown };
  readonly findings: readonly Finding[];
  /** The human text (stdout), rendered from the same data. */
  readonly human: (theme: Theme) => string;
  /** The same text in blocks, printed one after the other, for a report that is too long to be held at once. */
  readonly blocks?: (theme: Theme) => Iterable<string>;
  /**
   * Text for another program (a patch): printed byte for byte instead of `human`, except on a terminal, where a carriage
   * return or an escape of foreign content would act.
   */
  readonly raw?: string;
}

export interface Reporter {
  /** The result, exactly once per run. Returns the exit code. */
  outcome(outcome: Outcome): ExitCode;
  /**
   * The outcome of one of many roots, of which only what will be printed is kept: what it was made from can be forgotten.
   * Absent where the whole outcome is needed.
   */
  settle?(outcome: Outcome): Outcome;
  /** A fault, exactly once per run, instead of an outcome. Returns the exit code. */
  error(error: TenonError, command: string | undefined): ExitCode;
  /**
   * Human text on stderr while a command runs (what was found, the plan before the question). Silent under --json, and
   * under --quiet unless it is `needed`: what a person is asked about, and why a plan is refused.
   */
  note(text: (theme: Theme) => string, needed?: 'needed'): void;
  /** Long work: a spinner on a terminal, nothing on a pipe. */
  progress<T>(label: string, work: () => Promise<T>): Promise<T>;
  debug(message: string): void;
}

/** Cancelled (Ctrl-C, EOF) is `undefined`; the caller treats it as No. */
export interface Prompter {
  confirm(message: string): Promise<boolean | undefined>;
  select<T extends string>(
    message: string,
    options: readonly { value: T; label: string; hint?: string }[],
  ): Promise<T | undefined>;
  multiselect<T extends string>(
    message: string,
    options: readonly { value: T; label: string; hint?: string }[],
    initial: readonly T[],
  ): Promise<readonly T[] | undefined>;
  text(
    message: string,
    options?: { initial?: string; validate?: (value: string) => string | undefined },
  ): Promise<string | undefined>;
  password(message: string): Promise<string | undefined>;
}
