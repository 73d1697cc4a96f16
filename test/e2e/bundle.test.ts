import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { gitRepo } from '../helpers/repo.ts';

describe('tenon doctor --bundle', () => {
  it('saves one file with versions and findings, and without anything private', async () => {
    const secret = `sk-${'a1b2c3d4e5f6a7b8'}`;
    const servers = {
      a: { command: 'npx', args: ['-y', 'x', '--token', secret], env: { API_TOKEN: secret } },
      b: {
        type: 'http',
        url: `https://mia:${secret}@mcp.internal.example/x?key=${secret}`,
        headers: { Authorization: `Bearer ${secret}` },
      },
    };
    const repo = gitRepo({
      '.mcp.json': JSON.stringify({ mcpServers: servers }),
      '.cursor/mcp.json': `{ "x": "${secret}"`,
    });
    const home = makeHome();
    const options = { home, cwd: repo, env: { USER: 'mia-lange' } };
    expect((await runCli(['setup', 'tenon', '--runtime', 'claude-code', '--yes'], options)).code).toBe(0);
    const { document } = await runJson(['doctor', '--offline', '--bundle', 'support.json'], options);
    expect(document.data.checks.length).toBeGreaterThan(5);
    const file = join(repo, 'support.json');
    const text = readFileSync(file, 'utf8');
    for (const word of [secret, home, repo, 'mcp.internal.example', 'mia-lange', hostname()]) {
      if (word.length > 3) expect(text).not.toContain(word);
    }
    const bundle = JSON.parse(text);
    expect(bundle).toMatchObject({
      schema: 'tenon/bundle/v1',
      tenon: '0.1.0',
      journal: 'nothing pending',
      setUp: [{ integration: 'tenon', runtimes: ['claude-code'] }],
      applied: [{ command: 'setup', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }],
    });
    expect(bundle.specs['codex']).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(bundle.findings.length).toBeGreaterThan(0);
    expect(bundle.findings).toHaveLength(document.findings.length);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('never overwrites a file', async () => {
    const repo = gitRepo({ 'support.json': 'mine' });
    const { document } = await runJson(['doctor', '--offline', '--bundle', 'support.json'], { cwd: repo });
    expect(document).toMatchObject({ exitCode: 4, error: { code: 'file/exists' } });
    expect(readFileSync(join(repo, 'support.json'), 'utf8')).toBe('mine');
  });
});
