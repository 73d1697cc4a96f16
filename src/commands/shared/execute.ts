import type { Context } from '../../cli/context.ts';
import { filesAwaiting } from '../../engine/credential.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { ApplyResult, ApprovedPlan } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import { openLimitError } from '../../errors/open-limit.ts';
import { toError } from '../../errors/to-error.ts';
import { takeOpenLimit } from '../../lib/open-files.ts';
import { interactiveOnly } from './credential.ts';
import { gitAdd } from './git-add.ts';
import type { Workspace } from './workspace.ts';

/** What really changed on disk, read back after the last rename. */
export interface Changed {
  readonly files: readonly { readonly path: string; readonly action: string }[];
  readonly addresses: readonly string[];
  /** The command that stages the changed files of the repository; undefined when there is none. */
  readonly gitAdd: string | undefined;
  readonly findings: readonly Finding[];
}

export const NOTHING_CHANGED: Changed = { files: [], addresses: [], gitAdd: undefined, findings: [] };

/** Applies an approved plan: replaced content is put aside first, then all files or none (contract, section 7). */
export async function execute(
  context: Context,
  workspace: Workspace,
  result: PlanResult,
  approved: ApprovedPlan,
): Promise<Changed> {
  const held = new Set<string>();
  for (const { slot } of result.judgements) {
    const { credential, target } = { ...slot.wish?.main };
    if (credential === undefined || target === undefined) continue;
    held.add(target.path);
    if (filesAwaiting(approved, credential).length > 0) throw interactiveOnly(context);
  }
  for (const { id, bytes } of result.replacements) workspace.state.saveReplaced(id, bytes);
  const applied: ApplyResult = await applyInterruptibly(context, workspace, approved);
  context.reporter.debug(`applied ${approved.digest}`);
  return changedBy(context, workspace, approved, applied, held);
}

/** Applies; the first Ctrl-C stops it before its first rename and is deferred after it (contract, section 7). */
export async function applyInterruptibly(
  context: Context,
  { state }: Pick<Workspace, 'state'>,
  approved: ApprovedPlan,
  options: Parameters<Workspace['state']['apply']>[1] = {},
): Promise<ApplyResult> {
  const { interruption } = context;
  // A file that could not be opened may be one on which the plan depends.
  const limit = takeOpenLimit();
  if (limit !== undefined) throw openLimitError(limit, false);
  try {
    return interruption === undefined
      ? await state.apply(approved, options)
      : await interruption.during((interrupted) => state.apply(approved, { ...options, interrupted }));
  } finally {
    releaseHeld(context);
  }
}

/** Gives locks back that were held from the beginning: what is written after the apply takes its own. */
export function releaseHeld({ held }: Context): void {
  for (const lock of held?.splice(0).toReversed() ?? []) lock.release();
}

/** What an apply changed, from what was read back. `held`: files that hold credentials, or keep git from them. */
export async function changedBy(
  context: Context,
  workspace: Workspace,
  plan: ApprovedPlan,
  applied: ApplyResult,
  held: ReadonlySet<string> = new Set(),
): Promise<Changed> {
  const staging = await gitAdd(context, workspace, applied.files, held, plan.files).catch(unlessOfMachine);
  return {
    files: applied.files.map(({ path, action }) => ({ path, action })),
    addresses: plan.ops.filter(({ approval }) => approval !== 'none').map(({ address }) => address),
    gitAdd: staging.command,
    findings: [...applied.findings, ...staging.findings],
  };
}

/** Everything is written by now: a fault of the machine leaves the line for git out, and nothing else. */
function unlessOfMachine(error: unknown): Awaited<ReturnType<typeof gitAdd>> {
  if (toError(error, true).code === 'internal/bug') throw error;
  return { command: undefined, findings: [] };
}
