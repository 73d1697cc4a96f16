import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cleanEnv } from '../helpers/clean-env.ts';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { gitRepo, treeHash } from '../helpers/repo.ts';

const RUNTIMES = ['claude-code', 'codex', 'opencode'].flatMap((id) => ['--runtime', id]);
const inputs = (port: number): string[] => [
  '--set',
  `VERA_API_URL=http://127.0.0.1:${port}`,
  '--set',
  `VERA_MCP_URL=http://127.0.0.1:${port}/mcp`,
];
const MAIN = ['setup', 'vera', ...RUNTIMES, ...inputs(8765), '--offline', '--yes'];
const STAGING = [
  'setup',
  'vera',
  '--name',
  'vera-staging',
  ...RUNTIMES,
  ...inputs(8766),
  '--offline',
  '--yes',
];

interface Here {
  readonly cwd: string;
  readonly home: string;
}

const place = (): Here => ({
  cwd: gitRepo({
    '.mcp.json': '{\n\t"mcpServers": {\n\t\t"index": { "command": "node" }\n\t}\n}',
    '.claude/settings.json': '{ "hooks": { "PreToolUse": [] } }\n',
    '.codex/config.toml': '# mine\nmodel = "x"\n',
  }),
  home: makeHome(),
});

async function ok(words: readonly string[], here: Here): Promise<void> {
  const { code, stdout, stderr } = await runCli(words, here);
  expect({ words, code, said: code === 0 ? '' : stdout + stderr }).toEqual({ words, code: 0, said: '' });
}

describe('two instances of one integration', () => {
  test.each([
    ['the first, then the second', [MAIN, STAGING]],
    ['the second, then the first', [STAGING, MAIN]],
  ])('are set up side by side and go in either order: %s', async (_title, setups) => {
    const here = place();
    const empty = treeHash(here.cwd);
    await ok(setups[0] as string[], here);
    const one = treeHash(here.cwd);
    await ok(setups[1] as string[], here);
    const both = treeHash(here.cwd);
    const manifest = JSON.parse(readFileSync(join(here.cwd, '.tenon/manifest.json'), 'utf8'));
    expect(manifest.integrations['vera-staging'].integration).toBe('vera');
    expect(manifest.integrations.vera.integration).toBeUndefined();
    const servers = JSON.parse(readFileSync(join(here.cwd, '.mcp.json'), 'utf8')).mcpServers;
    expect(servers['vera-staging'].url).toBe('http://127.0.0.1:8766/mcp');
    expect(servers.vera.url).toBe('http://127.0.0.1:8765/mcp');
    const hooks = JSON.parse(readFileSync(join(here.cwd, '.claude/settings.json'), 'utf8')).hooks;
    expect(hooks.SessionStart).toHaveLength(1);
    expect(hooks.PreToolUse).toHaveLength(2);
    for (const again of [MAIN, STAGING, ['sync', '--yes'], ['sync', '--check'], ['status', '--strict']]) {
      await ok(again, here);
      expect(treeHash(here.cwd)).toBe(both);
    }
    const { document } = await runJson(['doctor', '--offline'], here);
    expect(document).toMatchObject({ data: { state: 'ok' } });
    const first = setups[0] === MAIN ? 'vera' : 'vera-staging';
    const second = first === 'vera' ? 'vera-staging' : 'vera';
    await ok(['uninstall', second, '--yes'], here);
    expect(treeHash(here.cwd)).toBe(one);
    await ok(['status', '--strict'], here);
    await ok(setups[1] as string[], here);
    expect(treeHash(here.cwd)).toBe(both);
    await ok(['uninstall', first, '--yes'], here);
    await ok(['status', '--strict'], here);
    await ok(['uninstall', second, '--yes'], here);
    expect(treeHash(here.cwd)).toBe(empty);
  });

  test('uninstall without a name takes both', async () => {
    const here = place();
    const empty = treeHash(here.cwd);
    await ok(MAIN, here);
    await ok(STAGING, here);
    await ok(['uninstall', '--yes'], here);
    expect(treeHash(here.cwd)).toBe(empty);
  });
});

describe('an instance that is set up', () => {
  let here: Here;
  beforeAll(async () => {
    here = place();
    await ok(MAIN, here);
    await ok(STAGING, here);
  });

  test('has a hook that asks for its own tools only', () => {
    const { hooks } = JSON.parse(readFileSync(join(here.cwd, '.claude/settings.json'), 'utf8'));
    const commands = hooks.PreToolUse.map(
      (group: { hooks: { command: string }[] }) => group.hooks[0]?.command,
    );
    const answers = commands.map((command: string) =>
      ['vera', 'vera-staging', 'other'].map((server) => {
        const event = JSON.stringify({ cwd: here.cwd, tool_name: `mcp__${server}__knowledge_propose` });
        const env = { ...cleanEnv(here.home), CLAUDE_PROJECT_DIR: here.cwd };
        const said = execFileSync('/bin/sh', ['-c', command], { input: event, env, encoding: 'utf8' });
        return said.includes('"permissionDecision":"ask"');
      }),
    );
    expect(answers).toEqual([
      [true, false, false],
      [false, true, false],
    ]);
  });

  test('is known by its name to setup, plan and status', async () => {
    const both = treeHash(here.cwd);
    await ok(['setup', 'vera-staging', '--offline', '--yes'], here);
    await ok(['plan', 'vera-staging'], here);
    expect(treeHash(here.cwd)).toBe(both);
    const { document } = await runJson(['status'], here);
    expect(document).toMatchObject({
      data: { integrations: [{ integration: 'vera' }, { integration: 'vera-staging', of: 'vera' }] },
    });
  });

  test('plan --out and apply keep the name', async () => {
    const other = place();
    const [, ...words] = STAGING.filter((word) => word !== '--yes');
    await ok(['plan', ...words, '--out', 'staging.plan'], other);
    await ok(['apply', 'staging.plan', '--offline', '--yes'], other);
    const manifest = JSON.parse(readFileSync(join(other.cwd, '.tenon/manifest.json'), 'utf8'));
    expect(Object.keys(manifest.integrations)).toEqual(['vera-staging']);
  });

  test('what both share is not changed for one of them', async () => {
    const both = treeHash(here.cwd);
    const { code, document } = await runJson(
      ['setup', 'vera-staging', '--set', 'SAVE_MODE=off', '--offline', '--yes'],
      here,
    );
    expect(code).toBe(4);
    expect(JSON.stringify(document)).toContain('ownership/overlap');
    expect(treeHash(here.cwd)).toBe(both);
  });

  test.each([
    ['the id of a bundled integration', ['vera', '--name', 'veritas'], 4, 'integration/invalid'],
    [
      'the name of an instance of another',
      ['veritas', '--name', 'vera-staging'],
      2,
      'usage/conflicting-flags',
    ],
    ['no name', ['vera', '--name', '../x'], 2, 'usage/bad-value'],
    ['a name for two', ['vera', 'veritas', '--name', 'x'], 2, 'usage/conflicting-flags'],
  ])('%s is refused', async (_title, words, exit, error) => {
    const both = treeHash(here.cwd);
    const { code, document } = await runJson(['setup', ...words, ...RUNTIMES, '--offline', '--yes'], here);
    expect({ code, error: (document as { error?: { code: string } }).error?.code }).toEqual({
      code: exit,
      error,
    });
    expect(treeHash(here.cwd)).toBe(both);
  });
});
