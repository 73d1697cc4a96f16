import type { CommandArgs } from '../cli/command-table.ts';
import { completionScript, type Shell } from '../cli/completion.ts';
import type { Context } from '../cli/context.ts';
import { CATALOG } from '../errors/catalog.ts';
import type { Outcome } from '../reporting/types.ts';

/** `tenon completion bash|zsh|fish`: a script that completes commands, flags, their choices and known names. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const shell = args.positionals[0] as Shell;
  const names = (folder: string, ending: string) =>
    (context.system.reader.list(`${context.packageDir}/${folder}`) ?? [])
      .filter((name) => name.endsWith(ending) && /^[a-z0-9-]+(\.json)?$/.test(name))
      .map((name) => name.slice(0, name.length - ending.length));
  const script = completionScript(shell, {
    integrations: names('templates', ''),
    runtimes: names('specs', '.json'),
    codes: Object.keys(CATALOG),
  });
  return { command: 'completion', exit: 0, data: { shell, script }, findings: [], human: () => script };
}
