import type { ExitCode } from '../error.ts';

/** What `tenon explain <code>` says. */
export interface CatalogEntry {
  /** A few words, no full stop. */
  readonly title: string;
  /** Two to five sentences: what is the case, why tenon says so, what to do. */
  readonly explain: string;
  /** Exit code of a command that stops with it, where it always is the same. */
  readonly exit?: ExitCode;
}

export type Codes = Readonly<Record<`${string}/${string}`, CatalogEntry>>;
