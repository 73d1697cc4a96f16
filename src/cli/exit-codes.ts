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
