import type { Context } from '../../cli/context.ts';
import { defaultsOf } from '../../integrations/defaults.ts';
import type { Json } from '../../lib/json.ts';
import { redactValue } from '../../lib/secrets.ts';
import type { Selection } from './selection.ts';

/** One effective value and where it comes from (contract, section 3: `plan --explain`). */
export interface Origin {
  readonly integration: string;
  readonly name: string;
  readonly value: Json;
  readonly origin:
    | 'default'
    | 'definition'
    | 'manifest'
    | 'repository'
    | 'flag'
    | 'environment'
    | 'prompt'
    | 'override';
  /** Only with `repository`: which file says it, and where. */
  readonly says?: string;
}

/** Every effective value of the selections: inputs, runtimes, scope, parts, overrides and the definition's defaults. */
export function explainOrigins(context: Context, selections: readonly Selection[]): Origin[] {
  const { options } = context;
  return selections.flatMap(({ enrolment, loaded, inputs }) => {
    const { integration, overrides } = enrolment;
    const one = (name: string, value: Json, origin: Origin['origin']): Origin => ({
      integration,
      name,
      value,
      origin,
    });
    return [
      ...inputs.map(({ name, value, origin, says }) => ({
        ...one(name, redactValue(value, [name]), origin),
        ...(says === undefined ? {} : { says }),
      })),
      one('runtimes', [...enrolment.runtimes], options.runtimes.length > 0 ? 'flag' : 'manifest'),
      one('scope', enrolment.scope, enrolment.scope === 'project' ? 'default' : 'flag'),
      ...(enrolment.without.length === 0
        ? []
        : [one('without', [...enrolment.without], options.without.length > 0 ? 'flag' : 'manifest')]),
      ...Object.entries(overrides).map(([name, value]) => one(name, value, 'override')),
      ...(defaultsOf(loaded)?.values ?? [])
        .filter(({ key }) => !Object.hasOwn(overrides, key))
        .map(({ key, value }) => one(key, value as Json, 'definition')),
    ];
  });
}
