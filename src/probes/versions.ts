import type { Finding } from '../errors/error.ts';
import { probeVersion } from '../runtimes/version.ts';
import type { Examined } from './examined.ts';
import type { Facts } from './facts.ts';
import { found, idle, type Probe, type Result, skipped } from './probe.ts';

/** Versions of the installed coding tools; nothing is started without `--clients`. */
export const versionsProbe: Probe = {
  id: 'clients/version',
  title: 'Version',
  run(facts) {
    const used = facts.examined.filter(
      ({ reason, spec }) => reason !== 'shared' && spec.detect.binaries.length > 0,
    );
    if (used.length === 0) return idle('no coding tool with a program of its own is used here');
    return used.map((one) => version(one, facts));
  },
};

function version({ spec }: Examined, facts: Facts): Result {
  const names = spec.detect.binaries;
  if (!names.some((name) => facts.system.exec.which(name) !== undefined)) {
    return skipped(`${names.join(' or ')} is not on PATH`, spec.id);
  }
  if (!facts.options.clients) return skipped('not asked; --clients starts it', spec.id);
  const seen = probeVersion(spec, facts.system, facts.base.root);
  if (seen.state === 'absent') return skipped(`${names.join(' or ')} is not on PATH`, spec.id);
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

/** Whether the clients themselves list and reach our servers. */
export const clientListsProbe: Probe = {
  id: 'clients/lists',
  title: 'What the coding tools say themselves',
  run: ({ options }) =>
    skipped(
      options.clients
        ? 'this version of tenon does not ask them yet'
        : 'not asked; --clients starts the coding tools',
    ),
};
