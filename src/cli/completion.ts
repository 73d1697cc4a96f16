import { type ArgumentSpec, COMMANDS, type CommandSpec, refusedBy } from './command-table.ts';
import { type FlagSpec, GLOBAL_FLAGS } from './flags.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** Names that the package knows when the script is made. */
export interface KnownNames {
  readonly integrations: readonly string[];
  readonly runtimes: readonly string[];
  readonly codes: readonly string[];
}

/**
 * A completion script made from the command table alone. It holds plain words: nothing of the repository is read or
 * run while someone types.
 */
export function completionScript(shell: Shell, names: KnownNames): string {
  if (shell === 'bash') return bash(names);
  return shell === 'zsh' ? zsh(names) : fish(names);
}

const flagsOf = (command: CommandSpec): readonly FlagSpec[] => [
  ...command.flags,
  ...GLOBAL_FLAGS.filter((flag) => !refusedBy(command).includes(flag)),
];

function argumentWords(spec: ArgumentSpec | undefined, names: KnownNames): readonly string[] {
  if (spec === undefined) return [];
  if (spec.choices !== undefined) return spec.choices;
  const kind = spec.complete;
  return kind === 'integrations' || kind === 'runtimes' || kind === 'codes' ? names[kind] : [];
}

const wantsPaths = (spec: ArgumentSpec | undefined): boolean =>
  spec?.complete === 'files' || spec?.complete === 'folders' || spec?.complete === 'integrations';

/** Words that may follow a flag; undefined when its value is free text or it has none. */
function valueWords(flag: FlagSpec, names: KnownNames): readonly string[] | undefined {
  if (flag.choices !== undefined) return flag.choices;
  if (flag.long === '--runtime') return [...names.runtimes, 'all'];
  if (flag.long === '--without') return ['mcp', 'hooks', 'skills', 'permissions', 'blocks'];
  return undefined;
}

const valueFlags = (): FlagSpec[] => {
  const all = [...GLOBAL_FLAGS, ...COMMANDS.flatMap((command) => command.flags)];
  return all.filter((flag) => flag.value !== undefined && flag.optional !== true);
};

const spelled = (flag: FlagSpec): string =>
  flag.short === undefined ? flag.long : `${flag.short}|${flag.long}`;

function bash(names: KnownNames): string {
  const values = valueFlags().map((flag) => {
    const words = valueWords(flag, names);
    const reply =
      words === undefined ? 'compopt -o default' : `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$cur"))`;
    return `    ${spelled(flag)}) ${reply}; return ;;`;
  });
  const cases = COMMANDS.map((command) => {
    const words = [
      ...flagsOf(command).map((flag) => flag.long),
      ...command.arguments.flatMap((spec) => argumentWords(spec, names)),
    ];
    const paths = command.arguments.some(wantsPaths) ? ' compopt -o default;' : '';
    return `    ${command.name})${paths} words="${words.join(' ')}" ;;`;
  });
  return `# bash completion of tenon
_tenon() {
  local cur prev command word words
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  case "$prev" in
${values.join('\n')}
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      ${COMMANDS.map((command) => command.name).join('|')}) command="$word"; break ;;
    esac
  done
  case "$command" in
${cases.join('\n')}
    *) words="${[...COMMANDS.map((command) => command.name), 'help', ...GLOBAL_FLAGS.map((flag) => flag.long)].join(' ')}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _tenon tenon
`;
}

const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const zshText = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&');

function zsh(names: KnownNames): string {
  const flagLine = (flag: FlagSpec): string => {
    const action = valueWords(flag, names);
    const value =
      flag.value === undefined
        ? ''
        : `:${zshText(flag.value)}:${action === undefined ? '_files' : `(${action.join(' ')})`}`;
    const spellings = flag.short === undefined ? [flag.long] : [flag.short, flag.long];
    return spellings
      .map(
        (name) =>
          `      ${single(`${flag.repeat === true ? '*' : ''}${name}[${zshText(flag.summary)}]${flag.optional === true ? `:${value}` : value}`)} \\`,
      )
      .join('\n');
  };
  const cases = COMMANDS.map((command) => {
    const positional = command.arguments.map((spec) => {
      const words = argumentWords(spec, names);
      const both = wantsPaths(spec) && words.length > 0;
      const action = both
        ? `{compadd ${words.join(' ')}; _files}`
        : words.length > 0
          ? `(${words.join(' ')})`
          : wantsPaths(spec)
            ? '_files'
            : ' ';
      return `      ${single(`${spec.variadic === true ? '*' : ''}:${zshText(spec.name)}:${action}`)} \\`;
    });
    const lines = [...command.flags.map(flagLine), ...positional].join('\n');
    return `    ${command.name}) _arguments $global \\\n${lines === '' ? '' : `${lines}\n`}      ;;`;
  });
  return `#compdef tenon
# zsh completion of tenon
_tenon() {
  local -a commands global
  commands=(
${COMMANDS.map((command) => `    ${single(`${command.name}:${zshText(command.summary)}`)}`).join('\n')}
  )
  global=(
${GLOBAL_FLAGS.map((flag) => flagLine(flag).replace(/ \\$/gm, '')).join('\n')}
  )
  local context state line
  _arguments -C $global '1:command:->command' '*::argument:->argument'
  case "$state" in
    command) _describe command commands ;;
    argument)
      case "$line[1]" in
${cases.map((text) => text.replace(/^/gm, '  ')).join('\n')}
      esac ;;
  esac
}
if [ "$funcstack[1]" = "_tenon" ]; then _tenon "$@"; else compdef _tenon tenon; fi
`;
}

function fish(names: KnownNames): string {
  const lines = ['# fish completion of tenon', 'complete -c tenon -f'];
  const flagLine = (flag: FlagSpec, condition: string): string => {
    const words = valueWords(flag, names);
    const value =
      flag.value === undefined || flag.optional === true
        ? ''
        : words === undefined
          ? ' -r -F'
          : ` -x -a ${single(words.join(' '))}`;
    const short = flag.short === undefined ? '' : ` -s ${flag.short.slice(1)}`;
    return `complete -c tenon${condition}${short} -l ${flag.long.slice(2)}${value} -d ${single(flag.summary)}`;
  };
  for (const flag of GLOBAL_FLAGS) lines.push(flagLine(flag, ''));
  for (const command of COMMANDS) {
    lines.push(
      `complete -c tenon -n __fish_use_subcommand -a ${command.name} -d ${single(command.summary)}`,
      ...command.flags.map((flag) => flagLine(flag, ` -n '__fish_seen_subcommand_from ${command.name}'`)),
    );
    for (const spec of command.arguments) {
      const words = argumentWords(spec, names);
      const seen = ` -n '__fish_seen_subcommand_from ${command.name}'`;
      if (words.length > 0) lines.push(`complete -c tenon${seen} -a ${single(words.join(' '))}`);
      if (wantsPaths(spec)) lines.push(`complete -c tenon${seen} -F`);
    }
  }
  return `${lines.join('\n')}\n`;
}
