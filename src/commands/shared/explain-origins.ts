import type { Context } from '../../cli/context.ts';
import type { Json } from '../../lib/json.ts';
import { redactValue } from '../../lib/secrets.ts';
import { effectiveOf } from './recorded-choices.ts';
import type { Selection } from './selection.ts';
import type { Workspace } from './workspace.ts';

/** One effective value and where it comes from (contract, section 3: `plan --explain`). */
export interface Origin {
  readonly integration: string;
  readonly name: string;
  readonly value: Json;
  /**
   * `default`: of an input or flag; `definition`: of the integration's block of defaults; `ledger`: an earlier choice that
   * stands on this host alone; `repository`: from its other files; `override`: another choice than the definition's.
   */
  readonly origin:
    | 'default'
    | 'definition'
    | 'manifest'
    | 'ledger'
    | 'flag'
    | 'environment'
    | 'prompt'
    | 'repository'
    | 'override';
  /** Only with `repository`: which file says it, and where. */
  readonly says?: string;
}

/**
 * Every effective value of the selections: inputs, runtimes, scope, parts, overrides, optional parts and every default as it
 * really is. `isSetup` tells a plan of `setup`, whose flags choose, from one of `sync`.
 */
export function explainOrigins(
  context: Context,
  workspace: Workspace,
  selections: readonly Selection[],
  isSetup: boolean,
): Origin[] {
  return selections.flatMap((selection) => ofSelection(context, workspace, selection, isSetup));
}

function ofSelection(
  { options, agentSession }: Context,
  workspace: Workspace,
  selection: Selection,
  isSetup: boolean,
): Origin[] {
  const { enrolment, loaded, inputs } = selection;
  const { integration, overrides, scope, without, localInputs } = enrolment;
  const one = (name: string, value: Json, origin: Origin['origin']): Origin => ({
    integration,
    name,
    value,
    origin,
  });
  const earlier = scope === 'project' ? 'manifest' : 'ledger';
  const isKnown = workspace.enrolments.some(
    (before) => before.integration === integration && before.scope === scope,
  );
  const inputOrigin = ({ name, origin }: Selection['inputs'][number]): Origin['origin'] =>
    origin !== 'manifest' ? origin : Object.hasOwn(localInputs ?? {}, name) ? 'ledger' : earlier;
  const runtimes =
    isSetup && options.runtimes.length > 0
      ? 'flag'
      : isKnown
        ? earlier
        : agentSession === undefined
          ? 'repository'
          : 'environment';
  const scopeOrigin = scope === 'project' ? 'default' : isSetup ? 'flag' : 'ledger';
  const withoutOrigin = isSetup && options.without.length > 0 ? 'flag' : earlier;
  const decider = (by: ReturnType<typeof effectiveOf>[number]['by']): Origin['origin'] => {
    if (by === undefined) return 'definition';
    if ('choice' in by) return scopeOrigin;
    if ('without' in by) return withoutOrigin;
    const input = inputs.find(({ name }) => name === by.input);
    return input === undefined ? 'definition' : inputOrigin(input);
  };
  const optional = new Set(
    loaded.manifest.artifacts.filter((artifact) => artifact.default === 'off').map(({ name }) => name),
  );
  return [
    ...inputs.map((input) => ({
      ...one(input.name, redactValue(input.value, [input.name]), inputOrigin(input)),
      ...(input.says === undefined ? {} : { says: input.says }),
    })),
    one('runtimes', [...enrolment.runtimes], runtimes),
    one('scope', scope, scopeOrigin),
    ...(without.length === 0 ? [] : [one('without', [...without], withoutOrigin)]),
    ...Object.entries(overrides).map(([name, value]) => one(name, value, 'override')),
    ...[...optional]
      .filter((name) => !Object.hasOwn(overrides, name))
      .map((name) => one(name, 'off', 'definition')),
    ...effectiveOf(selection)
      .filter(({ key }) => !Object.hasOwn(overrides, key))
      .map(({ key, value, by }) => one(key, value, decider(by))),
  ];
}
