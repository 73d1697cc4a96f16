import type { Finding } from '../errors/error.ts';
import type { Format, Place } from '../formats/format.ts';
import { assertNever } from '../lib/assert-never.ts';
import { equalJson, type Json } from '../lib/json.ts';
import { enrolmentKey, formatAddress } from './address.ts';
import { type Decision, decide } from './decide.ts';
import type { Extended } from './extended.ts';
import { fingerprint } from './fingerprint.ts';
import { judgeBothChanged, judgeDuplicate, judgeForeign, judgeOverlap } from './judge-conflicts.ts';
import { judgeFlip } from './judge-flip.ts';
import { changes, drifted, editedAndStale, keptEdited, leafNames } from './judge-words.ts';
import type { Base, Judgement, Slot } from './judgement.ts';
import type { Sighting } from './observe.ts';
import type { PlanRequest, Uncovered } from './plan-request.ts';
import type { LedgerRecord } from './types.ts';
import type { Wish } from './wishes.ts';

/** Judges one address: the ownership table, then the operator's answers, trust and exclusions. Pure. */
export function judge(slot: Slot, sighting: Sighting, format: Format, request: PlanRequest): Judgement {
  const { wish, record } = slot;
  const path = (wish?.target ?? record)?.path ?? '';
  const address = formatAddress(path, wish?.target.place ?? sighting.place);
  const base = { slot, address, findings: [], reason: '' } as const;

  if (request.flip !== undefined) return judgeFlip(base, sighting, request.flip);
  if (wish === undefined && record !== undefined) {
    const uncovered = request.uncovered(record);
    if (uncovered !== 'remove') return judgeUncovered(base, uncovered, sighting, record);
  }
  if (wish !== undefined && record === undefined && staysOut(address, wish, sighting, request)) {
    return { ...base, standing: 'excluded', reason: 'left out on purpose', record: 'none' };
  }
  if (record !== undefined && sighting.extended !== undefined && !request.choices.force(address)) {
    const judgement = judgeExtended(base, sighting.place, sighting.extended);
    return wish?.main.trust === 'untrusted' && judgement.step !== undefined
      ? withheld(judgement, wish, request)
      : judgement;
  }
  const decision = decide({
    recorded: record?.generations ?? [],
    observed: sighting.observed,
    desired: wish?.value,
    switches: wish?.switches ?? record?.switches ?? [],
    force: request.choices.force(address),
    restore: request.choices.restore(address) || (wish !== undefined && !isSetUp(wish, request)),
  });
  const overlap = judgeOverlap(base, format, request);
  const judgement = overlap ?? fromDecision(decision, base, sighting, format, request);
  return wish?.main.trust === 'untrusted' && judgement.step !== undefined
    ? withheld(judgement, wish, request)
    : judgement;
}

/** Someone put a handler of his own into our group: ours is untouched, and only ours changes or goes. */
function judgeExtended(base: Base, place: Place, extended: Extended): Judgement {
  const { wish } = base.slot;
  const beside = 'what you added to it stays';
  if (wish === undefined) {
    return {
      ...base,
      standing: 'managed',
      action: 'remove',
      reason: beside,
      step: { kind: 'take-apart', place, extended },
      record: 'forget',
    };
  }
  if (equalJson(wish.value, extended.recorded)) {
    return { ...base, standing: 'managed', action: 'keep', reason: `as written; ${beside}`, record: 'write' };
  }
  return {
    ...base,
    standing: 'stale',
    action: 'update',
    reason: `becomes an entry of its own again; ${beside}`,
    step: { kind: 'take-apart', place, extended, instead: wish },
    record: 'write',
  };
}

/**
 * Left out by its address, or by what it is: the address of an item changes with its value. `--restore` brings it back where
 * nothing stands; what stands there was given up, and is its owner's.
 */
const staysOut = (
  address: string,
  wish: Wish,
  { observed }: Sighting,
  { known, choices }: PlanRequest,
): boolean =>
  (known.excluded.has(address) || known.excluded.has(wish.identity)) &&
  !(observed.state === 'absent' && choices.restore(address));

function judgeUncovered(
  base: Base,
  uncovered: Exclude<Uncovered, 'remove'>,
  sighting: Sighting,
  record: LedgerRecord,
): Judgement {
  const present = sighting.observed.state === 'present';
  if (uncovered === 'leave') return { ...base, standing: present ? 'managed' : 'dormant', record: 'same' };
  if (uncovered === 'forget') {
    return { ...base, standing: 'dormant', action: 'forget', reason: 'yours from now on', record: 'forget' };
  }
  if (uncovered === 'stale') {
    if (!present) return { ...base, standing: 'dormant', record: 'same' };
    const finding: Finding = {
      code: 'ownership/stale',
      severity: 'warning',
      subject: base.address,
      message: `no definition asks for this entry of ${record.owners.map(({ integration }) => integration).join(', ')} any more`,
      remedy: { text: 'Take it out', command: 'tenon sync --prune' },
      ...(isEdited(sighting, record) ? editedAndStale(base.address, record) : {}),
    };
    return { ...base, standing: 'stale', record: 'same', findings: [finding] };
  }
  return {
    ...base,
    standing: 'managed',
    action: 'forget',
    reason:
      uncovered.keepRuntimes === undefined
        ? `still owned by ${uncovered.keepOwners.map(({ integration }) => integration).join(', ')}`
        : `still used by ${uncovered.keepRuntimes.join(', ')}`,
    record: 'write',
    ...uncovered,
  };
}

const isEdited = ({ observed }: Sighting, { generations, switches }: LedgerRecord): boolean =>
  decide({ recorded: generations, observed, desired: undefined, switches, force: false, restore: false })
    .kind === 'keep-edited';

function withheld(judgement: Judgement, wish: Wish, request: PlanRequest): Judgement {
  const { step: _step, action: _action, conflict: _conflict, ...rest } = judgement;
  const isTyped = wish.owners.every(({ integration }) => integration.startsWith('add:'));
  const why =
    isTyped && wish.classes.includes('executes')
      ? 'it starts a program and was not granted on this host'
      : 'it comes from the repository and is not trusted on this host';
  const findings: Finding[] = [
    ...judgement.findings,
    {
      code: 'trust/required',
      severity: 'warning',
      subject: judgement.address,
      message: `not written (${wish.main.summary}): ${why}`,
      remedy: { text: 'Review it and grant it', command: 'tenon trust' },
    },
  ];
  if (request.showUntrusted) return { ...judgement, standing: 'untrusted', findings };
  return { ...rest, standing: 'untrusted', reason: why, record: 'same', findings };
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
        ? adoptable(base, request)
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
        ? adoptable(base, request)
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
        action: 'update',
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
        findings: [drifted(address, decision.theirs, 'kept')],
      };
    case 'drift':
      return {
        ...base,
        standing: 'drifted',
        action: 'keep',
        reason: `edited after tenon wrote it (${leafNames(decision.theirs)})`,
        record: 'same',
        findings: [drifted(address, decision.theirs, 'kept')],
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
        findings: [keptEdited(address, decision.theirs, record)],
      };
    case 'dormant':
      return { ...base, standing: 'dormant', record: isUninstalled(record, request) ? 'forget' : 'same' };
    default:
      return assertNever(decision);
  }
}

/** The manifest says that this was set up here, so an equal entry is ours, written on another host. */
const isListed = ({ slot, address }: Base, request: PlanRequest): boolean =>
  slot.wish !== undefined && isSetUp(slot.wish, request) && !request.known.external.has(address);

const isSetUp = ({ owners, main }: Wish, { known }: PlanRequest): boolean =>
  owners.some(({ integration }) => known.listed.has(enrolmentKey(integration, main.scope)));

/** The entry is gone, and what it belonged to goes now; elsewhere its branch is just not checked out. */
const isUninstalled = (record: LedgerRecord | undefined, { command, known }: PlanRequest): boolean =>
  command === 'uninstall' &&
  record !== undefined &&
  record.owners.some(({ integration }) => known.listed.has(enrolmentKey(integration, record.scope)));

/** The same for an entry to which somebody added leaves, or whose switch was flipped: no edit of what is ours. */
function isOursElsewhere(base: Base, sighting: Sighting, request: PlanRequest): boolean {
  const { wish } = base.slot;
  if (wish === undefined || !isListed(base, request)) return false;
  if (sighting.extended !== undefined) return true;
  if (sighting.observed.byTag === true) return false;
  const wanted = fingerprint(wish.value).leaves;
  const seen = fingerprint(sighting.observed.value as Json).leaves;
  return Object.keys(wanted).every(
    (pointer) => wanted[pointer] === seen[pointer] || wish.switches.includes(pointer),
  );
}

const adoptable = (base: Base, request: PlanRequest): Judgement =>
  request.adopts?.(base.address) === true
    ? { ...base, standing: 'managed', action: 'keep', reason: 'taken over as it is', record: 'write' }
    : {
        ...base,
        standing: 'adoptable',
        action: 'keep',
        reason: 'set up on another host; tenon adopt takes it',
        record: 'none',
      };
