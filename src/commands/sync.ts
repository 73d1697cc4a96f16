import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { Fingerprint } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { renderSync } from '../reporting/sync-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { emptyLedger, USER_LEDGER } from '../state/ledger-store.ts';
import { isOutside } from '../system/paths.ts';
import { converge } from './shared/converge.ts';
import { NOTHING_CHANGED } from './shared/execute.ts';
import { withInputsSettled } from './shared/fixed-inputs.ts';
import { dedupe } from './shared/inspect.ts';
import { offer } from './shared/offer.ts';
import { planData } from './shared/plan-data.ts';
import { rootBelow } from './shared/root-below.ts';
import { interrupted } from './shared/standing.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';

/** `tenon sync`: brings what is set up to today's definitions; `--check` only tells. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  if (args.flags['check'] === true) return check(context);
  const workspace = await openWorkspace(context, context.options.dryRun ? 'reads' : 'writes');
  const restore = Array.isArray(args.flags['restore']) ? (args.flags['restore'] as string[]) : [];
  return syncWith(context, workspace, { command: 'sync', restore, prune: args.flags['prune'] === true });
}

/** `sync`, and `apply` of a saved plan of it. */
export async function syncWith(
  context: Context,
  workspace: Workspace,
  input: {
    readonly command: 'sync' | 'apply';
    readonly restore?: readonly string[];
    readonly prune?: boolean;
    readonly digest?: Fingerprint;
  },
): Promise<Outcome> {
  const convergence = await converge(context, workspace, { command: 'sync', prune: input.prune === true });
  const offered = await offer(withInputsSettled(context, convergence.selections), workspace, {
    make: convergence.make,
    restore: input.restore ?? [],
    data: {},
    ...(input.digest === undefined ? {} : { digest: input.digest }),
  });
  const { result, changed } = offered;
  const findings = dedupe([
    ...rootBelow(context, workspace, 'sync'),
    ...convergence.failed,
    ...result.plan.findings,
    ...result.skipped,
    ...changed.findings,
  ]);
  const isSetUp = workspace.enrolments.length > 0;
  // Only a dry run gets this far while an apply is interrupted.
  const left = interrupted(workspace).length > 0 ? 1 : exitOf(result, convergence.failed);
  const exit =
    offered.isDryRun && interrupted(workspace).length === 0 ? dryExit(result, convergence.failed) : left;
  const isLeft = left !== 0;
  const view = { plan: result.plan, changed, findings, isDryRun: offered.isDryRun, isSetUp, isLeft };
  return {
    command: input.command,
    exit,
    data: { ...offered.data, changed },
    findings,
    human: (theme) => renderSync(view, theme),
  };
}

/** Drift, removed entries, unreadable files and definitions were left: 1. Untrusted ones alone are a warning. */
function exitOf(result: PlanResult, failed: readonly Finding[]): 0 | 1 {
  const left = result.judgements.some(
    ({ standing, action, record }) =>
      (standing === 'drifted' && action === 'keep') ||
      (standing === 'missing' && record === 'same') ||
      (standing === 'stale' && action === undefined),
  );
  return left || failed.length > 0 || result.skipped.length > 0 ? 1 : 0;
}

/** A dry run shows the plan, as `plan` does: 0, and 4 where something is in conflict (contract, section 3). */
function dryExit(result: PlanResult, failed: readonly Finding[]): 0 | 1 | 4 {
  if (result.left.length > 0 || failed.some(({ code }) => code === 'input/conflict')) return 4;
  return failed.length > 0 ? 1 : 0;
}

/** A check looks at no record, so it cannot say who wrote what stands there: only that it is not what is asked for. */
function withoutRecord(finding: Finding): Finding {
  if (finding.code !== 'ownership/not-ours') return finding;
  const line = /\(line \d+\)/u.exec(finding.message)?.[0];
  return {
    ...finding,
    message: `is not as the manifest asks for${line === undefined ? '' : ` ${line}`}`,
    remedy: { text: 'Bring it in line and commit; sync says how', command: 'tenon sync' },
  };
}

/** The plan of a check: an entry that is as the manifest says may as well have been written on this host. */
function checkedPlan({ plan, judgements }: PlanResult): PlanResult['plan'] {
  const equal = new Set(
    judgements.filter(({ standing }) => standing === 'adoptable').map(({ address }) => address),
  );
  const ops = plan.ops.map((op) =>
    equal.has(op.address) ? { ...op, reason: 'as the manifest asks for' } : op,
  );
  return { ...plan, ops };
}

/**
 * `sync --check` for CI: compares the repository's files with the manifest. It needs no ledger, counts only changes to
 * files of the repository, ignores trust, and answers every difference, conflicts included, with 1; so it does
 * with --strict where nothing is set up.
 */
async function check(context: Context): Promise<Outcome> {
  const opened = await openWorkspace(context, 'reads');
  const project = opened.enrolments.filter(({ scope }) => scope === 'project');
  const workspace = {
    ...opened,
    enrolments: project,
    ledgers: { root: emptyLedger(opened.root), user: emptyLedger(USER_LEDGER) },
  };
  const convergence = await converge(context, workspace, { command: 'sync', prune: false, trustAll: true });
  const result = await convergence.make({
    resolve: () => undefined,
    force: () => false,
    restore: () => false,
  });
  // A file behind a link that leaves the repository is asked for at a path of the repository.
  const inside = result.plan.files.filter(({ path }) => !isOutside(path));
  const findings = dedupe([
    ...rootBelow(context, opened, 'sync --check'),
    ...convergence.failed,
    ...result.plan.findings,
    ...result.skipped.map(withoutRecord),
    ...result.judgements
      .filter(({ step, action }) => step !== undefined && action !== undefined)
      .map(
        ({ address, reason }): Finding => ({
          code: 'sync/difference',
          severity: 'error',
          subject: address,
          message: `differs from what the manifest asks for: ${reason}`,
          remedy: { text: 'Bring it in line and commit', command: 'tenon sync' },
        }),
      ),
  ]);
  const differs = inside.length > 0 || result.skipped.length > 0 || convergence.failed.length > 0;
  const isSetUp = project.length > 0;
  const isLeft = differs || interrupted(workspace).length > 0;
  const plan = checkedPlan(result);
  return {
    command: 'sync',
    exit: isLeft || (context.options.strict && !isSetUp) ? 1 : 0,
    data: { check: true, differs, plan: planData({ plan }) },
    findings,
    human: (theme) =>
      renderSync(
        {
          plan,
          changed: NOTHING_CHANGED,
          findings,
          isDryRun: true,
          isSetUp,
          isLeft,
          check: differs ? 'differs' : 'same',
        },
        theme,
      ),
  };
}
