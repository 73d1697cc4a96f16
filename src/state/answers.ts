import { shortHash } from '../lib/short-hash.ts';
import type { AbsPath, Host } from '../system/ports.ts';
import type { Inputs } from '../system/unchanged.ts';

/** What a run printed: file descriptor (1 or 2) and text, in order. */
export type Printed = readonly (readonly [fd: 1 | 2, text: string])[];

export interface Answer {
  /** {@link wordsKey} of the command line. */
  readonly words: string;
  readonly exit: number;
  readonly printed: Printed;
}

/** Names and short hashes of the values of variables that were looked at; null = was not set. */
export type SeenEnv = readonly (readonly [name: string, value: string | null])[];

/**
 * The file `answers/<folder>.json` of the state folder: what the reading commands answer in one working folder, and
 * everything that they looked at for it. Made by a run that wrote (cli/keep-answers.ts), used as long as nothing of it has
 * changed (src/answer.ts). It holds no value of a variable.
 */
export interface Answers extends Inputs {
  readonly v: typeof ANSWERS_VERSION;
  /** Version of tenon and of Node, where both are, and what of the machine no path and no variable tells. */
  readonly program: string;
  readonly uid: number;
  readonly cwd: AbsPath;
  readonly env: SeenEnv;
  /** The day (UTC) that counts, where an answer depends on one. */
  readonly day?: string;
  readonly answers: readonly Answer[];
}

export const ANSWERS_VERSION = 1;
export const MAX_ANSWERS_BYTES = 4 * 1024 * 1024;
/** `0` in this variable: no answer is kept or used. */
export const ANSWERS_SWITCH = 'TENON_ANSWERS';

export const wordsKey = (argv: readonly string[]): string => shortHash(argv.join('\0'));

/** Half of the hash is enough to see a change, and too little to find a secret by. */
export const envKey = (value: string | undefined): string | null =>
  value === undefined ? null : shortHash(value).slice(0, 7);

export const answersName = (cwd: AbsPath): string => `${shortHash(cwd)}.json`;

/**
 * What has to be the same program: a build that differs, or another Node, may answer otherwise. So may the same one where
 * the home folder is another (`HOME`, with a state folder that another variable names), where new files would get other
 * rights, or on a host of another name, which says whose a lock is.
 */
export const programKey = (
  version: string,
  packageDir: AbsPath,
  { home, umask, hostname }: Pick<Host, 'home' | 'umask' | 'hostname'>,
): string => [version, process.version, process.execPath, packageDir, home, umask, hostname].join('\0');

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
