/**
 * The doors to the outside. Synchronous on purpose: a command is one short run, and a synchronous commit phase
 * cannot be interrupted between two renames by a signal handler of our own.
 */

/** Absolute, normalised path of the platform. */
export type AbsPath = string & { readonly __brand?: 'AbsPath' };

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** Permission bits only (07777). */
  readonly mode: number;
  readonly size: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
}

/** Reads never throw for a missing path (`undefined`); any other failure throws the system's error. */
export interface Reader {
  /** Bytes of a regular file, following links. A file of more than `limit` bytes throws with code `EFBIG`. */
  readFile(path: AbsPath, limit?: number): Uint8Array | undefined;
  /** Facts of the path itself, links not followed. */
  lstat(path: AbsPath): FileStat | undefined;
  /** Facts with links followed. */
  stat(path: AbsPath): FileStat | undefined;
  /** Names in a folder, sorted; undefined when it is missing or no folder. */
  list(path: AbsPath): readonly string[] | undefined;
  readLink(path: AbsPath): string | undefined;
  /** The path with every link resolved; undefined when it does not exist. */
  realpath(path: AbsPath): AbsPath | undefined;
}

/** Only the transaction and the state stores hold one. Every call throws the system's error when it fails. */
export interface Writer {
  /** Creates a file that must not exist (O_EXCL, no link followed), writes, fsyncs, closes. Mode is exact, umask ignored. */
  createExclusive(path: AbsPath, bytes: Uint8Array, mode: number): void;
  /** Atomic rename; retries EPERM, EACCES and EBUSY for about two seconds where the platform is known for them. */
  rename(from: AbsPath, to: AbsPath): void;
  /** Overwrites in place and fsyncs (hard-linked files with `--force` only). */
  writeInPlace(path: AbsPath, bytes: Uint8Array): void;
  remove(path: AbsPath): void;
  makeDir(path: AbsPath, mode?: number): void;
  /** Removes a folder that must be empty. */
  removeDir(path: AbsPath): void;
  chmod(path: AbsPath, mode: number): void;
  chown(path: AbsPath, uid: number, gid: number): void;
  /** fsync of a folder, where the platform can. */
  syncDir(path: AbsPath): void;
}

export interface ExecResult {
  /** `undefined` when the program could not be started or was ended by the time limit. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly problem?: 'not-found' | 'timeout' | 'output-limit' | 'signal';
}

/** Starts programs without a shell, bounded in time and output. */
export interface Exec {
  run(
    command: string,
    args: readonly string[],
    options: {
      readonly cwd: AbsPath;
      /** Complete environment of the child. */
      readonly env: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
      readonly maxBytes?: number;
      readonly input?: string;
    },
  ): ExecResult;
  /** Absolute path of an executable on PATH, or undefined. No process is started. */
  which(name: string): AbsPath | undefined;
  /** Whether a process with this id exists on this host. */
  isAlive(pid: number): boolean;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface Host {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: AbsPath;
  readonly home: AbsPath;
  /** Real path of the Node that runs this program; undefined where programs are not real. */
  readonly node?: AbsPath;
  readonly pid: number;
  readonly hostname: string;
  readonly uid: number;
  /** Permission bits that new files do not get. */
  readonly umask: number;
}

export interface System {
  readonly reader: Reader;
  readonly writer: Writer;
  readonly exec: Exec;
  readonly clock: Clock;
  readonly host: Host;
  /** Random hex digits, for names of temporary files. */
  readonly randomHex: (bytes: number) => string;
}
