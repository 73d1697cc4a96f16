import type { Finding } from '../errors/error.ts';
import type { Place, Trace } from '../formats/format.ts';
import type { Json } from '../lib/json.ts';
import type { LeafChange } from './decide.ts';
import type { Extended } from './extended.ts';
import type { Action, Conflict, LedgerRecord } from './types.ts';
import type { Wish } from './wishes.ts';

/** A wish, a record, or both, at one address of a file. */
export interface Slot {
  readonly wish: Wish | undefined;
  readonly record: LedgerRecord | undefined;
}

/** How an address stands; the lists of `status`. */
export type Standing =
  | 'managed'
  | 'missing'
  | 'drifted'
  | 'stale'
  | 'external'
  | 'adoptable'
  | 'excluded'
  | 'conflict'
  | 'untrusted'
  | 'dormant';

/** The edit that a judgement asks for; traces come from the record. */
export type Step =
  | { readonly kind: 'insert'; readonly place: Place; readonly value: Json }
  | { readonly kind: 'update'; readonly place: Place; readonly change: LeafChange; readonly trace: Trace }
  | { readonly kind: 'put-back'; readonly place: Place; readonly backup: string }
  | { readonly kind: 'remove'; readonly place: Place; readonly trace: Trace }
  /** Takes ours out of an item that someone added to; with `instead`, ours then gets an item of its own again. */
  | {
      readonly kind: 'take-apart';
      readonly place: Place;
      readonly extended: Extended;
      readonly instead?: Wish;
    };

export interface Judgement {
  readonly slot: Slot;
  readonly address: string;
  readonly standing: Standing;
  readonly action?: Action;
  readonly reason: string;
  readonly step?: Step;
  readonly conflict?: Conflict;
  readonly findings: readonly Finding[];
  /** What becomes of the record. */
  readonly record: 'write' | 'same' | 'forget' | 'none';
  /** Owners that stay, where only some of them go. */
  readonly keepOwners?: LedgerRecord['owners'];
  /** Coding tools that stay, where only some of them go. */
  readonly keepRuntimes?: LedgerRecord['runtimes'];
  /** The user's value that `replace` puts aside. */
  readonly replaces?: Json;
  readonly external?: true;
  readonly excluded?: true;
}

/** What every judgement of one address begins with. */
export type Base = Pick<Judgement, 'slot' | 'address' | 'findings' | 'reason'>;
