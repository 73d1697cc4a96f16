import { describe, expect, it } from 'vitest';
import { addVera, bench, expectCode, setupVera } from '../helpers/bench.ts';
import { writeTree } from '../helpers/repo.ts';

interface Finding {
  code: string;
  severity: string;
  subject: string;
  message: string;
}
const leftIn = (run: { document: { findings: Finding[] } }): Finding[] =>
  run.document.findings.filter(({ code }) => code === 'uninstall/leftover');

describe('what uninstall leaves because it is not of tenon', () => {
  it('approvals by name, a login of the client, and files that the client made are named and stay', async () => {
    const repo = bench({
      '.claude/settings.local.json': '{ "enabledMcpjsonServers": ["vera", "other"] }\n',
    });
    expectCode(await repo.run(setupVera(['claude-code', 'opencode'])), 0);
    writeTree(repo.root, { '.opencode/package.json': '{}\n', '.opencode/node_modules/x/index.js': '\n' });
    const run = await repo.json(['uninstall', 'vera', '--yes']);
    expectCode(run, 0);
    const left = leftIn(run);
    expect(left.every(({ severity }) => severity === 'info')).toBe(true);
    expect(left.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([
        '.claude/settings.local.json#/enabledMcpjsonServers',
        '.opencode/package.json',
        'claude-code',
        'opencode',
      ]),
    );
    expect(repo.text('.claude/settings.local.json')).toContain('"vera"');
    expect(repo.exists('.opencode/package.json')).toBe(true);
    expect(repo.exists('.opencode/plugins')).toBe(false);
  });

  it('is not said of another server, nor where nothing was taken out', async () => {
    const repo = bench({ '.claude/settings.local.json': '{ "enabledMcpjsonServers": ["other"] }\n' });
    expect(leftIn(await repo.json(['uninstall', 'vera', '--yes']))).toEqual([]);
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    const run = await repo.json(['uninstall', 'vera', '--yes']);
    expect(leftIn(run).map(({ subject }) => subject)).toEqual(['claude-code']);
  });
});
