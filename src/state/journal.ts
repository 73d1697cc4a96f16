import type { DisplayPath, Fingerprint } from '../engine/types.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import { canonicalJson, isObject, type Json } from '../lib/json.ts';
import { shellQuote } from '../lib/shell-quote.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readState, removeState, rootKey, type StateFolder, unreadable, writeState } from './folder.ts';
import { isLocked } from './lock.ts';

export type Hash = Fingerprint | 'absent';

/** One file of an apply, in the order of the renames. Bytes stand in `temp` and in the backup, never in the journal. */
export interface JournalStep {
  readonly path: DisplayPath;
  /** The real file behind links. */
  readonly abs: AbsPath;
  readonly action: 'create' | 'edit' | 'delete';
  readonly order: 'early' | 'normal';
  readonly base: Hash;
  readonly result: Hash;
  /**
   * Staged bytes of the result: beside the real file, or in the backup folder for one that is written in place. For a
   * deletion the name that putting the file back uses, so that no interruption leaves an unknown file.
   */
  readonly temp: AbsPath;
  /** Bytes of the base, in the backup folder. */
  readonly backup: AbsPath | null;
  readonly mode: number;
  readonly baseMode: number | null;
  /** Owner of the base; null when absent. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  readonly inPlace: boolean;
  readonly outside: boolean;
}

export interface JournalLedger {
  readonly root: AbsPath | '~';
  readonly path: AbsPath;
  readonly base: Hash;
  readonly result: Hash;
  readonly temp: AbsPath | null;
  readonly backup: AbsPath | null;
}

/** What an apply is about to do: enough to finish or undo it after an interruption at any instant. */
export interface Journal {
  readonly schemaVersion: 1;
  readonly id: string;
  readonly root: AbsPath;
  readonly command: string;
  readonly planDigest: Fingerprint;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Outermost first; did not exist before. */
  readonly makeDirs: readonly AbsPath[];
  /** Innermost first; removed where empty. */
  readonly removeDirs: readonly { readonly path: AbsPath; readonly mode: number }[];
  readonly steps: readonly JournalStep[];
  readonly ledgers: readonly JournalLedger[];
  /** Folder of the backups. */
  readonly backups: AbsPath;
}

export const journalPath = (state: StateFolder, root: AbsPath): AbsPath =>
  state.path('journal', `${rootKey(root)}.json`);

/** Record of the last apply of a root, for `undo`. */
export const lastPath = (state: StateFolder, root: AbsPath): AbsPath =>
  state.path('backup', rootKey(root), 'last.json');

export const journalBytes = (journal: Journal): Uint8Array =>
  new TextEncoder().encode(`${canonicalJson(journal as unknown as Json)}\n`);

/**
 * Writes the journal of a root under its lock; what a run that was ended while writing one left beside it goes first,
 * since no other can be writing there.
 */
export function writeJournal(system: System, state: StateFolder, journal: Journal): void {
  const torn = `${rootKey(journal.root)}.json.`;
  for (const name of system.reader.list(state.path('journal')) ?? [])
    if (name.startsWith(torn) && name.endsWith('.tmp')) removeState(system, state.path('journal', name));
  writeState(system, state, journalPath(state, journal.root), journalBytes(journal));
}

export const dropJournal = (system: System, state: StateFolder, root: AbsPath): void =>
  removeState(system, journalPath(state, root));

/** Whether an apply touches anything outside its root. */
export const touchesUser = (journal: Pick<Journal, 'steps' | 'ledgers'>): boolean =>
  journal.steps.some((step) => step.outside) || journal.ledgers.some(({ root }) => root === '~');

/** The journal in a state file; undefined when there is none. Throws `state/unreadable`. */
export function readJournal(system: Pick<System, 'reader' | 'host'>, path: AbsPath): Journal | undefined {
  const bytes = readState(system, path);
  if (bytes === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw unreadable(system, path, 'it is no JSON');
  }
  if (!isJournal(value)) throw unreadable(system, path, 'it is no journal of version 1');
  return value;
}

const isHash = (value: unknown): boolean =>
  typeof value === 'string' && /^(absent|sha256:[0-9a-f]{64})$/.test(value);
const isPath = (value: unknown): boolean => typeof value === 'string' && value !== '';
const orNull = (value: unknown, test: (value: unknown) => boolean): boolean => value === null || test(value);
const isMode = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0o7777;
const isList = (value: unknown, test: (item: Record<string, unknown>) => boolean): boolean =>
  Array.isArray(value) && value.every((item) => isObject(item) && test(item));

function isJournal(value: unknown): value is Journal {
  if (!isObject(value)) return false;
  const { makeDirs } = value;
  return (
    value['schemaVersion'] === 1 &&
    ['id', 'root', 'command', 'backups'].every((name) => isPath(value[name])) &&
    isHash(value['planDigest']) &&
    typeof value['time'] === 'number' &&
    Array.isArray(makeDirs) &&
    makeDirs.every(isPath) &&
    isList(value['removeDirs'], (dir) => isPath(dir['path']) && isMode(dir['mode'])) &&
    isList(value['steps'], isStep) &&
    isList(
      value['ledgers'],
      (ledger) =>
        isPath(ledger['root']) &&
        isPath(ledger['path']) &&
        isChange(ledger) &&
        orNull(ledger['temp'], isPath),
    )
  );
}

const isChange = (item: Record<string, unknown>): boolean =>
  isHash(item['base']) && isHash(item['result']) && orNull(item['backup'], isPath);

function isStep(step: Record<string, unknown>): boolean {
  const { owner } = step;
  return (
    isPath(step['path']) &&
    isPath(step['abs']) &&
    isPath(step['temp']) &&
    ['create', 'edit', 'delete'].includes(String(step['action'])) &&
    ['early', 'normal'].includes(String(step['order'])) &&
    isChange(step) &&
    isMode(step['mode']) &&
    orNull(step['baseMode'], isMode) &&
    (owner === null ||
      (isObject(owner) && Number.isInteger(owner['uid']) && Number.isInteger(owner['gid']))) &&
    typeof step['inPlace'] === 'boolean' &&
    typeof step['outside'] === 'boolean'
  );
}

/**
 * The interrupted apply that stands in the way of `root`: its own, or, with `user`, one of any root that touches the
 * user's files. Undefined also while the run that wrote it still holds its lock. Throws `state/unreadable`.
 */
export function pendingJournal(
  system: System,
  state: StateFolder,
  root: AbsPath,
  options: { readonly user?: boolean } = {},
): Journal | undefined {
  const found = findPending(system, state, root, options);
  if (found === undefined || isLocked(system, state, found.root)) return undefined;
  // Its run may have ended between the two looks: a run drops its journal before it releases its lock.
  return findPending(system, state, root, options)?.id === found.id ? found : undefined;
}

/** Like {@link pendingJournal}, for the holder of the locks. */
export function findPending(
  system: System,
  state: StateFolder,
  root: AbsPath,
  options: { readonly user?: boolean } = {},
): Journal | undefined {
  const own = readJournal(system, journalPath(state, root));
  if (own !== undefined || options.user !== true) return own;
  for (const name of system.reader.list(state.path('journal')) ?? []) {
    if (!/^[0-9a-f]{32}\.json$/.test(name)) continue;
    const other = readJournal(system, state.path('journal', name));
    if (other !== undefined && touchesUser(other)) return other;
  }
  return undefined;
}

const PENDING = 'An earlier run was interrupted while it was writing, so files may be half old and half new.';

/** What writing commands answer while an interrupted apply is pending (contract, section 7). */
export const recoverNeeded = (journal: Pick<Journal, 'root' | 'command'>, root: AbsPath): TenonError =>
  new TenonError('recover/needed', PENDING, {
    exit: 5,
    state: 'needs-recover',
    remedy: recoverRemedy(journal.root, root),
  });

/** The same for commands that only read: an error finding. */
export const pendingFinding = (journal: Pick<Journal, 'root' | 'command'>, root: AbsPath): Finding => ({
  code: 'recover/needed',
  severity: 'error',
  subject: journal.command,
  message: PENDING,
  remedy: recoverRemedy(journal.root, root),
});

const recoverRemedy = (of: AbsPath, root: AbsPath) => ({
  text: 'Finish it, or take it back with --undo.',
  command: of === root ? 'tenon recover' : `tenon recover --root ${shellQuote(of)}`,
});
