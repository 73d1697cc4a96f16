import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { Enrolment } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { renderStatus } from '../reporting/status-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { type Inspection, inspect, withLists } from './shared/inspect.ts';
import { askedRuntimes, onlyRuntimes } from './shared/only-runtimes.ts';
import { rootBelow } from './shared/root-below.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';

/** `tenon status`: what is managed, missing, drifted, … per runtime and scope, of `--runtime` alone. Reads only. */
export async function run(context: Context, _args: CommandArgs): Promise<Outcome> {
  const workspace = await openWorkspace(context, 'reads');
  const asked = askedRuntimes(context.options.runtimes, workspace.specs);
  const whole = await withHostLists(context, workspace, await inspect(context, workspace));
  const asSeen = onlyRuntimes(whole, asked);
  const seen = { ...asSeen, findings: [...rootBelow(context, workspace, 'status'), ...asSeen.findings] };
  const integrations = workspace.enrolments
    .filter(({ runtimes }) => asked === undefined || runtimes.some((id) => asked.has(id)))
    .map(summaryOf);
  const tiers = seen.state === 'not-set-up' ? {} : await tiersOf(context, workspace);
  const runtimes = Object.fromEntries(
    Object.entries(seen.standings).map(([id, standing]) => [
      id,
      { ...standing, ...(tiers[id] === undefined ? {} : { tier: tiers[id] }) },
    ]),
  );
  const data = { state: seen.state, root: '.', integrations, runtimes };
  return {
    command: 'status',
    exit: exitOf(seen.state, seen.findings, context.options.strict),
    data,
    findings: seen.findings,
    human: (theme) => renderStatus({ ...data, findings: seen.findings, asked: [...(asked ?? [])] }, theme),
  };
}

/** Adds what a coding tool does with entries of ours: shadowed by another scope, or switched off. */
async function withHostLists(context: Context, workspace: Workspace, seen: Inspection): Promise<Inspection> {
  if (seen.state === 'not-set-up') return seen;
  const { gatherFacts } = await import('../probes/gather.ts');
  const { hostLists } = await import('../probes/host-lists.ts');
  const lists = await hostLists(await gatherFacts(context, workspace, undefined, seen));
  return withLists(seen, lists);
}

/** How far each coding tool that something is set up for is usable here; starts none of them. */
async function tiersOf(context: Context, { root, specs, enrolments, state }: Workspace) {
  const { tierHere } = await import('../certify/here.ts');
  const ids = new Set(enrolments.flatMap(({ runtimes }) => runtimes));
  return Object.fromEntries(
    [...ids].flatMap((id) => {
      const spec = specs.get(id);
      if (spec === undefined) return [];
      const { system, packageDir } = context;
      const question = { spec, system, packageDir, root, enabled: true, signs: [], state: state.folder };
      const here = tierHere(question);
      return [[id, { state: here.tier, failureClass: here.failureClass, reason: here.reason }]];
    }),
  );
}

function summaryOf(enrolment: Enrolment) {
  const { integration, of, version, scope, runtimes, without } = enrolment;
  return { integration, ...(of === undefined ? {} : { of }), version, scope, runtimes, without };
}

/** 1 when something needs attention; "not set up" alone raises nothing but under --strict. */
export function exitOf(state: string, findings: readonly Finding[], strict: boolean): 0 | 1 {
  if (state === 'not-set-up') return strict ? 1 : 0;
  return state === 'ok' && !findings.some(({ severity }) => severity === 'error') ? 0 : 1;
}
