import type { Desired } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import type { ExpandedArtifact } from '../integrations/types.ts';

/** Reasons of a runtime, not of this host: a missing interpreter stays a warning (contract, section 3). */
const REASONS: readonly string[] = ['hook/cannot-ask', 'hook/no-matcher', 'hook/form'];

/**
 * A hook that would ask before a tool is no loss where a rule of the runtime's own asks before, or denies, tools of the
 * same server: then its absence is a notice, not a warning.
 */
export function softenCoveredHooks(
  findings: readonly Finding[],
  artifacts: readonly ExpandedArtifact[],
  desired: readonly Desired[],
): Finding[] {
  return findings.map((finding) => {
    if (finding.severity !== 'warning' || !REASONS.includes(finding.code)) return finding;
    const name = finding.data?.['artifact'];
    const hook = artifacts.find(({ artifact }) => artifact.kind === 'hook' && artifact.name === name);
    if (hook === undefined || !isCovered(hook, finding.subject, artifacts, desired)) return finding;
    return { ...finding, severity: 'info', message: `${finding.message}; its own rules ask instead` };
  });
}

function isCovered(
  { artifact: hook, owner }: ExpandedArtifact,
  runtime: string,
  artifacts: readonly ExpandedArtifact[],
  desired: readonly Desired[],
): boolean {
  if (hook.kind !== 'hook' || hook.event !== 'before-tool') return false;
  return artifacts.some(
    ({ artifact: rule, owner: other }) =>
      rule.kind === 'permission' &&
      rule.decision !== 'allow' &&
      rule.server === hook.server &&
      other.integration === owner.integration &&
      desired.some(
        (one) =>
          one.owner.integration === owner.integration &&
          one.owner.artifact === rule.name &&
          one.runtimes.includes(runtime),
      ),
  );
}
