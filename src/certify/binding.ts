import { join } from 'node:path';
import { isSameBuild } from '../clients/build.ts';
import { sha256 } from '../engine/fingerprint.ts';
import { readFolder } from '../integrations/folder.ts';
import { canonicalJson, type Json } from '../lib/json.ts';
import { redactForPrint } from '../lib/secrets.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { Certification } from '../runtimes/tier.ts';
import type { Binding, Evidence } from '../state/evidence.ts';
import type { AbsPath, System } from '../system/ports.ts';

/** The bundled integration that the scenario sets up. */
export const TEMPLATE = 'vera';

/** Raised when the scenario itself comes to prove something else: older evidence is stale then. */
const PROBE_REVISION = 1;

/** A passing run is reused for as long, in milliseconds; a failed one never (requirement K16). */
const REUSED_MS = 5 * 60_000;

/** The part of a binding that is tenon's own: spec, template and probe, without a look at the client. */
export type OwnBinding = Pick<Binding, 'spec' | 'template' | 'probe'>;

/** Reads the template's files. Throws `integration/invalid` for a package that is damaged. */
export function ownBinding(
  spec: RuntimeSpec,
  packageDir: AbsPath,
  { reader }: Pick<System, 'reader'>,
): OwnBinding {
  const files = readFolder(reader, join(packageDir, 'templates', TEMPLATE), `templates/${TEMPLATE}`);
  const digests = [...files].map(([path, bytes]) => [path, sha256(bytes)] as const);
  return {
    spec: specDigest(spec),
    template: sha256(canonicalJson(Object.fromEntries(digests))),
    probe: probeDigest(spec),
  };
}

/** Members of a spec that are told and decide nothing; the package keeps them apart, so they are not even read here. */
const TOLD: ReadonlySet<string> = new Set(['$schema', 'homepage', 'limits', 'evidence']);

function specDigest(spec: RuntimeSpec): string {
  const deciding = Object.keys(spec).filter((name) => !TOLD.has(name));
  const members = deciding.map((name) => [name, spec[name as keyof RuntimeSpec]] as const);
  return sha256(canonicalJson(Object.fromEntries(members) as unknown as Json));
}

/**
 * Digest of the scenario: its revision and the commands that it runs. Arguments that look like a credential are replaced
 * first, so that no digest confirms a guess (requirement K18).
 */
export const probeDigest = ({ version, list }: Pick<RuntimeSpec, 'version' | 'list'>): string =>
  sha256(
    canonicalJson(
      redactForPrint({
        revision: PROBE_REVISION,
        template: TEMPLATE,
        version: [...(version?.command ?? [])],
        list: [...(list?.command ?? [])],
        environment: { ...list?.environment },
      }),
    ),
  );

/** What the newest evidence is worth now. `version`: what the client said in this run; absent = it was not asked. */
export function certificationOf(
  evidence: Evidence | undefined,
  now: {
    readonly own: OwnBinding;
    readonly program: AbsPath;
    readonly version?: string | undefined;
  },
  system: Pick<System, 'reader' | 'host'>,
): Certification {
  if (evidence === undefined) return { state: 'none' };
  const reason = staleReason(evidence, now, system);
  if (reason !== undefined) return { state: 'stale', reason };
  return evidence.result === 'passed' ? { state: 'passed' } : { state: 'failed', reason: evidence.reason };
}

function staleReason(
  { binding, stamps }: Evidence,
  { own, program, version }: { own: OwnBinding; program: AbsPath; version?: string | undefined },
  system: Pick<System, 'reader' | 'host'>,
): string | undefined {
  if (version !== undefined && version !== binding.version) {
    return `its version changed from ${binding.version} to ${version}`;
  }
  if (own.spec !== binding.spec) return 'its spec changed';
  if (own.template !== binding.template)
    return `the integration ${TEMPLATE}, which the scenario sets up, changed`;
  if (own.probe !== binding.probe) return 'the scenario changed';
  if (!isSameBuild(program, { digest: binding.build, stamps }, system)) {
    return `its build changed (${binding.version} was certified)`;
  }
  return undefined;
}

/** A passing run of the last five minutes that is bound to exactly this is not made again. */
export function isReusable(
  evidence: Evidence | undefined,
  binding: Binding,
  now: number,
): evidence is Evidence {
  if (evidence?.result !== 'passed') return false;
  const age = now - Date.parse(evidence.at);
  return age >= 0 && age <= REUSED_MS && equal(evidence.binding, binding);
}

const equal = (a: Binding, b: Binding): boolean =>
  (['version', 'build', 'spec', 'template', 'probe'] as const).every((name) => a[name] === b[name]);
