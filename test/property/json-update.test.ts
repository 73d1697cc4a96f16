import { describe, expect, it } from 'vitest';
import { jsonFormat } from '../../src/formats/json.ts';
import type { JsonNode } from '../../src/formats/json-scan.ts';
import { scanDocument } from '../../src/formats/json-scan.ts';
import { canonicalJson, equalJson, type Json, leavesOf, toPointer } from '../../src/lib/json.ts';
import fc from '../helpers/fc.ts';
import { add, draft, key, take } from '../helpers/json-edits.ts';
import { emptyText, entryValue, jsoncText } from '../helpers/jsonc-documents.ts';
import { unwrap } from '../helpers/results.ts';

const place = key('servers', 'oak');

/** What an engine asks for to get from one value to another. */
function changeBetween(from: Json, to: Json): { set: Map<string, Json>; unset: string[] } {
  const before = leavesOf(from);
  const after = leavesOf(to);
  if (before.has('') || after.has('')) return { set: new Map([['', to]]), unset: [] };
  return {
    set: new Map(
      [...after].filter(([pointer, leaf]) => {
        const old = before.get(pointer);
        return old === undefined || !equalJson(old, leaf);
      }),
    ),
    unset: [...before.keys()].filter((pointer) => !after.has(pointer)),
  };
}

/** Source text of every leaf below the entry. */
function spellings(text: string): Map<string, string> {
  const { root } = unwrap(scanDocument(text));
  const result = new Map<string, string>();
  const visit = (node: JsonNode, path: string[]): void => {
    if (node.kind === 'object' && node.children.length > 0) {
      for (const child of node.children) visit(child.value, [...path, child.key ?? '']);
    } else result.set(toPointer(path), text.slice(node.start, node.end));
  };
  if (root !== undefined) visit(root, []);
  return result;
}

describe('an update of an entry', () => {
  it('reaches the new value, keeps what it does not name, and stays removable', () => {
    const text = fc.oneof({ weight: 9, arbitrary: jsoncText }, { weight: 1, arbitrary: emptyText });
    const property = fc.property(text, entryValue, entryValue, (before, from, to) => {
      const added = add(draft(before), place, from);
      const change = changeBetween(from, to);
      const edit = unwrap(
        jsonFormat.update(added.text, place, change, { trace: added.trace, containers: added.containers }),
      );
      const now = unwrap(jsonFormat.read(edit.text, place));
      expect(now.state === 'present' && canonicalJson(now.value)).toBe(canonicalJson(to));
      const old = spellings(added.text);
      const prefix = '/servers/oak';
      for (const [pointer, spelling] of spellings(edit.text)) {
        const inner = pointer.startsWith(prefix) ? pointer.slice(prefix.length) : undefined;
        const isNamed = inner !== undefined && (change.set.has(inner) || change.set.has(''));
        if (!isNamed) expect(spelling).toBe(old.get(pointer));
      }
      expect(take(edit, place, edit.trace)).toEqual({ text: before, containers: [] });
    });
    fc.assert(property, { numRuns: 1_500 });
    expect.hasAssertions();
  });
});
