import type { RecoverResult } from '../engine/recover.ts';
import type { ApplyOptions } from '../engine/transaction.ts';
import type { ApplyResult, ApprovedPlan, Ledger } from '../engine/types.ts';
import type { UndoPlan } from '../engine/undo.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { readReplaced, saveReplaced } from './backups.ts';
import { openStateFolder, type StateFolder } from './folder.ts';
import { type History, readHistory } from './history.ts';
import { type Hash, type Journal, pendingJournal } from './journal.ts';
import { loadLedger, USER_LEDGER } from './ledger-store.ts';
import type { Lock } from './lock.ts';

/** The state folder as the commands of one root see it. */
export interface State {
  readonly folder: StateFolder;
  /** Both ledgers, read once; {@link State.apply} compares them with the disk before it writes. */
  ledgers(): { readonly root: Ledger; readonly user: Ledger };
  /** The interrupted apply of this root, if one is pending and no live run holds it. */
  pending(): Journal | undefined;
  readReplaced(id: string): Uint8Array | undefined;
  saveReplaced(id: string, bytes: Uint8Array): void;
  /** Folders that no link may lead into. */
  protectedDirs(): readonly AbsPath[];
  /** `bases`: ledger hashes of a plan that was not computed from {@link State.ledgers}. See `applyPlan`. */
  apply(
    plan: ApprovedPlan,
    options?: { readonly interrupted?: () => boolean; readonly bases?: ApplyOptions['ledgerBases'] },
  ): Promise<ApplyResult>;
  /** Takes the locks that {@link State.apply} would take, to be released by the caller; throws `state/busy`. */
  hold(user: boolean): Promise<readonly Lock[]>;
  undo(): Promise<UndoPlan | undefined>;
  recover(options?: { readonly undo?: boolean }): Promise<RecoverResult>;
  history(): History;
}

/**
 * Opens the state of a root without creating anything. Throws `state/unsafe` (exit 4); the calls throw
 * `state/unreadable` (exit 2) for a damaged file. The writing parts are loaded when they are used (cold start).
 */
export function openState(system: System, root: AbsPath): State {
  const folder = openStateFolder(system);
  let loaded: { ledgers: { root: Ledger; user: Ledger }; bases: { root: Hash; user: Hash } } | undefined;
  let held = { root: false, user: false };
  const load = () => {
    if (loaded === undefined) {
      const [own, user] = [loadLedger(system, folder, root), loadLedger(system, folder, USER_LEDGER)];
      loaded = {
        ledgers: { root: own.ledger, user: user.ledger },
        bases: { root: own.hash, user: user.hash },
      };
    }
    return loaded;
  };
  return {
    folder,
    ledgers: () => load().ledgers,
    pending: () => pendingJournal(system, folder, root),
    readReplaced: (id) => readReplaced(system, folder, root, id),
    saveReplaced: (id, bytes) => saveReplaced(system, folder, root, id, bytes),
    protectedDirs: () => [system.reader.realpath(folder.dir) ?? folder.dir],
    async apply(plan, options = {}) {
      const { applyPlan } = await import('../engine/transaction.ts');
      const ledgerBases = options.bases ?? load().bases;
      const { interrupted } = options;
      const result = await applyPlan(system, folder, plan, {
        ledgerBases:
          plan.ledgers.user === undefined
            ? { ...(ledgerBases.root === undefined ? {} : { root: ledgerBases.root }) }
            : ledgerBases,
        ...(interrupted === undefined ? {} : { interrupted }),
        held,
      });
      loaded = undefined;
      return result;
    },
    async hold(user) {
      const { takeLocks } = await import('../engine/transaction.ts');
      const locks = await takeLocks(system, folder, root, user);
      held = { root: true, user };
      loaded = undefined;
      return locks;
    },
    async undo() {
      const { undo } = await import('../engine/undo.ts');
      return undo(system, folder, root);
    },
    async recover(options = {}) {
      const { recover } = await import('../engine/recover.ts');
      loaded = undefined;
      return recover(system, folder, root, options);
    },
    history: () => readHistory(system, folder, root),
  };
}
