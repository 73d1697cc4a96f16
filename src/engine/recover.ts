import { type Finding, TenonError } from '../errors/error.ts';
import type { StateFolder } from '../state/folder.ts';
import { dropJournal, type Journal, journalPath, readJournal, touchesUser } from '../state/journal.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { commitJournal, isTornStep } from './commit.ts';
import { hashFile, standingAt } from './file-hash.ts';
import { restoreJournal } from './restore.ts';
import { concluded, dropBackups, keptFinding, reasonOf, takeLocks } from './transaction.ts';
import type { AppliedFile } from './types.ts';

export interface RecoverResult {
  readonly outcome: 'nothing' | 'finished' | 'undone';
  readonly command?: string;
  /** Files of the interrupted apply as they are now. */
  readonly files: readonly AppliedFile[];
  readonly findings: readonly Finding[];
}

/**
 * Finishes an interrupted apply when every file of it is at its base with proven staged bytes, or at its result; else,
 * or with `undo`, takes it back. A file is touched only if its bytes are the recorded base or result: one that was
 * edited since is kept and reported (contract, section 7). Throws `state/busy`, `state/unreadable`, `recover/failed`.
 */
export async function recover(
  system: System,
  state: StateFolder,
  root: AbsPath,
  options: { readonly undo?: boolean } = {},
): Promise<RecoverResult> {
  const path = journalPath(state, root);
  const seen = readJournal(system, path);
  if (seen === undefined) return { outcome: 'nothing', files: [], findings: [] };
  const locks = await takeLocks(system, state, root, touchesUser(seen));
  try {
    // The run that wrote it may have ended well while this one waited for its lock.
    const journal = readJournal(system, path);
    if (journal === undefined) return { outcome: 'nothing', files: [], findings: [] };
    if (options.undo !== true && told(system, journal, () => canFinish(system, journal))) {
      told(system, journal, () => commitJournal(system, journal));
      return { outcome: 'finished', command: journal.command, ...concluded(system, state, journal) };
    }
    return told(system, journal, () => takenBack(system, state, journal));
  } finally {
    for (const lock of locks.toReversed()) lock.release();
  }
}

function takenBack(system: System, state: StateFolder, journal: Journal): RecoverResult {
  const kept = restoreJournal(system, journal);
  const files = journal.steps.map(({ path, action, abs }): AppliedFile => {
    const hash = hashFile(system.reader, abs);
    return { path, action, hash: hash === 'other' ? 'absent' : hash };
  });
  dropJournal(system, state, journal.root);
  const findings = [...kept.map(keptFinding), ...dropBackups(system, journal)];
  return { outcome: 'undone', command: journal.command, files, findings };
}

/** A fault in the middle leaves the journal, and with it the way on: recover can be run again. */
function told<T>(system: System, journal: Journal, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TenonError && error.state === 'needs-recover') throw error;
    throw new TenonError(
      'recover/failed',
      `Recovering ${journal.command} stopped in the middle: ${reasonOf(system, error)}.`,
      {
        exit: 5,
        state: 'needs-recover',
        remedy: { text: 'Correct the cause, then run it again.', command: 'tenon recover' },
        cause: error,
      },
    );
  }
}

/** A staged file gets its mode and owner after its bytes: a run that ended in between left it without them. */
function isStaged({ reader, host }: System, step: Journal['steps'][number]): boolean {
  if (step.result === 'absent' || step.inPlace || host.platform === 'win32') return true;
  const made = reader.lstat(step.temp);
  const { owner } = step;
  return made?.mode === step.mode && (owner === null || (made.uid === owner.uid && made.gid === owner.gid));
}

/** Whether every step is done, or can be done with bytes that prove. */
function canFinish(system: System, journal: Journal): boolean {
  const { reader } = system;
  const proven = (temp: AbsPath | null, result: string): boolean =>
    result === 'absent' || (temp !== null && hashFile(reader, temp) === result);
  const steps = journal.steps.every((step) => {
    const now = standingAt(system, step.abs);
    if (now === step.result && step.base !== step.result) return true;
    const open = now === step.base || isTornStep(system, step);
    // A change of the mode alone is done once its staged file is gone.
    return open && ((proven(step.temp, step.result) && isStaged(system, step)) || step.base === step.result);
  });
  return (
    steps &&
    journal.ledgers.every(({ path, base, result, temp }) => {
      const now = hashFile(reader, path);
      return now === result || (now === base && proven(temp, result));
    })
  );
}
