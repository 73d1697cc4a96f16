import { sha256 } from '../engine/fingerprint.ts';
import type { Fingerprint, Ledger } from '../engine/types.ts';
import { canonicalJson, isObject, type Json } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readState, rootKey, type StateFolder, unreadable } from './folder.ts';
import { ledgerProblem } from './ledger-check.ts';
import { LEDGER_MIGRATIONS, migrated, migrationProblem } from './migrate.ts';

export const USER_LEDGER = '~';

/** A ledger and what it was read from; `hash` is what an apply compares before it writes. */
export interface LoadedLedger {
  readonly ledger: Ledger;
  readonly hash: Fingerprint | 'absent';
}

/** File of the ledger of a canonical root, or of files outside every root (`~`). */
export const ledgerPath = (state: StateFolder, root: AbsPath | '~'): AbsPath =>
  state.path('ledger', root === USER_LEDGER ? 'user.json' : `${rootKey(root)}.json`);

export const emptyLedger = (root: AbsPath | '~'): Ledger => ({
  schemaVersion: 1,
  root,
  files: [],
  records: [],
  enrolments: [],
});

/** A ledger that says nothing has no file, so an uninstall leaves none behind. */
export const isEmptyLedger = (ledger: Ledger): boolean =>
  ledger.files.length === 0 &&
  ledger.records.length === 0 &&
  ledger.enrolments.length === 0 &&
  (ledger.choices ?? []).length === 0;

/** A sorted copy; the text of each item is made once. */
const sortedBy = <T>(items: readonly T[], textOf: (item: T) => string): T[] =>
  items
    .map((item) => ({ item, text: textOf(item) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ item }) => item);
const asJson = (value: unknown): Json => value as Json;

/**
 * Canonical bytes: members and lists sorted, no time, one final newline. Equal ledgers give equal bytes whatever the
 * order they were built in (architecture, law 10).
 */
export const ledgerBytes = (ledger: Ledger): Uint8Array =>
  new TextEncoder().encode(`${canonicalJson(asJson(orderedLedger(ledger)))}\n`);

/** The ledger in the one order in which it is stored: two ledgers that say the same are equal in it. */
export function orderedLedger(ledger: Ledger): Ledger {
  return {
    ...ledger,
    files: sortedBy(ledger.files, (file) => file.path),
    records: sortedBy(ledger.records, ledger.root === USER_LEDGER ? knownPlaceOf : placeOf),
    enrolments: sortedBy(
      ledger.enrolments,
      (entry) => `${entry.integration}\0${entry.scope}\0${entry.root ?? ''}`,
    ),
  };
}

/** Text by which records are sorted. */
const placeOf = ({ path, place, owners }: Ledger['records'][number]): string =>
  `${path}\0${canonicalJson(asJson(place))}\0${canonicalJson(asJson(owners))}`;

/** The same, made once for each record: the user's ledger may hold some of every root. */
function knownPlaceOf(record: Ledger['records'][number]): string {
  const text = places.get(record) ?? placeOf(record);
  places.set(record, text);
  return text;
}

const places = new WeakMap<object, string>();

/** Reads a ledger; a missing one is empty. Throws `state/unreadable` (exit 2): a damaged one is never reset. */
export function loadLedger(
  system: Pick<System, 'reader' | 'host'>,
  state: StateFolder,
  root: AbsPath | '~',
): LoadedLedger {
  const path = ledgerPath(state, root);
  const bytes = readState(system, path);
  if (bytes === undefined) return { ledger: emptyLedger(root), hash: 'absent' };
  const load = () => ({ ledger: parseLedger(system, path, bytes, root), hash: sha256(bytes) });
  if (root !== USER_LEDGER) return load();
  // One for all roots of a run, whose reader gives the same bytes again.
  const loaded = read.get(bytes) ?? load();
  read.set(bytes, loaded);
  return loaded;
}

const read = new WeakMap<Uint8Array, LoadedLedger>();

/** The ledger in a state file's bytes. Throws `state/unreadable`. */
export function parseLedger(
  system: Pick<System, 'host'>,
  path: AbsPath,
  bytes: Uint8Array,
  root: AbsPath | '~',
): Ledger {
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw unreadable(system, path, 'it is no JSON');
  }
  const brought = migrated(value, 1, LEDGER_MIGRATIONS);
  if (!brought.ok) throw unreadable(system, path, migrationProblem(brought, 1));
  value = brought.value;
  const problem = ledgerProblem(value);
  if (problem !== undefined) throw unreadable(system, path, printable(problem));
  if (!isObject(value) || value['root'] !== root) {
    throw unreadable(system, path, 'it belongs to another folder');
  }
  return value as unknown as Ledger;
}
