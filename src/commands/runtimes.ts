import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { Outcome } from '../reporting/types.ts';
import { loadSpecs } from '../runtimes/load.ts';

/** `tenon runtimes [id]`: the supported coding tools. */
export async function run(context: Context, _args: CommandArgs): Promise<Outcome> {
  const specs = await loadSpecs(context.system.reader, context.packageDir);
  return {
    command: 'runtimes',
    exit: 0,
    data: { runtimes: [...specs.keys()] },
    findings: [],
    human: () => [...specs.keys()].join('\n'),
  };
}
