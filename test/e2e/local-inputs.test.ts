import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { gitRepo, treeHash, writeTree } from '../helpers/repo.ts';

const SETUP = [
  'setup',
  'vera',
  '--runtime',
  'codex',
  '--set',
  'VERA_API_URL=http://127.0.0.1:8765',
  '--set',
  'VERA_MCP_URL=http://127.0.0.1:8765/mcp',
  '--offline',
  '--yes',
];

describe('setup --local', () => {
  test('the manifest holds no input, the host does; sync, status, a second setup and uninstall work', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    const empty = treeHash(cwd);
    expect((await runCli([...SETUP, '--local'], { cwd, home })).code).toBe(0);
    const manifest = readFileSync(join(cwd, '.tenon/manifest.json'), 'utf8');
    expect(manifest).not.toContain('8765');
    expect(JSON.parse(manifest).integrations.vera.inputs).toBeUndefined();
    const before = treeHash(cwd);
    for (const command of [['sync', '--yes'], ['status'], ['setup', 'vera', '--offline', '--yes']]) {
      expect((await runCli(command, { cwd, home })).code, command.join(' ')).toBe(0);
      expect(treeHash(cwd)).toBe(before);
    }
    expect((await runCli(['uninstall', '--yes'], { cwd, home })).code).toBe(0);
    expect(treeHash(cwd)).toBe(empty);
    expect(existsSync(join(home, '.local/state/tenon/ledger'))).toBe(true);
    expect(await runCli(['status', '--strict'], { cwd, home })).toMatchObject({ code: 1 });
    // Nothing of the inputs is left for the next setup.
    expect((await runCli(['setup', 'vera', '--runtime', 'codex', '--yes'], { cwd, home })).code).toBe(4);
  });

  test('a branch without the manifest does not lose them', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli([...SETUP, '--local'], { cwd, home });
    const path = join(cwd, '.tenon/manifest.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, '{ "schemaVersion": 1 }\n');
    await runCli(['add', 'docs', 'https://docs.example/mcp', '--runtime', 'codex', '--offline', '--yes'], {
      cwd,
      home,
    });
    await runCli(['uninstall', 'docs', '--yes'], { cwd, home });
    writeTree(cwd, { '.tenon/manifest.json': text });
    expect((await runCli(['sync', '--yes'], { cwd, home })).code).toBe(0);
    const status = await runJson(['status'], { cwd, home });
    expect(JSON.stringify(status.document)).not.toContain('input/missing');
  });

  test('on another host the missing input is named, and nothing else stops', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli([...SETUP, '--local'], { cwd, home });
    const other = await runJson(['status'], { cwd, home: makeHome() });
    expect(other.document.findings.map(({ code }: { code: string }) => code)).toContain('input/missing');
    expect((await runCli([...SETUP, '--local', '--scope', 'user'], { cwd, home })).code).toBe(2);
  });

  test('on another host uninstall keeps all of it, names the inputs, and takes it out once they are given', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli([...SETUP, '--local'], { cwd, home: makeHome() });
    const before = treeHash(cwd);
    for (const more of [['--dry-run'], ['--yes']]) {
      const { code, document } = await runJson(['uninstall', 'vera', ...more], { cwd, home });
      expect([code, document.findings.map((one: { code: string }) => one.code)]).toEqual([
        1,
        ['input/missing'],
      ]);
      expect(document.findings[0].message).toMatch(/VERA_API_URL and VERA_MCP_URL.*all of vera was kept/);
      expect(document.findings[0].remedy.command).toMatch(/^tenon setup vera --local --set VERA_API_URL=/);
      expect(treeHash(cwd)).toBe(before);
    }
    const told = await runCli(['uninstall', '--yes'], { cwd, home });
    expect([told.code, told.stdout]).toEqual([1, expect.stringContaining('Nothing was removed')]);
    const adopt = await runCli(['adopt', '--yes'], { cwd, home });
    expect([adopt.code, adopt.stdout]).toEqual([1, expect.stringContaining('Nothing was taken over;')]);

    expect((await runCli([...SETUP, '--local'], { cwd, home })).code).toBe(0);
    expect(treeHash(cwd)).toBe(before);
    expect((await runCli(['adopt', '--yes'], { cwd, home })).code).toBe(0);
    expect((await runCli(['uninstall', 'vera', '--yes'], { cwd, home })).code).toBe(0);
    expect(existsSync(join(cwd, '.tenon'))).toBe(false);
    expect(readFileSync(join(cwd, '.codex/config.toml'), 'utf8')).not.toContain('vera');
  });
});

describe('a manifest that asks for too much is refused with the field', () => {
  const entry = (change: object): string =>
    JSON.stringify(
      {
        schemaVersion: 1,
        integrations: { vera: { version: '1.0.0', runtimes: ['codex'], ...change } },
      },
      null,
      2,
    );
  const cases: [string, string, RegExp][] = [
    ['user scope', entry({ scope: 'user' }), /integrations\.vera/],
    ['a secret input', entry({ inputs: { AWS_SECRET_ACCESS_KEY: 'x' } }), /AWS_SECRET_ACCESS_KEY/],
    ['a token input', entry({ inputs: { VERA_TOKEN: 'x' } }), /VERA_TOKEN/],
    ['an unknown part', entry({ without: ['everything'] }), /without/],
    ['a file of its own', entry({ files: ['.git/hooks/pre-commit'] }), /files|integrations\.vera/],
    [
      'a server without a launch',
      JSON.stringify({ schemaVersion: 1, servers: { x: { runtimes: [] } } }),
      /servers\.x/,
    ],
    ['a server name with a slash', JSON.stringify({ schemaVersion: 1, servers: { 'a/b': {} } }), /servers/],
    [
      'a member named __proto__',
      '{"schemaVersion":1,"integrations":{"__proto__":{}}}',
      /__proto__|integrations/,
    ],
  ];
  test.each(cases)('%s', async (_, text, field) => {
    const cwd = gitRepo({ '.tenon/manifest.json': text });
    const before = treeHash(cwd);
    const { code, document } = await runJson(['sync', '--yes'], { cwd });
    expect(code).toBe(4);
    expect(document.error.code).toBe('manifest/invalid');
    expect(document.error.message).toMatch(field);
    expect(document.error.message).toMatch(/^\.tenon\/manifest\.json:\d+:\d+ /);
    expect(treeHash(cwd)).toBe(before);
  });

  test.each(['../../etc', '/etc/x', './a\u0000b', '../outside', './.git/x', 'C:\\x', '\u001b[2Jx'])(
    'the integration %j is a finding, and nothing is written',
    async (ref) => {
      const cwd = gitRepo({
        '.tenon/manifest.json': JSON.stringify({
          schemaVersion: 1,
          integrations: { [ref]: { version: '1.0.0', runtimes: ['codex'] } },
        }),
      });
      const before = treeHash(cwd);
      const result = await runCli(['sync', '--yes'], { cwd });
      expect(result.code).toBeGreaterThan(0);
      expect(result.stdout + result.stderr).not.toContain('\u001b[2J');
      expect(treeHash(cwd)).toBe(before);
    },
  );
});

describe('a definition that asks for too much is refused', () => {
  const definition = (id: string, path: string): string =>
    JSON.stringify({
      schemaVersion: 1,
      id,
      version: '1.0.0',
      title: 'x',
      summary: 'x',
      artifacts: [{ kind: 'file', name: 'f', path, source: 'f.txt' }],
    });
  test.each([
    ['x', '../outside'],
    ['x', '.git/hooks/pre-commit'],
    ['x', '.envrc'],
    ['x', '.github/workflows/ci.yml'],
    ['x', '/etc/passwd'],
    ['x', '.tenon/manifest.json'],
    ['x', '.bashrc'],
    ['vera', '.codex/hooks/x'],
    ['a/b', '.codex/hooks/x'],
    ['..', '.codex/hooks/x'],
    ['a\u001b', '.codex/hooks/x'],
  ])('id %j with a file at %j', async (id, path) => {
    const cwd = gitRepo();
    writeTree(cwd, { 'tools/x/integration.json': definition(id, path), 'tools/x/f.txt': 'x\n' });
    const before = treeHash(cwd);
    const { code, document } = await runJson(['setup', './tools/x', '--runtime', 'codex', '--yes'], { cwd });
    expect(code).toBe(4);
    expect(document.error.code).toBe('integration/invalid');
    expect(document.error.message).toMatch(/^tools\/x\/integration\.json:\d+:\d+/);
    expect(treeHash(cwd)).toBe(before);
  });
});
