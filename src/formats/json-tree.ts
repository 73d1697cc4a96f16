import type { Json, JsonObject, JsonPath } from '../lib/json.ts';
import { setOwn } from '../lib/json.ts';
import type { Fault, Result } from './format.ts';
import type { JsonBranch, JsonChild, JsonDocument, JsonNode } from './json-scan.ts';
import { good } from './outcome.ts';
import type { Span, Spans } from './spans.ts';
import { positionAt } from './text-lines.ts';

/**
 * The value of a node. Of members with one name the last counts, as clients read it; `__proto__` is an ordinary
 * member; an integer that a double cannot hold becomes a bigint.
 */
export function nodeValue(text: string, node: JsonNode): Json {
  switch (node.kind) {
    case 'object': {
      const object: JsonObject = {};
      for (const child of node.read()) setOwn(object, child.key ?? '', nodeValue(text, child.value));
      return object;
    }
    case 'array':
      return node.read().map((child) => nodeValue(text, child.value));
    case 'string':
      return JSON.parse(text.slice(node.start, node.end)) as string;
    case 'number':
      return numberOf(text.slice(node.start, node.end));
    default:
      return node.kind === 'null' ? null : node.kind === 'true';
  }
}

function numberOf(spelling: string): number | bigint {
  const number = Number(spelling);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(spelling) ? number : BigInt(spelling);
}

/** A child with where it stands: the way from the document to an entry. */
export interface Step {
  readonly parent: JsonBranch;
  readonly index: number;
  readonly child: JsonChild;
}

/** How far a path exists: the branches on it, and the branch in which the first missing part belongs. */
export interface Walk {
  /** One step for each part of the path that exists, outermost first. */
  readonly steps: readonly Step[];
  /** The branch that the last step leads to, or the root. */
  readonly branch: JsonBranch;
}

/**
 * Walks a document along names of objects as far as they exist. `last` is what the end of the path must be.
 *
 * Faults: `config/shape` for a root or value on the way of another type, `config/duplicate-key` for a name on the way
 * that its object holds twice. An array is walked by a decimal position only: no identity, but the caller has just
 * found it by its value.
 */
export function walk(
  document: JsonDocument & { readonly root: JsonNode },
  path: JsonPath,
  last: 'object' | 'array',
): Result<Walk> {
  const steps: Step[] = [];
  let node: JsonNode = document.root;
  for (let depth = 0; ; depth += 1) {
    const wanted = depth < path.length ? 'object' : last;
    const part = path[depth];
    const item = part === undefined ? undefined : itemAt(node, part);
    if (item !== undefined) {
      steps.push(item);
      node = item.child.value;
      continue;
    }
    if (node.kind !== wanted)
      return { ok: false, fault: wrongShape(document.text, node, path.slice(0, depth), wanted) };
    if (part === undefined) return good({ steps, branch: node });
    const found = memberOf(document.text, node, part, path.slice(0, depth + 1));
    if (!found.ok) return found;
    if (found.value === undefined) return good({ steps, branch: node });
    steps.push(found.value);
    node = found.value.child.value;
  }
}

/** The element of an array at a position in decimal digits. */
function itemAt(node: JsonNode, part: string): Step | undefined {
  if (node.kind !== 'array' || !/^(?:0|[1-9]\d*)$/.test(part)) return undefined;
  const child = node.children[Number(part)];
  return child === undefined ? undefined : { parent: node, index: Number(part), child };
}

/** The member of an object; undefined when it has none. Fault: `config/duplicate-key`. */
export function memberOf(
  text: string,
  object: JsonBranch,
  key: string,
  path: JsonPath,
): Result<Step | undefined> {
  let step: Step | undefined;
  for (const [index, child] of object.children.entries()) {
    if (child.key !== key) continue;
    if (step !== undefined) return { ok: false, fault: duplicate(text, child, path, step.child) };
    step = { parent: object, index, child };
  }
  return good(step);
}

function duplicate(text: string, second: JsonChild, path: JsonPath, first: JsonChild): Fault {
  const line = positionAt(text, first.start).line;
  return {
    code: 'config/duplicate-key',
    message: `${spell(path)} stands twice in its object, first at line ${line}; programs differ in which one they read`,
    at: positionAt(text, second.start),
    hint: 'Keep one of the two.',
  };
}

/** A name that occurs twice in an object anywhere inside a node. */
export function duplicateInside(text: string, node: JsonNode, path: JsonPath): Fault | undefined {
  if (node.kind !== 'object' && node.kind !== 'array') return undefined;
  const seen = new Map<string, JsonChild>();
  for (const [index, child] of node.read().entries()) {
    const at = [...path, child.key ?? String(index)];
    const first = child.key === undefined ? undefined : seen.get(child.key);
    if (first !== undefined) return duplicate(text, child, at, first);
    if (child.key !== undefined) seen.set(child.key, child);
    const inner = duplicateInside(text, child.value, at);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function wrongShape(text: string, node: JsonNode, path: JsonPath, wanted: 'object' | 'array'): Fault {
  const subject = path.length === 0 ? 'the document' : spell(path);
  return {
    code: 'config/shape',
    message: `${subject} must be ${named(wanted)}, but it is ${named(node.kind)}`,
    at: positionAt(text, node.start),
  };
}

const named = (kind: JsonNode['kind']): string =>
  kind === 'object' || kind === 'array'
    ? `an ${kind}`
    : kind === 'string' || kind === 'number'
      ? `a ${kind}`
      : kind;

/** A path as people write it: `mcpServers.vera`, with quotes around a name that is no word. */
export const spell = (path: JsonPath): string =>
  path.map((part) => (/^[\w$@-]+$/.test(part) ? part : JSON.stringify(part))).join('.');

/** The comments of a branch that are not inside one of its children. */
export function ownComments(comments: Spans, branch: JsonBranch): readonly Span[] {
  const inside = comments.within(branch.start, branch.end);
  if (inside.length === 0) return inside;
  return inside.filter(
    (comment) => !branch.children.some((c) => c.start < comment.start && comment.end <= c.end),
  );
}
