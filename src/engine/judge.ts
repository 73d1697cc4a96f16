import type { ErrorCode, Finding } from '../errors/error.ts';
import type { Format, Place, Trace } from '../formats/format.ts';
import { assertNever } from '../lib/assert-never.ts';
import { type Json, leavesOf } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { redactValue } from '../lib/secrets.ts';
import { formatAddress } from './address.ts';
import { type Decision, decide, type LeafChange } from './decide.ts';
import { fingerprint } from './fingerprint.ts';
import type { Sighting } from './observe.ts';
import type { PlanRequest, Uncovered } from './plan-request.ts';
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
  | { readonly kind: 'remove'; readonly place: Place; readonly trace: Trace };

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
  /** The user's value that `replace` puts aside. */
  readonly replaces?: Json;
  readonly external?: true;
  readonly excluded?: true;
}

/** Judges one address: the ownership table, then the operator's answers, trust and exclusions. Pure. */
export function judge(slot: Slot, sighting: Sighting, format: Format, request: PlanRequest): Judgement {
  const { wish, record } = slot;
  const path = (wish?.target ?? record)?.path ?? '';
  const address = formatAddress(path, wish?.target.place ?? sighting.place);
  const base = { slot, address, findings: [], reason: '' } as const;

  if (wish === undefined && record !== undefined) {
    const uncovered = request.uncovered(record);
    if (uncovered !== 'remove') return judgeUncovered(base, uncovered, sighting, record);
  }
  if (wish !== undefined && record === undefined && request.known.excluded.has(address)) {
    return { ...base, standing: 'excluded', reason: 'left out on purpose', record: 'none', excluded: true };
  }
  const decision = decide({
    recorded: record?.generations ?? [],
    observed: sighting.observed,
    desired: wish?.value,
    switches: wish?.switches ?? record?.switches ?? [],
    force: request.choices.force(address),
    restore: request.choices.restore(address),
  });
  const judgement = fromDecision(decision, base, sighting, format, request);
  return wish?.main.trust === 'untrusted' && judgement.step !== undefined
    ? withheld(judgement, wish)
    : judgement;
}

type Base = Pick<Judgement, 'slot' | 'address' | 'findings' | 'reason'>;

function judgeUncovered(
  base: Base,
  uncovered: Exclude<Uncovered, 'remove'>,
  sighting: Sighting,
  record: LedgerRecord,
): Judgement {
  const present = sighting.observed.state === 'present';
  if (uncovered === 'leave') return { ...base, standing: present ? 'managed' : 'dormant', record: 'same' };
  if (uncovered === 'stale') {
    if (!present) return { ...base, standing: 'dormant', record: 'same' };
    const finding: Finding = {
      code: 'ownership/stale',
      severity: 'warning',
      subject: base.address,
      message: `no definition asks for this entry of ${record.owners.map(({ integration }) => integration).join(', ')} any more`,
      remedy: { text: 'Take it out', command: 'tenon sync --prune' },
    };
    return { ...base, standing: 'stale', record: 'same', findings: [finding] };
  }
  return {
    ...base,
    standing: 'managed',
    action: 'forget',
    reason: `still owned by ${uncovered.keepOwners.map(({ integration }) => integration).join(', ')}`,
    record: 'write',
    keepOwners: uncovered.keepOwners,
  };
}

function withheld(judgement: Judgement, wish: Wish): Judgement {
  const { step: _step, action: _action, conflict: _conflict, ...rest } = judgement;
  return {
    ...rest,
    standing: 'untrusted',
    reason: 'comes from the repository and is not trusted on this host',
    record: 'same',
    findings: [
      ...judgement.findings,
      {
        code: 'trust/required',
        severity: 'warning',
        subject: judgement.address,
        message: `not written: ${wish.main.summary} comes from the repository and is not trusted on this host`,
        remedy: { text: 'Review it and grant it', command: 'tenon trust' },
      },
    ],
  };
}

function fromDecision(
  decision: Decision,
  base: Base,
  sighting: Sighting,
  format: Format,
  request: PlanRequest,
): Judgement {
  const { slot, address } = base;
  const { wish, record } = slot;
  const place = sighting.place;
  const trace = record?.trace ?? {};
  switch (decision.kind) {
    case 'nothing':
      return { ...base, standing: 'dormant', record: 'none' };
    case 'create': {
      const duplicate =
        record === undefined && wish !== undefined ? judgeDuplicate(base, wish, format, request) : undefined;
      if (duplicate !== undefined) return duplicate;
      return {
        ...base,
        standing: 'missing',
        action: record === undefined ? 'create' : 'restore',
        reason: record === undefined ? 'not there yet' : 'brought back',
        step: { kind: 'insert', place: wish?.target.place ?? place, value: wish?.value ?? null },
        record: 'write',
      };
    }
    case 'reuse':
      return isListed(base, request)
        ? adoptable(base)
        : {
            ...base,
            standing: 'external',
            action: 'reuse',
            reason: 'there already with an equal value; not owned',
            record: 'none',
            external: true,
          };
    case 'not-ours':
      return isOursElsewhere(base, sighting, request)
        ? adoptable(base)
        : judgeForeign(base, sighting, format, request);
    case 'keep':
      return { ...base, standing: 'managed', action: 'keep', reason: 'as written', record: 'write' };
    case 'refresh':
      return {
        ...base,
        standing: 'managed',
        action: 'refresh',
        reason: 'equal already; the record is brought up to date',
        record: 'write',
      };
    case 'update':
      return {
        ...base,
        standing: 'stale',
        action: 'update',
        reason: changes(decision.change),
        step: { kind: 'update', place, change: decision.change, trace },
        record: 'write',
      };
    case 'restore':
      return {
        ...base,
        standing: 'drifted',
        action: 'restore',
        reason: `forced: ${changes(decision.change)}`,
        step: { kind: 'update', place, change: decision.change, trace },
        record: 'write',
      };
    case 'merge':
      return {
        ...base,
        standing: 'stale',
        action: 'merge',
        reason: `${changes(decision.change)}; keeps your ${leafNames(decision.theirs)}`,
        step: { kind: 'update', place, change: decision.change, trace },
        record: 'write',
        findings: [drifted(address, decision.theirs, 'kept', request.command)],
      };
    case 'drift':
      return {
        ...base,
        standing: 'drifted',
        action: 'keep',
        reason: `edited after tenon wrote it (${leafNames(decision.theirs)})`,
        record: 'same',
        findings: [drifted(address, decision.theirs, 'kept', request.command)],
      };
    case 'both-changed':
      return judgeBothChanged(base, decision.theirs, sighting, format, request);
    case 'removed-by-user':
      return {
        ...base,
        standing: 'missing',
        reason: 'removed by hand; left out',
        record: 'same',
        findings: [
          {
            code: 'ownership/removed',
            severity: 'warning',
            subject: address,
            message: 'was removed after tenon wrote it, and is left out',
            remedy: { text: 'Bring it back', command: `tenon sync --restore '${address}'` },
          },
        ],
      };
    case 'remove':
      return {
        ...base,
        standing: 'managed',
        action: 'remove',
        reason: 'as written',
        step:
          record?.replaced === undefined
            ? { kind: 'remove', place, trace }
            : { kind: 'put-back', place, backup: record.replaced.backup },
        record: 'forget',
      };
    case 'keep-edited':
      return {
        ...base,
        standing: 'drifted',
        action: 'keep',
        reason: `edited after tenon wrote it (${leafNames(decision.theirs)})`,
        record: 'same',
        findings: [drifted(address, decision.theirs, 'kept', request.command)],
      };
    case 'dormant':
      return { ...base, standing: 'dormant', record: request.command === 'uninstall' ? 'forget' : 'same' };
    default:
      return assertNever(decision);
  }
}

/** The manifest says that this was set up here, so an equal entry is ours, written on another host. */
const isListed = ({ slot, address }: Base, request: PlanRequest): boolean =>
  (slot.wish?.owners ?? []).some(({ integration }) => request.known.listed.has(integration)) &&
  !request.known.external.has(address);

/** The same for an entry to which somebody added leaves, or whose switch was flipped: no edit of what is ours. */
function isOursElsewhere(base: Base, sighting: Sighting, request: PlanRequest): boolean {
  const { wish } = base.slot;
  if (wish === undefined || sighting.observed.byTag === true || !isListed(base, request)) return false;
  const wanted = fingerprint(wish.value).leaves;
  const seen = fingerprint(sighting.observed.value as Json).leaves;
  return Object.keys(wanted).every(
    (pointer) => wanted[pointer] === seen[pointer] || wish.switches.includes(pointer),
  );
}

const adoptable = (base: Base): Judgement => ({
  ...base,
  standing: 'adoptable',
  action: 'keep',
  reason: 'set up on another host; tenon adopt takes it',
  record: 'none',
});

const leafName = (pointer: string): string =>
  pointer === '' ? 'its value' : pointer.slice(1).replaceAll('/', '.');
const leafNames = (pointers: readonly string[]): string => pointers.map(leafName).join(', ');

function changes(change: LeafChange): string {
  const parts = [];
  if (change.set.size > 0) parts.push(`sets ${leafNames([...change.set.keys()])}`);
  if (change.unset.length > 0) parts.push(`takes out ${leafNames(change.unset)}`);
  return parts.join(', ');
}

function drifted(address: string, theirs: readonly string[], outcome: string, command: string): Finding {
  const verb = command === 'uninstall' ? 'uninstall' : 'sync';
  return {
    code: 'ownership/drifted',
    severity: 'error',
    subject: address,
    message: `was edited after tenon wrote it (${leafNames(theirs)}); ${outcome}`,
    remedy:
      verb === 'uninstall'
        ? { text: 'Remove it by hand, or force it', command: `tenon uninstall --force '${address}'` }
        : { text: 'Restore what tenon wrote', command: `tenon sync --force '${address}'` },
    data: { leaves: [...theirs] },
  };
}

function judgeForeign(base: Base, sighting: Sighting, format: Format, request: PlanRequest): Judgement {
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
function judgeDuplicate(base: Base, wish: Wish, format: Format, request: PlanRequest): Judgement | undefined {
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

function judgeBothChanged(
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
      findings: [drifted(base.address, leaves, 'kept', request.command)],
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
