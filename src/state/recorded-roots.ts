import { isObject } from '../lib/json.ts';
import { isWithin, pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { openStateFolder, readState, rootKey, type StateFolder } from './folder.ts';

const USER_LEDGER_FILE = 'user.json';

/**
 * Folders of one repository that this host has a record of and that are not among `known`: those whose manifest is gone, or
 * that never had one. What cannot be read says nothing here; the run of the root that it is about tells of it.
 */
export function recordedRoots(
  system: Pick<System, 'reader' | 'host'>,
  top: AbsPath,
  known: readonly AbsPath[],
): readonly AbsPath[] {
  const keys = new Set(known.map((root) => `${rootKey(root)}.json`));
  const state = tolerant(() => openStateFolder(system));
  if (state === undefined) return [];
  const names = tolerant(() => system.reader.list(state.path('ledger'))) ?? [];
  const found = names
    .filter((name) => !keys.has(name))
    .flatMap((name) => rootsIn(name, ledgerIn(system, state, name)))
    .filter((root) => !known.includes(root) && isOwnFolder(system, top, root));
  return [...new Set(found)];
}

function ledgerIn(system: Pick<System, 'reader' | 'host'>, state: StateFolder, name: string): unknown {
  return tolerant(() => JSON.parse(new TextDecoder().decode(readState(system, state.path('ledger', name)))));
}

/** The root of a ledger, and the ones whose entries stand in files of the home folder. */
function rootsIn(name: string, ledger: unknown): readonly string[] {
  if (!isObject(ledger)) return [];
  const { root, enrolments } = ledger;
  if (name !== USER_LEDGER_FILE)
    return typeof root === 'string' && name === `${rootKey(root)}.json` ? [root] : [];
  const roots = Array.isArray(enrolments)
    ? enrolments.map((one) => (isObject(one) ? one['root'] : undefined))
    : [];
  return roots.filter((one) => typeof one === 'string');
}

/** Below the top level, still there under this name, and of no repository inside. */
function isOwnFolder(
  { reader, host }: Pick<System, 'reader' | 'host'>,
  top: AbsPath,
  root: AbsPath,
): boolean {
  const { dirname, join } = pathsOf(host.platform);
  const isThere = isWithin(top, root, host.platform) && tolerant(() => reader.realpath(root)) === root;
  if (!isThere) return false;
  for (let at = root; at !== top; at = dirname(at)) {
    if (dirname(at) === at || tolerant(() => reader.lstat(join(at, '.git'))) !== undefined) return false;
  }
  return true;
}

/** Of a fault of the disk or of a file, undefined. */
function tolerant<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
