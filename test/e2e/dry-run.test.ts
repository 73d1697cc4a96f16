import { describe, expect, it } from 'vitest';
import { bench, expectCode, setupVera } from '../helpers/bench.ts';

const CONFIG = '.codex/config.toml';
const SERVER = `${CONFIG}#/mcp_servers/vera`;
const WRONG = `sha256:${'0'.repeat(64)}`;

async function enrolled() {
  const repo = bench();
  await repo.prepare(setupVera(['codex']));
  return repo;
}

/** Edited by hand, where the definition now asks for another value of the same leaf. */
async function conflicting() {
  const repo = await enrolled();
  repo.write(CONFIG, repo.text(CONFIG).replace('8765', '8'));
  const manifest = '.tenon/manifest.json';
  repo.write(manifest, repo.text(manifest).replaceAll('8765', '7'));
  return repo;
}

describe('what only shows a plan', () => {
  it('ends with 0 where an edit is kept, says so, and does not call it nothing to do', async () => {
    const repo = await enrolled();
    repo.write(CONFIG, repo.text(CONFIG).replace('8765', '8'));
    for (const args of [['plan'], ['sync', '--dry-run'], ['uninstall', '--dry-run']]) {
      const run = await repo.run(args);
      expectCode(run, 0);
      expect(run.stdout).toContain('ownership/drifted');
      expect(run.stdout).not.toContain('Nothing to do');
    }
    expectCode(await repo.run(['sync', '--yes']), 1);
  });

  it('ends with 4 where something is in conflict, and names it with what can be chosen', async () => {
    const repo = await conflicting();
    const before = repo.stamps();
    for (const args of [['plan'], ['sync', '--dry-run']]) {
      const run = await repo.json(args);
      expectCode(run, 4);
      expect(run.document.data.plan).toMatchObject({
        isApplicable: true,
        conflicts: [{ address: SERVER, code: 'ownership/both-changed', choices: ['keep', 'replace'] }],
      });
    }
    const text = await repo.run(['plan']);
    expectCode(text, 4);
    expect(text.stdout).not.toContain('Nothing to do');
    // The rest is converged, and what was left is a finding.
    const sync = await repo.json(['sync', '--yes']);
    expectCode(sync, 1);
    expect(sync.document.data.plan.conflicts).toHaveLength(1);
    expect(repo.stamps()).toEqual(before);
  });
});

describe('a saved plan that is another one by now', () => {
  it('is refused (6) before its conflicts, and by a dry run too', async () => {
    const repo = bench();
    const [, ...words] = setupVera(['claude-code']).filter((word) => word !== '--yes');
    await repo.prepare(['plan', ...words, '--out', 'saved.plan']);
    repo.write('.mcp.json', '{}');
    for (const flags of [['--dry-run'], ['--yes']])
      expectCode(await repo.run(['apply', 'saved.plan', '--offline', ...flags]), 6);
    repo.write('.mcp.json', '{"mcpServers":{"vera":{"url":"https://other.example/mcp"}}}');
    const refused = await repo.json(['apply', 'saved.plan', '--offline', '--yes']);
    expectCode(refused, 6);
    expect(refused.document.error.code).toBe('plan/stale');
  });
});

describe('of several reasons the first of the contract counts', () => {
  it('a digest of another plan (6) before a conflict (4)', async () => {
    const repo = bench({ '.mcp.json': '{"mcpServers":{"vera":{"url":"https://other.example/mcp"}}}' });
    const args = setupVera(['claude-code']).filter((word) => word !== '--yes');
    const refused = await repo.json([...args, '--approve', WRONG]);
    expectCode(refused, 6);
    expect(refused.document.error.code).toBe('plan/stale');
    expectCode(await repo.run(args), 4);
  });
});
