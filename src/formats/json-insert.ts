import type { Json, JsonPath } from '../lib/json.ts';
import { canonicalJson, isObject, setOwn } from '../lib/json.ts';
import type { Container, Edit, InsertContext, Place, Result, Trace } from './format.ts';
import type { Piece } from './json-prove.ts';
import { proveCreated, proveInsert, withPieces } from './json-prove.ts';
import type { RenderStyle } from './json-render.ts';
import { renderJson, renderMember } from './json-render.ts';
import type { JsonBranch, JsonChild, JsonDocument, JsonNode } from './json-scan.ts';
import { slotOf } from './json-slot.ts';
import { NEW_FILE_UNIT, styleOf } from './json-style.ts';
import { walk } from './json-tree.ts';
import { good } from './outcome.ts';
import { commonLineEnd } from './text-lines.ts';

export type JsonPlace = Extract<Place, { kind: 'key' | 'item' }>;

/** The container that a place belongs in. */
export const containerPath = (place: JsonPlace): JsonPath =>
  place.kind === 'key' ? place.path.slice(0, -1) : place.path;

export const containerKind = (place: JsonPlace): 'object' | 'array' =>
  place.kind === 'key' ? 'object' : 'array';

/**
 * Adds an entry by inserting text and changing nothing; missing containers come with it. The caller has made sure
 * that the place is absent. Faults: those of {@link walk}, `edit/unprovable`.
 */
export function insertEntry(
  document: JsonDocument,
  place: JsonPlace,
  value: Json,
  context: InsertContext,
): Result<Edit> {
  const { text, root } = document;
  if (root === undefined) return insertDocument(document, place, value, context);
  const path = containerPath(place);
  const walked = walk({ ...document, root }, path, containerKind(place));
  if (!walked.ok) return walked;
  const { branch, steps } = walked.value;
  const names = [...path.slice(steps.length), ...(place.kind === 'key' ? place.path.slice(-1) : [])];
  const added = { key: names[0], value: nested(names.slice(1), place, value, names.length > 0) };

  const slot = slotOf(document, branch, styleOf(document, context.eol), branch === root);
  const entry =
    added.key === undefined
      ? renderJson(added.value, slot.render)
      : renderMember(added.key, added.value, slot.render);
  const pieces = slot.pieces(entry);
  const after = withPieces(text, pieces);
  const proved = proveInsert(document, branch, steps.length, after, pieces, added);
  if (!proved.ok) return proved;

  const around = { pre: slot.pre, suf: slot.suf };
  const own = created(proved.value.text, proved.value.child, around, path, steps.length);
  const filled: Container = {
    path: path.slice(0, steps.length),
    kind: branch.kind,
    trace: { ...around, filled: true },
  };
  return good({
    text: after,
    trace: own.trace,
    containers: branch.children.length === 0 ? [filled, ...own.containers] : own.containers,
  });
}

/** The value of the outermost new child: the entry inside the containers that are missing. */
function nested(names: readonly string[], place: JsonPlace, value: Json, isMember: boolean): Json {
  let result: Json = place.kind === 'item' && isMember ? [value] : value;
  for (const name of names.toReversed()) {
    const outer = {};
    setOwn(outer, name, result);
    result = outer;
  }
  return result;
}

/** Containers that came with the entry and the text around each, read off the result; the entry's own last. */
function created(
  text: string,
  outer: JsonChild,
  around: { readonly pre: string; readonly suf: string },
  path: JsonPath,
  depth: number,
): { containers: Container[]; trace: Trace } {
  const containers: Container[] = [];
  let trace: Trace = around;
  let node: JsonNode = outer.value;
  for (let at = depth + 1; at <= path.length; at += 1) {
    if (node.kind !== 'object' && node.kind !== 'array') throw new Error('a new container is no branch');
    containers.push({ path: path.slice(0, at), kind: node.kind, trace });
    const child: JsonChild | undefined = node.children[0];
    if (child === undefined) throw new Error('a new container is empty');
    trace = { pre: text.slice(node.start + 1, child.start), suf: text.slice(child.end, node.end - 1) };
    node = child.value;
  }
  return { containers, trace };
}

/** An empty or comment-only text: the document goes behind the comments, so they stay first. */
function insertDocument(
  document: JsonDocument,
  place: JsonPlace,
  value: Json,
  context: InsertContext,
): Result<Edit> {
  const { text, comments } = document;
  const eol = commonLineEnd(text) ?? context.eol ?? '\n';
  const render: RenderStyle = { lines: { eol, indent: '', unit: NEW_FILE_UNIT }, colon: ': ', comma: ', ' };
  const skeleton = isObject(context.skeleton) ? context.skeleton : {};
  const content = merged(skeleton, place, value);
  const lastComment = comments.at(-1);
  const at = lastComment === undefined ? 0 : Math.max(lastComment.end, text.lastIndexOf('\n') + 1);
  const pre = lastComment !== undefined && text[at - 1] !== '\n' ? eol : '';
  const hasLineEnd = lastComment === undefined ? !text.includes('\n') : text.includes('\n', lastComment.end);
  const suf = hasLineEnd ? eol : '';
  const piece: Piece = { at, text: `${pre}${renderJson(content, render)}${suf}` };
  const after = withPieces(text, [piece]);
  const proved = proveCreated(document, after, piece, content);
  if (!proved.ok) return proved;
  const root: Container = {
    path: [],
    kind: 'object',
    trace: { pre, suf, skeleton: canonicalJson(skeleton) },
  };
  const inner = inside(after, proved.value, place);
  return good({ text: after, trace: inner.trace, containers: [root, ...inner.containers] });
}

function merged(skeleton: Json, place: JsonPlace, value: Json): Json {
  const put = (base: Json | undefined, names: JsonPath): Json => {
    const [name, ...rest] = names;
    if (name === undefined)
      return place.kind === 'key' ? value : [...(Array.isArray(base) ? base : []), value];
    const object = {};
    for (const [key, member] of Object.entries(isObject(base) ? base : {})) setOwn(object, key, member);
    const old = isObject(base) && Object.hasOwn(base, name) ? base[name] : undefined;
    setOwn(object, name, put(old, rest));
    return object;
  };
  return put(skeleton, place.path);
}

/** As {@link created}, for a document that is wholly new: each container on the path, and the entry in it. */
function inside(
  after: string,
  root: JsonBranch,
  place: JsonPlace,
): { containers: Container[]; trace: Trace } {
  const containers: Container[] = [];
  const path = containerPath(place);
  let node: JsonBranch = root;
  for (const [depth, name] of path.entries()) {
    const index = node.children.findIndex(({ key }) => key === name);
    const child = node.children[index];
    if (child === undefined || (child.value.kind !== 'object' && child.value.kind !== 'array')) {
      throw new Error('a new container is missing');
    }
    containers.push({
      path: path.slice(0, depth + 1),
      kind: child.value.kind,
      trace: gaps(after, node, index),
    });
    node = child.value;
  }
  return { containers, trace: gaps(after, node, node.children.length - 1) };
}

/** White space before a child, and behind it when it is the last. */
function gaps(after: string, branch: JsonBranch, index: number): Trace {
  const child = branch.children[index];
  if (child === undefined) throw new Error('a new entry is missing');
  const before = branch.children[index - 1];
  return {
    pre: after.slice(before === undefined ? branch.start + 1 : before.comma + 1, child.start),
    suf: index === branch.children.length - 1 ? after.slice(child.end, branch.end - 1) : '',
  };
}
