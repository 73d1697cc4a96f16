import type { DisplayPath } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { isObject, type Json, type JsonPath } from '../lib/json.ts';
import { glance, relativeProblem } from '../system/paths.ts';
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
        const words = wordsOf(name, member, hooks.commandMembers);
        for (const word of words ?? []) {
          const script = scriptOf(word, hooks.projectVariables);
          const isNew = !found.some((one) => one.script === script && one.path.join() === inner.join());
          if (script !== undefined && isNew) found.push({ path: inner, script });
        }
        if (words === undefined) walk(member, inner);
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
    if (glance(base.reader, target.abs) !== undefined) return [];
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

/** The words of a command line, or of its arguments where the client takes them as an array. */
function wordsOf(name: string, member: Json, commandMembers: readonly string[]): string[] | undefined {
  if (typeof member === 'string' && commandMembers.includes(name)) return shellWords(member);
  if (name === 'args' && Array.isArray(member)) return member.filter((word) => typeof word === 'string');
  return undefined;
}

const HOME = ['$HOME/', `\${HOME}/`, '~/'];
/** A relative path that is a script by its ending. */
const SCRIPT = /^[\w.@-]+(?:\/[\w.@ -]+)+\.(?:sh|bash|zsh|js|cjs|mjs|ts|py|rb|pl|php|ps1)$/u;

/** The file that one word names, or undefined when it names none for certain. */
function scriptOf(word: string, variables: readonly string[]): string | undefined {
  const prefixes = variables.flatMap((name) => [`$${name}/`, `\${${name}}/`, `%${name}%/`]);
  const project = prefixes.find((prefix) => word.startsWith(prefix));
  const home = HOME.find((prefix) => word.startsWith(prefix));
  let path: string;
  if (project !== undefined) path = word.slice(project.length);
  else if (home !== undefined) path = `~/${word.slice(home.length)}`;
  else if (/^\.?\//u.test(word) || SCRIPT.test(word)) path = word.replace(/^\.\//u, '');
  else return undefined;
  if (/[$`*?{}]/u.test(path) || path.startsWith('/dev/')) return undefined;
  return relativeProblem(path.replace(/^~?\//u, '')) === undefined ? path : undefined;
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
