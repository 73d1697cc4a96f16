import type { Fault, Format, Place } from '../formats/format.ts';
import { equalJson, getIn, isObject, type Json, type JsonPath } from '../lib/json.ts';
import type { DraftEdit, FileDraft } from './file-draft.ts';

/** An item of ours to which someone added things of his own, such as a second handler in our hook group. */
export interface Extended {
  /** The recorded value that is still in it. */
  readonly recorded: Json;
  /** The item as it stands. */
  readonly observed: Json;
  /** Where, inside the item, the one element of ours stands, and what it is. */
  readonly path: JsonPath;
  readonly element: Json;
}

/**
 * Whether an item is a recorded one with more elements in its one list, everything else being equal. Lists of several
 * elements of ours, or several lists, are not told apart from an edit: undefined.
 */
export function extension(recorded: Json, observed: Json): Extended | undefined {
  const lists = differences(recorded, observed, []);
  const [list, ...others] = lists ?? [];
  if (list === undefined || others.length > 0) return undefined;
  const [element, ...more] = list.ours;
  if (element === undefined || more.length > 0) return undefined;
  const there = list.theirs.filter((one) => equalJson(one, element)).length;
  if (there !== 1 || list.theirs.length < 2) return undefined;
  return { recorded, observed, path: list.path, element };
}

interface ListPair {
  readonly path: JsonPath;
  readonly ours: readonly Json[];
  readonly theirs: readonly Json[];
}

/** The lists that differ; undefined when anything else does. */
function differences(ours: Json, theirs: Json, path: JsonPath): ListPair[] | undefined {
  if (equalJson(ours, theirs)) return [];
  if (Array.isArray(ours) && Array.isArray(theirs)) return [{ path, ours, theirs }];
  if (!isObject(ours) || !isObject(theirs)) return undefined;
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  const found: ListPair[] = [];
  for (const name of names) {
    if (!Object.hasOwn(ours, name) || !Object.hasOwn(theirs, name)) return undefined;
    const inner = differences(ours[name] as Json, theirs[name] as Json, [...path, name]);
    if (inner === undefined) return undefined;
    found.push(...inner);
  }
  return found;
}

/** The newest recorded value that an item, found by its tag, still holds. Only JSON can be edited inside an item. */
export function extensionOf(
  format: Format,
  recorded: readonly Json[],
  observed: Json | undefined,
): Extended | undefined {
  if (format.id !== 'json' || observed === undefined) return undefined;
  for (const value of recorded) {
    const found = extension(value, observed);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Takes our element out of the item and leaves the rest of it as it is. */
export function draftRemoveInside(
  draft: FileDraft,
  place: Place,
  { observed, path, element }: Extended,
): { ok: true; value: DraftEdit } | { ok: false; fault: Fault } {
  const parsed = draft.format.parse(draft.text);
  if (!parsed.ok) return parsed;
  const container = place.kind === 'item' ? place.path : [];
  const items = getIn(parsed.value, container);
  const index = Array.isArray(items) ? items.findLastIndex((item: Json) => equalJson(item, observed)) : -1;
  const inside: Place = { kind: 'item', path: [...container, String(index), ...path], value: element };
  const edit = draft.format.remove(draft.text, inside, { containers: draft.containers });
  if (!edit.ok) return edit;
  const { text, containers } = edit.value;
  return { ok: true, value: { draft: { ...draft, text, containers }, trace: {} } };
}
