import { type ResolvedPath, resolveTemplate } from '../system/path-template.ts';
import { displayPath, isWithin, type Places, pathsOf } from '../system/paths.ts';
import type { AbsPath, Host, Reader } from '../system/ports.ts';

/** What paths of a spec are resolved against and read with. */
export interface PathBase extends Places {
  readonly env: Host['env'];
  readonly reader: Reader;
}

/**
 * The file that a path of a spec means on this host; `problem` of severity error when a variable that moves it cannot
 * be used. Absolute paths are files of an administrator.
 */
export function resolvePath(template: string, base: PathBase): ResolvedPath {
  const isAbsolute = template.startsWith('/') || /^[A-Z]:/u.test(template);
  if (isAbsolute) return { abs: template, display: displayPath(template, base) };
  return resolveTemplate(template, base, base.env, base.reader);
}

/** The real path, or undefined where there is none: nothing is there, or links lead in a circle. */
function realOrNone(base: PathBase, path: AbsPath): AbsPath | undefined {
  try {
    return base.reader.realpath(path);
  } catch {
    return undefined;
  }
}

/**
 * The path with every link resolved, also for one that does not exist yet: then its nearest existing folder is resolved.
 * A dangling or circular link keeps its own name, so that the engine refuses it by that.
 */
export function realPathOf(base: PathBase, abs: AbsPath): AbsPath {
  const paths = pathsOf(base.platform);
  const missing: string[] = [];
  let existing = abs;
  for (;;) {
    const real = realOrNone(base, existing);
    if (real !== undefined) return paths.join(real, ...missing);
    const parent = paths.dirname(existing);
    if (parent === existing) return abs;
    missing.unshift(paths.basename(existing));
    existing = parent;
  }
}

/**
 * A path with its links resolved, as users see it (cases E01, E08). One whose target lies outside the root keeps the
 * name it was asked for by, so that the engine sees a link that leaves.
 */
export function canonicalPath(path: ResolvedPath, base: PathBase): ResolvedPath {
  const real = realPathOf(base, path.abs);
  const root = base.reader.realpath(base.root) ?? base.root;
  if (!isWithin(root, real, base.platform)) return path;
  const abs = pathsOf(base.platform).join(base.root, pathsOf(base.platform).relative(root, real));
  return { abs, display: displayPath(abs, base) };
}

/** `.codex/hooks/x` from `.codex/hooks` and `x`. */
export const joinPosix = (...parts: string[]): string => parts.filter((part) => part !== '').join('/');
