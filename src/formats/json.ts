import type { Json, JsonPath } from '../lib/json.ts';
import { canonicalJson, setOwn } from '../lib/json.ts';
import type { Fault, Format, Place, Reading, Result } from './format.ts';
import type { JsonPlace } from './json-insert.ts';
import { containerKind, containerPath, insertEntry } from './json-insert.ts';
import type { Located } from './json-remove.ts';
import { removeEntry } from './json-remove.ts';
import { renderJson } from './json-render.ts';
import type { JsonDocument, JsonNode } from './json-scan.ts';
import { scanDocument } from './json-scan.ts';
import { NEW_FILE_UNIT } from './json-style.ts';
import type { Step } from './json-tree.ts';
import { duplicateInside, memberOf, nodeValue, spell, walk } from './json-tree.ts';
import { updateEntry } from './json-update.ts';
import { bad, good } from './outcome.ts';
import { positionAt } from './text-lines.ts';

/** The first name that stands twice in one object of a JSON text; undefined for a text without one, and for no JSON. */
export function duplicateKey(text: string): Fault | undefined {
  const scanned = scanDocument(text);
  const root = scanned.ok ? scanned.value.root : undefined;
  return root === undefined ? undefined : duplicateInside(text, root, []);
}

/**
 * JSON and JSONC, edited by splices: an insertion only adds, a removal only takes away what was added. Nothing of a
 * user's file is ever written anew. Places: `key` and `item`. Beside the faults of {@link Format}: `edit/exists`
 * (insert at a place that is taken) and `edit/not-found` (update or remove of an absent one).
 */
export const jsonFormat: Format = {
  id: 'json',

  parse(text, options) {
    const scanned = scanDocument(text, options?.maxDepth);
    if (!scanned.ok) return scanned;
    const { root } = scanned.value;
    return good(root === undefined ? undefined : nodeValue(text, root));
  },

  read(text, place) {
    const found = find(text, jsonPlace(place), 'value-or-tag');
    return found.ok ? reading(found.value) : found;
  },

  insert(text, place, value, context) {
    const found = find(text, jsonPlace(place), 'value');
    if (!found.ok) return found;
    const { document, entry } = found.value;
    if (entry === undefined) return insertEntry(document, jsonPlace(place), value, context);
    return bad('edit/exists', `${placeName(place)} is already there`, {
      at: positionAt(text, entry.own.child.start),
    });
  },

  update(text, place, change, context) {
    const found = find(text, jsonPlace(place), 'value');
    if (!found.ok) return found;
    const { document, entry } = found.value;
    if (entry === undefined) return absent(place);
    return updateEntry(document, entry.own.child, entry.path.length + 1, change, context);
  },

  remove(text, place, context) {
    const found = find(text, jsonPlace(place), 'value');
    if (!found.ok) return found;
    const { document, entry } = found.value;
    return entry === undefined ? absent(place) : removeEntry(document, entry, context);
  },

  snippet(place, value) {
    const { path, kind } = jsonPlace(place);
    let whole: Json = kind === 'item' ? [value] : value;
    for (const name of path.toReversed()) {
      const outer = {};
      setOwn(outer, name, whole);
      whole = outer;
    }
    const lines = { eol: '\n', indent: '', unit: NEW_FILE_UNIT };
    return renderJson(whole, { lines, colon: ': ', comma: ', ' });
  },

  locate(text, path) {
    const scanned = scanDocument(text);
    if (!scanned.ok || scanned.value.root === undefined) return undefined;
    const offset = offsetOf(scanned.value.root, path);
    return offset === undefined ? undefined : positionAt(text, offset);
  },
};

interface Found {
  readonly document: JsonDocument;
  readonly entry: (Located & { readonly byTag: boolean }) | undefined;
}

function find(text: string, place: JsonPlace, by: 'value' | 'value-or-tag'): Result<Found> {
  const scanned = scanDocument(text);
  if (!scanned.ok) return scanned;
  const document = scanned.value;
  const nothing = good<Found>({ document, entry: undefined });
  if (document.root === undefined) return nothing;
  const path = containerPath(place);
  const walked = walk({ ...document, root: document.root }, path, containerKind(place));
  if (!walked.ok) return walked;
  const { steps, branch } = walked.value;
  if (steps.length < path.length) return nothing;
  const found =
    place.kind === 'key' ? memberOf(text, branch, place.path.at(-1) ?? '', place.path) : undefined;
  if (found !== undefined && !found.ok) return found;
  const own = place.kind === 'key' ? found?.value : itemOf(text, branch.children, place, by);
  if (own === undefined) return nothing;
  const step: Step = { parent: branch, index: own.index, child: own.child };
  const name = step.child.key ?? String(step.index);
  const twice = duplicateInside(text, step.child.value, [...path, name]);
  if (twice !== undefined) return { ok: false, fault: twice };
  return good({ document, entry: { steps, own: step, path, byTag: 'byTag' in own && own.byTag } });
}

/** The last element equal to the place's value; else, where asked, the last that holds its tag. */
function itemOf(
  text: string,
  children: Step['parent']['children'],
  place: Extract<JsonPlace, { kind: 'item' }>,
  by: 'value' | 'value-or-tag',
): { index: number; child: Step['child']; byTag: boolean } | undefined {
  const wanted = canonicalJson(place.value);
  const values = children.map(({ value }) => nodeValue(text, value));
  const equal = values.findLastIndex((value) => canonicalJson(value) === wanted);
  const { tag } = place;
  const index =
    equal >= 0 || by === 'value' || tag === undefined
      ? equal
      : values.findLastIndex((value) => holdsText(value, tag));
  const child = children[index];
  return child === undefined ? undefined : { index, child, byTag: index !== equal };
}

function holdsText(value: Json, tag: string): boolean {
  if (typeof value === 'string') return value.includes(tag);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner: Json) => holdsText(inner, tag));
}

function reading({ document, entry }: Found): Result<Reading> {
  if (entry === undefined) return good({ state: 'absent' });
  const { child } = entry.own;
  return good({
    state: 'present',
    value: nodeValue(document.text, child.value),
    at: positionAt(document.text, child.start),
    ...(entry.byTag ? { byTag: true as const } : {}),
  });
}

function jsonPlace(place: Place): JsonPlace {
  if ((place.kind === 'key' && place.path.length > 0) || place.kind === 'item') return place;
  throw new Error(`JSON has no place of kind ${place.kind} with an empty path`);
}

function absent(place: Place): { readonly ok: false; readonly fault: Fault } {
  return bad('edit/not-found', `${placeName(place)} is not there`);
}

function placeName(place: Place): string {
  if (place.kind === 'key') return spell(place.path);
  return place.kind === 'item' ? `this item of ${spell(place.path)}` : place.kind;
}

/** Start of a member (its name) or of an array element. Of members with one name the last, as clients read it. */
function offsetOf(root: JsonNode, path: JsonPath): number | undefined {
  let node = root;
  let offset = root.start;
  for (const part of path) {
    if (node.kind !== 'object' && node.kind !== 'array') return undefined;
    const child: Step['child'] | undefined =
      node.kind === 'object'
        ? node.children.findLast(({ key }) => key === part)
        : /^(?:0|[1-9]\d*)$/.test(part)
          ? node.children[Number(part)]
          : undefined;
    if (child === undefined) return undefined;
    offset = child.start;
    node = child.value;
  }
  return offset;
}
