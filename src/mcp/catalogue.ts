import { type ArgumentSpec, COMMANDS, type CommandSpec, refusedBy } from '../cli/command-table.ts';
import { type FlagSpec, GLOBAL_FLAGS } from '../cli/flags.ts';
import { printable } from '../lib/printable.ts';

/** A request that is refused before any process is started. */
export class Refusal extends Error {}

/** One verb that agents can reach, with the flags that they can give it. */
export interface Verb {
  readonly command: CommandSpec;
  readonly flags: readonly FlagSpec[];
}

/** What an agent asks for; everything is checked against the command table. */
export interface VerbRequest {
  readonly verb: string;
  readonly positionals: readonly string[];
  /** By long name, `--runtime`; `true` for a switch, a list for a flag that may be repeated. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>;
}

const MAX_WORDS = 50;
const MAX_WORD = 2000;

/** The allowlist: commands of effect `reads` that are in this version, with the flags marked as reading. Nothing else. */
export const verbs = (): readonly Verb[] =>
  COMMANDS.filter(({ effect, load }) => effect === 'reads' && load !== undefined).map((command) => ({
    command,
    flags: [...command.flags, ...GLOBAL_FLAGS.filter(({ group }) => command.groups.includes(group))].filter(
      (flag) => flag.reads === true && !refusedBy(command).includes(flag),
    ),
  }));

/**
 * The words of the command line for a request, without the ones that every run gets. A value is joined to its flag and
 * a positional never begins with a dash, so no value can become a flag. Throws {@link Refusal}.
 */
export function wordsOf(request: VerbRequest): string[] {
  const verb = verbs().find(({ command }) => command.name === request.verb);
  if (verb === undefined) throw new Refusal(unknownVerb(request.verb));
  const flags = Object.entries(request.flags).flatMap(([name, value]) => flagWords(verb, name, value));
  const positionals = positionalWords(verb.command, request.positionals);
  if (flags.length + positionals.length > MAX_WORDS) throw new Refusal(`more than ${MAX_WORDS} words`);
  return [verb.command.name, ...positionals, ...flags];
}

function unknownVerb(name: string): string {
  const known = verbs().map(({ command }) => command.name);
  return `"${shown(name)}" is no verb that can be reached here; there are: ${known.join(', ')}`;
}

function flagWords(verb: Verb, name: string, value: VerbRequest['flags'][string]): string[] {
  const flag = verb.flags.find(({ long }) => long === name);
  if (flag === undefined) {
    const known = verb.flags.map(({ long }) => long).join(', ') || 'none';
    throw new Refusal(
      `the flag "${shown(name)}" cannot be given to ${verb.command.name} here; there are: ${known}`,
    );
  }
  if (flag.value === undefined) {
    if (typeof value !== 'boolean') throw new Refusal(`${flag.long} is a switch: true or false`);
    return value ? [flag.long] : [];
  }
  const values = Array.isArray(value) ? value : [value];
  if (values.length > 1 && flag.repeat !== true) throw new Refusal(`${flag.long} is given once`);
  return values.map((one: unknown) => {
    if (typeof one !== 'string' || one === '') throw new Refusal(`${flag.long} needs a text`);
    if (flag.choices !== undefined && !flag.choices.includes(one)) {
      throw new Refusal(`${flag.long} is one of: ${flag.choices.join(', ')}`);
    }
    return `${flag.long}=${checked(one, flag.long)}`;
  });
}

function positionalWords(command: CommandSpec, given: readonly string[]): string[] {
  const specs = command.arguments;
  const isVariadic = specs.at(-1)?.variadic === true;
  if (given.length > specs.length && !isVariadic) {
    throw new Refusal(
      `${command.name} takes ${specs.length === 0 ? 'no argument' : `at most ${specs.length}`}`,
    );
  }
  const missing = specs.filter(({ required }) => required)[given.length];
  if (missing !== undefined) throw new Refusal(`${command.name} needs <${missing.name}>`);
  return given.map((word, at) => {
    const spec = specs[Math.min(at, specs.length - 1)];
    return positional(word, spec?.name ?? 'argument', spec);
  });
}

function positional(word: string, name: string, spec: ArgumentSpec | undefined): string {
  if (word === '') throw new Refusal(`<${name}> is empty`);
  if (word.startsWith('-')) throw new Refusal(`<${name}> begins with a dash: give flags in "flags"`);
  if (spec?.choices !== undefined && !spec.choices.includes(word)) {
    throw new Refusal(`<${name}> is one of: ${spec.choices.join(', ')}`);
  }
  const isPath =
    spec?.complete === 'folders' || spec?.complete === 'files' || spec?.complete === 'integrations';
  if (isPath && leavesRoot(word)) throw new Refusal(`<${name}> leads out of the repository`);
  return checked(word, `<${name}>`);
}

const leavesRoot = (path: string): boolean =>
  /^(?:[/\\~]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..');

function checked(word: string, what: string): string {
  if (word.length > MAX_WORD) throw new Refusal(`${what} is longer than ${MAX_WORD} characters`);
  if (printable(word) !== word) throw new Refusal(`${what} holds a control character`);
  return word;
}

const shown = (text: string): string => printable(text.length > 60 ? `${text.slice(0, 60)}…` : text);
