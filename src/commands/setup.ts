import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../cli/usage-error.ts';
import type { Enrolment } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import { checkOverrides, splitOverrides } from '../integrations/defaults.ts';
import { type EvidenceBase, evidenceFor } from '../integrations/evidence.ts';
import { checkInput, requireInputs, resolveInputs } from '../integrations/inputs.ts';
import type { InputSpec } from '../integrations/schema.ts';
import type { LoadedIntegration, ResolvedInput } from '../integrations/types.ts';
import { printable } from '../lib/printable.ts';
import type { Outcome } from '../reporting/types.ts';
import { chooseFor } from './shared/choose.ts';
import { fitIn } from './shared/fit.ts';
import { settleFixed, withInputsSettled } from './shared/fixed-inputs.ts';
import { settleMoved } from './shared/held-inputs.ts';
import { instanceName, loadNamed } from './shared/named.ts';
import { typedLine } from './shared/planning.ts';
import type { Selection } from './shared/selection.ts';
import { hasOwnChoices, isPerson } from './shared/trust-policy.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';

/** `tenon setup <integration…>`: all of them in one plan and one approval. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const workspace = await openWorkspace(context, context.options.dryRun ? 'reads' : 'writes');
  const isLocal = args.flags['local'] === true;
  const name = instanceName(args.flags, args.positionals);
  const chosen = await selectionsFor(context, workspace, args.positionals, {
    isLocal,
    ...(name === undefined ? {} : { name }),
  });
  const selections = await settleMoved(context, workspace, chosen);
  const credential = {
    existing: args.flags['existingToken'] === true,
    rotate: args.flags['rotate'] === true,
  };
  return fitIn(withInputsSettled(context, selections), workspace, {
    command: 'setup',
    selections,
    credential,
    argv: [
      'setup',
      ...args.positionals,
      ...(name === undefined ? [] : ['--name', name]),
      ...(isLocal ? ['--local'] : []),
    ],
  });
}

/**
 * The named integrations with inputs, runtimes and parts chosen: flags, environment, questions, earlier choices.
 * `isLocal` keeps the inputs out of the manifest; once kept out they stay out. `name` is that of an instance.
 */
export async function selectionsFor(
  context: Context,
  workspace: Workspace,
  refs: readonly string[],
  { isLocal = false, name }: { readonly isLocal?: boolean; readonly name?: string } = {},
): Promise<Selection[]> {
  if (isLocal && context.options.scope !== 'project') {
    throw usageError(
      'usage/conflicting-flags',
      `--local and --scope ${context.options.scope} exclude each other: that scope writes no manifest.`,
      'Give one of them.',
    );
  }
  const all: LoadedIntegration[] = [];
  for (const ref of new Set(refs)) all.push(await loadNamed(context, workspace, ref, name));
  const selections: Selection[] = [];
  for (const loaded of all) {
    const settings = settingsFor(context, loaded, all);
    selections.push(await select(context, workspace, loaded, settings, isLocal));
  }
  return selections;
}

/** Of `--set`, what is not another one's of the same command line; unknown keys stay, to be refused. */
function settingsFor(
  context: Context,
  loaded: LoadedIntegration,
  all: readonly LoadedIntegration[],
): Record<string, string> {
  const knows = (one: LoadedIntegration, key: string): boolean =>
    one.manifest.inputs.some(({ name }) => name === key) ||
    one.manifest.artifacts.some(({ name }) => name === key);
  return Object.fromEntries(
    Object.entries(context.options.set).filter(
      ([key]) => knows(loaded, key) || !all.some((other) => other !== loaded && knows(other, key)),
    ),
  );
}

async function select(
  context: Context,
  workspace: Workspace,
  loaded: LoadedIntegration,
  settings: Readonly<Record<string, string>>,
  isLocal: boolean,
): Promise<Selection> {
  const { options, system } = context;
  const before = workspace.enrolments.find(
    (one) => one.integration === loaded.ref && one.scope === options.scope,
  );
  const runtimes = await chooseFor(context, workspace, before);
  const { inputs: flags, overrides: typed } = splitOverrides(loaded, settings);
  const overrides = { ...(before?.overrides ?? {}), ...typed };
  checkOverrides(loaded, overrides);
  // What a repository says is nobody's choice yet: a person is asked about each value, and elsewhere it needs a grant.
  const isOwnBefore = before === undefined || hasOwnChoices(context, workspace, before);
  const confirmed = isOwnBefore ? {} : await confirmInputs(context, loaded, before.inputs, flags);
  const repository = { root: workspace.root, reader: system.reader, platform: system.host.platform };
  const earlier = { ...before?.inputs, ...before?.localInputs };
  const found = await confirmEvidence(context, loaded, repository, { ...earlier, ...confirmed, ...flags });
  const resolved = await resolveInputs(loaded.manifest.inputs, {
    id: loaded.manifest.id,
    mode: 'setup',
    flags: { ...found, ...confirmed, ...flags },
    env: system.host.env,
    manifest: earlier,
    trusted: loaded.source === 'bundled',
    repository,
    ...(context.interactive
      ? { prompt: (missing: readonly InputSpec[]) => askInputs(context, missing) }
      : {}),
  });
  const inputs = requireInputs(loaded.ref, resolved, typedLine(context.argv)).map((input) =>
    settleFixed(context, workspace, loaded, input, confirmed),
  );
  const chosen = Object.fromEntries(
    inputs.filter(({ origin }) => origin !== 'default').map(({ name, value }) => [name, value]),
  );
  const keepsLocal = isLocal || before?.localInputs !== undefined;
  const enrolment: Enrolment = {
    integration: loaded.ref,
    ...(loaded.of === undefined ? {} : { of: loaded.of }),
    version: loaded.manifest.version,
    scope: options.scope,
    runtimes,
    inputs: keepsLocal ? {} : chosen,
    ...(keepsLocal ? { localInputs: chosen } : {}),
    overrides,
    without: options.without.length > 0 ? options.without : (before?.without ?? []),
    server: null,
    external: before?.external ?? [],
    excluded: before?.excluded ?? [],
    ...(options.scope === 'local' ? { root: workspace.root } : {}),
  };
  const isOwn =
    isOwnBefore ||
    (inputs.every(({ name, origin }) => origin !== 'manifest' || isKept(before, name)) &&
      Object.keys(before.overrides).every((key) => Object.hasOwn(typed, key)));
  // A choice that a file of the repository made is nobody's yet, unless it is what would have been taken anyway.
  const ownChoices = isOwn && !inputs.some((input) => isRepositoryChoice(loaded, input));
  return { enrolment, loaded, inputs, ownChoices };
}

const isRepositoryChoice = (
  { manifest }: LoadedIntegration,
  { name, value, origin }: ResolvedInput,
): boolean =>
  origin === 'repository' && manifest.inputs.find((input) => input.name === name)?.default !== value;

const isKept = ({ localInputs }: Enrolment, name: string): boolean => Object.hasOwn(localInputs ?? {}, name);

/** At a terminal every value of the manifest is asked about, with it as the first answer; nothing elsewhere. */
async function confirmInputs(
  context: Context,
  loaded: LoadedIntegration,
  said: Readonly<Record<string, string>>,
  flags: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  if (!isPerson(context) || context.options.yes) return {};
  const open = loaded.manifest.inputs.flatMap((input): InputSpec[] =>
    Object.hasOwn(said, input.name) && !Object.hasOwn(flags, input.name)
      ? [{ ...input, default: said[input.name] }]
      : [],
  );
  return askInputs(context, open, ' (as this repository says)');
}

/** At a terminal a person decides what the repository's own files speak for, and is told which they are; nothing elsewhere. */
async function confirmEvidence(
  context: Context,
  loaded: LoadedIntegration,
  repository: EvidenceBase,
  said: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  if (!isPerson(context) || context.options.yes) return {};
  const answers: Record<string, string> = {};
  for (const input of loaded.manifest.inputs) {
    if (Object.hasOwn(said, input.name)) continue;
    const evidence = await evidenceFor(input, repository);
    if (evidence === undefined || evidence.value === input.default) continue;
    const note = ` (${printable(evidence.says)}: ${evidence.value})`;
    const choices = [evidence.value, ...(input.choices ?? []).filter((one) => one !== evidence.value)];
    const asked = { ...input, default: evidence.value, ...(input.choices === undefined ? {} : { choices }) };
    Object.assign(answers, await askInputs(context, [asked], note));
  }
  return answers;
}

async function askInputs(
  context: Context,
  missing: readonly InputSpec[],
  note = '',
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const input of missing) {
    const choices = input.choices ?? [];
    const answer =
      choices.length > 0
        ? await context.prompter.select(
            input.prompt + note,
            choices.map((choice) => ({ value: choice, label: choice })),
          )
        : await context.prompter.text(input.prompt + note, {
            ...(input.default === undefined ? {} : { initial: input.default }),
            validate: (value) => checkInput(input, value)?.message,
          });
    if (answer === undefined)
      throw new TenonError('approval/declined', 'the question was not answered', { exit: 3 });
    answers[input.name] = answer;
  }
  return answers;
}
