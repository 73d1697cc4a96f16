/** One limit for a whole piece of network work; it ends connecting, waiting and a stalled body alike. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Milliseconds it was started with. */
  readonly ms: number;
  /** Milliseconds left, never below 0. */
  remaining(): number;
  /** Clears the timer; call it when the work is done, so that nothing keeps the process alive. */
  end(): void;
}

/** Starts a deadline of `ms` milliseconds from now. */
export function startDeadline(ms: number): Deadline {
  const controller = new AbortController();
  const started = performance.now();
  const timer = setTimeout(() => controller.abort(), ms);
  return {
    signal: controller.signal,
    ms,
    remaining: () => Math.max(0, ms - (performance.now() - started)),
    end: () => clearTimeout(timer),
  };
}

/**
 * The promise's value, or `undefined` once the signal aborts. The promise itself goes on; a later rejection of it is
 * swallowed.
 */
export function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(error as Error);
      },
    );
  });
}
