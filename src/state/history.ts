import { sha256 } from '../engine/fingerprint.ts';
import type { DisplayPath, Fingerprint } from '../engine/types.ts';
import { canonicalJson, isObject, type Json } from '../lib/json.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readState, rootKey, type StateFolder, unreadable, writeState } from './folder.ts';

/** One applied plan. `hash` covers the entry with the hash of the one before it, so a changed past shows. */
export interface HistoryEntry {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly command: string;
  readonly digest: Fingerprint;
  readonly files: readonly { readonly path: DisplayPath; readonly action: string; readonly hash: string }[];
  readonly previous: Fingerprint | null;
  readonly hash: Fingerprint;
}

export interface History {
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** Index of the first entry that does not follow from the one before it; undefined when the chain holds. */
  readonly brokenAt?: number;
}

export const historyPath = (state: StateFolder, root: AbsPath): AbsPath =>
  state.path('history', `${rootKey(root)}.jsonl`);

const hashOf = (entry: Omit<HistoryEntry, 'hash'>): Fingerprint =>
  sha256(canonicalJson(entry as unknown as Json));

/** The applied plans of a root. Throws `state/unreadable`; a chain that does not hold is told, not thrown. */
export const readHistory = (
  system: Pick<System, 'reader' | 'host'>,
  state: StateFolder,
  root: AbsPath,
): History => readHistoryFile(system, historyPath(state, root));

/** Like {@link readHistory}, by file. */
export function readHistoryFile(system: Pick<System, 'reader' | 'host'>, path: AbsPath): History {
  const bytes = readState(system, path);
  if (bytes === undefined) return { entries: [] };
  const entries = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => parseEntry(line) ?? bad(system, path, index));
  const brokenAt = entries.findIndex(({ hash, ...rest }, at) => {
    return rest.previous !== (entries[at - 1]?.hash ?? null) || hash !== hashOf(rest);
  });
  return brokenAt < 0 ? { entries } : { entries, brokenAt };
}

const bad = (system: Pick<System, 'host'>, path: AbsPath, index: number): never => {
  throw unreadable(system, path, `line ${index + 1} is no entry`);
};

function parseEntry(line: string): HistoryEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !Array.isArray(value['files'])) return undefined;
  const texts = ['id', 'time', 'command', 'digest', 'hash'];
  return texts.every((name) => typeof value[name] === 'string')
    ? (value as unknown as HistoryEntry)
    : undefined;
}

/** Appends one applied plan. Throws `state/unwritable`, `state/unreadable`. */
export function appendHistory(
  system: System,
  state: StateFolder,
  root: AbsPath,
  entry: Omit<HistoryEntry, 'hash' | 'previous'>,
): void {
  const path = historyPath(state, root);
  const before = readState(system, path) ?? new Uint8Array();
  const previous = readHistory(system, state, root).entries.at(-1)?.hash ?? null;
  const chained = { ...entry, previous };
  const line = `${canonicalJson({ ...chained, hash: hashOf(chained) } as unknown as Json)}\n`;
  writeState(system, state, path, new Uint8Array([...before, ...new TextEncoder().encode(line)]));
}
