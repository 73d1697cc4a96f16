import type { Fingerprint } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { TenonError } from '../errors/error.ts';
import { canonicalJson, isObject, type Json } from '../lib/json.ts';
import {
  readState,
  removeState,
  rootKey,
  type StateFolder,
  unreadable,
  writeState,
} from '../state/folder.ts';
import { takeLock } from '../state/lock.ts';
import { maskHome } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import type { TrustItem } from './item.ts';

/** How a grant came about: reviewed with `tenon trust`, or typed by the operator into `setup` or `add`. */
export type GrantVia = 'trust' | 'setup';

/** Consent on this host to exactly one thing; the digest binds it, the rest is for `tenon trust --list`. */
export interface Grant {
  readonly digest: Fingerprint;
  readonly via: GrantVia;
  readonly integration: string;
  readonly artifact: string;
  readonly class: string;
  readonly runtimes: readonly string[];
  readonly scope: string;
  readonly address: string;
}

/** Grants of one root. `problem`: the file is there and cannot be used, so that nothing is granted (requirement S11). */
export interface Grants {
  readonly grants: readonly Grant[];
  readonly problem?: Finding;
}

const VERSION = 1;
const MAX_GRANTS = 10_000;

export const trustPath = (state: StateFolder, root: AbsPath): AbsPath =>
  state.path('trust', `${rootKey(root)}.json`);

/** Reads the grants of a canonical root. Anything malformed, foreign or writable by others denies; never throws for it. */
export function loadGrants(system: System, state: StateFolder, root: AbsPath): Grants {
  const path = trustPath(state, root);
  try {
    return { grants: readGrants(system, path, root) };
  } catch (error) {
    if (!(error instanceof TenonError)) throw error;
    return {
      grants: [],
      problem: {
        code: 'trust/unusable',
        severity: 'warning',
        subject: maskHome(path, system.host.home),
        message: `${error.message.replace(/\.$/, '')}; nothing is trusted`,
        remedy: { text: 'Look at the file, remove it, and grant again', command: 'tenon trust' },
      },
    };
  }
}

function readGrants(system: System, path: AbsPath, root: AbsPath): readonly Grant[] {
  const bytes = readState(system, path);
  if (bytes === undefined) return [];
  const stat = system.reader.lstat(path);
  if (system.host.platform !== 'win32' && stat !== undefined) {
    if (stat.uid !== system.host.uid || (stat.mode & 0o022) !== 0) {
      throw unreadable(system, path, 'others may write it');
    }
  }
  let value: Json;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw unreadable(system, path, 'it is no JSON');
  }
  if (!isObject(value)) throw unreadable(system, path, 'it is no object');
  if (value['schemaVersion'] !== VERSION) throw unreadable(system, path, 'its version is not known');
  if (value['root'] !== root) throw unreadable(system, path, 'it belongs to another folder');
  const grants = value['grants'];
  const isSound =
    Object.keys(value).length === 3 &&
    Array.isArray(grants) &&
    grants.length <= MAX_GRANTS &&
    grants.every(isGrant);
  if (!isSound) throw unreadable(system, path, 'it is damaged');
  return grants as unknown as readonly Grant[];
}

function isGrant(value: Json): boolean {
  if (!isObject(value) || Object.keys(value).length !== 8) return false;
  const { digest, via, runtimes } = value;
  const texts = ['integration', 'artifact', 'class', 'scope', 'address'];
  return (
    typeof digest === 'string' &&
    /^sha256:[0-9a-f]{64}$/.test(digest) &&
    (via === 'trust' || via === 'setup') &&
    Array.isArray(runtimes) &&
    runtimes.every((one) => typeof one === 'string') &&
    texts.every((name) => typeof value[name] === 'string')
  );
}

/** Adds grants for items, under the lock of the root; one that is there already stays. Throws `state/*`. */
export async function addGrants(
  system: System,
  state: StateFolder,
  root: AbsPath,
  items: readonly TrustItem[],
  via: GrantVia,
): Promise<void> {
  const notIn = (grants: readonly Grant[]): readonly TrustItem[] => {
    const known = new Set(grants.map(({ digest }) => digest));
    return items.filter(({ digest }) => !known.has(digest));
  };
  // Looked at without the lock first: a setup that has nothing to do then writes nothing at all.
  if (notIn(readGrants(system, trustPath(state, root), root)).length === 0) return;
  await change(system, state, root, (before) => {
    const fresh = new Map(notIn(before).map((one) => [one.digest, one]));
    if (fresh.size === 0) return before;
    return [...before, ...[...fresh.values()].map((item) => grantOf(item, via))];
  });
}

/** Takes grants back; gives those that went. Throws `state/*`. */
export async function revokeGrants(
  system: System,
  state: StateFolder,
  root: AbsPath,
  isRevoked: (grant: Grant) => boolean,
): Promise<readonly Grant[]> {
  let gone: readonly Grant[] = [];
  await change(system, state, root, (before) => {
    gone = before.filter(isRevoked);
    return gone.length === 0 ? before : before.filter((grant) => !isRevoked(grant));
  });
  return gone;
}

const grantOf = (item: TrustItem, via: GrantVia): Grant => ({
  digest: item.digest,
  via,
  integration: item.integration,
  artifact: item.artifact,
  class: item.class,
  runtimes: item.runtimes,
  scope: item.scope,
  address: item.address,
});

async function change(
  system: System,
  state: StateFolder,
  root: AbsPath,
  next: (before: readonly Grant[]) => readonly Grant[],
): Promise<void> {
  const lock = await takeLock(system, state, root);
  try {
    const path = trustPath(state, root);
    const before = readGrants(system, path, root);
    const after = next(before);
    if (after === before) return;
    if (after.length === 0) {
      removeState(system, path);
      return;
    }
    const sorted = [...after].sort((a, b) => (a.digest < b.digest ? -1 : 1));
    const document = { schemaVersion: VERSION, root, grants: sorted } as unknown as Json;
    writeState(system, state, path, new TextEncoder().encode(`${canonicalJson(document)}\n`));
  } finally {
    lock.release();
  }
}
