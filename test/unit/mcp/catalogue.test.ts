import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/command-table.ts';
import { GLOBAL_FLAGS } from '../../../src/cli/flags.ts';
import { type VerbRequest, verbs, wordsOf } from '../../../src/mcp/catalogue.ts';
import { discover } from '../../../src/mcp/discover.ts';
import { annotationsOf, listedTools } from '../../../src/mcp/tools.ts';

/** Written by hand: a flag that is marked by mistake must not pass because the table says so. */
const NEVER = [
  '--out', '--bundle', '--clients', '--live', '--online', '--show-paths', '--cwd', '--root', '--all-roots', '--yes',
  '--approve', '--allow', '--resolve', '--force', '--json', '--format', '--no-input', '--debug', '--check', '--prune',
]; // biome-ignore format: a word list

const words = (verb: string, positionals: string[] = [], flags: VerbRequest['flags'] = {}) =>
  wordsOf({ verb, positionals, flags });

describe('the allowlist of tenon mcp', () => {
  it('holds reading commands only', () => {
    const names = verbs().map(({ command }) => command.name);
    expect(names).toContain('status');
    for (const { name, effect } of COMMANDS) {
      if (effect !== 'reads') expect(names).not.toContain(name);
    }
  });

  it('holds no flag that writes, starts, contacts, shows paths, approves or moves', () => {
    for (const { flags } of verbs()) {
      for (const { long } of flags) expect(NEVER).not.toContain(long);
    }
    expect(GLOBAL_FLAGS.filter(({ reads, group }) => reads && group === 'approval')).toEqual([]);
  });

  it('joins values to their flags', () => {
    expect(
      words('plan', ['vera'], { '--runtime': ['codex', '--yes'], '--patch': true, '--explain': false }),
    ).toEqual(['plan', 'vera', '--runtime=codex', '--runtime=--yes', '--patch']);
  });

  it.each<[string, () => string[]]>([
    ['a writing verb', () => words('setup', ['vera'])],
    ['an unknown verb', () => words('nope')],
    ['a verb with another case', () => words('Status')],
    ['a prototype member', () => words('__proto__')],
    ['a reserved flag', () => words('plan', [], { '--out': 'x' })],
    ['a short flag', () => words('status', [], { '-C': '/' })],
    ['a flag joined to a value', () => words('status', [], { '--runtime=x': true })],
    ['a switch with a value', () => words('plan', [], { '--patch': 'yes' })],
    ['a value that is none', () => words('status', [], { '--scope': 'root' })],
    ['a single flag given twice', () => words('status', [], { '--scope': ['user', 'local'] })],
    ['a positional with a dash', () => words('plan', ['--yes'])],
    ['an empty positional', () => words('plan', [''])],
    ['a positional too many', () => words('status', ['x'])],
    ['a missing positional', () => words('completion')],
    ['a shell that is none', () => words('completion', ['tcsh'])],
    ['a path out of the repository', () => words('plan', ['../other'])],
    ['an absolute path', () => words('plan', ['/etc'])],
    ['a home path', () => words('plan', ['~/x'])],
    ['a control character', () => words('explain', ['a/b\n'])],
    ['a null byte', () => words('explain', ['a\0b'])],
    ['a long word', () => words('explain', ['x'.repeat(2001)])],
    [
      'many words',
      () =>
        words(
          'plan',
          Array.from({ length: 51 }, () => 'vera'),
        ),
    ],
  ])('refuses %s', (_, attempt) => {
    expect(attempt).toThrow();
  });
});

describe('annotations', () => {
  it('follow from the effect in the command table', () => {
    expect(annotationsOf([{ effect: 'reads' }])).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(annotationsOf([{ effect: 'reads' }, { effect: 'writes' }]).readOnlyHint).toBe(false);
    expect(annotationsOf([{ effect: 'state' }]).destructiveHint).toBe(true);
    expect(annotationsOf([{ effect: 'reads', contacts: true }]).openWorldHint).toBe(true);
  });

  it('say of every tool that it reads; only doctor and invoke may contact something', () => {
    const tools = listedTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'status',
      'doctor',
      'plan',
      'explain',
      'runtimes',
      'discover',
      'invoke',
    ]);
    expect(tools.filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([]);
    expect(tools.filter(({ annotations }) => annotations.openWorldHint).map(({ name }) => name)).toEqual([
      'doctor',
      'invoke',
    ]);
  });
});

describe('discover', () => {
  it.each([
    ['what does a code mean', 'explain'],
    ['which coding tools are supported', 'runtimes'],
    ['is anything missing or edited', 'status'],
    ['show the plan and its digest', 'plan'],
    ['diagnose hooks and secrets', 'doctor'],
    ['plans that were applied', 'history'],
  ])('answers "%s" with %s', (query, verb) => {
    expect(discover(query, 5).verbs[0]?.verb).toBe(verb);
  });

  it('lists everything for an empty question and nothing for nonsense', () => {
    expect(discover('', 50).verbs).toHaveLength(verbs().length);
    expect(discover('xyzzy qwrtp', 5)).toEqual({ total: 0, verbs: [] });
  });

  it('describes no flag that cannot be given', () => {
    const text = JSON.stringify(discover('', 50));
    for (const flag of NEVER) expect(text).not.toContain(`"${flag}"`);
  });
});
