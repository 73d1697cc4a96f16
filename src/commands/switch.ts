import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { formatAddress } from '../engine/address.ts';
import type { LeafChange } from '../engine/decide.ts';
import type { LedgerRecord } from '../engine/types.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import { fromPointer, getIn, type Json, toPointer } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { renderSwitch } from '../reporting/switch-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { findSpec } from '../runtimes/load.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import { serverPath } from '../runtimes/servers.ts';
import { ownerNamed } from './shared/named-owner.ts';
import { offer } from './shared/offer.ts';
import { makePlan } from './shared/planning.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';

/** A server entry of ours in the file of one runtime. */
interface Entry {
  readonly record: LedgerRecord;
  readonly spec: RuntimeSpec;
}

/** `tenon disable <integration>`: the client's own switch in each server entry of ours, through a plan. */
export const disable = (context: Context, args: CommandArgs): Promise<Outcome> =>
  flip(context, args, 'disable');

/** `tenon enable <integration>`: the inverse of {@link disable}. */
export const enable = (context: Context, args: CommandArgs): Promise<Outcome> =>
  flip(context, args, 'enable');

async function flip(context: Context, args: CommandArgs, verb: 'disable' | 'enable'): Promise<Outcome> {
  const workspace = await openWorkspace(context, context.options.dryRun ? 'reads' : 'writes');
  const entries = entriesOf(context, workspace, args.positionals[0] ?? '');
  const offered = await offer(context, workspace, {
    make: (choices) =>
      makePlan(context, workspace, {
        command: verb,
        rendered: { desired: [], wishes: [], problems: [], findings: [] },
        choices,
        uncovered: () => 'leave',
        enrolments: () => workspace.enrolments,
        manifest: false,
        flip: (record, observed) => changeOf(entries, record, observed, verb),
      }),
    data: {},
  });
  const findings = [
    ...withoutSwitch(entries, verb),
    ...offered.result.plan.findings,
    ...offered.changed.findings,
  ];
  const switched = offered.result.plan.ops
    .filter(({ approval }) => approval !== 'none')
    .map(({ address }) => address);
  return {
    command: verb,
    exit: findings.some(({ code }) => code === 'runtime/no-switch') ? 1 : 0,
    data: { ...offered.data, changed: offered.changed, switched },
    findings,
    human: (theme) =>
      renderSwitch(
        {
          verb,
          switched,
          findings,
          changed: offered.changed,
          isDryRun: offered.isDryRun,
          plan: offered.result.plan,
        },
        theme,
      ),
  };
}

/** Server entries that this host's ledger owns, of the named integration and the named runtimes. */
function entriesOf(context: Context, workspace: Workspace, name: string): Entry[] {
  const { root, user } = workspace.ledgers;
  const owned = [
    ...root.records,
    ...user.records.filter((one) => one.root === workspace.root || one.scope === 'user'),
  ];
  const known = new Set([
    ...workspace.enrolments.map(({ integration }) => integration),
    ...owned.flatMap(({ owners }) => owners.map(({ integration }) => integration)),
  ]);
  const owner = ownerNamed(name, known);
  const named = owned.filter(({ owners }) => owners.some(({ integration }) => integration === owner));
  const wanted = new Set(context.options.runtimes.map((one) => runtimeNamed(workspace, one)));
  const found = named.flatMap((record) =>
    record.runtimes.flatMap((id): Entry[] => {
      const spec = workspace.specs.get(id);
      if (spec === undefined || (wanted.size > 0 && !wanted.has(id) && !wanted.has('all'))) return [];
      return isServer(context, workspace, spec, record) ? [{ record, spec }] : [];
    }),
  );
  if (found.length > 0) return found;
  if (owner === undefined) {
    throw new TenonError('ownership/nothing-to-switch', `${printable(name)} is not set up here`, {
      exit: 4,
      remedy: { text: 'See what is set up', command: 'tenon status' },
    });
  }
  throw new TenonError(
    'ownership/nothing-to-switch',
    `no server entry of ${printable(name)} is owned by this host here`,
    {
      exit: 4,
      remedy: {
        text: 'Take entries over that another host wrote, or see what is set up',
        command: 'tenon adopt',
      },
    },
  );
}

function runtimeNamed({ specs }: Workspace, name: string): string {
  const id = name === 'all' ? name : findSpec(specs, name)?.id;
  if (id !== undefined) return id;
  throw new TenonError('usage/unknown-runtime', `there is no coding tool ${printable(name)}`, {
    exit: 2,
    remedy: { text: 'See the known ones', command: 'tenon runtimes' },
  });
}

function isServer(context: Context, workspace: Workspace, spec: RuntimeSpec, record: LedgerRecord): boolean {
  const { place } = record;
  if (place.kind !== 'key') return false;
  const name = place.path.at(-1) ?? '';
  const { platform } = context.system.host;
  const expected = serverPath(spec, record.scope, name, workspace.root, platform);
  return expected !== undefined && toPointer(expected.path) === toPointer(place.path);
}

/** The switch's change; an added switch goes again on `enable`, so that the entry is what it was. */
function changeOf(
  entries: readonly Entry[],
  record: LedgerRecord,
  observed: Json,
  verb: 'disable' | 'enable',
): LeafChange | undefined {
  const off = entries.find((one) => one.record === record)?.spec.mcp?.off;
  if (off === undefined) return undefined;
  const now = getIn(observed, fromPointer(off.pointer));
  if (verb === 'disable') {
    return now === off.off ? undefined : { set: new Map([[off.pointer, off.off]]), unset: [] };
  }
  if (now === undefined || now === off.on) return undefined;
  const isOurs = record.generations.at(-1)?.leaves[off.pointer] !== undefined;
  return isOurs
    ? { set: new Map([[off.pointer, off.on]]), unset: [] }
    : { set: new Map(), unset: [off.pointer] };
}

/** Runtimes whose file has no switch: where they keep it themselves, told from their spec. */
function withoutSwitch(entries: readonly Entry[], verb: 'disable' | 'enable'): Finding[] {
  return entries
    .filter(({ spec }) => spec.mcp?.off === undefined)
    .map(({ spec, record }): Finding => {
      const lists = spec.gates.filter(({ kind }) => kind === 'off-list');
      const places = [
        ...new Set(lists.map(({ file, at }) => `${at.at(-1) ?? ''} in ${spec.files[file]?.create ?? file}`)),
      ].map((place) => place.replace(/\{env:[A-Z_]+\|(~[^}]*)\}/, '$1'));
      return {
        code: 'runtime/no-switch',
        severity: 'warning',
        subject: formatAddress(record.path, record.place),
        message: `${spec.title} has no switch in this file; it keeps its own`,
        remedy: {
          text:
            places.length === 0
              ? `Switch the server ${verb === 'disable' ? 'off' : 'on'} in ${spec.title} itself`
              : `Switch the server ${verb === 'disable' ? 'off' : 'on'} in ${spec.title} itself; it remembers that as ${places.join(', or ')}`,
        },
        data: { runtime: spec.id },
      };
    });
}
