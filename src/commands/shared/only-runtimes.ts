import { TenonError } from '../../errors/error.ts';
import { printable } from '../../lib/printable.ts';
import { findSpec } from '../../runtimes/load.ts';
import type { RuntimeSpec } from '../../runtimes/schema.ts';
import type { Inspection } from './inspect.ts';
import { type RuntimeStandings, stateOf, stateWith } from './standing.ts';

/** The ids that `--runtime` names, aliases resolved; undefined = every one. Throws `usage/unknown-runtime`, exit 2. */
export function askedRuntimes(
  requested: readonly string[],
  specs: ReadonlyMap<string, RuntimeSpec>,
): ReadonlySet<string> | undefined {
  if (requested.length === 0 || requested.includes('all')) return undefined;
  return new Set(requested.map((name) => findSpec(specs, name)?.id ?? refuse(name)));
}

function refuse(name: string): never {
  throw new TenonError('usage/unknown-runtime', `There is no coding tool "${printable(name)}".`, {
    exit: 2,
    remedy: { text: 'See the list of them.', command: 'tenon runtimes' },
  });
}

/**
 * An inspection seen from some coding tools alone: their rows, their state, and no finding about an entry that only
 * others have. What belongs to no coding tool (the repository's own files) stays.
 */
export function onlyRuntimes(seen: Inspection, asked: ReadonlySet<string> | undefined): Inspection {
  if (asked === undefined || seen.state === 'not-set-up') return seen;
  const standings: RuntimeStandings = Object.create(null);
  const own = new Set<string>();
  const others = new Set<string>();
  for (const [id, standing] of Object.entries(seen.standings)) {
    const isShown = asked.has(id) || id === 'repository';
    if (isShown) standings[id] = standing;
    for (const address of addressesOf(standing)) (isShown ? own : others).add(address);
  }
  const findings = seen.findings.filter(({ subject }) => own.has(subject) || !others.has(subject));
  const isSetUp = [...asked].some((id) => standings[id] !== undefined);
  const state = stateWith(stateOf(standings, isSetUp), findings);
  const isBlocked = seen.state === 'blocked' && findings.some(({ severity }) => severity === 'error');
  return { ...seen, standings, findings, state: isBlocked ? 'blocked' : state };
}

const addressesOf = ({ scopes }: RuntimeStandings[string]): readonly string[] =>
  Object.values(scopes).flatMap((lists) =>
    Object.values(lists).flatMap((list) => (Array.isArray(list) ? list : [])),
  );
