import type { Container, Edit, Fault, Format, Place, Result, Trace } from '../formats/format.ts';
import type { Json } from '../lib/json.ts';
import type { LeafChange } from './decide.ts';
import type { FileRules } from './types.ts';

/** A file while a plan is made: the text so far and the containers of ours in it. Nothing is written. */
export interface FileDraft {
  readonly format: Format;
  readonly text: string;
  readonly containers: readonly Container[];
}

export interface DraftEdit {
  readonly draft: FileDraft;
  readonly trace: Trace;
}

type Drafted = { ok: true; value: DraftEdit } | { ok: false; fault: Fault };

export function draftInsert(
  draft: FileDraft,
  place: Place,
  value: Json,
  rules: FileRules,
  file: { readonly isNew: boolean; readonly eol: '\n' | '\r\n' },
): Drafted {
  const context = {
    // Only a file that we create gets first members; an empty one of the user gets nothing but our entry.
    ...(rules.skeleton === undefined || !file.isNew ? {} : { skeleton: rules.skeleton }),
    eol: file.eol,
  };
  return taken(draft, draft.format.insert(draft.text, place, value, context), 'add');
}

export function draftUpdate(draft: FileDraft, place: Place, change: LeafChange, trace: Trace): Drafted {
  return taken(
    draft,
    draft.format.update(draft.text, place, change, { trace, containers: draft.containers }),
    'replace',
  );
}

export function draftRemove(draft: FileDraft, place: Place, trace: Trace): Drafted {
  return taken(
    draft,
    draft.format.remove(draft.text, place, { trace, containers: draft.containers }),
    'replace',
  );
}

/** `insert` reports the containers it created, `update` and `remove` all that are left. */
function taken(draft: FileDraft, edit: Result<Edit>, containers: 'add' | 'replace'): Drafted {
  if (!edit.ok) return edit;
  const { text, trace } = edit.value;
  return {
    ok: true,
    value: {
      draft: {
        format: draft.format,
        text,
        containers:
          containers === 'add' ? [...draft.containers, ...edit.value.containers] : edit.value.containers,
      },
      trace,
    },
  };
}
