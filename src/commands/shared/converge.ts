import type { Context } from '../../cli/context.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Choices, Uncovered } from '../../engine/plan-request.ts';
import type { LedgerRecord } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import { enrolledSelections } from './inspect.ts';
import { makePlan } from './planning.ts';
import { renderSelections, type Selection } from './selection.ts';
import { trustPolicy } from './trust-policy.ts';
import type { Workspace } from './workspace.ts';

export interface Convergence {
  readonly selections: readonly Selection[];
  /** Definitions that cannot be loaded; their entries are left alone. */
  readonly failed: readonly Finding[];
  /** Builds the plan with these answers. */
  readonly make: (choices: Choices) => Promise<PlanResult>;
}

/**
 * Today's definitions of everything that is set up, against the disk (contract, section 4). A definition that cannot be
 * read prunes nothing: only what a readable definition no longer asks for, or what is enrolled nowhere, is stale.
 */
export async function converge(
  context: Context,
  workspace: Workspace,
  options: { readonly command: string; readonly prune: boolean; readonly trustAll?: boolean },
): Promise<Convergence> {
  const { selections, findings } = await enrolledSelections(context, workspace);
  const policy = options.trustAll === true ? undefined : await trustPolicy(context, workspace);
  const trustOf = policy?.trustOf ?? (() => 'bundled' as const);
  const sound = await renderSelections(context, workspace, selections, trustOf);
  const rendered = { ...sound, findings: [...(policy?.findings ?? []), ...sound.findings] };
  const loaded = new Set(selections.map(({ enrolment }) => enrolment.integration));
  const failed = new Set(
    workspace.enrolments.map(({ integration }) => integration).filter((one) => !loaded.has(one)),
  );
  const uncovered = (record: LedgerRecord): Uncovered => {
    if (record.owners.some(({ integration }) => failed.has(integration))) return 'leave';
    return options.prune ? 'remove' : 'stale';
  };
  return {
    selections,
    failed: findings,
    make: (choices) =>
      makePlan(context, workspace, {
        command: options.command,
        rendered,
        choices,
        uncovered,
        enrolments: () => refreshed(workspace, selections),
        tolerant: true,
      }),
  };
}

/** Enrolments with the version of today's definition. */
const refreshed = (workspace: Workspace, selections: readonly Selection[]) =>
  workspace.enrolments.map((enrolment) => {
    const selection = selections.find((one) => one.enrolment === enrolment);
    return selection === undefined ? enrolment : { ...enrolment, version: selection.loaded.manifest.version };
  });
