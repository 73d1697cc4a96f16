import type { DisplayPath } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { displayPath, joinBelow, type Places, pathsOf, relativeProblem } from './paths.ts';
import type { AbsPath, Host, Reader } from './ports.ts';

/** Where a path template of a spec points on this host. */
export interface ResolvedPath {
  readonly abs: AbsPath;
  readonly display: DisplayPath;
  /**
   * Something is odd about the environment variable that moves the folder (case I05). `error`: the variable's value
   * cannot be used, `abs` is the default place, nothing may be written there.
   */
  readonly problem?: Finding;
}

const MOVED = /^\{env:([A-Za-z_][A-Za-z0-9_]*)\|(~(?:\/[^}]*)?)\}(?:\/(.*))?$/;

/** A template as it is read, which depends on nothing of the host. */
type Template =
  | { readonly kind: 'moved'; readonly name: string; readonly fallback: string; readonly rest: string }
  | {
      readonly kind: 'home' | 'root';
      readonly relative: string;
      /** What it meant when it was asked for last, and below which folder: a run asks for it many times. */
      last?: { readonly folder: AbsPath; readonly platform: Host['platform']; readonly path: ResolvedPath };
    };

/** Read once each: the same few hundred of the specs are asked for in every root. */
const known = new Map<string, Template>();

/** Throws SyntaxError for a template that is none: specs are checked when they are loaded, so this is a bug. */
function read(template: string): Template {
  const before = known.get(template);
  if (before !== undefined) return before;
  const moved = MOVED.exec(template);
  const [, name = '', fallback = '~', rest = ''] = moved ?? [];
  const inHome = template.startsWith('~/');
  const relative = inHome ? template.slice(2) : template;
  if (
    moved === null
      ? relativeProblem(relative) !== undefined
      : rest !== '' && relativeProblem(rest) !== undefined
  )
    throw new SyntaxError(`path template: ${template}`);
  const made: Template =
    moved === null ? { kind: inHome ? 'home' : 'root', relative } : { kind: 'moved', name, fallback, rest };
  known.set(template, made);
  return made;
}

/**
 * Resolves a path template: relative to the root, `~/…` in the home folder, or `{env:NAME|~/.default}/rest` for a
 * folder that an environment variable moves. Throws SyntaxError for a template that is none of these.
 */
export function resolveTemplate(
  template: string,
  places: Places,
  env: Host['env'],
  reader: Pick<Reader, 'stat'>,
): ResolvedPath {
  const one = read(template);
  if (one.kind !== 'moved') {
    const { platform } = places;
    const folder = one.kind === 'home' ? places.home : places.root;
    if (one.last?.folder !== folder || one.last.platform !== platform) {
      // A root inside the home folder must not turn `~/x` into a relative path or the other way round.
      const path = { abs: joinBelow(folder, one.relative, platform), display: template };
      one.last = { folder, platform, path };
    }
    return one.last.path;
  }
  const { name, fallback, rest } = one;
  const paths = pathsOf(places.platform);
  const value = env[name];
  const parts = [fallback.slice(2), rest].filter((part) => part !== '');
  const standard =
    parts.length === 0 ? places.home : joinBelow(places.home, parts.join('/'), places.platform);
  if (value === undefined) return { abs: standard, display: displayPath(standard, places) };
  const problem = movedProblem(name, value, fallback, places, reader);
  const abs =
    value === '' || problem?.severity === 'error' ? standard : paths.join(paths.normalize(value), rest);
  return { abs, display: displayPath(abs, places), ...(problem === undefined ? {} : { problem }) };
}

function movedProblem(
  name: string,
  value: string,
  fallback: string,
  places: Places,
  reader: Pick<Reader, 'stat'>,
): Finding | undefined {
  const found = (severity: Finding['severity'], message: string, text: string): Finding => ({
    code: 'host/env-path',
    severity,
    subject: name,
    message,
    remedy: { text },
  });
  if (value === '') {
    return found(
      'warning',
      `${name} is set but empty; ${fallback} is used`,
      `Unset ${name} or give it a folder.`,
    );
  }
  const shown = printable(value);
  if (!pathsOf(places.platform).isAbsolute(value)) {
    return found(
      'error',
      `${name} is the relative path "${shown}", which names another folder in every working folder`,
      `Set ${name} to an absolute path.`,
    );
  }
  let kind: string | undefined;
  try {
    kind = reader.stat(value)?.kind;
  } catch {
    kind = 'unreadable';
  }
  if (kind === 'directory') return undefined;
  if (kind === undefined) {
    return found(
      'warning',
      `${name} names a folder that does not exist: ${shown}`,
      `Create it or correct ${name}.`,
    );
  }
  return found('error', `${name} names something that is no readable folder: ${shown}`, `Correct ${name}.`);
}
