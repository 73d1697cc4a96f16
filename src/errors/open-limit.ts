import type { OpenLimit } from '../lib/open-files.ts';
import { TenonError } from './error.ts';

/** The limit of open files as the fault that ends a run. */
export const openLimitError = (limit: OpenLimit, wrote: boolean, cause?: unknown): TenonError =>
  new TenonError(
    'run/open-files',
    limit === 'EMFILE'
      ? 'no further file could be opened: this process has as many open as it may (EMFILE)'
      : 'no further file could be opened: this machine has as many open as it can (ENFILE)',
    {
      exit: wrote ? 2 : 4,
      state: wrote ? 'unknown' : 'nothing-written',
      remedy:
        limit === 'EMFILE'
          ? { text: 'Raise the limit of this shell, then run the command again', command: 'ulimit -n 1024' }
          : { text: 'End programs that have many files open, then run the command again' },
      ...(cause === undefined ? {} : { cause }),
    },
  );
