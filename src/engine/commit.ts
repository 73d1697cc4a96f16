import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import type { Journal, JournalLedger, JournalStep } from '../state/journal.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { hashFile, isSameFolder, isTorn, standingAt } from './file-hash.ts';
import type { DisplayPath } from './types.ts';

/** A target is not what the plan was computed from (contract, section 4: exit 6, nothing written). */
export const stalePlan = (paths: readonly DisplayPath[]): TenonError =>
  new TenonError('plan/stale', `Changed since the plan was made: ${paths.map(printable).join(', ')}.`, {
    exit: 6,
    remedy: { text: 'Run the command again for a new plan.' },
    findings: paths.map((path) => ({
      code: 'plan/stale',
      severity: 'error',
      subject: path,
      message: `${printable(path)} changed since the plan was made`,
    })),
  });

/**
 * The renames of a staged journal, in its order: files, emptied folders, ledgers last. Synchronous, so that no signal
 * handler of ours comes between two of them. Steps that are done already are passed over, which finishes an interrupted
 * run. Throws `plan/stale` for a file that is neither base nor result, or the system's error; restoring is the caller's.
 */
export function commitJournal(system: System, journal: Journal): void {
  for (const step of journal.steps) commitStep(system, step);
  for (const { path } of journal.removeDirs) removeIfEmpty(system, path);
  syncFolders(
    system,
    journal.steps.map(({ abs }) => abs),
  );
  for (const ledger of journal.ledgers) commitLedger(system, ledger);
  syncFolders(
    system,
    journal.ledgers.map(({ path }) => path),
  );
}

function commitStep(system: System, step: JournalStep): void {
  const { reader, writer } = system;
  // Compared right before the rename: the time in which a change of someone else could be lost is this call alone (F07).
  const now = standingAt(system, step.abs);
  const modeOnly = step.base === step.result && reader.lstat(step.temp) !== undefined;
  if (now === step.result && !modeOnly) return;
  if (now !== step.base && !isTornStep(system, step)) throw stalePlan([step.path]);
  if (step.result === 'absent') writer.remove(step.abs);
  else if (step.inPlace) writer.writeInPlace(step.abs, reader.readFile(step.temp) ?? new Uint8Array());
  else writer.rename(step.temp, step.abs);
}

/** Whether a file that is written in place is between base and result. */
export function isTornStep(system: Pick<System, 'reader' | 'host'>, step: JournalStep): boolean {
  const { reader } = system;
  if (!step.inPlace || step.backup === null || reader.lstat(step.abs)?.kind !== 'file') return false;
  if (!isSameFolder(system, step.abs)) return false;
  const [current, base, result] = [step.abs, step.backup, step.temp].map((path) => reader.readFile(path));
  return current !== undefined && base !== undefined && result !== undefined && isTorn(current, base, result);
}

function commitLedger({ reader, writer }: System, ledger: JournalLedger): void {
  const now = hashFile(reader, ledger.path);
  if (now === ledger.result) return;
  if (now !== ledger.base) throw stalePlan(['ledger']);
  if (ledger.temp === null) writer.remove(ledger.path);
  else writer.rename(ledger.temp, ledger.path);
}

/** Removes a folder only when nothing is in it; a folder that is gone or in use is no fault. */
export function removeIfEmpty(system: System, path: AbsPath): void {
  const { reader, writer } = system;
  if (!isSameFolder(system, path)) return;
  if (reader.lstat(path)?.kind === 'directory' && reader.list(path)?.length === 0) writer.removeDir(path);
}

export function syncFolders({ reader, writer, host }: System, files: readonly AbsPath[]): void {
  const folders = new Set(files.map((file) => pathsOf(host.platform).dirname(file)));
  for (const folder of folders) if (reader.stat(folder)?.kind === 'directory') writer.syncDir(folder);
}
