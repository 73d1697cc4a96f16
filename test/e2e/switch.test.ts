import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { gitRepo, treeHash, writeTree } from '../helpers/repo.ts';

const URL = 'https://docs.example/mcp';
const add = (runtimes: readonly string[]) => [
  'add',
  'docs',
  URL,
  '--offline',
  '--yes',
  ...runtimes.flatMap((id) => ['--runtime', id]),
];

describe('disable and enable', () => {
  // A runtime with `enabled` in its own entry, one with `enabled` in JSON, one with `disabled` that is not there at first.
  const cases: [string, string, RegExp][] = [
    ['codex', '.codex/config.toml', /enabled\s*=\s*false/],
    ['opencode', 'opencode.json', /"enabled": false/],
    ['kiro', '.kiro/settings/mcp.json', /"disabled": true/],
    ['zed', '.zed/settings.json', /"enabled": false/],
  ];
  test.each(cases)(
    '%s: off, survives sync, on again byte for byte, and out without a trace',
    async (id, file, off) => {
      const [cwd, home] = [gitRepo(), makeHome()];
      const empty = treeHash(cwd);
      expect((await runCli(add([id]), { cwd, home })).code).toBe(0);
      const on = treeHash(cwd);

      expect((await runCli(['disable', 'docs'], { cwd, home })).code).toBe(3);
      expect(treeHash(cwd)).toBe(on);
      expect((await runCli(['disable', 'docs', '--yes'], { cwd, home })).code).toBe(0);
      expect(readFileSync(join(cwd, file), 'utf8')).toMatch(off);
      const disabled = treeHash(cwd);
      expect((await runCli(['sync', '--yes'], { cwd, home })).code).toBe(0);
      expect((await runCli(['disable', 'docs', '--yes'], { cwd, home })).code).toBe(0);
      expect(treeHash(cwd)).toBe(disabled);

      expect((await runCli(['enable', 'docs', '--yes'], { cwd, home })).code).toBe(0);
      expect(treeHash(cwd)).toBe(on);
      await runCli(['disable', 'docs', '--yes'], { cwd, home });
      expect((await runCli(['uninstall', '--yes'], { cwd, home })).code).toBe(0);
      expect(treeHash(cwd)).toBe(empty);
    },
  );

  test("the user's own formatting, comments and neighbours stay", async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    writeTree(cwd, {
      'opencode.jsonc': '{\n\t// mine\n\t"mcp": { "own": { "type": "local", "command": ["x"] } },\n}\n',
    });
    const before = treeHash(cwd);
    await runCli(add(['opencode']), { cwd, home });
    expect((await runCli(['disable', 'docs', '--yes'], { cwd, home })).code).toBe(0);
    const text = readFileSync(join(cwd, 'opencode.jsonc'), 'utf8');
    expect(text).toContain('// mine');
    expect(text).toContain('"own": { "type": "local", "command": ["x"] }');
    await runCli(['uninstall', '--yes'], { cwd, home });
    expect(treeHash(cwd)).toBe(before);
  });

  test('a tool without a switch in its file: its own place is named, exit 1, nothing written', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli(add(['claude-code', 'codex']), { cwd, home });
    const before = treeHash(cwd);
    const result = await runJson(['disable', 'docs', '--runtime', 'claude', '--yes'], { cwd, home });
    expect(result.code).toBe(1);
    const [finding] = result.document.findings;
    expect(finding.code).toBe('runtime/no-switch');
    expect(finding.remedy.text).toContain('disabledMcpjsonServers');
    expect(treeHash(cwd)).toBe(before);
    const both = await runJson(['disable', 'docs', '--yes'], { cwd, home });
    expect(both.code).toBe(1);
    expect(both.document.data.switched).toEqual(['.codex/config.toml#/mcp_servers/docs']);
  });

  test('what this host does not own is not switched', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli(add(['codex']), { cwd, home });
    const clone = await runJson(['disable', 'docs', '--yes'], { cwd, home: makeHome() });
    expect(clone.code).toBe(4);
    expect(clone.document.error.code).toBe('ownership/nothing-to-switch');
    expect((await runCli(['disable', 'other', '--yes'], { cwd, home })).code).toBe(4);
  });

  test('an integration and a server of the same name: neither is guessed, each can be named', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    const places = [
      '--set',
      'VERA_API_URL=http://127.0.0.1:1',
      '--set',
      'VERA_MCP_URL=http://127.0.0.1:1/mcp',
    ];
    const setup = ['setup', 'vera', ...places, '--offline', '--yes', '--runtime', 'opencode'];
    const server = ['add', 'vera', URL, '--offline', '--yes', '--runtime', 'codex'];
    expect((await runCli(server, { cwd, home })).code).toBe(0);
    expect((await runCli(setup, { cwd, home })).code).toBe(0);
    const before = treeHash(cwd);
    for (const verb of ['disable', 'enable', 'uninstall']) {
      const { code, document } = await runJson([verb, 'vera', '--yes'], { cwd, home });
      expect([code, document.error.code]).toEqual([4, 'usage/ambiguous-name']);
      expect(document.error.remedy.text).toContain('integration:vera');
      expect(document.error.remedy.text).toContain('add:vera');
    }
    expect(treeHash(cwd)).toBe(before);
    const off = await runJson(['disable', 'integration:vera', '--yes'], { cwd, home });
    expect(off.document.data.switched).toEqual(['opencode.json#/mcp/vera']);
    const other = await runJson(['disable', 'add:vera', '--yes'], { cwd, home });
    expect(other.document.data.switched).toEqual(['.codex/config.toml#/mcp_servers/vera']);
    expect((await runCli(['uninstall', 'integration:vera', '--yes'], { cwd, home })).code).toBe(0);
    const left = await runJson(['status'], { cwd, home });
    expect(Object.keys(left.document.data.runtimes)).toEqual(['codex']);
    expect((await runCli(['uninstall', 'add:vera', '--yes'], { cwd, home })).code).toBe(0);
  });
});
