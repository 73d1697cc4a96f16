import type { Context } from '../../cli/context.ts';
import { TenonError } from '../../errors/error.ts';
import { displayPath } from '../../system/paths.ts';
import type { AbsPath } from '../../system/ports.ts';
import { findRoot } from '../../system/root.ts';
import { wordFromHere } from './path-word.ts';
import { shellQuote } from './shell-quote.ts';
import { rootOf } from './workspace.ts';

/** How a root is called by what is printed about it. */
export interface RootNames {
  /** From the repository's top level, with slashes; `.` for the top level itself. */
  readonly folder: string;
  /** A word for a shell that names it in a command; undefined where a command works on it without being told. */
  readonly word?: string;
}

/** The root that a command without flags works on in this folder; undefined outside of every repository. */
export function usualRoot({ system, options }: Context): AbsPath | undefined {
  // With --cwd that folder is not the one in which what is printed will be copied.
  if (options.cwd !== undefined) return undefined;
  try {
    return findRoot(system).root;
  } catch (error) {
    if (error instanceof TenonError) return undefined;
    throw error;
  }
}

/** `usual`: as {@link usualRoot} says it. */
export function namesOf(
  { system, options }: Context,
  { root, top }: { readonly root: AbsPath; readonly top: AbsPath },
  usual: AbsPath | undefined,
): RootNames {
  const { home, platform } = system.host;
  const folder = displayPath(root, { root: top, home, platform });
  if (options.format !== 'text' && options.format !== 'json') {
    // A report for another program is read where the repository is shown, not where it was made.
    return folder === '.' ? { folder } : { folder, word: shellQuote(folder) };
  }
  return root === usual ? { folder } : { folder, word: wordFromHere({ system, options }, root, top) };
}

/** The names of the root of this run; undefined where there is none, which the command itself tells. */
export function rootNames(context: Context): RootNames | undefined {
  try {
    return namesOf(context, rootOf(context), usualRoot(context));
  } catch (error) {
    if (error instanceof TenonError) return undefined;
    throw error;
  }
}
