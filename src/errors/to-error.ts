import { TenonError } from './error.ts';

/**
 * Anything that was thrown as an error that can be told: a {@link TenonError} is an expected fault and stays; every
 * other value is a bug of tenon (exit 2). What the disk is like is then known only if the caller says so.
 */
export function toError(thrown: unknown, wrote: boolean): TenonError {
  if (thrown instanceof TenonError) return thrown;
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const firstLine = message.split('\n', 1)[0] ?? '';
  return new TenonError('internal/bug', `tenon failed where it should not: ${name}: ${firstLine}`, {
    exit: 2,
    state: wrote ? 'unknown' : 'nothing-written',
    remedy: {
      text: 'Run it again with --debug and report what it prints; this is a fault of tenon, not of yours.',
    },
    cause: thrown,
  });
}
