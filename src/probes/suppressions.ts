import type { Finding } from '../errors/error.ts';
import type { Manifest } from '../manifest/schema.ts';

export type Suppression = Manifest['suppressions'][number];

/**
 * Findings that the manifest suppresses become notes that say so, with reason and date; a suppression past its date
 * hides nothing and says that. Facts of this host (an interrupted apply, a fault of tenon) cannot be suppressed by a
 * repository. `today` is `YYYY-MM-DD`.
 */
export function suppress(
  findings: readonly Finding[],
  suppressions: readonly Suppression[],
  today: string,
): Finding[] {
  return findings.flatMap((finding): Finding[] => {
    const own = suppressions.filter((one) => covers(one, finding));
    const live = own.find(({ expires }) => expires >= today);
    if (finding.severity === 'info') return [finding];
    if (live !== undefined) {
      return [
        {
          ...finding,
          severity: 'info',
          message: `${finding.message} (suppressed until ${live.expires}: ${live.reason})`,
          data: { ...finding.data, suppressed: { reason: live.reason, expires: live.expires } },
        },
      ];
    }
    return own[0] === undefined ? [finding] : [finding, expired(own[0], finding)];
  });
}

function covers({ code, subject }: Suppression, finding: Finding): boolean {
  if (/^(?:recover|state|internal|secret)\//u.test(finding.code)) return false;
  return code === finding.code && (subject === undefined || subject === finding.subject);
}

const expired = (one: Suppression, finding: Finding): Finding => ({
  code: 'suppression/expired',
  severity: 'warning',
  subject: finding.subject,
  message: `the suppression of ${one.code} ended on ${one.expires}`,
  remedy: { text: 'Correct the cause, or give it a new date and reason in .tenon/manifest.json' },
});
