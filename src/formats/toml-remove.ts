import type { JsonPath } from '../lib/json.ts';
import type { Container, Result, Trace } from './format.ts';
import { bad, good } from './outcome.ts';
import type { Span } from './spans.ts';
import { scanStep, type TomlDoc } from './toml-doc.ts';
import { headerOf, type InlineAt, inlineAround, membersBelow, statementsBelow } from './toml-find.ts';
import { isInnerSpace, isRootKeys } from './toml-insert.ts';
import { type Statement, samePath, startsWith } from './toml-scan.ts';
import {
  applySplices,
  cutBetween,
  cutLines,
  dropStatements,
  emptyAbove,
  fromTrace,
  isBlank,
  isEmpty,
  linesOf,
  type Splice,
  type Surroundings,
} from './toml-splice.ts';

export interface Removal {
  readonly text: string;
  /** What is left of the given containers. */
  readonly containers: readonly Container[];
}

interface RemovalContext {
  readonly trace?: Trace;
  readonly containers: readonly Container[];
  readonly force?: boolean;
}

/**
 * Takes out everything that defines a path, found by its keys, and then the headers of ours that it leaves without a
 * key of their own.
 */
export function removePath(doc: TomlDoc, path: JsonPath, context: RemovalContext): Result<Removal> {
  const removed = removeOnly(doc, path, context);
  if (!removed.ok) return removed;
  let left: Removal = {
    text: removed.value.text,
    containers: removed.value.containers.filter((container) => !startsWith(container.path, path)),
  };
  for (;;) {
    const around = left.containers.filter((container) => isAround(container, path));
    if (around.length === 0) return good(left);
    const after = scanStep(left.text);
    if (!after.ok) return after;
    const emptied = around.find((container) => bareHeader(after.value, container.path) !== undefined);
    const header = emptied === undefined ? undefined : bareHeader(after.value, emptied.path);
    if (emptied === undefined || header === undefined) return good(left);
    const containers = left.containers.filter((container) => container !== emptied);
    const next = removeLines(after.value, [header], { ...context, containers, trace: emptied.trace });
    if (!next.ok) return next;
    left = next.value;
  }
}

const isAround = (container: Container, path: JsonPath): boolean =>
  container.path.length > 0 && container.path.length < path.length && startsWith(path, container.path);

/** The header of a table that has no key of its own; tables below it have headers of theirs. */
function bareHeader(doc: TomlDoc, path: JsonPath): Statement | undefined {
  const header = headerOf(doc, path);
  return header !== undefined && doc.statements.sectionEnd(header.id) === header.id ? header : undefined;
}

function removeOnly(doc: TomlDoc, path: JsonPath, context: RemovalContext): Result<Removal> {
  const owned = statementsBelow(doc, path);
  if (owned.length > 0) return removeLines(doc, owned, context);
  const inline = inlineAround(doc, path);
  if (inline !== undefined) return removeMembers(doc, inline, context);
  return bad('edit/unprovable', 'the entry is not in this file');
}

function removeLines(doc: TomlDoc, owned: readonly Statement[], context: RemovalContext): Result<Removal> {
  const dropped = dropStatements(doc, owned, context.force === true);
  if (!dropped.ok) return dropped;
  const { drop, keep } = dropped.value;
  const around = fromTrace(context.trace) ?? guess(doc, owned, keep.length > 0);
  addBlanksBetween(doc, owned, drop);
  const [first] = owned;
  if (first !== undefined && around.blank === 1) {
    const blank = emptyAbove(doc, linesOf(doc, first)[0], context.trace !== undefined);
    if (blank !== undefined) drop.add(blank);
  }
  const containers = endRootKeys(doc, owned, drop, context.containers);
  const splices: Splice[] = [...keep, ...cutLines(doc, drop, around.open)];
  return good({ text: applySplices(doc.text, splices), containers });
}

/**
 * Blank lines between two statements that both go belong to the entry. Where comments of the user stand between, only
 * the one blank line above a header is ours.
 */
function addBlanksBetween(doc: TomlDoc, owned: readonly Statement[], drop: Set<number>): void {
  for (const [index, statement] of owned.entries()) {
    const before = owned[index - 1];
    if (before?.id !== statement.id - 1) continue;
    const from = linesOf(doc, before)[1] + 1;
    const to = linesOf(doc, statement)[0];
    const between = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
    if (between.every((line) => isBlank(doc, line))) {
      for (const line of between) drop.add(line);
    } else if (statement.kind === 'header') {
      const blank = emptyAbove(doc, to, true);
      if (blank !== undefined && blank >= from) drop.add(blank);
    }
  }
}

/** Surroundings of an entry whose record is lost: one blank line above goes when nothing or a blank line follows. */
function guess(doc: TomlDoc, owned: readonly Statement[], keepsLines: boolean): Surroundings {
  const [first] = owned;
  const last = owned.at(-1);
  if (first?.kind !== 'header' || last === undefined || keepsLines) return { blank: 0, open: false };
  const next = linesOf(doc, last)[1] + 1;
  return { blank: next >= doc.lines.length || isBlank(doc, next) ? 1 : 0, open: false };
}

/** With the last root key of ours goes the blank line that was put beside the first one. */
function endRootKeys(
  doc: TomlDoc,
  owned: readonly Statement[],
  drop: Set<number>,
  containers: readonly Container[],
): readonly Container[] {
  const isRoot = (statement: Statement): boolean =>
    statement.kind === 'pair' && statement.owner === undefined;
  const first = owned.find(isRoot);
  const last = owned.findLast(isRoot);
  const container = containers.find(isRootKeys);
  if (first === undefined || last === undefined || container === undefined) return containers;
  const above = linesOf(doc, first)[0] - 1;
  const below = linesOf(doc, last)[1] + 1;
  const mine = new Set(owned.map(({ id }) => id));
  for (let id = 0; id < doc.statements.rootPairs; id += 1) {
    if (mine.has(id)) continue;
    const [from, to] = linesOf(doc, { start: doc.statements.start(id), end: doc.statements.end(id) });
    if (to === above || from === below) return containers;
  }
  const sides = { above: [above], below: [below], either: [below, above] } as const;
  const side = container.trace['side'];
  const blank = (side === 'above' || side === 'either' ? sides[side] : sides.below).find((line) =>
    isEmpty(doc, line),
  );
  if (blank !== undefined) drop.add(blank);
  return containers.filter((other) => other !== container);
}

function removeMembers(doc: TomlDoc, at: InlineAt, context: RemovalContext): Result<Removal> {
  const owned = membersBelow(at);
  if (owned.length === 0) return bad('edit/unprovable', 'the entry is not in this file');
  const outer = at.table;
  const space = context.containers.find(
    (container) => isInnerSpace(container) && samePath(container.path, at.path),
  );
  const spans = at.table.members;
  if (owned.length === at.table.members.length) {
    const [only] = spans;
    if (owned.length > 1 || only === undefined)
      return bad('edit/unsupported', 'several dotted keys of one inline table are not taken out');
    const cut = cutBetween(doc, outer, spans, 0);
    if (!cut.ok) return cut;
    const isOurs = space !== undefined || context.trace === undefined;
    const start = isOurs ? wider(doc.text, cut.value.start, -1, outer.start + 1) : cut.value.start;
    const both = space === undefined ? context.trace === undefined : space.trace['both'] === true;
    const end = both ? wider(doc.text, cut.value.end, 1, outer.end - 1) : cut.value.end;
    return good({
      text: applySplices(doc.text, [{ start, end, text: '' }]),
      containers: context.containers.filter((container) => container !== space),
    });
  }
  const cuts: Splice[] = [];
  const { merged, ours } = neighbours(spans, new Set(owned));
  for (const index of ours) {
    const cut = cutBetween(doc, outer, merged, index);
    if (!cut.ok) return cut;
    cuts.push(cut.value);
  }
  return good({ text: applySplices(doc.text, cuts), containers: context.containers });
}

/** The members with each run of owned ones as one span, and which of them these are: what separates two of ours goes too. */
function neighbours(spans: readonly Span[], owned: ReadonlySet<Span>): { merged: Span[]; ours: number[] } {
  const merged: Span[] = [];
  const ours: number[] = [];
  for (const span of spans) {
    const isOurs = owned.has(span);
    const last = merged.at(-1);
    if (isOurs && last !== undefined && ours.at(-1) === merged.length - 1)
      merged[merged.length - 1] = { start: last.start, end: span.end };
    else {
      if (isOurs) ours.push(merged.length);
      merged.push(span);
    }
  }
  return { merged, ours };
}

/** Widens a cut over spaces and tabs as far as a limit. */
function wider(text: string, offset: number, step: 1 | -1, limit: number): number {
  let at = offset;
  const next = (): string => (step === 1 ? text[at] : text[at - 1]) ?? '';
  while (at !== limit && /[ \t]/.test(next())) at += step;
  return at;
}
