import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { renderRecover } from '../reporting/recover-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { openState } from '../state/store.ts';
import { rootOf } from './shared/workspace.ts';

/**
 * `tenon recover [--undo]`: finishes or undoes an interrupted apply. What it does was approved with that apply's plan;
 * it reads neither manifest nor definitions, so that nothing of them can stand in its way.
 */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const { root } = rootOf(context);
  const state = openState(context.system, root);
  if (context.options.dryRun) {
    const pending = state.pending();
    const files = pending?.steps.map(({ path }) => path) ?? [];
    return {
      command: 'recover',
      exit: 0,
      data: { outcome: pending === undefined ? 'nothing' : 'pending', files },
      findings: [],
      human: (theme) =>
        renderRecover(
          {
            outcome: pending === undefined ? 'nothing' : 'pending',
            command: pending?.command,
            files,
            findings: [],
          },
          theme,
        ),
    };
  }
  const result = await state.recover({ undo: args.flags['undo'] === true });
  const kept = result.findings.some(({ severity }) => severity === 'error');
  return {
    command: 'recover',
    exit: kept ? 1 : 0,
    data: { outcome: result.outcome, command: result.command ?? null, files: result.files },
    findings: result.findings,
    human: (theme) =>
      renderRecover(
        {
          outcome: result.outcome,
          command: result.command,
          files: result.files.map(({ path }) => path),
          findings: result.findings,
        },
        theme,
      ),
  };
}
