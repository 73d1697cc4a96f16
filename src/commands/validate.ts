import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../cli/usage-error.ts';
import { printable } from '../lib/printable.ts';
import type { Outcome } from '../reporting/types.ts';
import { renderValidation } from '../reporting/validate-view.ts';
import { pathsOf } from '../system/paths.ts';
import { type Validation, validateIntegration } from './shared/validate-integration.ts';
import { validateSpec } from './shared/validate-spec.ts';

/**
 * `tenon validate <folder>`: checks the folder of an integration, or the spec of a coding tool (a `.json` file), and
 * rehearses setup and uninstall for every coding tool in memory. Reads only; exit 1 when something is wrong.
 */
export async function run(context: Context, { positionals }: CommandArgs): Promise<Outcome> {
  const { system } = context;
  const [given = '.'] = positionals;
  const path = pathsOf(system.host.platform).resolve(system.host.cwd, given);
  const stat = system.reader.stat(path);
  const shown = printable(given.replace(/[\\/]+$/, ''));
  if (stat === undefined) {
    throw usageError(
      'usage/folder',
      `${shown} does not exist.`,
      'Name a folder with integration.json, or a spec.',
    );
  }
  const validation: Validation =
    stat.kind === 'directory'
      ? await validateIntegration(context, path, shown)
      : await validateSpec(context, path, shown);
  const { kind, id, rehearsals, findings } = validation;
  const failed = findings.some(({ severity }) => severity === 'error');
  const golden = Object.fromEntries(rehearsals.map(({ runtime, files }) => [runtime, files]));
  return {
    command: 'validate',
    exit: failed ? 1 : 0,
    data: {
      kind,
      id,
      runtimes: rehearsals.map(({ runtime, status, problem, files }) => ({
        runtime,
        status,
        files: Object.keys(files),
        ...(problem === undefined ? {} : { problem }),
      })),
      golden,
    },
    findings,
    human: (theme) => renderValidation({ shown, ...validation }, theme),
  };
}
