import { describe, expect, it } from 'vitest';
import { type ClientBench, clientBench, json } from './support/bench.ts';

const ID = 'factory-droid';
const FILE = '.factory/mcp.json';
const OTHER = 'http://127.0.0.1:9/mcp';

const list = async (one: ClientBench): Promise<string> => (await one.client(['mcp', 'list'])).text;
const isConnected = /vera +http +connected +\[project\]/u;

async function setUp(): Promise<ClientBench> {
  const one = await clientBench(ID);
  await one.setup();
  return one;
}

describe(ID, () => {
  it('listed', async () => {
    const one = await setUp();
    expect(await list(one)).toMatch(/vera +http/u);
  });

  it('connected', async () => {
    const one = await setUp();
    expect(await list(one)).toMatch(isConnected);
    expect(one.server.seen.length).toBeGreaterThan(0);
    expect((await one.doctor()).inTool).toBe('written');
  });

  it('stdio server connected', async () => {
    const one = await clientBench(ID);
    await one.addLocal();
    expect(await list(one)).toMatch(/local +stdio +connected/u);
    expect((await one.doctor('add:local')).inTool).toBe('written');
  });

  it('disabled in its entry', async () => {
    const one = await setUp();
    one.write(FILE, one.read(FILE).replace('"type": "http"', '"type": "http", "disabled": true'));
    expect(await list(one)).toMatch(/vera +http +disabled/u);
    expect((await one.doctor()).inTool).toBe('disabled');
  });

  it('same name in a weaker scope', async () => {
    const one = await setUp();
    one.writeHome('.factory/mcp.json', json({ mcpServers: { vera: { type: 'http', url: OTHER } } }));
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).findings.filter(({ code }) => code === 'host/shadowed')).toEqual([]);
  });

  it('comment in the file', async () => {
    const one = await setUp();
    one.write(FILE, `// mine\n${one.read(FILE)}`);
    expect(await list(one)).toMatch(isConnected);
    expect((await one.doctor()).blames(ID)).not.toContain('config/not-read');
  });

  it('trailing comma in the file', async () => {
    const one = await setUp();
    one.write(FILE, one.read(FILE).replace(/\n\}\s*$/u, ',\n}\n'));
    await expectIgnored(one);
  });

  it('byte-order mark in the file', async () => {
    const one = await setUp();
    one.write(FILE, `\uFEFF${one.read(FILE)}`);
    await expectIgnored(one);
  });

  it('clean after uninstall', async () => {
    const one = await clientBench(ID, {
      files: { [FILE]: `{"mcpServers":{"house":{"type":"http","url":"${OTHER}"}}}` },
    });
    const before = await list(one);
    expect(before).toContain('house');
    await one.setup();
    expect(await list(one)).toMatch(isConnected);
    await one.uninstall();
    expect(await list(one)).toBe(before);
  });
});

async function expectIgnored(one: ClientBench): Promise<void> {
  expect(await list(one)).not.toContain('vera');
  const doctor = await one.doctor();
  expect(doctor.blames(ID)).toContain('config/not-read');
  expect(doctor.status('config/loaded')).toBe('fail');
}
