import type { CommandArgs } from '../cli/command-table.ts';
import { completionScript, type Shell } from '../cli/completion.ts';
import type { Context } from '../cli/context.ts';
import { CATALOG } from '../errors/catalog.ts';
import { bundledIds } from '../integrations/resolve.ts';
import type { Outcome } from '../reporting/types.ts';
import { loadSpecs } from '../runtimes/load.ts';

/** `tenon completion bash|zsh|fish`: a script that completes commands, flags, their choices and known names. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const shell = args.positionals[0] as Shell;
  const { system, packageDir } = context;
  const script = completionScript(shell, {
    integrations: bundledIds(system.reader, packageDir),
    runtimes: [...(await loadSpecs(system.reader, packageDir)).keys()],
    codes: Object.keys(CATALOG),
  });
  return { command: 'completion', exit: 0, data: { shell, script }, findings: [], human: () => script };
}
