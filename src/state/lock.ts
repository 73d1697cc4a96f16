import { TenonError } from '../errors/error.ts';
import { isObject } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { maskHome } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { ensureStateDir, rootKey, type StateFolder, systemCode, tryLook, unwritable } from './folder.ts';
import { USER_LEDGER } from './ledger-store.ts';

/** Who holds a lock. `start` tells a process from a later one with the same id, where the platform says it. */
interface Holder {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly start: string;
}

export interface Lock {
  /** Removes the lock if it is still ours; never throws. */
  release(): void;
}

const WAIT_MS = 10_000;
const STEP_MS = 50;
/** A lock file that stays unreadable for this long was left by a crash between creating and writing it. */
const TORN_MS = 10_000;

export const lockPath = (state: StateFolder, root: AbsPath | '~'): AbsPath =>
  state.path('journal', `${root === USER_LEDGER ? 'user' : rootKey(root)}.lock`);

/**
 * Takes the lock of a root, or of the user's files (`~`). Waits up to 10 s for another run, then throws `state/busy`
 * (exit 4, contract section 7). A lock whose owner on this host has ended is taken over.
 */
export async function takeLock(
  system: System,
  state: StateFolder,
  root: AbsPath | '~',
  waitMs = WAIT_MS,
  interrupted: () => boolean = () => false,
): Promise<Lock> {
  const path = lockPath(state, root);
  ensureStateDir(system, state, state.path('journal'));
  const own = describeSelf(system);
  // Counted in pauses: the clock of the machine may jump in either direction meanwhile.
  for (let waited = 0; ; waited += STEP_MS) {
    if (tryLook(system, path, () => create(system, path, own) || takeOver(system, path, own))) {
      return { release: () => release(system, path, own) };
    }
    if (waited >= waitMs) throw tryLook(system, path, () => busy(system, path));
    await system.clock.sleep(STEP_MS);
    if (interrupted())
      throw new TenonError('run/interrupted', 'Interrupted while another run was waited for.', { exit: 130 });
  }
}

/** Whether another process that may still run holds the lock. */
export function isLocked(system: System, state: StateFolder, root: AbsPath | '~'): boolean {
  const holder = readHolder(system, lockPath(state, root));
  return holder !== undefined && !isDead(system, holder);
}

function describeSelf(system: System): Holder {
  const { host } = system;
  return {
    id: system.randomHex(8),
    pid: host.pid,
    host: host.hostname,
    start: startOf(system, host.pid) ?? '',
  };
}

/** Start time of a process in clock ticks since boot, field 22 of /proc/<pid>/stat (proc(5)); undefined elsewhere. */
function startOf(system: System, pid: number): string | undefined {
  if (system.host.platform !== 'linux') return undefined;
  try {
    const bytes = system.reader.readFile(`/proc/${pid}/stat`, 4096);
    if (bytes === undefined) return undefined;
    // The second field is the name in parentheses and may hold anything.
    const text = new TextDecoder('latin1').decode(bytes);
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function create(system: System, path: AbsPath, holder: Holder): boolean {
  try {
    system.writer.createExclusive(path, new TextEncoder().encode(`${JSON.stringify(holder)}\n`), 0o600);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw unwritable(system, path, error);
  }
}

function readHolder(system: System, path: AbsPath): Holder | undefined {
  const stat = system.reader.lstat(path);
  if (stat === undefined) return undefined;
  try {
    const bytes = system.reader.readFile(path, 4096);
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()));
    if (isObject(value)) {
      const { id, pid, host, start } = value;
      if (
        typeof id === 'string' &&
        /^[0-9a-f]{1,64}$/.test(id) &&
        typeof pid === 'number' &&
        typeof host === 'string' &&
        typeof start === 'string'
      ) {
        return { id, pid, host, start };
      }
    }
  } catch {
    // Just being written, or torn by a crash: judged by its age.
  }
  // A time far ahead is no fresh one either: the clock was set back since.
  const old = Math.abs(system.clock.now() - stat.mtimeMs) > TORN_MS;
  return { id: `${stat.ino}`, pid: old ? 0 : system.host.pid, host: system.host.hostname, start: '' };
}

/** Only an owner on this host can be known to have ended. */
function isDead(system: System, holder: Holder): boolean {
  if (holder.host !== system.host.hostname) return false;
  if (!system.exec.isAlive(holder.pid)) return true;
  const start = startOf(system, holder.pid);
  return holder.start !== '' && start !== undefined && start !== holder.start;
}

/**
 * Replaces the lock of an owner that has ended. Two runs may see the same dead owner: the right to replace it is a lock
 * of its own, named by that owner; what it covers is compared again under it, and then replaced by one rename.
 */
function takeOver(system: System, path: AbsPath, own: Holder): boolean {
  const seen = readHolder(system, path);
  if (seen === undefined || !isDead(system, seen)) return false;
  const right = `${path}.${seen.id}`;
  if (!create(system, right, own) && !(right.length < 4000 && takeOver(system, right, own))) return false;
  try {
    if (readHolder(system, path)?.id !== seen.id) return false;
    const temp = `${path}.${own.id}.tmp`;
    if (!create(system, temp, own)) return false;
    try {
      system.writer.rename(temp, path);
    } catch (error) {
      release(system, temp, own);
      throw unwritable(system, path, error);
    }
    return true;
  } finally {
    release(system, right, own);
  }
}

function release(system: System, path: AbsPath, own: Holder): void {
  try {
    if (readHolder(system, path)?.id === own.id) system.writer.remove(path);
  } catch {
    // The owner is about to end, and a lock of an ended owner is taken over.
  }
}

function busy(system: System, path: AbsPath): TenonError {
  const holder = readHolder(system, path);
  const who = holder === undefined ? 'another run' : `process ${holder.pid} on ${printable(holder.host)}`;
  const away = holder !== undefined && holder.host !== system.host.hostname;
  return new TenonError('state/busy', `Another tenon is working here: ${who} has held the lock for 10 s.`, {
    exit: 4,
    remedy: {
      text: away
        ? `Wait for it. If that machine no longer runs it, remove ${maskHome(path, system.host.home)}.`
        : 'Wait until it has ended, then run again.',
    },
  });
}
