import { describe, expect, it } from 'vitest';
import { splitArgv } from '../../../src/cli/argv.ts';
import { COMMANDS } from '../../../src/cli/command-table.ts';
import { wantsJson } from '../../../src/cli/early.ts';
import { parseCommandLine } from '../../../src/cli/program.ts';
import { TenonError } from '../../../src/errors/error.ts';

const code = (argv: string[]): string => {
  try {
    parseCommandLine(argv);
    return 'parsed';
  } catch (error) {
    return error instanceof TenonError ? error.code : String(error);
  }
};

describe('splitArgv', () => {
  it.each<[string[], string | undefined, string[], string[] | undefined]>([
    [['setup', 'vera', '--yes'], 'setup', ['vera', '--yes'], undefined],
    [['--json', 'status'], 'status', ['--json'], undefined],
    [['-C', 'dir', 'status'], 'status', ['-C', 'dir'], undefined],
    [['--root', 'status', 'doctor'], 'doctor', ['--root', 'status'], undefined],
    [['--root=x', 'doctor'], 'doctor', ['--root=x'], undefined],
    [['-nC', 'dir', 'setup', 'vera'], 'setup', ['-nC', 'dir', 'vera'], undefined],
    [['-Cdir', 'setup'], 'setup', ['-Cdir'], undefined],
    [['add', 'x', '--', 'npx', '-y', 'pkg', '--json'], 'add', ['x'], ['npx', '-y', 'pkg', '--json']],
    [['--', 'setup'], undefined, [], ['setup']],
    [[], undefined, [], undefined],
  ])('finds the command in %j', (argv, name, words, rest) => {
    expect(splitArgv(argv)).toEqual({ name, words, rest });
  });

  it('sees a wish for JSON only before --', () => {
    expect(wantsJson(['status', '--format', 'json'])).toBe(true);
    expect(wantsJson(['status', '--format=json'])).toBe(true);
    expect(wantsJson(['add', 'x', '--', 'tool', '--json'])).toBe(false);
  });

  it('takes the last of several formats, as the parser does', () => {
    expect(wantsJson(['status', '--format', 'json', '--format', 'text'])).toBe(false);
    expect(wantsJson(['status', '--format=text', '--format', 'json'])).toBe(true);
    expect(wantsJson(['status', '--format=json', '--format=sarif'])).toBe(false);
    expect(wantsJson(['--format', 'text', 'status', '--json'])).toBe(true);
  });
});

describe('parseCommandLine', () => {
  it('keeps what stands behind -- as it is', () => {
    expect(
      parseCommandLine(['add', 'x', '--env', 'A=b', '--yes', '--', 'npx', '-y', '--help']),
    ).toMatchObject({
      kind: 'run',
      args: { positionals: ['x'], flags: { env: ['A=b'] }, rest: ['npx', '-y', '--help'] },
      globals: { yes: true },
    });
  });

  it('gathers repeated flags, and tells an optional value from none', () => {
    expect(parseCommandLine(['status', '--runtime', 'a', '--runtime', 'b'])).toMatchObject({
      globals: { runtime: ['a', 'b'] },
    });
    expect(parseCommandLine(['trust', '--revoke'])).toMatchObject({ args: { flags: { revoke: true } } });
    expect(parseCommandLine(['trust', '--revoke', 'id'])).toMatchObject({
      args: { flags: { revoke: 'id' } },
    });
  });

  it('reports nothing that was not typed', () => {
    expect(parseCommandLine(['status'])).toMatchObject({ globals: {}, args: { flags: {}, positionals: [] } });
    expect(parseCommandLine(['status', '--no-input'])).toMatchObject({ globals: { input: false } });
  });

  it.each([
    [['sync', '--chek'], 'usage/unknown-flag'],
    [['sync', '--che'], 'usage/unknown-flag'],
    [['sync', '-z'], 'usage/unknown-flag'],
    [['status', '--check'], 'usage/unknown-flag'],
    [['status', 'extra'], 'usage/unexpected-argument'],
    [['trust', 'vera', '--list'], 'usage/conflicting-flags'],
    [['trust', 'vera', '--revoke'], 'usage/conflicting-flags'],
    [['trust', '--revoke', 'a1b2c3'], 'parsed'],
    [['setup'], 'usage/missing-argument'],
    [['setup', ''], 'usage/bad-value'],
    [['setup', 'vera', ' '], 'usage/bad-value'],
    [['setup', 'vera', '--runtime', ''], 'usage/bad-value'],
    [['setup', 'vera', '--runtime', 'codex', '--runtime='], 'usage/bad-value'],
    [['setup', 'vera', '--without', ''], 'usage/bad-value'],
    [['setup', 'vera', '--force', ''], 'usage/bad-value'],
    [['uninstall', ''], 'usage/bad-value'],
    [['status', '-C', ''], 'usage/bad-value'],
    [['plan', '--out', ''], 'usage/bad-value'],
    [['trust', '--revoke='], 'usage/bad-value'],
    [['trust', '--revoke', ''], 'usage/bad-value'],
    [['add', 'docs', ''], 'usage/bad-value'],
    [['state', 'export', ''], 'usage/bad-value'],
    [['add', 'docs', '--', 'node', ''], 'parsed'],
    [['setup', 'vera', '--set', 'VERA_API_URL='], 'parsed'],
    [['new', 'thing', 'x'], 'usage/bad-value'],
    [['help', 'nothing'], 'usage/unknown-command'],
    [['history', '--runtime', 'codex'], 'usage/unknown-flag'],
    [['--runtime=all', 'recover'], 'usage/unknown-flag'],
    [['state', 'repair', '--runtime', 'codex'], 'usage/unknown-flag'],
    [['explain', '--runtime', 'codex'], 'usage/unknown-flag'],
    [['sync', '--runtime', 'codex'], 'usage/unknown-flag'],
    [['apply', 'p', '--without', 'hooks'], 'usage/unknown-flag'],
    [['apply', 'p', '--scope', 'user'], 'usage/unknown-flag'],
    [['apply', 'p', '--set', 'A=b'], 'usage/unknown-flag'],
    [['apply', 'p', '--resolve', 'a=keep'], 'usage/unknown-flag'],
    [['apply', 'p', '--force', 'a'], 'usage/unknown-flag'],
    [['apply', 'p', '--live'], 'usage/unknown-flag'],
    [['apply', 'p', '--all-roots'], 'usage/unknown-flag'],
    [['setup', 'vera', '--clients'], 'usage/unknown-flag'],
    [['add', 'docs', 'https://docs.example/mcp', '--set', 'A=b'], 'usage/unknown-flag'],
    [['uninstall', 'vera', '--without', 'hooks'], 'usage/unknown-flag'],
    [['uninstall', '--set', 'NOPE=1'], 'usage/unknown-flag'],
    [['sync', '--without=hooks'], 'usage/unknown-flag'],
    [['sync', '--scope', 'user'], 'usage/unknown-flag'],
    [['disable', 'vera', '--scope', 'user'], 'usage/unknown-flag'],
    [['status', '--scope', 'user'], 'usage/unknown-flag'],
    [['status', '-y'], 'usage/unknown-flag'],
    [['doctor', '--dry-run'], 'usage/unknown-flag'],
    [['doctor', '--force', 'x'], 'usage/unknown-flag'],
    [['-n', 'mcp'], 'usage/unknown-flag'],
    [['trust', 'vera', '-n'], 'usage/unknown-flag'],
    [['sync', '--check', '--yes'], 'usage/conflicting-flags'],
    [['sync', '--check', '--prune'], 'usage/conflicting-flags'],
    [['sync', '--check', '--restore', 'x'], 'usage/conflicting-flags'],
    [['plan', '--runtime', 'codex'], 'usage/conflicting-flags'],
    [['plan', '--without', 'hooks'], 'usage/conflicting-flags'],
    [['plan', '--set', 'NOPE=1'], 'usage/conflicting-flags'],
    [['plan', '--name', 'other'], 'usage/conflicting-flags'],
    [['trust', '--runtime', 'codex'], 'usage/conflicting-flags'],
    [['trust', 'scan', '--runtime', 'codex'], 'usage/conflicting-flags'],
    [['trust', '--all-roots'], 'usage/conflicting-flags'],
    [['trust', '--check', 'sha256:0'], 'usage/conflicting-flags'],
    [['status', '--color', '--no-color'], 'usage/conflicting-flags'],
    [['trust', '--list', '--all-roots'], 'parsed'],
    [['trust', 'scan', '--check', 'sha256:0'], 'parsed'],
    [['sync', '--check', '--all-roots'], 'parsed'],
    [['plan', 'vera', '--without', 'hooks', '--scope', 'user'], 'parsed'],
    [['uninstall', '--runtime', 'codex'], 'parsed'],
    [['setup', 'a', 'b', 'c'], 'parsed'],
    [['help', 'setup'], 'parsed'],
  ])('answers %j with %s', (argv, expected) => {
    expect(code(argv)).toBe(expected);
  });

  it.each(COMMANDS.filter(({ name }) => name !== 'add'))(
    'takes what says how to run and to report everywhere: $name',
    ({ name, arguments: words }) => {
      const given = words.filter(({ required }) => required).map(({ choices }) => choices?.[0] ?? 'x');
      const flags = ['--offline', '--online', '--strict', '--json', '--quiet', '--no-input', '--show-paths'];
      const valued = ['--debug', '--no-color', '--timeout=9', '--format=json', '-C', '.', '--root', '.'];
      expect(code([name, ...given, ...flags, ...valued])).toBe('parsed');
    },
  );

  it('names the commands that a refused flag is for', () => {
    expect(() => parseCommandLine(['apply', 'p', '--without', 'hooks'])).toThrow(
      expect.objectContaining({
        exit: 2,
        message: '--without means nothing to tenon apply.',
        remedy: {
          text: 'Leave it out. It is for setup, add, plan, trust.',
          command: 'tenon apply --help',
        },
      }),
    );
  });

  it('offers the help of the nearest command to who asks for help', () => {
    const remedy = (argv: readonly string[]) => {
      try {
        parseCommandLine(argv);
      } catch (error) {
        return (error as TenonError).remedy?.command;
      }
      return undefined;
    };
    expect(remedy(['help', 'setpu'])).toBe('tenon help setup');
    expect(remedy(['setpu'])).toBe('tenon setup');
  });
});
