import type { DisplayPath, Enrolment, RuntimeId } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import { closest } from '../lib/closest.ts';
import { printable } from '../lib/printable.ts';
import { findSpec } from '../runtimes/load.ts';
import { type PathBase, resolvePath } from '../runtimes/paths.ts';
import { filesOn } from '../runtimes/places.ts';
import type { FileSpecData, RuntimeSpec } from '../runtimes/schema.ts';
import type { ResolvedPath } from '../system/path-template.ts';
import { isThere } from '../system/paths.ts';

/** A file that a runtime reads, on this host. */
export interface ExaminedFile {
  /** Key in the spec's `files`. */
  readonly id: string;
  readonly data: FileSpecData;
  readonly path: ResolvedPath;
  /** 0 = the client's strongest of `paths`. */
  readonly rank: number;
  readonly exists: boolean;
}

/**
 * Why a runtime is looked at: something is set up for it; the repository has its own files; a user named it; or it merely
 * reads a file that is there for another one, which proves nothing about its use here.
 */
export type Reason = 'enrolled' | 'detected' | 'named' | 'shared';

export interface Examined {
  readonly spec: RuntimeSpec;
  readonly reason: Reason;
  readonly files: readonly ExaminedFile[];
}

/** The runtimes that doctor looks at, by id, with every file of theirs. `only`: ids that a user named. */
export function examinedRuntimes(
  specs: ReadonlyMap<RuntimeId, RuntimeSpec>,
  enrolments: readonly Enrolment[],
  base: PathBase,
  only: readonly RuntimeId[] = [],
): Examined[] {
  const enrolled = new Set(enrolments.flatMap(({ runtimes }) => runtimes));
  return [...specs.values()].flatMap((spec): Examined[] => {
    if (only.length > 0 && !only.includes(spec.id)) return [];
    const has = (path: DisplayPath) => isThere(base.reader, resolvePath(path, base).abs);
    const reason: Reason | undefined = enrolled.has(spec.id)
      ? 'enrolled'
      : spec.detect.project.some(has)
        ? 'detected'
        : only.includes(spec.id)
          ? 'named'
          : projectPaths(spec, base.platform).some(has)
            ? 'shared'
            : undefined;
    return reason === undefined ? [] : [{ spec, reason, files: filesOf(spec, base) }];
  });
}

/** The files that a runtime reads in a repository. */
const projectPaths = (spec: RuntimeSpec, platform: PathBase['platform']): string[] =>
  Object.values(spec.files).flatMap((data) =>
    data.scope === 'project' ? filesOn(data, platform).paths : [],
  );

/**
 * The ids that `--runtime` names; none for `all`, which leaves the choice to what is here. Throws
 * `usage/unknown-runtime`, exit 2.
 */
export function namedRuntimes(
  specs: ReadonlyMap<RuntimeId, RuntimeSpec>,
  names: readonly string[],
): RuntimeId[] {
  if (names.includes('all')) return [];
  return names.map((name) => {
    const spec = findSpec(specs, name);
    if (spec !== undefined) return spec.id;
    const near = closest(name, [...specs.keys()]);
    throw new TenonError('usage/unknown-runtime', `there is no runtime ${printable(name)}`, {
      exit: 2,
      remedy:
        near === undefined
          ? { text: 'See which ones are known', command: 'tenon runtimes' }
          : { text: `Did you mean ${near}?` },
    });
  });
}

function filesOf(spec: RuntimeSpec, base: PathBase): ExaminedFile[] {
  return Object.entries(spec.files).flatMap(([id, data]) =>
    filesOn(data, base.platform).paths.map((template, rank): ExaminedFile => {
      const path = resolvePath(template, base);
      return { id, data, path, rank, exists: isThere(base.reader, path.abs) };
    }),
  );
}
