import type { Context } from '../../cli/context.ts';
import { TenonError } from '../../errors/error.ts';
import { printable } from '../../lib/printable.ts';
import type { Git } from '../../system/git.ts';
import { maskHome } from '../../system/paths.ts';
import type { Workspace } from './workspace.ts';

/**
 * The line that goes into `info/exclude` has to keep git from the file of a token: nothing of the repository may undo it.
 * Throws `credential/not-ignored`, and `credential/unverifiable` where git does not say.
 */
export async function guardIgnored(
  { system }: Context,
  { facts }: Workspace,
  git: Git,
  inside: readonly string[],
): Promise<void> {
  if (inside.length === 0) return;
  const refused = (message: string): TenonError =>
    new TenonError('credential/not-ignored', message, {
      exit: 4,
      remedy: { text: 'Take that out first, or refer to an environment variable instead' },
    });
  const [top, back] = [await git.topLevel(), await git.isTakenBack(inside)];
  for (const answer of [top, back]) {
    if (!answer.ok) {
      throw new TenonError(
        'credential/unverifiable',
        `git could not say whether it would ignore ${inside.join(', ')}: ${answer.message}`,
        { exit: 4 },
      );
    }
  }
  if (top.ok && system.reader.realpath(top.value) !== facts.top) {
    const shown = printable(maskHome(top.value, system.host.home));
    throw refused(`git counts the paths of this checkout from ${shown} (core.worktree)`);
  }
  const [first] = back.ok ? back.value : [];
  if (first === undefined) return;
  const [path, { source, line, pattern }] = first;
  throw refused(
    `${path} would not be ignored by git: line ${line} of ${printable(source)} takes it back (${printable(pattern)})`,
  );
}
