import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, setupVera } from '../helpers/bench.ts';
import { makeHome, runCli, runJson, runTerminal } from '../helpers/cli.ts';
import { git, gitRepo, scratch, type TreeEntry, treeOf, writeTree } from '../helpers/repo.ts';
import { sandbox } from './endpoint-servers.ts';

// Where a repository says it is, what home and git say of it, and documents in TOML and Markdown that want to break the
// reader: what `hostile.test.ts` and `hostile-more.test.ts` leave.

const SETUP = setupVera(['claude-code', 'codex']);
const LONG = 120_000;

/** A setup at a terminal that is asked for an API key and would write a token into `.mcp.json`. */
async function setupWithToken(cwd: string) {
  const server = await sandbox({ auth: 'remote-authenticated' });
  return runTerminal(
    [
      ...['setup', 'vera', '--runtime', 'claude-code', '--set', 'AUTH=token-file'],
      ...['--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`],
      ...['--set', 'SCOPES=memory:read', '--yes', '--allow', 'user-files'],
    ],
    [{ expect: 'not shown', send: `${server.apiKey}\r` }],
    { cwd, home: makeHome(), mayEndEarly: true },
  );
}

describe('a .git that is a link to the folder of another repository', () => {
  test('leads no byte there, whatever is set up', async () => {
    const [other, cwd, home] = [gitRepo(), scratch(), makeHome()];
    fs.symlinkSync(path.join(other, '.git'), path.join(cwd, '.git'));
    const before = treeOf(other, { git: true });
    for (const args of [SETUP, ['status'], ['doctor', '--offline'], ['uninstall', '--yes']]) {
      const { document, stdout } = await runJson(args, { cwd, home });
      expect(stdout).not.toMatch(/internal\/|run\/system-error/);
      expect(document.exitCode, stdout).toBeLessThan(5);
    }
    expect(treeOf(other, { git: true })).toEqual(before);
  });

  const intoOther = (other: string, name: string) => ({ link: path.join(other, '.git', name) });
  test.each<[string, (other: string, cwd: string) => Record<string, TreeEntry>]>([
    ['a link', (other) => ({ '.git': intoOther(other, '') })],
    [
      'a file, to a folder of its own that points back and shares the git folder of the other',
      (other, cwd) => ({
        '.git': 'gitdir: x\n',
        'x/HEAD': 'ref: refs/heads/main\n',
        'x/commondir': path.join(other, '.git'),
        'x/gitdir': path.join(cwd, '.git'),
      }),
    ],
    [
      'a folder that shares the git folder of the other',
      (other) => ({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/commondir': path.join(other, '.git') }),
    ],
    [
      'a folder with a link for info',
      (other) => ({
        '.git/HEAD': 'ref: refs/heads/main\n',
        '.git/objects': { directory: true },
        '.git/refs': { directory: true },
        '.git/info': intoOther(other, 'info'),
      }),
    ],
    [
      'a folder with a link for info/exclude',
      (other) => ({
        '.git/HEAD': 'ref: refs/heads/main\n',
        '.git/objects': { directory: true },
        '.git/refs': { directory: true },
        '.git/info/exclude': intoOther(other, 'info/exclude'),
      }),
    ],
  ])(
    'gets no line into its info/exclude for a token, where .git is %s',
    async (_, files) => {
      const [other, cwd] = [gitRepo(), scratch()];
      writeTree(cwd, files(other, cwd));
      const before = [treeOf(other, { git: true }), treeOf(cwd)];
      const run = await setupWithToken(cwd);
      expect(run.code, run.screen).toBe(4);
      expect([treeOf(other, { git: true }), treeOf(cwd)]).toEqual(before);
    },
    LONG,
  );
});

describe('a repository that would have git see the file of a token', () => {
  test.each<[string, Record<string, TreeEntry>, readonly string[], string]>([
    [
      'its .gitignore takes the file back',
      { '.gitignore': '*.json\n!/.mcp.json\n' },
      ['core.quotePath', 'true'],
      'line 2 of .gitignore takes it back (!/.mcp.json)',
    ],
    ['git counts paths from another folder', {}, ['core.worktree', '../..'], 'core.worktree'],
  ])(
    'gets none: %s',
    async (_, files, [key = '', value = ''], why) => {
      const cwd = gitRepo(files);
      git(cwd, ['config', key, value]);
      const before = treeOf(cwd, { git: true });
      const run = await setupWithToken(cwd);
      expect(run.code, run.screen).toBe(4);
      expect(run.screen).toContain('credential/not-ignored');
      expect(run.screen.replace(/\s+/g, ' ')).toContain(why);
      expect(treeOf(cwd, { git: true })).toEqual(before);
    },
    LONG,
  );
});

describe('a home folder that is named wrongly', () => {
  test.each([
    ['relative', 'home'],
    ['relative, with steps up', '../home'],
    ['empty', ''],
    ['a file', '{FILE}'],
  ])('%s writes nothing into the repository but what is set up, and nothing elsewhere', async (_, given) => {
    const around = scratch();
    const cwd = path.join(around, 'repo');
    fs.mkdirSync(cwd);
    git(cwd, ['init', '-q']);
    fs.writeFileSync(path.join(around, 'file'), 'x');
    const HOME = given.replace('{FILE}', path.join(around, 'file'));
    const env = {
      ...{ HOME, USERPROFILE: HOME, TENON_STATE_DIR: '', GIT_CONFIG_GLOBAL: '/dev/null' },
      ...{ XDG_STATE_HOME: '', XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', XDG_CACHE_HOME: '' },
    };
    const before = treeOf(around);
    const { document, stdout } = await runJson(SETUP, { cwd, env });
    expect(stdout).not.toMatch(/internal\//);
    expect(document.ok, stdout).toBe(false);
    expect(treeOf(around)).toEqual(before);
  });
});

test(
  'a repository of somebody else is one to git, whatever its own settings say of safe folders',
  async () => {
    const cwd = gitRepo({
      '.mcp.json': JSON.stringify({
        mcpServers: { n: { command: 'x', env: { API_KEY: 'sk-abcdefghij1234567890' } } },
      }),
    });
    git(cwd, ['config', 'safe.directory', '*']);
    const said = async (env: Record<string, string>): Promise<string> => {
      const { stdout } = await runJson(['doctor', '--offline'], { cwd, env });
      expect(stdout).not.toMatch(/internal\/|run\/system-error/);
      return stdout;
    };
    expect(await said({})).not.toContain('could not be asked');
    // That the file is not tracked is claimed by nobody.
    expect(await said({ GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' })).toContain(
      'whether git tracks the file could not be asked',
    );
  },
  LONG,
);

describe('documents of other formats that want to break the reader', () => {
  const LINE = 'x'.repeat(100_000);
  test.each<[string, string, string, string]>([
    [
      'arrays 100,000 deep',
      '.codex/config.toml',
      `a = ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`,
      'config/',
    ],
    [
      'tables 100,000 deep',
      '.codex/config.toml',
      `a = ${'{b = '.repeat(100_000)}1${'}'.repeat(100_000)}\n`,
      'config/',
    ],
    ['a key of 100,000 parts', '.codex/config.toml', `${'a.'.repeat(100_000)}b = 1\n`, ''],
    ['a huge file', '.codex/config.toml', `# ${LINE}\n`.repeat(11), 'file/too-large'],
    [
      'a table twice',
      '.codex/config.toml',
      '[mcp_servers.x]\ncommand = "a"\n[mcp_servers.x]\ncommand = "b"\n',
      'config/',
    ],
    ['a key twice', '.codex/config.toml', 'model = "a"\nmodel = "b"\n', 'config/'],
    ['a huge text', 'AGENTS.md', `${LINE}\n`.repeat(51), 'file/too-large'],
    ['markers that never end', 'AGENTS.md', '<!-- tenon:begin vera -->\n'.repeat(20_000), ''],
    ['fences that never end', 'AGENTS.md', '```\n~~~\n'.repeat(20_000), ''],
  ])(
    '%s in %s',
    async (_, name, text, code) => {
      const place = bench({ [name]: text });
      const codes: string[] = [];
      for (const args of [SETUP, ['status'], ['doctor', '--offline'], ['uninstall', 'vera', '--yes']]) {
        const { document, stdout } = await place.json(args, { timeoutMs: LONG });
        expect(stdout.slice(0, 2000)).not.toMatch(/internal\/|run\/system-error/);
        const { error, findings, data } = document;
        codes.push(error?.code ?? '', ...findings.map((one: { code: string }) => one.code));
        codes.push(...(data?.plan?.conflicts ?? []).map((one: { code: string }) => one.code));
      }
      expect(codes.some((one) => one.startsWith(code))).toBe(true);
      expect(place.text(name)).toBe(text);
    },
    LONG,
  );
});

test('a package names no folder outside of itself', async () => {
  const cwd = gitRepo({ 'outside/integration.json': '{}', 'node_modules/evil/package.json': '{}' });
  for (const named of ['../../outside', 'a/../../../outside', '..', 'link']) {
    writeTree(cwd, {
      'node_modules/evil/package.json': JSON.stringify({ name: 'evil', tenon: named }),
      'node_modules/evil/link': { link: '../../outside' },
    });
    const { document } = await runJson(['setup', 'evil', '--runtime', 'codex', '--yes'], { cwd });
    expect([named, document.error?.code]).toEqual([named, 'integration/outside']);
    fs.rmSync(path.join(cwd, 'node_modules/evil/link'));
  }
  expect((await runCli(['status'], { cwd })).code).toBe(0);
});
