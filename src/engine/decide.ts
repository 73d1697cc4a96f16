import { type Json, leavesOf } from '../lib/json.ts';
import { fingerprint } from './fingerprint.ts';
import type { Fingerprint, Generation, Observed } from './types.ts';

/** What to do at one address. `set` and `unset` are leaves relative to the entry. */
export type Decision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'create' }
  | { readonly kind: 'reuse' }
  | { readonly kind: 'not-ours' }
  | { readonly kind: 'keep' }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'update' | 'restore'; readonly change: LeafChange }
  | { readonly kind: 'merge'; readonly change: LeafChange; readonly theirs: readonly string[] }
  | { readonly kind: 'drift'; readonly theirs: readonly string[] }
  | { readonly kind: 'both-changed'; readonly theirs: readonly string[] }
  | { readonly kind: 'removed-by-user' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'keep-edited'; readonly theirs: readonly string[] }
  | { readonly kind: 'dormant' };

export interface LeafChange {
  readonly set: ReadonlyMap<string, Json>;
  readonly unset: readonly string[];
}

export interface DecideInput {
  /** Recorded generations, oldest first; empty = not ours. */
  readonly recorded: readonly Generation[];
  readonly observed: Observed;
  /** undefined = nothing is wanted here any more. */
  readonly desired: Json | undefined;
  /** Leaves that the spec lists as the user's switches: adding one is no edit. */
  readonly switches: readonly string[];
  /** `--force ADDRESS`: restore or remove although it was edited. */
  readonly force: boolean;
  /** `--restore ADDRESS`, or the answer at a terminal: bring back what the user removed. */
  readonly restore: boolean;
}

type Leaves = Readonly<Record<string, Fingerprint>>;

const isSwitch = (pointer: string, switches: readonly string[]): boolean =>
  switches.some((known) => pointer === known || pointer.startsWith(`${known}/`));

/** Leaves of a generation that the observed value does not hold unchanged; a flipped switch is no change. */
const changedLeaves = (recorded: Leaves, seen: Leaves, switches: readonly string[]): string[] =>
  Object.keys(recorded).filter(
    (pointer) => recorded[pointer] !== seen[pointer] && !isSwitch(pointer, switches),
  );

/** The newest recorded generation that the observed value still holds in full, or undefined. */
function matching(input: DecideInput, seen: Leaves): Generation | undefined {
  return input.recorded.findLast(
    (generation) => changedLeaves(generation.leaves, seen, input.switches).length === 0,
  );
}

/**
 * The ownership table of the contract, section 4, read from the top. Pure.
 * "Untouched" compares with one recorded generation at a time; leaves that the user added are the user's.
 */
export function decide(input: DecideInput): Decision {
  const { recorded, observed, desired } = input;
  const newest = recorded.at(-1);
  const present = observed.state === 'present';
  if (newest === undefined) {
    if (desired === undefined) return { kind: 'nothing' };
    if (!present) return { kind: 'create' };
    return sameValue(observed, desired) ? { kind: 'reuse' } : { kind: 'not-ours' };
  }
  if (!present) {
    if (desired === undefined) return { kind: 'dormant' };
    return input.restore ? { kind: 'create' } : { kind: 'removed-by-user' };
  }
  const seen = fingerprint(observed.value as Json).leaves;
  return desired === undefined
    ? decideRemoval(input, seen, newest)
    : decideUpdate(input, seen, newest, desired);
}

function sameValue(observed: Observed, desired: Json): boolean {
  return observed.byTag !== true && fingerprint(observed.value as Json).print === fingerprint(desired).print;
}

function decideRemoval(input: DecideInput, seen: Leaves, newest: Generation): Decision {
  const match = matching(input, seen);
  const changed = match === undefined ? changedLeaves(newest.leaves, seen, input.switches) : [];
  const added = Object.keys(seen).filter((pointer) => (match ?? newest).leaves[pointer] === undefined);
  const foreign = added.filter((pointer) => !isSwitch(pointer, input.switches));
  const theirs = [...changed, ...foreign].sort();
  return theirs.length === 0 || input.force ? { kind: 'remove' } : { kind: 'keep-edited', theirs };
}

function decideUpdate(input: DecideInput, seen: Leaves, newest: Generation, desired: Json): Decision {
  const wanted = fingerprint(desired);
  const match = matching(input, seen);
  const values = leavesOf(desired);
  const pick = (pointers: readonly string[]): ReadonlyMap<string, Json> =>
    new Map(pointers.map((pointer) => [pointer, values.get(pointer) as Json]));
  const flipped = (pointer: string): boolean =>
    !input.force && isSwitch(pointer, input.switches) && newest.leaves[pointer] !== seen[pointer];
  const differing = Object.keys(wanted.leaves).filter(
    (pointer) => wanted.leaves[pointer] !== seen[pointer] && !flipped(pointer),
  );

  if (match !== undefined) {
    const gone = Object.keys(match.leaves).filter(
      (pointer) => wanted.leaves[pointer] === undefined && seen[pointer] !== undefined,
    );
    if (differing.length === 0 && gone.length === 0) {
      return { kind: newest.print === wanted.print ? 'keep' : 'refresh' };
    }
    return { kind: 'update', change: { set: pick(differing), unset: gone } };
  }

  const theirs = changedLeaves(newest.leaves, seen, input.switches).sort();
  if (input.force) {
    const gone = Object.keys(newest.leaves).filter(
      (pointer) => wanted.leaves[pointer] === undefined && seen[pointer] !== undefined,
    );
    return { kind: 'restore', change: { set: pick(differing), unset: gone } };
  }
  // A leaf that the user changed and that the definition gives up is changed by both: it is neither ours nor added.
  const givenUp = theirs.filter(
    (pointer) => wanted.leaves[pointer] === undefined && seen[pointer] !== undefined,
  );
  if (differing.length === 0 && givenUp.length === 0) return { kind: 'refresh' };
  if (newest.print === wanted.print) return { kind: 'drift', theirs };

  const oursChanged = [...new Set([...Object.keys(wanted.leaves), ...Object.keys(newest.leaves)])].filter(
    (pointer) => wanted.leaves[pointer] !== newest.leaves[pointer],
  );
  const clash = oursChanged.filter(
    (pointer) => theirs.includes(pointer) && wanted.leaves[pointer] !== seen[pointer],
  );
  if (clash.length > 0) return { kind: 'both-changed', theirs: clash.sort() };
  const set = oursChanged.filter(
    (pointer) => wanted.leaves[pointer] !== undefined && wanted.leaves[pointer] !== seen[pointer],
  );
  const unset = oursChanged.filter(
    (pointer) => wanted.leaves[pointer] === undefined && seen[pointer] !== undefined,
  );
  if (set.length === 0 && unset.length === 0) return { kind: 'drift', theirs };
  return { kind: 'merge', change: { set: pick(set), unset }, theirs };
}
