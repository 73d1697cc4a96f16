import { join, posix, relative, sep } from 'node:path';
import { TenonError } from '../errors/error.ts';
import { closest } from '../lib/closest.ts';
import { isObject } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { isWithin } from '../system/paths.ts';
import type { AbsPath, Reader } from '../system/ports.ts';
import type { IntegrationSource } from './types.ts';

/** Where a definition lies. */
export interface ResolvedFolder {
  /** The reference in its one spelling: `./tools/x` for `./tools//x/`; what manifest and ledger keep. */
  readonly ref: string;
  readonly source: Exclude<IntegrationSource, 'operator'>;
  /** Real path of the folder, no link in it. */
  readonly folder: AbsPath;
  /** Folder as messages show it. */
  readonly shown: string;
}

const BUNDLED_ID = /^[a-z][a-z0-9-]{0,63}$/;
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/i;
const MANIFEST = 'integration.json';
/** A package.json is read only for one field; larger ones are not real. */
const PACKAGE_JSON_BYTES = 1024 * 1024;

/** Ids of the bundled integrations, sorted. */
export function bundledIds(reader: Reader, packageDir: AbsPath): string[] {
  const templates = join(packageDir, 'templates');
  return (reader.list(templates) ?? []).filter(
    (name) => BUNDLED_ID.test(name) && reader.stat(join(templates, name, MANIFEST))?.kind === 'file',
  );
}

/**
 * Finds the folder of an integration (contract, section 6): a bundled id always means the bundled one; a path is
 * relative to the root and begins with `./` or `../`; anything else is an npm package installed below the root.
 * Errors: `integration/unknown` (exit 2), `integration/outside` (exit 4: absolute, or leaving the root, links included).
 */
export function resolveIntegration(
  reader: Reader,
  packageDir: AbsPath,
  root: AbsPath,
  ref: string,
): ResolvedFolder {
  const bundled = bundledIds(reader, packageDir);
  if (bundled.includes(ref)) {
    return { ref, source: 'bundled', folder: join(packageDir, 'templates', ref), shown: `templates/${ref}` };
  }
  if (/^\.{1,2}(?:\/|$)/.test(ref)) return fromPath(reader, root, ref);
  if (/^(?:[/~\\]|[A-Za-z]:)/.test(ref)) {
    throw outside(ref, 'is no path relative to the root of the repository');
  }
  if (PACKAGE_NAME.test(ref)) {
    const found = fromPackage(reader, root, ref);
    if (found !== undefined) return found;
  }
  throw unknown(ref, bundled, reader.stat(join(root, ref, MANIFEST)) !== undefined);
}

function fromPath(reader: Reader, root: AbsPath, ref: string): ResolvedFolder {
  if (ref.includes('\\')) throw outside(ref, 'has a backslash in it; write the path with /');
  const path = join(root, ref);
  const folder = contained(reader, root, path, ref);
  if (folder === undefined || reader.stat(folder)?.kind !== 'directory') {
    throw new TenonError('integration/unknown', `There is no folder ${printable(ref)} in this repository.`, {
      exit: 2,
      remedy: { text: 'Name the folder that holds integration.json, relative to the root of the repository' },
    });
  }
  const shown = relative(root, path).split(sep).join('/') || '.';
  return { ref: shown === '.' ? './' : `./${shown}`, source: 'repository', folder, shown };
}

/** undefined: not installed, or installed and no integration. */
function fromPackage(reader: Reader, root: AbsPath, name: string): ResolvedFolder | undefined {
  const folder = contained(reader, root, join(root, 'node_modules', name), name);
  if (folder === undefined) return undefined;
  const shown = `node_modules/${name}`;
  if (reader.stat(join(folder, MANIFEST))?.kind === 'file') {
    return { ref: name, source: 'package', folder, shown };
  }
  const below = tenonField(reader, folder);
  if (below === undefined) return undefined;
  const inner = contained(
    reader,
    folder,
    join(folder, below),
    `${name}: the field "tenon" of its package.json`,
  );
  if (inner === undefined) return undefined;
  return { ref: name, source: 'package', folder: inner, shown: posix.join(shown, below) };
}

/** `"tenon": "./integration"` in a package.json names the folder of the definition. */
function tenonField(reader: Reader, folder: AbsPath): string | undefined {
  const path = join(folder, 'package.json');
  const stat = reader.stat(path);
  if (stat?.kind !== 'file' || stat.size > PACKAGE_JSON_BYTES) return undefined;
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(reader.readFile(path)));
    const field = isObject(parsed) ? parsed['tenon'] : undefined;
    return typeof field === 'string' && field !== '' ? field : undefined;
  } catch {
    return undefined;
  }
}

/** Real path of `path` when it exists; `integration/outside` when it, or a link in it, leaves `root`. */
function contained(reader: Reader, root: AbsPath, path: AbsPath, ref: string): AbsPath | undefined {
  if (!isWithin(root, path, process.platform)) throw outside(ref, 'leaves the repository');
  const real = reader.realpath(path);
  if (real === undefined) return undefined;
  const realRoot = reader.realpath(root) ?? root;
  if (!isWithin(realRoot, real, process.platform))
    throw outside(ref, 'leads out of the repository by a link');
  return real;
}

const outside = (ref: string, why: string): TenonError =>
  new TenonError('integration/outside', `${printable(ref)} ${why}.`, {
    exit: 4,
    remedy: { text: 'Put the integration into the repository and name it by a path such as ./tools/name' },
  });

function unknown(ref: string, bundled: readonly string[], isFolder: boolean): TenonError {
  const near = closest(ref, bundled);
  const text = isFolder
    ? `A folder is named by its path: ./${ref}`
    : near !== undefined
      ? `Did you mean ${near}?`
      : `Bundled are ${bundled.join(', ')}; a folder is named by a path (./tools/name), a package must be installed in node_modules`;
  return new TenonError('integration/unknown', `There is no integration "${printable(ref).slice(0, 200)}".`, {
    exit: 2,
    remedy: { text },
  });
}
