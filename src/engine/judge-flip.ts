import { changes } from './judge-words.ts';
import type { Base, Judgement } from './judgement.ts';
import type { Sighting } from './observe.ts';
import type { PlanRequest } from './plan-request.ts';

/**
 * `disable` and `enable`: only the client's own switch in an entry of ours changes. The switch is the user's, so the
 * record stays as it is, and a later sync leaves it alone.
 */
export function judgeFlip(base: Base, sighting: Sighting, flip: NonNullable<PlanRequest['flip']>): Judgement {
  const { record } = base.slot;
  if (record === undefined) return { ...base, standing: 'dormant', record: 'none' };
  const { value } = sighting.observed;
  const change = value === undefined ? undefined : flip(record, value);
  if (change === undefined) return { ...base, standing: 'managed', record: 'same' };
  return {
    ...base,
    standing: 'managed',
    action: 'update',
    reason: changes(change),
    step: { kind: 'update', place: sighting.place, change, trace: record.trace },
    record: 'same',
  };
}
