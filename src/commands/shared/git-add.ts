import { isAbsolute, relative } from 'node:path';
import type { Context } from '../../cli/context.ts';
import type { ApplyResult, Plan } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import { type GitAnswer, openGit } from '../../system/git.ts';
import { isOutside } from '../../system/paths.ts';
import { nameForGit } from './git-name.ts';
import { shellFolder, shellQuote } from './shell-quote.ts';
import type { Workspace } from './workspace.ts';

export interface GitAdd {
  /** The command that stages the changed files, as it works in the folder of the caller; undefined when there is none. */
  readonly command: string | undefined;
  /** Files that git ignores, so that they cannot be staged. */
  readonly findings: readonly Finding[];
}

/**
 * The `git add` line of an apply. git refuses the whole line for one path that it ignores, or that is gone and was never
 * tracked; such paths are left out, the ignored ones with a word. `held` are left out too: files that hold credentials.
 * A file behind a link is named by its own path: what changed is it, and git looks behind no link. One behind a link that
 * leaves the repository is not git's here.
 */
export async function gitAdd(
  context: Context,
  workspace: Workspace,
  files: ApplyResult['files'],
  held: ReadonlySet<string>,
  planned: Plan['files'],
): Promise<GitAdd> {
  const { platform } = context.system.host;
  const inside = files
    .filter(({ path }) => !isOutside(path) && !held.has(path))
    .filter(({ path }) => planned.find((file) => file.path === path)?.outside !== true)
    .map(({ path, action }) => {
      const real = planned.find((file) => file.path === path)?.real;
      return {
        action,
        path:
          real === undefined
            ? path
            : (nameForGit(workspace.root, workspace.facts.top, real, platform) ?? path),
      };
    });
  if (inside.length === 0) return { command: undefined, findings: [] };
  const git = openGit(workspace.facts, context.system);
  const paths = (isGone: boolean): string[] =>
    inside.filter(({ action }) => (action === 'delete') === isGone).map(({ path }) => path);
  const [tracked, ignored] = await Promise.all([git.isTracked(paths(true)), git.isIgnored(paths(false))]);
  const by = answered(ignored) ?? new Map();
  const known = answered(tracked) ?? new Set();
  const staged = inside.filter(({ path, action }) => (action === 'delete' ? known.has(path) : !by.has(path)));
  return {
    command:
      staged.length === 0
        ? undefined
        : [
            `git ${folderFlag(context, workspace)}add`,
            ...staged.map(({ path }) => shellQuote(path)).sort(),
          ].join(' '),
    findings: [...by].map(([path, { source, line, pattern }]) => ({
      code: 'file/ignored',
      severity: 'info',
      subject: path,
      message: `${path} is ignored by ${source}:${line} (${pattern}), so it stays with this checkout`,
    })),
  };
}

const answered = <T>(answer: GitAnswer<T>): T | undefined => (answer.ok ? answer.value : undefined);

/** For git, whose paths here are relative to the root, which need not be the folder of the caller. */
export function folderFlag({ options, system }: Context, { root }: Workspace): string {
  const { cwd, home } = system.host;
  if (options.cwd === undefined) {
    const way = relative(system.reader.realpath(cwd) ?? cwd, root).replaceAll('\\', '/');
    if (way === '') return '';
    if (!isAbsolute(way)) return `-C ${shellQuote(way)} `;
  }
  return `-C ${shellFolder(root, home)} `;
}
