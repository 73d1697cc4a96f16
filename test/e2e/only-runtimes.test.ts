import { describe, expect, it } from 'vitest';
import { bench, expectCode, setupVera } from '../helpers/bench.ts';
import { treeOf } from '../helpers/repo.ts';

// `--runtime` on commands that look at, or take out, what several coding tools share.

const FILES = {
  '.mcp.json': '{ "mcpServers": { "stock": { "command": "stock-mcp" } } }\n',
  '.codex/config.toml': '# ours\nmodel = "m" # pinned\n',
  'opencode.jsonc': '{\n  // the team\n  "mcp": {},\n}\n',
};
const ALL = ['claude-code', 'codex', 'opencode'] as const;

async function prepared() {
  const repo = bench(FILES);
  const before = treeOf(repo.root);
  expectCode(await repo.run(setupVera(ALL)), 0);
  return { repo, before };
}

describe('--runtime', () => {
  it('takes an integration out of the named coding tools alone, and the rest later, without a trace', async () => {
    const { repo, before } = await prepared();
    const taken = await repo.run(['uninstall', 'vera', '--runtime', 'codex', '--yes']);
    expectCode(taken, 0);
    expect(treeOf(repo.root)['.codex/config.toml']).toEqual(before['.codex/config.toml']);
    const { document } = await repo.json(['status']);
    expect(document.data.integrations[0].runtimes).toEqual(['claude-code', 'opencode']);
    expect(Object.keys(document.data.runtimes).sort()).toEqual(['claude-code', 'opencode']);
    expect(document.data.runtimes.opencode.scopes.project.managed).toContain('opencode.jsonc#/mcp/vera');
    expectCode(await repo.run(['sync', '--check']), 0);
    const none = await repo.run(['uninstall', 'vera', '--runtime', 'codex', '--yes']);
    expect([none.code, none.stdout]).toEqual([0, 'Nothing to remove: vera is not set up here for codex.\n']);
    expectCode(await repo.run(['uninstall', 'vera', '--runtime', 'opencode', '--yes']), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--runtime', 'claude-code', '--yes']), 0);
    expect(treeOf(repo.root)).toEqual(before);
  });

  it('shows the status of the named coding tools alone', async () => {
    const { repo } = await prepared();
    repo.write('.mcp.json', repo.text('.mcp.json').replace('/mcp"', '/other"'));
    const all = await repo.json(['status']);
    expect([all.code, all.document.data.state]).toEqual([1, 'attention']);
    const codex = await repo.json(['status', '--runtime', 'codex']);
    expect([codex.code, codex.document.data.state]).toEqual([0, 'ok']);
    expect(Object.keys(codex.document.data.runtimes)).toEqual(['codex']);
    expect(JSON.stringify(codex.document.findings)).not.toContain('ownership/drifted');
    const claude = await repo.run(['status', '--runtime', 'claude-code']);
    expect(claude.code).toBe(1);
    expect(claude.stdout).toContain('ownership/drifted');
    const cursor = await repo.run(['status', '--runtime', 'cursor']);
    expect(cursor.stdout).toContain('Nothing is set up here for cursor.');
    expect((await repo.run(['status', '--runtime', 'codx'])).code).toBe(2);
  });
});

describe('a coding tool that would get nothing', () => {
  const ADD = ['add', 'docs', 'https://docs.example/mcp', '--offline', '--yes'];

  it('is refused, and nothing is written for the others', async () => {
    const repo = bench(FILES);
    const before = treeOf(repo.root);
    const run = await repo.json([...ADD, '--runtime', 'claude-code', '--runtime', 'junie']);
    expectCode(run, 4);
    expect(run.document.error).toMatchObject({ code: 'runtime/unsupported', state: 'nothing-written' });
    expect(run.document.error.message).toContain('left out for junie: it starts no http servers');
    expect(treeOf(repo.root)).toEqual(before);
    // What it can take, it gets.
    const words = ['add', 'docs', '--runtime', 'junie', '--offline', '--yes'];
    expectCode(await repo.run([...words, '--scope', 'project', '--', 'docs-mcp']), 3);
  });

  it('is not told to be set up where what stands there was kept', async () => {
    const repo = bench({ '.mcp.json': '{ "mcpServers": { "docs": { "command": "mine" } } }\n' });
    const keep = ['--resolve', '.mcp.json#/mcpServers/docs=keep'];
    const words = [...ADD, '--runtime', 'claude-code', '--runtime', 'codex', ...keep];
    const run = await repo.json(words);
    expectCode(run, 0);
    expect(Object.keys(run.document.data.completed)).toEqual(['codex']);
    const again = bench({ '.mcp.json': '{ "mcpServers": { "docs": { "command": "mine" } } }\n' });
    const text = await again.run([...ADD, '--runtime', 'claude-code', ...keep]);
    expectCode(text, 0);
    expect(text.stdout).toContain('docs is not set up for claude-code: what stands there was kept');
    expect(text.stdout).not.toContain('setup completed');
    expect(text.stdout).not.toContain('approve the new server');
  });
});
