import type { Context } from '../../cli/context.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Choices } from '../../engine/plan-request.ts';
import type { Finding } from '../../errors/error.ts';
import { changesFor, decisionsOf, movedFinding, movedInputs, withRecorded } from './held-inputs.ts';
import type { Selection } from './selection.ts';
import type { Workspace } from './workspace.ts';

/**
 * Selections with the recorded values of `fixed` inputs in place of others that somebody wrote into the manifest, where that
 * would change what stands in the files and nobody decided it. Undefined where there is nothing of the kind.
 */
export async function holdBack(
  context: Context,
  workspace: Workspace,
  enrolled: readonly Selection[],
  make: (choices: Choices) => Promise<PlanResult>,
): Promise<
  | {
      readonly selections: readonly Selection[];
      /** Those whose recorded value goes back into the manifest. */
      readonly kept: ReadonlySet<Selection>;
      readonly conflicts: readonly Finding[];
    }
  | undefined
> {
  const moved = new Map(enrolled.map((one) => [one, movedInputs(workspace, one)] as const));
  if (![...moved.values()].some((list) => list.length > 0)) return undefined;
  const { judgements } = await make({ resolve: () => undefined, force: () => false, restore: () => false });
  const kept = new Set<Selection>();
  const conflicts: Finding[] = [];
  const selections = enrolled.map((selection) => {
    const list = moved.get(selection) ?? [];
    const decided = decisionsOf(context, list);
    const held = [...decided.kept, ...(changesFor(selection, list, judgements) ? decided.open : [])];
    if (held.length === 0) return selection;
    const back = withRecorded(selection, held);
    if (decided.kept.length > 0) kept.add(back);
    conflicts.push(
      ...held
        .filter((one) => decided.open.includes(one))
        .map((one) => movedFinding(selection.enrolment.integration, one)),
    );
    return back;
  });
  return { selections, kept, conflicts };
}
