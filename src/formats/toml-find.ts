import { isObject, type JsonPath } from '../lib/json.ts';
import type { Fault, Position } from './format.ts';
import { positionAt } from './text-lines.ts';
import { isTableAt, type TomlDoc, valueIn } from './toml-doc.ts';
import { N } from './toml-names.ts';
import { type Pair, type Statement, samePath, startsWith } from './toml-scan.ts';
import type { TomlInline, TomlMember, TomlNode } from './toml-values.ts';

/** Statements that define something at or below a path, in document order. */
export const statementsBelow = ({ statements }: TomlDoc, path: JsonPath): Statement[] =>
  statements.below(statements.find(path)).map((id) => statements.at(id));

/** The header of the table at a path. */
export function headerOf({ statements }: TomlDoc, path: JsonPath): Statement | undefined {
  const statement = statements.of(path);
  return statement?.kind === 'header' ? statement : undefined;
}

/** An inline table on the way to a path, and what is left of the path inside it. */
export interface InlineAt {
  readonly table: TomlInline;
  readonly path: JsonPath;
  readonly rest: JsonPath;
  readonly pair: Pair;
}

/** The pair whose value a path leads to or into; undefined when tables lead all the way. */
function pairOn({ statements }: TomlDoc, path: JsonPath): Pair | undefined {
  const { names } = statements;
  let node = 0;
  for (const name of path) {
    node = names.member(node, name);
    if (node < 0 || names.kind(node) === N.array) return undefined;
    if (names.kind(node) !== N.value) continue;
    const pair = statements.at(names.link(node));
    return pair.kind === 'pair' ? pair : undefined;
  }
  return undefined;
}

/** The innermost inline table that holds (or would hold) a path, itself excluded. */
export function inlineAround(doc: TomlDoc, path: JsonPath): InlineAt | undefined {
  const pair = pairOn(doc, path.slice(0, -1));
  if (pair?.value.kind !== 'table') return undefined;
  let table: TomlInline = pair.value;
  let depth = pair.path.length;
  for (;;) {
    const rest = path.slice(depth);
    const inner = table.members.find(
      ({ keys, value }) => value.kind === 'table' && keys.length < rest.length && startsWith(rest, keys),
    );
    if (inner?.value.kind !== 'table') return { table, path: path.slice(0, depth), rest, pair };
    table = inner.value;
    depth += inner.keys.length;
  }
}

/** The members of an inline table at or below a path inside it. */
export const membersBelow = (at: InlineAt): TomlMember[] =>
  at.table.members.filter(({ keys }) => startsWith(keys, at.rest));

/** The node of the value at exactly this path; undefined for tables that headers or dotted keys define. */
export function valueNode(doc: TomlDoc, path: JsonPath): TomlNode | undefined {
  const pair = pairOn(doc, path);
  if (pair === undefined || pair.path.length === path.length) return pair?.value;
  const at = inlineAround(doc, path);
  return at?.table.members.find(({ keys }) => samePath(keys, at.rest))?.value;
}

/**
 * Where a path is defined: its header or key, an element of an inline array, else the first statement below it.
 * Positions inside arrays are decimal strings.
 */
export function offsetOf({ statements }: TomlDoc, path: JsonPath): number | undefined {
  if (path.length === 0) return 0;
  const { names } = statements;
  let node = 0;
  for (const [depth, part] of path.entries()) {
    node =
      names.kind(node) === N.array && /^(?:0|[1-9]\d*)$/.test(part)
        ? names.element(node, Number(part))
        : names.member(node, part);
    if (node < 0) return undefined;
    if (names.kind(node) !== N.value) continue;
    const pair = statements.at(names.link(node));
    if (pair.kind !== 'pair') return undefined;
    return depth === path.length - 1 ? pair.start : offsetInside(pair.value, path.slice(depth + 1));
  }
  const kind = names.kind(node);
  const own = kind === N.table || kind === N.element ? names.link(node) : statements.below(node)[0];
  return own === undefined ? undefined : statements.start(own);
}

function offsetInside(node: TomlNode, rest: JsonPath): number | undefined {
  const [head = ''] = rest;
  if (rest.length === 0) return node.start;
  if (node.kind === 'array') {
    const element = node.elements[Number(head)];
    return element === undefined ? undefined : offsetInside(element, rest.slice(1));
  }
  if (node.kind !== 'table') return undefined;
  for (const { keys, start, value } of node.members) {
    if (startsWith(keys, rest)) return start;
    const found = startsWith(rest, keys) ? offsetInside(value, rest.slice(keys.length)) : undefined;
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
    if (isTableAt(doc, container)) continue;
    const value = valueIn(doc, container);
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
