import { parse } from 'smol-toml';
import { type AST, parseTOML } from 'toml-eslint-parser';
import { describe, expect, it } from 'vitest';
import { scanToml, type TomlDoc } from '../../src/formats/toml-doc.ts';
import type { TomlNode } from '../../src/formats/toml-values.ts';
import fc from '../helpers/fc.ts';
import { brokenToml } from '../helpers/toml-broken.ts';
import { textOf, tomlDocument } from '../helpers/toml-documents.ts';

// toml-eslint-parser is no part of the program: a reader of ranges by other hands, to compare our own with.

interface Range {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly path: readonly (string | number)[];
  readonly inside: readonly unknown[];
}

const keysOf = (key: AST.TOMLKey): string[] =>
  key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));

function theirNode(node: AST.TOMLContentNode): unknown {
  const [start, end] = node.range;
  if (node.type === 'TOMLArray') return { kind: 'array', start, end, elements: node.elements.map(theirNode) };
  if (node.type !== 'TOMLInlineTable') return { kind: 'scalar', start, end };
  const members = node.body.map(({ key, value, range }) => ({
    keys: keysOf(key),
    start: range[0],
    end: range[1],
    value: theirNode(value),
  }));
  return { kind: 'table', start, end, members };
}

function theirs(text: string): { statements: Range[]; comments: unknown[] } {
  const ast = parseTOML(text, { tomlVersion: '1.1' });
  const statements: Range[] = [];
  const pair = (node: AST.TOMLKeyValue, owner: readonly (string | number)[]): void => {
    const [start, end] = node.range;
    const path = [...owner, ...keysOf(node.key)];
    statements.push({ kind: 'pair', start, end, path, inside: [theirNode(node.value)] });
  };
  for (const node of ast.body[0].body) {
    if (node.type === 'TOMLKeyValue') pair(node, []);
    else {
      const close = node.kind === 'array' ? ']]' : ']';
      const end = text.indexOf(close, node.key.range[1]) + close.length;
      statements.push({ kind: 'header', start: node.range[0], end, path: node.resolvedKey, inside: [] });
      for (const inner of node.body) pair(inner, node.resolvedKey);
    }
  }
  return { statements, comments: ast.comments.map(({ range: [start, end] }) => ({ start, end })) };
}

function ours(doc: TomlDoc): { statements: Range[]; comments: unknown[] } {
  const statements = Array.from({ length: doc.statements.length }, (_, id): Range => {
    const { kind, start, end, path, ...rest } = doc.statements.at(id);
    const inside: TomlNode[] = 'value' in rest ? [rest.value] : [];
    return { kind, start, end, path, inside };
  });
  return { statements, comments: doc.comments.all() };
}

/** What both parsers made of a text before there was a reader of our own: accepted by both or refused. */
function isToml(text: string): boolean {
  try {
    parseTOML(text, { tomlVersion: '1.1' });
    parse(text, { integersAsBigInt: 'asNeeded', maxDepth: 200 });
    return true;
  } catch {
    return false;
  }
}

function compare(text: string): void {
  const doc = scanToml(text);
  if (doc.ok) expect(ours(doc.value)).toEqual(theirs(text));
  // What only we look for: conflicts, depth, size of integers, and a NUL where they see none.
  const isOwn = !doc.ok && /merge-conflict|too-deep|line-ends/.test(doc.fault.code);
  const isLarge = !doc.ok && doc.fault.message.endsWith('does not fit in 64 bits');
  if (!isOwn && !isLarge) expect([text, doc.ok]).toEqual([text, isToml(text)]);
}

/** A text between much that is none of its business: keys of the root above, tables of an array below. */
function amongOthers(text: string): string {
  const above = Array.from({ length: 150 }, (_, at) => `above${at}.k = [1, "${'x'.repeat(20)}"] # ${at}\n`);
  const below = Array.from({ length: 120 }, (_, at) => `[[below]]\nk = ${at}\n[below.sub] # c\nv = "z"\n`);
  return `${above.join('')}${text}\n${below.join('')}`;
}

describe('the reader of TOML ranges', () => {
  it('finds in generated documents what another parser finds', () => {
    fc.assert(
      fc.property(tomlDocument, (document) => compare(textOf(document))),
      { numRuns: 500 },
    );
    expect.hasAssertions();
  });

  it('does so in documents that the second reader gets in several parts', () => {
    fc.assert(
      fc.property(brokenToml, (text) => compare(amongOthers(text))),
      { numRuns: 150 },
    );
    expect.hasAssertions();
  });

  it('accepts and refuses the same broken documents as two other parsers', () => {
    fc.assert(fc.property(brokenToml, compare), { numRuns: 3000 });
    expect.hasAssertions();
  });
});
