import { getIn, isObject, type Json, type JsonObject, type JsonPath } from '../lib/json.ts';
import type { Edit, Fault, Format, InsertContext, Place, Reading, RemoveContext, Result } from './format.ts';
import { bad, good } from './outcome.ts';
import { type LineEnd, positionAt } from './text-lines.ts';
import { isTableAt, scanToml, type TomlDoc, Unread, valueIn } from './toml-doc.ts';
import { findWrongContainer, positionOf } from './toml-find.ts';
import { insideForeignBlock } from './toml-foreign.ts';
import { insertLeaf, insertTable } from './toml-insert.ts';
import { findItem, insertItem, removeItem, replaceItem, withList } from './toml-item.ts';
import { provedEdit, withMember, withoutMember, withoutVanished } from './toml-prove.ts';
import { removePath } from './toml-remove.ts';
import { NotToml, renderKey, renderPair, renderTable } from './toml-render.ts';
import { applySplices } from './toml-splice.ts';
import { updateEntry } from './toml-update.ts';

type EntryPlace = Extract<Place, { kind: 'key' | 'item' }>;

/**
 * TOML 1.1. A file of the user is never serialised: a range parser finds the places, edits are splices, and a second
 * parser proves what the new text means.
 */
export const tomlFormat: Format = {
  id: 'toml',
  parse(text, options) {
    return guarded(() => {
      const doc = scanToml(text, options?.maxDepth);
      if (!doc.ok) return doc;
      return good(doc.value.statements.length === 0 ? undefined : valueIn(doc.value, []));
    });
  },
  read: (text, place) => guarded(() => read(text, place)),
  insert(text, place, value, context) {
    return guarded(() => {
      const opened = open(text, place);
      if (!opened.ok) return opened;
      return insert(opened.value.doc, opened.value.entry, value, eolOf(context));
    });
  },
  update(text, place, change, context) {
    return guarded(() => {
      const opened = open(text, place);
      if (!opened.ok) return opened;
      const { doc, entry } = opened.value;
      const memory = { trace: context.trace ?? {}, containers: context.containers };
      if (entry.kind === 'key') {
        if (!isThere(doc, entry.path)) return bad('edit/unprovable', 'the entry is not in this file');
        const more = { eol: eolOf(context), force: context.force === true };
        return updateEntry(doc, entry.path, change, { ...memory, ...more });
      }
      const value = change.set.get('');
      const found = findItem(doc, entry);
      if (value === undefined || found === undefined)
        return bad('edit/unprovable', 'the value is not in this file');
      const next = replaceItem(doc, entry, found.index, value);
      if (!next.ok) return next;
      const expected = (_: JsonObject, before: JsonObject): JsonObject =>
        withList(before, entry, (list) => list.with(found.index, value));
      return provedEdit(doc, next.value, entry.path, expected, memory);
    });
  },
  remove: (text, place, context) => guarded(() => remove(text, place, context)),
  snippet(place, value) {
    if (place.kind === 'item') return `${pasted(place.path, [value])}\n`;
    return place.kind === 'key' ? `${pasted(place.path, value)}\n` : '';
  },
  locate(text, path) {
    const doc = scanToml(text);
    if (!doc.ok || text === '') return undefined;
    return isThere(doc.value, path) ? positionOf(doc.value, path) : undefined;
  },
};

const isThere = (doc: TomlDoc, path: JsonPath): boolean =>
  isTableAt(doc, path) || valueIn(doc, path) !== undefined;

const eolOf = (context: InsertContext): LineEnd => context.eol ?? '\n';

/** The parsed text and a place that TOML can hold, with only tables on the way to it. */
function open(text: string, place: Place): Result<{ readonly doc: TomlDoc; readonly entry: EntryPlace }> {
  const doc = scanToml(text);
  if (!doc.ok) return doc;
  if ((place.kind !== 'key' && place.kind !== 'item') || place.path.length === 0)
    return bad('edit/unsupported', `a TOML file holds no ${place.kind} here`);
  const fault = findWrongContainer(doc.value, place.path) ?? findWrongList(doc.value, place);
  return fault === undefined ? good({ doc: doc.value, entry: place }) : { ok: false, fault };
}

function read(text: string, place: Place): Result<Reading> {
  const opened = open(text, place);
  if (!opened.ok) return opened;
  const { doc, entry } = opened.value;
  if (entry.kind === 'item') {
    const found = findItem(doc, entry);
    if (found === undefined) return good({ state: 'absent' });
    const at = positionOf(doc, [...entry.path, String(found.index)]) ?? positionAt(text, 0);
    return good({ state: 'present', value: found.value, at, ...(found.byTag ? { byTag: true } : {}) });
  }
  const value = valueIn(doc, entry.path);
  if (value === undefined) return good({ state: 'absent' });
  return good({ state: 'present', value, at: positionOf(doc, entry.path) ?? positionAt(text, 0) });
}

function remove(text: string, place: Place, context: RemoveContext): Result<Edit> {
  const opened = open(text, place);
  if (!opened.ok) return opened;
  const { doc, entry } = opened.value;
  if (entry.kind === 'key') {
    const removed = removePath(doc, entry.path, context);
    if (!removed.ok) return removed;
    const { containers } = removed.value;
    const expected = (after: JsonObject, before: JsonObject): JsonObject =>
      withoutVanished(withoutMember(before, entry.path), entry.path, after);
    return provedEdit(doc, removed.value.text, entry.path, expected, { trace: {}, containers });
  }
  const found = findItem(doc, entry);
  if (found === undefined) return bad('edit/unprovable', 'the value is not in this file');
  const removed = removeItem(doc, entry, found.index, context);
  if (!removed.ok) return removed;
  const { containers } = removed.value;
  const expected = (after: JsonObject, before: JsonObject): JsonObject => {
    const rest = withList(before, entry, (list) => list.toSpliced(found.index, 1));
    const isLast = getIn(rest, [...entry.path, '0']) === undefined;
    return isLast && getIn(after, entry.path) === undefined
      ? withoutVanished(withoutMember(before, entry.path), entry.path, after)
      : rest;
  };
  return provedEdit(doc, removed.value.text, entry.path, expected, { trace: {}, containers });
}

function findWrongList(doc: TomlDoc, place: EntryPlace): Fault | undefined {
  const value = place.kind === 'item' ? valueIn(doc, place.path) : undefined;
  if (value === undefined || Array.isArray(value)) return undefined;
  const at = positionOf(doc, place.path);
  const message = `${place.path.join('.')} is ${isObject(value) ? 'a table' : `a ${typeof value}`}, not an array`;
  return { code: 'config/shape', message, ...(at === undefined ? {} : { at }) };
}

function insert(doc: TomlDoc, place: EntryPlace, value: Json, eol: LineEnd): Result<Edit> {
  if (isTaken(doc, place)) {
    const at = positionOf(doc, place.path);
    return bad('edit/unprovable', 'an entry is already there', at === undefined ? {} : { at });
  }
  const added =
    place.kind === 'item'
      ? insertItem(doc, place, value, eol)
      : (isObject(value) ? insertTable : insertLeaf)(doc, place.path, value, { eol });
  if (!added.ok) return added;
  const { splices, trace, containers } = added.value;
  for (const { start } of splices) {
    const fault = insideForeignBlock(doc, start);
    if (fault !== undefined) return { ok: false, fault };
  }
  const expected = (_: JsonObject, before: JsonObject): JsonObject =>
    place.kind === 'item'
      ? withList(before, place, (list) => [...list, value])
      : withMember(before, place.path, value);
  const text = applySplices(doc.text, splices);
  return provedEdit(doc, text, place.path, expected, { trace, containers });
}

function isTaken(doc: TomlDoc, place: EntryPlace): boolean {
  if (place.kind === 'key') return isThere(doc, place.path);
  const found = findItem(doc, place);
  return found !== undefined && !found.byTag;
}

/** A value that TOML cannot hold is a fault, not a bug. */
function guarded<T>(look: () => Result<T>): Result<T> {
  try {
    return look();
  } catch (error) {
    if (error instanceof NotToml) return bad('edit/unsupported', error.message);
    if (error instanceof Unread) return bad('config/malformed', error.message);
    throw error;
  }
}

function pasted(path: readonly string[], value: Json): string {
  if (isObject(value)) return renderTable(path, value);
  const pair = renderPair(path.slice(-1), value);
  return path.length === 1 ? pair : `[${renderKey(path.slice(0, -1))}]\n${pair}`;
}
