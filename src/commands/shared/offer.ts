import type { Context } from '../../cli/context.ts';
import { approvePlan, refuseOther } from '../../engine/approval.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { ApprovedPlan, Fingerprint } from '../../engine/types.ts';
import { TenonError } from '../../errors/error.ts';
import { renderPlan } from '../../reporting/plan-view.ts';
import { type FlagChoices, withAnswers } from './choices.ts';
import { isAsked, obtainConsent } from './consent.ts';
import { type Changed, execute, NOTHING_CHANGED } from './execute.ts';
import { planData } from './plan-data.ts';
import { planWithFlags } from './plan-with-flags.ts';
import { refuseConflicts } from './planning.ts';
import type { Workspace } from './workspace.ts';

type Resolution = 'keep' | 'replace' | 'follow';

export interface OfferInput {
  /** Builds the plan with these answers; called again when a person answered questions. */
  readonly make: (choices: FlagChoices) => Promise<PlanResult>;
  readonly restore?: readonly string[];
  /** Ask at a terminal whether removed entries come back (`setup`). */
  readonly asksRemoved?: boolean;
  /** The digest of a saved plan: any other plan is stale. */
  readonly digest?: Fingerprint;
  /** Data of the JSON document beside the plan, also when the plan is refused. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Checks that stand between the final plan and the question, e.g. trust. */
  readonly before?: (result: PlanResult, data: Readonly<Record<string, unknown>>) => void | Promise<void>;
  /** Puts in what is entered after the approval and before the first write: credentials. */
  readonly fill?: (result: PlanResult, approved: ApprovedPlan) => Promise<ApprovedPlan>;
  /** The error to throw where writing what {@link OfferInput.fill} put in failed. */
  readonly lost?: (error: unknown) => unknown;
}

export interface Offered {
  readonly result: PlanResult;
  readonly changed: Changed;
  readonly data: Readonly<Record<string, unknown>>;
  readonly isDryRun: boolean;
  /** What a person chose for each conflict; the flags hold the rest. */
  readonly chosen: ReadonlyMap<string, Resolution>;
}

/**
 * The common way of every writing command (contract, section 4): plan, questions that inspection raised, final plan,
 * one approval, apply. Nothing is written before the approval.
 */
export async function offer(context: Context, workspace: Workspace, input: OfferInput): Promise<Offered> {
  const { options, reporter } = context;
  const planned = await planWithFlags(options, input.restore ?? [], input.make);
  const { flags } = planned;
  let { result } = planned;
  let chosen: Offered['chosen'] = new Map();
  if (context.interactive && context.agentSession === undefined && !options.yes && !options.dryRun) {
    const answers = await askQuestions(context, result, input.asksRemoved ?? false);
    if (answers !== undefined) {
      result = await input.make(withAnswers(flags, answers));
      chosen = answers.resolve;
    }
  }
  const { plan } = result;
  const data = { ...input.data, plan: planData(result) };
  // What was saved is what is shown, or nothing is (contract, section 3): 6 goes before the 4 of a conflict.
  refuseStale(input.digest, result);
  if (options.dryRun) return { result, changed: NOTHING_CHANGED, data, isDryRun: true, chosen };
  refuseUnchecked(result, data);
  if (plan.conflicts.length > 0) reporter.note((theme) => renderPlan(plan, theme), 'needed');
  // Of several reasons the one that the contract puts first: what was approved is another plan.
  if (plan.conflicts.length + plan.files.length > 0) refuseOther(options.approve, plan);
  refuseConflicts(result, data, context.argv);
  await input.before?.(result, data);
  if (plan.isEmpty) return { result, changed: NOTHING_CHANGED, data, isDryRun: false, chosen };
  if (plan.files.length === 0) {
    // Only the record on this host changes; no file is touched, so there is nothing to consent to.
    const quiet = approvePlan(plan, { via: 'yes', digest: plan.digest, userFiles: true });
    return {
      result,
      changed: await execute(context, workspace, result, quiet),
      data,
      isDryRun: false,
      chosen,
    };
  }
  reporter.note((theme) => renderPlan(plan, theme), isAsked(context) ? 'needed' : undefined);
  const approved = await obtainConsent(context, plan, data);
  const filled = (await input.fill?.(result, approved)) ?? approved;
  const changed = await execute(context, workspace, result, filled).catch((error: unknown) => {
    throw filled === approved ? error : (input.lost?.(error) ?? error);
  });
  return { result, changed, data, isDryRun: false, chosen };
}

/** A saved plan is applied as it was reviewed, or not at all (contract, section 4). */
export function refuseStale(digest: Fingerprint | undefined, { plan }: PlanResult): void {
  if (digest === undefined || digest === plan.digest) return;
  throw new TenonError('plan/stale', 'something changed since the plan was saved: it is another plan now', {
    exit: 6,
    remedy: { text: 'Look at the new plan', command: 'tenon plan' },
  });
}

/** The last gate: a plan that shows untrusted content is never applied, whatever led here. */
function refuseUnchecked(result: PlanResult, data: Readonly<Record<string, unknown>>): void {
  const shown = result.judgements.filter(
    ({ standing, step }) => standing === 'untrusted' && step !== undefined,
  );
  if (shown.length === 0) return;
  throw new TenonError(
    'trust/required',
    `${shown.length} entries of this plan are not trusted on this host`,
    {
      exit: 3,
      remedy: { text: 'Review them and grant them', command: 'tenon trust' },
      data,
    },
  );
}

interface Answers {
  readonly resolve: Map<string, Resolution>;
  readonly restore: Set<string>;
}

async function askQuestions(
  context: Context,
  result: PlanResult,
  asksRemoved: boolean,
): Promise<Answers | undefined> {
  const { prompter } = context;
  const answers: Answers = { resolve: new Map(), restore: new Set() };
  for (const conflict of result.plan.conflicts) {
    const choices = conflict.choices.flatMap((choice) => (choice === 'force' ? [] : [choice]));
    if (choices.length === 0) continue;
    const answer = await prompter.select(`${conflict.address}: ${conflict.message}`, [
      { value: 'stop', label: 'Stop, write nothing' },
      ...choices.map((choice) => ({ value: choice, label: LABELS[choice] })),
    ]);
    if (answer === undefined || answer === 'stop') return undefined;
    answers.resolve.set(conflict.address, answer as Resolution);
  }
  if (asksRemoved) {
    for (const { address, standing, slot } of result.judgements) {
      if (standing !== 'missing' || slot.record === undefined) continue;
      if ((await prompter.confirm(`${address} was removed by hand. Bring it back?`)) === true)
        answers.restore.add(address);
    }
  }
  return answers.resolve.size + answers.restore.size === 0 ? undefined : answers;
}

const LABELS = {
  keep: 'Keep yours, leave ours out',
  replace: 'Replace yours; uninstall puts it back',
  follow: 'Write there all the same',
} as const;
