import type { TierHere } from '../certify/here.ts';
import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { MANIFEST_PATH } from '../engine/plan-manifest.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import { isObject, setOwn } from '../lib/json.ts';
import { type Facts, isInspection } from '../probes/facts.ts';
import { findingOf, gatherFacts } from '../probes/gather.ts';
import { PROBES } from '../probes/index.ts';
import { matricesOf } from '../probes/matrix.ts';
import { overviewOf } from '../probes/overview.ts';
import { type Report, runProbes } from '../probes/probe.ts';
import { renderDoctor } from '../reporting/doctor-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { loadSpecs } from '../runtimes/load.ts';
import { openState } from '../state/store.ts';
import { maskHome } from '../system/paths.ts';
import { findRoot } from '../system/root.ts';
import { rootBelow } from './shared/root-below.ts';
import { followedIn, openWorkspace, type Workspace } from './shared/workspace.ts';

/**
 * `tenon doctor`: diagnoses configuration, ownership, trust, hooks, secrets, endpoints and the coding tools' own state.
 * Reads only, asks nothing, starts nothing of the repository (C-14). Exit 1 when a check failed; warnings and "nothing is
 * set up" raise the code under --strict alone (contract, section 3).
 */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const { data, findings, root, exit } = await look(context, args);
  const { integrations } = data;
  return {
    command: 'doctor',
    exit,
    data,
    findings,
    human: (theme) => renderDoctor({ ...data, root, matrices: matricesOf(integrations), findings }, theme),
  };
}

/** Apart from the outcome, whose text is made later: it would keep all facts of every root in memory. */
async function look(context: Context, args: CommandArgs) {
  const { workspace, problem } = await open(context);
  const facts = await gatherFacts(context, workspace, problem);
  const report = await context.reporter.progress('Looking around', () => runProbes(PROBES, facts));
  const state = stateOf(facts, report);
  const overview = overviewOf(facts);
  const mask = maskPaths(context, workspace);
  const data = {
    state,
    root: context.options.showPaths ? workspace.root : '.',
    checks: report.checks.map(mask),
    summary: report.summary,
    runtimes: facts.examined.map(({ spec, reason }) => ({
      id: spec.id,
      title: spec.title,
      reason,
      ...tierData(facts.tiers.get(spec.id)),
    })),
    integrations: overview,
  };
  const findings = [...rootBelow(context, workspace, 'doctor'), ...report.findings].map(mask);
  const root = maskHome(workspace.root, context.system.host.home);
  const bundle = args.flags['bundle'];
  if (typeof bundle === 'string') {
    const { saveBundle } = await import('./shared/bundle.ts');
    saveBundle(context, workspace, bundle, { data, findings });
  }
  return { data, findings, root, exit: exitOf(state, report, context.options.strict) };
}

/** The tier as JSON shows it; absent where nothing is set up for the tool. */
function tierData(here: TierHere | undefined) {
  if (here === undefined) return {};
  const { tier, failureClass, reason, remedy, certification } = here;
  return {
    tier: {
      state: tier,
      failureClass,
      reason,
      ...(remedy === undefined ? {} : { remedy }),
      certification: { ...certification },
    },
  };
}

export type DoctorState = 'ok' | 'attention' | 'blocked' | 'not-set-up';

function stateOf(facts: Facts, { summary }: Report): DoctorState {
  const { inspection } = facts;
  if (facts.manifestProblem === undefined && isInspection(inspection) && inspection.state === 'not-set-up') {
    return 'not-set-up';
  }
  if (isInspection(inspection) && inspection.state === 'blocked') return 'blocked';
  return summary.fail > 0 ? 'attention' : 'ok';
}

function exitOf(state: DoctorState, { summary }: Report, strict: boolean): 0 | 1 {
  if (summary.fail > 0) return 1;
  return strict && (state === 'not-set-up' || summary.warn > 0) ? 1 : 0;
}

/** The workspace; one whose manifest cannot be used is looked at as if it had none, and that is a failed check. */
async function open(context: Context): Promise<{ workspace: Workspace; problem: Finding | undefined }> {
  try {
    return { workspace: await openWorkspace(context, 'reads'), problem: undefined };
  } catch (error) {
    if (!(error instanceof TenonError) || !error.code.startsWith('manifest/')) throw error;
    return { workspace: await openWithoutManifest(context), problem: findingOf(error, MANIFEST_PATH) };
  }
}

async function openWithoutManifest(context: Context): Promise<Workspace> {
  const { system, options } = context;
  const facts = findRoot(system, options);
  const state = openState(system, facts.root);
  const specs = context.specs ?? (await loadSpecs(system.reader, context.packageDir));
  const ledgers = state.ledgers();
  const enrolments = [
    ...ledgers.root.enrolments.filter(({ scope }) => scope !== 'project'),
    ...ledgers.user.enrolments.filter((one) => one.scope === 'user' || one.root === facts.root),
  ];
  const followed = followedIn(ledgers);
  return { root: facts.root, facts, specs, manifest: undefined, state, ledgers, enrolments, followed };
}

/**
 * Takes absolute paths out of everything that is shown, unless --show-paths (C-13): those of this checkout become
 * relative, the home folder becomes `~`. A command to copy names its paths as the working folder needs them.
 */
function maskPaths({ options, system }: Context, { root }: Workspace): <T>(value: T) => T {
  if (options.showPaths) return (value) => value;
  const text = (one: string): string => {
    const inside = one.includes(root) ? one.replaceAll(`${root}/`, '').replaceAll(`${root}\\`, '') : one;
    return maskHome(inside, system.host.home);
  };
  // Most values hold no path: only what changes is copied.
  const mask = (value: unknown, isRemedy = false): unknown => {
    if (typeof value === 'string') return text(value);
    if (!Array.isArray(value) && !isObject(value)) return value;
    let copy: object | undefined;
    for (const [key, member] of Object.entries(value)) {
      const masked =
        isRemedy && key === 'command' && typeof member === 'string'
          ? maskHome(member, system.host.home)
          : mask(member, key === 'remedy');
      if (masked === member) continue;
      copy ??= Array.isArray(value) ? [...value] : { ...value };
      setOwn(copy, key, masked);
    }
    return copy ?? value;
  };
  return (value) => mask(value) as typeof value;
}
