import type { Context } from '../../cli/context.ts';
import { displayPath, isWithin, pathsOf } from '../../system/paths.ts';
import type { AbsPath } from '../../system/ports.ts';
import { shellFolder, shellQuote } from './shell-quote.ts';

/**
 * A file or folder as a word for a shell where what is printed will be copied: inside the repository by the way from the
 * working folder, anywhere else, and with --cwd, in full. Reports for other programs are read at the top level.
 */
export function pathWord(context: Pick<Context, 'system' | 'options'>, path: AbsPath, top: AbsPath): string {
  const { options, system } = context;
  const { home, platform } = system.host;
  if (options.format === 'text' || options.format === 'json') return wordFromHere(context, path, top);
  return isWithin(top, path, platform)
    ? shellQuote(displayPath(path, { root: top, home, platform }))
    : shellFolder(path, home);
}

/** The same where what is printed will be copied into a shell, whatever the format is. */
export function wordFromHere(
  { system, options }: Pick<Context, 'system' | 'options'>,
  path: AbsPath,
  top: AbsPath,
): string {
  const { home, platform, cwd } = system.host;
  const here = system.reader.realpath(cwd) ?? cwd;
  // With --cwd that folder is not the one in which what is printed will be copied.
  if (options.cwd !== undefined || !isWithin(top, here, platform) || !isWithin(top, path, platform))
    return shellFolder(path, home);
  const paths = pathsOf(platform);
  const way = paths.relative(here, path).split(paths.sep).join('/') || '.';
  return shellQuote(way.startsWith('-') ? `./${way}` : way);
}
