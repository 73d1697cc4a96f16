import { equalJson, getIn, type Json, type JsonObject, type JsonPath } from '../lib/json.ts';
import type { Container, Place, RemoveContext, Result } from './format.ts';
import { bad, good } from './outcome.ts';
import { positionAt } from './text-lines.ts';
import { type TomlDoc, valueIn } from './toml-doc.ts';
import { positionOf, valueNode } from './toml-find.ts';
import { afterLast, type Insertion, insertLeaf } from './toml-insert.ts';
import { withMember } from './toml-prove.ts';
import { type Removal, removePath } from './toml-remove.ts';
import { renderInline } from './toml-render.ts';
import { commentsIn, samePath } from './toml-scan.ts';
import { applySplices, cutBetween } from './toml-splice.ts';
import type { TomlNode } from './toml-values.ts';

type ItemPlace = Extract<Place, { kind: 'item' }>;

/** An element of an inline array: its place in it, and whether only its tag was found. */
interface FoundItem {
  readonly index: number;
  readonly value: Json;
  readonly byTag: boolean;
}

/** The last element that equals the place's value, else the last that holds its tag. */
export function findItem(doc: TomlDoc, place: ItemPlace): FoundItem | undefined {
  const list = valueIn(doc, place.path);
  if (!Array.isArray(list)) return undefined;
  const items: readonly Json[] = list;
  const equal = items.findLastIndex((item) => equalJson(item, place.value));
  if (equal >= 0) return { index: equal, value: items[equal] ?? null, byTag: false };
  const { tag } = place;
  if (tag === undefined) return undefined;
  const tagged = items.findLastIndex((item) => holdsText(item, tag));
  return tagged < 0 ? undefined : { index: tagged, value: items[tagged] ?? null, byTag: true };
}

function holdsText(value: Json, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (Array.isArray(value)) return value.some((item) => holdsText(item, text));
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((member) => holdsText(member, text))
  );
}

/** The inline array at a path; undefined when nothing is there. Everything else is refused. */
function listAt(doc: TomlDoc, path: JsonPath): Result<Extract<TomlNode, { kind: 'array' }> | undefined> {
  const value = valueIn(doc, path);
  if (value === undefined) return good(undefined);
  const node = valueNode(doc, path);
  const at = positionOf(doc, path) ?? positionAt(doc.text, 0);
  if (!Array.isArray(value)) return bad('config/shape', `${path.join('.')} is no array`, { at });
  if (node?.kind !== 'array')
    return bad('edit/unsupported', `${path.join('.')} is an array of tables, which is not edited`, { at });
  return good(node);
}

export function insertItem(
  doc: TomlDoc,
  place: ItemPlace,
  value: Json,
  eol: '\n' | '\r\n',
): Result<Insertion> {
  const list = listAt(doc, place.path);
  if (!list.ok) return list;
  const node = list.value;
  if (node === undefined) {
    const created = insertLeaf(doc, place.path, [value], { eol });
    if (!created.ok) return created;
    const array: Container = { path: place.path, kind: 'array', trace: created.value.trace };
    return good({ ...created.value, trace: {}, containers: [...created.value.containers, array] });
  }
  const outer = node;
  if (commentsIn(doc, outer).length > 0)
    return bad('edit/unsupported', 'nothing is put into an array with comments inside', {
      at: positionAt(doc.text, outer.start),
    });
  const last = node.elements.at(-1);
  const splice =
    last === undefined
      ? { start: outer.start + 1, end: outer.start + 1, text: renderInline(value) }
      : afterLast(doc, last, outer.end, renderInline(value));
  return good({ splices: [splice], trace: {}, containers: [] });
}

export function removeItem(
  doc: TomlDoc,
  place: ItemPlace,
  index: number,
  context: RemoveContext,
): Result<Removal> {
  const list = listAt(doc, place.path);
  if (!list.ok) return list;
  const node = list.value;
  if (node === undefined) return bad('edit/unprovable', 'the array is not in this file');
  const { containers } = context;
  const own = containers.find(
    (container) => container.kind === 'array' && samePath(container.path, place.path),
  );
  if (own !== undefined && node.elements.length === 1)
    return removePath(doc, place.path, { ...context, trace: own.trace });
  const cut = cutBetween(doc, node, node.elements, index);
  if (!cut.ok) return cut;
  return good({ text: applySplices(doc.text, [cut.value]), containers });
}

export function replaceItem(doc: TomlDoc, place: ItemPlace, index: number, value: Json): Result<string> {
  const list = listAt(doc, place.path);
  if (!list.ok) return list;
  const element = list.value?.elements[index];
  if (element === undefined) return bad('edit/unprovable', 'the value is not in this file');
  return good(
    applySplices(doc.text, [{ start: element.start, end: element.end, text: renderInline(value) }]),
  );
}

/** A document's value with another list at the place. */
export function withList(
  value: JsonObject,
  place: ItemPlace,
  change: (list: readonly Json[]) => Json[],
): JsonObject {
  const list = getIn(value, place.path);
  return withMember(value, place.path, change(Array.isArray(list) ? list : []));
}
