import type { Fault } from './format.ts';
import type { Span } from './spans.ts';
import { positionAt } from './text-lines.ts';
import type { TomlRanges } from './toml-scan.ts';

/** How tools mark what they rewrite as a whole: `# BEGIN x` … `# END x`, or `# >>> x >>>` … `# <<< x <<<`. */
const BEGIN = /^#\s*(?:BEGIN\b|>>>)/;
const END = /^#\s*(?:END\b|<<<)/;

/**
 * The fault of an insertion between the marker comments of another tool, where its next run would drop our lines.
 * A begin marker without an end marker below it is an ordinary comment.
 */
export function insideForeignBlock(doc: TomlRanges, offset: number): Fault | undefined {
  let begin: Span | undefined;
  for (const comment of doc.comments) {
    const text = doc.text.slice(comment.start, comment.end);
    if (BEGIN.test(text)) begin = comment.start < offset ? comment : undefined;
    else if (begin !== undefined && END.test(text)) {
      if (comment.start >= offset)
        return {
          code: 'edit/unsupported',
          message: 'the place for this entry is inside a block that another tool rewrites as a whole',
          at: positionAt(doc.text, begin.start),
        };
      begin = undefined;
    }
  }
  return undefined;
}
