import type { Context } from '../../cli/context.ts';
import type { Enrolment } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import { choicesGranted, createPolicy, type TrustPolicy } from '../../trust/policy.ts';
import { type Grant, loadGrants } from '../../trust/store.ts';
import type { Workspace } from './workspace.ts';

/** The policy of one run, and what is wrong with the grants on this host, if anything. */
export interface RunPolicy extends TrustPolicy {
  /** Every grant of this root, also those that nothing asks for as it is today. */
  readonly grants: readonly Grant[];
  readonly findings: readonly Finding[];
}

/**
 * Whether an artifact may be written (contract, section 6): bundled definitions and what the operator typed are trusted;
 * everything that comes from the repository is inert until it is granted on this host.
 */
export async function trustPolicy(context: Context, workspace: Workspace): Promise<RunPolicy> {
  const { system, options } = context;
  const { grants, problem } = loadGrants(system, workspace.state.folder, workspace.root);
  const policy = createPolicy({
    root: workspace.root,
    reader: system.reader,
    platform: system.host.platform,
    digests: new Set(grants.map(({ digest }) => digest)),
    asksPerson: isPerson(context) && !options.yes && options.approve === undefined,
  });
  return { ...policy, grants, findings: problem === undefined ? [] : [problem] };
}

/** A person sits at this terminal: not a pipe, not CI, not a coding agent's session. */
export const isPerson = (context: Context): boolean =>
  context.interactive && context.agentSession === undefined;

/** Whether inputs and overrides of an earlier setup were decided or granted on this host. */
export function hasOwnChoices(context: Context, workspace: Workspace, before: Enrolment): boolean {
  const { grants } = loadGrants(context.system, workspace.state.folder, workspace.root);
  return choicesGranted(workspace.root, before, new Set(grants.map(({ digest }) => digest)));
}
