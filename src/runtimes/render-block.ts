import type { RuntimeId } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import type { ResolvedPath } from '../system/path-template.ts';
import { glance } from '../system/paths.ts';
import { canonicalPath, resolvePath } from './paths.ts';
import {
  type Drafts,
  type Of,
  plainRules,
  qualify,
  type RenderInput,
  runtimesFor,
  textOf,
  withheld,
} from './render-types.ts';

interface Reading {
  readonly id: RuntimeId;
  readonly reads: 'first' | 'all';
  readonly files: readonly { readonly path: ResolvedPath; readonly exists: boolean }[];
  /** Display path of the file that is created when none exists. */
  readonly create: string;
}

/**
 * A block in the instruction files. A runtime that reads only its first existing file gets the block there; one that
 * reads several is content with a file that is written anyway. Links count by their real path (case E01).
 */
export function renderBlock(one: Of<'block'>, input: RenderInput): Drafts {
  const findings: Finding[] = [];
  const readers: Reading[] = [];
  for (const spec of runtimesFor(one, input.specs)) {
    const gate = qualify(one, spec, spec.instructions, 'instruction files');
    findings.push(...gate.findings);
    if (!gate.ok || spec.instructions === undefined) continue;
    const { reads, files, create } = spec.instructions;
    const own = files
      .filter(({ scope }) => scope === input.scope)
      .map(({ path }) => resolvePath(path, input));
    const problem = own.find((path) => path.problem?.severity === 'error')?.problem;
    if (problem !== undefined) findings.push(problem);
    else if (own.length === 0) {
      const reason = `it reads no instructions of scope ${input.scope}`;
      findings.push(withheld(one, spec.id, 'render/scope-unsupported', reason));
    } else {
      const known = own.map((path) => ({
        path: canonicalPath(path, input),
        exists: glance(input.reader, path.abs) !== undefined,
      }));
      const first = known[0]?.path.display ?? '';
      const made =
        create === undefined || input.scope !== 'project' ? first : resolvePath(create, input).display;
      readers.push({ id: spec.id, reads, files: known, create: made });
    }
  }
  const text = textOf(one.files.get(one.artifact.source) ?? new Uint8Array([0]));
  if (text === undefined) {
    const reason = `${one.artifact.source} is missing or no UTF-8 text`;
    findings.push(...readers.map(({ id }) => withheld(one, id, 'render/not-text', reason)));
    return { drafts: [], findings };
  }
  const targets = chooseTargets(readers);
  const drafts = [...targets].map(([path, runtimes]) => ({
    owner: one.owner,
    runtimes,
    scope: input.scope,
    target: { path, format: 'markdown' as const, place: { kind: 'block' as const, id: one.artifact.block } },
    // The markers stand on lines of their own, so the source's final newline would become an empty line.
    value: text.replace(/\n+$/, ''),
    class: 'instructs' as const,
    rules: plainRules,
    switches: [],
    summary: `instructions ${one.artifact.block}`,
    order: 'normal' as const,
  }));
  return { drafts, findings };
}

/** Display path -> runtimes that read the block there. */
function chooseTargets(readers: readonly Reading[]): Map<string, RuntimeId[]> {
  const targets = new Map<string, RuntimeId[]>();
  const add = (path: string, id: RuntimeId): void => {
    targets.set(path, [...(targets.get(path) ?? []), id]);
  };
  const usual = (reader: Reading): string =>
    reader.files.find(({ exists }) => exists)?.path.display ?? reader.create;
  for (const reader of readers) if (reader.reads === 'first') add(usual(reader), reader.id);
  for (const reader of readers) {
    if (reader.reads === 'first') continue;
    const written = reader.files.find(({ path }) => targets.has(path.display));
    add(written?.path.display ?? usual(reader), reader.id);
  }
  return targets;
}
