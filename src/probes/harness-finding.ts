import type { Finding } from '../errors/error.ts';
import type { Harness } from '../integrations/harnesses.ts';

/** What is missing of a profile: a warning where a fresh installation has it switched on, else a note. */
export function harnessFinding(profile: Harness, code: Finding['code'], message: string): Finding {
  return {
    code,
    severity: profile.enabled ? 'warning' : 'info',
    subject: profile.id,
    message: `${profile.title} (${profile.provider}): ${message}`,
    remedy: { text: profile.remedy },
  };
}
