import type { ExitCode } from '../errors/error.ts';

/** Meaning of every exit code (contract, section 3); help and documentation are generated from it. */
export const EXIT_CODES: readonly { readonly code: ExitCode; readonly meaning: string }[] = [
  { code: 0, meaning: 'done, healthy, or nothing to do' },
  { code: 1, meaning: 'findings: unhealthy, a difference, something drifted or was left' },
  { code: 2, meaning: 'could not run: usage error, not a repository, unreadable state, a bug' },
  { code: 3, meaning: 'approval or trust is missing or was declined; nothing was written' },
  { code: 4, meaning: 'conflict, decision needed, or refused as unsafe; nothing was written' },
  { code: 5, meaning: 'apply failed and was rolled back, or recover is needed' },
  { code: 6, meaning: 'stale plan: something changed since; nothing was written' },
  { code: 130, meaning: 'interrupted' },
];

const PRECEDENCE: readonly ExitCode[] = [130, 2, 5, 6, 4, 3, 1, 0];

/** The code of a run in which several apply: 2, then 5, 6, 4, 3, 1 (contract, section 3). No code at all is 0. */
export function worstExit(codes: readonly ExitCode[]): ExitCode {
  return PRECEDENCE.find((code) => codes.includes(code)) ?? 0;
}
