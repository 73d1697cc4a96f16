import type { Fault } from '../formats/format.ts';
import { equalJson, isObject, type Json, leavesOf } from '../lib/json.ts';
import { type DraftEdit, draftUpdate, type FileDraft } from './file-draft.ts';
import { sha256 } from './fingerprint.ts';
import type { Slot, Step } from './judgement.ts';
import type { PlanRequest, ReplacedContent, Replacement } from './plan-request.ts';
import type { DisplayPath } from './types.ts';

/**
 * The user's content that `replace` puts aside: the value, and the whole text for an exact return. Its id is the hash
 * of its bytes, so that the plan knows it before anything is written.
 */
export function replacementOf(path: DisplayPath, value: Json, file: string): Replacement {
  const content: ReplacedContent = { value, file };
  const bytes = new TextEncoder().encode(JSON.stringify(content, bigintAsText));
  return {
    path,
    id: sha256(`${path}\0${JSON.stringify(value, bigintAsText)}`).slice('sha256:'.length),
    bytes,
  };
}

const bigintAsText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}` : value;

/** What turns our entry into the user's: leaf by leaf, because a TOML table is not set as a whole. */
function changeTo(
  wanted: Json,
  draft: FileDraft,
  step: Step & { kind: 'put-back' },
): { readonly set: ReadonlyMap<string, Json>; readonly unset: readonly string[] } {
  const seen = draft.format.read(draft.text, step.place);
  const present = seen.ok && seen.value.state === 'present' ? seen.value.value : undefined;
  if (!isObject(wanted) || !isObject(present)) return { set: new Map([['', wanted]]), unset: [] };
  const theirs = new Map(leavesOf(wanted));
  const ours = new Map(leavesOf(present));
  return {
    set: new Map([...theirs].filter(([pointer, leaf]) => !isSame(ours.get(pointer), leaf))),
    unset: [...ours.keys()].filter((pointer) => !theirs.has(pointer)),
  };
}

const isSame = (ours: Json | undefined, theirs: Json): boolean =>
  ours !== undefined && equalJson(ours, theirs);

/** Puts a replaced value back where ours stands; `restored` is the whole old text, exact if nobody edited the file since. */
export function putBack(
  step: Step & { kind: 'put-back' },
  draft: FileDraft,
  slot: Slot,
  request: PlanRequest,
): { ok: true; value: DraftEdit; restored?: string } | { ok: false; fault: Fault } {
  const bytes = request.readReplaced(step.backup);
  if (bytes === undefined) {
    return {
      ok: false,
      fault: {
        code: 'state/backup-missing',
        message:
          'the content that this entry replaced is no longer in the state folder, so it cannot be put back',
        hint: 'Put it back by hand, then run tenon forget for this address',
      },
    };
  }
  const content = JSON.parse(new TextDecoder().decode(bytes)) as ReplacedContent;
  const updated = draftUpdate(
    draft,
    step.place,
    changeTo(content.value, draft, step),
    slot.record?.trace ?? {},
  );
  return updated.ok ? { ...updated, restored: content.file } : updated;
}
