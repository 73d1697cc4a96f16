import type { ErrorCode } from '../errors/error.ts';
import type { Format, Place } from '../formats/format.ts';
import { type Json, leavesOf } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { redactValue } from '../lib/secrets.ts';
import { enrolmentKey, formatAddress } from './address.ts';
import type { LeafChange } from './decide.ts';
import { fingerprint } from './fingerprint.ts';
import { drifted, leafNames } from './judge-words.ts';
import type { Base, Judgement } from './judgement.ts';
import type { Sighting } from './observe.ts';
import type { PlanRequest } from './plan-request.ts';
import type { Conflict, LedgerRecord } from './types.ts';
import type { Wish } from './wishes.ts';

/** An entry of somebody else stands where ours is wanted: a conflict, unless it was answered. */
export function judgeForeign(
  base: Base,
  sighting: Sighting,
  format: Format,
  request: PlanRequest,
): Judgement {
  const wish = base.slot.wish as Wish;
  const theirs = sighting.observed.value as Json;
  const answer = request.choices.resolve(base.address);
  if (answer === 'keep') {
    return { ...base, standing: 'excluded', reason: 'yours is kept', record: 'none', excluded: true };
  }
  if (answer === 'replace' || request.choices.force(base.address)) {
    return {
      ...base,
      standing: 'conflict',
      action: 'replace',
      reason: 'replaces yours, which uninstall puts back',
      step: { kind: 'update', place: sighting.place, change: replacement(theirs, wish.value), trace: {} },
      record: 'write',
      replaces: theirs,
    };
  }
  const where = sighting.observed.at === undefined ? '' : ` (line ${sighting.observed.at.line})`;
  const message =
    sighting.observed.byTag === true
      ? `an entry for the same script or integration is there already${where}, with other content`
      : `an entry that tenon did not write is there already${where}, with other content`;
  return conflicting(base, 'ownership/not-ours', message, wish, theirs, format);
}

/** The same endpoint or launch stands there under another name: two would show every tool twice (case C03). */
export function judgeDuplicate(
  base: Base,
  wish: Wish,
  format: Format,
  request: PlanRequest,
): Judgement | undefined {
  if (request.choices.force(base.address)) return undefined;
  const duplicate = request.duplicateOf(wish);
  if (duplicate === undefined) return undefined;
  const there = formatAddress(wish.target.path, { kind: 'key', path: duplicate.path });
  if (request.choices.resolve(base.address) === 'keep') {
    return {
      ...base,
      standing: 'excluded',
      reason: `${duplicate.name} is used instead`,
      record: 'none',
      excluded: true,
    };
  }
  const message = `${printable(duplicate.name)} (${printable(there)}) already is the same server under another name`;
  const conflict: Conflict = {
    address: base.address,
    code: 'ownership/duplicate-endpoint',
    message,
    choices: ['keep', 'force'],
    ours: redactValue(wish.value),
    remedy: `--resolve '${base.address}=keep' uses the one that is there, --force '${base.address}' adds ours beside it`,
    runtimes: wish.runtimes,
    snippet: format.snippet(wish.target.place, redactValue(wish.value)),
  };
  return { ...base, standing: 'conflict', reason: message, conflict, record: 'same' };
}

/** The user and the definition changed the same leaves. */
export function judgeBothChanged(
  base: Base,
  leaves: readonly string[],
  sighting: Sighting,
  format: Format,
  request: PlanRequest,
): Judgement {
  const wish = base.slot.wish as Wish;
  const theirs = sighting.observed.value as Json;
  const answer = request.choices.resolve(base.address);
  if (answer === 'keep') {
    return {
      ...base,
      standing: 'drifted',
      action: 'keep',
      reason: 'yours is kept',
      record: 'same',
      findings: [drifted(base.address, leaves, 'kept')],
    };
  }
  if (answer === 'replace') {
    const wanted = leavesOf(wish.value);
    const set = new Map(
      leaves.flatMap((leaf) => (wanted.has(leaf) ? [[leaf, wanted.get(leaf) as Json]] : [])),
    );
    return {
      ...base,
      standing: 'drifted',
      action: 'replace',
      reason: `replaces your ${leafNames(leaves)}`,
      step: {
        kind: 'update',
        place: sighting.place,
        change: { set, unset: leaves.filter((leaf) => !wanted.has(leaf)) },
        trace: base.slot.record?.trace ?? {},
      },
      record: 'write',
    };
  }
  const message = `you changed ${leafNames(leaves)} after tenon wrote it, and the definition changes the same`;
  return conflicting(base, 'ownership/both-changed', message, wish, theirs, format);
}

function conflicting(
  base: Base,
  code: ErrorCode,
  message: string,
  wish: Wish,
  theirs: Json,
  format: Format,
): Judgement {
  const conflict: Conflict = {
    address: base.address,
    code,
    message,
    choices: ['keep', 'replace'],
    ours: redactValue(wish.value),
    theirs: redactValue(theirs),
    remedy: `--resolve '${base.address}=keep' leaves yours, --resolve '${base.address}=replace' takes ours`,
    runtimes: wish.runtimes,
    snippet: format.snippet(wish.target.place, redactValue(wish.value)),
  };
  return { ...base, standing: 'conflict', reason: message, conflict, record: 'same' };
}

/**
 * Another integration that is set up here owns the entry too, and this wish is another value than it asked for, or owns
 * one around or inside it: different or nested wishes are a conflict (contract, section 4), also when only one of them is
 * planned now.
 */
export function judgeOverlap(base: Base, format: Format, request: PlanRequest): Judgement | undefined {
  const { wish, record } = base.slot;
  if (wish === undefined) return undefined;
  if (record === undefined) return judgeNested(base, wish, format, request);
  const others = otherOwners(record, wish, request);
  if (others.length === 0 || record.generations.at(-1)?.print === fingerprint(wish.value).print) return;
  return overlapping(base, wish, `${others.join(', ')} has set up something else at this address`, format);
}

function judgeNested(base: Base, wish: Wish, format: Format, request: PlanRequest): Judgement | undefined {
  const { path, place } = wish.target;
  const { ledgers, root } = request;
  const around = [
    ...ledgers.root.records,
    ...ledgers.user.records.filter((one) => one.scope === 'user' || one.root === root),
  ].filter((one) => one.path === path && (encloses(one.place, place) || encloses(place, one.place)));
  for (const record of around) {
    const others = otherOwners(record, wish, request);
    if (others.length === 0) continue;
    const at = printable(formatAddress(record.path, record.place));
    const where = encloses(record.place, place) ? `inside ${at}` : `around ${at}`;
    return overlapping(base, wish, `it lies ${where}, which ${others.join(', ')} has set up`, format);
  }
  return undefined;
}

/** Whether one place holds another that is not the same: a member of a member, or an item of an array in it. */
const encloses = (outer: Place, inner: Place): boolean =>
  outer.kind === 'key' &&
  (inner.kind === 'key' || inner.kind === 'item') &&
  outer.path.length < inner.path.length + (inner.kind === 'item' ? 1 : 0) &&
  outer.path.every((name, index) => inner.path[index] === name);

/** The integrations that are set up here and own a record, and do not want this too. */
const otherOwners = (record: LedgerRecord, wish: Wish, { known }: PlanRequest): string[] =>
  record.owners
    .map(({ integration }) => integration)
    .filter((one) => !wish.owners.some(({ integration }) => integration === one))
    .filter((one) => known.listed.has(enrolmentKey(one, record.scope)))
    .map(printable);

function overlapping(base: Base, wish: Wish, message: string, format: Format): Judgement {
  const conflict: Conflict = {
    address: base.address,
    code: 'ownership/overlap',
    message,
    choices: [],
    ours: redactValue(wish.value),
    remedy: 'Take the other one out first, or leave one of them out with --without or --runtime',
    runtimes: wish.runtimes,
    snippet: format.snippet(wish.target.place, redactValue(wish.value)),
  };
  return { ...base, standing: 'conflict', reason: message, conflict, record: 'same' };
}

/** Every leaf of theirs that ours does not have goes, every other one becomes ours. */
function replacement(theirs: Json, ours: Json): LeafChange {
  const before = fingerprint(theirs).leaves;
  const after = fingerprint(ours).leaves;
  if (before[''] !== undefined || after[''] !== undefined) return { set: new Map([['', ours]]), unset: [] };
  const values = leavesOf(ours);
  const set = new Map<string, Json>();
  for (const [pointer, value] of values) if (before[pointer] !== after[pointer]) set.set(pointer, value);
  return { set, unset: Object.keys(before).filter((pointer) => after[pointer] === undefined) };
}
