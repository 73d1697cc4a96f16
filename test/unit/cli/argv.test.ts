import { describe, expect, it } from 'vitest';
import { splitArgv } from '../../../src/cli/argv.ts';
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
    [['setup'], 'usage/missing-argument'],
    [['new', 'thing', 'x'], 'usage/bad-value'],
    [['help', 'nothing'], 'usage/unknown-command'],
    [['history', '--runtime', 'codex'], 'usage/unknown-flag'],
    [['--runtime=all', 'recover'], 'usage/unknown-flag'],
    [['state', 'repair', '--runtime', 'codex'], 'usage/unknown-flag'],
    [['explain', '--runtime', 'codex'], 'usage/unknown-flag'],
    [['sync', '--runtime', 'codex'], 'usage/unknown-flag'],
    [['uninstall', '--runtime', 'codex'], 'parsed'],
    [['setup', 'a', 'b', 'c'], 'parsed'],
    [['help', 'setup'], 'parsed'],
  ])('answers %j with %s', (argv, expected) => {
    expect(code(argv)).toBe(expected);
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
