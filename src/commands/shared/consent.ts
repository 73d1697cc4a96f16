import type { Context } from '../../cli/context.ts';
import { approvePlan, touchesUserFiles } from '../../engine/approval.ts';
import type { ApprovedPlan, Fingerprint, Plan } from '../../engine/types.ts';
import { TenonError } from '../../errors/error.ts';
import { printable } from '../../lib/printable.ts';
import { renderPlanDiff } from '../../reporting/plan-view.ts';
import { shellQuote } from './shell-quote.ts';

/**
 * Consent to one plan (contract, section 4): `--approve` for exactly its digest, `--yes` for project files, else a
 * person at a terminal, default No. Without any of them exit 3 with the plan in the document; a pipe and a coding
 * agent's terminal never answer for a person.
 */
export async function obtainConsent(
  context: Context,
  plan: Plan,
  data: Readonly<Record<string, unknown>>,
): Promise<ApprovedPlan> {
  const { options } = context;
  const userFiles = options.allow.includes('user-files');
  if (options.approve !== undefined) {
    return approvePlan(plan, { via: 'digest', digest: options.approve as Fingerprint, userFiles });
  }
  if (options.yes) return approvePlan(plan, { via: 'yes', digest: plan.digest, userFiles });
  if (!context.interactive) throw required(context, plan, data, 'there is no terminal to ask at');
  if (context.agentSession !== undefined) {
    throw required(
      context,
      plan,
      data,
      `this terminal belongs to a session of ${context.agentSession}, which cannot consent for a person`,
    );
  }
  return askPerson(context, plan, userFiles);
}

/** Whether a person will be asked about the plan, so that it has to be on the screen whatever --quiet says. */
export const isAsked = ({ interactive, agentSession, options }: Context): boolean =>
  interactive && agentSession === undefined && !options.yes && options.approve === undefined;

function required(
  context: Context,
  plan: Plan,
  data: Readonly<Record<string, unknown>>,
  why: string,
): TenonError {
  return new TenonError('approval/required', `the plan needs an approval, and ${why}`, {
    exit: 3,
    remedy: {
      text: 'Approve exactly this plan with its digest, or its project files with --yes instead',
      command: approvingCommand(context, plan),
    },
    data: { ...data, interactive: context.interactive },
  });
}

/** The command line that was typed, with the approval of this plan put in before any `--`. */
function approvingCommand({ argv = [], options }: Context, plan: Plan): string {
  const needsUser = touchesUserFiles(plan) && !options.allow.includes('user-files');
  const flags = ['--approve', plan.digest, ...(needsUser ? ['--allow', 'user-files'] : [])];
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return ['tenon', ...argv.slice(0, end), ...flags, ...argv.slice(end)].map(shellQuote).join(' ');
}

async function askPerson(context: Context, plan: Plan, allowed: boolean): Promise<ApprovedPlan> {
  const { prompter, reporter } = context;
  const writes = plan.ops.filter(({ approval }) => approval !== 'none').length;
  const question = `Apply ${count(writes, 'change')} to ${count(plan.files.length, 'file')}?`;
  for (;;) {
    const answer = await prompter.select(question, [
      { value: 'no', label: 'No' },
      { value: 'yes', label: 'Yes' },
      { value: 'diff', label: 'Show the full diff' },
    ]);
    if (answer === 'diff') {
      reporter.note((theme) => renderPlanDiff(plan, theme), 'needed');
      continue;
    }
    if (answer !== 'yes') throw declined();
    break;
  }
  let userFiles = allowed;
  if (touchesUserFiles(plan) && !userFiles) {
    const outside = plan.files
      .filter((file) => file.outside && file.isFollowed !== true)
      .map(({ path, leadsTo }) => printable(leadsTo === undefined ? path : `${path} (${leadsTo})`));
    userFiles =
      (await prompter.confirm(
        `These files are outside the repository: ${outside.join(', ')}. Write them too?`,
      )) === true;
    if (!userFiles) throw declined();
  }
  return approvePlan(plan, { via: 'prompt', digest: plan.digest, userFiles });
}

const count = (number: number, word: string): string =>
  number === 1 ? `this ${word}` : `these ${number} ${word}s`;

const declined = (): TenonError =>
  new TenonError('approval/declined', 'the plan was not approved', {
    exit: 3,
    remedy: { text: 'Run the command again when you want it' },
  });
