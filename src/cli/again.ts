import { TenonError } from '../errors/error.ts';
import type { Lock } from '../state/lock.ts';
import type { Context } from './context.ts';

/**
 * Runs a command; once more, with the locks held from its beginning, when another tenon changed things between its plan
 * and its apply. Only for `--yes`, which approves what is planned and no digest that a person saw: so parallel runs all
 * come through, or end with `state/busy`. A file that somebody else changed stays a stale plan (contract, section 4).
 */
export async function runAgainIfOvertaken<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  try {
    return await run(context);
  } catch (error) {
    const { options } = context;
    if (!options.yes || options.approve !== undefined || !wasOvertaken(error)) throw error;
  }
  context.reporter.debug('another run came first; planning again');
  const held: Lock[] = [];
  try {
    return await run({ ...context, held });
  } finally {
    for (const lock of held.toReversed()) lock.release();
  }
}

const wasOvertaken = (error: unknown): boolean =>
  error instanceof TenonError &&
  error.code === 'plan/stale' &&
  error.findings.some(({ subject }) => subject.startsWith('the ledger'));
