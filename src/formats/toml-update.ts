import {
  equalJson,
  fromPointer,
  getIn,
  isObject,
  type Json,
  type JsonObject,
  type JsonPath,
  leavesOf,
} from '../lib/json.ts';
import type { Edit, Result, Trace } from './format.ts';
import { bad, good } from './outcome.ts';
import type { Span } from './spans.ts';
import { type LineEnd, positionAt } from './text-lines.ts';
import { scanStep, type TomlDoc, valueIn } from './toml-doc.ts';
import { inlineAround, statementsBelow, valueNode } from './toml-find.ts';
import { insertLeaf } from './toml-insert.ts';
import { provedEdit, withMember, withoutMember } from './toml-prove.ts';
import { removePath } from './toml-remove.ts';
import { renderInline } from './toml-render.ts';
import { commentsIn, lineAt, type Pair, startsWith } from './toml-scan.ts';
import { applySplices, lineEndOf, type Splice, toTrace, userComment } from './toml-splice.ts';

export interface Change {
  readonly set: ReadonlyMap<string, Json>;
  readonly unset: readonly string[];
}

interface UpdateContext {
  readonly trace: Trace;
  readonly containers: Edit['containers'];
  readonly eol: LineEnd;
  readonly force: boolean;
}

const isEmpty = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/**
 * The change of leaves that makes one table of another: a table has no text of its own that could be replaced as a
 * whole. An empty one asked for beside leaves to take out only says that the table stays.
 */
function leafwise(before: TomlDoc, entry: JsonPath, change: Change): Result<Change> {
  const whole = change.set.get('');
  if (whole === undefined || valueNode(before, entry) !== undefined) return good(change);
  const current = valueIn(before, entry);
  if (!isObject(whole) || !isObject(current)) {
    const at = statementsBelow(before, entry)[0]?.start;
    return bad('edit/unsupported', 'a table is replaced by nothing but a table', {
      ...(at === undefined ? {} : { at: positionAt(before.text, at) }),
      hint: 'Take the table out of the file first.',
    });
  }
  if (isEmpty(whole) && change.unset.length > 0) return good(change);
  const seen = leavesOf(current);
  const wanted = leavesOf(whole);
  const isOther = ([pointer, value]: [string, Json]): boolean => {
    const there = seen.get(pointer);
    return pointer !== '' && (there === undefined || !equalJson(there, value));
  };
  return good({
    set: new Map([...wanted].filter(isOther)),
    unset: [...seen.keys()].filter((pointer) => pointer !== '' && !wanted.has(pointer)),
  });
}

/**
 * Changes leaves of the entry at a path: value ranges are replaced, new leaves stand at the end of the table that owns
 * them, leaves that go take their line with them, and a sub-table that they leave empty.
 */
export function updateEntry(
  before: TomlDoc,
  entry: JsonPath,
  asked: Change,
  context: UpdateContext,
): Result<Edit> {
  const leaves = leafwise(before, entry, asked);
  if (!leaves.ok) return leaves;
  const change = leaves.value;
  const set = new Map(
    [...change.set].map(([pointer, value]) => [[...entry, ...fromPointer(pointer)], value]),
  );
  const unset = change.unset.map((pointer) => [...entry, ...fromPointer(pointer)]);
  const steps: Step[] = [];
  for (const path of unset) if (isReplacedByTable(before, path, set)) steps.push(takeOut(entry, path));
  const values: [JsonPath, Json][] = [];
  for (const [path, value] of set) {
    if (valueNode(before, path) !== undefined) values.push([path, value]);
    else {
      if (path.length > entry.length && valueIn(before, path) !== undefined) steps.push(takeOut(entry, path));
      steps.push(addLeaf(entry, path, value));
    }
  }
  const isCovered = (path: JsonPath, other: JsonPath): boolean =>
    startsWith(other, path) || (other.length > entry.length && startsWith(path, other));
  for (const path of unset)
    if (![...set.keys()].some((other) => isCovered(path, other))) steps.push(takeOut(entry, path));
  return runSteps(before, [replaceValues(values), ...steps], entry, context, (value) =>
    expected(value, entry, set, unset),
  );
}

/** One change of the text; reads the text that the step before left. */
type Step = (doc: TomlDoc, context: UpdateContext) => Result<string>;

function runSteps(
  before: TomlDoc,
  steps: readonly Step[],
  entry: JsonPath,
  context: UpdateContext,
  expect: (value: JsonObject) => JsonObject,
): Result<Edit> {
  let doc = before;
  for (const step of steps) {
    const text = step(doc, context);
    if (!text.ok) return text;
    const next = scanStep(text.value);
    if (!next.ok)
      return bad('edit/unprovable', `the file would not be valid TOML after the edit: ${next.fault.message}`);
    doc = next.value;
  }
  const { trace, containers } = context;
  return provedEdit(before, doc.text, entry, (_, value) => expect(value), { trace, containers });
}

/** A scalar that goes because a table takes its name must go first. */
const isReplacedByTable = (doc: TomlDoc, path: JsonPath, set: ReadonlyMap<string[], Json>): boolean =>
  [...set.keys()].some((other) => other.length > path.length && startsWith(other, path)) &&
  !isObject(valueIn(doc, path));

function expected(
  value: JsonObject,
  entry: JsonPath,
  set: ReadonlyMap<string[], Json>,
  unset: readonly JsonPath[],
): JsonObject {
  let result = value;
  for (const path of unset) result = path.length === entry.length ? result : withoutMember(result, path);
  for (const path of unset) {
    for (let length = path.length - 1; length > entry.length; length -= 1) {
      const table = getIn(result, path.slice(0, length));
      if (isObject(table) && Object.keys(table).length === 0)
        result = withoutMember(result, path.slice(0, length));
    }
  }
  for (const [path, leaf] of set) {
    if (path.length === entry.length && isEmpty(leaf) && unset.length > 0) continue;
    result = withMember(result, path, leaf);
  }
  return result;
}

const replaceValues =
  (values: readonly [JsonPath, Json][]): Step =>
  (doc, context) => {
    const splices: Splice[] = [];
    for (const [path, value] of values) {
      const node = valueNode(doc, path);
      if (node === undefined) return bad('edit/unprovable', 'a value is not there any more');
      if (equalJson(valueIn(doc, path) ?? null, value)) continue;
      const refused = refuseInline(doc, path);
      if (refused !== undefined) return refused;
      const span = { start: node.start, end: node.end };
      const [comment] = commentsIn(doc, span);
      if (comment !== undefined && !context.force) return { ok: false, fault: userComment(doc, comment) };
      if (comment !== undefined) splices.push(moveCommentsUp(doc, span));
      splices.push({ ...span, text: renderInline(value) });
    }
    return good(applySplices(doc.text, splices));
  };

/** Comments inside a value that is replaced get lines of their own above it. */
function moveCommentsUp(doc: TomlDoc, value: Span): Splice {
  const index = lineAt(doc, value.start);
  const start = doc.lines.at(index)?.start ?? 0;
  const eol = lineEndOf(doc, index);
  const comments = commentsIn(doc, value).map((span) => doc.text.slice(span.start, span.end) + eol);
  return { start, end: start, text: comments.join('') };
}

/** Inline tables on several lines, or with comments, are not edited inside. */
function refuseInline(doc: TomlDoc, path: JsonPath): ReturnType<typeof bad> | undefined {
  const inline = inlineAround(doc, path);
  if (inline === undefined) return undefined;
  const span = inline.pair.value;
  if (!doc.text.slice(span.start, span.end).includes('\n')) return undefined;
  return bad('edit/unsupported', 'an inline table on several lines is not edited', {
    at: positionAt(doc.text, span.start),
    hint: 'Write the table with a header of its own.',
  });
}

const addLeaf =
  (entry: JsonPath, path: JsonPath, value: Json): Step =>
  (doc, context) => {
    if (path.length === entry.length) return good(doc.text);
    const refused = refuseInline(doc, path);
    if (refused !== undefined) return refused;
    const hasHeader = statementsBelow(doc, entry).some((statement) => statement.kind === 'header');
    const dotted = hasHeader ? undefined : dottedEntry(doc, path, value, { eol: context.eol, entry });
    const added = dotted ?? insertLeaf(doc, path, value, { eol: context.eol, entry });
    return added.ok ? good(applySplices(doc.text, added.value.splices)) : added;
  };

/** An entry of dotted keys gets one more dotted key, so that it stays in one place. */
function dottedEntry(
  doc: TomlDoc,
  path: JsonPath,
  value: Json,
  around: { readonly eol: LineEnd; readonly entry: JsonPath },
): ReturnType<typeof insertLeaf> | undefined {
  const below = statementsBelow(doc, around.entry).findLast(
    (statement): statement is Pair => statement.kind === 'pair',
  );
  return below === undefined ? undefined : insertLeaf(doc, path, value, { ...around, below });
}

const takeOut =
  (entry: JsonPath, path: JsonPath): Step =>
  (doc, context) => {
    if (path.length === entry.length || valueIn(doc, path) === undefined) return good(doc.text);
    const refused = refuseInline(doc, path);
    if (refused !== undefined) return refused;
    const whole = emptiedTable(doc, entry, path);
    const isTable = statementsBelow(doc, whole)[0]?.kind === 'header';
    const trace = toTrace({ blank: isTable ? 1 : 0, open: false });
    const removed = removePath(doc, whole, { containers: [], trace, force: context.force });
    return removed.ok ? good(removed.value.text) : removed;
  };

/** The outermost table inside the entry that would be left without a leaf. */
function emptiedTable(doc: TomlDoc, entry: JsonPath, path: JsonPath): JsonPath {
  let whole = path;
  for (let length = path.length - 1; length > entry.length; length -= 1) {
    const table = valueIn(doc, path.slice(0, length));
    if (!isObject(table) || Object.keys(table).length > 1) break;
    whole = path.slice(0, length);
  }
  return whole;
}
