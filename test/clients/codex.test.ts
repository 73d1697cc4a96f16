import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../helpers/repo.ts';
import { codexView } from './support/app-server.ts';
import { type ClientBench, clientBench, hasNamespace } from './support/bench.ts';
import { modelApi } from './support/model-api.ts';

const ID = 'codex';
const CONFIG = '.codex/config.toml';
const HOOKS = '.codex/hooks.json';
const OTHER = 'http://127.0.0.1:9/mcp';

const trust = (folder: string, level = 'trusted'): string =>
  `[projects."${folder}"]\ntrust_level = "${level}"\n`;
const list = async (
  one: ClientBench,
): Promise<{ name: string; enabled: boolean; transport: { url?: string } }[]> =>
  JSON.parse((await one.client(['mcp', 'list', '--json'])).stdout);
const names = async (one: ClientBench): Promise<string[]> => (await list(one)).map(({ name }) => name);

/** A run without a terminal against the stand-in, in which nobody can be asked. */
async function session(one: ClientBench, url: string, ...args: string[]): Promise<string> {
  const provider = `{name="stand-in",base_url="${url}/v1",env_key="STAND_IN_KEY",wire_api="responses"}`;
  // Where nothing answers, its analytics hold each run up for five seconds.
  const quiet = 'analytics.enabled=false';
  const settings = [
    quiet,
    'model="stand-in"',
    'model_provider="stand-in"',
    `model_providers.stand-in=${provider}`,
  ];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const run = await one.client(['exec', '--json', ...flags, ...args, 'Hello.'], {
    env: { STAND_IN_KEY: 'x' },
  });
  return run.text;
}

async function trusted(...more: string[]): Promise<ClientBench> {
  const one = await clientBench(ID);
  await one.setup(...more);
  one.writeHome(CONFIG, trust(one.root));
  return one;
}

/** Trust of our one hook as the tool itself writes it, with the hash that it computed. */
async function trustHook(one: ClientBench, member = ''): Promise<void> {
  const [hook] = (await codexView(one)).hooks;
  if (hook === undefined) throw new Error('Codex lists no hook');
  const state = `[hooks.state."${hook.key}"]\ntrusted_hash = "${hook.currentHash}"\n${member}`;
  one.writeHome(CONFIG, `${trust(one.root)}\n${state}`);
}

const hasContext = async (one: ClientBench): Promise<boolean> => {
  const api = await modelApi();
  await session(one, api.url);
  expect(api.prompts.length).toBeGreaterThan(0);
  return api.prompts.join().includes('vera-bootstrap-reminder');
};

describe(ID, () => {
  it('listed', async () => {
    const one = await trusted();
    expect(await list(one)).toContainEqual(
      expect.objectContaining({
        name: 'vera',
        transport: expect.objectContaining({ url: one.server.mcpUrl }),
      }),
    );
  });

  it('untrusted folder', async () => {
    const one = await clientBench(ID);
    await one.setup();
    expect(await list(one)).toEqual([]);
    expect(await hasContext(one)).toBe(false);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('untrusted');
    expect(doctor.codes).toContain('host/untrusted-project');
  });

  it('folder that its user does not trust', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome(CONFIG, trust(one.root, 'untrusted'));
    expect(await list(one)).toEqual([]);
    expect((await one.doctor()).inTool).toBe('untrusted');
  });

  it('folder above is trusted', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome(CONFIG, trust(dirname(one.root)));
    expect(await list(one)).toEqual([]);
    expect((await one.doctor()).inTool).toBe('untrusted');
  });

  it('worktree of a trusted checkout', async () => {
    const one = await clientBench(ID, { files: { 'README.md': 'Here.\n' } });
    git(one.root, ['add', '-A']);
    git(one.root, ['commit', '-q', '-m', 'Start']);
    const tree = join(dirname(one.root), 'tree');
    git(one.root, ['worktree', 'add', '-q', tree]);
    const there = one.at(tree);
    await there.setup();
    one.writeHome(CONFIG, trust(one.root));
    expect(await names(there)).toEqual(['vera']);
    expect((await there.doctor()).inTool).toBe('approved');
  });

  it('trusted folder', async () => {
    const one = await trusted();
    expect(await names(one)).toEqual(['vera']);
    expect((await one.doctor()).inTool).toBe('approved');
    const below = join(one.root, 'src');
    mkdirSync(below);
    expect((await one.client(['mcp', 'list', '--json'], { cwd: below })).stdout).toContain('"vera"');
  });

  it('connected', async () => {
    const one = await trusted();
    const { servers } = await codexView(one);
    expect(servers).toContainEqual(expect.objectContaining({ name: 'vera', runtimeStatus: 'connected' }));
    expect(Object.keys(servers[0]?.tools ?? {})).toContain('knowledge_bootstrap');
    expect(one.server.seen.length).toBeGreaterThan(0);
  });

  it('stdio server connected', async () => {
    const one = await clientBench(ID);
    await one.addLocal();
    one.writeHome(CONFIG, trust(one.root));
    const { servers } = await codexView(one);
    expect(servers).toContainEqual(expect.objectContaining({ name: 'local', runtimeStatus: 'connected' }));
    expect((await one.doctor('add:local')).inTool).toBe('approved');
  });

  it('disabled in its entry', async () => {
    const one = await trusted();
    one.write(
      CONFIG,
      one.read(CONFIG).replace('[mcp_servers.vera]\n', '[mcp_servers.vera]\nenabled = false\n'),
    );
    expect(await list(one)).toContainEqual(expect.objectContaining({ name: 'vera', enabled: false }));
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('disabled');
    expect(doctor.codes).toContain('host/disabled');
  });

  it('same name in a weaker scope', async () => {
    const one = await trusted();
    one.writeHome(CONFIG, `${trust(one.root)}\n[mcp_servers.vera]\nurl = "${OTHER}"\n`);
    expect(await list(one)).toContainEqual(
      expect.objectContaining({
        name: 'vera',
        transport: expect.objectContaining({ url: one.server.mcpUrl }),
      }),
    );
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('approved');
    expect(doctor.findings).not.toContainEqual(
      expect.objectContaining({ code: 'host/shadowed', severity: 'error' }),
    );
  });

  it('switched off in a weaker scope', async () => {
    const one = await trusted();
    one.writeHome(CONFIG, `${trust(one.root)}\n[mcp_servers.vera]\nenabled = false\n`);
    expect(await list(one)).toContainEqual(expect.objectContaining({ name: 'vera', enabled: false }));
    expect((await one.doctor()).inTool).toBe('disabled');
    // Its own member comes first.
    one.write(
      CONFIG,
      one.read(CONFIG).replace('[mcp_servers.vera]\n', '[mcp_servers.vera]\nenabled = true\n'),
    );
    expect(await list(one)).toContainEqual(expect.objectContaining({ name: 'vera', enabled: true }));
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it.runIf(hasNamespace)('server not on the managed list of allowed ones', async () => {
    const one = await trusted();
    const requires = (name: string, url: string) =>
      one.manage({ 'codex/requirements.toml': `[mcp_servers.${name}.identity]\nurl = "${url}"\n` });
    for (const [name, url] of [
      ['house', OTHER],
      ['vera', OTHER],
    ] as const) {
      requires(name, url);
      expect(await list(one)).toContainEqual(expect.objectContaining({ name: 'vera', enabled: false }));
      expect((await one.doctor()).inTool).toBe('denied');
    }
    requires('vera', one.server.mcpUrl);
    expect(await list(one)).toContainEqual(expect.objectContaining({ name: 'vera', enabled: true }));
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it.runIf(hasNamespace)('server denied by managed policy', async () => {
    const one = await trusted();
    one.manage({ 'codex/managed_config.toml': '[mcp_servers.vera]\nenabled = false\n' });
    expect(await list(one)).toContainEqual(expect.objectContaining({ name: 'vera', enabled: false }));
    expect((await one.doctor()).inTool).toBe('denied');
  });

  it.runIf(hasNamespace).each([
    ['hooks off by managed policy', 'requirements.toml', 'allow_managed_hooks_only = true\n'],
    ['hooks off by managed features', 'requirements.toml', '[features]\nhooks = false\n'],
    ['hooks off by managed configuration', 'managed_config.toml', '[features]\nhooks = false\n'],
  ])('%s', async (_, file, text) => {
    const one = await trusted();
    await trustHook(one);
    one.manage({ [`codex/${file}`]: text });
    expect(await hasContext(one)).toBe(false);
    expect((await one.doctor()).codes).toContain('host/hooks-off');
  });

  it('hook not trusted', async () => {
    const one = await trusted();
    expect((await codexView(one)).hooks).toContainEqual(
      expect.objectContaining({ trustStatus: 'untrusted' }),
    );
    expect(await hasContext(one)).toBe(false);
    expect((await one.doctor()).codes).toContain('host/hook-untrusted');
  });

  it('hook trusted', async () => {
    const one = await trusted();
    await trustHook(one);
    expect((await codexView(one)).hooks).toContainEqual(expect.objectContaining({ trustStatus: 'trusted' }));
    const doctor = await one.doctor();
    expect(doctor.codes).not.toContain('host/hook-untrusted');
    expect(doctor.status('host/hooks')).toBe('pass');
  });

  it('hook changed since it was trusted', async () => {
    const one = await trusted();
    await trustHook(one);
    one.write(HOOKS, one.read(HOOKS).replace('"timeout": 5', '"timeout": 6'));
    expect((await codexView(one)).hooks).toContainEqual(expect.objectContaining({ trustStatus: 'modified' }));
    expect(await hasContext(one)).toBe(false);
    expect((await one.doctor()).findings).toContainEqual(
      expect.objectContaining({
        code: 'host/hook-untrusted',
        data: expect.objectContaining({ state: 'modified' }),
      }),
    );
  });

  it('hook switched off by its user', async () => {
    const one = await trusted();
    await trustHook(one, 'enabled = false\n');
    expect((await codexView(one)).hooks).toContainEqual(expect.objectContaining({ enabled: false }));
    expect(await hasContext(one)).toBe(false);
    expect((await one.doctor()).codes).toContain('host/hooks-off');
  });

  it('hooks switched off', async () => {
    const one = await trusted();
    await trustHook(one);
    one.writeHome(CONFIG, `[features]\nhooks = false\n\n${one.readHome(CONFIG)}`);
    expect(await hasContext(one)).toBe(false);
    expect((await one.doctor()).codes).toContain('host/hooks-off');
  });

  it('hook context', async () => {
    const one = await trusted();
    await trustHook(one);
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts[0]).toContain('vera-bootstrap-reminder');
    expect(api.prompts[0]).toContain('git.example/house/shop');
  });

  it('skill', async () => {
    const one = await trusted();
    expect((await codexView(one)).skills).toContainEqual(
      expect.objectContaining({ name: 'vera-memory', scope: 'repo', enabled: true }),
    );
  });

  it('ask rule', async () => {
    const one = await trusted();
    const reads = await modelApi({ name: 'knowledge_search', namespace: 'mcp__vera', args: { query: 'x' } });
    expect(await session(one, reads.url)).not.toContain('requires approval');
    expect(reads.answered).not.toEqual([]);
    const writes = await modelApi({
      name: 'knowledge_retract_proposal',
      namespace: 'mcp__vera',
      args: { proposal_id: 'p' },
    });
    expect(await session(one, writes.url)).toContain('requires approval');
  });

  it('comment in the file', async () => {
    const one = await trusted();
    one.write(CONFIG, `# mine\n${one.read(CONFIG)}`);
    expect(await names(one)).toEqual(['vera']);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('byte-order mark in the file', async () => {
    const one = await trusted();
    one.write(CONFIG, `\uFEFF${one.read(CONFIG)}`);
    expect(await names(one)).toEqual(['vera']);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('approved');
    expect(doctor.codes).not.toContain('config/not-read');
  });

  it('malformed file', async () => {
    const one = await trusted();
    one.write(CONFIG, `${one.read(CONFIG)}broken =\n`);
    expect((await one.client(['mcp', 'list', '--json'])).code).toBe(1);
    const doctor = await one.doctor();
    expect(doctor.status('config/readable')).toBe('fail');
  });

  it('comment in the hooks file', async () => {
    const one = await trusted();
    one.write(HOOKS, `// mine\n${one.read(HOOKS)}`);
    const view = await codexView(one);
    expect(view.hooks).toEqual([]);
    expect(view.warnings.length).toBe(1);
    const doctor = await one.doctor();
    expect(doctor.findings).toContainEqual(
      expect.objectContaining({ code: 'config/not-read', severity: 'error' }),
    );
    expect(doctor.status('config/loaded')).toBe('fail');
  });

  it('byte-order mark in the hooks file', async () => {
    const one = await trusted();
    one.write(HOOKS, `\uFEFF${one.read(HOOKS)}`);
    expect((await codexView(one)).hooks).toEqual([]);
    expect((await one.doctor()).status('config/loaded')).toBe('fail');
  });

  it('unknown member in the hooks file', async () => {
    const one = await trusted();
    one.write(HOOKS, one.read(HOOKS).replace('{', '{ "_mine": true,'));
    expect((await codexView(one)).hooks).toEqual([]);
    expect((await one.doctor()).status('config/loaded')).toBe('fail');
  });

  it('entry with a wrong value', async () => {
    const one = await trusted();
    one.write(CONFIG, `${one.read(CONFIG)}\n[mcp_servers.mine]\nurl = "${OTHER}"\ncommand = "node"\n`);
    expect((await one.client(['mcp', 'list', '--json'])).code).toBe(1);
    expect((await one.doctor()).status('config/loaded')).toBe('fail');
  });

  it('variable that is not set', async () => {
    const one = await clientBench(ID);
    await one.addWithToken('docs', 'DOCS_TOKEN');
    one.writeHome(CONFIG, trust(one.root));
    const { servers } = await codexView(one);
    expect(servers).toContainEqual(expect.objectContaining({ name: 'docs', runtimeStatus: 'failed' }));
    expect((await one.doctor('add:docs')).status('host/variables')).toBe('warn');
  });

  it('clean after uninstall', async () => {
    const one = await clientBench(ID, {
      files: {
        [CONFIG]: `# ours\n[mcp_servers.house]   # keep\nurl = '${OTHER}'`,
        [HOOKS]: '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"true"}]}]}}',
      },
    });
    one.writeHome(CONFIG, trust(one.root));
    const before = await codexView(one);
    expect(before.servers.map(({ name }) => name)).toEqual(['house']);
    await one.setup();
    const during = await codexView(one);
    expect(during.servers.map(({ name }) => name).sort()).toEqual(['house', 'vera']);
    expect(during.hooks).toHaveLength(2);
    await one.uninstall();
    expect(await codexView(one)).toEqual(before);
  });
});
