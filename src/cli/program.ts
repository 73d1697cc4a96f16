import { Command, CommanderError, Option } from 'commander';
import { closest } from '../lib/closest.ts';
import { splitArgv } from './argv.ts';
import {
  type ArgumentSpec,
  COMMANDS,
  type CommandArgs,
  type CommandSpec,
  findCommand,
  refusedBy,
} from './command-table.ts';
import { type FlagSpec, flagKey, GLOBAL_FLAGS } from './flags.ts';
import { shownWord, usageError } from './usage-error.ts';

export type Invocation =
  | { readonly kind: 'help'; readonly command: CommandSpec | undefined; readonly asked: boolean }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly command: CommandSpec;
      readonly args: CommandArgs;
      readonly globals: Readonly<Record<string, unknown>>;
    };

/**
 * Understands a command line. Throws a usage error (exit 2) for everything that is not in the command table:
 * unknown words are answered with the nearest known one, never guessed.
 */
export function parseCommandLine(argv: readonly string[]): Invocation {
  const { name, words, rest } = splitArgv(argv);
  if (name === 'help') return helpFor(words);
  if (name === undefined) return withoutCommand(words);
  const command = findCommand(name);
  if (command === undefined) throw unknownCommand(name);
  const parsed = parseFlags(words, command);
  if (parsed.flags['help'] === true) return { kind: 'help', command, asked: true };
  if (parsed.flags['version'] === true) return { kind: 'version' };
  checkRefused(command, parsed.flags);
  checkArguments(command, parsed.positionals, rest);
  checkForms(command, parsed);
  const own = new Set(command.flags.map((flag) => flagKey(flag.long)));
  const pick = (isOwn: boolean) =>
    Object.fromEntries(Object.entries(parsed.flags).filter(([key]) => own.has(key) === isOwn));
  const args = { positionals: parsed.positionals, flags: pick(true) };
  return {
    kind: 'run',
    command,
    args: rest === undefined ? args : { ...args, rest },
    globals: pick(false),
  };
}

function helpFor(words: readonly string[]): Invocation {
  const topic = words.find((word) => !word.startsWith('-'));
  if (topic === undefined) return { kind: 'help', command: undefined, asked: true };
  const command = findCommand(topic);
  if (command === undefined) throw unknownCommand(topic, 'tenon help');
  return { kind: 'help', command, asked: true };
}

function withoutCommand(words: readonly string[]): Invocation {
  const { flags } = parseFlags(words, undefined);
  if (flags['version'] === true) return { kind: 'version' };
  return { kind: 'help', command: undefined, asked: flags['help'] === true };
}

function unknownCommand(name: string, asked = 'tenon'): Error {
  const near = closest(
    name,
    COMMANDS.map((command) => command.name),
  );
  return usageError(
    'usage/unknown-command',
    `There is no command "${shownWord(name)}".`,
    near === undefined ? 'See the list of commands.' : `Did you mean "${near}"?`,
    near === undefined ? 'tenon --help' : `${asked} ${near}`,
  );
}

function toOption(spec: FlagSpec): Option {
  const value = spec.value === undefined ? '' : spec.optional === true ? ' [value]' : ' <value>';
  const option = new Option(`${spec.short === undefined ? '' : `${spec.short}, `}${spec.long}${value}`);
  if (spec.repeat === true) {
    option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  }
  return option;
}

function parseFlags(
  words: readonly string[],
  command: CommandSpec | undefined,
): { flags: Record<string, unknown>; positionals: string[] } {
  const specs = [...GLOBAL_FLAGS, ...(command?.flags ?? [])];
  const parser = new Command('tenon')
    .exitOverride()
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ writeErr: () => {}, writeOut: () => {}, outputError: () => {} })
    .showSuggestionAfterError(false)
    .allowExcessArguments(true)
    .argument('[words...]')
    .action(() => {});
  const given = new Set<string>();
  for (const spec of specs) {
    parser.addOption(toOption(spec));
    parser.on(`option:${spec.long.slice(2)}`, () => given.add(spec.long));
  }
  try {
    parser.parse([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw flagError(error, specs, command);
    throw error;
  }
  if (given.has('--color') && given.has('--no-color')) {
    throw usageError(
      'usage/conflicting-flags',
      '--color and --no-color exclude each other.',
      'Give one of them.',
    );
  }
  // Commander gives every `--no-x` a default of its own; only what was typed counts.
  const typed = Object.entries(parser.opts()).filter(([key]) => parser.getOptionValueSource(key) === 'cli');
  const flags = Object.fromEntries(typed);
  checkChoices(flags, specs);
  checkEmptyFlags(flags, specs);
  return { flags, positionals: parser.args };
}

function flagError(
  error: CommanderError,
  specs: readonly FlagSpec[],
  command: CommandSpec | undefined,
): Error {
  const help = command === undefined ? 'tenon --help' : `tenon ${command.name} --help`;
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  if (error.code === 'commander.unknownOption') {
    const flag = quoted.replace(/=.*$/s, '');
    const names = specs.map((spec) => spec.long);
    const near = flag.startsWith('--') ? closest(flag, names) : undefined;
    const where = command === undefined ? 'tenon' : `tenon ${command.name}`;
    return usageError(
      'usage/unknown-flag',
      `${where} has no flag "${shownWord(flag)}".`,
      near === undefined ? 'See the flags of this command.' : `Did you mean "${near}"?`,
      help,
    );
  }
  if (error.code === 'commander.optionMissingArgument') {
    const flag = specs.find((spec) => quoted.includes(spec.long));
    return usageError(
      'usage/missing-value',
      `The flag ${flag?.long ?? shownWord(quoted)} needs a value.`,
      `Write ${flag?.long ?? ''} ${flag?.value ?? 'VALUE'}.`,
      help,
    );
  }
  return usageError(
    'usage/bad-value',
    'The command line cannot be read.',
    'See the usage of this command.',
    help,
  );
}

/** A flag that a command would ignore is refused: who gives it expects an effect. */
function checkRefused(command: CommandSpec, flags: Readonly<Record<string, unknown>>): void {
  const flag = refusedBy(command).find(({ long }) => flags[flagKey(long)] !== undefined);
  if (flag === undefined) return;
  const takers = COMMANDS.filter(({ takes }) => takes.includes(flag.long)).map(({ name }) => name);
  throw usageError(
    'usage/unknown-flag',
    `${flag.long} means nothing to tenon ${command.name}.`,
    `Leave it out. It is for ${takers.join(', ')}.`,
    `tenon ${command.name} --help`,
  );
}

/** The same for one that a command takes, but not in the form that was typed. */
function checkForms(
  command: CommandSpec,
  args: { readonly flags: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] },
): void {
  for (const { is, refuses, name, remedy } of command.forms ?? []) {
    const flag = is(args) ? refuses.find((long) => args.flags[flagKey(long)] !== undefined) : undefined;
    if (flag === undefined) continue;
    throw usageError(
      'usage/conflicting-flags',
      `${flag} means nothing to ${name}.`,
      remedy,
      `tenon ${command.name} --help`,
    );
  }
}

function checkChoices(flags: Readonly<Record<string, unknown>>, specs: readonly FlagSpec[]): void {
  for (const spec of specs) {
    const value = flags[flagKey(spec.long)];
    if (spec.choices === undefined || value === undefined) continue;
    for (const one of [value].flat()) {
      if (typeof one === 'string' && !spec.choices.includes(one))
        throw badChoice(spec.long, one, spec.choices);
    }
  }
}

/** An empty value is what a script gives whose variable is not set: it means neither everything nor nothing. */
function checkEmptyFlags(flags: Readonly<Record<string, unknown>>, specs: readonly FlagSpec[]): void {
  const isEmpty = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';
  const flag = specs.find(({ long }) => [flags[flagKey(long)]].flat().some(isEmpty));
  if (flag !== undefined) throw emptyValue(flag.long, 'Give a value, or leave the flag out.');
}

const emptyValue = (what: string, remedy: string): Error =>
  usageError('usage/bad-value', `${what} was given an empty value.`, remedy);

function badChoice(what: string, value: string, choices: readonly string[]): Error {
  const near = closest(value, choices);
  return usageError(
    'usage/bad-value',
    `${what} cannot be "${shownWord(value)}".`,
    near === undefined
      ? `Use one of: ${choices.join(', ')}.`
      : `Did you mean "${near}"? Choices: ${choices.join(', ')}.`,
  );
}

function checkArguments(
  command: CommandSpec,
  given: readonly string[],
  rest: readonly string[] | undefined,
): void {
  const help = `tenon ${command.name} --help`;
  if (rest !== undefined && command.takesRest !== true) {
    throw usageError(
      'usage/unexpected-argument',
      `tenon ${command.name} takes nothing behind "--".`,
      'Leave it out.',
      help,
    );
  }
  const missing = command.arguments.filter((spec) => spec.required)[given.length];
  if (missing !== undefined) {
    throw usageError(
      'usage/missing-argument',
      `tenon ${command.name} needs <${missing.name}>.`,
      `For example: ${command.examples[0]?.line ?? help}`,
      help,
    );
  }
  const variadic = command.arguments.at(-1)?.variadic === true;
  const extra = given[command.arguments.length];
  if (!variadic && extra !== undefined) {
    throw usageError(
      'usage/unexpected-argument',
      `tenon ${command.name} does not take the argument "${shownWord(extra)}".`,
      'Leave it out.',
      help,
    );
  }
  for (const [index, spec] of command.arguments.entries()) checkArgument(spec, given[index]);
  const empty = given.findIndex((one) => one.trim() === '');
  const spec = command.arguments[empty] ?? command.arguments.at(-1);
  if (empty !== -1 && spec !== undefined)
    throw emptyValue(`<${spec.name}>`, spec.required ? 'Give a value.' : 'Give a value, or leave it out.');
}

function checkArgument(spec: ArgumentSpec, value: string | undefined): void {
  if (value === undefined) return;
  if (spec.choices !== undefined && !spec.choices.includes(value))
    throw badChoice(`<${spec.name}>`, value, spec.choices);
}
