import type { RuntimeId } from '../engine/types.ts';
import type { Facts } from './facts.ts';
import { hostStateOf } from './host.ts';
import { oursOf, serverOf } from './ours.ts';
import { shadowingProbe } from './shadowing.ts';

/** Addresses of ours that a coding tool does not use although they stand there. */
export interface HostLists {
  readonly shadowed: readonly string[];
  readonly disabled: readonly string[];
}

/** The lists `shadowed` and `disabled` of `status`, per runtime, by the same reading as doctor's. */
export async function hostLists(facts: Facts): Promise<ReadonlyMap<RuntimeId, HostLists>> {
  const ours = oursOf(facts);
  const results = await shadowingProbe.run(facts, []);
  const findings = (Array.isArray(results) ? results : [results]).flatMap((result) => result.findings);
  const shadowed = findings.filter(({ code, severity }) => code === 'host/shadowed' && severity === 'error');
  return new Map(
    facts.examined.map((runtime) => {
      const { id } = runtime.spec;
      const disabled = ours.filter(
        (one) =>
          one.runtimes.includes(id) &&
          serverOf(one) !== undefined &&
          ['disabled', 'rejected'].includes(hostStateOf(runtime, one, facts).state),
      );
      return [
        id,
        {
          shadowed: shadowed
            .filter(({ data }) => JSON.stringify(data?.['runtimes'] ?? []).includes(`"${id}"`))
            .map(({ subject }) => subject),
          disabled: disabled.map(({ address }) => address),
        },
      ];
    }),
  );
}
