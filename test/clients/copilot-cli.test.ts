import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClientBench, clientBench, json } from './support/bench.ts';
import { modelApi } from './support/model-api.ts';

const ID = 'copilot-cli';
const OTHER = 'http://127.0.0.1:9/mcp';

interface Listed {
  readonly url?: string;
  readonly source: string;
  readonly enabled: boolean;
}

/** Its own list: what it read, never whether it connects. */
async function list(one: ClientBench): Promise<Record<string, Listed>> {
  const { stdout } = await one.client(['mcp', 'list', '--json']);
  return JSON.parse(stdout.slice(stdout.indexOf('{'))).mcpServers;
}

const trust = (one: ClientBench, folder: string): void =>
  one.writeHome('.copilot/config.json', json({ trustedFolders: [folder] }));

async function trusted(...more: string[]): Promise<ClientBench> {
  const one = await clientBench(ID);
  await one.setup(...more);
  trust(one, one.root);
  return one;
}

async function session(one: ClientBench, url: string, ...args: string[]): Promise<string> {
  const env = {
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: 'stand-in',
    COPILOT_MODEL: 'stub',
  };
  return (await one.client(['-p', 'Hello.', '-s', ...args], { env })).text;
}

describe(ID, () => {
  it('listed', async () => {
    const one = await trusted();
    expect(await list(one)).toMatchObject({
      vera: { url: one.server.mcpUrl, source: 'workspace', enabled: true },
    });
  });

  it('untrusted folder', async () => {
    const one = await clientBench(ID);
    await one.setup();
    expect(await list(one)).toEqual({});
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.length).toBeGreaterThan(0);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    expect(one.server.seen).toEqual([]);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('untrusted');
    expect(doctor.codes).toContain('host/untrusted-project');
    expect(doctor.codes).toContain('host/hook-untrusted');
  });

  it('trusted folder', async () => {
    const one = await trusted();
    expect(Object.keys(await list(one))).toEqual(['vera']);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('folder above is trusted', async () => {
    const one = await clientBench(ID);
    await one.setup();
    trust(one, dirname(one.root));
    expect(Object.keys(await list(one))).toEqual(['vera']);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('connected', async () => {
    const one = await trusted();
    const api = await modelApi();
    await session(one, api.url);
    expect(one.server.seen.length).toBeGreaterThan(0);
    expect(api.prompts.join()).toContain('vera-knowledge_bootstrap');
  });

  it('stdio server connected', async () => {
    const one = await clientBench(ID);
    await one.addLocal();
    trust(one, one.root);
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).toContain('local-ping');
    expect((await one.doctor('add:local')).inTool).toBe('approved');
  });

  it('disabled by its user', async () => {
    const one = await trusted();
    await one.client(['mcp', 'disable', 'vera']);
    expect((await list(one))['vera']?.enabled).toBe(false);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('rejected');
    expect(doctor.codes).toContain('host/rejected');
  });

  it('same name in a weaker scope', async () => {
    const one = await trusted();
    one.writeHome('.copilot/mcp-config.json', json({ mcpServers: { vera: { type: 'http', url: OTHER } } }));
    expect((await list(one))['vera']?.url).toBe(one.server.mcpUrl);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('approved');
    expect(doctor.findings.filter(({ code }) => code === 'host/shadowed')).toEqual([]);
  });

  it('file that another one hides', async () => {
    const one = await clientBench(ID, {
      files: { '.github/mcp.json': json({ mcpServers: { hidden: { type: 'http', url: OTHER } } }) },
    });
    await one.setup();
    trust(one, one.root);
    expect(Object.keys(await list(one))).toEqual(['hidden', 'vera']);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('hook context', async () => {
    const one = await trusted();
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).toContain('vera-bootstrap-reminder');
    expect(api.prompts.join()).toContain('git.example/house/shop');
    expect((await one.doctor()).status('host/hooks')).toBe('pass');
  });

  it('skill', async () => {
    const one = await trusted();
    expect((await one.client(['skill', 'list'])).text).toContain('vera-memory');
  });

  it('comment in the file', async () => {
    const one = await trusted();
    one.write('.mcp.json', `// mine\n${one.read('.mcp.json')}`);
    await expectIgnored(one);
  });

  it('trailing comma in the file', async () => {
    const one = await trusted();
    one.write('.mcp.json', one.read('.mcp.json').replace(/\}(\s*\}\s*\}\s*)$/u, '},$1'));
    await expectIgnored(one);
  });

  it('byte-order mark in the file', async () => {
    const one = await trusted();
    one.write('.mcp.json', `\uFEFF${one.read('.mcp.json')}`);
    await expectIgnored(one);
  });

  it('comment in the hooks file', async () => {
    const one = await trusted();
    const file = '.github/hooks/tenon.json';
    one.write(file, `// mine\n${one.read(file)}`);
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    expect((await one.doctor()).status('config/loaded')).toBe('fail');
  });

  it('variable that is not set', async () => {
    const one = await clientBench(ID);
    await one.addWithToken('docs', 'DOCS_TOKEN');
    trust(one, one.root);
    expect(Object.keys(await list(one))).toEqual(['docs']);
    expect((await one.doctor('add:docs')).status('host/variables')).toBe('warn');
  });

  it('clean after uninstall', async () => {
    const one = await clientBench(ID, {
      files: { '.mcp.json': `{ "mcpServers": { "house": { "type": "http", "url": "${OTHER}" } } }` },
    });
    trust(one, one.root);
    const before = await list(one);
    expect(Object.keys(before)).toEqual(['house']);
    await one.setup();
    expect(Object.keys(await list(one)).sort()).toEqual(['house', 'vera']);
    await one.uninstall();
    expect(await list(one)).toEqual(before);
    expect((await one.client(['skill', 'list'])).text).not.toContain('vera-memory');
  });
});

async function expectIgnored(one: ClientBench): Promise<void> {
  const run = await one.client(['mcp', 'list', '--json']);
  expect(run.text).toContain('malformed');
  expect(run.stdout).not.toContain('"vera"');
  const doctor = await one.doctor();
  expect(doctor.blames(ID)).toContain('config/not-read');
  expect(doctor.status('config/loaded')).toBe('fail');
}
