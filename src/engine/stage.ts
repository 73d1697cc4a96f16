import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { backupFolder } from '../state/backups.ts';
import { ensureStateDir, readState, type StateFolder, systemCode } from '../state/folder.ts';
import { type Journal, type JournalLedger, type JournalStep, writeJournal } from '../state/journal.ts';
import { isEmptyLedger, ledgerBytes, ledgerPath, USER_LEDGER } from '../state/ledger-store.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { stalePlan, syncFolders } from './commit.ts';
import { hashFile, isSameFolder } from './file-hash.ts';
import { sha256 } from './fingerprint.ts';
import { createOwned } from './restore.ts';
import type { FilePlan, Ledger, Plan } from './types.ts';

/** A journal and the bytes that it names by hash; they stay in memory until they are staged. */
export interface Draft {
  readonly journal: Journal;
  /** Result bytes by step. */
  readonly results: ReadonlyMap<JournalStep, Uint8Array>;
  /** Bytes of backups by their path. */
  readonly backups: ReadonlyMap<AbsPath, Uint8Array>;
  readonly ledgers: ReadonlyMap<JournalLedger, Uint8Array>;
}

/** Files before the entries that call them, removals after (contract, section 7). */
const phaseOf = (file: FilePlan): number => {
  const deletes = file.action === 'delete';
  return file.order === 'early' ? (deletes ? 3 : 0) : deletes ? 2 : 1;
};

/** What an apply of this plan will do, with fresh names for everything it stages. Reads only. */
export function draftJournal(system: System, state: StateFolder, plan: Plan): Draft {
  const id = `${new Date(system.clock.now()).toISOString().replace(/[-:.]/g, '')}-${system.randomHex(4)}`;
  const backups = backupFolder(state, plan.root, id);
  const { join } = pathsOf(system.host.platform);
  const results = new Map<JournalStep, Uint8Array>();
  const saved = new Map<AbsPath, Uint8Array>();
  const files = plan.files.toSorted((a, b) => phaseOf(a) - phaseOf(b));
  const steps = files.map((file, index) => {
    const step = stepOf(system, file, backups, index);
    if (file.result !== undefined) results.set(step, file.result);
    if (step.backup !== null && file.base !== undefined) saved.set(step.backup, file.base);
    return step;
  });
  const ledgers = new Map<JournalLedger, Uint8Array>();
  for (const [root, ledger] of [
    [plan.root, plan.ledgers.root],
    [USER_LEDGER, plan.ledgers.user],
  ] as const) {
    if (ledger === undefined) continue;
    const path = ledgerPath(state, root);
    const before = readState(system, path);
    const drafted = ledgerStep(
      system,
      path,
      root,
      ledger,
      before,
      join(backups, root === USER_LEDGER ? 'user.ledger' : 'root.ledger'),
    );
    if (drafted === undefined) continue;
    ledgers.set(drafted.step, drafted.bytes);
    if (drafted.step.backup !== null && before !== undefined) saved.set(drafted.step.backup, before);
  }
  const journal: Journal = {
    schemaVersion: 1,
    id,
    root: plan.root,
    command: plan.command,
    planDigest: plan.digest,
    time: system.clock.now(),
    makeDirs: byDepth(plan.files.flatMap(({ makeDirs }) => makeDirs)),
    removeDirs: byDepth(plan.files.flatMap(({ removeDirs }) => removeDirs))
      .toReversed()
      .flatMap((path) => {
        const stat = system.reader.lstat(path);
        return stat?.kind === 'directory' ? [{ path, mode: stat.mode }] : [];
      }),
    steps,
    ledgers: [...ledgers.keys()],
    backups,
  };
  return { journal, results, backups: saved, ledgers };
}

/** Each folder once, parents first. */
const byDepth = (dirs: readonly AbsPath[]): AbsPath[] =>
  [...new Set(dirs)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));

function stepOf(system: System, file: FilePlan, backups: AbsPath, index: number): JournalStep {
  const { dirname, join } = pathsOf(system.host.platform);
  const stat = system.reader.lstat(file.real);
  const name = `${index}`.padStart(4, '0');
  return {
    path: file.path,
    abs: file.real,
    action: file.action,
    order: file.order,
    base: file.baseHash,
    result: file.resultHash,
    // A short name: a long one of the user's own plus a suffix could exceed what the file system takes.
    temp: file.inPlace
      ? join(backups, `${name}.new`)
      : join(dirname(file.real), `.tenon-${system.randomHex(6)}`),
    backup: file.base === undefined ? null : join(backups, `${name}.old`),
    mode: file.mode,
    baseMode: file.base === undefined ? null : (stat?.mode ?? file.mode),
    owner: file.base === undefined || stat === undefined ? null : { uid: stat.uid, gid: stat.gid },
    inPlace: file.inPlace,
    outside: file.outside,
  };
}

function ledgerStep(
  system: System,
  path: AbsPath,
  root: AbsPath | '~',
  ledger: Ledger,
  before: Uint8Array | undefined,
  backup: AbsPath,
): { step: JournalLedger; bytes: Uint8Array } | undefined {
  const bytes = ledgerBytes(ledger);
  const base = before === undefined ? 'absent' : sha256(before);
  const result = isEmptyLedger(ledger) ? 'absent' : sha256(bytes);
  if (base === result) return undefined;
  return {
    bytes,
    step: {
      root,
      path,
      base,
      result,
      temp: result === 'absent' ? null : `${path}.${system.randomHex(6)}.tmp`,
      backup: before === undefined ? null : backup,
    },
  };
}

/**
 * Writes everything that the renames need, and proves it: backups, journal, new folders, result bytes beside their
 * files. Visible to the user are only new empty folders and short dot files. Throws; the caller restores.
 */
export function stage(system: System, state: StateFolder, draft: Draft): void {
  const { writer } = system;
  const { journal } = draft;
  const { dirname } = pathsOf(system.host.platform);
  ensureStateDir(system, state, journal.backups);
  for (const [path, bytes] of draft.backups) writer.createExclusive(path, bytes, 0o600);
  writer.syncDir(journal.backups);
  writeJournal(system, state, journal);
  for (const dir of journal.makeDirs) {
    if (!isSameFolder(system, dir))
      throw stalePlan(journal.steps.flatMap(({ path, abs }) => (abs.startsWith(dir) ? [path] : [])));
    writer.makeDir(dir);
  }
  for (const [step, bytes] of draft.results) {
    if (step.inPlace) writer.createExclusive(step.temp, bytes, 0o600);
    else stageFile(system, step, bytes);
  }
  for (const [ledger, bytes] of draft.ledgers) {
    ensureStateDir(system, state, dirname(ledger.path));
    if (ledger.temp !== null) writer.createExclusive(ledger.temp, bytes, 0o600);
  }
  verify(system, draft);
  syncFolders(
    system,
    [...draft.results.keys()].map(({ temp }) => temp),
  );
}

function stageFile(system: System, step: JournalStep, bytes: Uint8Array): void {
  if (!isSameFolder(system, step.temp)) throw stalePlan([step.path]);
  try {
    createOwned(system, step.temp, bytes, step.mode, step.owner);
  } catch (error) {
    if (systemCode(error) !== 'EPERM' || step.owner === null || step.owner.uid === system.host.uid)
      throw error;
    throw new TenonError(
      'file/owner',
      `${printable(step.path)} belongs to another user, and replacing it would change that.`,
      {
        exit: 4,
        remedy: { text: 'Run as its owner, or change the file by hand.' },
        cause: error,
      },
    );
  }
}

/** Proves that what was staged is what was approved. */
function verify({ reader, host }: System, draft: Draft): void {
  for (const step of draft.results.keys()) {
    const mode = reader.lstat(step.temp)?.mode;
    const right = step.inPlace || host.platform === 'win32' || mode === step.mode;
    if (hashFile(reader, step.temp) !== step.result || !right)
      throw new Error(`staged bytes of ${step.path} are not the planned ones`);
  }
  for (const { temp, result, path } of draft.ledgers.keys()) {
    if (temp !== null && hashFile(reader, temp) !== result)
      throw new Error(`staged bytes of ${path} are not the planned ones`);
  }
}
