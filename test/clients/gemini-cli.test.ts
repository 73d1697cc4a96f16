import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClientBench, clientBench, hasNamespace, json } from './support/bench.ts';
import { modelApi } from './support/model-api.ts';

const ID = 'gemini-cli';
const FILE = '.gemini/settings.json';
const OTHER = 'http://127.0.0.1:9/mcp';

const list = async (one: ClientBench): Promise<string> => (await one.client(['mcp', 'list'])).text;
const isConnected = /✓ vera: .* - Connected/u;

const folders = (one: ClientBench, record: Record<string, string>): void =>
  one.writeHome('.gemini/trustedFolders.json', json(record));

async function trusted(...more: string[]): Promise<ClientBench> {
  const one = await clientBench(ID);
  await one.setup(...more);
  folders(one, { [one.root]: 'TRUST_FOLDER' });
  return one;
}

async function session(one: ClientBench, url: string): Promise<string> {
  one.writeHome(FILE, json({ security: { auth: { selectedType: 'gemini-api-key' } } }));
  const env = { GEMINI_API_KEY: 'stand-in', GOOGLE_GEMINI_BASE_URL: url };
  // With a model of its own choice it would first ask which one, and wait for an answer of another form.
  return (await one.client(['-m', 'gemini-2.5-flash', '-p', 'Hello.'], { env })).text;
}

describe(ID, () => {
  it('listed', async () => {
    const one = await clientBench(ID);
    await one.setup();
    expect(await list(one)).toContain(`vera: ${one.server.mcpUrl}`);
  });

  it('untrusted folder', async () => {
    const one = await clientBench(ID);
    await one.setup();
    expect(await list(one)).toMatch(/○ vera: .* - Disabled/u);
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    expect(one.server.seen).toEqual([]);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('untrusted');
    expect(doctor.codes).toContain('host/untrusted-project');
    expect(doctor.codes).toContain('host/hook-untrusted');
  });

  it('folder that its user does not trust', async () => {
    const one = await clientBench(ID);
    await one.setup();
    folders(one, { [dirname(one.root)]: 'TRUST_FOLDER', [one.root]: 'DO_NOT_TRUST' });
    expect(await list(one)).toMatch(/○ vera: .* - Disabled/u);
    expect((await one.doctor()).inTool).toBe('untrusted');
  });

  it('folder above is trusted', async () => {
    const one = await clientBench(ID);
    await one.setup();
    folders(one, { [dirname(one.root)]: 'TRUST_FOLDER' });
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('trusted with everything beside it', async () => {
    const one = await clientBench(ID);
    await one.setup();
    folders(one, { [join(dirname(one.root), 'elsewhere')]: 'TRUST_PARENT' });
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('trusted folder', async () => {
    const one = await trusted();
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('trust switched off', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome(FILE, json({ security: { folderTrust: { enabled: false } } }));
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('connected', async () => {
    const one = await trusted();
    expect(await list(one)).toMatch(isConnected);
    expect(one.server.seen.length).toBeGreaterThan(0);
  });

  it('stdio server connected', async () => {
    const one = await clientBench(ID);
    await one.addLocal();
    folders(one, { [one.root]: 'TRUST_FOLDER' });
    expect(await list(one)).toMatch(/✓ local: .* - Connected/u);
    expect((await one.doctor('add:local')).inTool).toBe('approved');
  });

  it('rejected', async () => {
    const one = await trusted();
    one.writeHome(FILE, json({ mcp: { excluded: ['vera'] } }));
    expect(await list(one)).toMatch(/vera: .* - Blocked/u);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('rejected');
    expect(doctor.codes).toContain('host/rejected');
  });

  it('not on the list of allowed ones', async () => {
    const one = await trusted();
    // A server must be on the list of every file that has one.
    one.writeHome(FILE, json({ mcp: { allowed: ['house'] } }));
    one.write(FILE, one.read(FILE).replace('{', '{\n  "mcp": { "allowed": ["vera"] },'));
    expect(await list(one)).toMatch(/vera: .* - Blocked/u);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('denied');
    expect(doctor.codes).toContain('host/denied');
  });

  it.runIf(hasNamespace)('server denied by managed policy', async () => {
    const one = await trusted();
    one.manage({ 'gemini-cli/settings.json': json({ mcp: { allowed: ['house'] } }) });
    expect(await list(one)).toMatch(/vera: .* - Blocked/u);
    expect((await one.doctor()).inTool).toBe('denied');
  });

  it('same name in a weaker scope', async () => {
    const one = await trusted();
    one.writeHome(FILE, json({ mcpServers: { vera: { httpUrl: OTHER } } }));
    expect(await list(one)).toMatch(isConnected);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('approved');
    expect(doctor.findings.filter(({ code }) => code === 'host/shadowed')).toEqual([]);
  });

  it('hook context', async () => {
    const one = await trusted();
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).toContain('vera-bootstrap-reminder');
    expect(api.prompts.join()).toContain('git.example/house/shop');
    expect((await one.doctor()).status('host/hooks')).toBe('pass');
  });

  it('hooks switched off', async () => {
    const one = await trusted();
    one.write(FILE, one.read(FILE).replace('{', '{\n  "hooksConfig": { "enabled": false },'));
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.length).toBeGreaterThan(0);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    expect((await one.doctor()).codes).toContain('host/hooks-off');
  });

  it('skill', async () => {
    const one = await trusted();
    expect((await one.client(['skills', 'list'])).text).toContain('vera-memory');
  });

  it('comment in the file', async () => {
    const one = await trusted();
    one.write(FILE, `// mine\n${one.read(FILE)}`);
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).blames(ID)).not.toContain('config/not-read');
  });

  it('trailing comma in the file', async () => {
    const one = await trusted();
    one.write(FILE, one.read(FILE).replace(/\n\}\s*$/u, ',\n}\n'));
    await expectRefused(one);
  });

  it('byte-order mark in the file', async () => {
    const one = await trusted();
    one.write(FILE, `\uFEFF${one.read(FILE)}`);
    await expectRefused(one);
  });

  it('variable that is not set', async () => {
    const one = await clientBench(ID);
    await one.addWithToken('docs', 'DOCS_TOKEN');
    folders(one, { [one.root]: 'TRUST_FOLDER' });
    expect(await list(one)).toContain('docs');
    expect((await one.doctor('add:docs')).status('host/variables')).toBe('warn');
  });

  it('file left as it was', async () => {
    const one = await trusted();
    const before = one.read(FILE);
    await list(one);
    expect(one.read(FILE)).toBe(before);
  });

  it('clean after uninstall', async () => {
    const one = await clientBench(ID, {
      files: { [FILE]: `{\n\t"mcpServers": { "house": { "httpUrl": "${OTHER}" } } // ours\n}` },
    });
    folders(one, { [one.root]: 'TRUST_FOLDER' });
    const before = await list(one);
    expect(before).toContain('house');
    await one.setup();
    expect(await list(one)).toMatch(isConnected);
    await one.uninstall();
    expect(await list(one)).toBe(before);
  });
});

/** Every command of the tool ends with 52, and doctor says that it refuses the file. */
async function expectRefused(one: ClientBench): Promise<void> {
  expect((await one.client(['mcp', 'list'])).code).toBe(52);
  const doctor = await one.doctor();
  expect(doctor.blames(ID)).toContain('config/not-read');
  expect(doctor.status('config/loaded')).toBe('fail');
}
