import type { Desired } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { glance } from '../system/paths.ts';
import { canonicalPath, resolvePath } from './paths.ts';
import { filesOn } from './places.ts';
import type { RenderInput } from './render-types.ts';
import type { RuntimeSpec } from './schema.ts';

/** A list of files of which a runtime reads only the first that exists. */
interface FirstOf {
  readonly spec: RuntimeSpec;
  readonly paths: readonly string[];
}

/**
 * Files that would be created and make a runtime, chosen or not, stop reading another one: what stands in that one
 * would silently not count any more.
 */
export function shadowedFiles(desired: readonly Desired[], input: RenderInput): Finding[] {
  const findings: Finding[] = [];
  const written = new Set(desired.map(({ target }) => target.path));
  for (const { spec, paths } of [...input.specs, ...(input.others ?? [])].flatMap((one) =>
    listsOf(one, input),
  )) {
    const places = paths.map((path) => resolvePath(path, input));
    const read = places.findIndex(({ abs }) => glance(input.reader, abs) !== undefined);
    const asRead = places[read];
    // Only a stronger file than the one that is read can hide it.
    if (read < 1 || asRead === undefined) continue;
    const files = places.slice(0, read).map((path) => canonicalPath(path, input));
    const created = files.find(({ display }) => written.has(display));
    if (created === undefined) continue;
    const hidden = canonicalPath(asRead, input);
    findings.push({
      code: 'render/shadows-file',
      severity: 'warning',
      subject: created.display,
      message: `${spec.title} reads ${created.display} instead of ${hidden.display} once it exists`,
      remedy: { text: `move what ${hidden.display} holds, or put it into both files` },
    });
  }
  return findings;
}

function listsOf(spec: RuntimeSpec, input: RenderInput): FirstOf[] {
  const lists: FirstOf[] = [];
  for (const file of Object.values(spec.files)) {
    if (file.scope === input.scope && !file.merged)
      lists.push({ spec, paths: filesOn(file, input.platform).paths });
  }
  const { instructions } = spec;
  if (instructions?.reads === 'first') {
    const own = instructions.files.filter(({ scope }) => scope === input.scope);
    lists.push({ spec, paths: own.map(({ path }) => path) });
  }
  return lists;
}
