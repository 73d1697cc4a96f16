import { shellQuote } from '../../lib/shell-quote.ts';
import { maskHome } from '../../system/paths.ts';
import type { AbsPath } from '../../system/ports.ts';

export { shellQuote };

/** A folder as a word for a POSIX shell, the home folder as `~`, which a shell expands only where it is not quoted. */
export function shellFolder(folder: AbsPath, home: AbsPath): string {
  const shown = maskHome(folder, home);
  return shown.startsWith('~/') ? `~/${shellQuote(shown.slice(2))}` : shellQuote(folder);
}
