import { noteOpenLimit, openLimitOf } from '../lib/open-files.ts';
import { printable } from '../lib/printable.ts';
import { systemReason } from '../lib/system-reason.ts';
import { TenonError } from './error.ts';
import { openLimitError } from './open-limit.ts';

/**
 * Anything that was thrown as an error that can be told: a {@link TenonError} is an expected fault and stays; a call of the
 * file system that failed is the machine's fault, and names its file; every other value is a bug of tenon (exit 2). What
 * the disk is like is then known only if the caller says so.
 */
export function toError(thrown: unknown, wrote: boolean): TenonError {
  if (thrown instanceof TenonError) return thrown;
  const state = wrote ? 'unknown' : 'nothing-written';
  const limit = openLimitOf(thrown);
  if (limit !== undefined) {
    noteOpenLimit(thrown);
    return openLimitError(limit, wrote, thrown);
  }
  const refused = fileFault(thrown);
  if (refused !== undefined) {
    return new TenonError('run/system-error', refused, {
      exit: wrote ? 2 : 4,
      state,
      remedy: { text: 'Correct the cause, then run the command again.' },
      cause: thrown,
    });
  }
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const firstLine = message.split('\n', 1)[0] ?? '';
  return new TenonError('internal/bug', `tenon failed where it should not: ${name}: ${firstLine}`, {
    exit: 2,
    state,
    remedy: {
      text: 'Run it again with --debug and report what it prints; this is a fault of tenon, not of yours.',
    },
    cause: thrown,
  });
}

/** Calls of the network and of programs have codes of the same form. */
const OTHER_CALLS = /^(?:connect|getaddrinfo|listen|bind|spawn|send|recv)/;

function fileFault(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined;
  const { code } = thrown;
  const call = 'syscall' in thrown && typeof thrown.syscall === 'string' ? thrown.syscall : undefined;
  const path = 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : undefined;
  if (!/^E[A-Z0-9]+$/.test(code) || (call === undefined && path === undefined)) return undefined;
  if (call !== undefined && OTHER_CALLS.test(call)) return undefined;
  const what = path === undefined ? `The system refused a call (${call})` : `${shown(path)} cannot be used`;
  const why = systemReason(code);
  return `${what}: ${why === undefined ? code : `${why} (${code})`}.`;
}

/** The path with the home folder as `~` (contract, section 8). */
function shown(path: string): string {
  const home = process.env['HOME'] ?? process.env['USERPROFILE'] ?? '';
  const isBelow = home.length > 1 && path.startsWith(home) && /^[\\/]/.test(path.slice(home.length));
  return printable(isBelow ? `~${path.slice(home.length)}` : path);
}
