import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import type { Outcome } from '../reporting/types.ts';
import { pathsOf } from '../system/paths.ts';
import { selectionsFor } from './setup.ts';
import { fitIn } from './shared/fit.ts';
import { withInputsSettled } from './shared/fixed-inputs.ts';
import { planAgain } from './shared/plan-again.ts';
import { type PlanFile, parsePlanFile } from './shared/plan-file.ts';
import type { Selection } from './shared/selection.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';
import { syncWith } from './sync.ts';

/** A saved plan holds a digest and a few names; more than this is none. */
const MAX_BYTES = 1024 * 1024;

/**
 * `tenon apply <planfile>`: computes the plan again from the saved selections, refuses another digest (exit 6), and then
 * needs the same approval and trust as `setup`.
 */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const path = args.positionals[0] ?? '';
  const file = readPlanFile(context, path);
  try {
    return await applied(context, args, file);
  } catch (error) {
    if (!(error instanceof TenonError) || error.code !== 'plan/stale') throw error;
    throw new TenonError(error.code, error.message, {
      exit: error.exit,
      state: error.state,
      remedy: {
        text: 'Make the plan anew, in a file of another name, and look at it',
        command: planAgain(context, file, path),
      },
      findings: error.findings,
      ...(error.data === undefined ? {} : { data: error.data }),
      cause: error,
    });
  }
}

async function applied(context: Context, args: CommandArgs, file: PlanFile): Promise<Outcome> {
  const told: Context = {
    ...context,
    options: { ...context.options, resolve: file.resolve, force: file.force },
  };
  const workspace = await openWorkspace(told, 'writes');
  if (file.command === 'sync') return syncWith(told, workspace, { digest: file.digest, command: 'apply' });
  const selections: Selection[] = [];
  for (const saved of file.selections) {
    const asked: Context = {
      ...told,
      options: {
        ...told.options,
        scope: saved.scope,
        runtimes: saved.runtimes,
        without: saved.without,
        set: { ...saved.inputs, ...(saved.overrides as Record<string, string>) },
      },
    };
    selections.push(...(await selectionsOf(asked, workspace, saved)));
  }
  return fitIn(withInputsSettled(told, selections), workspace, {
    command: 'apply',
    selections,
    argv: ['apply', ...args.positionals],
    isSaved: true,
    digest: file.digest,
  });
}

/** A saved selection again; that of an instance names its definition too. */
const selectionsOf = (
  context: Context,
  workspace: Workspace,
  { integration, of }: PlanFile['selections'][number],
): Promise<Selection[]> =>
  of === undefined
    ? selectionsFor(context, workspace, [integration])
    : selectionsFor(context, workspace, [of], { name: integration });

function readPlanFile(context: Context, path: string): PlanFile {
  const { system } = context;
  const abs = pathsOf(system.host.platform).resolve(system.host.cwd, context.options.cwd ?? '.', path);
  const stat = system.reader.stat(abs);
  if (stat === undefined || stat.kind !== 'file' || stat.size > MAX_BYTES) {
    const why =
      stat === undefined
        ? `There is no file ${path}`
        : stat.kind === 'file'
          ? `${path} is larger than 1 MB, so it is no plan of tenon`
          : `${path} is no file`;
    throw new TenonError('plan/unreadable', printable(why), {
      exit: 2,
      remedy: { text: 'Name a file that plan --out wrote' },
    });
  }
  return parsePlanFile(new TextDecoder().decode(system.reader.readFile(abs)), path);
}
