/**
 * Whether this thread met the limit of open files: that of its process (EMFILE) or of the machine (ENFILE). It is no fault
 * of the file that was to be opened, and whatever takes a file that cannot be read for a broken or an absent one would tell
 * something untrue. So it is noted here, and the run ends with a fault of its own (cli/run.ts). One note for the thread,
 * because files are opened, and programs started, at places that no port passes through.
 */
export type OpenLimit = 'EMFILE' | 'ENFILE';

let met: OpenLimit | undefined;

/** The limit that an error tells of; undefined for every other error. */
export function openLimitOf(error: unknown): OpenLimit | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return error.code === 'EMFILE' || error.code === 'ENFILE' ? error.code : undefined;
}

/** Notes the limit that an error tells of, if it does. */
export function noteOpenLimit(error: unknown): void {
  met ??= openLimitOf(error);
}

/** Whether the limit was met since it was asked for with {@link takeOpenLimit}. */
export const isAtOpenLimit = (): boolean => met !== undefined;

/** The limit that was met, which is forgotten then. */
export function takeOpenLimit(): OpenLimit | undefined {
  const limit = met;
  met = undefined;
  return limit;
}
