import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { readBackup } from '../state/backups.ts';
import type { Journal, JournalLedger, JournalStep } from '../state/journal.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { isTornStep, removeIfEmpty, syncFolders } from './commit.ts';
import { hashFile, isSameFolder, standingAt } from './file-hash.ts';
import type { DisplayPath } from './types.ts';

/**
 * Puts every file of a journal back to its base, in reverse order, ledgers first; removes staged files and folders that
 * were made. A file is touched only if its bytes are the recorded result (contract, section 7); one that someone edited
 * meanwhile is kept and returned. Can be interrupted and run again. Throws when the system or a backup fails.
 */
export function restoreJournal(system: System, journal: Journal): readonly DisplayPath[] {
  const kept: DisplayPath[] = [];
  for (const ledger of journal.ledgers.toReversed()) restoreLedger(system, ledger, kept);
  for (const { path, mode } of journal.removeDirs.toReversed()) remakeDir(system, path, mode);
  for (const step of journal.steps.toReversed()) restoreStep(system, step, kept);
  for (const step of journal.steps)
    if (!step.inPlace && isSameFolder(system, step.temp)) dropFile(system, step.temp);
  for (const dir of journal.makeDirs.toReversed()) removeIfEmpty(system, dir);
  syncFolders(system, [...journal.steps.map(({ abs }) => abs), ...journal.ledgers.map(({ path }) => path)]);
  return kept;
}

function restoreStep(system: System, step: JournalStep, kept: DisplayPath[]): void {
  const { reader, writer, host } = system;
  const now = standingAt(system, step.abs);
  if (now === step.base) {
    const mode = reader.lstat(step.abs)?.mode;
    if (step.baseMode !== null && mode !== step.baseMode && mode === step.mode)
      writer.chmod(step.abs, step.baseMode);
    return;
  }
  const folder = pathsOf(host.platform).dirname(step.abs);
  const ours = now === step.result || isTornStep(system, step);
  if (!ours || reader.stat(folder)?.kind !== 'directory') {
    kept.push(step.path);
    return;
  }
  if (step.base === 'absent') {
    writer.remove(step.abs);
    return;
  }
  const bytes = readBackup(system, step.backup, step.base) ?? missingBackup(step.path);
  if (step.inPlace) writer.writeInPlace(step.abs, bytes);
  else {
    dropFile(system, step.temp);
    createOwned(system, step.temp, bytes, step.baseMode ?? 0o600, step.owner);
    writer.rename(step.temp, step.abs);
  }
}

const missingBackup = (what: string): never => {
  throw new TenonError(
    'recover/failed',
    `The backup of ${printable(what)} is missing or damaged, so it cannot be put back.`,
    {
      exit: 5,
      state: 'needs-recover',
      remedy: { text: 'Put the file back by hand (git has its committed state), then run tenon recover.' },
    },
  );
};

/** Creates a file with mode and owner of another; the owner is changed only where it differs. */
export function createOwned(
  { reader, writer, host }: System,
  path: AbsPath,
  bytes: Uint8Array,
  mode: number,
  owner: JournalStep['owner'],
): void {
  writer.createExclusive(path, bytes, mode);
  if (owner === null || host.platform === 'win32') return;
  const made = reader.lstat(path);
  if (made === undefined || (made.uid === owner.uid && made.gid === owner.gid)) return;
  writer.chown(path, owner.uid, owner.gid);
  // chown clears set-user and set-group bits (chown(2)).
  writer.chmod(path, mode);
}

function restoreLedger(system: System, ledger: JournalLedger, kept: DisplayPath[]): void {
  const { reader, writer } = system;
  const now = hashFile(reader, ledger.path);
  if (now === ledger.result && now !== ledger.base) {
    if (ledger.base === 'absent') writer.remove(ledger.path);
    else {
      const bytes = readBackup(system, ledger.backup, ledger.base) ?? missingBackup('the ledger');
      const temp = ledger.temp ?? `${ledger.path}.back.tmp`;
      dropFile(system, temp);
      writer.createExclusive(temp, bytes, 0o600);
      writer.rename(temp, ledger.path);
    }
  } else if (now !== ledger.base) kept.push(ledger.root === '~' ? 'the ledger of user files' : 'the ledger');
  if (ledger.temp !== null) dropFile(system, ledger.temp);
}

function remakeDir(system: System, path: AbsPath, mode: number): void {
  const { reader, writer, host } = system;
  if (!isSameFolder(system, path)) return;
  if (reader.lstat(path) !== undefined || reader.stat(pathsOf(host.platform).dirname(path)) === undefined)
    return;
  writer.makeDir(path, mode);
  if (host.platform !== 'win32' && reader.lstat(path)?.mode !== mode) writer.chmod(path, mode);
}

function dropFile({ reader, writer }: System, path: AbsPath): void {
  if (reader.lstat(path)?.kind === 'file') writer.remove(path);
}
