import { describe, expect, it } from 'vitest';
import { TenonError } from '../../../src/errors/error.ts';
import { expandEndpoints, expandIntegration, expandNextSteps } from '../../../src/integrations/expand.ts';
import { IntegrationSchema } from '../../../src/integrations/schema.ts';
import type { LoadedIntegration, ResolvedInput } from '../../../src/integrations/types.ts';
import { manifest } from './definition-folder.ts';

const loaded = (members: Record<string, unknown>, files: Record<string, string> = {}): LoadedIntegration => ({
  ref: './tools/glossary',
  source: 'repository',
  manifest: IntegrationSchema.parse(manifest(members)),
  files: new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
});
const given = (values: Record<string, string>): ResolvedInput[] =>
  Object.entries(values).map(([name, value]) => ({ name, value, origin: 'flag' }));
const input = (name: string, members: Record<string, unknown> = {}) => ({
  name,
  type: 'string',
  prompt: name,
  ...members,
});
const choices = (members = {}) => ({ without: [], runtimes: ['alpha'], overrides: {}, ...members });
const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof TenonError) return `${error.code} ${error.exit}`;
    throw error;
  }
  return 'none';
};

const server = (members: Record<string, unknown>) => ({
  kind: 'mcp-server',
  name: 'server',
  server: 'glossary',
  ...members,
});

describe('placeholders', () => {
  it('are replaced once, and everything that only looks like one stays', () => {
    const definition = loaded({
      inputs: [input('A'), input('B')],
      artifacts: [
        server({
          stdio: {
            command: 'run',
            args: ['{A}-{B}', '${HOME}', '${env:TOKEN}', '{lower}', '$' + '{A}'],
            env: { KEY: '${env:KEY}', MIX: 'x{B}' },
          },
        }),
      ],
    });
    const [one] = expandIntegration(definition, given({ A: '{B}', B: '$1$&' }), choices());
    expect(one?.artifact).toMatchObject({
      stdio: {
        command: 'run',
        args: ['{B}-$1$&', '${HOME}', '${env:TOKEN}', '{lower}', '${A}'],
        env: { KEY: '${env:KEY}', MIX: 'x$1$&' },
      },
    });
  });

  it('without a value take the array element or map entry with them, and nothing else', () => {
    const definition = loaded({
      inputs: [input('A', { required: false })],
      artifacts: [server({ stdio: { command: 'run', args: ['--a={A}', 'b'], env: { A: '{A}', B: 'b' } } })],
    });
    const [one] = expandIntegration(definition, [], choices());
    expect(one?.artifact).toMatchObject({ stdio: { args: ['b'], env: { B: 'b' } } });
    expect(one?.artifact).not.toHaveProperty('stdio.env.A');
  });

  it('may name a variable, as key and inside a reference', () => {
    const definition = loaded({
      inputs: [input('KEY_ENV', { type: 'variable', required: false })],
      artifacts: [
        server({ stdio: { command: 'run', env: { '{KEY_ENV}': '${env:{KEY_ENV}}', LEVEL: 'info' } } }),
      ],
    });
    const [one] = expandIntegration(definition, given({ KEY_ENV: 'MY_KEY' }), choices());
    expect(one?.artifact).toMatchObject({ stdio: { env: { MY_KEY: '${env:MY_KEY}', LEVEL: 'info' } } });
    const [without] = expandIntegration(definition, [], choices());
    expect(without?.artifact).toHaveProperty('stdio.env', { LEVEL: 'info' });
  });

  it.each([
    ['a URL', { http: { url: '{A}/mcp' } }],
    ['a command', { stdio: { command: '{A}' } }],
  ])('without a value are an error in %s', (_what, transport) => {
    const definition = loaded({ inputs: [input('A', { required: false })], artifacts: [server(transport)] });
    expect(code(() => expandIntegration(definition, [], choices()))).toBe('integration/missing-value 4');
  });

  it('of no declared input are an error, also when a value is given', () => {
    const definition = loaded({ artifacts: [server({ http: { url: 'https://x.example/{NOPE}' } })] });
    expect(code(() => expandIntegration(definition, given({ NOPE: 'x' }), choices()))).toBe(
      'integration/unknown-placeholder 4',
    );
  });

  it('join a base URL with a path by exactly one slash', () => {
    const definition = loaded({
      inputs: [input('BASE')],
      endpoints: [
        { kind: 'health', url: '{BASE}/live' },
        { kind: 'mcp', url: '{BASE}' },
      ],
    });
    expect(expandEndpoints(definition, given({ BASE: 'https://x.example/api//' }))).toEqual([
      { kind: 'health', url: 'https://x.example/api/live' },
      { kind: 'mcp', url: 'https://x.example/api//' },
    ]);
    expect(expandEndpoints(definition, [])).toEqual([]);
  });

  it('leave a step out that would have a hole', () => {
    const definition = loaded({
      inputs: [input('A', { required: false })],
      nextSteps: ['open {A}', 'restart'],
    });
    expect(expandNextSteps(definition, [])).toEqual(['restart']);
    expect(expandNextSteps(definition, given({ A: 'x' }))).toEqual(['open x', 'restart']);
  });
});

describe('files with placeholders', () => {
  const files = {
    'notes.md': 'Team {A}, {lower}, ${HOME}.\n',
    'code.ts': 'const a = \'{A}\';\nconst b = "{A}";\nconst c = `{A}`; const {A} = x; // {A}\n',
    'other.md': '{A}',
  };
  const definition = loaded(
    { inputs: [input('A', { required: false })], expand: ['notes.md', 'code.ts'] },
    files,
  );
  const textOf = (values: Record<string, string>, path: string): string => {
    const [one] = expandIntegration(definition, given(values), choices());
    return new TextDecoder().decode(one?.files.get(path));
  };

  it('are filled where they are listed, and only there', () => {
    expect(textOf({ A: 'blue' }, 'notes.md')).toBe('Team blue, {lower}, ${HOME}.\n');
    expect(textOf({ A: 'blue' }, 'other.md')).toBe('{A}');
  });

  it('take a value in code only as a whole string literal, which no value can end', () => {
    const hostile = `'; process.exit(1); "\\\n\u2028{A}`;
    const text = textOf({ A: hostile }, 'code.ts');
    expect(text).toBe(
      `const a = ${JSON.stringify(hostile)};\nconst b = ${JSON.stringify(hostile)};\nconst c = \`{A}\`; const {A} = x; // {A}\n`,
    );
  });

  it('get the empty text for an input without a value', () => {
    expect(textOf({}, 'code.ts')).toContain('const a = "";');
    expect(textOf({}, 'notes.md')).toBe('Team , {lower}, ${HOME}.\n');
  });
});

describe('which artifacts exist', () => {
  const definition = loaded({
    inputs: [
      input('MODE', { type: 'choice', choices: ['a', 'b', 'c'], default: 'a' }),
      input('X', { required: false }),
    ],
    artifacts: [
      server({ http: { url: 'https://x.example' } }),
      {
        kind: 'permission',
        name: 'ask',
        decision: 'ask',
        server: 'glossary',
        tools: ['t'],
        when: { input: 'MODE', equals: ['a', 'b'] },
      },
      {
        kind: 'permission',
        name: 'ask',
        decision: 'deny',
        server: 'glossary',
        tools: ['t'],
        when: { input: 'MODE', equals: 'c' },
      },
      {
        kind: 'permission',
        name: 'both',
        decision: 'ask',
        server: 'glossary',
        tools: ['t'],
        when: [{ input: 'MODE', equals: 'a' }, { input: 'X' }],
      },
      {
        kind: 'setting',
        name: 'alpha-key',
        runtime: 'alpha',
        file: 'f',
        at: ['k'],
        value: true,
        default: 'off',
        when: { runtime: ['alpha'] },
      },
      {
        kind: 'setting',
        name: 'not-alpha',
        runtime: 'beta',
        file: 'f',
        at: ['k'],
        value: true,
        when: { notRuntime: ['alpha'] },
      },
      { kind: 'ignore-line', name: 'line', file: '.gitignore', line: '.cache/' },
    ],
  });
  const names = (values: Record<string, string>, members = {}): string[] =>
    expandIntegration(definition, given(values), choices(members)).map(({ artifact }) =>
      artifact.kind === 'permission' ? `${artifact.name}:${artifact.decision}` : artifact.name,
    );

  it('is decided by inputs', () => {
    expect(names({ MODE: 'a' })).toEqual(['server', 'ask:ask', 'line']);
    expect(names({ MODE: 'a', X: 'x' })).toEqual(['server', 'ask:ask', 'both:ask', 'line']);
    expect(names({ MODE: 'b', X: 'x' })).toEqual(['server', 'ask:ask', 'line']);
    expect(names({ MODE: 'c' })).toEqual(['server', 'ask:deny', 'line']);
    expect(names({})).toEqual(['server', 'line']);
  });

  it('is decided by runtimes: one that some of them take stays', () => {
    expect(names({ MODE: 'c' }, { runtimes: ['alpha', 'beta'] })).toEqual([
      'server',
      'ask:deny',
      'not-alpha',
      'line',
    ]);
    expect(names({ MODE: 'c' }, { runtimes: ['beta'] })).toEqual(['server', 'ask:deny', 'not-alpha', 'line']);
  });

  it('is decided by overrides', () => {
    expect(names({ MODE: 'c' }, { overrides: { 'alpha-key': 'on', line: 'off' } })).toEqual([
      'server',
      'ask:deny',
      'alpha-key',
    ]);
    expect(names({ MODE: 'c' }, { overrides: { 'alpha-key': true, 'defaults.scope': 'user' } })).toContain(
      'alpha-key',
    );
  });

  it('is decided by parts to leave out', () => {
    expect(names({ MODE: 'a' }, { without: ['permissions'] })).toEqual(['server', 'line']);
    expect(names({ MODE: 'a' }, { without: ['mcp', 'permissions'] })).toEqual(['line']);
    expect(code(() => names({}, { without: ['constructor'] }))).toBe('usage/unknown-part 2');
  });

  it('carries owner, source and version', () => {
    const [one] = expandIntegration(definition, [], choices());
    expect([one?.owner, one?.source]).toEqual([
      { integration: './tools/glossary', artifact: 'server', version: '2.0.1' },
      'repository',
    ]);
  });

  it('refuses two of one name at the same time', () => {
    const twice = loaded({
      inputs: [input('X')],
      artifacts: ['a', 'b'].map((line) => ({
        kind: 'ignore-line',
        name: 'line',
        file: '.gitignore',
        line,
        when: { input: 'X' },
      })),
    });
    expect(code(() => expandIntegration(twice, given({ X: '1' }), choices()))).toBe('integration/invalid 4');
  });
});
