import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { git, gitRepo, scratch, stampsOf, treeHash } from '../helpers/repo.ts';

const SETUP = [
  'setup',
  'vera',
  ...['claude-code', 'codex', 'opencode'].flatMap((id) => ['--runtime', id]),
  '--set',
  'VERA_API_URL=http://127.0.0.1:8765',
  '--set',
  'VERA_MCP_URL=http://127.0.0.1:8765/mcp',
  '--offline',
  '--yes',
];

/** What the repository held before: every file with content of its own, as its tools write it. */
const BASE = {
  '.mcp.json': '{\n  "mcpServers": {\n    "own": {\n      "command": "x"\n    }\n  }\n}\n',
  '.claude/settings.json':
    '{\n  "hooks": {\n    "SessionStart": [\n      {\n        "hooks": [\n          { "type": "command", "command": "mine" }\n        ]\n      }\n    ],\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n        "hooks": [\n          { "type": "command", "command": "mine" }\n        ]\n      }\n    ]\n  },\n  "permissions": {\n    "ask": [\n      "Bash(rm:*)"\n    ]\n  }\n}\n',
  '.codex/config.toml': '# ours\nmodel = "m"\n\n[mcp_servers.own]\ncommand = "x"\n',
  'opencode.json':
    '{\n  "mcp": {\n    "own": {\n      "type": "local",\n      "command": ["x"]\n    }\n  },\n  "permission": {\n    "bash": "ask"\n  }\n}\n',
};

async function clone(): Promise<{ cwd: string; base: string; origin: string }> {
  const origin = gitRepo(BASE);
  const base = git(origin, ['rev-parse', 'HEAD']).trim();
  expect((await runCli(SETUP, { cwd: origin, home: makeHome() })).code).toBe(0);
  git(origin, ['add', '-A']);
  git(origin, ['commit', '-q', '-m', 'Set up']);
  const cwd = join(scratch(), 'clone');
  git(origin, ['clone', '-q', origin, cwd]);
  return { cwd, base, origin };
}

describe('adopt', () => {
  test('on a clone with --yes: no prompt, no file written, afterwards all is ours and uninstall is exact', async () => {
    const { cwd, base } = await clone();
    const home = makeHome();
    const stamps = stampsOf(cwd);
    const kept = await runJson(['uninstall', 'vera', '--dry-run'], { cwd, home });
    expect(kept.document.findings.map(({ code }: { code: string }) => code)).toContain('ownership/unproven');

    const adopted = await runJson(['adopt', '--yes'], { cwd, home });
    expect(adopted.code).toBe(0);
    expect(adopted.document.data.adopted.length).toBeGreaterThan(20);
    expect(adopted.document.data.changed.files).toEqual([]);
    expect(stampsOf(cwd)).toEqual(stamps);

    const status = await runJson(['status'], { cwd, home });
    expect(status.code).toBe(0);
    const scope = status.document.data.runtimes['claude-code'].scopes.project;
    expect(scope.adoptable).toEqual([]);
    expect(scope.managed).toContain('.mcp.json#/mcpServers/vera');
    expect((await runJson(['adopt'], { cwd, home })).document.data.adopted).toEqual([]);
    expect((await runCli(['sync', '--yes'], { cwd, home })).code).toBe(0);
    expect(stampsOf(cwd)).toEqual(stamps);

    expect((await runCli(['uninstall', 'vera', '--yes'], { cwd, home })).code).toBe(0);
    expect(existsSync(join(cwd, '.tenon'))).toBe(false);
    expect(existsSync(join(cwd, '.claude/hooks/vera-hook.cjs'))).toBe(false);
    for (const [path, text] of Object.entries(BASE)) {
      expect(readFileSync(join(cwd, path), 'utf8'), path).toBe(text);
    }
    // What is left is only what nobody knows to be ours: a file that held nothing else.
    const left = git(cwd, ['diff', '--name-only', base]).trim();
    expect(left).toBe('.codex/hooks.json');
  });

  test('one address, a container, and what cannot be taken', async () => {
    const { cwd } = await clone();
    const home = makeHome();
    const one = await runJson(['adopt', '.mcp.json#/mcpServers/vera'], { cwd, home });
    expect(one.document.data.adopted).toEqual(['.mcp.json#/mcpServers/vera']);
    const rules = await runJson(['adopt', '.claude/settings.json#/permissions'], { cwd, home });
    expect(rules.document.data.adopted).toHaveLength(7);
    const unknown = await runJson(['adopt', '.mcp.json#/mcpServers/own'], { cwd, home });
    expect(unknown.code).toBe(2);
    expect(unknown.document.error.code).toBe('usage/unknown-address');
    const ambiguous = await runJson(['adopt', 'opencode.json#/permission/vera_'], { cwd, home });
    expect(ambiguous.document.error.code).toBe('usage/ambiguous-address');
    const codex = join(cwd, '.codex/config.toml');
    writeFileSync(codex, readFileSync(codex, 'utf8').replace(':8765/mcp', ':1/mcp'));
    const edited = await runJson(['adopt', '.codex/config.toml#/mcp_servers/vera'], { cwd, home });
    expect(edited.code).toBe(4);
    expect(edited.document.error.code).toBe('ownership/not-adoptable');
  });

  test('a switch that a teammate flipped does not keep an entry from being taken and taken out', async () => {
    const { cwd } = await clone();
    const home = makeHome();
    const file = join(cwd, 'opencode.json');
    const flipped = readFileSync(file, 'utf8').replace('"enabled": true', '"enabled": false');
    writeFileSync(file, flipped);
    expect((await runCli(['adopt', '--yes'], { cwd, home })).code).toBe(0);
    expect((await runCli(['sync', '--yes'], { cwd, home })).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(flipped);
    expect((await runCli(['uninstall', 'vera', '--yes'], { cwd, home })).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(BASE['opencode.json']);
  });

  test('an external entry is never taken, named or not: it was there before, and an uninstall leaves it', async () => {
    const own =
      '{\n  "mcpServers": {\n    "docs": {\n      "type": "http",\n      "url": "https://docs.example/mcp"\n    }\n  }\n}\n';
    const cwd = gitRepo({ '.mcp.json': own });
    const home = makeHome();
    const add = ['add', 'docs', 'https://docs.example/mcp', '--runtime', 'claude-code', '--offline', '--yes'];
    expect((await runCli(add, { cwd, home })).code).toBe(0);
    const manifest = join(cwd, '.tenon/manifest.json');
    const address = '.mcp.json#/mcpServers/docs';
    expect(JSON.parse(readFileSync(manifest, 'utf8')).servers.docs.external).toEqual([address]);
    expect((await runJson(['adopt', '--yes'], { cwd, home })).document.data.adopted).toEqual([]);
    const stamps = stampsOf(cwd);
    const refused = await runJson(['adopt', address, '--yes'], { cwd, home });
    expect(refused.code).toBe(4);
    expect(refused.document.error).toMatchObject({ code: 'ownership/not-adoptable' });
    expect(refused.document.error.message).toContain('before the setup');
    expect(stampsOf(cwd)).toEqual(stamps);
    expect((await runCli(['uninstall', '--yes'], { cwd, home })).code).toBe(0);
    expect(readFileSync(join(cwd, '.mcp.json'), 'utf8')).toBe(own);
    expect(existsSync(join(cwd, '.tenon'))).toBe(false);
  });
});

describe('forget', () => {
  test('drops ownership without writing the file, and sync, --check and uninstall leave it alone', async () => {
    const [cwd, home] = [gitRepo(BASE), makeHome()];
    await runCli(SETUP, { cwd, home });
    const file = join(cwd, '.mcp.json');
    const written = readFileSync(file, 'utf8');
    const address = '.mcp.json#/mcpServers/vera';
    expect((await runCli(['forget', address], { cwd, home })).code).toBe(3);
    const forgot = await runJson(['forget', address, '--yes'], { cwd, home });
    expect(forgot.code).toBe(0);
    expect(forgot.document.data.changed.files.map(({ path }: { path: string }) => path)).toEqual([
      '.tenon/manifest.json',
    ]);
    expect(readFileSync(file, 'utf8')).toBe(written);
    const status = await runJson(['status'], { cwd, home });
    expect(status.document.data.runtimes['claude-code'].scopes.project.excluded).toEqual([address]);

    writeFileSync(file, written.replace(':8765', ':9999'));
    expect((await runCli(['sync', '--check'], { cwd, home })).code).toBe(0);
    expect((await runCli(['sync', '--check'], { cwd, home: makeHome() })).code).toBe(0);
    rmSync(file);
    expect((await runCli(['sync', '--yes'], { cwd, home })).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, written);
    expect((await runCli(['uninstall', 'vera', '--yes'], { cwd, home })).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(written);
    expect(existsSync(join(cwd, '.claude/hooks/vera-hook.cjs'))).toBe(false);
  });

  test('a hook is excluded by what it is, so that a newer definition does not bring it back', async () => {
    const [cwd, home] = [gitRepo(BASE), makeHome()];
    await runCli(SETUP, { cwd, home });
    await runCli(['forget', '.claude/settings.json#/hooks', '--yes'], { cwd, home });
    const manifest = JSON.parse(readFileSync(join(cwd, '.tenon/manifest.json'), 'utf8'));
    expect(manifest.integrations.vera.excluded).toContain(
      '.claude/settings.json#/hooks/SessionStart/@vera/start-reminder',
    );
    const before = treeHash(cwd);
    expect((await runCli(['sync', '--yes'], { cwd, home })).code).toBe(0);
    expect((await runCli(['sync', '--check'], { cwd, home })).code).toBe(0);
    expect(treeHash(cwd)).toBe(before);
  });

  test('an entry that was removed by hand is given up and no longer reported', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli(SETUP, { cwd, home });
    rmSync(join(cwd, '.mcp.json'));
    expect((await runCli(['status'], { cwd, home })).code).toBe(1);
    expect((await runCli(['forget', '.mcp.json', '--yes'], { cwd, home })).code).toBe(0);
    expect((await runCli(['status'], { cwd, home })).code).toBe(0);
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
  });

  test('of an entry that is gone is taken back by --restore, and what stands there stays its owner’s', async () => {
    const [cwd, home] = [gitRepo(BASE), makeHome()];
    const pristine = treeHash(cwd);
    await runCli(SETUP, { cwd, home });
    const done = treeHash(cwd);
    const file = join(cwd, '.mcp.json');
    const address = '.mcp.json#/mcpServers/vera';
    const hook = '.claude/settings.json#/hooks/SessionStart';
    const before = readFileSync(file, 'utf8');
    expect((await runCli(['forget', address, hook, '--yes'], { cwd, home })).code).toBe(0);
    const given = treeHash(cwd);
    expect((await runCli(['sync', '--restore', address, '--yes'], { cwd, home })).code).toBe(0);
    expect(treeHash(cwd)).toBe(given);

    writeFileSync(file, BASE['.mcp.json'] ?? '{}');
    const settings = join(cwd, '.claude/settings.json');
    const { hooks, ...others } = JSON.parse(readFileSync(settings, 'utf8'));
    const { SessionStart: _given, ...more } = hooks;
    writeFileSync(settings, `${JSON.stringify({ ...others, hooks: more }, null, 2)}\n`);
    expect((await runCli(['sync', '--yes'], { cwd, home })).code).toBe(0);
    const restored = await runJson(['sync', '--restore', address, '--restore', hook, '--yes'], { cwd, home });
    expect(restored.code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(before);
    const manifest = JSON.parse(readFileSync(join(cwd, '.tenon/manifest.json'), 'utf8'));
    expect(manifest.integrations.vera.excluded).toBeUndefined();
    expect((await runCli(['sync', '--check'], { cwd, home })).code).toBe(0);
    expect((await runCli(['status'], { cwd, home })).code).toBe(0);
    expect(done).not.toBe(pristine);
  });
});
