import type { Writer } from '../system/ports.ts';

/** What of a run is known when Ctrl-C comes. */
export interface RunState {
  /** A file was renamed into place, removed or overwritten. */
  wrote: boolean;
  /** The document or report is out. */
  reported: boolean;
  interrupts: number;
  /** A plan is being applied: the apply itself answers the first Ctrl-C, since it has to clean up. */
  applying?: boolean;
  /** That first Ctrl-C has come. */
  requested?: boolean;
}

/** What an apply gets of it. */
export interface Interruption {
  /** Runs a function during which the first Ctrl-C is only noted. `requested` tells whether it has come. */
  during<T>(run: (requested: () => boolean) => Promise<T>): Promise<T>;
}

/** Lets an apply stop before its first rename, and finish after it (contract, section 7). */
export function interruptionOf(state: RunState): Interruption {
  return {
    async during(run) {
      state.applying = true;
      try {
        return await run(() => state.requested === true);
      } finally {
        state.applying = false;
      }
    },
  };
}

/** The same writer; notes in `state` that something of the user's or of the state folder was really changed. */
export function noteWrites(writer: Writer, state: RunState): Writer {
  return {
    createExclusive: (...args) => writer.createExclusive(...args),
    rename: (...args) => {
      writer.rename(...args);
      state.wrote = true;
    },
    writeInPlace: (...args) => {
      // Half of it may stand when the call fails.
      state.wrote = true;
      writer.writeInPlace(...args);
    },
    remove: (...args) => writer.remove(...args),
    makeDir: (...args) => writer.makeDir(...args),
    removeDir: (...args) => writer.removeDir(...args),
    chmod: (...args) => writer.chmod(...args),
    chown: (...args) => writer.chown(...args),
    syncDir: (...args) => writer.syncDir(...args),
  };
}

export type InterruptAnswer = 'stop' | 'finish' | 'note';

/**
 * Ctrl-C before anything was written ends the run; afterwards the first one lets it finish and report, since writing
 * itself is one synchronous phase; the second ends it. Once the report is out, it always ends.
 */
export function answerInterrupt(state: RunState): InterruptAnswer {
  state.interrupts += 1;
  if (state.applying === true && state.interrupts === 1) {
    state.requested = true;
    return 'note';
  }
  return state.wrote && !state.reported && state.interrupts === 1 ? 'finish' : 'stop';
}
