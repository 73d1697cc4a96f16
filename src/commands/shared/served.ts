import type { PlanResult } from '../../engine/plan.ts';
import type { Desired, RuntimeId } from '../../engine/types.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import type { Selection } from './selection.ts';

/**
 * Refuses a chosen runtime that would get nothing of an integration, because it cannot take any of it: setup leaves no
 * chosen runtime out (contract, section 4). One that gets a part is told what it does not get, and no more. Throws
 * `runtime/unsupported`, exit 4.
 */
export function requireServed(
  selections: readonly Selection[],
  desired: readonly Desired[],
  findings: readonly Finding[],
): void {
  for (const { enrolment, loaded } of selections) {
    const { integration, runtimes } = enrolment;
    for (const runtime of runtimes) {
      const isServed = desired.some(
        (one) => one.owner.integration === integration && one.runtimes.includes(runtime),
      );
      if (isServed) continue;
      const names = new Set(loaded.manifest.artifacts.map(({ name }) => name));
      const why = findings.find(
        ({ subject, data }) =>
          subject === runtime && data?.['withheld'] === true && names.has(String(data['artifact'])),
      );
      if (why === undefined) continue;
      const others = runtimes.filter((one) => one !== runtime);
      throw new TenonError('runtime/unsupported', `${why.message}; nothing else of it is for ${runtime}`, {
        exit: 4,
        remedy: {
          text: `Leave ${runtime} out${others.length === 0 ? ' and choose another coding tool' : ''}; what it takes`,
          command: `tenon runtimes ${runtime}`,
        },
        findings: findings.filter((one) => one.subject === runtime && one !== why),
      });
    }
  }
}

/** Standings of an entry that is not in its file after the run, or is there and somebody else's. */
const NOT_PLACED = new Set(['excluded', 'conflict', 'untrusted', 'dormant']);

/** The chosen runtimes of whose files something holds what the plan wants: the others were kept as they are. */
export function servedBy({ judgements }: PlanResult, runtimes: readonly RuntimeId[]): RuntimeId[] {
  const wanted = judgements.filter(({ slot }) => slot.wish !== undefined);
  const isFor = (runtime: RuntimeId, { slot }: (typeof judgements)[number]): boolean =>
    slot.wish?.runtimes.includes(runtime) === true;
  return runtimes.filter((runtime) => {
    const own = wanted.filter((one) => isFor(runtime, one));
    // A conflict that was answered with `replace` is written: its place is ours now.
    const isPlaced = ({ standing, action }: (typeof own)[number]): boolean =>
      action === 'replace' || !NOT_PLACED.has(standing);
    return own.length === 0 || own.some(isPlaced);
  });
}
