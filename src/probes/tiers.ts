import type { TierHere } from '../certify/here.ts';
import type { Finding } from '../errors/error.ts';
import type { TierProbe } from '../runtimes/tier.ts';
import type { Examined } from './examined.ts';
import type { Facts } from './facts.ts';
import { found, idle, type Probe, type Result } from './probe.ts';

/** Faults of tenon's own entries are no fault of the tool: `ownership/entries` tells them. */
const NOT_OF_THE_TOOL = /^(?:ownership|trust|suppression|tool)\//u;

/**
 * The tier of every coding tool that something is set up for. The last probe: errors that the others found in a tool's
 * configuration, or in what the tool says of itself, decide it too.
 */
export const tiersProbe: Probe = {
  id: 'host/tier',
  title: 'Tier',
  async run(facts, before) {
    const enrolled = facts.examined.filter(({ reason }) => reason === 'enrolled');
    if (enrolled.length === 0) return idle('nothing is set up for a coding tool');
    const results: Result[] = [];
    for (const runtime of enrolled) results.push(await oneTier(runtime, facts, before));
    return results;
  },
};

async function oneTier(runtime: Examined, facts: Facts, before: readonly Finding[]): Promise<Result> {
  const { tierHere } = await import('../certify/here.ts');
  const { spec } = runtime;
  const own = before.filter((finding) => isOf(runtime, finding));
  const unsafe = own.find(({ code }) => code.startsWith('secret/'))?.message;
  const faults = own.find(({ code }) => !code.startsWith('secret/'))?.message;
  const probe = await probeOf({ spec, faults }, facts);
  const tier = tierHere({
    spec,
    system: facts.system,
    packageDir: facts.packageDir,
    root: facts.base.root,
    state: facts.state,
    enabled: true,
    signs: [],
    ...(unsafe === undefined ? {} : { unsafe }),
    probe,
  });
  facts.tiers.set(spec.id, tier);
  const findings = [...(tier.problem === undefined ? [] : [tier.problem]), ...findingOf(spec, tier)];
  return found(findings, `${tier.tier}: ${tier.reason}`, spec.id);
}

/** An error of this tool: one that names it, else one in a file that it reads. */
function isOf({ spec, files }: Examined, { severity, code, subject, data }: Finding): boolean {
  if (severity !== 'error' || NOT_OF_THE_TOOL.test(code)) return false;
  const named = data?.['runtimes'];
  if (Array.isArray(named)) return named.includes(spec.id);
  const file = typeof data?.['file'] === 'string' ? data['file'] : subject.split('#')[0];
  return files.some(({ exists, path }) => exists && path.display === file);
}

/** What the client said in this run; nothing is started without --clients. */
async function probeOf(
  { spec, faults }: { readonly spec: Examined['spec']; readonly faults: string | undefined },
  { options, clients }: Facts,
): Promise<TierProbe> {
  const answer = options.clients ? await clients.version(spec) : undefined;
  return {
    ...(faults === undefined ? {} : { faults }),
    ...(answer?.state === 'failed'
      ? answer.isOther === true
        ? { isOther: answer.reason }
        : { launch: answer.reason }
      : {}),
    ...(answer?.state === 'found'
      ? {
          version: {
            found: answer.version,
            minimum: spec.version?.minimum ?? '',
            isOld: answer.isOld,
          },
        }
      : {}),
  };
}

function findingOf(spec: Examined['spec'], { tier, failureClass, reason, remedy }: TierHere): Finding[] {
  const common = {
    subject: spec.id,
    ...(remedy === undefined ? {} : { remedy }),
    data: { runtimes: [spec.id], tier, failureClass },
  };
  switch (tier) {
    case 'configured':
      return [
        { ...common, code: 'host/not-certified', severity: 'warning', message: `${spec.title}: ${reason}` },
      ];
    case 'degraded':
      return [{ ...common, code: 'host/degraded', severity: 'error', message: `${spec.title}: ${reason}` }];
    case 'unsupported':
      return [
        { ...common, code: 'host/unsupported', severity: 'error', message: `${spec.title}: ${reason}` },
      ];
    default:
      return [];
  }
}
