import type { Context } from '../../cli/context.ts';
import { TenonError } from '../../errors/error.ts';
import { printable } from '../../lib/printable.ts';
import { systemReason } from '../../lib/system-reason.ts';
import { systemCode } from '../../state/folder.ts';
import type { AbsPath, Reader } from '../../system/ports.ts';

/**
 * Writes a file that its user named and that must not exist yet: all of it or nothing. `mode`: permission bits. Throws
 * `file/exists` and `file/unwritable`, exit 4.
 */
export function writeNewFile(
  { system }: Pick<Context, 'system'>,
  file: { readonly abs: AbsPath; readonly shown: string; readonly text: string; readonly mode: number },
): void {
  const { abs, text, mode } = file;
  const shown = printable(file.shown);
  if (system.reader.lstat(abs) !== undefined) throw existing(shown);
  try {
    system.writer.createExclusive(abs, new TextEncoder().encode(text), mode);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw existing(shown);
    throw unwritable(shown, error, isBegun(system.reader, abs) ? [shown] : []);
  }
}

/** Whether something of the file stands. Asked by its bytes: a reader may remember that it was not there before. */
function isBegun(reader: Reader, abs: AbsPath): boolean {
  try {
    return reader.readFile(abs, 0) !== undefined;
  } catch (error) {
    return systemCode(error) === 'EFBIG';
  }
}

/**
 * The fault of a file or folder that its user named and that cannot be made; a value that is no fault of the system as it
 * is. `left`: what was begun and could not be removed again.
 */
export function unwritable(shown: string, error: unknown, left: readonly string[] = []): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const why = code === 'ENOENT' ? 'its folder does not exist' : systemReason(code);
  const begun =
    left.length === 0 ? '' : ` What was begun could not be removed and is left there: ${left.join(', ')}.`;
  return new TenonError(
    'file/unwritable',
    `${shown} cannot be written: ${why === undefined ? code : `${why} (${code})`}.${begun}`,
    {
      exit: 4,
      state: left.length === 0 ? 'nothing-written' : 'unknown',
      remedy: { text: 'Correct the cause, or name another place.' },
      cause: error,
    },
  );
}

const existing = (shown: string): TenonError =>
  new TenonError('file/exists', `${shown} exists already`, {
    exit: 4,
    remedy: { text: 'Name another file, or remove this one' },
  });
