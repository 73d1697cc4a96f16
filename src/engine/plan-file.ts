import type { Fault, Trace } from '../formats/format.ts';
import { formatOf } from '../formats/index.ts';
import { assertNever } from '../lib/assert-never.ts';
import { displayPath, isOutside } from '../system/paths.ts';
import { draftRemoveInside } from './extended.ts';
import { type DraftEdit, draftInsert, draftRemove, draftUpdate, type FileDraft } from './file-draft.ts';
import type { FileGroup, FileOutcome } from './file-outcome.ts';
import { fingerprint, sha256 } from './fingerprint.ts';
import { judge } from './judge.ts';
import type { Judgement, Slot, Step } from './judgement.ts';
import { sight } from './observe.ts';
import type { PlanRequest } from './plan-request.ts';
import { recordOf } from './records.ts';
import {
  clientConflict,
  clientContentOf,
  faultConflict,
  faultFinding,
  refused,
  unprovable,
} from './refusals.ts';
import { putBack, replacementOf } from './replaced.ts';
import type { Conflict, FileFacts, LedgerRecord, Op } from './types.ts';

/** Plans one file: judges every address on the text as it is, then drafts the edits one after the other. Reads only. */
export function planFile(group: FileGroup, request: PlanRequest): FileOutcome {
  const { facts, slots } = group;
  const path = facts.path;
  if (facts.problem !== undefined && facts.text === undefined) return refused(group, request, facts.problem);

  const text = facts.text ?? '';
  const judgements: Judgement[] = [];
  for (const slot of slots) {
    const format = formatOf((slot.wish?.target ?? slot.record)?.format ?? 'whole');
    const place = (slot.wish?.target ?? slot.record)?.place ?? { kind: 'file' };
    const seen =
      format.id === 'whole' && !facts.exists
        ? ({ ok: true, sighting: { observed: { state: 'absent' }, place } } as const)
        : sight(format, text, place, slot.record?.generations ?? []);
    if (!seen.ok) return refused(group, request, faultFinding(path, seen.fault), slot);
    judgements.push(judge(slot, seen.sighting, format, request));
  }

  const writing = judgements.filter(({ step, conflict }) => step !== undefined && conflict === undefined);
  if (facts.problem !== undefined && writing.length > 0) return refused(group, request, facts.problem);
  return drafted(group, request, judgements, writing);
}

function drafted(
  group: FileGroup,
  request: PlanRequest,
  judgements: readonly Judgement[],
  writing: readonly Judgement[],
): FileOutcome {
  const { facts, record: fileRecord } = group;
  const conflicts: Conflict[] = judgements.flatMap(({ conflict }) =>
    conflict === undefined ? [] : [conflict],
  );
  const file = { isNew: !facts.exists, eol: fileRecord?.eol ?? '\n' } as const;
  const traces = new Map<Judgement, Trace>();
  let draft: FileDraft | undefined;
  let restored: string | undefined;
  for (const judgement of inOrder(writing)) {
    const { slot, step } = judgement;
    if (step === undefined) continue;
    const format = formatOf((slot.wish?.target ?? slot.record)?.format ?? 'whole');
    draft ??= { format, text: facts.text ?? '', containers: fileRecord?.containers ?? [] };
    const result = runStep(step, { ...draft, format }, slot, file, request);
    if (!result.ok) {
      conflicts.push(faultConflict(judgement, result.fault, group));
      continue;
    }
    if ('restored' in result) restored = result.restored;
    draft = result.value.draft;
    traces.set(judgement, result.value.trace);
  }

  const text = draft?.text ?? facts.text ?? '';
  const records = judgements.flatMap((judgement) => recordAfter(judgement, traces.get(judgement), request));
  const changed = draft !== undefined && text !== (facts.text ?? undefined);
  const isLast = records.length === 0 && !group.isShared;
  const exact = isLast && facts.hash === fileRecord?.after.hash;
  const finalText =
    exact && restored !== undefined && sha256(encode(restored, facts.bom)) === fileRecord?.before?.hash
      ? restored
      : text;
  const deletes = changed && isLast && fileRecord?.createdFile === true && finalText === '';
  const result = !changed ? undefined : deletes ? undefined : encode(finalText, facts.bom);
  const plan = changed ? filePlan(group, request, result, judgements) : undefined;

  if (
    plan !== undefined &&
    exact &&
    fileRecord?.before != null &&
    plan.resultHash !== fileRecord.before.hash &&
    !keepsUsers(judgements)
  ) {
    conflicts.push(unprovable(group));
  }
  const adds = writing.some(({ slot, step }) => slot.wish !== undefined && step?.kind !== 'put-back');
  const client =
    adds && plan !== undefined ? clientConflict(group, request, finalText, judgements) : undefined;
  if (client !== undefined) conflicts.push(client);
  const content =
    adds && plan !== undefined && client === undefined
      ? clientContentOf(group, request, finalText, judgements)
      : { findings: [] };
  if (content.conflict !== undefined) conflicts.push(content.conflict);

  return {
    group,
    plan: conflicts.length > 0 ? undefined : plan,
    ops: judgements.flatMap((judgement) => opOf(judgement, facts)),
    conflicts,
    findings: [...judgements.flatMap(({ findings }) => findings), ...content.findings],
    judgements,
    records:
      conflicts.length > 0 && request.tolerant
        ? judgements.flatMap(({ slot }) => (slot.record ? [slot.record] : []))
        : records,
    containers: draft?.containers ?? fileRecord?.containers ?? [],
    replacements: judgements.flatMap(({ slot, replaces }) =>
      replaces === undefined
        ? []
        : [replacementOf(slot.wish?.target.path ?? facts.path, replaces, facts.text ?? '')],
    ),
    skipped: conflicts.length > 0 && request.tolerant,
  };
}

/** Removals first, last written first out; then changes in place; then insertions in the order of the wishes. */
function inOrder(judgements: readonly Judgement[]): Judgement[] {
  const of = (...kinds: Step['kind'][]): Judgement[] =>
    judgements.filter(({ step }) => step !== undefined && kinds.includes(step.kind));
  const parts = of('take-apart');
  return [...parts, ...of('remove', 'put-back').reverse(), ...of('update'), ...of('insert')];
}

type StepResult = { ok: true; value: DraftEdit; restored?: string } | { ok: false; fault: Fault };

function runStep(
  step: Step,
  draft: FileDraft,
  slot: Slot,
  file: { readonly isNew: boolean; readonly eol: '\n' | '\r\n' },
  request: PlanRequest,
): StepResult {
  switch (step.kind) {
    case 'insert':
      return draftInsert(
        draft,
        step.place,
        step.value,
        slot.wish?.main.rules ?? { reads: 'jsonc', bom: 'ok' },
        file,
      );
    case 'update':
      return draftUpdate(draft, step.place, step.change, step.trace);
    case 'remove':
      return draftRemove(draft, step.place, step.trace);
    case 'put-back':
      return putBack(step, draft, slot, request);
    case 'take-apart': {
      const rest = draftRemoveInside(draft, step.place, step.extended);
      if (!rest.ok || step.instead === undefined) return rest;
      const { target, value, main } = step.instead;
      return draftInsert(rest.value.draft, target.place, value, main.rules, file);
    }
    default:
      return assertNever(step);
  }
}

function recordAfter(judgement: Judgement, trace: Trace | undefined, request: PlanRequest): LedgerRecord[] {
  const { slot, record } = judgement;
  if (record === 'forget' || (record === 'none' && slot.record === undefined)) return [];
  if (record !== 'write') return slot.record === undefined ? [] : [slot.record];
  if (judgement.keepOwners !== undefined && slot.record !== undefined)
    return [
      {
        ...slot.record,
        owners: judgement.keepOwners,
        runtimes: judgement.keepRuntimes ?? slot.record.runtimes,
      },
    ];
  if (slot.wish === undefined) return [];
  const next = recordOf(slot.wish, slot.record, trace, request.root);
  if (judgement.replaces === undefined) return [next];
  const { id } = replacementOf(slot.wish.target.path, judgement.replaces, '');
  return [{ ...next, replaced: { backup: id, whole: next.place.kind === 'file' } }];
}

const encode = (text: string, bom: boolean): Uint8Array =>
  new TextEncoder().encode(bom ? `\ufeff${text}` : text);

const keepsUsers = (judgements: readonly Judgement[]): boolean =>
  judgements.some(({ action, standing }) => action === 'keep' && standing === 'drifted');

function filePlan(
  group: FileGroup,
  request: PlanRequest,
  result: Uint8Array | undefined,
  judgements: readonly Judgement[],
): FileOutcome['plan'] {
  const { facts } = group;
  const executable = judgements.some(({ slot }) => slot.wish?.main.executable === true);
  const isPrivate = judgements.some(({ slot }) => slot.wish?.main.rules.private === true);
  const fresh = isPrivate ? 0o600 : (executable ? 0o777 : 0o666) & ~request.umask;
  const early = judgements.every(({ slot }) => (slot.wish?.main.order ?? slot.record?.order) === 'early');
  return {
    path: facts.path,
    abs: facts.abs,
    real: facts.real,
    action: result === undefined ? 'delete' : facts.exists ? 'edit' : 'create',
    order: early ? 'early' : 'normal',
    base: facts.exists ? encode(facts.text ?? '', facts.bom) : undefined,
    baseHash: facts.hash,
    result,
    resultHash: result === undefined ? 'absent' : sha256(result),
    mode: facts.mode ?? fresh,
    inPlace: facts.inPlace === true,
    outside: isOutside(facts.path) || facts.leaves !== undefined,
    ...(facts.leaves === undefined ? {} : { leadsTo: displayPath(facts.real, request) }),
    ...(facts.leaves === 'answered' && !isOutside(facts.path) ? { isFollowed: true } : {}),
  };
}

function opOf(judgement: Judgement, facts: FileFacts): Omit<Op, 'id'>[] {
  const { slot, action, address } = judgement;
  if (action === undefined || judgement.conflict !== undefined) return [];
  const target = slot.wish?.target ?? slot.record;
  if (target === undefined) return [];
  const writes = judgement.step !== undefined;
  const before = slot.record?.generations.at(-1)?.print;
  const after = slot.wish === undefined || !writes ? undefined : fingerprint(slot.wish.value).print;
  return [
    {
      action,
      address,
      target: { path: target.path, format: target.format, place: target.place },
      owners: slot.wish?.owners ?? slot.record?.owners ?? [],
      runtimes: slot.wish?.runtimes ?? slot.record?.runtimes ?? [],
      scope: slot.wish?.main.scope ?? slot.record?.scope ?? 'project',
      classes: slot.wish?.classes ?? slot.record?.classes ?? [],
      summary: slot.wish?.main.summary ?? '',
      reason: judgement.reason,
      approval: !writes
        ? 'none'
        : isOutside(target.path) || facts.leaves === 'recorded'
          ? 'user-files'
          : 'project-files',
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ];
}
