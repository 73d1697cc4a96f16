import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, bench, expectCode } from '../helpers/bench.ts';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { git, gitRepo, treeOf, writeTree } from '../helpers/repo.ts';

// Every question is asked both ways, while an answer is kept and without one.
process.env['TENON_TEST_ANSWERS'] ??= 'compare';

// Several roots in one repository, several checkouts of one repository, and variables of git that name another one.

const ADD = addVera(['claude-code']);
const FILES = {
  'README.md': '# x\n',
  'packages/a/package.json': '{}\n',
  'packages/b/package.json': '{}\n',
  'packages/b/deep/c/package.json': '{}\n',
};

function commit(root: string): void {
  git(root, ['add', '-A']);
  git(root, ['commit', '-qm', 'x', '--allow-empty']);
}

interface RootData {
  root: string;
  exitCode: number;
  data: { state?: string };
  error: { code: string } | null;
}

describe('a monorepo', () => {
  it('--root is a root of its own', async () => {
    const repo = bench(FILES);
    const before = repo.tree();
    expectCode(await repo.run([...ADD, '--root', 'packages/a']), 0);
    expect(repo.exists('packages/a/.mcp.json')).toBe(true);
    expect(repo.exists('packages/a/.tenon/manifest.json')).toBe(true);
    expect(repo.exists('.mcp.json')).toBe(false);
    const top = await repo.json(['status']);
    expectCode(top, 0);
    expect(top.document.data.state).toBe('not-set-up');
    // From inside the package the top level is the root, unless --root says otherwise.
    const inside = { cwd: path.join(repo.root, 'packages/a') };
    expect((await repo.json(['status', '--root', '.'], inside)).document.data.state).toBe('ok');
    expectCode(await repo.run(['uninstall', '--yes', '--root', '.'], inside), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('--all-roots takes every root that has something set up, in one document', async () => {
    const repo = bench({
      ...FILES,
      'node_modules/x/.tenon/manifest.json': '{"schemaVersion":1}',
      '.cache/.tenon/manifest.json': '{"schemaVersion":1}',
    });
    for (const root of ['.', 'packages/a', 'packages/b/deep/c'])
      expectCode(await repo.run([...ADD, '--root', root]), 0);
    for (const command of ['status', 'doctor', 'sync'] as const) {
      const extra = command === 'doctor' ? ['--offline'] : command === 'sync' ? ['--check'] : [];
      const run = await repo.json([command, '--all-roots', ...extra]);
      expectCode(run, 0);
      const roots = run.document.data.roots as RootData[];
      expect(roots.map(({ root }) => root)).toEqual(['.', 'packages/a', 'packages/b/deep/c']);
      expect(run.document.schema).toBe(`tenon/${command}/v1`);
    }
    const text = await repo.run(['status', '--all-roots']);
    expect(text.stdout).toContain('packages/b/deep/c');

    // One drifted, one broken: the others are told, and sync brings back what it can.
    fs.rmSync(path.join(repo.root, 'packages/a/.mcp.json'));
    writeTree(repo.root, { 'packages/b/deep/c/.tenon/manifest.json': '{ nope' });
    const status = await repo.json(['status', '--all-roots']);
    expectCode(status, 1);
    const roots = status.document.data.roots as RootData[];
    expect(roots.map(({ exitCode }) => exitCode)).toEqual([0, 1, 1]);
    expect(roots[2]?.error?.code).toBe('manifest/malformed');
    const subjects = status.document.findings.map(({ subject }: { subject: string }) => subject);
    expect(subjects).toContain('packages/a/.mcp.json#/mcpServers/vera');
    const restored = await repo.json([
      ...['sync', '--all-roots', '--yes', '--restore', '.mcp.json#/mcpServers/vera'],
    ]);
    expectCode(restored, 1);
    expect(repo.exists('packages/a/.mcp.json')).toBe(true);
  });

  it('--root takes a folder that the search for roots passes over', async () => {
    const repo = bench({ 'vendor/x/y.txt': 'x\n', '.config/x/y.txt': 'x\n' });
    for (const folder of ['vendor/x', '.config/x']) {
      expectCode(await repo.run([...ADD, '--root', folder]), 0);
      for (const words of [['status'], ['sync', '--check']]) {
        const run = await repo.json([...words, '--root', folder]);
        expectCode(run, 0);
        expect(run.document.data.state ?? 'ok').toBe('ok');
      }
      expectCode(await repo.run(['uninstall', '--yes', '--root', folder]), 0);
      expect(repo.exists(`${folder}/.mcp.json`)).toBe(false);
    }
  });

  it('names the root in every command that it prints, so that a copy of it does what it says', async () => {
    const repo = bench(FILES);
    expectCode(await repo.run([...ADD, '--root', 'packages/a']), 0);
    repo.write('packages/a/.mcp.json', repo.text('packages/a/.mcp.json').replace('://', '://other.'));
    const command = (root: string) => `tenon sync --root ${root} --force '.mcp.json#/mcpServers/vera'`;
    const remedies = ({ document }: Awaited<ReturnType<typeof repo.json>>): string[] =>
      document.findings.map(({ remedy }: { remedy?: { command?: string } }) => remedy?.command);
    const below = { cwd: path.join(repo.root, 'packages/b') };
    const inside = { cwd: path.join(repo.root, 'packages/a') };
    for (const [args, options, root] of [
      [['--root', 'packages/a'], {}, 'packages/a'],
      [['--all-roots'], {}, 'packages/a'],
      [['--root', '.'], inside, '.'],
      [['--all-roots'], below, '../a'],
      [['-C', 'packages/a', '--root', '.'], {}, path.join(repo.root, 'packages/a')],
    ] as const) {
      expect(remedies(await repo.json(['status', ...args], options)), args.join(' ')).toContain(
        command(root),
      );
      expect((await repo.run(['status', ...args], options)).stdout).toContain(command(root));
    }
    // The top level needs no name, from wherever it is.
    expectCode(await repo.run(ADD), 0);
    repo.write('.mcp.json', repo.text('.mcp.json').replace('://', '://other.'));
    expect(remedies(await repo.json(['status', '--root', '.']))).toContain(
      "tenon sync --force '.mcp.json#/mcpServers/vera'",
    );
  });

  it('names files from the top level in reports that are read there', async () => {
    const repo = bench(FILES);
    expectCode(await repo.run([...ADD, '--root', 'packages/a']), 0);
    repo.write('packages/a/.mcp.json', repo.text('packages/a/.mcp.json').replace('://', '://other.'));
    const inside = { cwd: path.join(repo.root, 'packages/a') };
    for (const [args, options] of [
      [['--root', 'packages/a'], {}],
      [['--all-roots'], {}],
      [['--root', '.'], inside],
      [['--all-roots'], inside],
    ] as const) {
      const words = ['doctor', '--offline', ...args, '--format'];
      const { stdout } = await repo.run([...words, 'github'], options);
      expect(stdout).toContain('title=ownership/drifted,file=packages/a/.mcp.json,line=');
      expect(stdout).toContain('(tenon sync --root packages/a --force');
      expect(stdout).toMatch(/title=host\/not-certified::/);
      const sarif = JSON.parse((await repo.run([...words, 'sarif'], options)).stdout);
      const uris = sarif.runs[0].results.map(
        (result: { locations: [{ physicalLocation: { artifactLocation: { uri: string } } }] }) =>
          result.locations[0].physicalLocation.artifactLocation.uri,
      );
      expect([...new Set(uris)].sort()).toEqual(['packages/a/.mcp.json', 'packages/a/.tenon/manifest.json']);
    }
  });

  it('--all-roots takes a root whose manifest is gone while this host has a record of it', async () => {
    const repo = bench(FILES);
    for (const root of ['packages/a', 'packages/b']) expectCode(await repo.run([...ADD, '--root', root]), 0);
    fs.rmSync(path.join(repo.root, 'packages/a/.tenon'), { recursive: true });
    const run = await repo.json(['status', '--all-roots']);
    expectCode(run, 1);
    expect((run.document.data.roots as RootData[]).map(({ root }) => root)).toEqual([
      'packages/a',
      'packages/b',
    ]);
    const other = bench(FILES);
    const elsewhere = await runJson(['status', '--all-roots'], { cwd: other.root, home: repo.home });
    expect(elsewhere.document.data.roots).toHaveLength(1);
    fs.rmSync(path.join(repo.root, 'packages/a'), { recursive: true });
    expect((await repo.json(['status', '--all-roots'])).document.data.roots).toHaveLength(1);
  });

  it('--all-roots says what to do about a root that it left out, in lines of 80 columns', async () => {
    const repo = bench({ ...FILES, 'packages/a/.tenon/manifest.json': '{' });
    for (const words of [['status'], ['sync', '--check']]) {
      const { stdout } = await repo.run([...words, '--all-roots']);
      expect(stdout).toContain('manifest/malformed  left out: ');
      expect(stdout).toContain('Fix: ');
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
      const { document } = await repo.json([...words, '--all-roots']);
      expect(document.findings[0].remedy.text).not.toBe('');
    }
    const { stdout } = await repo.run(['status', '--all-roots', '--format', 'github']);
    expect(stdout).toContain('title=manifest/malformed,file=packages/a/.tenon/manifest.json');
  });

  it('tells whoever stands in a folder with a manifest of its own that it was not looked at', async () => {
    const repo = bench(FILES);
    expectCode(await repo.run([...ADD, '--root', 'packages/b']), 0);
    const said = async (words: string[], cwd: string) => {
      const { document } = await repo.json(words, { cwd: path.join(repo.root, cwd) });
      return document.findings.filter(({ code }: { code: string }) => code === 'repo/root-below');
    };
    for (const [words, command] of [
      [['status'], 'status'],
      [['doctor', '--offline'], 'doctor'],
      [['sync', '--check'], 'sync --check'],
    ] as const) {
      const warning = { severity: 'warning', subject: 'packages/b' };
      expect(await said([...words], 'packages/b')).toEqual([
        expect.objectContaining({
          ...warning,
          remedy: expect.objectContaining({ command: `tenon ${command} --root .` }),
        }),
      ]);
      expect((await said([...words], 'packages/b/deep/c'))[0].remedy.command).toBe(
        `tenon ${command} --root ../..`,
      );
      expect(await said([...words], 'packages/a')).toEqual([]);
      expect(await said([...words, '--root', '.'], 'packages/b')).toEqual([]);
      expect(await said([...words], '.')).toEqual([]);
    }
    expectCode(await repo.run(ADD), 0);
    expect(await said(['status'], 'packages/b')).toEqual([expect.objectContaining({ severity: 'info' })]);
  });

  it('tells in every form that the search for roots had to stop', async () => {
    const deep = Array.from({ length: 10 }, (_, at) => `d${at}`).join('/');
    const repo = bench({ ...FILES, [`${deep}/package.json`]: '{}\n' });
    expectCode(await repo.run([...ADD, '--root', 'packages/a']), 0);
    for (const words of [
      ['status', '--all-roots'],
      ['sync', '--check', '--all-roots'],
    ]) {
      const text = await repo.run(words);
      expectCode(text, 0);
      expect(text.stdout).toContain('repo/search-limited');
      const { document } = await repo.json(words);
      expect(document.findings.map(({ code }: { code: string }) => code)).toContain('repo/search-limited');
    }
  });

  it('is for commands that look and converge', async () => {
    const repo = bench(FILES);
    const run = await repo.json([...ADD, '--all-roots']);
    expectCode(run, 2);
    expect(run.document.error.code).toBe('usage/unknown-flag');
    const bundle = await repo.json(['doctor', '--all-roots', '--offline', '--bundle', 'bundle.json']);
    expectCode(bundle, 2);
    expect(bundle.document.error.code).toBe('usage/conflicting-flags');
    expect(repo.exists('bundle.json')).toBe(false);
    const none = await repo.json(['status', '--all-roots']);
    expectCode(none, 0);
    expect(none.document.data.roots).toHaveLength(1);
  });

  it('looks at 60 roots in a time that grows with their number', async () => {
    const manifest =
      '{"schemaVersion":1,"suppressions":[{"code":"a/b","reason":"x","expires":"2099-01-01"}]}\n';
    const timeOf = async (count: number): Promise<number> => {
      const names = Array.from({ length: count }, (_, index) => `packages/p${index}/.tenon/manifest.json`);
      const repo = bench(Object.fromEntries(names.map((name) => [name, manifest])));
      const started = performance.now();
      const run = await repo.json(['status', '--all-roots']);
      expect(run.document.data.roots).toHaveLength(count);
      return performance.now() - started;
    };
    const [few, many] = [await timeOf(6), await timeOf(60)];
    expect(many).toBeLessThan(few * 10 + 2000);
  });
});

describe('checkouts', () => {
  it('a linked worktree is a workspace of its own (case K01)', async () => {
    const repo = bench(FILES);
    commit(repo.root);
    const tree = path.join(path.dirname(repo.root), 'wt');
    git(repo.root, ['worktree', 'add', '-q', '-b', 'other', tree]);
    const there = { cwd: tree, home: repo.home };
    const before = treeOf(tree);
    expectCode(await runCli(ADD, there), 0);
    expect(git(repo.root, ['status', '--porcelain'])).toBe('');
    expect((await repo.json(['status'])).document.data.state).toBe('not-set-up');
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    expectCode(await runCli(['status'], there), 0);
    expectCode(await repo.run(ADD), 0);
    expectCode(await runCli(['uninstall', '--yes'], there), 0);
    expect(treeOf(tree)).toEqual(before);
    expect(repo.exists('.mcp.json')).toBe(true);
  });

  it('a submodule is a workspace of its own, and no root of the repository around it (case K01)', async () => {
    const sub = bench({ 'lib.c': '\n' });
    commit(sub.root);
    const repo = bench(FILES);
    commit(repo.root);
    git(repo.root, ['submodule', '--quiet', 'add', sub.root, 'sub']);
    commit(repo.root);
    const inside = { cwd: path.join(repo.root, 'sub') };
    expectCode(await repo.run(ADD, inside), 0);
    expect(repo.exists('sub/.mcp.json')).toBe(true);
    expect(repo.exists('.mcp.json')).toBe(false);
    const all = await repo.json(['status', '--all-roots']);
    expect((all.document.data.roots as RootData[]).map(({ root }) => root)).toEqual(['.']);
    expectCode(await repo.run(['uninstall', '--yes'], inside), 0);
    expect(git(path.join(repo.root, 'sub'), ['status', '--porcelain'])).toBe('');
  });

  it('GIT_DIR and GIT_WORK_TREE of a hook name no other repository (case K02)', async () => {
    const other = bench({ 'README.md': '# other\n' });
    commit(other.root);
    const before = treeOf(other.root, { git: true });
    const repo = bench(FILES);
    commit(repo.root);
    const env = {
      GIT_DIR: path.join(other.root, '.git'),
      GIT_WORK_TREE: other.root,
      GIT_INDEX_FILE: path.join(other.root, '.git/index'),
    };
    expectCode(await repo.run(ADD, { env }), 0);
    expect(repo.exists('.mcp.json')).toBe(true);
    expectCode(await repo.run(['status'], { env }), 0);
    expectCode(await repo.run(['doctor', '--offline'], { env }), 0);
    expectCode(await repo.run(['uninstall', '--yes'], { env }), 0);
    expect(treeOf(other.root, { git: true })).toEqual(before);
    const told = await runJson(['status'], { cwd: repo.root, home: repo.home, env });
    expect(told.document.data.state).toBe('not-set-up');
  });
});

describe('a command that is started below the root (case K04)', () => {
  it('says which folder its plan is for, and nothing where it is that folder', async () => {
    const [top, home] = [gitRepo({ 'packages/app/.mcp.json': '{ "mcpServers": {} }' }), makeHome()];
    const cwd = path.join(top, 'packages/app');
    const add = ['add', 'docs', 'https://docs.example/mcp', '--runtime', 'claude-code', '--offline'];
    const below = await runCli([...add, '--dry-run'], { cwd, home });
    expect(below.stdout + below.stderr).toMatch(/^Root +\.\.\/\.\.$/m);
    const here = await runCli([...add, '--dry-run', '--root', '.'], { cwd, home });
    expect(here.stdout + here.stderr).not.toMatch(/^Root /m);
    expect((await runCli([...add, '--yes'], { cwd, home })).code).toBe(0);
    expect((await runCli(['plan'], { cwd, home })).stdout).toMatch(/^Root +\.\.\/\.\.$/m);
  });
});

describe('a repository that git refuses to read (case K06)', () => {
  it('is told with the reason and the command of git, and no configuration changes', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli([...ADD, '--yes'], { cwd, home });
    const env = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
    const { document } = await runJson(['doctor', '--offline'], { cwd, home, env });
    const said = JSON.stringify(document);
    expect(said).toContain('dubious ownership');
    expect(said).toContain('git config --global --add safe.directory');
    expect(fs.existsSync(path.join(home, '.gitconfig'))).toBe(false);
  });
});
