import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/command-table.ts';
import { completionScript } from '../../../src/cli/completion.ts';
import { FLAG_GROUPS, flagKey, GLOBAL_FLAGS } from '../../../src/cli/flags.ts';
import { commandHelp, effectOf, mainHelp, usageLines } from '../../../src/cli/help.ts';
import { parseCommandLine } from '../../../src/cli/program.ts';
import { PLAIN_THEME } from '../../../src/reporting/theme.ts';

/** The commands of the contract, section 3. */
const CONTRACT =
  'setup add plan apply status doctor sync trust adopt forget disable enable uninstall undo recover runtimes explain history state certify sandbox mcp new validate completion';

describe('the command table', () => {
  it('holds exactly the commands of the contract', () => {
    expect(COMMANDS.map((command) => command.name).sort()).toEqual(CONTRACT.split(' ').sort());
  });

  it('has no flag twice and no key twice', () => {
    for (const command of COMMANDS) {
      const flags = [...GLOBAL_FLAGS, ...command.flags];
      const names = flags.flatMap((flag) =>
        flag.short === undefined ? [flag.long] : [flag.long, flag.short],
      );
      expect(new Set(names).size).toBe(names.length);
      const own = command.flags.map((flag) => flagKey(flag.long));
      const globals = GLOBAL_FLAGS.map((flag) => flagKey(flag.long));
      expect(own.filter((key) => globals.includes(key))).toEqual([]);
    }
  });

  it('has help in lines of 80 columns', () => {
    const texts = [mainHelp(PLAIN_THEME), ...COMMANDS.map((command) => commandHelp(command, PLAIN_THEME))];
    // An example is one line for copying, however long it is.
    const lines = texts
      .flatMap((text) => text.split('\n'))
      .filter((line) => !/^ {2}tenon /.test(line) || / {3}/.test(line.trim()));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(COMMANDS.flatMap((command) => command.examples.map((example) => [example.line])))(
    'has an example that parses: %s',
    (line) => {
      const words = line
        .replace(/ [|>].*$/, '')
        .split(' ')
        .slice(1);
      expect(parseCommandLine(words).kind).toBe('run');
    },
  );
});

/** What help says does not hang on what is already there. */
const available = COMMANDS.map((command) => ({
  ...command,
  load: command.load ?? (async () => Promise.reject()),
}));

describe('help', () => {
  it('is this for the program', () => {
    expect(mainHelp(PLAIN_THEME, available)).toMatchSnapshot();
  });

  it.each(available.map((command) => [command.name, command] as const))('is this for %s', (_, command) => {
    const text = commandHelp(command, PLAIN_THEME);
    expect(text).toMatchSnapshot();
    expect(text).toContain(effectOf(command).slice(0, 20));
    expect(text.indexOf('Example')).toBeLessThan(text.indexOf('Usage'));
    for (const flag of command.flags) expect(text).toContain(flag.long);
    for (const line of usageLines(command)) expect(text).toContain(line);
  });

  it('says which command is not there yet', () => {
    const [first] = available;
    const absent = {
      ...(first as (typeof COMMANDS)[number]),
      load: undefined,
    } as unknown as (typeof COMMANDS)[number];
    expect(commandHelp(absent, PLAIN_THEME)).toContain('Not in this version.');
    expect(mainHelp(PLAIN_THEME, [absent])).toMatch(/\(not in this\s+version\)/);
  });

  it('keeps to 80 columns and ASCII', () => {
    const all = [mainHelp(PLAIN_THEME), ...COMMANDS.map((command) => commandHelp(command, PLAIN_THEME))].join(
      '\n',
    );
    expect(
      all.split('\n').filter((line) => line.length > 80 && !line.trimStart().startsWith('tenon ')),
    ).toEqual([]);
    expect(all).toMatch(/^[\n -~]*$/);
  });

  it('names every group of flags', () => {
    const text = mainHelp(PLAIN_THEME);
    for (const [group, title] of Object.entries(FLAG_GROUPS)) {
      if (group !== 'command') expect(text).toContain(`\n${title}\n`);
    }
  });
});

describe('completion', () => {
  const names = { integrations: ['vera'], runtimes: ['codex'], codes: ['config/malformed'] };
  it.each(['bash', 'zsh', 'fish'] as const)('of %s names every command and every flag', (shell) => {
    const script = completionScript(shell, names);
    const flags = [...GLOBAL_FLAGS, ...COMMANDS.flatMap((command) => command.flags)];
    for (const command of COMMANDS) expect(script).toContain(command.name);
    for (const flag of flags)
      expect(script).toContain(shell === 'fish' ? `-l ${flag.long.slice(2)}` : flag.long);
    expect(script).toContain('vera');
  });
});
