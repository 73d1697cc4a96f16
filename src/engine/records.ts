import type { Place, Trace } from '../formats/format.ts';
import { type Json, toPointer } from '../lib/json.ts';
import { isOutside } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import { identityOf } from './address.ts';
import { fingerprint } from './fingerprint.ts';
import type { Generation, LedgerRecord, Owner } from './types.ts';
import type { Wish } from './wishes.ts';

/** How many values of one address the ledger remembers (contract, section 5). */
const MAX_GENERATIONS = 20;

export const recordIdentity = (record: LedgerRecord): string =>
  identityOf(record.path, record.place, record.owners[0]);

/** Every identity that a wish for this record may have: a tagged item has one for each owner. */
export const recordIdentities = (record: LedgerRecord): string[] => [
  ...new Set([
    recordIdentity(record),
    ...record.owners.map((owner) => identityOf(record.path, record.place, owner)),
  ]),
];

/** Whether a record is the item that a wish of another owner wants, equal as it was written last. */
export function isSharedItem(record: LedgerRecord, wish: Wish): boolean {
  const [own, other] = [record.place, wish.target.place];
  return (
    own.kind === 'item' &&
    other.kind === 'item' &&
    own.tag !== undefined &&
    own.tag === other.tag &&
    record.path === wish.target.path &&
    toPointer(own.path) === toPointer(other.path) &&
    record.generations.at(-1)?.print === fingerprint(wish.value).print
  );
}

function generationOf(value: Json, place: Place): Generation {
  const { print, leaves } = fingerprint(value);
  return place.kind === 'item' ? { print, leaves, value } : { print, leaves };
}

/** Puts a value at the end of the recorded ones; the same list when it is the newest already. */
function withGeneration(
  generations: readonly Generation[],
  value: Json,
  place: Place,
): readonly Generation[] {
  const next = generationOf(value, place);
  if (generations.at(-1)?.print === next.print) return generations;
  return [...generations.filter(({ print }) => print !== next.print), next].slice(-MAX_GENERATIONS);
}

const sameOwner = (a: Owner, b: Owner): boolean =>
  a.integration === b.integration && a.artifact === b.artifact;

/** The record after a wish was written, kept or found equal. `trace` is undefined where nothing was edited. */
export function recordOf(
  wish: Wish,
  before: LedgerRecord | undefined,
  trace: Trace | undefined,
  root: AbsPath,
): LedgerRecord {
  const others = (before?.owners ?? []).filter((owner) => !wish.owners.some((own) => sameOwner(own, owner)));
  const outside = isOutside(wish.target.path);
  return {
    path: wish.target.path,
    format: wish.target.format,
    place: wish.target.place,
    owners: [
      ...wish.owners,
      ...others.filter(({ integration }) => !wish.owners.some((own) => own.integration === integration)),
    ],
    // In one order, whatever the order of the command line: the manifest's is another, and the next run has that one.
    runtimes: [...new Set([...wish.runtimes, ...(others.length > 0 ? (before?.runtimes ?? []) : [])])].sort(),
    scope: wish.main.scope,
    classes: wish.classes,
    switches: wish.switches,
    generations: withGeneration(before?.generations ?? [], wish.value, wish.target.place),
    trace: trace ?? before?.trace ?? {},
    ...(before?.replaced === undefined ? {} : { replaced: before.replaced }),
    ...(outside && wish.main.scope !== 'user' ? { root } : {}),
    order: wish.main.order,
  };
}
