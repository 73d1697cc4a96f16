import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { Enrolment } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { renderStatus } from '../reporting/status-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { inspect } from './shared/inspect.ts';
import { openWorkspace } from './shared/workspace.ts';

/** `tenon status`: what is managed, missing, drifted, … per runtime and scope. Reads only. */
export async function run(context: Context, _args: CommandArgs): Promise<Outcome> {
  const workspace = await openWorkspace(context, 'reads');
  const seen = await inspect(context, workspace);
  const integrations = workspace.enrolments.map(summaryOf);
  const data = { state: seen.state, root: '.', integrations, runtimes: seen.standings };
  return {
    command: 'status',
    exit: exitOf(seen.state, seen.findings, context.options.strict),
    data,
    findings: seen.findings,
    human: (theme) => renderStatus({ ...data, findings: seen.findings }, theme),
  };
}

function summaryOf(enrolment: Enrolment) {
  const { integration, version, scope, runtimes, without } = enrolment;
  return { integration, version, scope, runtimes, without };
}

/** 1 when something needs attention; "not set up" alone raises nothing but under --strict. */
export function exitOf(state: string, findings: readonly Finding[], strict: boolean): 0 | 1 {
  if (state === 'not-set-up') return strict ? 1 : 0;
  return state === 'ok' && !findings.some(({ severity }) => severity === 'error') ? 0 : 1;
}
