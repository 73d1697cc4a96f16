import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClientBench, type ClientRunOptions, clientBench, json } from './support/bench.ts';
import { modelApi } from './support/model-api.ts';
import type { Run } from './support/process.ts';

const ID = 'opencode';
const FILE = 'opencode.json';
const USER = '.config/opencode/opencode.jsonc';
const OTHER = 'http://127.0.0.1:9/mcp';
/** What the tool itself makes in a repository that has a folder `.opencode`. */
const creates = ['.opencode'];

/** A run that ends while it still installs something leaves a lock, for which the next one would wait a minute. */
function run(one: ClientBench, args: readonly string[], options: ClientRunOptions = {}): Promise<Run> {
  rmSync(join(one.home, '.local/state/opencode/locks'), { recursive: true, force: true });
  return one.client(args, options);
}
const list = async (one: ClientBench): Promise<string> => (await run(one, ['mcp', 'list'])).text;
const isConnected = /✓ vera +connected/u;

async function config(
  one: ClientBench,
): Promise<{ mcp: Record<string, { url?: string; enabled?: boolean }> }> {
  return JSON.parse((await run(one, ['debug', 'config'])).stdout);
}

/** `opencode run` against the stand-in; nobody is there to be asked. */
async function session(one: ClientBench, url: string): Promise<string> {
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${url}/v1`, apiKey: 'stand-in' },
    models: { stub: { tool_call: true } },
  };
  const own = JSON.stringify({
    provider: { stand: provider },
    model: 'stand/stub',
    small_model: 'stand/stub',
  });
  return (await run(one, ['run', 'Hello.'], { env: { OPENCODE_CONFIG_CONTENT: own } })).text;
}

describe(ID, () => {
  it('listed', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    expect((await config(one)).mcp).toMatchObject({ vera: { url: one.server.mcpUrl, enabled: true } });
  });

  it('connected', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    expect(await list(one)).toMatch(isConnected);
    expect(one.server.seen.length).toBeGreaterThan(0);
    // It asks nothing, and doctor says that it does not.
    expect((await one.doctor()).inTool).toBe('written');
    expect((await one.doctor()).status('host/servers')).toBe('pass');
  });

  it('stdio server connected', async () => {
    const one = await clientBench(ID, { creates });
    await one.addLocal();
    expect(await list(one)).toMatch(/✓ local +connected/u);
    expect((await one.doctor('add:local')).inTool).toBe('written');
  });

  it('disabled in its entry', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    one.write(FILE, one.read(FILE).replace('"enabled": true', '"enabled": false'));
    expect(await list(one)).toMatch(/○ vera +disabled/u);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('disabled');
    expect(doctor.codes).toContain('host/disabled');
  });

  it('shadowed by another file', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    const entry = { type: 'remote', url: OTHER, enabled: true };
    one.write(
      '.opencode/opencode.json',
      json({ $schema: 'https://opencode.ai/config.json', mcp: { vera: entry } }),
    );
    expect((await config(one)).mcp['vera']?.url).toBe(OTHER);
    await expectOtherCounts(one, '.opencode/opencode.json');
  });

  it('switched off in another file', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    one.write(
      'opencode.jsonc',
      json({ $schema: 'https://opencode.ai/config.json', mcp: { vera: { enabled: false } } }),
    );
    expect(await list(one)).toMatch(/○ vera +disabled/u);
    await expectOtherCounts(one, 'opencode.jsonc');
  });

  it('same name in a weaker scope', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    one.writeHome(USER, json({ mcp: { vera: { type: 'remote', url: OTHER, enabled: false } } }));
    expect(await list(one)).toMatch(isConnected);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('written');
    expect(doctor.findings).not.toContainEqual(
      expect.objectContaining({ code: 'host/shadowed', severity: 'error' }),
    );
  });

  it('hook context', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).toContain('vera-bootstrap-reminder');
    expect(api.prompts.join()).toContain('git.example/house/shop');
  });

  it('skill', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    const { stdout } = await run(one, ['debug', 'skill']);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'vera-memory' }));
  });

  it('ask rule', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup('--without', 'hooks');
    const reads = await modelApi({ name: 'vera_knowledge_search', args: { query: 'x' } });
    expect(await session(one, reads.url)).not.toContain('rejected permission');
    expect(reads.answered).not.toEqual([]);
    const writes = await modelApi({ name: 'vera_knowledge_retract_proposal', args: { proposal_id: 'p' } });
    expect(await session(one, writes.url)).toMatch(/permission requested|rejected permission/u);
    expect(writes.prompts.join()).toContain('vera_knowledge_retract_proposal');
  });

  it('comment in the file', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    one.write(FILE, `// mine\n${one.read(FILE)}`);
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).blames(ID)).not.toContain('config/not-read');
  });

  it('trailing comma in the file', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    one.write(FILE, one.read(FILE).replace(/\n\}\s*$/u, ',\n}\n'));
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).blames(ID)).not.toContain('config/not-read');
  });

  it('byte-order mark in the file', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    one.write(FILE, `\uFEFF${one.read(FILE)}`);
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).blames(ID)).not.toContain('config/not-read');
  });

  it('malformed file', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    one.write(FILE, one.read(FILE).slice(0, -20));
    expect((await run(one, ['mcp', 'list'])).code).toBe(1);
    expect((await one.doctor()).status('config/readable')).toBe('fail');
  });

  it('entry without a type', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    one.write(
      FILE,
      one.read(FILE).replace('"mcp": {', '"mcp": {\n    "mine": { "url": "http://127.0.0.1:9/mcp" },'),
    );
    expect((await run(one, ['mcp', 'list'])).code).toBe(1);
    const doctor = await one.doctor();
    expect(doctor.codes).toContain('config/bad-entry');
    expect(doctor.status('config/loaded')).toBe('fail');
  });

  it('variable that is not set', async () => {
    const one = await clientBench(ID, { creates });
    await one.addWithToken('docs', 'DOCS_TOKEN');
    // It sends an empty token: this server asks for none, so the tool says nothing.
    expect(await list(one)).toMatch(/docs/u);
    expect((await one.doctor('add:docs')).status('host/variables')).toBe('warn');
  });

  it('file left as it was', async () => {
    const one = await clientBench(ID, { creates });
    await one.setup();
    const before = one.read(FILE);
    await list(one);
    expect(one.read(FILE)).toBe(before);
    expect((await one.tenon(['status'])).document.data.state).toBe('ok');
  });

  it('clean after uninstall', async () => {
    const one = await clientBench(ID, {
      creates,
      files: {
        [FILE]: `{\n  "$schema": "https://opencode.ai/config.json", // ours\n  "mcp": { "house": { "type": "remote", "url": "${OTHER}", "enabled": false, } }\n}`,
      },
    });
    const before = await list(one);
    await one.setup();
    expect(await list(one)).toMatch(isConnected);
    await one.uninstall();
    expect(await list(one)).toBe(before);
    expect(before).toMatch(/house/u);
  });
});

/** Doctor says that an entry of somebody else in a stronger file takes the place of ours. */
async function expectOtherCounts(one: ClientBench, file: string): Promise<void> {
  const doctor = await one.doctor();
  expect(doctor.inTool).toBe('absent');
  expect(doctor.findings).toContainEqual(
    expect.objectContaining({ code: 'ownership/not-ours', severity: 'error', subject: `${file}#/mcp/vera` }),
  );
  expect(doctor.findings).toContainEqual(
    expect.objectContaining({
      code: 'render/defined-twice',
      message: expect.stringContaining(`${file} wins`),
    }),
  );
}
