import type { Json } from '../lib/json.ts';
import { equalJson, fromPointer, isObject, leavesOf, setOwn } from '../lib/json.ts';
import type { Edit, InsertContext, RemoveContext, Result } from './format.ts';
import { structuralCuts } from './json-cuts.ts';
import { proveUpdate, withoutSpans, withPieces } from './json-prove.ts';
import { renderJson, renderMember } from './json-render.ts';
import type { JsonChild, JsonDocument, JsonNode } from './json-scan.ts';
import { scanValueAt } from './json-scan.ts';
import type { SlotText } from './json-slot.ts';
import { slotOf } from './json-slot.ts';
import type { JsonStyle } from './json-style.ts';
import { styleOf } from './json-style.ts';
import { nodeValue } from './json-tree.ts';
import { bad, good } from './outcome.ts';
import { positionAt } from './text-lines.ts';
import { isFirstOnLine, lineEndBefore, lineIndent } from './text-style.ts';

export interface LeafChanges {
  readonly set: ReadonlyMap<string, Json>;
  readonly unset: readonly string[];
}

/**
 * Changes leaves inside an entry of ours, which stands `depth` levels deep. What is not named keeps its bytes, so the text around the entry and with
 * it its trace stay valid. Faults: `config/shape`, `edit/unsupported`, `edit/user-comment` (a comment inside an array that
 * changes; `force` gives it up), `edit/unprovable`.
 */
export function updateEntry(
  document: JsonDocument,
  { start, value: entry }: JsonChild,
  depth: number,
  change: LeafChanges,
  context: RemoveContext & InsertContext,
): Result<Edit> {
  const wanted = expected(nodeValue(document.text, entry), change);
  if (!wanted.ok)
    return { ok: false, fault: { ...wanted.fault, at: positionAt(document.text, entry.start) } };
  const text = reshape(document, start, entry.start, wanted.value, styleOf(document, context.eol));
  const proved = proveUpdate(document, entry, depth, text, wanted.value, context.force === true);
  if (!proved.ok) return proved;
  return good({ text, trace: context.trace ?? {}, containers: context.containers });
}

/**
 * The value that an entry must have after a change. An object that loses its last leaf goes too, unless the change
 * wants it empty; a leaf takes the place of an object only when every leaf of that object is unset.
 */
export function expected(value: Json, { set, unset }: LeafChanges): Result<Json> {
  const whole = set.get('');
  if (whole !== undefined) return good(whole);
  if (!isObject(value)) return bad('config/shape', 'the entry must be an object, but it is not');
  const leaves = leavesOf(value);
  if (leaves.has('')) leaves.clear();
  for (const pointer of unset) leaves.delete(pointer);
  for (const [pointer, wanted] of set) {
    if (isObject(wanted) && Object.keys(wanted).length === 0 && hasBelow(leaves, pointer)) continue;
    for (const [inner, leaf] of leavesOf(wanted)) leaves.set(pointer + inner, leaf);
  }
  for (const pointer of leaves.keys()) {
    if (!hasBelow(leaves, pointer)) continue;
    // An empty object that gained members is no leaf any more.
    const leaf = leaves.get(pointer);
    if (isObject(leaf) && Object.keys(leaf).length === 0) leaves.delete(pointer);
    else return bad('edit/unsupported', `${pointer} would have to be a value and an object at once`);
  }
  return good(fromLeaves(leaves));
}

const hasBelow = (leaves: ReadonlyMap<string, Json>, pointer: string): boolean =>
  [...leaves.keys()].some((other) => other.startsWith(`${pointer}/`));

function fromLeaves(leaves: ReadonlyMap<string, Json>): Json {
  const result = {};
  for (const [pointer, leaf] of leaves) {
    const names = fromPointer(pointer);
    let object: object = result;
    for (const name of names.slice(0, -1)) {
      const inner: unknown = Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;
      const next = typeof inner === 'object' && inner !== null ? inner : {};
      if (next !== inner) setOwn(object, name, next);
      object = next;
    }
    setOwn(object, names.at(-1) ?? '', leaf);
  }
  return result;
}

/** One difference at a time is spliced and the entry read again, until it has the wanted value. */
function reshape(
  document: JsonDocument,
  member: number,
  start: number,
  wanted: Json,
  style: JsonStyle,
): string {
  let { text } = document;
  for (;;) {
    const entry = scanValueAt(text, start);
    if (!entry.ok) return text;
    const next = step({ text, comments: entry.value.comments }, entry.value.node, member, wanted, style);
    if (next === undefined || next === text) return text;
    text = next;
  }
}

/**
 * The text with the first difference between a node and its wanted value gone; undefined when there is none.
 * `member` is where the member with the node begins.
 */
function step(
  source: SlotText,
  node: JsonNode,
  member: number,
  wanted: Json,
  style: JsonStyle,
): string | undefined {
  const { text } = source;
  if (node.kind !== 'object' || !isObject(wanted)) {
    return equalJson(nodeValue(text, node), wanted) ? undefined : replaced(text, node, member, wanted, style);
  }
  const has = new Set(node.children.map(({ key }) => key));
  for (const child of node.children) {
    const value = wantedMember(wanted, child);
    const changed = value === undefined ? undefined : step(source, child.value, child.start, value, style);
    if (changed !== undefined) return changed;
  }
  // New members before old ones go: an object that is never empty keeps its layout.
  for (const [key, value] of Object.entries(wanted)) {
    if (has.has(key)) continue;
    const slot = slotOf(source, node, style, false);
    return withPieces(text, slot.pieces(renderMember(key, value, slot.render)));
  }
  const extra = node.children.findIndex((child) => wantedMember(wanted, child) === undefined);
  return extra < 0 ? undefined : withoutSpans(text, structuralCuts(source, node, extra, true));
}

const wantedMember = (wanted: { readonly [key: string]: Json }, { key }: JsonChild): Json | undefined =>
  key !== undefined && Object.hasOwn(wanted, key) ? wanted[key] : undefined;

/** A changed array or scalar is written anew as one value, on lines where its member begins one. */
function replaced(text: string, node: JsonNode, member: number, value: Json, style: JsonStyle): string {
  const hasLines = isFirstOnLine(text, member) || text.slice(node.start, node.end).includes('\n');
  const lines = {
    eol: lineEndBefore(text, node.end) ?? style.eol,
    indent: lineIndent(text, node.start),
    unit: style.unit,
  };
  const rendered = renderJson(value, {
    lines: hasLines ? lines : undefined,
    colon: style.colon,
    comma: style.colon === ':' ? ',' : ', ',
  });
  return text.slice(0, node.start) + rendered + text.slice(node.end);
}
