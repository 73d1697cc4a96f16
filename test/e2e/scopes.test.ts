import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode, VERA_URL } from '../helpers/bench.ts';
import { runCli, runJson } from '../helpers/cli.ts';
import { git, treeOf, writeTree } from '../helpers/repo.ts';

// Every question is asked both ways, while an answer is kept and without one.
process.env['TENON_TEST_ANSWERS'] ??= 'compare';

// Local and user scope: files of the home folder, shared by every repository of this host.

const CLAUDE = `{
  "numStartups": 12,
  "big": 90071992547409931,
  "projects": {
    "/elsewhere": { "mcpServers": {}, "history": ["a", "b"] }
  },
  "oauthAccount": {"accountUuid":"x"}
}
`;
const ALLOW = ['--allow', 'user-files'];

const homeText = (repo: Bench, file: string): string => fs.readFileSync(path.join(repo.home, file), 'utf8');
const homeTree = (repo: Bench): Record<string, string> =>
  Object.fromEntries(Object.entries(treeOf(repo.home)).filter(([name]) => !name.startsWith('.local')));
const noState = (tree: Record<string, string>): string[] =>
  Object.keys(tree).filter((name) => name.startsWith('.tenon'));

/** A second repository with the same home folder. */
function second(repo: Bench): (args: readonly string[]) => ReturnType<typeof runCli> {
  const root = path.join(path.dirname(repo.root), 'second');
  fs.mkdirSync(root);
  git(root, ['init', '-q']);
  return (args) => runCli(args, { cwd: root, home: repo.home });
}

describe('local scope of Claude Code in ~/.claude.json', () => {
  it('needs an approval of its own, writes nothing into the repository and comes out without a trace', async () => {
    const repo = bench({ 'README.md': '# x\n' }, { home: { '.claude.json': { text: CLAUDE, mode: 0o600 } } });
    const [before, home] = [repo.tree(), homeTree(repo)];
    const args = addVera(['claude-code'], '--scope', 'local');

    const refused = await repo.json(args);
    expectCode(refused, 3);
    expect(refused.document.error.code).toBe('approval/user-files');
    expect(homeTree(repo)).toEqual(home);

    expectCode(await repo.run([...args, ...ALLOW]), 0);
    expect(repo.tree()).toEqual(before);
    const written = JSON.parse(homeText(repo, '.claude.json'));
    expect(written.projects[repo.root].mcpServers.vera).toEqual({ type: 'http', url: VERA_URL });
    expect(homeText(repo, '.claude.json')).toContain('"big": 90071992547409931');
    expect(fs.statSync(path.join(repo.home, '.claude.json')).mode & 0o777).toBe(0o600);

    const status = await repo.json(['status']);
    expectCode(status, 0);
    expect(status.document.data.runtimes['claude-code'].scopes.local.managed).toHaveLength(1);
    expectCode(await repo.run(['sync', '--yes']), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 3);
    expectCode(await repo.run(['uninstall', 'vera', '--yes', ...ALLOW]), 0);
    expect(homeTree(repo)).toEqual(home);
    expect(repo.tree()).toEqual(before);
  });

  it.each([['the first one first'], ['the second one first']])(
    'two repositories share the file: %s',
    async (order) => {
      const repo = bench({}, { home: { '.claude.json': CLAUDE } });
      const other = second(repo);
      const home = homeTree(repo);
      const args = [...addVera(['claude-code'], '--scope', 'local'), ...ALLOW];
      expectCode(await repo.run(args), 0);
      expectCode(await other(args), 0);
      expect(Object.keys(JSON.parse(homeText(repo, '.claude.json')).projects)).toHaveLength(3);

      const uninstall = ['uninstall', '--yes', ...ALLOW];
      const runs = [() => repo.run(uninstall), () => other(uninstall)];
      if (order.startsWith('the second')) runs.reverse();
      expectCode(await (runs[0] as () => ReturnType<typeof runCli>)(), 0);
      expect(Object.keys(JSON.parse(homeText(repo, '.claude.json')).projects)).toHaveLength(2);
      expectCode(await (runs[1] as () => ReturnType<typeof runCli>)(), 0);
      expect(homeTree(repo)).toEqual(home);
    },
  );

  it.each([['first'], ['second']])(
    'creates the file where there is none and removes it with the last of two (%s one first)',
    async (order) => {
      const repo = bench();
      const other = second(repo);
      const home = homeTree(repo);
      const args = [...addVera(['claude-code'], '--scope', 'local'), ...ALLOW];
      expectCode(await repo.run(args), 0);
      expect(fs.statSync(path.join(repo.home, '.claude.json')).mode & 0o777).toBe(0o600);
      expectCode(await other(args), 0);
      const uninstall = ['uninstall', '--yes', ...ALLOW];
      const runs = [() => repo.run(uninstall), () => other(uninstall)];
      if (order === 'second') runs.reverse();
      for (const run of runs) expectCode(await run(), 0);
      expect(homeTree(repo)).toEqual(home);
    },
  );

  it('keeps what the client itself writes between setup and uninstall', async () => {
    const repo = bench({}, { home: { '.claude.json': CLAUDE } });
    const file = path.join(repo.home, '.claude.json');
    expectCode(await repo.run([...addVera(['claude-code'], '--scope', 'local'), ...ALLOW]), 0);
    // The client rewrites its whole file, with counters and facts of this folder.
    const value = JSON.parse(fs.readFileSync(file, 'utf8'));
    value.numStartups = 13;
    value.projects[repo.root].hasTrustDialogAccepted = true;
    fs.writeFileSync(file, JSON.stringify(value, null, 2));
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(['uninstall', '--yes', ...ALLOW]), 0);
    // The folder's member was made by tenon, and now holds something of the client's, so it stays.
    delete value.projects[repo.root].mcpServers;
    expect(fs.readFileSync(file, 'utf8')).toBe(JSON.stringify(value, null, 2));
  });

  it('honours CLAUDE_CONFIG_DIR and creates nothing in the usual place', async () => {
    const repo = bench({}, { home: { 'work-claude/.claude.json': '{}\n' } });
    const env = { CLAUDE_CONFIG_DIR: path.join(repo.home, 'work-claude') };
    const home = homeTree(repo);
    expectCode(await repo.run([...addVera(['claude-code'], '--scope', 'user'), ...ALLOW], { env }), 0);
    expect(JSON.parse(homeText(repo, 'work-claude/.claude.json')).mcpServers.vera.url).toBe(VERA_URL);
    expect(Object.keys(homeTree(repo))).toEqual(Object.keys(home));
    expectCode(await repo.run(['uninstall', 'vera', '--scope', 'user', '--yes', ...ALLOW], { env }), 0);
    expect(homeTree(repo)).toEqual(home);
  });
});

describe('user scope', () => {
  const RUNTIMES = [
    ['claude-code', '.claude.json'],
    ['codex', '.codex/config.toml'],
    ['opencode', '.config/opencode/opencode.jsonc'],
    ['copilot-cli', '.copilot/mcp-config.json'],
    ['cursor', '.cursor/mcp.json'],
    ['gemini-cli', '.gemini/settings.json'],
    ['qwen-code', '.qwen/settings.json'],
    ['zed', '.config/zed/settings.json'],
  ] as const;

  it.each(RUNTIMES)('%s: %s is created, owned and removed without a trace', async (id, file) => {
    const repo = bench({ 'README.md': '# x\n' });
    const [before, home] = [repo.tree(), homeTree(repo)];
    const args = addVera([id], '--scope', 'user');
    expectCode(await repo.run(args), 3);
    expect(homeTree(repo)).toEqual(home);
    expectCode(await repo.run([...args, ...ALLOW]), 0);
    expect(homeText(repo, file)).toContain(VERA_URL);
    expect(noState(repo.tree())).toEqual([]);
    expect(repo.tree()).toEqual(before);
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--yes', ...ALLOW]), 0);
    expect(homeTree(repo)).toEqual(home);
  });

  it('honours CODEX_HOME', async () => {
    const repo = bench({}, { home: { 'cx/config.toml': '# mine\nmodel = "m"\n' } });
    const env = { CODEX_HOME: path.join(repo.home, 'cx') };
    const home = homeTree(repo);
    expectCode(await repo.run([...addVera(['codex'], '--scope', 'user'), ...ALLOW], { env }), 0);
    expect(homeText(repo, 'cx/config.toml')).toContain('[mcp_servers.vera]');
    expectCode(await repo.run(['uninstall', 'vera', '--yes', ...ALLOW], { env }), 0);
    expect(homeTree(repo)).toEqual(home);
  });

  it('honours QWEN_HOME, which holds the whole folder of Qwen Code', async () => {
    const own = '{\n  "$version": 4,\n  "ui": {}\n}\n';
    const repo = bench({}, { home: { 'qh/settings.json': own, '.qwen/settings.json': own } });
    const env = { QWEN_HOME: path.join(repo.home, 'qh') };
    const home = homeTree(repo);
    expectCode(await repo.run([...addVera(['qwen-code'], '--scope', 'user'), ...ALLOW], { env }), 0);
    expect(homeText(repo, 'qh/settings.json')).toContain(VERA_URL);
    expect(homeText(repo, '.qwen/settings.json')).toBe(own);
    expectCode(await repo.run(['uninstall', 'vera', '--yes', ...ALLOW], { env }), 0);
    expect(homeTree(repo)).toEqual(home);
  });

  it('is one for all repositories; a bare uninstall of one leaves it', async () => {
    const repo = bench();
    const other = second(repo);
    const home = homeTree(repo);
    expectCode(await repo.run([...addVera(['claude-code'], '--scope', 'user'), ...ALLOW]), 0);
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    expectCode(await other(['status']), 0);
    const bare = await repo.json(['uninstall', '--yes']);
    expectCode(bare, 0);
    expect(bare.document.findings.map(({ code }: { code: string }) => code)).toContain(
      'ownership/other-scope',
    );
    expect(homeText(repo, '.claude.json')).toContain(VERA_URL);
    expect(repo.exists('.mcp.json')).toBe(false);
    expectCode(await other(['uninstall', 'vera', '--yes', ...ALLOW]), 0);
    expect(homeTree(repo)).toEqual(home);
  });

  it('is shown beside an equal entry of project scope, and not reused for it', async () => {
    const repo = bench();
    expectCode(await repo.run([...addVera(['claude-code'], '--scope', 'user'), ...ALLOW]), 0);
    const project = await repo.json(addVera(['claude-code']));
    expectCode(project, 0);
    const shown = project.document.findings.find(({ code }: { code: string }) => code === 'host/shadowed');
    expect(shown).toMatchObject({ severity: 'info', subject: '.mcp.json#/mcpServers/vera' });
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.vera.url).toBe(VERA_URL);
  });
});

describe('scopes that do not go together', () => {
  it('refuses a runtime without that scope, and writes nothing for the others', async () => {
    const repo = bench({}, { home: { '.claude.json': CLAUDE } });
    const [before, home] = [repo.tree(), homeTree(repo)];
    const run = await repo.json([...addVera(['claude-code', 'codex'], '--scope', 'local'), ...ALLOW]);
    expectCode(run, 4);
    expect(run.document.error.code).toBe('runtime/scope-unsupported');
    expect(repo.tree()).toEqual(before);
    expect(homeTree(repo)).toEqual(home);
  });

  it('warns before the approval that an entry of local scope is used instead (case I01)', async () => {
    const repo = bench();
    const there = {
      projects: { [repo.root]: { mcpServers: { vera: { type: 'http', url: 'http://127.0.0.1:9999/mcp' } } } },
    };
    writeTree(repo.home, { '.claude.json': JSON.stringify(there) });
    const home = homeTree(repo);
    const plan = await repo.json([...addVera(['claude-code']), '--dry-run']);
    const warning = plan.document.findings.find(({ code }: { code: string }) => code === 'host/shadowed');
    expect(warning).toMatchObject({ severity: 'warning', subject: '.mcp.json#/mcpServers/vera' });
    expect(warning.message).toContain('127.0.0.1:9999');
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    const status = await repo.json(['status']);
    expectCode(status, 1);
    expect(status.document.data.runtimes['claude-code'].scopes.project.shadowed).toEqual([
      '.mcp.json#/mcpServers/vera',
    ]);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(homeTree(repo)).toEqual(home);
  });
});

describe('home files of a dotfile manager', () => {
  const SOURCES = {
    chezmoi: { '.claude.json': '{}\n', '.local/share/chezmoi/private_dot_claude.json.tmpl': '{}\n' },
    'a root of chezmoi': {
      '.claude.json': '{}\n',
      '.local/share/chezmoi/.chezmoiroot': 'home\n',
      '.local/share/chezmoi/home/dot_claude.json': '{}\n',
    },
    stow: { 'stow/claude/.claude.json': '{}\n', '.claude.json': { link: 'stow/claude/.claude.json' } },
    dotfiles: { 'dotfiles/claude.json': '{}\n', '.claude.json': { link: 'dotfiles/claude.json' } },
  } as const;

  it.each(Object.keys(SOURCES) as (keyof typeof SOURCES)[])('%s: refused by default', async (name) => {
    const repo = bench({}, { home: SOURCES[name] });
    const home = treeOf(repo.home);
    const args = [...addVera(['claude-code'], '--scope', 'user'), ...ALLOW];
    const refused = await repo.json(args);
    expectCode(refused, 4);
    expect(refused.document.error.code).toBe('file/managed-elsewhere');
    expect(Object.entries(home)).toEqual(
      Object.entries(treeOf(repo.home)).filter(([file]) => !file.startsWith('.local/state')),
    );
    expectCode(await repo.run([...args, '--resolve', '~/.claude.json=follow']), 0);
    expect(homeText(repo, '.claude.json')).toContain(VERA_URL);
  });

  it('yadm: refused where its repository tracks the file, free where it does not', async () => {
    const repo = bench({}, { home: { '.claude.json': '{}\n', '.other': 'x\n' } });
    const dir = path.join(repo.home, '.local/share/yadm/repo.git');
    fs.mkdirSync(dir, { recursive: true });
    const yadm = (...args: string[]) =>
      git(repo.home, [`--git-dir=${dir}`, `--work-tree=${repo.home}`, ...args]);
    git(repo.home, ['init', '-q', '--bare', dir]);
    yadm('add', '.other');
    yadm('commit', '-qm', 'x');
    const args = [...addVera(['claude-code'], '--scope', 'user'), ...ALLOW];
    expectCode(await repo.run([...args, '--dry-run']), 0);
    yadm('add', '.claude.json');
    const refused = await repo.json(args);
    expectCode(refused, 4);
    expect(refused.document.error.message).toContain('yadm');
    expect(homeText(repo, '.claude.json')).toBe('{}\n');
  });

  it('takes no notice of another file of chezmoi', async () => {
    const repo = bench({}, { home: { '.local/share/chezmoi/dot_bashrc': '\n' } });
    const run = await runJson([...addVera(['claude-code'], '--scope', 'user'), ...ALLOW, '--dry-run'], {
      cwd: repo.root,
      home: repo.home,
    });
    expectCode(run, 0);
  });
});
