import type { Json } from '../lib/json.ts';
import type { Edit, Format, Place, RemoveContext, Result } from './format.ts';
import { type Block, checkMarkdown, findBlock, outline } from './markdown-scan.ts';
import { bad, edited, good } from './outcome.ts';
import { commonLineEnd, lastLineEnd, openEnd, positionAt, toLf, withLineEnd } from './text-lines.ts';

/**
 * Blocks between marker lines in a Markdown file of the user. The value of a block is the text between the two marker
 * lines with LF ends and without the last line end.
 */
export const markdownFormat: Format = {
  id: 'markdown',
  parse(text) {
    const fault = checkMarkdown(text);
    if (fault !== undefined) return { ok: false, fault };
    return good(text.trim() === '' ? undefined : toLf(text));
  },
  read(text, place) {
    const found = lookUp(text, place);
    if (!found.ok) return found;
    const block = found.value;
    if (block === undefined) return good({ state: 'absent' });
    return good({ state: 'present', value: innerText(text, block), at: positionAt(text, block.begin.start) });
  },
  insert(text, place, value, context) {
    const found = lookUp(text, place);
    if (!found.ok) return found;
    if (found.value !== undefined)
      return bad('edit/unprovable', 'the block is already there', {
        at: positionAt(text, found.value.begin.start),
      });
    const wrong = checkValue(value);
    if (wrong !== undefined) return wrong;
    const end = openEnd(text);
    if (end !== undefined) return { ok: false, fault: end };
    const view = outline(text);
    if (view.open !== undefined) {
      const what = view.open.kind === 'fence' ? 'a code fence' : 'a comment';
      return bad('edit/unsupported', `the file ends inside ${what} that is not closed`, {
        at: positionAt(text, view.open.line.start),
        hint: `Close ${what}.`,
      });
    }
    const eol = commonLineEnd(text) ?? context.eol ?? '\n';
    const block = withLineEnd(render(place, value), eol);
    const isClosed = text === '' || text.endsWith('\n');
    const last = view.lines.at(-1);
    const isBlank = last === undefined || text.slice(last.start, last.end).trim() === '';
    const above = isClosed ? (isBlank ? 0 : 1) : 2;
    const next = text + eol.repeat(above) + block + (isClosed ? eol : '');
    return proved(next, place, value, { above, below: isClosed ? 1 : 0 });
  },
  update(text, place, change, context) {
    const found = lookUp(text, place);
    if (!found.ok) return found;
    const value = change.set.get('');
    if (value === undefined || change.unset.length > 0)
      return bad('edit/unsupported', 'a block has no parts that could be changed one by one');
    const wrong = checkValue(value);
    if (wrong !== undefined) return wrong;
    const block = found.value;
    if (block === undefined) return bad('edit/unprovable', 'the block is not in this file');
    const eol = lastLineEnd(text.slice(0, block.begin.next)) ?? '\n';
    const inner = withLineEnd(`${value}\n`, eol);
    const next = text.slice(0, block.begin.next) + inner + text.slice(block.end.start);
    return proved(next, place, value, context.trace ?? {});
  },
  remove(text, place, context) {
    const found = lookUp(text, place);
    if (!found.ok) return found;
    const block = found.value;
    if (block === undefined) return bad('edit/unprovable', 'the block is not in this file');
    const [from, to] = cutOf(text, block, context.trace);
    const next = text.slice(0, from) + text.slice(to);
    const after = lookUp(next, place);
    if (!after.ok || after.value !== undefined)
      return bad('edit/unprovable', 'the block could not be taken out cleanly', {
        at: positionAt(text, block.begin.start),
      });
    return edited(next);
  },
  snippet: (place, value) => `${render(place, value)}\n`,
  locate(text, path) {
    if (path.length === 0) return text === '' ? undefined : positionAt(text, 0);
    const found = lookUp(text, { kind: 'block', id: path[0] ?? '' });
    const block = found.ok && path.length === 1 ? found.value : undefined;
    return block === undefined ? undefined : positionAt(text, block.begin.start);
  },
};

function lookUp(text: string, place: Place): Result<Block | undefined> {
  if (place.kind !== 'block' || !/^[^\s<>]+$/.test(place.id))
    return bad('edit/unsupported', 'a Markdown file holds only blocks with an id');
  const fault = checkMarkdown(text);
  return fault === undefined ? findBlock(text, outline(text), place.id) : { ok: false, fault };
}

const idOf = (place: Place): string => (place.kind === 'block' ? place.id : '');

function render(place: Place, value: Json): string {
  const id = idOf(place);
  return `<!-- tenon:begin ${id} -->\n${toLf(String(value))}\n<!-- tenon:end ${id} -->`;
}

function innerText(text: string, block: Block): string {
  const inner = toLf(text.slice(block.begin.next, block.end.start));
  return inner.endsWith('\n') ? inner.slice(0, -1) : inner;
}

/** A text that would hide its own end marker, or hold another one, cannot stand in a block. */
function checkValue(value: Json): ReturnType<typeof bad> | undefined {
  if (typeof value !== 'string') return bad('edit/unsupported', 'the content of a block must be text');
  if (/\r(?!\n)|\0/.test(value)) return bad('edit/unsupported', 'the content of a block must be plain text');
  const view = outline(value);
  if (view.markers.length > 0) return bad('edit/unsupported', 'the content of a block holds a marker line');
  if (view.open !== undefined)
    return bad('edit/unsupported', `the content of a block leaves a ${view.open.kind} open`);
  return undefined;
}

function proved(text: string, place: Place, value: Json, trace: Edit['trace']): Result<Edit> {
  const after = lookUp(text, place);
  if (!after.ok) return after;
  if (after.value === undefined || innerText(text, after.value) !== toLf(String(value)))
    return bad('edit/unprovable', 'the block would not be found again after the edit');
  return edited(text, trace);
}

/**
 * What to cut: the block, and around it the line ends that the insertion added, where they still stand. Without a
 * record one blank line above goes when nothing or a blank line follows.
 */
function cutOf(text: string, block: Block, trace: RemoveContext['trace']): [number, number] {
  const isLast = block.end.next === text.length;
  const isOpen = block.end.next === block.end.end;
  const above = backOver(text, block.begin.start);
  const blank = above === undefined ? undefined : backOver(text, above);
  const hasBlank = above !== undefined && (above === 0 || blank !== undefined);
  if (trace?.['below'] === 0 || isOpen) {
    const added = trace === undefined || trace['above'] !== 0;
    const from = added && hasBlank ? (blank ?? above) : (above ?? block.begin.start);
    return [from, block.end.end];
  }
  const next = text.slice(block.end.next).split('\n', 1)[0] ?? '';
  const isOurs = trace === undefined ? isLast || next.trim() === '' : trace['above'] === 1;
  return [isOurs && hasBlank ? above : block.begin.start, block.end.next];
}

/** Start of the line end directly before an offset; undefined where none is. */
function backOver(text: string, offset: number): number | undefined {
  if (text[offset - 1] !== '\n') return undefined;
  return text[offset - 2] === '\r' ? offset - 2 : offset - 1;
}
