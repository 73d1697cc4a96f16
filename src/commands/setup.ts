import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { Enrolment } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import { checkOverrides, splitOverrides } from '../integrations/defaults.ts';
import { requireInputs, resolveInputs } from '../integrations/inputs.ts';
import { loadIntegration } from '../integrations/load.ts';
import type { InputSpec } from '../integrations/schema.ts';
import type { LoadedIntegration } from '../integrations/types.ts';
import type { Outcome } from '../reporting/types.ts';
import { chooseFor } from './shared/choose.ts';
import { fitIn } from './shared/fit.ts';
import type { Selection } from './shared/selection.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';

/** `tenon setup <integration…>`: all of them in one plan and one approval. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const workspace = await openWorkspace(context, context.options.dryRun ? 'reads' : 'writes');
  const selections = await selectionsFor(context, workspace, args.positionals);
  return fitIn(context, workspace, { command: 'setup', selections, argv: ['setup', ...args.positionals] });
}

/** The named integrations with inputs, runtimes and parts chosen: flags, environment, questions, earlier choices. */
export async function selectionsFor(
  context: Context,
  workspace: Workspace,
  refs: readonly string[],
): Promise<Selection[]> {
  const { reader } = context.system;
  const all: LoadedIntegration[] = [];
  for (const ref of new Set(refs))
    all.push(await loadIntegration(reader, context.packageDir, workspace.root, ref));
  const selections: Selection[] = [];
  for (const loaded of all) {
    const settings = settingsFor(context, loaded, all);
    selections.push(await select(context, workspace, loaded, settings));
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
): Promise<Selection> {
  const { options, system } = context;
  const before = workspace.enrolments.find(
    (one) => one.integration === loaded.ref && one.scope === options.scope,
  );
  const runtimes = await chooseFor(context, workspace, before);
  const { inputs: flags, overrides: typed } = splitOverrides(loaded, settings);
  const overrides = { ...(before?.overrides ?? {}), ...typed };
  checkOverrides(loaded, overrides);
  const resolved = await resolveInputs(loaded.manifest.inputs, {
    id: loaded.manifest.id,
    mode: 'setup',
    flags,
    env: system.host.env,
    manifest: before?.inputs ?? {},
    trusted: loaded.source === 'bundled',
    ...(context.interactive
      ? { prompt: (missing: readonly InputSpec[]) => askInputs(context, missing) }
      : {}),
  });
  const inputs = requireInputs(loaded.ref, resolved);
  const enrolment: Enrolment = {
    integration: loaded.ref,
    version: loaded.manifest.version,
    scope: options.scope,
    runtimes,
    inputs: Object.fromEntries(
      inputs.filter(({ origin }) => origin !== 'default').map(({ name, value }) => [name, value]),
    ),
    overrides,
    without: options.without.length > 0 ? options.without : (before?.without ?? []),
    server: null,
    external: before?.external ?? [],
    excluded: before?.excluded ?? [],
    ...(options.scope === 'local' ? { root: workspace.root } : {}),
  };
  return { enrolment, loaded, inputs };
}

async function askInputs(context: Context, missing: readonly InputSpec[]): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const input of missing) {
    const choices = input.choices ?? [];
    const answer =
      choices.length > 0
        ? await context.prompter.select(
            input.prompt,
            choices.map((choice) => ({ value: choice, label: choice })),
          )
        : await context.prompter.text(
            input.prompt,
            input.default === undefined ? {} : { initial: input.default },
          );
    if (answer === undefined)
      throw new TenonError('approval/declined', 'the question was not answered', { exit: 3 });
    answers[input.name] = answer;
  }
  return answers;
}
