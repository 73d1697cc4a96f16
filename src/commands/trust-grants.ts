import type { Context } from '../cli/context.ts';
import { TenonError } from '../errors/error.ts';
import { isObject } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { grantId, renderGrants, renderRevoked } from '../reporting/trust-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { readState, type StateFolder } from '../state/folder.ts';
import { maskHome, pathsOf } from '../system/paths.ts';
import type { System } from '../system/ports.ts';
import { type Grant, type Grants, loadGrants, revokeGrants, trustPath } from '../trust/store.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';

/** `tenon trust --list`: the grants of this root, with `--all-roots` of every root of this host. */
export async function list(context: Context): Promise<Outcome> {
  const workspace = await openWorkspace(context, 'reads');
  const { system, options } = context;
  const { folder } = workspace.state;
  const others = options.allRoots ? rootsWithGrants(system, folder) : [];
  const roots = [...new Set([workspace.root, ...others])].map((root) => ({
    root,
    ...loadGrants(system, folder, root),
  }));
  const shown = roots.map(({ root, grants }) => ({
    root: options.showPaths ? root : maskHome(root, system.host.home),
    grants,
  }));
  return {
    command: 'trust',
    exit: 0,
    data: { roots: shown.map(({ root, grants }) => ({ root, grants: grants.map(grantData) })) },
    findings: roots.flatMap(({ problem }: Grants) => problem ?? []),
    human: (theme) => renderGrants(shown, theme),
  };
}

const grantData = (grant: Grant) => ({ id: grantId(grant), ...grant });

/** Roots that the files of the trust folder name; one that does not belong to its own file is left out. */
function rootsWithGrants(system: System, folder: StateFolder): string[] {
  const dir = pathsOf(system.host.platform).join(folder.dir, 'trust');
  return (system.reader.list(dir) ?? []).flatMap((name) => {
    if (!/^[0-9a-f]{32}\.json$/.test(name)) return [];
    try {
      const path = folder.path('trust', name);
      const value: unknown = JSON.parse(new TextDecoder().decode(readState(system, path)));
      const root = isObject(value) ? value['root'] : undefined;
      return typeof root === 'string' && trustPath(folder, root) === path ? [root] : [];
    } catch {
      return [];
    }
  });
}

/**
 * `tenon trust --revoke [id]`: takes one grant back, or all of this root. What is written already stays: revoking is
 * about what will be written.
 */
export async function revoke(context: Context, id: string | undefined): Promise<Outcome> {
  const workspace = await openWorkspace(context, 'reads');
  const { system } = context;
  const { folder } = workspace.state;
  const matches = (grant: Grant): boolean =>
    id === undefined || grantId(grant) === id || grant.digest.slice('sha256:'.length).startsWith(bare(id));
  if (id !== undefined) {
    const found = loadGrants(system, folder, workspace.root).grants.filter(matches);
    if (bare(id).length < 4 || found.length !== 1) throw unknown(id, found.length);
  }
  const gone = await revokeGrants(system, folder, workspace.root, matches);
  return {
    command: 'trust',
    exit: 0,
    data: { revoked: gone.map(grantData) },
    findings: [],
    human: (theme) => renderRevoked(gone, integrationsHere(workspace), theme),
  };
}

const integrationsHere = ({ enrolments, ledgers, root }: Workspace): ReadonlySet<string> => {
  const records = [
    ...ledgers.root.records,
    ...ledgers.user.records.filter((record) => record.root === root || record.scope === 'user'),
  ];
  return new Set([
    ...enrolments.map(({ integration }) => integration),
    ...records.flatMap(({ owners }) => owners.map(({ integration }) => integration)),
  ]);
};

const bare = (id: string): string => id.replace(/^sha256:/, '');

const unknown = (id: string, count: number): TenonError =>
  new TenonError(
    'trust/unknown-grant',
    count > 1
      ? `${count} grants begin with ${printable(id)}`
      : `no grant of this root begins with ${printable(id)}; give at least four digits`,
    { exit: 2, remedy: { text: 'Look the id up', command: 'tenon trust --list' } },
  );
