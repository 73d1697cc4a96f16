import type { Context } from '../../cli/context.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Finding } from '../../errors/error.ts';
import { followingOnly } from './choices.ts';
import { enrolledSelections } from './inspect.ts';
import { makePlan } from './planning.ts';
import { type Rendered, renderSelections, type Selection } from './selection.ts';
import type { Workspace } from './workspace.ts';

/** How every address of a root stands, whatever is trusted: for commands that write no entry. */
export interface Survey {
  readonly selections: readonly Selection[];
  readonly rendered: Rendered;
  readonly result: PlanResult;
  /** Definitions that cannot be loaded. */
  readonly failed: readonly Finding[];
}

/**
 * Compares what is set up with the records and the disk, behind links that this run is told to follow too. Reads only;
 * trust plays no part, since nothing is written.
 */
export async function survey(context: Context, workspace: Workspace): Promise<Survey> {
  const { selections, findings } = await enrolledSelections(context, workspace);
  const rendered = await renderSelections(context, workspace, selections, () => 'bundled');
  const result = await makePlan(context, workspace, {
    command: 'status',
    rendered,
    choices: followingOnly(context.options),
    uncovered: () => 'leave',
    enrolments: () => workspace.enrolments,
    tolerant: true,
    manifest: false,
  });
  return { selections, rendered, result, failed: findings };
}
