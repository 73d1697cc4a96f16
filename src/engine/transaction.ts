import { type Finding, TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { systemReason } from '../lib/system-reason.ts';
import { dropFolder, dropOldBackups, dropReplaced, readBackup } from '../state/backups.ts';
import { ensureStateDir, type StateFolder, systemCode } from '../state/folder.ts';
import { appendHistory } from '../state/history.ts';
import {
  dropJournal,
  findPending,
  type Hash,
  type Journal,
  journalPath,
  lastPath,
  recoverNeeded,
} from '../state/journal.ts';
import { ledgerPath, loadLedger, parseLedger, USER_LEDGER } from '../state/ledger-store.ts';
import { type Lock, takeLock } from '../state/lock.ts';
import { maskHome, pathsOf } from '../system/paths.ts';
import type { AbsPath, Reader, System } from '../system/ports.ts';
import { commitJournal, stalePlan } from './commit.ts';
import { hashFile } from './file-hash.ts';
import { sha256 } from './fingerprint.ts';
import { restoreJournal } from './restore.ts';
import { draftJournal, stage } from './stage.ts';
import type { AppliedFile, ApplyResult, ApprovedPlan, FilePlan, Ledger, Plan } from './types.ts';

export interface ApplyOptions {
  /** Hashes of the ledger files that the plan was computed from. */
  readonly ledgerBases: { readonly root?: Hash; readonly user?: Hash };
  /**
   * Whether the user asked to stop (SIGINT). Whoever passes it must not end the process itself while this runs: it is
   * asked once everything is staged, right before the first rename, and then cleans up (exit 130).
   */
  readonly interrupted?: () => boolean;
  /** Locks that the caller holds already. */
  readonly held?: { readonly root: boolean; readonly user: boolean };
}

/**
 * Applies an approved plan: every file of it, or none (contract, section 7). Locks, compares every base again, stages
 * and proves the results, keeps journal and backups, renames synchronously, writes the ledgers last, reads back.
 *
 * Throws TenonError: `state/busy` 4, `recover/needed` 5, `plan/stale` 6, `run/interrupted` 130, `file/owner` 4,
 * `state/unwritable` 4 (nothing written); `apply/rolled-back` 5 (restored).
 */
export async function applyPlan(
  system: System,
  state: StateFolder,
  plan: ApprovedPlan,
  options: ApplyOptions,
): Promise<ApplyResult> {
  const user = plan.ledgers.user !== undefined || plan.files.some(({ outside }) => outside);
  const { held = { root: false, user: false } } = options;
  const locks = held.root
    ? user && !held.user
      ? [await takeLock(system, state, USER_LEDGER, undefined, options.interrupted)]
      : []
    : await takeLocks(system, state, plan.root, user, options.interrupted);
  try {
    await pauseFor(system, options);
    const pending = reading(system, () => findPending(system, state, plan.root, { user }));
    if (pending !== undefined) throw recoverNeeded(pending, plan.root);
    const draft = reading(system, () => {
      checkBases(system, state, plan, options);
      return draftJournal(system, state, plan);
    });
    const { journal } = draft;
    if (journal.steps.length === 0 && journal.ledgers.length === 0) return { files: [], findings: [] };
    try {
      stage(system, state, draft);
      if (options.interrupted !== undefined) await pauseFor(system, options);
      commitJournal(system, journal);
    } catch (error) {
      throw takenBack(system, state, journal, error);
    }
    return concluded(system, state, journal);
  } finally {
    for (const lock of locks.toReversed()) lock.release();
  }
}

/** The lock of a root and, always after it, that of the user's files. */
export async function takeLocks(
  system: System,
  state: StateFolder,
  root: AbsPath,
  user: boolean,
  interrupted?: () => boolean,
): Promise<Lock[]> {
  const own = await takeLock(system, state, root, undefined, interrupted);
  if (!user) return [own];
  try {
    return [own, await takeLock(system, state, USER_LEDGER, undefined, interrupted)];
  } catch (error) {
    own.release();
    throw error;
  }
}

/** Lets a signal that has come be noticed, and stops if one has. */
async function pauseFor(system: System, options: ApplyOptions): Promise<void> {
  await system.clock.sleep(1);
  if (options.interrupted?.() === true) {
    throw new TenonError('run/interrupted', 'Interrupted before the first file was written.', { exit: 130 });
  }
}

/** Before anything is written, a failing read is a fault of the file, not of the apply. */
function reading<T>(system: System, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw new TenonError(
      'file/unreadable',
      `A file of the plan cannot be read: ${reasonOf(system, error)}.`,
      {
        exit: 4,
        remedy: { text: 'Correct the cause, then run the command again.' },
        cause: error,
      },
    );
  }
}

function checkBases(system: System, state: StateFolder, plan: Plan, options: ApplyOptions): void {
  const { reader } = system;
  const stale = plan.files.filter((file) => isStale(system, file, plan)).map(({ path }) => path);
  // The ledger alone does not tell: another run can have taken all out and set it up again, to the same records.
  for (const { path, real, hash } of plan.seen ?? []) if (hashFile(reader, real) !== hash) stale.push(path);
  for (const [root, base] of [
    [plan.root, options.ledgerBases.root],
    [USER_LEDGER, options.ledgerBases.user],
  ] as const) {
    if (base !== undefined && hashFile(reader, ledgerPath(state, root)) !== base)
      stale.push(root === USER_LEDGER ? 'the ledger of user files' : 'the ledger');
  }
  if (stale.length > 0) throw stalePlan(stale);
  for (const file of plan.files) {
    if (hashOf(file.base) !== file.baseHash || hashOf(file.result) !== file.resultHash) {
      throw new Error(`plan of ${file.path} names other bytes than it holds`);
    }
  }
}

const hashOf = (bytes: Uint8Array | undefined): Hash => (bytes === undefined ? 'absent' : sha256(bytes));

/** Bytes, the way through links, number of names, and folders must be what the plan saw. */
function isStale(system: System, file: FilePlan, plan: Plan): boolean {
  const { reader } = system;
  const { dirname } = pathsOf(system.host.platform);
  if (hashFile(reader, file.real) !== file.baseHash) return true;
  if (realOf(system, file.abs) !== file.real) return true;
  if (!file.inPlace && file.action !== 'create' && (reader.lstat(file.real)?.nlink ?? 1) > 1) return true;
  if (file.makeDirs.some((dir) => reader.lstat(dir) !== undefined)) return true;
  const made = new Set(plan.files.flatMap(({ makeDirs }) => makeDirs));
  const folder = dirname(file.real);
  return !made.has(folder) && reader.stat(folder)?.kind !== 'directory';
}

/** The path with links resolved, as far as it exists. */
function realOf({ reader, host }: { reader: Reader; host: System['host'] }, path: AbsPath): AbsPath {
  const { dirname, basename, join } = pathsOf(host.platform);
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const real = reader.realpath(at);
    if (real !== undefined) return join(real, ...rest);
    if (dirname(at) === at) return path;
    rest.unshift(basename(at));
  }
}

/** Takes an apply that failed back and says what became of it. */
function takenBack(system: System, state: StateFolder, journal: Journal, error: unknown): TenonError {
  let kept: readonly string[];
  const findings: Finding[] = [];
  try {
    kept = restoreJournal(system, journal);
    dropJournal(system, state, journal.root);
    findings.push(...dropBackups(system, journal));
  } catch (second) {
    return new TenonError(
      'recover/needed',
      `Writing failed (${reasonOf(system, error)}), and taking it back failed as well (${reasonOf(system, second)}).`,
      {
        exit: 5,
        state: 'needs-recover',
        remedy: { text: 'Correct the cause, then take it back.', command: 'tenon recover --undo' },
        cause: error,
      },
    );
  }
  findings.push(...kept.map((path) => keptFinding(path)));
  if (error instanceof TenonError && kept.length === 0) return asNothingWritten(error, findings);
  return new TenonError(
    'apply/rolled-back',
    `Writing failed: ${reasonOf(system, error)}. Every file was restored to its previous state.`,
    {
      exit: 5,
      state: 'restored',
      remedy: { text: 'Correct the cause, then run the command again.' },
      findings,
      cause: error,
    },
  );
}

/** An error of the apply itself, when everything is as it was: whatever it said of the disk no longer holds. */
const asNothingWritten = (error: TenonError, more: readonly Finding[]): TenonError =>
  new TenonError(error.code, error.message, {
    exit: error.exit,
    ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
    findings: [...error.findings, ...more],
    ...(error.data === undefined ? {} : { data: error.data }),
    cause: error.cause,
  });

/** Removes the backups of an apply that is over; where that fails, they stay until the next one, and it is told. */
export function dropBackups(system: System, journal: Pick<Journal, 'backups' | 'command'>): Finding[] {
  try {
    dropFolder(system, journal.backups);
    return [];
  } catch (error) {
    return [leftover(journal.command, 'The backups of this run could not be removed', system, error)];
  }
}

const leftover = (command: string, message: string, system: System, error: unknown): Finding => ({
  code: 'state/leftover',
  severity: 'warning',
  subject: command,
  message: `${message} (${reasonOf(system, error)})`,
});

/** A file that someone edited while or after it was written: never touched. */
export const keptFinding = (path: string): Finding => ({
  code: 'recover/kept',
  severity: 'warning',
  subject: path,
  message: `${printable(path)} was changed by someone else meanwhile and was left as it is`,
  remedy: { text: 'Look at the file; tenon status shows what it holds.', command: 'tenon status' },
});

/** Why a call failed, in words, with the system's own text. */
export function reasonOf(system: System, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const why = systemReason(systemCode(error));
  const shown = printable(maskHome(text, system.host.home)).replace(/\.$/, '');
  return why === undefined ? shown : `${why} (${shown})`;
}

/** After the last rename: read back, keep what `undo` needs, drop the journal, note it in the history. */
export function concluded(system: System, state: StateFolder, journal: Journal): ApplyResult {
  const findings: Finding[] = [];
  const files: AppliedFile[] = journal.steps.map((step) => {
    try {
      const hash = hashFile(system.reader, step.abs);
      if (hash !== step.result) findings.push(keptFinding(step.path));
      return { path: step.path, action: step.action, hash: hash === 'other' ? 'absent' : hash };
    } catch (error) {
      findings.push(unreadFinding(system, step.path, error));
      return { path: step.path, action: step.action, hash: step.result };
    }
  });
  const attempt = (message: string, run: () => void): void => {
    try {
      run();
    } catch (error) {
      findings.push(leftover(journal.command, message, system, error));
    }
  };
  attempt('All files are written, but the journal could not be put away; run tenon recover', () => {
    ensureStateDir(system, state, pathsOf(system.host.platform).dirname(lastPath(state, journal.root)));
    system.writer.rename(journalPath(state, journal.root), lastPath(state, journal.root));
  });
  attempt('All files are written, but old backups could not be removed', () => {
    dropOldBackups(system, state, journal);
    dropReplaced(system, state, journal.root, ledgersAround(system, state, journal));
  });
  attempt('All files are written, but the history could not be', () =>
    appendHistory(system, state, journal.root, {
      id: journal.id,
      time: new Date(journal.time).toISOString(),
      command: journal.command,
      digest: journal.planDigest,
      files: journal.steps.map(({ path, action, result }) => ({ path, action, hash: result })),
    }),
  );
  return { files, findings };
}

const unreadFinding = (system: System, path: string, error: unknown): Finding => ({
  code: 'file/unreadable',
  severity: 'warning',
  subject: path,
  message: `${printable(path)} was written, but could not be read back (${reasonOf(system, error)})`,
});

/** The ledgers as they are and as they were: replaced content of the latter is still needed by `undo`. */
function ledgersAround(system: System, state: StateFolder, journal: Journal): Ledger[] {
  const now = [loadLedger(system, state, journal.root).ledger, loadLedger(system, state, USER_LEDGER).ledger];
  const before = journal.ledgers.flatMap(({ backup, base, path, root }) => {
    const bytes = readBackup(system, backup, base);
    return bytes === undefined ? [] : [parseLedger(system, path, bytes, root)];
  });
  return [...now, ...before];
}
