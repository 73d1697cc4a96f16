import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ExitCode, type Finding, TenonError } from '../errors/error.ts';
import { Prepared } from '../reporting/serialize.ts';
import type { Outcome, Theme } from '../reporting/types.ts';
import type { AbsPath } from '../system/ports.ts';
import { realReader } from '../system/real-files.ts';

/** What a command found in one of many roots. */
export interface RootResult {
  readonly root: string;
  /** As the reporter keeps it. */
  readonly outcome?: Outcome;
  readonly error?: TenonError;
  readonly findings: readonly Finding[];
}

/** The run that the lanes belong to. */
export interface LaneRun {
  readonly argv: readonly string[];
  readonly packageDir: AbsPath;
  readonly version: string;
  /** Of stdout, for which texts are made. */
  readonly theme: Pick<Theme, 'color' | 'unicode' | 'width'>;
}

/** What a lane is given (src/lane.ts). */
export interface LaneJob extends LaneRun {
  readonly top: AbsPath;
  readonly roots: readonly AbsPath[];
  /** Index of the next root that nobody has taken; one 32-bit number that all lanes share. */
  readonly next: Int32Array;
}

/** A thread that takes roots from the same list. */
export interface Lane {
  readonly top: AbsPath;
  readonly roots: readonly AbsPath[];
  /** Index of a root that is nobody's yet; behind the last when there is none. */
  take(): number;
  deliver(index: number, result: RootResult): void;
}

export interface Lanes {
  take(): number;
  /** Settles when every lane has ended, in whatever way: a root that it took may be without a result. */
  finished(): Promise<void>;
}

/** Opens further threads for the roots; `deliver` gets what they find, once this thread waits. */
export type OpenLanes = (
  top: AbsPath,
  roots: readonly AbsPath[],
  deliver: (index: number, result: RootResult) => void,
) => Lanes;

/** A lane takes some 0.2 s of processor time to start, as much as so many roots do. */
const ROOTS_PER_LANE = 100;
const MOST_LANES = 3;
/** The most threads of a run over many roots, this one included; 1 switches the others off. */
export const THREADS_SWITCH = 'TENON_THREADS';

/** With fewer files open at once, threads would take from each other what they need. */
const LEAST_OPEN_FILES = 64;

/**
 * Whether the limits of this process leave room for threads, as far as Linux tells them (proc(5)). Each thread reserves
 * hundreds of megabytes of addresses (`ulimit -v`), and V8 ends the process where it cannot; each opens files of its own
 * (`ulimit -n`).
 */
function hasRoom(): boolean {
  try {
    const bytes = realReader.readFile('/proc/self/limits', 16_384);
    if (bytes === undefined) return true;
    const limits = new TextDecoder().decode(bytes);
    const [, files] = /^Max open files +(\d+) /m.exec(limits) ?? [];
    return (
      /^Max address space +unlimited /m.test(limits) &&
      (files === undefined || Number(files) >= LEAST_OPEN_FILES)
    );
  } catch {
    return true;
  }
}

/** How many threads beside this one are worth their start, and can be started. */
export function laneCount(roots: number, limit: string | undefined): number {
  const most = /^[1-9]\d?$/.test(limit ?? '') ? Number(limit) : availableParallelism();
  const count = Math.max(0, Math.min(most - 1, MOST_LANES, Math.floor(roots / ROOTS_PER_LANE)));
  return count > 0 && !hasRoom() ? 0 : count;
}

/** Starts `count` threads. One that does not start, or ends early, leaves its roots to others. */
export function openLanes(run: LaneRun, count: number): OpenLanes {
  return (top, roots, deliver) => {
    const next = new Int32Array(new SharedArrayBuffer(4));
    const job: LaneJob = { ...run, top, roots, next };
    const ended = Array.from({ length: count }, () => lane(job, deliver));
    return {
      take: () => Atomics.add(next, 0, 1),
      finished: async () => void (await Promise.all(ended)),
    };
  };
}

function lane(job: LaneJob, deliver: (index: number, result: RootResult) => void): Promise<void> {
  return new Promise((resolve) => {
    try {
      const worker = new Worker(join(job.packageDir, 'bin', 'lane.cjs'), {
        workerData: job,
        // What it might print is a fault of its own; the root is done again by the thread that reports.
        stdout: true,
        stderr: true,
      });
      worker.on('message', (message: Message) => deliver(message.index, fromMessage(message)));
      worker.on('error', () => resolve());
      worker.on('exit', () => resolve());
    } catch {
      resolve();
    }
  });
}

/** A result as it goes from thread to thread. */
export interface Message {
  readonly index: number;
  readonly root: string;
  readonly findings: readonly Finding[];
  readonly outcome?: {
    readonly command: string;
    readonly exit: ExitCode;
    readonly bytes: Uint8Array;
    readonly isData: boolean;
  };
  readonly error?: Pick<TenonError, 'code' | 'message' | 'exit' | 'state' | 'remedy' | 'findings' | 'data'>;
}

/** `theme`: settled texts are made already and do not look at it. */
export function toMessage(
  index: number,
  { root, outcome, error, findings }: RootResult,
  theme: Theme,
): Message {
  return {
    index,
    root,
    findings,
    ...(outcome === undefined
      ? {}
      : {
          outcome: {
            command: outcome.command,
            exit: outcome.exit,
            isData: outcome.data instanceof Prepared,
            bytes:
              outcome.data instanceof Prepared
                ? outcome.data.bytes()
                : new TextEncoder().encode(outcome.human(theme)),
          },
        }),
    ...(error === undefined ? {} : { error: plain(error) }),
  };
}

const plain = ({ code, message, exit, state, remedy, findings, data }: TenonError) => ({
  ...{ code, message, exit, state, remedy, findings, data },
});

export function fromMessage({ root, outcome, error, findings }: Message): RootResult {
  return {
    root,
    findings,
    ...(outcome === undefined ? {} : { outcome: settled(outcome) }),
    ...(error === undefined ? {} : { error: faultOf(error) }),
  };
}

function settled({ command, exit, bytes, isData }: NonNullable<Message['outcome']>): Outcome {
  return isData
    ? { command, exit, data: new Prepared(bytes), findings: [], human: () => '' }
    : { command, exit, data: {}, findings: [], human: () => new TextDecoder().decode(bytes) };
}

function faultOf(error: NonNullable<Message['error']>): TenonError {
  const { code, message, exit, state, remedy, findings, data } = error;
  return new TenonError(code, message, {
    exit,
    state,
    findings,
    ...(remedy === undefined ? {} : { remedy }),
    ...(data === undefined ? {} : { data }),
  });
}
