import type { Judgement, Standing } from '../../engine/judgement.ts';
import type { Scope } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import type { Workspace } from './workspace.ts';

/** The lists of `status` (contract, section 3); every one holds addresses. */
const LISTS = {
  managed: 'managed',
  missing: 'missing',
  drifted: 'drifted',
  stale: 'stale',
  external: 'external',
  adoptable: 'adoptable',
  excluded: 'excluded',
  conflict: 'conflicts',
  untrusted: 'untrusted',
} as const satisfies Partial<Record<Standing, string>>;

export type ListName = (typeof LISTS)[keyof typeof LISTS] | 'shadowed' | 'disabled';

export interface ScopeStanding extends Record<ListName, string[]> {
  status: 'ok' | 'attention' | 'blocked';
}

export type RuntimeStandings = Record<string, { scopes: Partial<Record<Scope, ScopeStanding>> }>;

const emptyScope = (): ScopeStanding => ({
  status: 'ok',
  managed: [],
  missing: [],
  drifted: [],
  stale: [],
  external: [],
  adoptable: [],
  excluded: [],
  conflicts: [],
  untrusted: [],
  shadowed: [],
  disabled: [],
});

/** Sorts every judged address into the lists of its runtimes and scope; files of no runtime stand under `repository`. */
export function standingsOf(
  judgements: readonly Judgement[],
  conflicts: ReadonlySet<string>,
  shadowed: ReadonlySet<string> = new Set(),
): RuntimeStandings {
  const standings: RuntimeStandings = Object.create(null);
  for (const { slot, address, standing } of judgements) {
    if (standing === 'dormant') continue;
    const scope = slot.wish?.main.scope ?? slot.record?.scope ?? 'project';
    const runtimes = slot.wish?.runtimes ?? slot.record?.runtimes ?? [];
    const list = LISTS[conflicts.has(address) ? 'conflict' : standing];
    for (const runtime of runtimes.length === 0 ? ['repository'] : runtimes) {
      standings[runtime] ??= { scopes: {} };
      const { scopes } = standings[runtime];
      scopes[scope] ??= emptyScope();
      scopes[scope][list].push(address);
      if (shadowed.has(address)) scopes[scope].shadowed.push(address);
    }
  }
  for (const { scopes } of Object.values(standings)) {
    for (const entry of Object.values(scopes)) entry.status = statusOf(entry);
  }
  return standings;
}

function statusOf(entry: ScopeStanding): ScopeStanding['status'] {
  if (entry.conflicts.length > 0 || entry.untrusted.length > 0) return 'blocked';
  // Switched off is somebody's choice, not a fault.
  const attention = [entry.missing, entry.drifted, entry.stale, entry.shadowed];
  return attention.some((list) => list.length > 0) ? 'attention' : 'ok';
}

/** Adds addresses to lists of a runtime, in the scope where they stand, and settles its status again. */
export function addToLists(
  standings: RuntimeStandings,
  runtime: string,
  lists: Partial<Record<ListName, readonly string[]>>,
): void {
  for (const entry of Object.values(standings[runtime]?.scopes ?? {})) {
    const known = new Set(Object.values(entry).flatMap((list) => (Array.isArray(list) ? list : [])));
    for (const [name, addresses] of Object.entries(lists)) {
      const list = entry[name as ListName];
      list.push(...new Set((addresses ?? []).filter((one) => known.has(one) && !list.includes(one))));
    }
    entry.status = statusOf(entry);
  }
}

export type State = 'ok' | 'attention' | 'blocked' | 'not-set-up';

/** The state of a root: the worst of its parts. */
export function stateOf(standings: RuntimeStandings, isSetUp: boolean): State {
  if (!isSetUp) return 'not-set-up';
  const all = Object.values(standings).flatMap(({ scopes }) =>
    Object.values(scopes).map(({ status }) => status),
  );
  return all.includes('blocked') ? 'blocked' : all.includes('attention') ? 'attention' : 'ok';
}

/**
 * The state with the findings beside it: where something is set up, no error leaves it ok. A fault of the whole root also
 * counts where nothing is: an interrupted apply is no fresh start.
 */
export function stateWith(state: State, findings: readonly Finding[]): State {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const needsAttention =
    state === 'ok'
      ? errors.length > 0
      : state === 'not-set-up' && errors.some(({ subject }) => subject === WHOLE_ROOT);
  return needsAttention ? 'attention' : state;
}

/** Subject of what concerns no single file, coding tool or integration. */
const WHOLE_ROOT = '.';

/** An apply of this root that was interrupted: reading commands go on and tell it (contract, section 7). */
export const interrupted = ({ state }: Workspace): Finding[] =>
  state.pending() === undefined
    ? []
    : [
        {
          code: 'recover/needed',
          severity: 'error',
          subject: WHOLE_ROOT,
          message: 'an earlier apply was interrupted in this repository',
          remedy: { text: 'Finish or undo it', command: 'tenon recover' },
        },
      ];

/** Info about entries that a clone could take over. */
export function adoptableFindings(standings: RuntimeStandings): Finding[] {
  const addresses = new Set(
    Object.values(standings).flatMap(({ scopes }) =>
      Object.values(scopes).flatMap(({ adoptable }) => adoptable),
    ),
  );
  if (addresses.size === 0) return [];
  return [
    {
      code: 'ownership/adoptable',
      severity: 'info',
      subject: '.tenon/manifest.json',
      message: `${addresses.size === 1 ? '1 entry is' : `${addresses.size} entries are`} as the manifest says, but written on another host`,
      remedy: {
        text: 'Take them over, so that this host can update and remove them',
        command: 'tenon adopt',
      },
      data: { addresses: [...addresses].sort() },
    },
  ];
}
