import { sha256 } from '../engine/fingerprint.ts';
import type { Ledger } from '../engine/types.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readState, removeState, rootKey, type StateFolder, writeState } from './folder.ts';
import { type Hash, type Journal, lastPath, readJournal } from './journal.ts';

// Below `backup/<root key>/`: one folder of bytes per apply, `last.json` that describes the last one for `undo`, and
// `replaced/` with the user's content that `--resolve …=replace` put aside. All are 0600 and outside the repository.

const REPLACED_ID = /^[0-9a-f]{8,64}$/;

export const backupFolder = (state: StateFolder, root: AbsPath, id: string): AbsPath =>
  state.path('backup', rootKey(root), id);

const replacedFolder = (state: StateFolder, root: AbsPath): AbsPath =>
  state.path('backup', rootKey(root), 'replaced');

/** Bytes of a backup whose hash is the recorded one; undefined when it is missing or damaged. */
export function readBackup(
  system: Pick<System, 'reader' | 'host'>,
  path: AbsPath | null,
  hash: Hash,
): Uint8Array | undefined {
  const bytes = path === null ? undefined : readState(system, path);
  return bytes !== undefined && sha256(bytes) === hash ? bytes : undefined;
}

/** Puts replaced content aside. `id`: hex digits, known before anything is written. Throws `state/unwritable`. */
export function saveReplaced(
  system: System,
  state: StateFolder,
  root: AbsPath,
  id: string,
  bytes: Uint8Array,
): void {
  if (!REPLACED_ID.test(id)) throw new Error(`not an id of replaced content: ${id}`);
  const path = pathsOf(system.host.platform).join(replacedFolder(state, root), id);
  writeState(system, state, path, bytes, 'nothing-written');
}

/** Replaced content by id: this root's, else that of another root that asked for the same user file. */
export function readReplaced(
  system: Pick<System, 'reader' | 'host'>,
  state: StateFolder,
  root: AbsPath,
  id: string,
): Uint8Array | undefined {
  if (!REPLACED_ID.test(id)) return undefined;
  const own = readState(system, state.path('backup', rootKey(root), 'replaced', id));
  if (own !== undefined) return own;
  for (const key of system.reader.list(state.path('backup')) ?? []) {
    const other = readState(system, state.path('backup', key, 'replaced', id));
    if (other !== undefined) return other;
  }
  return undefined;
}

const replacedIds = (ledgers: readonly Ledger[]): Set<string> =>
  new Set(ledgers.flatMap((ledger) => ledger.records.flatMap((record) => record.replaced?.backup ?? [])));

/** Removes replaced content of a root that none of the ledgers refers to. */
export function dropReplaced(
  system: System,
  state: StateFolder,
  root: AbsPath,
  ledgers: readonly Ledger[],
): void {
  const folder = replacedFolder(state, root);
  const used = replacedIds(ledgers);
  const paths = pathsOf(system.host.platform);
  for (const name of system.reader.list(folder) ?? []) {
    if (!used.has(name)) removeState(system, paths.join(folder, name));
  }
  removeEmpty(system, folder);
}

/** Keeps `journal` as the one that `undo` takes back, and drops the backups of every earlier one. */
export function dropOldBackups(
  system: System,
  state: StateFolder,
  journal: Pick<Journal, 'root' | 'id'>,
): void {
  const folder = state.path('backup', rootKey(journal.root));
  for (const name of system.reader.list(folder) ?? []) {
    if (name !== 'last.json' && name !== 'replaced' && name !== journal.id) {
      dropFolder(system, backupFolder(state, journal.root, name));
    }
  }
}

/** Removes a folder of backups with its files. */
export function dropFolder(system: System, folder: AbsPath): void {
  const { reader, writer } = system;
  const paths = pathsOf(system.host.platform);
  if (reader.lstat(folder)?.kind !== 'directory') {
    removeState(system, folder);
    return;
  }
  for (const name of reader.list(folder) ?? []) removeState(system, paths.join(folder, name));
  writer.removeDir(folder);
}

function removeEmpty(system: System, folder: AbsPath): void {
  if (system.reader.list(folder)?.length === 0) system.writer.removeDir(folder);
}

/** The last apply of a root that `undo` can take back; undefined when there is none. */
export const lastApply = (
  system: Pick<System, 'reader' | 'host'>,
  state: StateFolder,
  root: AbsPath,
): Journal | undefined => readJournal(system, lastPath(state, root));
