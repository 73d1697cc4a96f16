import { table } from '../reporting/table.ts';
import { wrap } from '../reporting/text.ts';
import type { Theme } from '../reporting/types.ts';
import { type ArgumentSpec, COMMANDS, type CommandSpec, refusedBy } from './command-table.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { FLAG_GROUPS, type FlagGroup, type FlagSpec, GLOBAL_FLAGS } from './flags.ts';

const EFFECT_TEXT: Readonly<Record<CommandSpec['effect'], string>> = {
  reads: 'reads; writes nothing',
  writes: 'writes files, after you approved the plan',
  state: "changes only tenon's own state",
  runs: 'runs programs',
  serves: 'serves until it is ended',
};

export const effectOf = (command: CommandSpec): string => command.effectText ?? EFFECT_TEXT[command.effect];

function argumentText(spec: ArgumentSpec): string {
  const name = spec.choices === undefined ? spec.name : spec.choices.join('|');
  const many = spec.variadic === true ? `${name}...` : name;
  return spec.required ? `<${many}>` : `[${many}]`;
}

/** `tenon setup <integration...> [flags]`; `add` has a second form. */
export function usageLines(command: CommandSpec): readonly string[] {
  const words = ['tenon', command.name, ...command.arguments.map(argumentText)];
  const line = `${words.join(' ')} [flags]`;
  if (command.takesRest !== true) return [line];
  const name = command.arguments[0];
  return [
    line,
    `tenon ${command.name} ${name === undefined ? '' : argumentText(name)} [flags] -- <command> [args...]`,
  ];
}

/** `-C, --cwd DIR`. */
export function flagText(flag: FlagSpec): string {
  const value =
    flag.value === undefined ? '' : flag.optional === true ? ` [${flag.value}]` : ` ${flag.value}`;
  return `${flag.short === undefined ? '    ' : `${flag.short}, `}${flag.long}${value}`;
}

/** With the values that it takes, where the summary does not name them. */
function summaryOf({ summary, choices = [] }: FlagSpec): string {
  return choices.every((choice) => summary.includes(choice)) ? summary : `${summary} (${choices.join(', ')})`;
}

function flagSection(group: FlagGroup, flags: readonly FlagSpec[], theme: Theme): string {
  const column = 2 + Math.max(...flags.map((flag) => flagText(flag).length));
  const lines = flags.map((flag) => {
    const head = `  ${flagText(flag)}`.padEnd(column + 2);
    return wrap(summaryOf(flag), theme.width, ' '.repeat(column + 2), head);
  });
  return `${theme.bold(FLAG_GROUPS[group])}\n${lines.join('\n')}`;
}

function exampleSection(examples: CommandSpec['examples'], theme: Theme): string {
  const longest = Math.max(...examples.map((example) => example.line.length));
  const says = Math.max(...examples.map((example) => example.says.length));
  const narrow = 2 + longest + 3 + says > theme.width;
  const lines = narrow
    ? examples.map((example) => `  ${theme.accent(example.line)}\n      ${example.says}`).join('\n')
    : table(
        examples.map((example) => [theme.accent(example.line), theme.dim(example.says)]),
        3,
        '  ',
      );
  return `${theme.bold(examples.length === 1 ? 'Example' : 'Examples')}\n${lines}`;
}

/** Help of one command: what it does, its effect, examples first, then the flags by group. */
export function commandHelp(command: CommandSpec, theme: Theme): string {
  const notYet = command.load === undefined ? `\n${theme.warn('Not in this version.')}` : '';
  const sections = [
    `${wrap(`${theme.bold(`tenon ${command.name}`)}: ${command.summary}.`, theme.width)}${notYet}`,
    wrap(command.detail, theme.width),
    wrap(effectOf(command), theme.width, '        ', `${theme.bold('Effect')}  `),
    exampleSection(command.examples, theme),
    `${theme.bold('Usage')}\n${usageLines(command)
      .map((line) => `  ${line}`)
      .join('\n')}`,
  ];
  if (command.flags.length > 0) sections.push(flagSection('command', command.flags, theme));
  const refused = refusedBy(command);
  for (const group of command.groups) {
    const flags = GLOBAL_FLAGS.filter((flag) => flag.group === group && !refused.includes(flag));
    if (flags.length > 0) sections.push(flagSection(group, flags, theme));
  }
  const names = refused.map(({ long }) => long).join(', ');
  sections.push(
    theme.dim(wrap(`The other flags of tenon --help work here too, but not ${names}.`, theme.width)),
  );
  return `${sections.join('\n\n')}\n`;
}

/** Help of the whole program. */
export function mainHelp(theme: Theme, listed: readonly CommandSpec[] = COMMANDS): string {
  const groups = [...new Set(listed.map((command) => command.group))];
  const width = Math.max(...listed.map((command) => command.name.length));
  const commands = groups.map((group) => {
    const rows = listed
      .filter((command) => command.group === group)
      .map((command) =>
        wrap(
          command.load === undefined ? `${command.summary} (not in this version)` : command.summary,
          theme.width,
          ' '.repeat(width + 5),
          `  ${command.name.padEnd(width)}   `,
        ),
      );
    return `${theme.bold(group)}\n${rows.join('\n')}`;
  });
  const flags = (Object.keys(FLAG_GROUPS) as FlagGroup[])
    .filter((group) => group !== 'command')
    .map((group) =>
      flagSection(
        group,
        GLOBAL_FLAGS.filter((flag) => flag.group === group),
        theme,
      ),
    );
  return `${[
    wrap(
      'tenon fits MCP servers, skills, hooks and permission rules into the coding tools of a repository, and takes them out without a trace.',
      theme.width,
    ),
    exampleSection(
      [
        { line: 'tenon setup vera', says: 'show the change, ask, write' },
        { line: 'tenon doctor', says: 'is everything as it should be?' },
        { line: 'tenon uninstall vera', says: 'every file as it was before' },
      ],
      theme,
    ),
    `${theme.bold('Usage')}\n  tenon <command> [arguments] [flags]\n  tenon help <command>`,
    ...commands,
    ...flags,
    `${theme.bold('Exit codes')}\n${EXIT_CODES.map(({ code, meaning }) =>
      wrap(meaning, theme.width, '       ', `  ${String(code).padEnd(5)}`),
    ).join('\n')}`,
  ].join('\n\n')}\n`;
}

/** The command table as data, for programs that drive tenon. */
export function helpData(command: CommandSpec | undefined): Record<string, unknown> {
  const shown = command === undefined ? COMMANDS : [command];
  return {
    commands: shown.map((one) => ({
      name: one.name,
      summary: one.summary,
      detail: one.detail,
      effect: one.effect,
      effectText: effectOf(one),
      available: one.load !== undefined,
      usage: usageLines(one),
      arguments: one.arguments.map(({ name, required, variadic, choices }) => ({
        name,
        required,
        variadic: variadic === true,
        choices,
      })),
      flags: one.flags.map(flagData),
      refuses: refusedBy(one).map(({ long }) => long),
      examples: one.examples.map((example) => example.line),
    })),
    flags: GLOBAL_FLAGS.map(flagData),
    exitCodes: EXIT_CODES,
  };
}

const flagData = (flag: FlagSpec) => ({
  flag: flag.long,
  short: flag.short,
  value: flag.value,
  repeatable: flag.repeat === true,
  choices: flag.choices,
  summary: flag.summary,
});
