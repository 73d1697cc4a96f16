import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { lastApply, readBackup } from '../state/backups.ts';
import type { StateFolder } from '../state/folder.ts';
import type { Hash, Journal, JournalStep } from '../state/journal.ts';
import { emptyLedger, parseLedger } from '../state/ledger-store.ts';
import { displayPath, isOutside, isWithin, pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { hashFile } from './file-hash.ts';
import type { DisplayPath, FilePlan, Ledger, Op, Plan } from './types.ts';

/** A plan that takes the last apply back, without its digest, and the ledger hashes that it was computed from. */
export interface UndoPlan {
  readonly plan: Omit<Plan, 'digest'>;
  readonly ledgerBases: { readonly root?: Hash; readonly user?: Hash };
  /** The command that is taken back. */
  readonly of: string;
}

/**
 * The inverse of the last applied plan of a root, to be approved and applied like any other. Undefined when there is
 * none. Throws `undo/changed` (exit 4) when a file or ledger is not as that apply left it: undo is exact or not at all.
 */
export function undo(system: System, state: StateFolder, root: AbsPath): UndoPlan | undefined {
  const journal = lastApply(system, state, root);
  if (journal === undefined) return undefined;
  const { reader } = system;
  const changed = [
    ...journal.steps.filter((step) => hashFile(reader, step.abs) !== step.result).map(({ path }) => path),
    ...journal.ledgers
      .filter((ledger) => hashFile(reader, ledger.path) !== ledger.result)
      .map((ledger) => (ledger.root === '~' ? 'the ledger of user files' : 'the ledger')),
  ];
  if (changed.length > 0) throw changedSince(changed, journal.command);
  const files = journal.steps.map((step) => inverse(system, journal, step));
  const ledgers: { root?: Ledger; user?: Ledger } = {};
  const ledgerBases: { root?: Hash; user?: Hash } = {};
  for (const ledger of journal.ledgers) {
    const name = ledger.root === '~' ? 'user' : 'root';
    const bytes =
      ledger.base === 'absent'
        ? undefined
        : (readBackup(system, ledger.backup, ledger.base) ?? lost(ledger.path));
    ledgers[name] =
      bytes === undefined ? emptyLedger(ledger.root) : parseLedger(system, ledger.path, bytes, ledger.root);
    ledgerBases[name] = ledger.result;
  }
  const ops = journal.steps.map((step, index) => opOf(step, index, journal.command));
  const plan: Omit<Plan, 'digest'> = {
    schemaVersion: 1,
    command: 'undo',
    root,
    files: files.map((file, index) => ({ ...file, ops: [ops[index]?.id ?? ''] })),
    ops,
    conflicts: [],
    findings: [],
    isEmpty: files.length === 0 && journal.ledgers.length === 0,
    isApplicable: true,
    ledgers,
  };
  return { plan, ledgerBases, of: journal.command };
}

const changedSince = (paths: readonly DisplayPath[], command: string): TenonError =>
  new TenonError(
    'undo/changed',
    `Changed since the last apply (${printable(command)}): ${paths.map(printable).join(', ')}.`,
    {
      exit: 4,
      remedy: {
        text: 'Take the integration out instead; what was edited is kept.',
        command: 'tenon uninstall',
      },
      findings: paths.map((path) => ({
        code: 'undo/changed',
        severity: 'error',
        subject: path,
        message: `${printable(path)} is not as the last apply left it`,
      })),
    },
  );

const lost = (what: string): never => {
  throw new TenonError('undo/backup-missing', `The backup of ${printable(what)} is missing or damaged.`, {
    exit: 4,
    remedy: { text: 'Take the integration out instead.', command: 'tenon uninstall' },
  });
};

function inverse(system: System, journal: Journal, step: JournalStep): FilePlan {
  const { reader, host } = system;
  const { dirname } = pathsOf(host.platform);
  const result =
    step.base === 'absent' ? undefined : (readBackup(system, step.backup, step.base) ?? lost(step.path));
  const base = step.result === 'absent' ? undefined : reader.readFile(step.abs);
  const around = (dir: AbsPath) => isWithin(dir, dirname(step.abs), host.platform);
  return {
    path: step.path,
    abs: step.abs,
    real: step.abs,
    action: step.base === 'absent' ? 'delete' : step.result === 'absent' ? 'create' : 'edit',
    order: step.order,
    base,
    baseHash: step.result,
    result,
    resultHash: step.base,
    mode: step.baseMode ?? step.mode,
    inPlace: step.inPlace,
    makeDirs: journal.removeDirs
      .map(({ path }) => path)
      .filter((dir) => step.base !== 'absent' && around(dir) && reader.lstat(dir) === undefined)
      .toReversed(),
    removeDirs: journal.makeDirs.filter((dir) => step.base === 'absent' && around(dir)).toReversed(),
    ops: [],
    outside: step.outside,
    ...(step.outside && !isOutside(step.path)
      ? { leadsTo: displayPath(step.abs, { root: journal.root, home: host.home, platform: host.platform }) }
      : {}),
  };
}

function opOf(step: JournalStep, index: number, command: string): Op {
  return {
    id: `op-${String(index + 1).padStart(3, '0')}`,
    action: step.base === 'absent' ? 'remove' : step.result === 'absent' ? 'restore' : 'replace',
    address: step.path,
    target: { path: step.path, format: 'whole', place: { kind: 'file' } },
    owners: [],
    runtimes: [],
    scope: step.outside ? 'user' : 'project',
    classes: [],
    summary: step.base === 'absent' ? 'goes again' : 'as it was before',
    reason: `takes back ${command}`,
    approval: step.outside ? 'user-files' : 'project-files',
    ...(step.result === 'absent' ? {} : { before: step.result }),
    ...(step.base === 'absent' ? {} : { after: step.base }),
  };
}
