import type { DisplayPath } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { displayPath, type Places, pathsOf, relativeProblem } from './paths.ts';
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

/**
 * Resolves a path template: relative to the root, `~/…` in the home folder, or `{env:NAME|~/.default}/rest` for a
 * folder that an environment variable moves. Throws SyntaxError for a template that is none of these: specs are
 * checked when they are loaded, so this is a bug.
 */
export function resolveTemplate(
  template: string,
  places: Places,
  env: Host['env'],
  reader: Pick<Reader, 'stat'>,
): ResolvedPath {
  const paths = pathsOf(places.platform);
  const moved = MOVED.exec(template);
  if (moved !== null) {
    const [, name = '', fallback = '~', rest = ''] = moved;
    if (rest !== '' && relativeProblem(rest) !== undefined)
      throw new SyntaxError(`path template: ${template}`);
    const value = env[name];
    const standard = paths.join(places.home, fallback.slice(1), rest);
    if (value === undefined) return { abs: standard, display: displayPath(standard, places) };
    const problem = movedProblem(name, value, fallback, places, reader);
    const abs =
      value === '' || problem?.severity === 'error' ? standard : paths.join(paths.normalize(value), rest);
    return { abs, display: displayPath(abs, places), ...(problem === undefined ? {} : { problem }) };
  }
  const inHome = template.startsWith('~/');
  const relative = inHome ? template.slice(2) : template;
  if (relativeProblem(relative) !== undefined) throw new SyntaxError(`path template: ${template}`);
  const abs = paths.join(inHome ? places.home : places.root, relative);
  // A root inside the home folder must not turn `~/x` into a relative path or the other way round.
  return { abs, display: template };
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
