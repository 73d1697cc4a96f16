import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { planDigest } from '../engine/plan.ts';
import type { Plan } from '../engine/types.ts';
import { renderPlan } from '../reporting/plan-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { renderUndo } from '../reporting/undo-view.ts';
import { isAsked, obtainConsent } from './shared/consent.ts';
import { applyInterruptibly, changedBy, NOTHING_CHANGED } from './shared/execute.ts';
import { planData } from './shared/plan-data.ts';
import { openWorkspace } from './shared/workspace.ts';

/** `tenon undo`: the inverse of the last applied plan of this root, if its files are unchanged since. */
export async function run(context: Context, _args: CommandArgs): Promise<Outcome> {
  const { options } = context;
  const workspace = await openWorkspace(context, options.dryRun ? 'reads' : 'writes');
  const undone = await workspace.state.undo();
  if (undone === undefined || undone.plan.isEmpty) {
    return {
      command: 'undo',
      exit: 0,
      data: { changed: NOTHING_CHANGED },
      findings: [],
      human: (theme) => renderUndo({ of: undefined, changed: NOTHING_CHANGED, plan: undefined }, theme),
    };
  }
  const plan: Plan = { ...undone.plan, digest: planDigest(undone.plan.files, undone.plan.ops) };
  const data = { of: undone.of, plan: planData({ plan }) };
  let changed = NOTHING_CHANGED;
  if (!options.dryRun) {
    context.reporter.note((theme) => renderPlan(plan, theme), isAsked(context) ? 'needed' : undefined);
    const approved = await obtainConsent(context, plan, data);
    const bases = undone.ledgerBases;
    const applied = await applyInterruptibly(context, workspace, approved, { bases });
    changed = await changedBy(context, workspace, approved, applied);
  }
  return {
    command: 'undo',
    exit: 0,
    data: { ...data, changed },
    findings: changed.findings,
    human: (theme) => renderUndo({ of: undone.of, changed, plan: options.dryRun ? plan : undefined }, theme),
  };
}
