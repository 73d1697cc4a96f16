import { getIn, isObject, type Json, type JsonObject } from '../lib/json.ts';
import type { Edit, Fault, Format, InsertContext, Place, Result } from './format.ts';
import { bad, good } from './outcome.ts';
import { type LineEnd, positionAt } from './text-lines.ts';
import { findWrongContainer, positionOf } from './toml-find.ts';
import { insideForeignBlock } from './toml-foreign.ts';
import { insertLeaf, insertTable } from './toml-insert.ts';
import { findItem, insertItem, removeItem, replaceItem, withList } from './toml-item.ts';
import { provedEdit, withMember, withoutMember, withoutVanished } from './toml-prove.ts';
import { removePath } from './toml-remove.ts';
import { NotToml, renderKey, renderPair, renderTable } from './toml-render.ts';
import { scanToml, type TomlDoc } from './toml-scan.ts';
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
    const doc = scanToml(text, options?.maxDepth);
    if (!doc.ok) return doc;
    return good(doc.value.statements.length === 0 ? undefined : doc.value.value);
  },
  read(text, place) {
    const opened = open(text, place);
    if (!opened.ok) return opened;
    const { doc, entry } = opened.value;
    if (entry.kind === 'item') {
      const found = findItem(doc, entry);
      if (found === undefined) return good({ state: 'absent' });
      const at = positionOf(doc, [...entry.path, String(found.index)]) ?? positionAt(text, 0);
      return good({ state: 'present', value: found.value, at, ...(found.byTag ? { byTag: true } : {}) });
    }
    const value = getIn(doc.value, entry.path);
    if (value === undefined) return good({ state: 'absent' });
    return good({ state: 'present', value, at: positionOf(doc, entry.path) ?? positionAt(text, 0) });
  },
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
        if (getIn(doc.value, entry.path) === undefined)
          return bad('edit/unprovable', 'the entry is not in this file');
        const more = { eol: eolOf(context), force: context.force === true };
        return updateEntry(doc, entry.path, change, { ...memory, ...more });
      }
      const value = change.set.get('');
      const found = findItem(doc, entry);
      if (value === undefined || found === undefined)
        return bad('edit/unprovable', 'the value is not in this file');
      const next = replaceItem(doc, entry, found.index, value);
      if (!next.ok) return next;
      const expected = withList(doc, entry, (list) => list.with(found.index, value));
      return provedEdit(doc, next.value, () => expected, memory.trace, memory.containers);
    });
  },
  remove(text, place, context) {
    const opened = open(text, place);
    if (!opened.ok) return opened;
    const { doc, entry } = opened.value;
    if (entry.kind === 'key') {
      const removed = removePath(doc, entry.path, context);
      if (!removed.ok) return removed;
      const left = withoutMember(doc.value, entry.path);
      const expected = (after: JsonObject): JsonObject => withoutVanished(left, entry.path, after);
      return provedEdit(doc, removed.value.text, expected, {}, removed.value.containers);
    }
    const found = findItem(doc, entry);
    if (found === undefined) return bad('edit/unprovable', 'the value is not in this file');
    const removed = removeItem(doc, entry, found.index, context);
    if (!removed.ok) return removed;
    const rest = withList(doc, entry, (list) => list.toSpliced(found.index, 1));
    const isLast = getIn(rest, [...entry.path, '0']) === undefined;
    const expected = (after: JsonObject): JsonObject =>
      isLast && getIn(after, entry.path) === undefined
        ? withoutVanished(withoutMember(doc.value, entry.path), entry.path, after)
        : rest;
    return provedEdit(doc, removed.value.text, expected, {}, removed.value.containers);
  },
  snippet(place, value) {
    if (place.kind === 'item') return `${pasted(place.path, [value])}\n`;
    return place.kind === 'key' ? `${pasted(place.path, value)}\n` : '';
  },
  locate(text, path) {
    const doc = scanToml(text);
    if (!doc.ok || text === '') return undefined;
    return getIn(doc.value.value, path) === undefined ? undefined : positionOf(doc.value, path);
  },
};

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

function findWrongList(doc: TomlDoc, place: EntryPlace): Fault | undefined {
  const value = place.kind === 'item' ? getIn(doc.value, place.path) : undefined;
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
  const expected: JsonObject =
    place.kind === 'item'
      ? withList(doc, place, (list) => [...list, value])
      : withMember(doc.value, place.path, value);
  return provedEdit(doc, applySplices(doc.text, splices), () => expected, trace, containers);
}

function isTaken(doc: TomlDoc, place: EntryPlace): boolean {
  if (place.kind === 'key') return getIn(doc.value, place.path) !== undefined;
  const found = findItem(doc, place);
  return found !== undefined && !found.byTag;
}

/** A value that TOML cannot hold is a fault, not a bug. */
function guarded(edit: () => Result<Edit>): Result<Edit> {
  try {
    return edit();
  } catch (error) {
    if (error instanceof NotToml) return bad('edit/unsupported', error.message);
    throw error;
  }
}

function pasted(path: readonly string[], value: Json): string {
  if (isObject(value)) return renderTable(path, value);
  const pair = renderPair(path.slice(-1), value);
  return path.length === 1 ? pair : `[${renderKey(path.slice(0, -1))}]\n${pair}`;
}
