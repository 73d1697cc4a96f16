import { describe, expect, it } from 'vitest';
import { expandIntegration, expandNextSteps } from '../../src/integrations/expand.ts';
import { harnessesOf } from '../../src/integrations/harnesses.ts';
import { resolveInputs } from '../../src/integrations/inputs.ts';
import { loadIntegration } from '../../src/integrations/load.ts';
import type { Artifact } from '../../src/integrations/schema.ts';
import { realReader } from '../../src/system/real-files.ts';
import { PACKAGE } from './vera-files.ts';

async function expand(
  id: string,
  flags: Record<string, string> = {},
): Promise<{ artifacts: Artifact[]; steps: string[] }> {
  const loaded = await loadIntegration(realReader, PACKAGE, PACKAGE, id);
  const { values, missing } = await resolveInputs(loaded.manifest.inputs, {
    id,
    mode: 'setup',
    flags,
    env: {},
    manifest: {},
    trusted: true,
  });
  if (missing.length > 0) throw new Error(`missing ${missing.map((one) => one.name)}`);
  const choices = { without: [], runtimes: ['claude-code'], overrides: {} };
  return {
    artifacts: expandIntegration(loaded, values, choices).map(({ artifact }) => artifact),
    steps: expandNextSteps(loaded, values),
  };
}

const MODULE = ['python', '-P', '-m', 'vaultspec_core.mcp_server.app'];
const TOOL = { command: 'uvx', args: ['--from', 'vaultspec-core==0.3.5', ...MODULE] };
const PROJECT = { command: 'uv', args: ['run', '--no-sync', ...MODULE] };

describe('vaultspec', () => {
  it.each<[Record<string, string>, { command: string; args: string[] }]>([
    [{}, TOOL],
    [
      { MODE: 'tool', ACCESS: 'read-only' },
      { ...TOOL, args: [...TOOL.args, '--read-only'] },
    ],
    [{ MODE: 'dependency' }, PROJECT],
    [{ MODE: 'dev' }, PROJECT],
    [
      { MODE: 'dev', ACCESS: 'read-only' },
      { ...PROJECT, args: [...PROJECT.args, '--read-only'] },
    ],
  ])('with %j starts as it should', async (flags, launch) => {
    const servers = (await expand('vaultspec', flags)).artifacts.filter((one) => one.kind === 'mcp-server');
    expect(servers).toHaveLength(1);
    expect(servers[0]).toMatchObject({
      name: 'server',
      server: 'vaultspec-core',
      stdio: { ...launch, env: {} },
    });
    expect(servers[0]).toHaveProperty('stdio.env', {});
  });

  it('asks before the eight tools that can write, and before none when they are hidden', async () => {
    const rules = async (flags: Record<string, string>) =>
      (await expand('vaultspec', flags)).artifacts.flatMap((one) =>
        one.kind === 'permission' ? one.tools : [],
      );
    const all = [
      'find',
      'create',
      'edit',
      'status',
      'check',
      'search',
      'crossref',
      'plan_progress',
      'plan_edit',
      'log',
      'discover',
      'invoke',
    ];
    const asking = await rules({});
    expect(all.filter((tool) => !asking.includes(tool))).toEqual(['find', 'status', 'search', 'discover']);
    expect(asking).toHaveLength(8);
    expect(await rules({ ACCESS: 'read-only' })).toEqual([]);
  });

  it('refers to the key for hosted search only when its variable is named', async () => {
    const on = await expand('vaultspec', { HOSTED_SEARCH_KEY_ENV: 'TEAM_KEY', TARGET_DIR: 'docs' });
    expect(on.artifacts[0]).toHaveProperty('stdio.env', {
      VAULTSPEC_TARGET_DIR: 'docs',
      VAULTSPEC_CORE_TYPESAFE_API_KEY: '${env:TEAM_KEY}',
    });
    expect(on.steps.join('\n')).toContain('api.typesafe.ai');
    expect((await expand('vaultspec')).steps.join('\n')).not.toContain('api.typesafe.ai');
  });

  it('takes no key in place of the name of a variable', async () => {
    const key = 'ts-Abcdefghijklmnop1234';
    await expect(expand('vaultspec', { HOSTED_SEARCH_KEY_ENV: key })).rejects.toMatchObject({
      code: 'input/invalid',
    });
    await expect(expand('vaultspec', { HOSTED_SEARCH_KEY_ENV: key })).rejects.not.toThrow(key);
  });
});

describe('veritas', () => {
  const flags = { API_URL: 'http://127.0.0.1:8080', MCP_COMMAND: 'node' };

  it('passes URL and key on, the key by reference', async () => {
    const { artifacts } = await expand('veritas', {
      ...flags,
      MCP_ENTRY: 'board/mcp.js',
      API_KEY_ENV: 'BOARD_KEY',
    });
    expect(artifacts[0]).toMatchObject({
      server: 'veritas',
      stdio: { command: 'node', args: ['board/mcp.js'] },
    });
    expect(artifacts[0]).toHaveProperty('stdio.env', {
      VK_API_URL: 'http://127.0.0.1:8080',
      BOARD_KEY: '${env:BOARD_KEY}',
    });
  });

  it('leaves out what was not given', async () => {
    const { artifacts, steps } = await expand('veritas', flags);
    expect(artifacts[0]).toMatchObject({ stdio: { args: [], env: { VK_API_URL: 'http://127.0.0.1:8080' } } });
    expect(artifacts[0]).toHaveProperty('stdio.env', { VK_API_URL: 'http://127.0.0.1:8080' });
    expect(steps.some((step) => step.includes('{'))).toBe(false);
    expect(steps.some((step) => step.includes('vk doctor'))).toBe(true);
  });

  it('brings a block, a skill and a rule', async () => {
    const { artifacts } = await expand('veritas', flags);
    expect(artifacts.map((one) => `${one.kind} ${one.name}`)).toEqual([
      'mcp-server server',
      'block task-rules',
      'skill readiness',
      'permission ask-before-control',
    ]);
  });

  it('has a row of data for every profile of the board, names of variables only', async () => {
    const loaded = await loadIntegration(realReader, PACKAGE, PACKAGE, 'veritas');
    const inputs = [
      { name: 'API_URL', value: 'http://127.0.0.1:3001', origin: 'flag' },
      { name: 'API_KEY_ENV', value: 'BOARD_KEY', origin: 'flag' },
    ] as const;
    const known = harnessesOf(loaded, inputs);
    expect(known).toMatchObject({
      service: 'http://127.0.0.1:3001',
      support: { path: '/api/config/agent-support', header: 'X-API-Key', variable: 'BOARD_KEY' },
    });
    const profiles = known?.profiles ?? [];
    const started = ['codex-cli', 'codex-sdk', 'codex-app-server', 'claude-code', 'hermes-cli', 'openclaw'];
    const refused = [
      'codex-cloud',
      'ollama-local',
      'ollama-cloud',
      'lm-studio-local',
      'amp',
      'copilot',
      'gemini',
    ];
    const byProvider = (want: boolean) =>
      profiles
        .filter(({ unsupported }) => (unsupported === undefined) === want)
        .map(({ provider }) => provider);
    expect(byProvider(true).sort()).toEqual([...started].sort());
    expect(byProvider(false).sort()).toEqual([...refused].sort());
    expect(profiles.filter(({ enabled }) => enabled).map(({ id }) => id)).toEqual(['codex']);
    const exact = profiles.flatMap(({ id, version }) =>
      version?.exact === undefined ? [] : [[id, version.exact]],
    );
    expect(exact).toEqual([
      ['codex-app-server', '0.145.0'],
      ['claude-code', '2.1.218'],
    ]);
    const bytes = loaded.files.get('harnesses.json');
    const reference = loaded.files.get('skills/veritas-readiness/references/profiles.md');
    const page = new TextDecoder().decode(reference);
    for (const { provider } of profiles.filter(
      ({ diagnostics, gateway }) => diagnostics.length > 0 || gateway,
    ))
      expect(page).toContain(`\`${provider}\``);
    expect(new TextDecoder().decode(bytes)).not.toMatch(/sk-|Bearer|=/);
    expect(harnessesOf({ ...loaded, source: 'repository' }, inputs)).toBeUndefined();
  });

  it.each([
    ['a pattern without a group', { version: { args: ['--version'], pattern: '^1' } }],
    ['a program with a path', { program: '../codex' }],
    ['an argument for a shell', { diagnostics: [{ args: ['login; rm'], asks: 'x' }] }],
    ['a value in place of a name', { keys: [['sk-live-1']] }],
  ])('takes no row with %s', async (_, change) => {
    const loaded = await loadIntegration(realReader, PACKAGE, PACKAGE, 'veritas');
    const data = JSON.parse(new TextDecoder().decode(loaded.files.get('harnesses.json')));
    Object.assign(data.profiles[0], change);
    const files = new Map(loaded.files).set('harnesses.json', new TextEncoder().encode(JSON.stringify(data)));
    expect(() => harnessesOf({ ...loaded, files }, [])).toThrow(/harnesses\.json: profiles\.0\./);
  });
});
