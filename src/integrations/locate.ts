import type { JsonPath } from '../lib/json.ts';

export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

const at = (text: string, offset: number): LineColumn => {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

/** Where strict JSON goes wrong; undefined when it does not. Line and column from 1. Loads the scanner on demand. */
export async function locateSyntaxError(text: string): Promise<LineColumn | undefined> {
  const { parseTree } = await import('jsonc-parser');
  const errors: { offset: number }[] = [];
  try {
    parseTree(text, errors as never, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // Nested deeper than the scanner's stack reaches: there is no telling where.
    return undefined;
  }
  const first = errors.at(0);
  return first === undefined ? undefined : at(text, first.offset);
}

/** Where the member at `path` stands, or the nearest enclosing one that exists. */
export async function locateMember(text: string, path: JsonPath): Promise<LineColumn> {
  const { parseTree, findNodeAtLocation } = await import('jsonc-parser');
  const root = parseTree(text);
  for (let length = path.length; root !== undefined && length > 0; length--) {
    const segments = path.slice(0, length).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const node = findNodeAtLocation(root, segments);
    if (node !== undefined) return at(text, node.offset);
  }
  return { line: 1, column: 1 };
}
