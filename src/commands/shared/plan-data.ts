import type { PlanResult } from '../../engine/plan.ts';
import type { Conflict, FilePlan, Op, Plan } from '../../engine/types.ts';
import { fileDiff } from '../../reporting/file-diff.ts';

type Told = Pick<PlanResult, 'plan'> & Partial<Pick<PlanResult, 'left'>>;

/**
 * `data.plan` of the contract, section 3. Everything in it may be shown. A plan that goes on without what is in conflict,
 * as that of sync does, is applicable and names those conflicts all the same.
 */
export function planData({ plan, left = [] }: Told): Readonly<Record<string, unknown>> {
  return {
    digest: plan.digest,
    isEmpty: plan.isEmpty,
    isApplicable: plan.isApplicable,
    files: plan.files.map((file) => ({
      path: file.path,
      actions: actionsOf(file, plan),
      diff: fileDiff(file, file.path),
      ...(file.leadsTo === undefined ? {} : { leadsTo: file.leadsTo }),
    })),
    ops: plan.ops.map(opData),
    conflicts: [...plan.conflicts, ...left].map(conflictData),
  };
}

const actionsOf = (file: FilePlan, plan: Plan): string[] => [
  ...new Set(plan.ops.filter(({ id }) => file.ops.includes(id)).map(({ action }) => action)),
];

const opData = (op: Op): Readonly<Record<string, unknown>> => ({
  id: op.id,
  action: op.action,
  address: op.address,
  runtime: op.runtimes.length === 1 ? op.runtimes[0] : op.runtimes,
  artifact: op.owners.map(({ integration, artifact }) => `${integration}/${artifact}`).join(' '),
  class: op.classes.length === 1 ? op.classes[0] : op.classes,
  summary: op.summary,
  reason: op.reason,
  approval: op.approval,
});

const conflictData = (conflict: Conflict): Readonly<Record<string, unknown>> => ({
  address: conflict.address,
  code: conflict.code,
  message: conflict.message,
  choices: conflict.choices,
  ours: conflict.ours ?? null,
  theirs: conflict.theirs ?? null,
  remedy: conflict.remedy,
  ...(conflict.snippet === undefined ? {} : { snippet: conflict.snippet }),
});
