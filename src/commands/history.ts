import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { Finding } from '../errors/error.ts';
import { renderHistory } from '../reporting/history-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { openState } from '../state/store.ts';
import { rootOf } from './shared/workspace.ts';

/** `tenon history`: the applied plans of this root, newest first, from the hash-chained list of this host. */
export async function run(context: Context, _args: CommandArgs): Promise<Outcome> {
  const { root } = rootOf(context);
  const { entries, brokenAt } = openState(context.system, root).history();
  const findings: Finding[] =
    brokenAt === undefined
      ? []
      : [
          {
            code: 'state/history-broken',
            severity: 'error',
            subject: entries[brokenAt]?.id ?? String(brokenAt),
            message:
              'the list of applied plans was changed: this entry does not follow from the one before it',
          },
        ];
  const newestFirst = [...entries].reverse();
  return {
    command: 'history',
    exit: findings.length === 0 ? 0 : 1,
    data: { entries: newestFirst },
    findings,
    human: (theme) => renderHistory(newestFirst, findings, theme),
  };
}
