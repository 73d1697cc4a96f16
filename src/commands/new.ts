import { integrationStarter, runtimeStarter } from '../authoring/starters.ts';
import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { shownWord, usageError } from '../cli/usage-error.ts';
import { TenonError } from '../errors/error.ts';
import type { Outcome } from '../reporting/types.ts';
import { systemCode } from '../state/folder.ts';
import { isThere, pathsOf } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { findRoot } from '../system/root.ts';
import { unwritable } from './shared/new-file.ts';
import { shellQuote } from './shared/shell-quote.ts';

/**
 * `tenon new integration|runtime <id>`: writes a start into the working folder, `<id>/` or `specs/<id>.json` with its
 * first fixture. New files only: where one of them exists, nothing is written (`file/exists`, exit 4).
 */
export async function run(context: Context, { positionals }: CommandArgs): Promise<Outcome> {
  const { system, options } = context;
  const [kind = '', id = ''] = positionals;
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(id)) {
    throw usageError(
      'usage/bad-value',
      `"${shownWord(id)}" is no id.`,
      'Use lower-case letters, digits and hyphens, a letter first.',
    );
  }
  const isIntegration = kind === 'integration';
  const starter = isIntegration
    ? Object.entries(integrationStarter(id)).map(([path, text]) => [`${id}/${path}`, text] as const)
    : Object.entries(runtimeStarter(id, new Date(system.clock.now()).toISOString().slice(0, 10)));
  const { join } = pathsOf(system.host.platform);
  const files = starter.map(([path, text]) => ({ path, text, abs: join(system.host.cwd, path) }));
  const there = [...(isIntegration ? [{ path: id, abs: join(system.host.cwd, id) }] : []), ...files].find(
    ({ abs }) => system.reader.lstat(abs) !== undefined,
  );
  if (there !== undefined) {
    throw new TenonError('file/exists', `${there.path} exists already.`, {
      exit: 4,
      remedy: { text: 'Take another id, or remove it' },
    });
  }
  if (!options.dryRun) createAll(context, files);
  const paths = files.map(({ path }) => path);
  const next = isIntegration ? `./${id}` : `specs/${id}.json`;
  return {
    command: 'new',
    exit: 0,
    data: { kind, id, files: paths, dryRun: options.dryRun },
    findings: [],
    human: (theme) =>
      [
        `${theme.ok(theme.glyph.ok)} ${paths.length} new files${options.dryRun ? ' (not written: --dry-run)' : ''}`,
        ...paths.map((path) => `  ${path}`),
        '',
        'Next',
        `  fill them in, then  ${theme.accent(`tenon validate ${next}`)}`,
        ...(isIntegration
          ? [`  try it              ${theme.accent(`tenon setup ${fromRoot(context, id)} --dry-run`)}`]
          : []),
      ].join('\n'),
  };
}

/** The new folder as `setup` takes it, relative to the root of the repository, wherever in it this was run. */
function fromRoot({ system, options }: Context, id: string): string {
  const { relative, join, sep } = pathsOf(system.host.platform);
  try {
    const { root, cwd } = findRoot(system, options.root === undefined ? {} : { root: options.root });
    const path = relative(root, join(cwd, id)).replaceAll(sep, '/');
    return path.startsWith('../') ? `./${id}` : shellQuote(`./${path}`);
  } catch {
    return `./${id}`;
  }
}

/** All of the files, with the folders that they need, or none. */
function createAll(
  { system }: Context,
  files: readonly { readonly abs: AbsPath; readonly path: string; readonly text: string }[],
): void {
  const { writer, host } = system;
  const made: Made[] = [];
  for (const { abs, path, text } of files) {
    let isCreating = false;
    try {
      for (const folder of missingAbove(system, abs)) {
        writer.makeDir(folder, 0o777 & ~host.umask);
        made.push({ path: folder, remove: () => writer.removeDir(folder) });
      }
      isCreating = true;
      writer.createExclusive(abs, new TextEncoder().encode(text), 0o666 & ~host.umask);
      made.push({ path: abs, remove: () => writer.remove(abs) });
    } catch (error) {
      // One that came into being meanwhile is none of ours.
      if (isCreating && systemCode(error) !== 'EEXIST')
        made.push({ path: abs, remove: () => writer.remove(abs) });
      throw unwritable(path, error, takeBack(system, made));
    }
  }
}

interface Made {
  readonly path: AbsPath;
  readonly remove: () => void;
}

/** The folders above a path that are not there, outermost first. */
function missingAbove({ reader, host }: System, abs: AbsPath): AbsPath[] {
  const { dirname } = pathsOf(host.platform);
  const missing: AbsPath[] = [];
  for (let at = dirname(abs); reader.lstat(at) === undefined; at = dirname(at)) missing.unshift(at);
  return missing;
}

/** Removes what was made, newest first; gives what is still there, by its name. */
function takeBack({ reader, host }: System, made: readonly Made[]): string[] {
  const left: string[] = [];
  for (const { path, remove } of made.toReversed()) {
    try {
      remove();
    } catch {
      if (isThere(reader, path)) left.push(pathsOf(host.platform).relative(host.cwd, path));
    }
  }
  return left;
}
