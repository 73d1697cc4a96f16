import type { ToolName } from '../endpoint/tools.ts';
import { VERA_TOOLS } from '../endpoint/tools.ts';
import { GuardError } from './errors.ts';

export type Bucket = 'read' | 'context' | 'propose' | 'feedback' | 'snapshot';

/** Calls per window (VERA contract, "Quotas"); a minute, for snapshots an hour. */
export const DEFAULT_QUOTAS: Readonly<Record<Bucket, number>> = {
  read: 120,
  context: 20,
  propose: 30,
  feedback: 60,
  snapshot: 10,
};

const windowMs = (bucket: Bucket): number => (bucket === 'snapshot' ? 3_600_000 : 60_000);

function bucketOf(tool: ToolName): Bucket {
  if (tool === 'knowledge_get_context') return 'context';
  const { class: toolClass } = VERA_TOOLS[tool];
  return { READ: 'read', PROPOSE: 'propose', FEEDBACK: 'feedback', SNAPSHOT: 'snapshot' }[
    toolClass
  ] as Bucket;
}

/** Fixed windows per principal and bucket. */
export function quotas(limits: () => Readonly<Record<Bucket, number>>, now: () => number) {
  const used = new Map<string, { start: number; count: number }>();
  return {
    /** Counts one call; throws `quota_exceeded` when the window is full. */
    take(principal: string, tool: ToolName): void {
      const bucket = bucketOf(tool);
      const key = `${bucket} ${principal}`;
      const at = now();
      const open = used.get(key);
      const current =
        open !== undefined && at - open.start < windowMs(bucket) ? open : { start: at, count: 0 };
      if (current.count >= limits()[bucket]) throw new GuardError('quota_exceeded', { bucket });
      used.set(key, { start: current.start, count: current.count + 1 });
    },
  };
}
