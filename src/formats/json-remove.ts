import type { JsonPath } from '../lib/json.ts';
import { equalJson, isObject, toPointer } from '../lib/json.ts';
import type { Container, Edit, RemoveContext, Result, Trace } from './format.ts';
import {
  barestCuts,
  cutsAround,
  endOf,
  exactCuts,
  startOf,
  structuralCuts,
  whiteSpace,
} from './json-cuts.ts';
import { commentInside, proveEmptied, proveRemoval, withoutSpans } from './json-prove.ts';
import type { JsonDocument, JsonNode } from './json-scan.ts';
import { scanDocument } from './json-scan.ts';
import type { Step } from './json-tree.ts';
import { nodeValue, ownComments } from './json-tree.ts';
import { bad, good } from './outcome.ts';

/** An entry that exists: the steps to it, its own last, and the path of the branch that holds it. */
export interface Located {
  readonly steps: readonly Step[];
  readonly own: Step;
  readonly path: JsonPath;
}

/**
 * Takes an entry out, and with it each container of ours that it was the only content of. First exactly the white
 * space that was inserted; where someone changed that, by the structure of the text. Comments inside the entry stop it
 * (`edit/user-comment`); with `force` they stay in its place. Fault: `edit/unprovable`.
 */
export function removeEntry(document: JsonDocument, entry: Located, context: RemoveContext): Result<Edit> {
  const { step, path, trace, gone } = climb(document, entry, context);
  const { parent, index } = step;
  const isOnly = parent.children.length === 1;
  const around = isOnly ? recordOf(context.containers, path) : undefined;
  const filled = around?.trace['filled'] === true ? around : undefined;
  const inside = document.comments.within(step.child.start, step.child.end);
  const [comment] = inside;
  if (comment !== undefined && context.force !== true) return commentInside(document, comment);
  const candidates =
    comment === undefined
      ? [
          filled === undefined ? undefined : exactCuts(document.text, parent, index, filled.trace),
          trace === undefined ? undefined : exactCuts(document.text, parent, index, trace),
          structuralCuts(document, parent, index, filled !== undefined),
          barestCuts(parent, index),
        ]
      : [cutsAround(document.text, inside, barestCuts(parent, index))];
  let refusal: Result<Edit> | undefined;
  for (const cuts of candidates) {
    if (cuts === undefined) continue;
    const text = withoutSpans(document.text, cuts);
    const proved = proveRemoval(document, parent, index, text, cuts);
    if (proved.ok) {
      const containers = context.containers.filter((one) => one !== filled && !gone.has(toPointer(one.path)));
      return withoutEmptyDocument({ text, trace: {}, containers });
    }
    refusal ??= proved;
  }
  return refusal ?? bad('edit/unprovable', 'the entry cannot be taken out');
}

interface Top {
  /** What goes: the entry, or the outermost container of ours below the document that holds nothing else. */
  readonly step: Step;
  /** Path of the branch that holds it. */
  readonly path: JsonPath;
  readonly trace: Trace | undefined;
  /** Pointers of the containers that go with it. */
  readonly gone: ReadonlySet<string>;
}

function climb(document: JsonDocument, entry: Located, context: RemoveContext): Top {
  let step = entry.own;
  let trace = context.trace;
  const gone = new Set<string>();
  for (let depth = entry.path.length; ; depth -= 1) {
    const path = entry.path.slice(0, depth);
    const outer = entry.steps[depth - 1];
    const record = recordOf(context.containers, path);
    const isOurs =
      record !== undefined && record.trace['filled'] !== true && record.kind === step.parent.kind;
    const isAlone =
      step.parent.children.length === 1 && ownComments(document.comments, step.parent).length === 0;
    if (outer === undefined || !isOurs || !isAlone) return { step, path, trace, gone };
    gone.add(toPointer(path));
    trace = record.trace;
    step = outer;
  }
}

/** The newest record of a container: one that was removed and created again has two. */
const recordOf = (containers: readonly Container[], path: JsonPath): Container | undefined =>
  containers.findLast((container) => toPointer(container.path) === toPointer(path));

/** Takes the document itself out when we created it and it holds nothing but what it was created with. */
function withoutEmptyDocument(edit: Edit): Result<Edit> {
  const record = recordOf(edit.containers, []);
  if (record === undefined || record.trace['filled'] === true) return good(edit);
  const scanned = scanDocument(edit.text);
  if (!scanned.ok) return scanned;
  const { root, comments } = scanned.value;
  if (root === undefined || !holdsOnlySkeleton(edit.text, root, record.trace)) return good(edit);
  if (comments.within(root.start, root.end).length > 0) return good(edit);
  return removeRoot({ ...scanned.value, root }, record.trace);
}

/** The user may have deleted members of the skeleton; a changed or further one is the user's. */
function holdsOnlySkeleton(text: string, root: JsonNode, trace: Trace): boolean {
  const skeleton: unknown = JSON.parse(String(trace['skeleton'] ?? '{}'));
  if (root.kind !== 'object' || !isObject(skeleton)) return false;
  return root.children.every(({ key, value }) => {
    const own = key !== undefined && Object.hasOwn(skeleton, key) ? skeleton[key] : undefined;
    return own !== undefined && equalJson(nodeValue(text, value), own);
  });
}

function removeRoot(document: JsonDocument & { readonly root: JsonNode }, trace: Trace): Result<Edit> {
  const { text, root } = document;
  const { pre, suf } = whiteSpace(trace);
  const cut = {
    start: startOf(text, root.start, pre) ?? root.start,
    end: endOf(text, root.end, suf) ?? root.end,
  };
  const after = withoutSpans(text, [cut]);
  const proved = proveEmptied(document, root, after, cut);
  return proved.ok ? good({ text: after, trace: {}, containers: [] }) : proved;
}
