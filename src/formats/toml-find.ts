import type { AST } from 'toml-eslint-parser';
import { getIn, isObject, type JsonPath } from '../lib/json.ts';
import type { Fault, Position } from './format.ts';
import { positionAt } from './text-lines.ts';
import {
  keysOf,
  type Pair,
  type Statement,
  samePath,
  startsWith,
  type TomlDoc,
  type TomlPath,
} from './toml-scan.ts';

/** Statements that define something at or below a path, in document order. */
export const statementsBelow = (doc: TomlDoc, path: JsonPath): Statement[] =>
  doc.statements.filter((statement) => startsWith(statement.path, path));

/** An inline table on the way to a path, and what is left of the path inside it. */
export interface InlineAt {
  readonly table: AST.TOMLInlineTable;
  readonly path: JsonPath;
  readonly rest: JsonPath;
  readonly pair: Pair;
}

/** The innermost inline table that holds (or would hold) a path, itself excluded. */
export function inlineAround(doc: TomlDoc, path: JsonPath): InlineAt | undefined {
  const pair = doc.statements.find(
    (statement): statement is Pair =>
      statement.kind === 'pair' &&
      statement.value.type === 'TOMLInlineTable' &&
      statement.path.length < path.length &&
      startsWith(path, statement.path),
  );
  if (pair?.value.type !== 'TOMLInlineTable') return undefined;
  let table: AST.TOMLInlineTable = pair.value;
  let depth = pair.path.length;
  for (;;) {
    const rest = path.slice(depth);
    const inner = table.body.find(({ key, value }) => {
      const keys = keysOf(key);
      return value.type === 'TOMLInlineTable' && keys.length < rest.length && startsWith(rest, keys);
    });
    if (inner?.value.type !== 'TOMLInlineTable') return { table, path: path.slice(0, depth), rest, pair };
    table = inner.value;
    depth += keysOf(inner.key).length;
  }
}

/** The members of an inline table at or below a path inside it. */
export const membersBelow = (at: InlineAt): AST.TOMLKeyValue[] =>
  at.table.body.filter(({ key }) => startsWith(keysOf(key), at.rest));

/** The node of the value at exactly this path; undefined for tables that headers or dotted keys define. */
export function valueNode(doc: TomlDoc, path: JsonPath): AST.TOMLContentNode | undefined {
  const pair = doc.statements.find(
    (statement) => statement.kind === 'pair' && samePath(statement.path, path),
  );
  if (pair?.kind === 'pair') return pair.value;
  const at = inlineAround(doc, path);
  return at?.table.body.find(({ key }) => samePath(keysOf(key), at.rest))?.value;
}

const asText = (path: TomlPath): string[] => path.map(String);

/**
 * Where a path is defined: its header or key, an element of an inline array, else the first statement below it.
 * Positions inside arrays are decimal strings.
 */
export function offsetOf(doc: TomlDoc, path: JsonPath): number | undefined {
  if (path.length === 0) return 0;
  let holder: Pair | undefined;
  let below: Statement | undefined;
  for (const statement of doc.statements) {
    const own = asText(statement.path);
    if (samePath(own, path)) return statement.start;
    if (statement.kind === 'pair' && startsWith(path, own)) holder = statement;
    if (startsWith(own, path)) below ??= statement;
  }
  if (holder !== undefined) return offsetInside(holder.value, path.slice(holder.path.length));
  return below?.start;
}

function offsetInside(node: AST.TOMLContentNode, rest: JsonPath): number | undefined {
  const [head = ''] = rest;
  if (rest.length === 0) return node.range[0];
  if (node.type === 'TOMLArray') {
    const element = node.elements[Number(head)];
    return element === undefined ? undefined : offsetInside(element, rest.slice(1));
  }
  if (node.type !== 'TOMLInlineTable') return undefined;
  for (const member of node.body) {
    const keys = keysOf(member.key);
    if (startsWith(keys, rest)) return member.range[0];
    const found = startsWith(rest, keys) ? offsetInside(member.value, rest.slice(keys.length)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function positionOf(doc: TomlDoc, path: JsonPath): Position | undefined {
  const offset = offsetOf(doc, path);
  return offset === undefined ? undefined : positionAt(doc.text, offset);
}

/** A container on the way to a path that is no table. */
export function findWrongContainer(doc: TomlDoc, path: JsonPath): Fault | undefined {
  for (let length = 1; length < path.length; length += 1) {
    const container = path.slice(0, length);
    const value = getIn(doc.value, container);
    if (value === undefined) return undefined;
    if (isObject(value)) continue;
    const name = container.join('.');
    const what = Array.isArray(value) ? arrayKind(doc, container) : `a ${typeof value}, not a table`;
    const at = positionOf(doc, container);
    return { code: 'config/shape', message: `${name} is ${what}`, ...(at === undefined ? {} : { at }) };
  }
  return undefined;
}

const arrayKind = (doc: TomlDoc, path: JsonPath): string =>
  valueNode(doc, path) === undefined ? 'an array of tables' : 'an array, not a table';
