import type { Piece } from './json-prove.ts';
import type { RenderStyle } from './json-render.ts';
import type { JsonBranch } from './json-scan.ts';
import type { JsonStyle } from './json-style.ts';
import { commaOf } from './json-style.ts';
import type { Spans } from './spans.ts';
import { isFirstOnLine, lineEndBefore, lineIndent } from './text-style.ts';

/** Where a new last child of a branch goes, and how it is written there. */
export interface Slot {
  readonly render: RenderStyle;
  /** White space of ours before and behind the child. */
  readonly pre: string;
  readonly suf: string;
  /** The insertions for the rendered child, in order: one, or the comma and the child apart. */
  pieces(child: string): Piece[];
}

/** What a slot needs of a document. */
export interface SlotText {
  readonly text: string;
  readonly comments: Spans;
}

/**
 * The slot at the end of a branch. Existing comments keep their neighbours: a comma goes directly behind the last
 * value, the child behind the last comment. The children of the branch decide the layout.
 */
export function slotOf(source: SlotText, branch: JsonBranch, style: JsonStyle, isRoot: boolean): Slot {
  const { text } = source;
  const last = branch.children.at(-1);
  const tailStart = last === undefined ? branch.start + 1 : last.comma >= 0 ? last.comma + 1 : last.end;
  const lastComment = source.comments.within(tailStart, branch.end).at(-1);
  const isAfterLineComment = lastComment !== undefined && text.startsWith('//', lastComment.start);
  const lined = branch.children.findLast(({ start }) => isFirstOnLine(text, start));
  const base = lineIndent(text, branch.start);
  const eol =
    (lined === undefined ? undefined : lineEndBefore(text, lined.start)) ??
    lineEndBefore(text, branch.end, branch.start) ??
    lineEndBefore(text, branch.start) ??
    style.eol;
  const isSpread = text.slice(branch.start, branch.end).includes('\n');
  const hasLines =
    last === undefined ? isSpread || isRoot || !style.oneLine : lined !== undefined || isAfterLineComment;
  const comma = commaOf(text, branch, style.colon);
  const indent = lined === undefined ? base + style.unit : lineIndent(text, lined.start);
  const render: RenderStyle = {
    lines: hasLines ? { eol, indent, unit: style.unit } : undefined,
    colon: style.colon,
    comma,
  };
  const at = lastComment?.end ?? tailStart;

  if (last === undefined) {
    const pre = hasLines ? eol + indent : lastComment === undefined ? '' : ' ';
    const suf = hasLines && !text.slice(at, branch.end).includes('\n') ? eol + base : '';
    return { render, pre, suf, pieces: (child) => [{ at, text: pre + child + suf }] };
  }
  const pre = hasLines ? eol + indent : comma.slice(1);
  const pieces = (child: string): Piece[] => {
    if (last.comma >= 0) return [{ at, text: `${pre}${child},` }];
    if (lastComment === undefined) return [{ at, text: `,${pre}${child}` }];
    return [
      { at: last.end, text: ',' },
      { at, text: pre + child },
    ];
  };
  return { render, pre, suf: '', pieces };
}
