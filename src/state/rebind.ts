import type { Ledger } from '../engine/types.ts';
import { isObject, type Json } from '../lib/json.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readState, type StateFolder, writeState } from './folder.ts';
import {
  isEmptyLedger,
  ledgerBytes,
  ledgerPath,
  loadLedger,
  parseLedger,
  USER_LEDGER,
} from './ledger-store.ts';

/** What `state export` gives: the ledger of a root and its part of the user's ledger. No bytes of the user, no secret. */
export interface StateExport {
  readonly schema: 'tenon/state/v1';
  readonly ledger: Ledger;
}

export const exportState = (system: System, state: StateFolder, root: AbsPath): StateExport => ({
  schema: 'tenon/state/v1',
  ledger: loadLedger(system, state, root).ledger,
});

/**
 * Puts an exported ledger in place for a root, under its new path. Throws `state/unreadable` for anything else than an
 * export; the caller has made sure that nothing is overwritten.
 */
export function importState(system: System, state: StateFolder, root: AbsPath, text: string): Ledger {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const raw = isObject(value) ? value['ledger'] : undefined;
  const bound = isObject(raw) ? { ...raw, root } : {};
  const bytes = new TextEncoder().encode(JSON.stringify(bound as Json));
  const ledger = parseLedger(system, 'the exported state', bytes, root);
  writeState(system, state, ledgerPath(state, root), ledgerBytes(ledger));
  return ledger;
}

/** Ledgers of roots that are no longer there: candidates for a checkout that moved. */
export function orphanedLedgers(
  system: System,
  state: StateFolder,
): { readonly path: AbsPath; readonly ledger: Ledger }[] {
  const paths = pathsOf(system.host.platform);
  const found: { path: AbsPath; ledger: Ledger }[] = [];
  for (const name of system.reader.list(state.path('ledger')) ?? []) {
    if (!/^[0-9a-f]{32}\.json$/.test(name)) continue;
    const path = state.path('ledger', name);
    const root = rootIn(readState(system, path));
    if (root === undefined || !paths.isAbsolute(root) || system.reader.stat(root) !== undefined) continue;
    try {
      const ledger = parseLedger(system, path, readState(system, path) ?? new Uint8Array(), root);
      if (!isEmptyLedger(ledger)) found.push({ path, ledger });
    } catch {
      // A damaged ledger of another root is that root's matter.
    }
  }
  return found;
}

function rootIn(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(value) && typeof value['root'] === 'string' ? value['root'] : undefined;
  } catch {
    return undefined;
  }
}

/** Moves the ledger of a root that is gone to the root that it moved to. */
export function rebindLedger(
  system: System,
  state: StateFolder,
  from: AbsPath,
  ledger: Ledger,
  root: AbsPath,
): void {
  writeState(system, state, ledgerPath(state, root), ledgerBytes({ ...ledger, root }));
  system.writer.remove(from);
}

/** State files of a root that cannot be read, with the reason; `repair` sets them aside. */
export function damagedFiles(
  system: System,
  state: StateFolder,
  root: AbsPath,
): { path: AbsPath; reason: string }[] {
  const damaged: { path: AbsPath; reason: string }[] = [];
  for (const which of [root, USER_LEDGER] as const) {
    try {
      loadLedger(system, state, which);
    } catch (error) {
      damaged.push({
        path: ledgerPath(state, which),
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return damaged;
}

/** Renames a damaged state file so that it is out of the way and still there; returns its new name. */
export function setAside(system: System, path: AbsPath): AbsPath {
  const aside = `${path}.damaged-${system.randomHex(4)}`;
  system.writer.rename(path, aside);
  return aside;
}
