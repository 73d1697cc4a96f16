import { beforeAll, describe, expect, test } from 'vitest';
import type { Ledger } from '../../../src/engine/types.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import { emptyLedgerOf, MemoryRepo, ROOT, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const server = { type: 'http', url: 'http://127.0.0.1:8765/mcp' };
const JSONC = '{\n  // team\n  "mcpServers": {\n    "index": { "command": "x" } // keep\n  }\n}';
const TOML = '# mine\nmodel = "o"\n\n[mcp_servers.index] # note\ncommand = "x"';

describe('setup and uninstall of one server', () => {
  test('gives back every byte and leaves no record', () => {
    const before = { '.mcp.json': JSONC, '.codex/config.toml': TOML };
    const repo = new MemoryRepo(before);
    const wishes = [
      want('.mcp.json', ['mcpServers', 'vera'], server),
      want('.codex/config.toml', ['mcp_servers', 'vera'], { url: server.url }),
      want('.cursor/mcp.json', ['mcpServers', 'vera'], { url: server.url }),
    ];
    repo.apply(repo.plan(wishes));
    expect(Object.keys(repo.snapshot())).toEqual(['.codex/config.toml', '.cursor/mcp.json', '.mcp.json']);
    expect(repo.plan(wishes).plan).toMatchObject({ isEmpty: true, files: [] });
    repo.apply(repo.plan([], { command: 'uninstall', uncovered: () => 'remove' }));
    expect(repo.snapshot()).toEqual(before);
    expect(repo.ledgers.root).toEqual(emptyLedgerOf(ROOT));
  });

  test('two integrations in one new file leave nothing, in either order', () => {
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const repo = new MemoryRepo({});
      for (const name of ['a', 'b']) {
        repo.apply(
          repo.plan([
            want('.mcp.json', ['mcpServers', name], server, {
              owner: { integration: name, artifact: 'server', version: '1.0.0' },
            }),
          ]),
        );
      }
      for (const name of order) {
        const mine = (record: Ledger['records'][number]): boolean => record.owners[0]?.integration === name;
        repo.apply(
          repo.plan([], { command: 'uninstall', uncovered: (record) => (mine(record) ? 'remove' : 'leave') }),
        );
      }
      expect(repo.snapshot()).toEqual({});
      expect(repo.ledgers.root).toEqual(emptyLedgerOf(ROOT));
    }
  });

  test('an update keeps what the user added, and uninstall still restores the rest', () => {
    const repo = new MemoryRepo({ '.codex/config.toml': TOML });
    const at = ['mcp_servers', 'vera'];
    repo.apply(repo.plan([want('.codex/config.toml', at, { url: server.url })]));
    const text = repo.snapshot()['.codex/config.toml'] as string;
    repo.files.set('.codex/config.toml', text.replace('8765/mcp"', '8765/mcp"\nenabled = false'));
    repo.apply(repo.plan([want('.codex/config.toml', at, { url: 'http://127.0.0.1:1/mcp' })]));
    expect(repo.snapshot()['.codex/config.toml']).toContain('enabled = false');
    expect(repo.snapshot()['.codex/config.toml']).toContain('127.0.0.1:1/mcp');
    repo.apply(repo.plan([], { command: 'uninstall', uncovered: () => 'remove' }));
    expect(repo.snapshot()).toEqual({ '.codex/config.toml': TOML });
  });

  test('an edited entry is kept and named', () => {
    const repo = new MemoryRepo({ '.mcp.json': JSONC });
    repo.apply(repo.plan([want('.mcp.json', ['mcpServers', 'vera'], server)]));
    const edited = (repo.snapshot()['.mcp.json'] as string).replace('8765', '9999');
    repo.files.set('.mcp.json', edited);
    const result = repo.plan([], { command: 'uninstall', uncovered: () => 'remove' });
    expect(result.plan.files).toEqual([]);
    expect(result.plan.findings).toMatchObject([
      { code: 'ownership/drifted', subject: '.mcp.json#/mcpServers/vera' },
    ]);
  });

  test('the digest depends on content and operations, not on the root', () => {
    const one = new MemoryRepo({ '.mcp.json': JSONC });
    const two = new MemoryRepo({ '.mcp.json': `${JSONC}\n` });
    const wish = [want('.mcp.json', ['mcpServers', 'vera'], server)];
    expect(one.plan(wish).plan.digest).toBe(one.plan(wish).plan.digest);
    expect(one.plan(wish).plan.digest).not.toBe(two.plan(wish).plan.digest);
  });
});

describe('conflicts', () => {
  test('an entry of somebody else is refused with both values', () => {
    const repo = new MemoryRepo({
      '.mcp.json': '{"mcpServers":{"vera":{"type":"http","url":"http://other/mcp"}}}',
    });
    const { plan } = repo.plan([want('.mcp.json', ['mcpServers', 'vera'], server)]);
    expect(plan).toMatchObject({
      isApplicable: false,
      files: [],
      conflicts: [{ code: 'ownership/not-ours', choices: ['keep', 'replace'] }],
    });
  });

  test('a malformed file is one conflict with line and column', () => {
    const repo = new MemoryRepo({ '.mcp.json': '{\n  "mcpServers": {' });
    const { plan } = repo.plan([want('.mcp.json', ['mcpServers', 'vera'], server)]);
    expect(plan.conflicts).toMatchObject([{ code: 'config/malformed', address: '.mcp.json:2:18' }]);
  });
});
