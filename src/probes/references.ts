import type { Finding } from '../errors/error.ts';
import { expandIntegration } from '../integrations/expand.ts';
import { isObject } from '../lib/json.ts';
import { partsOf } from '../runtimes/references.ts';
import { runtimesFor } from '../runtimes/render-types.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import { type Facts, isInspection } from './facts.ts';
import { found, idle, type Probe, skipped } from './probe.ts';

const EFFECT = {
  'sends-literal': 'sends the text of the reference to the server instead',
  'sends-empty': 'sends an empty value instead',
  fails: 'does not start the server then',
  unknown: 'does something that is not known',
} as const;

/** Environment variables that our servers refer to and that are not set in this process (case H09). Never a value. */
export const referencesProbe: Probe = {
  id: 'host/variables',
  title: 'Variables of our servers are set',
  run(facts) {
    const uses = usesOf(facts);
    if (uses === undefined) return skipped('what is set up could not be computed');
    if (uses.length === 0) return idle('no server of ours refers to a variable');
    const missing = new Map<string, RuntimeSpec[]>();
    for (const { name, spec } of uses) {
      if ((facts.base.env[name] ?? '') !== '') continue;
      const known = missing.get(name) ?? [];
      if (!known.includes(spec)) missing.set(name, [...known, spec]);
    }
    const findings = [...missing].map(([name, specs]): Finding => {
      const says = specs.map((spec) => `${spec.title} ${EFFECT[spec.mcp?.unset ?? 'unknown']}`);
      const state = facts.base.env[name] === undefined ? 'is not set here' : 'is set but empty here';
      return {
        code: 'host/variable-unset',
        severity: 'warning',
        subject: name,
        message: `${name} ${state}; ${says.join(', ')}`,
        remedy: { text: `Set ${name} where the coding tool is started` },
        data: { runtimes: specs.map(({ id }) => id) },
      };
    });
    const names = new Set(uses.map(({ name }) => name));
    return found(
      findings,
      `${[...names].sort().join(', ')} set in this shell; the coding tool may be started elsewhere`,
    );
  },
};

/** A variable that a server of ours refers to in one runtime. */
export interface Use {
  readonly name: string;
  readonly spec: RuntimeSpec;
  readonly integration: string;
}

/** Every variable that a server of ours refers to, by runtime, from its neutral definition. */
export function usesOf(facts: Facts): Use[] | undefined {
  const { inspection } = facts;
  if (!isInspection(inspection)) return undefined;
  const specs = facts.examined.map(({ spec }) => spec);
  return inspection.selections.flatMap(({ enrolment, loaded, inputs }) => {
    const { without, runtimes, overrides } = enrolment;
    return expandIntegration(loaded, inputs, { without, runtimes, overrides }).flatMap((one) => {
      if (one.artifact.kind !== 'mcp-server') return [];
      const names = namesIn([one.artifact.http, one.artifact.stdio]);
      const own = runtimesFor(one, specs).filter(({ id }) => runtimes.includes(id));
      return own.flatMap((spec) => names.map((name) => ({ name, spec, integration: loaded.ref })));
    });
  });
}

function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return partsOf(value).flatMap((part) => ('env' in part ? [part.env] : []));
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return isObject(value) ? Object.values(value).flatMap(namesIn) : [];
}
