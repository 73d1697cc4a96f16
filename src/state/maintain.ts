import type { Ledger } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import { isObject } from '../lib/json.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readEvidence } from './evidence.ts';
import {
  readState,
  rootKey,
  type StateFolder,
  systemCode,
  unreadable,
  unwritable,
  writeState,
} from './folder.ts';
import { readHistoryFile } from './history.ts';
import { readJournal } from './journal.ts';
import { isEmptyLedger, ledgerBytes, ledgerPath, parseLedger, USER_LEDGER } from './ledger-store.ts';
import { takeLock } from './lock.ts';

/** A state file that cannot be used, and why. */
export interface BrokenState {
  readonly path: AbsPath;
  readonly message: string;
  /** The system refused to read it, which says nothing of what it holds: it may be sound. */
  readonly unread: boolean;
}

/** Every ledger, journal, undo record, history and evidence of this host that cannot be read; for `state repair` and doctor. */
export function findBroken(system: System, state: StateFolder): readonly BrokenState[] {
  const { reader } = system;
  const names = (area: 'ledger' | 'journal' | 'history' | 'backup' | 'evidence', ending: string) =>
    (reader.list(state.path(area)) ?? []).filter((name) => name.endsWith(ending));
  const broken: BrokenState[] = [];
  const check = (path: AbsPath, read: (path: AbsPath) => unknown): void => {
    try {
      read(path);
    } catch (error) {
      if (!(error instanceof TenonError)) throw error;
      broken.push({ path, message: error.message, unread: isRefused(error.cause) });
    }
  };
  for (const name of names('ledger', '.json'))
    check(state.path('ledger', name), (path) => readAnyLedger(system, path, name));
  for (const name of names('journal', '.json'))
    check(state.path('journal', name), (path) => readJournal(system, path));
  for (const name of names('backup', ''))
    check(state.path('backup', name, 'last.json'), (path) => readJournal(system, path));
  for (const name of names('history', '.jsonl'))
    check(state.path('history', name), (path) => readHistoryFile(system, path));
  for (const name of names('evidence', '.json'))
    check(state.path('evidence', name), (path) => readEvidence(system, path));
  return broken;
}

/** A file that is too large is no state file of ours, however often it is read. */
const isRefused = (cause: unknown): boolean => !['EFBIG', undefined].includes(systemCode(cause));

/** A ledger of whatever root it says, as long as its file is named by that root. */
function readAnyLedger(system: System, path: AbsPath, name: string): void {
  const bytes = readState(system, path);
  if (bytes === undefined) return;
  const root = rootIn(bytes);
  parseLedger(system, path, bytes, root);
  if (name !== (root === USER_LEDGER ? 'user.json' : `${rootKey(root)}.json`))
    throw unreadable(system, path, 'it belongs to another folder');
}

function rootIn(bytes: Uint8Array): string {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(value) && typeof value['root'] === 'string' ? value['root'] : '';
  } catch {
    return '';
  }
}

/** Renames a broken state file, so that the next run starts without it; nothing is deleted. Gives the new path. */
export function setAside(system: System, path: AbsPath): AbsPath {
  const aside = `${path}.broken-${system.randomHex(4)}`;
  try {
    system.writer.rename(path, aside);
  } catch (error) {
    throw unwritable(system, path, error);
  }
  return aside;
}

/** The same ledger for another root: for a checkout that was moved. */
export const moveLedger = (ledger: Ledger, root: AbsPath): Ledger => ({
  ...ledger,
  root,
  records: ledger.records.map((record) => (record.root === ledger.root ? { ...record, root } : record)),
  enrolments: ledger.enrolments.map((entry) => (entry.root === ledger.root ? { ...entry, root } : entry)),
});

/**
 * Puts an exported ledger in the place of one that says nothing. Throws `state/not-empty` (exit 4) where something is
 * recorded already: two histories of one root cannot be merged.
 */
export async function importLedger(system: System, state: StateFolder, ledger: Ledger): Promise<void> {
  const path = ledgerPath(state, ledger.root);
  const lock = await takeLock(system, state, ledger.root);
  try {
    const bytes = readState(system, path);
    if (bytes !== undefined && !isEmptyLedger(parseLedger(system, path, bytes, ledger.root))) {
      throw new TenonError(
        'state/not-empty',
        'Something is recorded for this repository already, so nothing was imported.',
        {
          exit: 4,
          remedy: { text: 'Look at what is recorded first.', command: 'tenon status' },
        },
      );
    }
    writeState(system, state, path, ledgerBytes(ledger));
  } finally {
    lock.release();
  }
}
