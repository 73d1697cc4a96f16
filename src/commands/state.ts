import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { shownWord, usageError } from '../cli/usage-error.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import { toError } from '../errors/to-error.ts';
import { printable } from '../lib/printable.ts';
import { renderState } from '../reporting/state-view.ts';
import { plural } from '../reporting/text.ts';
import type { Outcome } from '../reporting/types.ts';
import { openStateFolder } from '../state/folder.ts';
import { isEmptyLedger, loadLedger } from '../state/ledger-store.ts';
import { takeLock } from '../state/lock.ts';
import { findBroken, importLedger, setAside } from '../state/maintain.ts';
import { orphanedLedgers, parseExport, rebindLedger, type StateExport } from '../state/rebind.ts';
import { maskHome, pathsOf } from '../system/paths.ts';
import { matchesHere } from './shared/moved.ts';
import { writeNewFile } from './shared/new-file.ts';
import { rootOf } from './shared/workspace.ts';

/** An exported ledger is small; more than this is none. */
const MAX_BYTES = 64 * 1024 * 1024;

/** `tenon state export|import|repair`: the state of this root on this host. Files of the repository are never touched. */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const [action = '', file] = args.positionals;
  if (action === 'repair' && file !== undefined) {
    throw usageError(
      'usage/unexpected-argument',
      `tenon state repair does not take the argument "${shownWord(file)}".`,
      'Leave it out.',
      'tenon state --help',
    );
  }
  const { system } = context;
  const { root } = rootOf(context);
  const folder = openStateFolder(system);
  if (action === 'export') {
    return exported(context, file, {
      schema: 'tenon/state/v1',
      ledger: loadLedger(system, folder, root).ledger,
    });
  }
  if (action === 'import') return imported(context, file);
  const lock = await takeLock(system, folder, root);
  try {
    return await repaired(context);
  } finally {
    lock.release();
  }
}

function outcome(
  data: Record<string, unknown>,
  lines: readonly string[],
  findings: readonly Finding[] = [],
): Outcome {
  const exit = findings.some(({ severity }) => severity === 'error') ? 1 : 0;
  return { command: 'state', exit, data, findings, human: (theme) => renderState(lines, findings, theme) };
}

function exported(context: Context, file: string | undefined, state: StateExport): Outcome {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  if (file === undefined) {
    return { ...outcome({ action: 'export', ...state }, []), raw: text, human: () => text };
  }
  const { system } = context;
  const abs = pathsOf(system.host.platform).resolve(system.host.cwd, file);
  writeNewFile(context, { abs, shown: file, text, mode: 0o600 });
  return outcome({ action: 'export', file, records: state.ledger.records.length }, [
    `Exported ${plural(state.ledger.records.length, 'record')} to ${file}.`,
  ]);
}

async function imported(context: Context, file: string | undefined): Promise<Outcome> {
  const { system } = context;
  if (file === undefined) throw usageError('usage/arguments', 'no file is named', 'tenon state import FILE');
  const { root } = rootOf(context);
  const folder = openStateFolder(system);
  const abs = pathsOf(system.host.platform).resolve(system.host.cwd, file);
  const isFile = system.reader.stat(abs)?.kind === 'file';
  const bytes = isFile ? system.reader.readFile(abs, MAX_BYTES) : undefined;
  if (bytes === undefined) {
    const why = system.reader.stat(abs) === undefined ? 'does not exist' : 'is no file';
    throw new TenonError('state/unreadable', `${printable(file)} ${why}`, {
      exit: 2,
      remedy: { text: 'Name an exported state' },
    });
  }
  const ledger = parseExport(system, file, new TextDecoder().decode(bytes), root);
  await importLedger(system, folder, ledger);
  return outcome({ action: 'import', records: ledger.records.length }, [
    `Imported ${plural(ledger.records.length, 'record')}. Only what is unchanged since counts as ours; see tenon status.`,
  ]);
}

/** Sets damaged files aside, and takes over the ledger of a checkout that moved here. */
async function repaired(context: Context): Promise<Outcome> {
  const { system } = context;
  const { root } = rootOf(context);
  const folder = openStateFolder(system);
  const lines: string[] = [];
  const aside: string[] = [];
  const findings: Finding[] = [];
  for (const { path, message, unread } of findBroken(system, folder)) {
    if (unread) {
      const subject = maskHome(path, system.host.home);
      findings.push({ code: 'state/unreadable', severity: 'error', subject, message });
      continue;
    }
    const moved = maskHome(setAside(system, path), system.host.home);
    aside.push(moved);
    lines.push(`Set aside: ${moved}`, `  ${message}`);
  }
  if (aside.length > 0) lines.push('Entries that are as the manifest says can be taken over: tenon adopt');
  let movedFrom: string | undefined;
  try {
    if (findings.length === 0 && isEmptyLedger(loadLedger(system, folder, root).ledger)) {
      for (const { path, ledger } of orphanedLedgers(system, folder)) {
        if (!(await matchesHere(context, root, ledger))) continue;
        const left = rebindLedger(system, folder, path, ledger, root);
        if (left !== undefined)
          findings.push({
            code: 'state/leftover',
            severity: 'warning',
            subject: 'state',
            message: left.message,
          });
        movedFrom = maskHome(String(ledger.root), system.host.home);
        lines.push(
          `This checkout was at ${movedFrom}; what it recorded (${plural(ledger.records.length, 'entry', 'entries')}) belongs to this folder now.`,
        );
        break;
      }
    }
  } catch (error) {
    const fault = toError(error, false);
    if (aside.length === 0 || fault.code === 'internal/bug') throw error;
    // What was set aside is told, and that the rest could not be looked at.
    findings.push({ code: 'state/unreadable', severity: 'error', subject: 'state', message: fault.message });
  }
  if (lines.length === 0 && findings.length === 0)
    lines.push('Nothing to repair: the state of this root can be read.');
  return outcome({ action: 'repair', setAside: aside, movedFrom: movedFrom ?? null }, lines, findings);
}
