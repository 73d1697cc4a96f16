import type { Context } from '../../cli/context.ts';
import { TenonError } from '../../errors/error.ts';
import type { LoadedIntegration, ResolvedInput } from '../../integrations/types.ts';
import { printable } from '../../lib/printable.ts';
import type { Selection } from './selection.ts';
import { shellQuote } from './shell-quote.ts';
import type { Workspace } from './workspace.ts';

/** How `--resolve` names an input. */
export const addressOfInput = (name: string): string => `input:${name}`;

/**
 * A `fixed` input that is asked to become another one than this root has (its hooks and its rules name it): a
 * conflict, decided by `--resolve input:NAME=keep` or `=replace`, never by an update in passing. `decided` are values that
 * a person gave while the existing one was shown. Error: `input/conflict` (exit 4).
 */
export function settleFixed(
  context: Context,
  workspace: Workspace,
  loaded: LoadedIntegration,
  input: ResolvedInput,
  decided: Readonly<Record<string, string>>,
): ResolvedInput {
  const { name, value, origin } = input;
  const isTyped = origin === 'flag' || origin === 'environment';
  if (!isFixed(loaded, name) || !isTyped || Object.hasOwn(decided, name)) return input;
  const before = existing(context, workspace, loaded, name);
  if (before === undefined || before === value) return input;
  const address = addressOfInput(name);
  const choice = context.options.resolve[address];
  if (choice === 'replace') return input;
  if (choice === 'keep') return { name, value: before, origin: 'manifest' };
  const shown = printable(JSON.stringify(before));
  throw new TenonError(
    'input/conflict',
    `${loaded.ref} is set up here with ${name} ${shown}, and ${printable(JSON.stringify(value))} was given; nothing was changed`,
    {
      exit: 4,
      remedy: {
        text: `Decide it: --resolve ${shellQuote(`${address}=keep`)} stays with ${shown}, --resolve ${shellQuote(`${address}=replace`)} takes the new one`,
      },
      data: { input: name, existing: before, given: value, address, choices: ['keep', 'replace'] },
    },
  );
}

/** The context without decisions about inputs: the plan, which knows entries only, would refuse them as unknown. */
export function withInputsSettled(context: Context, selections: readonly Selection[]): Context {
  const settled = new Set(
    selections.flatMap(({ loaded }) =>
      loaded.manifest.inputs.filter(({ fixed }) => fixed === true).map(({ name }) => addressOfInput(name)),
    ),
  );
  const resolve = Object.fromEntries(
    Object.entries(context.options.resolve).filter(([address]) => !settled.has(address)),
  );
  return { ...context, options: { ...context.options, resolve } };
}

const isFixed = ({ manifest }: LoadedIntegration, name: string): boolean =>
  manifest.inputs.some((spec) => spec.name === name && spec.fixed === true);

/** The value that the manifest or the records of this root hold; what is set up for the whole account is no root's. */
function existing(
  { options }: Context,
  workspace: Workspace,
  loaded: LoadedIntegration,
  name: string,
): string | undefined {
  const here = workspace.enrolments.filter(
    ({ integration, scope }) =>
      integration === loaded.ref &&
      (scope === options.scope || (scope !== 'user' && options.scope !== 'user')),
  );
  // The same scope first: it is the one that would be overwritten.
  const ordered = [...here].sort(
    (a, b) => Number(b.scope === options.scope) - Number(a.scope === options.scope),
  );
  for (const { inputs, localInputs } of ordered) {
    const values = { ...inputs, ...localInputs };
    if (Object.hasOwn(values, name) && values[name] !== '') return values[name];
  }
  return undefined;
}
