import { isObject, type Json, type JsonPath } from '../lib/json.ts';
import type { Container, Result, Trace } from './format.ts';
import { bad, good } from './outcome.ts';
import { type LineEnd, lastLineEnd, positionAt } from './text-lines.ts';
import { skipBlanks } from './text-style.ts';
import type { TomlDoc } from './toml-doc.ts';
import { headerOf, type InlineAt, inlineAround, statementsBelow } from './toml-find.ts';
import { renderKey, renderPair, renderTable } from './toml-render.ts';
import { commentsIn, lineAt, type Pair } from './toml-scan.ts';
import { isBlank, isComment, lineEndOf, type Splice, type Surroundings, toTrace } from './toml-splice.ts';

/** A pure insertion, and what to remember of it. */
export interface Insertion {
  readonly splices: readonly Splice[];
  readonly trace: Trace;
  readonly containers: readonly Container[];
}

interface Around {
  /** Line end for a file that has none. */
  readonly eol: LineEnd;
  /** Update only: the entry that a new sub-table belongs to. */
  readonly entry?: JsonPath;
  /** Update only: the dotted key of the entry below which the new one stands. */
  readonly below?: Pair;
}

/**
 * A table as a header block at the end of the file: the one place that is valid beside every form of the tables around
 * it and never stands between a comment and what it describes. Inside an inline table: as one more member.
 */
export function insertTable(doc: TomlDoc, path: JsonPath, value: Json, around: Around): Result<Insertion> {
  const inline = inlineAround(doc, path);
  if (inline !== undefined) return insertMember(doc, inline, value);
  if (!isObject(value)) return insertLeaf(doc, path, value, around);
  return good(appendBlock(doc, renderTable(path, value), around.eol));
}

/**
 * One line `key = value` at the end of the table that owns it, whatever form this table has; a table that is not there
 * is created with a header at the end of the file.
 */
export function insertLeaf(doc: TomlDoc, path: JsonPath, value: Json, around: Around): Result<Insertion> {
  const inline = inlineAround(doc, path);
  if (inline !== undefined) return insertMember(doc, inline, value);
  const table = path.slice(0, -1);
  const own = path.slice(-1);
  if (around.below !== undefined) {
    const key = path.slice(around.below.owner?.path.length ?? 0);
    return good(insertLineAfter(doc, around.below.end, renderPair(key, value), around.eol));
  }
  if (table.length === 0) return good(insertRoot(doc, renderPair(own, value), around.eol));
  const header = headerOf(doc, table);
  if (header !== undefined) {
    const end = doc.statements.end(doc.statements.sectionEnd(header.id));
    return good(insertLineAfter(doc, end, renderPair(own, value), around.eol));
  }
  const dotted = statementsBelow(doc, table).findLast(
    (statement): statement is Pair =>
      statement.kind === 'pair' && (statement.owner?.path.length ?? 0) < table.length,
  );
  if (dotted !== undefined) {
    const key = path.slice(dotted.owner?.path.length ?? 0);
    return good(insertLineAfter(doc, dotted.end, renderPair(key, value), around.eol));
  }
  const block = `[${renderKey(table)}]\n${renderPair(own, value)}`;
  const entryEnd = around.entry === undefined ? undefined : statementsBelow(doc, around.entry).at(-1)?.end;
  if (entryEnd !== undefined) return good(insertLineAfter(doc, entryEnd, `\n${block}`, around.eol));
  const created = appendBlock(doc, block, around.eol);
  const isOpen = created.trace['open'] === true;
  const container: Container = { path: table, kind: 'object', trace: created.trace };
  return good({ ...created, trace: toTrace({ blank: 0, open: isOpen }), containers: [container] });
}

/** Puts a block at the end of the file: one blank line above it, and a final line end only where one was. */
function appendBlock(doc: TomlDoc, block: string, eol: LineEnd): Insertion {
  const { text } = doc;
  const end = lastLineEnd(text) ?? eol;
  const isOpen = text !== '' && !text.endsWith('\n');
  const needsBlank = isOpen || (text !== '' && !isBlank(doc, doc.lines.length - 1));
  const around: Surroundings = { blank: needsBlank ? 1 : 0, open: isOpen };
  const lines = `${isOpen ? '\n' : ''}${needsBlank ? '\n' : ''}${block}${isOpen ? '' : '\n'}`;
  return {
    splices: [{ start: text.length, end: text.length, text: lines.replaceAll('\n', end) }],
    trace: toTrace(around),
    containers: [],
  };
}

/** Puts lines below the line of an offset, with the indentation of that line. */
function insertLineAfter(doc: TomlDoc, offset: number, content: string, eol: LineEnd): Insertion {
  const line = doc.lines.at(lineAt(doc, Math.max(0, offset - 1))) ?? { start: 0, end: 0, next: 0 };
  const own = doc.text.slice(line.end, line.next);
  const isOpen = own === '';
  const end = isOpen ? (lastLineEnd(doc.text) ?? eol) : own;
  const before = doc.statements.lowerBound(offset) - 1;
  const start = before < 0 ? line.start : doc.statements.start(before);
  const first = doc.lines.at(lineAt(doc, start))?.start ?? line.start;
  const indent = doc.text.slice(first, skipBlanks(doc.text, first));
  const lines = content.split('\n').map((part) => (part === '' ? '' : indent + part));
  const text = isOpen ? lines.map((part) => end + part).join('') : lines.map((part) => part + end).join('');
  const at = isOpen ? line.end : line.next;
  return {
    splices: [{ start: at, end: at, text }],
    trace: toTrace({ blank: 0, open: isOpen }),
    containers: [],
  };
}

/** The blank line put above or below the first root key of ours belongs to all root keys of ours together. */
const rootKeys = (side: 'above' | 'below' | 'either'): Container => ({
  path: [],
  kind: 'object',
  trace: { form: 'root', side },
});

export const isRootKeys = (container: Container): boolean => container.path.length === 0;

/**
 * A root key must stand before the first header: below the other root keys; else below the comment that heads the file
 * and is parted from the first table by a blank line; else at the very top.
 */
function insertRoot(doc: TomlDoc, pair: string, eol: LineEnd): Insertion {
  const { rootPairs } = doc.statements;
  if (rootPairs > 0) return insertLineAfter(doc, doc.statements.end(rootPairs - 1), pair, eol);
  if (doc.statements.length === 0) return appendBlock(doc, pair, eol);
  const end = lastLineEnd(doc.text) ?? eol;
  const trace = toTrace({ blank: 0, open: false });
  let index = 0;
  while (isComment(doc, index)) index += 1;
  const head = doc.lines.at(index - 1);
  if (head !== undefined && isBlank(doc, index)) {
    // Below the head's own line end, which may be of the other kind than ours.
    const splice = { start: head.next, end: head.next, text: end + pair + end };
    return { splices: [splice], trace, containers: [rootKeys(isLike(doc, index, end) ? 'either' : 'above')] };
  }
  return {
    splices: [{ start: 0, end: 0, text: pair + end + end }],
    trace,
    containers: [rootKeys('below')],
  };
}

/**
 * Whether the lines around a gap have nothing but this line end. Then the blank lines above and below our key are the
 * same, and either of them can go with it: the other side may have got a comment, or gone with another entry.
 */
function isLike(doc: TomlDoc, index: number, end: LineEnd): boolean {
  const gap = doc.lines.at(index);
  if (gap === undefined || gap.start !== gap.end) return false;
  return lineEndOf(doc, index - 1) === end && lineEndOf(doc, index) === end;
}

/** White space of ours between the braces of an empty inline table of the user. */
export const isInnerSpace = (container: Container): boolean => container.trace['form'] === 'space';

function insertMember(doc: TomlDoc, at: InlineAt, value: Json): Result<Insertion> {
  const outer = at.table;
  const pair = renderPair(at.rest, value);
  const last = at.table.members.at(-1);
  const from = last === undefined ? outer.start : last.end;
  if (commentsIn(doc, { start: from, end: outer.end }).length > 0)
    return bad('edit/unsupported', 'an inline table with a comment at its end is not edited', {
      at: positionAt(doc.text, outer.start),
      hint: 'Write the table with a header of its own, e.g. [mcp_servers].',
    });
  if (last === undefined) {
    const inner = doc.text.slice(outer.start + 1, outer.end - 1);
    const text = ` ${pair}${inner === '' ? ' ' : ''}`;
    const space: Container = { path: at.path, kind: 'object', trace: { form: 'space', both: inner === '' } };
    const start = outer.start + 1;
    return good({ splices: [{ start, end: start, text }], trace: { form: 'member' }, containers: [space] });
  }
  return good({
    splices: [afterLast(doc, last, outer.end, pair)],
    trace: { form: 'member' },
    containers: [],
  });
}

/** One more element after the last of a list: on a line of its own where that one has one, with its trailing comma. */
export function afterLast(
  doc: TomlDoc,
  last: { readonly start: number; readonly end: number },
  outerEnd: number,
  content: string,
): Splice {
  const index = lineAt(doc, last.start);
  const line = doc.lines.at(index);
  const lead = doc.text.slice(line?.start ?? last.start, last.start);
  const ownLine = /^[ \t]*$/.test(lead) && line !== undefined;
  const eol = lineEndOf(doc, index - 1) || '\n';
  const gap = ownLine ? eol + lead : ' ';
  const comma = /^[ \t\r\n]*,/.exec(doc.text.slice(last.end, outerEnd));
  if (comma === null) return { start: last.end, end: last.end, text: `,${gap}${content}` };
  const at = last.end + comma[0].length;
  return { start: at, end: at, text: `${gap}${content},` };
}
