import type { Context } from '../../cli/context.ts';
import type { Finding } from '../../errors/error.ts';
import { printable } from '../../lib/printable.ts';
import { type Managed, managedBy } from '../../system/dotfile-managers.ts';
import { displayPath } from '../../system/paths.ts';
import type { AbsPath } from '../../system/ports.ts';

const NAMES = { chezmoi: 'chezmoi', yadm: 'yadm', stow: 'stow', links: 'a folder of dotfiles' } as const;

/**
 * For the plan: why a file of the home folder is refused, since a dotfile manager keeps its source (requirement: such a
 * file is recognised and not written by default). Each file is looked at once.
 */
export function managedFiles(
  context: Context,
  root: AbsPath,
): (path: string, abs: AbsPath) => Finding | undefined {
  const seen = new Map<AbsPath, Finding | undefined>();
  return (path, abs) => {
    if (!seen.has(abs)) {
      const managed = managedBy(context.system, abs);
      seen.set(abs, managed === undefined ? undefined : findingOf(context, root, path, managed));
    }
    return seen.get(abs);
  };
}

function findingOf(context: Context, root: AbsPath, path: string, managed: Managed): Finding {
  const { home, platform } = context.system.host;
  const source = printable(displayPath(managed.source, { root, home, platform }));
  const name = NAMES[managed.manager];
  const why = managed.unsure === undefined ? '' : ` (${managed.unsure})`;
  const instead = {
    chezmoi: `Change it in chezmoi (chezmoi edit ${path}), or write here all the same with --resolve ${path}=follow`,
    yadm: `Change and commit it with yadm yourself, or write here with --resolve ${path}=follow`,
    stow: `Change ${source} yourself, or write there with --resolve ${path}=follow`,
    links: `Change ${source} yourself, or write there with --resolve ${path}=follow`,
  }[managed.manager];
  return {
    code: 'file/managed-elsewhere',
    severity: 'error',
    subject: path,
    message: `${printable(path)} is kept by ${name} in ${source}${why}`,
    remedy: { text: instead },
    data: { manager: managed.manager },
  };
}
