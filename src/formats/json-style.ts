import type { JsonBranch, JsonDocument, JsonNode } from './json-scan.ts';
import type { LineEnd } from './text-lines.ts';
import { commonLineEnd } from './text-lines.ts';
import { isFirstOnLine, lineIndent } from './text-style.ts';

/** How a file writes JSON; what our own insertion follows. */
export interface JsonStyle {
  /** One level of indent. */
  readonly unit: string;
  /** Line end where the container has none of its own. */
  readonly eol: LineEnd;
  /** `:` or `: `. */
  readonly colon: string;
  /** The whole document stands on one line. */
  readonly oneLine: boolean;
}

export const NEW_FILE_UNIT = '  ';

/** How many branches are looked at for the indent; a file that shows none by then has none. */
const INDENT_PROBES = 200;

/** Style of a document; `eol` is for a text of one line. */
export function styleOf(document: JsonDocument, eol: LineEnd = '\n'): JsonStyle {
  const { text, root } = document;
  return {
    unit: (root === undefined ? undefined : indentUnit(text, root)) ?? NEW_FILE_UNIT,
    eol: commonLineEnd(text) ?? eol,
    colon: root === undefined ? ': ' : colonOf(text, root),
    oneLine: root !== undefined && !text.slice(root.start, root.end).includes('\n'),
  };
}

/** What a child is indented deeper than its parent, outermost first; undefined when nothing shows it. */
function indentUnit(text: string, root: JsonNode): string | undefined {
  const queue: JsonNode[] = [root];
  for (let at = 0; at < queue.length && at < INDENT_PROBES; at += 1) {
    const node = queue[at];
    if (node === undefined || (node.kind !== 'object' && node.kind !== 'array')) continue;
    const outer = lineIndent(text, node.start);
    const child = node.children.find(({ start }) => isFirstOnLine(text, start));
    const inner = child === undefined ? '' : lineIndent(text, child.start);
    if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
    for (const { value } of node.children) {
      if (queue.length >= INDENT_PROBES) break;
      queue.push(value);
    }
  }
  return undefined;
}

function colonOf(text: string, node: JsonNode): string {
  const member = firstMember(node);
  if (member === undefined) return ': ';
  const next = text.charCodeAt(member.colon + 1);
  return next === 32 || next === 9 || next === 10 || next === 13 ? ': ' : ':';
}

function firstMember(node: JsonNode): JsonBranch['children'][number] | undefined {
  let current: JsonNode | undefined = node;
  while (current?.kind === 'array') current = current.children[0]?.value;
  return current?.kind === 'object' ? current.children[0] : undefined;
}

/** Whether a branch writes a blank behind its commas; the colon decides where it has none. */
export function commaOf(text: string, branch: JsonBranch, colon: string): string {
  const comma = branch.children.find((child) => child.comma >= 0)?.comma;
  if (comma === undefined) return colon === ':' ? ',' : ', ';
  const next = text.charCodeAt(comma + 1);
  return next === 32 || next === 9 || next === 10 || next === 13 ? ', ' : ',';
}
