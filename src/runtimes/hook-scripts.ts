import type { DisplayPath } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { isObject, type Json, type JsonPath } from '../lib/json.ts';
import { relativeProblem } from '../system/paths.ts';
import type { ForeignDocument } from './foreign.ts';
import { type PathBase, resolvePath } from './paths.ts';
import type { RuntimeSpec } from './schema.ts';
import { showText } from './show.ts';

/** A file that a hook's command line names. */
export interface NamedScript {
  /** The command's place in the document. */
  readonly path: JsonPath;
  /** Posix path below the root, or absolute. */
  readonly script: string;
}

/**
 * The scripts that hooks of any owner call: words of the command line that begin with a project variable of the
 * runtime, `./`, `/` or `~/`. Words that hold another expansion are not guessed.
 */
export function hookScripts(spec: RuntimeSpec, document: Json | undefined): NamedScript[] {
  const { hooks } = spec;
  if (hooks === undefined || document === undefined) return [];
  const found: NamedScript[] = [];
  const walk = (value: Json, path: JsonPath): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) walk(item as Json, [...path, String(index)]);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        const inner = [...path, name];
        if (typeof member === 'string' && hooks.commandMembers.includes(name)) {
          for (const script of scriptsIn(member, hooks.projectVariables)) found.push({ path: inner, script });
        } else walk(member, inner);
      }
    }
  };
  const container = isObject(document) && Object.hasOwn(document, 'hooks') ? document['hooks'] : undefined;
  if (container !== undefined) walk(container, ['hooks']);
  return found;
}

/** Hooks whose script is missing on disk (case D05): an interpreter's exit code for that can block every tool call. */
export function missingHookScripts(spec: RuntimeSpec, document: ForeignDocument, base: PathBase): Finding[] {
  return hookScripts(spec, document.value).flatMap(({ path, script }): Finding[] => {
    const target = resolvePath(script, base);
    if (base.reader.stat(target.abs) !== undefined) return [];
    const at = document.locate(path);
    const where: DisplayPath = document.path;
    const line = at === undefined ? '' : ` (line ${at.line})`;
    return [
      {
        code: 'hook/script-missing',
        severity: 'warning',
        subject: where,
        message: `a hook in ${where}${line} calls ${showText(target.display)}, which does not exist`,
        remedy: { text: `take the hook out of ${where}, or bring the script back` },
        data: { path: [...path], script: target.display, ...(at === undefined ? {} : { line: at.line }) },
      },
    ];
  });
}

const HOME = ['$HOME/', `\${HOME}/`, '~/'];
/** A relative path that is a script by its ending. */
const SCRIPT = /^[\w.@-]+(?:\/[\w.@ -]+)+\.(?:sh|bash|zsh|js|cjs|mjs|ts|py|rb|pl|php|ps1)$/u;

function scriptsIn(command: string, variables: readonly string[]): string[] {
  const prefixes = variables.flatMap((name) => [`$${name}/`, `\${${name}}/`, `%${name}%/`]);
  const scripts: string[] = [];
  for (const word of shellWords(command)) {
    const project = prefixes.find((prefix) => word.startsWith(prefix));
    const home = HOME.find((prefix) => word.startsWith(prefix));
    const path =
      project !== undefined
        ? word.slice(project.length)
        : home !== undefined
          ? `~/${word.slice(home.length)}`
          : /^\.?\//u.test(word) || SCRIPT.test(word)
            ? word.replace(/^\.\//u, '')
            : undefined;
    const isPlain = path !== undefined && /^[^$`*?{}<>|&;()]+[^/$`*?{}<>|&;()]$/u.test(path);
    const parts = path?.split('/') ?? [];
    if (isPlain && !parts.includes('..') && !parts.includes('.') && !path.startsWith('/dev/'))
      scripts.push(path);
  }
  return [...new Set(scripts)];
}

/** Words of a command line with their quotes taken off; separators end a word. Assignments and redirections are words too. */
export function shellWords(command: string): string[] {
  const words: string[] = [];
  const word = /(?:"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^\s"'\\;&|()<>]))/gu;
  let current = '';
  let end = -1;
  for (const match of command.matchAll(word)) {
    if (match.index !== end && current !== '') {
      words.push(current);
      current = '';
    }
    current += (match[1]?.replace(/\\(["\\$`])/gu, '$1') ?? match[2] ?? match[3] ?? match[4]) || '';
    end = match.index + match[0].length;
  }
  if (current !== '') words.push(current);
  return words;
}
