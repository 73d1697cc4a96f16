import type { Ledger } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import { isObject, type Json } from '../lib/json.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readState, removeState, type StateFolder, writeState } from './folder.ts';
import { isEmptyLedger, ledgerBytes, ledgerPath, parseLedger } from './ledger-store.ts';
import { moveLedger } from './maintain.ts';

/** What `state export` gives: the ledger of a root. No bytes of the user, no secret. */
export interface StateExport {
  readonly schema: 'tenon/state/v1';
  readonly ledger: Ledger;
}

/**
 * The ledger in an exported state, for the root that it is imported to. Throws `state/unreadable` for anything else
 * than an export.
 */
export function parseExport(system: System, shown: string, text: string, root: AbsPath): Ledger {
  let raw: Json = null;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) raw = value['ledger'] ?? null;
  } catch {
    // Told by the check below, with the same words as for any other text that is no export.
  }
  const from = isObject(raw) && typeof raw['root'] === 'string' ? raw['root'] : root;
  const bytes = new TextEncoder().encode(JSON.stringify(raw));
  return moveLedger(parseLedger(system, shown, bytes, from), root);
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
    const bytes = readState(system, path);
    const root = rootIn(bytes);
    if (bytes === undefined || root === undefined || !paths.isAbsolute(root)) continue;
    if (system.reader.stat(root) !== undefined) continue;
    try {
      const ledger = parseLedger(system, path, bytes, root);
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

/**
 * Moves the ledger of a root that is gone to the root that it moved to. Tells why the old file is still there, which
 * says nothing about any folder any more; undefined when it is gone.
 */
export function rebindLedger(
  system: System,
  state: StateFolder,
  from: AbsPath,
  ledger: Ledger,
  root: AbsPath,
): TenonError | undefined {
  writeState(system, state, ledgerPath(state, root), ledgerBytes(moveLedger(ledger, root)));
  try {
    removeState(system, from);
    return undefined;
  } catch (error) {
    if (error instanceof TenonError) return error;
    throw error;
  }
}
