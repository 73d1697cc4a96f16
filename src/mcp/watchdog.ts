import { printable } from '../lib/printable.ts';

/** How the switch in the environment, and `--parent-pid`, are read. */
export interface WatchdogSettings {
  readonly switch: string | undefined;
  /** As typed; undefined: the process that started this one. */
  readonly parentPid: string | undefined;
  readonly ownParent: number;
}

export interface WatchdogSystem {
  state(pid: number): 'alive' | 'gone' | 'unknown';
  /** Calls back again and again; returns what stops it. */
  every(ms: number, tick: () => void): () => void;
  /** One line for stderr. */
  log(line: { readonly event: string; readonly [key: string]: string | number }): void;
}

export const WATCHDOG_SWITCH = 'TENON_MCP_WATCHDOG';
const PERIOD_MS = 2000;
/** So many times in a row the parent must be gone. */
const READINGS = 2;

const OFF = /^(?:0|false|off|no|disable)$/i;
const ON = /^(?:|1|true|on|yes|enable)$/i;

/**
 * Ends the server when the client that started it is gone without closing the pipe. Off by the switch; a word that the
 * switch does not know warns and leaves it armed; where it cannot start, serving goes on. Only two readings in a row
 * that say "gone" end anything: one that says nothing starts the count again. Returns what disarms it.
 */
export function startWatchdog(
  settings: WatchdogSettings,
  system: WatchdogSystem,
  end: () => void,
): () => void {
  const word = (settings.switch ?? '').trim();
  if (OFF.test(word)) return () => {};
  if (!ON.test(word)) {
    system.log({
      event: 'watchdog-switch',
      message: `${WATCHDOG_SWITCH}="${printable(word.slice(0, 40))}" is not known; the watchdog stays armed`,
    });
  }
  const pid = pidOf(settings);
  if (pid === undefined) {
    system.log({
      event: 'watchdog-not-started',
      message: `"${printable((settings.parentPid ?? '').slice(0, 40))}" is no process id; serving without a watchdog`,
    });
    return () => {};
  }
  let gone = 0;
  try {
    const stop = system.every(PERIOD_MS, () => {
      gone = stateOf(system, pid) === 'gone' ? gone + 1 : 0;
      if (gone < READINGS) return;
      stop();
      system.log({ event: 'watchdog-ended', parentPid: pid, message: 'the client is gone; the server ends' });
      end();
    });
    return stop;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    system.log({ event: 'watchdog-not-started', message: `serving without a watchdog: ${printable(why)}` });
    return () => {};
  }
}

function pidOf({ parentPid, ownParent }: WatchdogSettings): number | undefined {
  if (parentPid === undefined) return ownParent;
  const pid = /^\d{1,10}$/.test(parentPid) ? Number(parentPid) : 0;
  return pid > 0 ? pid : undefined;
}

function stateOf(system: WatchdogSystem, pid: number): 'alive' | 'gone' | 'unknown' {
  try {
    return system.state(pid);
  } catch {
    return 'unknown';
  }
}
