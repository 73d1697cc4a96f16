import type { JsonPath } from '../lib/json.ts';
import type { Container, Result, Trace } from './format.ts';
import { bad, good } from './outcome.ts';
import { type InlineAt, inlineAround, membersBelow, statementsBelow } from './toml-find.ts';
import { isInnerSpace, isRootKeys } from './toml-insert.ts';
import { type Statement, samePath, scanToml, startsWith, type TomlDoc } from './toml-scan.ts';
import {
  applySplices,
  blankAbove,
  cutBetween,
  cutLines,
  dropStatements,
  fromTrace,
  isBlank,
  linesOf,
  type Splice,
  type Surroundings,
  spanOf,
} from './toml-splice.ts';

export interface Removal {
  readonly text: string;
  /** What is left of the given containers. */
  readonly containers: readonly Container[];
  /** The path that really went: the given one, or a container of ours that it left empty. */
  readonly path: JsonPath;
}

interface RemovalContext {
  readonly trace?: Trace;
  readonly containers: readonly Container[];
  readonly force?: boolean;
}

/**
 * Takes out everything that defines a path, found by its keys, and then the headers of ours that it leaves without a
 * member.
 */
export function removePath(doc: TomlDoc, path: JsonPath, context: RemovalContext): Result<Removal> {
  const removed = removeOnly(doc, path, context);
  if (!removed.ok) return removed;
  const containers = removed.value.containers.filter((container) => !startsWith(container.path, path));
  const left = { ...removed.value, containers };
  const around = containers.filter((container) => isAround(container, path));
  if (around.length === 0) return good(left);
  const after = scanToml(left.text);
  if (!after.ok) return after;
  const emptied = around.find((container) => isBare(after.value, container.path));
  if (emptied === undefined) return good(left);
  return removePath(after.value, emptied.path, { ...context, containers, trace: emptied.trace });
}

const isAround = (container: Container, path: JsonPath): boolean =>
  container.path.length > 0 && container.path.length < path.length && startsWith(path, container.path);

/** Nothing but its own header is left of a table. */
function isBare(doc: TomlDoc, path: JsonPath): boolean {
  const [header, ...others] = statementsBelow(doc, path);
  return header?.kind === 'header' && others.length === 0 && samePath(header.path, path);
}

function removeOnly(doc: TomlDoc, path: JsonPath, context: RemovalContext): Result<Removal> {
  const owned = statementsBelow(doc, path);
  if (owned.length > 0) return removeLines(doc, path, owned, context);
  const inline = inlineAround(doc, path);
  if (inline !== undefined) return removeMembers(doc, path, inline, context);
  return bad('edit/unprovable', 'the entry is not in this file');
}

function removeLines(
  doc: TomlDoc,
  path: JsonPath,
  owned: readonly Statement[],
  context: RemovalContext,
): Result<Removal> {
  const dropped = dropStatements(doc, owned, context.force === true);
  if (!dropped.ok) return dropped;
  const { drop, keep } = dropped.value;
  const around = fromTrace(context.trace) ?? guess(doc, owned, keep.length > 0);
  addBlanksBetween(doc, owned, drop);
  const [first] = owned;
  if (first !== undefined && around.blank === 1) {
    const blank = blankAbove(doc, linesOf(doc, first)[0], context.trace !== undefined);
    if (blank !== undefined) drop.add(blank);
  }
  const containers = endRootKeys(doc, owned, drop, context.containers);
  const splices: Splice[] = [...keep, ...cutLines(doc, drop, around.open)];
  return good({ text: applySplices(doc.text, splices), containers, path });
}

/**
 * Blank lines between two statements that both go belong to the entry. Where comments of the user stand between, only
 * the one blank line above a header is ours.
 */
function addBlanksBetween(doc: TomlDoc, owned: readonly Statement[], drop: Set<number>): void {
  for (const [index, statement] of doc.statements.entries()) {
    const before = doc.statements[index - 1];
    if (before === undefined || !owned.includes(statement) || !owned.includes(before)) continue;
    const from = linesOf(doc, before)[1] + 1;
    const to = linesOf(doc, statement)[0];
    const between = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
    if (between.every((line) => isBlank(doc, line))) {
      for (const line of between) drop.add(line);
    } else if (statement.kind === 'header') {
      const blank = blankAbove(doc, to, true);
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

/**
 * With the last root key of ours goes the blank line that was put below the first one. Where the tables below are gone
 * and it ends the file, another removal took that line, and the one above is left over.
 */
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
  if (first === undefined || last === undefined || !containers.some(isRootKeys)) return containers;
  const above = linesOf(doc, first)[0] - 1;
  const below = linesOf(doc, last)[1] + 1;
  const hasNeighbour = doc.statements.some(
    (statement) =>
      isRoot(statement) &&
      !owned.includes(statement) &&
      (linesOf(doc, statement)[1] === above || linesOf(doc, statement)[0] === below),
  );
  if (hasNeighbour) return containers;
  if (isBlank(doc, below)) drop.add(below);
  else if (below >= doc.lines.length && isBlank(doc, above)) drop.add(above);
  return containers.filter((container) => !isRootKeys(container));
}

function removeMembers(doc: TomlDoc, path: JsonPath, at: InlineAt, context: RemovalContext): Result<Removal> {
  const owned = membersBelow(at);
  if (owned.length === 0) return bad('edit/unprovable', 'the entry is not in this file');
  const outer = spanOf(at.table);
  const space = context.containers.find(
    (container) => isInnerSpace(container) && samePath(container.path, at.path),
  );
  const spans = at.table.body.map(spanOf);
  if (owned.length === at.table.body.length) {
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
      path,
    });
  }
  let { text } = doc;
  for (const member of owned.toReversed()) {
    const cut = cutBetween(doc, outer, spans, at.table.body.indexOf(member));
    if (!cut.ok) return cut;
    if (owned.length > 1 && cut.value.start === spanOf(member).start)
      return bad('edit/unsupported', 'several dotted keys of one inline table are not taken out');
    text = applySplices(text, [cut.value]);
  }
  return good({ text, containers: context.containers, path });
}

/** Widens a cut over spaces and tabs as far as a limit. */
function wider(text: string, offset: number, step: 1 | -1, limit: number): number {
  let at = offset;
  const next = (): string => (step === 1 ? text[at] : text[at - 1]) ?? '';
  while (at !== limit && /[ \t]/.test(next())) at += step;
  return at;
}
