import { describe, expect, it } from 'vitest';
import { type ClientBench, clientBench, json } from './support/bench.ts';
import { modelApi } from './support/model-api.ts';

const ID = 'qwen-code';
const FILE = '.qwen/settings.json';
const OTHER = 'http://127.0.0.1:9/mcp';

const list = async (one: ClientBench): Promise<string> => (await one.client(['mcp', 'list'])).text;
const isConnected = /✓ vera: .* - Connected/u;
const isPending = /● vera: .* - Pending approval/u;

async function approved(...more: string[]): Promise<ClientBench> {
  const one = await clientBench(ID);
  await one.setup(...more);
  await one.client(['mcp', 'approve', 'vera']);
  return one;
}

/** Print mode against the stand-in; the tool's own events. */
async function session(one: ClientBench, url: string, ...args: string[]): Promise<string> {
  const env = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'stand-in', OPENAI_MODEL: 'stub' };
  const flags = ['--auth-type', 'openai', '--output-format', 'stream-json'];
  return (await one.client(['-p', 'Hello.', ...flags, ...args], { env })).text;
}

describe(ID, () => {
  it('listed', async () => {
    const one = await clientBench(ID);
    await one.setup();
    expect(await list(one)).toContain(`vera: ${one.server.mcpUrl} (http)`);
  });

  it('pending approval', async () => {
    const one = await clientBench(ID);
    await one.setup();
    expect(await list(one)).toMatch(isPending);
    expect(one.server.seen).toEqual([]);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('awaiting-approval');
    expect(doctor.codes).toContain('host/pending-approval');
  });

  it('approved', async () => {
    const one = await approved();
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('rejected', async () => {
    const one = await clientBench(ID);
    await one.setup();
    await one.client(['mcp', 'reject', 'vera']);
    expect(await list(one)).not.toMatch(isConnected);
    expect(one.server.seen).toEqual([]);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('rejected');
    expect(doctor.codes).toContain('host/rejected');
  });

  it('entry changed since it was approved', async () => {
    const one = await approved();
    one.write(FILE, one.read(FILE).replace('"httpUrl":', '"timeout": 5000, "httpUrl":'));
    expect(await list(one)).toMatch(isPending);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('awaiting-approval');
    expect(doctor.codes).toContain('host/pending-approval');
  });

  it('connected', async () => {
    const one = await approved();
    expect(await list(one)).toMatch(isConnected);
    expect(one.server.seen.length).toBeGreaterThan(0);
  });

  it('stdio server connected', async () => {
    const one = await clientBench(ID);
    await one.addLocal();
    await one.client(['mcp', 'approve', 'local']);
    expect(await list(one)).toMatch(/✓ local: .* - Connected/u);
    expect((await one.doctor('add:local')).inTool).toBe('approved');
  });

  it('untrusted folder', async () => {
    const one = await approved();
    one.writeHome(FILE, json({ $version: 4, security: { folderTrust: { enabled: true } } }));
    expect(await list(one)).not.toContain('vera');
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.length).toBeGreaterThan(0);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('untrusted');
    expect(doctor.codes).toContain('host/hook-untrusted');
  });

  it('trusted folder', async () => {
    const one = await approved();
    one.writeHome(FILE, json({ $version: 4, security: { folderTrust: { enabled: true } } }));
    one.writeHome('.qwen/trustedFolders.json', json({ [one.root]: 'TRUST_FOLDER' }));
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('same name in a weaker scope', async () => {
    const one = await approved();
    one.writeHome(FILE, json({ $version: 4, mcpServers: { vera: { httpUrl: OTHER } } }));
    expect(await list(one)).toMatch(isConnected);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('approved');
    expect(doctor.findings.filter(({ code }) => code === 'host/shadowed')).toEqual([]);
  });

  it('hook context', async () => {
    const one = await approved();
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).toContain('vera-bootstrap-reminder');
    expect(api.prompts.join()).toContain('git.example/house/shop');
    expect((await one.doctor()).status('host/hooks')).not.toBe('fail');
  });

  it('hooks switched off', async () => {
    const one = await approved();
    one.write(FILE, one.read(FILE).replace('{', '{\n  "disableAllHooks": true,'));
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.length).toBeGreaterThan(0);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    expect((await one.doctor()).codes).toContain('host/hooks-off');
  });

  it('skill', async () => {
    const one = await approved();
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).toContain('vera-memory');
  });

  it('ask rule', async () => {
    const one = await approved('--without', 'hooks');
    // Allowed by name, both of them: the rule that asks comes before it for the one that writes.
    const names = ['mcp__vera__knowledge_search', 'mcp__vera__knowledge_retract_proposal'];
    const allow = ['--allowed-tools', ...names];
    const reads = await modelApi({ name: 'mcp__vera__knowledge_search', args: { query: 'x' } });
    await session(one, reads.url, ...allow);
    expect(reads.answered).not.toEqual([]);
    expect(reads.answered.join()).not.toContain('that permission was declined');
    const writes = await modelApi({
      name: 'mcp__vera__knowledge_retract_proposal',
      args: { proposal_id: 'p' },
    });
    await session(one, writes.url, ...allow);
    expect(writes.answered.join()).toContain('that permission was declined');
  });

  it('comment in the file', async () => {
    const one = await approved();
    one.write(FILE, `// mine\n${one.read(FILE)}`);
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).blames(ID)).not.toContain('config/not-read');
  });

  it('trailing comma in the file', async () => {
    const one = await approved();
    const text = one.read(FILE).replace(/\n\}\s*$/u, ',\n}\n');
    one.write(FILE, text);
    // Asked first: the tool itself replaces the file.
    const doctor = await one.doctor();
    expect(doctor.blames(ID)).toContain('config/not-read');
    expect(doctor.status('config/loaded')).toBe('fail');
    expect(await list(one)).not.toContain('vera');
    expect(one.read(FILE)).not.toBe(text);
  });

  it('byte-order mark in the file', async () => {
    const one = await approved();
    one.write(FILE, `\uFEFF${one.read(FILE)}`);
    const doctor = await one.doctor();
    expect(await list(one)).toMatch(isConnected);
    expect(doctor.blames(ID)).not.toContain('config/not-read');
  });

  it('variable that is not set', async () => {
    const one = await clientBench(ID);
    await one.addWithToken('docs', 'DOCS_TOKEN');
    await one.client(['mcp', 'approve', 'docs']);
    expect(await list(one)).toContain('docs');
    expect((await one.doctor('add:docs')).status('host/variables')).toBe('warn');
  });

  it('file left as it was', async () => {
    const one = await approved();
    const before = one.read(FILE);
    await list(one);
    expect(one.read(FILE)).toBe(before);
    expect((await one.tenon(['status'])).document.data.state).toBe('ok');
  });

  it('clean after uninstall', async () => {
    const text = `{\n    "$version": 4,\n    "mcpServers": { "house": { "httpUrl": "${OTHER}" } } // ours\n}`;
    const one = await clientBench(ID, { files: { [FILE]: text } });
    const before = await list(one);
    expect(before).toContain('house');
    await one.setup();
    expect(await list(one)).toMatch(isPending);
    await one.uninstall();
    expect(await list(one)).toBe(before);
  });
});
