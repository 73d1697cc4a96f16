import { describe, expect, it } from 'vitest';
import { type ClientBench, clientBench } from './support/bench.ts';

const ID = 'auggie';
const FILE = '.augment/settings.json';
const OTHER = 'http://127.0.0.1:9/mcp';

interface Listed {
  readonly name: string;
  readonly url?: string;
  readonly enabled: boolean;
}

/** Its own list: what it read; it does not connect. */
async function list(one: ClientBench): Promise<readonly Listed[]> {
  const { stdout } = await one.client(['mcp', 'list', '--json']);
  return JSON.parse(stdout.slice(stdout.indexOf('{'))).servers;
}

async function setUp(): Promise<ClientBench> {
  const one = await clientBench(ID);
  await one.setup();
  return one;
}

const isThere = async (one: ClientBench): Promise<boolean> =>
  (await one.client(['mcp', 'list', '--json'])).text.includes('"vera"');

describe(ID, () => {
  it('listed', async () => {
    const one = await setUp();
    expect(await list(one)).toContainEqual(
      expect.objectContaining({ name: 'vera', url: one.server.mcpUrl, enabled: true }),
    );
    expect((await one.doctor()).inTool).toBe('written');
  });

  it('stdio server listed', async () => {
    const one = await clientBench(ID);
    await one.addLocal();
    expect(await list(one)).toContainEqual(expect.objectContaining({ name: 'local', enabled: true }));
    expect((await one.doctor('add:local')).inTool).toBe('written');
  });

  it.each([
    ['comment in the file', (text: string) => `// mine\n${text}`],
    ['trailing comma in the file', (text: string) => text.replace(/\n\}\s*$/u, ',\n}\n')],
  ])('%s', async (_, change) => {
    const one = await setUp();
    one.write(FILE, change(one.read(FILE)));
    expect(await isThere(one)).toBe(true);
    expect((await one.doctor()).blames(ID)).not.toContain('config/not-read');
  });

  it('byte-order mark in the file', async () => {
    const one = await setUp();
    one.write(FILE, `\uFEFF${one.read(FILE)}`);
    expect(await isThere(one)).toBe(false);
    const doctor = await one.doctor();
    expect(doctor.blames(ID)).toContain('config/not-read');
    expect(doctor.status('config/loaded')).toBe('fail');
  });

  it('clean after uninstall', async () => {
    const one = await clientBench(ID, {
      files: { [FILE]: `{"mcpServers":{"house":{"type":"http","url":"${OTHER}"}}}` },
    });
    const before = await list(one);
    expect(before.map(({ name }) => name)).toEqual(['house']);
    await one.setup();
    expect((await list(one)).map(({ name }) => name).sort()).toEqual(['house', 'vera']);
    await one.uninstall();
    expect(await list(one)).toEqual(before);
  });
});
