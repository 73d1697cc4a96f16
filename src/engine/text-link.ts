import { type Places, pathsOf } from '../system/paths.ts';
import type { AbsPath, Reader } from '../system/ports.ts';

const MAX_LINK = 1024;
const DECODER = new TextDecoder('utf-8', { fatal: true });

/** What to do about a link that is there as text; the checkout decides it, not we. */
export const TEXT_LINK_REMEDY =
  'Allow links (git config core.symlinks true) and check it out again, or put a file or folder of its own there. If it is meant as text, end it with a line feed.';

/**
 * Where git could make no link (`core.symlinks=false`, the usual thing on Windows) it writes a file that holds the
 * link's target and no line end; git-config(1), core.symlinks. Text put into it would be committed as the target of the
 * link. Returns the target of such a file: one line that names something else that is there, read from the file's own
 * folder. Lists of patterns (`.gitignore`) hold names by nature and are never taken for one.
 */
export function textLinkTarget(
  reader: Pick<Reader, 'lstat'>,
  file: AbsPath,
  bytes: Uint8Array,
  platform: Places['platform'],
): string | undefined {
  if (bytes.length === 0 || bytes.length > MAX_LINK || /ignore$/i.test(file)) return undefined;
  let text: string;
  try {
    text = DECODER.decode(bytes);
  } catch {
    return undefined;
  }
  const paths = pathsOf(platform);
  // An absolute one is not looked at: on Windows it could name another computer.
  if (/[\0\r\n]/.test(text) || text.trim() !== text || /^[\\/]|^[a-z]:/i.test(text)) return undefined;
  const target = paths.join(paths.dirname(file), text);
  try {
    return target !== file && reader.lstat(target) !== undefined ? text : undefined;
  } catch {
    return undefined;
  }
}
