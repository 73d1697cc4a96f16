import type { Json } from '../lib/json.ts';

/** Permanent code of a fault or finding: `area/kebab`. Every code stands in `catalog.ts`. */
export type ErrorCode = `${string}/${string}`;

/** The exit codes of the contract, section 3. */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 130;

export type Severity = 'error' | 'warning' | 'info';

export interface Remedy {
  /** Imperative sentence. */
  readonly text: string;
  /** The command line that does it, where there is one. */
  readonly command?: string;
}

/** One diagnosed fact. Messages never hold secrets or raw control characters of foreign content. */
export interface Finding {
  readonly code: ErrorCode;
  readonly severity: Severity;
  /** What it is about: an address, a path, a runtime id, a URL. */
  readonly subject: string;
  /** What is the case and why, one sentence, no trailing advice. */
  readonly message: string;
  readonly remedy?: Remedy;
  readonly data?: { readonly [key: string]: Json };
}

/** State of the disk at the time of an error, told to the user in one sentence. */
export type DiskState = 'nothing-written' | 'restored' | 'needs-recover' | 'written' | 'unknown';

/**
 * An expected fault: what happened and why, what state things are in, what to do next.
 * Thrown where a command cannot go on; anything else that is thrown is a bug (exit 2).
 */
export class TenonError extends Error {
  readonly code: ErrorCode;
  readonly exit: ExitCode;
  readonly state: DiskState;
  readonly remedy: Remedy | undefined;
  /** Further facts of the same fault, e.g. every conflict of a plan. */
  readonly findings: readonly Finding[];
  /** What `data` of the JSON document shows beside the error, e.g. the refused plan. */
  readonly data: { readonly [key: string]: unknown } | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      exit: ExitCode;
      state?: DiskState;
      remedy?: Remedy;
      findings?: readonly Finding[];
      data?: { readonly [key: string]: unknown };
      cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TenonError';
    this.code = code;
    this.exit = options.exit;
    this.state = options.state ?? 'nothing-written';
    this.remedy = options.remedy;
    this.findings = options.findings ?? [];
    this.data = options.data;
  }
}
