import { describe, expect, it } from 'vitest';
import { bench, expectCode, setupVera, VERA_URL } from '../helpers/bench.ts';

const FILE = '.mcp.json';
const SERVERS = `${FILE}#/mcpServers`;
const EDITED = 'http://127.0.0.1:1/mcp';

/** Two servers of ours whose names begin alike, both edited by hand. */
async function edited() {
  const repo = bench();
  const words = setupVera(['claude-code'], '--without', 'hooks,skills,permissions');
  await repo.prepare(words, [
    ...words,
    '--name',
    'vera-staging',
    '--set',
    'VERA_MCP_URL=http://127.0.0.1:9/mcp',
  ]);
  const servers = JSON.parse(repo.text(FILE)).mcpServers;
  for (const server of Object.values<{ url: string }>(servers)) server.url = EDITED;
  repo.write(FILE, JSON.stringify({ mcpServers: servers }));
  return repo;
}

const urls = (repo: { text(file: string): string }) =>
  Object.fromEntries(
    Object.entries<{ url: string }>(JSON.parse(repo.text(FILE)).mcpServers).map(([name, { url }]) => [
      name,
      url,
    ]),
  );

describe('an address that is typed', () => {
  it('is about that entry alone, and not about another one whose name begins so', async () => {
    const repo = await edited();
    expectCode(await repo.run(['sync', '--force', `${SERVERS}/vera`, '--yes']), 1);
    expect(urls(repo)).toEqual({ vera: VERA_URL, 'vera-staging': EDITED });
  });

  it('may be the beginning of one address, and of no more', async () => {
    const repo = await edited();
    const before = repo.stamps();
    for (const args of [['sync', '--yes'], ['plan']]) {
      const several = await repo.json([...args, '--force', `${SERVERS}/ver`]);
      expectCode(several, 2);
      expect(several.document.error.code).toBe('usage/ambiguous-address');
      const none = await repo.json([...args, '--force', 'nowhere']);
      expectCode(none, 2);
      expect(none.document.error.code).toBe('usage/unknown-address');
    }
    expect(repo.stamps()).toEqual(before);
    expectCode(await repo.run(['sync', '--force', `${SERVERS}/vera-s`, '--yes']), 1);
    expect(urls(repo)).toEqual({ vera: EDITED, 'vera-staging': 'http://127.0.0.1:9/mcp' });
  });

  it('may be a file or a container, for everything in it', async () => {
    const repo = await edited();
    expectCode(await repo.run(['sync', '--force', SERVERS, '--yes']), 0);
    expect(urls(repo)).toEqual({ vera: VERA_URL, 'vera-staging': 'http://127.0.0.1:9/mcp' });
  });

  it('decides a conflict of that entry alone', async () => {
    const other = 'https://other.example/mcp';
    const repo = bench({ [FILE]: JSON.stringify({ mcpServers: { docs: { url: other } } }) });
    const refused = await repo.json([
      'add',
      'docs',
      VERA_URL,
      '--runtime',
      'claude-code',
      '--offline',
      '--yes',
      '--resolve',
      `${SERVERS}/doc=replace`,
    ]);
    expectCode(refused, 0);
    expect(urls(repo)).toEqual({ docs: VERA_URL });
  });
});
