import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../cli/usage-error.ts';
import type { Enrolment } from '../engine/types.ts';
import {
  refuseCredentialName,
  type ServerTarget,
  serverDefinition,
  serverIntegration,
} from '../integrations/server.ts';
import type { Outcome } from '../reporting/types.ts';
import { chooseFor } from './shared/choose.ts';
import { fitIn } from './shared/fit.ts';
import { openWorkspace } from './shared/workspace.ts';

/** `tenon add <name> <url>` and `tenon add <name> -- <command> [args…]`: one server, defined inline in the manifest. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const [name = '', url, extra] = args.positionals;
  refuseCredentialName(name);
  const target = targetOf(url, extra, args.rest);
  const headers = pairs(args.flags['header'], ':', '--header');
  const env = pairs(args.flags['env'], '=', '--env');
  const tokenEnv = args.flags['tokenEnv'];
  const loaded = serverIntegration(
    name,
    target,
    headers,
    env,
    typeof tokenEnv === 'string' ? tokenEnv : undefined,
  );
  const workspace = await openWorkspace(context, context.options.dryRun ? 'reads' : 'writes');
  const { options } = context;
  const before = workspace.enrolments.find(
    (one) => one.integration === loaded.ref && one.scope === options.scope,
  );
  const runtimes = await chooseFor(context, workspace, before);
  const enrolment: Enrolment = {
    integration: loaded.ref,
    version: loaded.manifest.version,
    scope: options.scope,
    runtimes,
    inputs: {},
    overrides: {},
    without: options.without.length > 0 ? options.without : (before?.without ?? []),
    server: serverDefinition(loaded),
    external: before?.external ?? [],
    excluded: before?.excluded ?? [],
    ...(options.scope === 'local' ? { root: workspace.root } : {}),
  };
  return fitIn(context, workspace, {
    command: 'add',
    selections: [{ enrolment, loaded, inputs: [] }],
    argv: [
      'add',
      ...args.positionals,
      ...flagWords(args.flags),
      ...(args.rest === undefined ? [] : ['--', ...args.rest]),
    ],
  });
}

function targetOf(
  url: string | undefined,
  extra: string | undefined,
  rest: readonly string[] | undefined,
): ServerTarget {
  if (extra !== undefined)
    throw usageError(
      'usage/arguments',
      `${extra} is one argument too many`,
      'Give a name and a URL, or a name, -- and a command',
    );
  if (url !== undefined && rest !== undefined) {
    throw usageError('usage/arguments', 'a URL and a command exclude each other', 'Give one of them');
  }
  if (url !== undefined) return { url };
  const [command, ...rest2] = rest ?? [];
  if (command === undefined) {
    throw usageError(
      'usage/arguments',
      'the server has neither a URL nor a command',
      'tenon add NAME URL, or tenon add NAME -- COMMAND [ARGS…]',
    );
  }
  return { command, args: rest2 };
}

function pairs(given: unknown, separator: ':' | '=', flag: string): Record<string, string> {
  const entries: Record<string, string> = {};
  for (const one of Array.isArray(given) ? (given as string[]) : []) {
    const at = one.indexOf(separator);
    if (at <= 0) {
      throw usageError(
        'usage/pair',
        `${flag} takes NAME${separator}VALUE`,
        separator === ':' ? "For example --header 'X-Team: shop'" : 'For example --env TEAM=shop',
      );
    }
    entries[one.slice(0, at).trim()] = one.slice(at + 1).trim();
  }
  return entries;
}

function flagWords(flags: CommandArgs['flags']): string[] {
  const list = (key: string): string[] => (Array.isArray(flags[key]) ? (flags[key] as string[]) : []);
  const tokenEnv = flags['tokenEnv'];
  return [
    ...list('header').flatMap((value) => ['--header', value]),
    ...list('env').flatMap((value) => ['--env', value]),
    ...(typeof tokenEnv === 'string' ? ['--token-env', tokenEnv] : []),
  ];
}
