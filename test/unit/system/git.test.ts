import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openGit } from '../../../src/system/git.ts';
import { realSystem } from '../../../src/system/real.ts';
import { git, gitRepo, scratch, stampsOf, writeTree } from '../../helpers/repo.ts';

const open = (top: string, root = top) => openGit({ root, top });

describe('openGit', () => {
  it('tells tracked, staged, ignored and changed paths apart (case K05)', async () => {
    const repo = gitRepo({
      '.gitignore': '*.log\n/.mcp.json\n',
      'a.json': '{}',
      'b [x].json': '{}',
      'sub/c.json': '{}',
    });
    writeTree(repo, { '.mcp.json': '{}', 'a.json': '{"x":1}', 'new.json': '' });
    git(repo, ['add', 'a.json']);
    const asked = ['a.json', 'b [x].json', '.mcp.json', 'new.json', 'missing.json'];
    expect(await open(repo).isTracked(asked)).toEqual({ ok: true, value: new Set(['a.json', 'b [x].json']) });
    expect(await open(repo).isStaged(asked)).toEqual({ ok: true, value: new Set(['a.json']) });
    expect(await open(repo).isIgnored(asked)).toEqual({
      ok: true,
      value: new Map([['.mcp.json', { source: '.gitignore', line: 2, pattern: '/.mcp.json' }]]),
    });
    expect(await open(repo).isIgnored(['a.json'])).toEqual({ ok: true, value: new Map() });
    expect(await open(repo).statusPorcelain(asked)).toEqual({
      ok: true,
      value: [
        { index: 'M', workTree: ' ', path: 'a.json' },
        { index: '?', workTree: '?', path: 'new.json' },
      ],
    });
    expect(await open(repo).isTracked([])).toEqual({ ok: true, value: new Set() });
  });

  it('names paths relative to a root below the top level', async () => {
    const repo = gitRepo({ 'pkg/c.json': '{}' });
    writeTree(repo, { 'pkg/c.json': '{"x":1}' });
    git(repo, ['add', '-A']);
    const pkg = open(repo, path.join(repo, 'pkg'));
    expect(await pkg.isTracked(['c.json'])).toEqual({ ok: true, value: new Set(['c.json']) });
    expect(await pkg.isStaged(['c.json'])).toEqual({ ok: true, value: new Set(['c.json']) });
    expect(await pkg.statusPorcelain(['c.json'])).toMatchObject({ value: [{ index: 'M', path: 'c.json' }] });
  });

  it('knows branch and repository, without credentials (case L02)', async () => {
    const repo = gitRepo();
    expect(await open(repo).repository()).toEqual({ ok: true, value: undefined });
    git(repo, [
      'remote',
      'add',
      'origin',
      'https://x-access-token:EXAMPLE-T0KEN@git.example.invalid/o/r.git',
    ]);
    expect(await open(repo).repository()).toEqual({ ok: true, value: 'git.example.invalid/o/r' });
    git(repo, ['remote', 'add', 'ssh', 'git@host:org/repo']);
    expect(await open(repo).repository()).toEqual({ ok: true, value: undefined });
    expect(await open(repo).currentBranch()).toEqual({ ok: true, value: 'main' });
    git(repo, ['checkout', '-q', '--detach']);
    expect(await open(repo).currentBranch()).toEqual({ ok: true, value: undefined });
  });

  it('works with EDITOR, PAGER and GIT_SSH_COMMAND set (case K03)', async () => {
    vi.stubEnv('EDITOR', 'vi');
    vi.stubEnv('PAGER', 'less');
    vi.stubEnv('GIT_SSH_COMMAND', 'ssh -i k');
    vi.stubEnv('GIT_ASKPASS', 'x');
    const answer = await open(gitRepo()).currentBranch();
    vi.unstubAllEnvs();
    expect(answer).toEqual({ ok: true, value: 'main' });
  });

  it('ignores GIT_DIR of the process that started it (case K02)', async () => {
    const [repo, other] = [gitRepo({ 'a.json': '' }), gitRepo({ 'b.json': '' })];
    vi.stubEnv('GIT_DIR', path.join(other, '.git'));
    vi.stubEnv('GIT_WORK_TREE', other);
    vi.stubEnv('GIT_INDEX_FILE', path.join(other, '.git', 'index'));
    const answer = await open(repo).isTracked(['a.json', 'b.json']);
    vi.unstubAllEnvs();
    expect(answer).toEqual({ ok: true, value: new Set(['a.json']) });
  });

  it('names what a .gitignore of the checkout takes back, and the folder that paths are counted from', async () => {
    const repo = gitRepo({ '.gitignore': 'a\n!b\n', 'd/.gitignore': '!c\n' });
    fs.appendFileSync(path.join(repo, '.git/info/exclude'), '!e\n');
    expect(await open(repo).isTakenBack(['a', 'b', 'd/c', 'e', 'f'])).toEqual({
      ok: true,
      value: new Map([
        ['b', { source: '.gitignore', line: 2, pattern: '!b' }],
        ['d/c', { source: 'd/.gitignore', line: 1, pattern: '!c' }],
      ]),
    });
    expect(await open(repo).topLevel()).toEqual({ ok: true, value: repo });
    git(repo, ['config', 'core.worktree', '../..']);
    expect(await open(repo).topLevel()).toEqual({ ok: true, value: path.dirname(repo) });
  });

  it('waits once where a pipe in the place of a file of its own keeps git waiting', async () => {
    const repo = gitRepo({ 'a.json': '' });
    fs.rmSync(path.join(repo, '.git/config'));
    execFileSync('mkfifo', [path.join(repo, '.git/config')]);
    const system = realSystem();
    const stuck = openGit({ root: repo, top: repo }, { ...system, timeoutMs: 400 });
    const started = performance.now();
    const wanted = { ok: false, message: 'git gave no answer in 0.4 s' };
    for (let question = 0; question < 20; question += 1)
      expect(await stuck.isTracked(['a.json'])).toEqual(wanted);
    // Waiting for each of the questions would take eight seconds.
    expect(performance.now() - started).toBeLessThan(7000);
  });

  it("repeats git's own reason (case K06)", async () => {
    const repo = gitRepo();
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
    const dubious = await open(repo).isTracked(['README.md']);
    vi.unstubAllEnvs();
    expect(dubious).toMatchObject({ ok: false });
    expect(dubious.ok ? '' : dubious.message).toMatch(
      /dubious ownership[\s\S]*git config --global --add safe\.directory/,
    );
    const broken = await open(scratch()).isTracked(['x']);
    expect(broken.ok ? '' : broken.message).toMatch(/not a git repository/);
  });

  it('runs no program that the configuration of a checkout names', async () => {
    const repo = gitRepo({ 'a.txt': 'x', '.gitattributes': '*.txt filter=evil diff=evil\n' });
    const proof = path.join(scratch(), 'ran');
    const evil = path.join(scratch(), 'evil.sh');
    fs.writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${proof}\ncat\n`, { mode: 0o755 });
    for (const [key, value] of [
      ['core.fsmonitor', evil],
      ['core.hooksPath', path.dirname(evil)],
      ['core.pager', evil],
      ['remote.origin.url', `ext::${evil}`],
      ['remote.origin.uploadpack', evil],
      ['alias.ls-files', `!${evil}`],
      ['diff.external', evil],
      ['diff.evil.textconv', evil],
      ['diff.evil.command', evil],
      ['filter.evil.clean', evil],
      ['filter.evil.process', evil],
      ['filter.evil.required', 'true'],
    ] as const) {
      git(repo, ['config', key, value]);
    }
    fs.copyFileSync(evil, path.join(path.dirname(evil), 'post-index-change'));
    fs.writeFileSync(path.join(repo, 'a.txt'), 'y');
    const asked = ['a.txt'];
    expect((await open(repo).isTracked(asked)).ok).toBe(true);
    expect((await open(repo).isStaged(asked)).ok).toBe(true);
    expect((await open(repo).isIgnored(asked)).ok).toBe(true);
    expect((await open(repo).statusPorcelain(asked)).ok).toBe(true);
    expect((await open(repo).currentBranch()).ok).toBe(true);
    expect((await open(repo).repository()).ok).toBe(true);
    expect(fs.existsSync(proof)).toBe(false);
    git(repo, ['config', '--unset', 'filter.evil.process']);
    git(repo, ['status']);
    expect(fs.readFileSync(proof, 'utf8')).toContain('evil.sh');
  });

  it('runs no filter whose name cannot be given to git on its command line', async () => {
    const repo = gitRepo({ 'a.txt': 'x', '.gitattributes': '*.txt filter=a=b\n' });
    git(repo, ['add', '.']);
    const proof = path.join(scratch(), 'ran');
    fs.appendFileSync(path.join(repo, '.git/config'), `[filter "a=b"]\n\tclean = "touch ${proof}; cat"\n`);
    writeTree(repo, { 'a.txt': 'y' });
    const answer = await open(repo).statusPorcelain(['a.txt']);
    expect(answer).toMatchObject({ ok: false, message: expect.stringContaining('filter.a=b.clean') });
    expect(fs.existsSync(proof)).toBe(false);
    git(repo, ['status']);
    expect(fs.existsSync(proof)).toBe(true);
  });

  it('runs no filter that an included file names', async () => {
    const repo = gitRepo({ 'a.txt': 'x', '.gitattributes': '*.txt filter=evil\n' });
    const proof = path.join(scratch(), 'ran');
    git(repo, ['config', 'include.path', 'hidden']);
    writeTree(repo, { '.git/hidden': `[filter "evil"]\n\tclean = "touch ${proof}; cat"\n`, 'a.txt': 'y' });
    expect((await open(repo).statusPorcelain(['a.txt'])).ok).toBe(true);
    expect(fs.existsSync(proof)).toBe(false);
    git(repo, ['status']);
    expect(fs.existsSync(proof)).toBe(true);
  });

  it('fetches nothing that a partial clone lacks, by whatever program it names', async () => {
    const repo = gitRepo({ 'a/x.json': '{}', 'b/y.json': '{}', 'c.json': '{}' });
    git(repo, ['sparse-checkout', 'set', '--cone', '--sparse-index', 'a']);
    const tree = git(repo, ['rev-parse', 'HEAD:b']).trim();
    fs.rmSync(path.join(repo, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    const proof = path.join(scratch(), 'ran');
    for (const [key, value] of [
      ['core.repositoryformatversion', '1'],
      ['extensions.partialClone', 'origin'],
      ['core.sshCommand', `touch ${proof}; false`],
      ['remote.origin.url', 'ssh://nowhere.invalid/x'],
      ['remote.origin.promisor', 'true'],
      ['protocol.ssh.allow', 'always'],
    ] as const) {
      git(repo, ['config', key, value]);
    }
    // What is still in the index is known without them.
    expect(await open(repo).isTracked(['c.json'])).toEqual({ ok: true, value: new Set(['c.json']) });
    await open(repo).isStaged(['c.json']);
    await open(repo).statusPorcelain(['c.json']);
    expect(fs.existsSync(proof)).toBe(false);
    git(repo, ['ls-files']);
    expect(fs.existsSync(proof)).toBe(true);
  });

  it('starts no git of the repository, by a relative or absolute entry of PATH', async () => {
    const repo = gitRepo({ 'bin/git': { text: '#!/bin/sh\ntouch ran\n', mode: 0o755 } });
    const PATH = process.env['PATH'] ?? '';
    try {
      for (const entry of ['bin', path.join(repo, 'bin')]) {
        vi.stubEnv('PATH', `${entry}:${PATH}`);
        expect((await open(repo).isTracked(['bin/git'])).ok).toBe(entry === 'bin');
        expect(fs.existsSync(path.join(repo, 'ran'))).toBe(false);
      }
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('changes nothing in the checkout', async () => {
    const repo = gitRepo({ 'a.json': 'x' });
    fs.utimesSync(path.join(repo, 'a.json'), 1, 1);
    const before = stampsOf(repo, { git: true });
    await open(repo).statusPorcelain(['a.json']);
    expect(stampsOf(repo, { git: true })).toEqual(before);
    git(repo, ['status']);
    expect(stampsOf(repo, { git: true })).not.toEqual(before);
  });
});
