import type { RuntimeId } from '../engine/types.ts';
import type { Tier } from '../runtimes/tier.ts';
import type { Facts } from './facts.ts';
import { type HostState, hostStateOf } from './host.ts';
import { type Ours, oursOf, serverOf } from './ours.ts';

export type Part = 'server' | 'hook' | 'skill' | 'permissions' | 'text';
export type PartState = 'ok' | 'attention' | 'edited' | 'missing';

/** One integration in one runtime: what stands in the files, and how far the tool has taken it. */
export interface RuntimeOverview {
  readonly parts: Readonly<Partial<Record<Part, PartState>>>;
  /** Filled once the tiers are decided. */
  readonly tier?: Tier;
  /** Undefined where the integration has no server for this runtime. */
  readonly inTool?: HostState;
  /** Files never prove a connection: `unknown` unless `--clients` asked a tool that tries to reach its servers. */
  readonly connected: 'yes' | 'no' | 'unknown';
}

export type Overview = Readonly<Record<string, Readonly<Record<string, RuntimeOverview>>>>;

/** The first table of the report: integration -> runtime -> parts. */
export function overviewOf(facts: Facts): Overview {
  const ours = oursOf(facts);
  const overview: Record<string, Record<string, RuntimeOverview>> = Object.create(null);
  for (const { integration, runtimes } of facts.enrolments) {
    for (const id of runtimes) {
      const runtime = facts.examined.find(({ spec }) => spec.id === id);
      const own = ours.filter(
        (one) => one.runtimes.includes(id) && ownersOf(one).some((owner) => owner === integration),
      );
      const parts: Partial<Record<Part, PartState>> = {};
      for (const one of own) {
        for (const part of partsOf(one)) parts[part] = worse(parts[part], stateOf(one));
      }
      const states =
        runtime === undefined
          ? []
          : own
              .filter((one) => serverOf(one) !== undefined)
              .map((one) => hostStateOf(runtime, one, facts).state);
      const inTool = ORDER.find((state) => states.includes(state));
      const tier = facts.tiers.get(id)?.tier;
      overview[integration] ??= {};
      overview[integration][id] = {
        parts,
        ...(inTool === undefined ? {} : { inTool }),
        connected: connectionOf(id, own, facts),
        ...(tier === undefined ? {} : { tier }),
      };
    }
  }
  return overview;
}

/** Whether the tool itself reached every server of these. */
function connectionOf(id: RuntimeId, own: readonly Ours[], facts: Facts): RuntimeOverview['connected'] {
  const seen = own.flatMap((one) => {
    const name = serverOf(one)?.name;
    return name === undefined ? [] : [facts.clients.connections.get(id)?.get(name)];
  });
  if (seen.includes('no')) return 'no';
  return seen.length > 0 && seen.every((one) => one === 'yes') ? 'yes' : 'unknown';
}

/** The state that most needs somebody's attention comes first. */
const ORDER: readonly HostState[] = [
  'absent',
  'denied',
  'untrusted',
  'rejected',
  'disabled',
  'awaiting-approval',
  'unknown',
  'written',
  'approved',
];

const ownersOf = ({ judgement: { slot } }: Ours): string[] =>
  (slot.wish?.owners ?? slot.record?.owners ?? []).map(({ integration }) => integration);

function partsOf(one: Ours): Part[] {
  const { wish, record } = one.judgement.slot;
  const classes = wish?.classes ?? record?.classes ?? [];
  const parts: Part[] = [];
  if (serverOf(one) !== undefined) parts.push('server');
  else if (classes.includes('executes')) parts.push('hook');
  if (classes.includes('grants')) parts.push('permissions');
  if (classes.includes('instructs')) parts.push(one.target.place.kind === 'file' ? 'skill' : 'text');
  return parts;
}

function stateOf({ judgement: { standing } }: Ours): PartState {
  if (standing === 'managed' || standing === 'external' || standing === 'adoptable') return 'ok';
  if (standing === 'missing') return 'missing';
  return standing === 'drifted' ? 'edited' : 'attention';
}

const SEVERITY: Readonly<Record<PartState, number>> = { ok: 0, attention: 1, edited: 2, missing: 3 };
const worse = (a: PartState | undefined, b: PartState): PartState =>
  a !== undefined && SEVERITY[a] > SEVERITY[b] ? a : b;
