import { TenonError } from '../errors/error.ts';
import type { ApprovedPlan, Fingerprint, Plan } from './types.ts';

/** How consent to one plan was given. */
export interface Consent {
  /** `prompt`: an answer at a terminal; `yes`: `--yes`; `digest`: `--approve`. */
  readonly via: 'prompt' | 'yes' | 'digest';
  /** The digest that was shown or given. */
  readonly digest: Fingerprint;
  /** `--allow user-files`, or a separate answer: writing outside the repository. */
  readonly userFiles: boolean;
}

/** Whether a plan writes outside the repository, other than where this run was told to follow a link. */
export const touchesUserFiles = (plan: Plan): boolean =>
  plan.files.some(({ outside, isFollowed }) => outside && isFollowed !== true);

/** Throws `plan/stale` (6) where a digest was approved that is of another plan. */
export function refuseOther(digest: string | undefined, plan: Plan): void {
  if (digest === undefined || digest === plan.digest) return;
  throw new TenonError(
    'plan/stale',
    'something changed since this digest was made: the plan is another one now',
    {
      exit: 6,
      remedy: { text: 'Look at the new plan and approve its digest', command: 'tenon plan' },
    },
  );
}

/**
 * The only maker of an {@link ApprovedPlan} (contract, section 4). Throws where the consent does not cover the plan:
 * another digest (`plan/stale`, 6), conflicts left (`plan/conflicts`, 4), user files without their own approval
 * (`approval/user-files`, 3).
 */
export function approvePlan(plan: Plan, consent: Consent): ApprovedPlan {
  refuseOther(consent.digest, plan);
  if (!plan.isApplicable) {
    throw new TenonError('plan/conflicts', `the plan has ${plan.conflicts.length} unresolved conflicts`, {
      exit: 4,
    });
  }
  if (touchesUserFiles(plan) && !consent.userFiles) {
    throw new TenonError(
      'approval/user-files',
      'the plan writes outside the repository, which needs an approval of its own',
      {
        exit: 3,
        remedy: { text: 'Add --allow user-files' },
      },
    );
  }
  return plan as ApprovedPlan;
}
