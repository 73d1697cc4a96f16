import type { Finding } from '../errors/error.ts';
import type { Fault } from '../formats/format.ts';
import { formatOf } from '../formats/index.ts';
import { redactValue } from '../lib/secrets.ts';
import { formatAddress } from './address.ts';
import type { FileGroup, FileOutcome } from './file-outcome.ts';
import type { Judgement, Slot } from './judgement.ts';
import type { PlanRequest } from './plan-request.ts';
import type { Conflict, ConflictChoice, FileRules } from './types.ts';

const JSON_STRICTNESS = ['strict', 'comments', 'jsonc'] as const;

/** A link into a `.git`, system or state folder is never followed: its problem comes without a command. */
const choicesFor = ({ code, remedy }: Finding): ConflictChoice[] =>
  (code === 'file/outside' && remedy?.command !== undefined) || code === 'file/managed-elsewhere'
    ? ['follow']
    : code === 'file/hard-linked'
      ? ['force']
      : [];

const MEND = 'Mend the file by hand, then run the command again';

/**
 * A valid shape that leaves no place for a rule (OpenCode's `"permission": "ask"`) is no mistake of its owner: such rules
 * can be left out (contract, section 7).
 */
const withoutPart = (code: string, slot: Slot | undefined): string | undefined =>
  code === 'config/shape' && slot?.wish?.classes.includes('grants') === true
    ? 'Leave the rules out with --without permissions, or change the file by hand and run the command again'
    : undefined;

export function refused(group: FileGroup, request: PlanRequest, problem: Finding, slot?: Slot): FileOutcome {
  const wish = (slot ?? group.slots.find((one) => one.wish !== undefined))?.wish;
  const runtimes = [
    ...new Set(group.slots.flatMap((one) => [...(one.wish?.runtimes ?? one.record?.runtimes ?? [])])),
  ];
  const conflict: Conflict = {
    address: problem.subject,
    code: problem.code,
    message: problem.message,
    choices: choicesFor(problem),
    remedy: withoutPart(problem.code, slot) ?? problem.remedy?.command ?? problem.remedy?.text ?? MEND,
    runtimes,
    ...(wish === undefined
      ? {}
      : { snippet: formatOf(wish.target.format).snippet(wish.target.place, redactValue(wish.value)) }),
  };
  const records = group.slots.flatMap(({ record }) => (record === undefined ? [] : [record]));
  const judgements: Judgement[] = group.slots.map((one) => ({
    slot: one,
    address: formatAddress(group.facts.path, (one.wish?.target ?? one.record)?.place ?? { kind: 'file' }),
    standing: 'conflict',
    reason: problem.message,
    findings: [],
    record: 'same',
  }));
  return {
    group,
    plan: undefined,
    ops: [],
    conflicts: [conflict],
    findings: [],
    judgements,
    records,
    containers: group.record?.containers ?? [],
    replacements: [],
    skipped: request.tolerant,
  };
}

/** A fault of a document as a finding: `FILE:LINE:COLUMN` is its subject. */
export function faultFinding(path: string, fault: Fault): Finding {
  const subject = fault.at === undefined ? path : `${path}:${fault.at.line}:${fault.at.column}`;
  return {
    code: fault.code,
    severity: 'error',
    subject,
    message: fault.message,
    remedy: { text: fault.hint ?? MEND },
  };
}

export function faultConflict(judgement: Judgement, fault: Fault, group: FileGroup): Conflict {
  const { slot } = judgement;
  const finding = faultFinding(group.facts.path, fault);
  return {
    address: judgement.address,
    code: fault.code,
    message: fault.message,
    choices: [],
    remedy: withoutPart(fault.code, slot) ?? finding.remedy?.text ?? '',
    runtimes: slot.wish?.runtimes ?? slot.record?.runtimes ?? [],
    ...(slot.wish === undefined
      ? {}
      : {
          snippet: formatOf(slot.wish.target.format).snippet(
            slot.wish.target.place,
            redactValue(slot.wish.value),
          ),
        }),
  };
}

export function unprovable(group: FileGroup): Conflict {
  return {
    address: group.facts.path,
    code: 'edit/unprovable',
    message:
      'taking our entries out would not give back the recorded original, although nobody edited the file since',
    choices: [],
    remedy: 'Take the entries out by hand and run tenon forget for their addresses; please report this',
    runtimes: [],
  };
}

export function clientConflict(
  group: FileGroup,
  request: PlanRequest,
  text: string,
  judgements: readonly Judgement[],
): Conflict | undefined {
  const rules = judgements.flatMap(({ slot }) => (slot.wish === undefined ? [] : [slot.wish.main.rules]));
  const strictest = strictestOf(rules);
  if (strictest === undefined) return undefined;
  const reason = request.refusedByClient(text, group.facts.bom, strictest);
  if (reason === undefined) return undefined;
  const wish = judgements.find(({ slot }) => slot.wish !== undefined)?.slot.wish;
  return {
    address: group.facts.path,
    code: 'host/file-ignored',
    message: `${wish?.runtimes.join(', ') ?? 'the runtime'} would not read this file: ${reason}`,
    choices: [],
    remedy: 'Mend the file by hand, or leave that runtime out with --runtime',
    runtimes: wish?.runtimes ?? [],
    ...(wish === undefined
      ? {}
      : { snippet: formatOf(wish.target.format).snippet(wish.target.place, redactValue(wish.value)) }),
  };
}

/**
 * What the clients that get something in a file make of the rest of it: the first refusal, or rule that takes the effect of
 * ours, and what they only skip.
 */
export function clientContentOf(
  group: FileGroup,
  request: PlanRequest,
  text: string,
  judgements: readonly Judgement[],
): { readonly conflict?: Conflict; readonly findings: readonly Finding[] } {
  const wishes = judgements.flatMap(({ slot: { wish } }) => (wish === undefined ? [] : [wish]));
  const [wish] = wishes;
  if (wish === undefined || request.contentFindings === undefined) return { findings: [] };
  const runtimes = [...new Set(wishes.flatMap((one) => one.runtimes))];
  const { path } = group.facts;
  const seen = request.contentFindings(path, text, wish.target.format, wishes);
  // A member that nobody knows is refused by some versions of a client alone.
  const refusal = seen.find(
    ({ code, severity, data }) =>
      severity === 'error' &&
      (code === 'config/rule-order' || (data?.['dropsFile'] === true && code !== 'config/bad-member')),
  );
  if (refusal === undefined) {
    return {
      findings: seen.flatMap((note): Finding[] =>
        note.code === 'config/allowed-too'
          ? [note]
          : note.severity === 'info'
            ? []
            : [{ ...note, severity: 'warning' }],
      ),
    };
  }
  const conflict: Conflict = {
    address: path,
    code: refusal.code === 'config/rule-order' ? 'config/rule-order' : 'host/file-ignored',
    message: refusal.message,
    choices: [],
    remedy: refusal.remedy?.text ?? 'Mend the file by hand, or leave that runtime out with --runtime',
    runtimes,
    snippet: formatOf(wish.target.format).snippet(wish.target.place, redactValue(wish.value)),
  };
  return { conflict, findings: [] };
}

/** Several runtimes may read one file: the pickiest decides. */
function strictestOf(rules: readonly FileRules[]): FileRules | undefined {
  const first = rules[0];
  if (first === undefined) return undefined;
  const reads = JSON_STRICTNESS.find((level) => rules.some((one) => one.reads === level)) ?? 'jsonc';
  return { ...first, reads, bom: rules.some(({ bom }) => bom === 'rejected') ? 'rejected' : 'ok' };
}
