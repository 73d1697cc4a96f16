import type { Finding } from '../errors/error.ts';
import type { Examined } from './examined.ts';
import type { Facts } from './facts.ts';
import { found, idle, type Probe, type Result, skipped } from './probe.ts';

/** Versions of the installed coding tools; nothing is started without `--clients`. */
export const versionsProbe: Probe = {
  id: 'clients/version',
  title: 'Version',
  async run(facts) {
    const used = facts.examined.filter(
      ({ reason, spec }) => reason !== 'shared' && spec.detect.binaries.length > 0,
    );
    if (used.length === 0) return idle('no coding tool with a program of its own is used here');
    const results: Result[] = [];
    for (const one of used) results.push(await version(one, facts));
    return results;
  },
};

async function version({ spec }: Examined, facts: Facts): Promise<Result> {
  const names = spec.detect.binaries;
  if (!facts.options.clients) {
    const isThere = names.some((name) => facts.system.exec.which(name) !== undefined);
    return skipped(
      isThere ? 'not asked; --clients starts it' : `${names.join(' or ')} is not on PATH`,
      spec.id,
    );
  }
  const seen = await facts.clients.version(spec);
  if (seen.state !== 'found') return skipped(seen.reason, spec.id);
  const minimum = spec.version?.minimum ?? '';
  const findings: Finding[] = seen.isOld
    ? [
        {
          code: 'host/version-old',
          severity: 'warning',
          subject: spec.id,
          message: `${spec.title} ${seen.version} is older than ${minimum}, the oldest that was tested`,
          remedy: { text: `Update ${spec.title}` },
        },
      ]
    : [];
  return found(
    findings,
    `${seen.version}${seen.isTested ? ', tested' : ', not among the versions that were tested'}`,
    spec.id,
  );
}
