import { maskHome } from '../../system/paths.ts';
import type { AbsPath } from '../../system/ports.ts';

/** A word for a POSIX shell; plain words stay as they are. */
export const shellQuote = (word: string): string =>
  /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A folder as a word for a POSIX shell, the home folder as `~`, which a shell expands only where it is not quoted. */
export function shellFolder(folder: AbsPath, home: AbsPath): string {
  const shown = maskHome(folder, home);
  return shown.startsWith('~/') ? `~/${shellQuote(shown.slice(2))}` : shellQuote(folder);
}
