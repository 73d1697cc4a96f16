import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { TenonError } from '../../../src/errors/error.ts';
import { realSystem } from '../../../src/system/real.ts';
import { branchOf, findRoot } from '../../../src/system/root.ts';
import { git, gitRepo, scratch, writeTree } from '../../helpers/repo.ts';

const at = (cwd: string, env: Record<string, string> = {}) => {
  const system = realSystem();
  return { ...system, host: { ...system.host, cwd, env } };
};
function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof TenonError) return `${error.code} ${error.exit}`;
    throw error;
  }
  return 'none';
}

describe('branchOf', () => {
  const branch = (cwd: string) => branchOf(at(cwd), findRoot(at(cwd)));

  it('reads the branch of this checkout, also of a worktree', () => {
    const repo = gitRepo({ x: '' });
    git(repo, ['checkout', '-q', '-b', 'feature/till']);
    expect(branch(repo)).toBe('feature/till');
    const tree = path.join(scratch(), 'wt');
    git(repo, ['worktree', 'add', '-q', '-b', 'other', tree]);
    expect([branch(tree), branch(repo)]).toEqual(['other', 'feature/till']);
  });

  it('knows none for a detached HEAD, a placeholder or anything else', () => {
    const repo = gitRepo();
    for (const head of [
      '0'.repeat(40),
      'ref: refs/heads/.invalid',
      'ref: refs/heads/a b',
      'ref: refs/tags/x',
    ]) {
      fs.writeFileSync(path.join(repo, '.git/HEAD'), `${head}\n`);
      expect(branch(repo), head).toBeUndefined();
    }
  });
});

describe('findRoot', () => {
  it('walks up to the top level (case K04)', () => {
    const repo = gitRepo({ 'packages/app/x': '' });
    const cwd = path.join(repo, 'packages/app');
    expect(findRoot(at(cwd))).toEqual({
      root: repo,
      top: repo,
      kind: 'checkout',
      gitDir: path.join(repo, '.git'),
      commonDir: path.join(repo, '.git'),
      excludeFile: path.join(repo, '.git/info/exclude'),
      cwd,
    });
    expect(findRoot(at(cwd), { root: '.' })).toMatchObject({ root: cwd, top: repo });
    expect(findRoot(at(repo), { cwd: 'packages', root: 'app' })).toMatchObject({ root: cwd, top: repo });
  });

  it('ignores GIT_DIR and GIT_WORK_TREE (case K02)', () => {
    const [repo, other] = [gitRepo(), gitRepo()];
    const env = { GIT_DIR: path.join(other, '.git'), GIT_WORK_TREE: other };
    expect(findRoot(at(repo, env)).top).toBe(repo);
  });

  it('gives canonical paths', () => {
    const repo = gitRepo();
    const link = path.join(scratch(), 'link');
    fs.symlinkSync(repo, link);
    expect(findRoot(at(link))).toMatchObject({ root: repo, cwd: repo });
  });

  it('stays in a worktree and in a submodule (case K01)', () => {
    const repo = gitRepo();
    const tree = path.join(scratch(), 'wt');
    git(repo, ['worktree', 'add', '-q', tree]);
    expect(findRoot(at(tree))).toMatchObject({
      root: tree,
      kind: 'worktree',
      gitDir: path.join(repo, '.git/worktrees/wt'),
      commonDir: path.join(repo, '.git'),
      excludeFile: path.join(repo, '.git/info/exclude'),
    });
    git(repo, ['submodule', '--quiet', 'add', gitRepo(), 'sub']);
    const sub = path.join(repo, 'sub');
    expect(findRoot(at(sub))).toMatchObject({
      root: sub,
      kind: 'linked',
      excludeFile: path.join(repo, '.git/modules/sub/info/exclude'),
    });
  });

  it('trusts no .git file that points into another repository', () => {
    const victim = gitRepo();
    const copy = scratch();
    writeTree(copy, { '.git': `gitdir: ${victim}/.git\n` });
    expect(findRoot(at(copy))).toMatchObject({ top: copy, excludeFile: undefined });
  });

  it('trusts no git folder that shares the one of another repository and that git did not make there', () => {
    const victim = gitRepo();
    const [pointed, shared] = [scratch(), scratch()];
    const own = (gitfile: string) => ({
      HEAD: 'ref: refs/heads/main\n',
      commondir: `${victim}/.git\n`,
      gitdir: `${gitfile}\n`,
    });
    writeTree(pointed, { '.git': 'gitdir: worktrees/x\n' });
    writeTree(path.join(pointed, 'worktrees/x'), own(path.join(pointed, '.git')));
    writeTree(path.join(shared, '.git'), own(path.join(shared, '.git')));
    expect(git(pointed, ['rev-parse', '--git-path', 'info/exclude']).trim()).toBe(
      `${victim}/.git/info/exclude`,
    );
    expect(findRoot(at(pointed))).toMatchObject({ top: pointed, excludeFile: undefined });
    expect(findRoot(at(shared))).toMatchObject({ top: shared, excludeFile: undefined });
  });

  it.each([
    ['an empty file', ''],
    ['a missing folder', 'gitdir: /nowhere/at/all\n'],
    ['a folder that is no git folder', 'gitdir: sub\n'],
  ])('refuses a .git file with %s', (_, text) => {
    const folder = scratch();
    writeTree(folder, { '.git': text, 'sub/x': '' });
    expect(codeOf(() => findRoot(at(folder)))).toBe('repo/broken 2');
  });

  it('refuses bare repositories and the inside of .git', () => {
    const bare = scratch();
    git(bare, ['init', '-q', '--bare']);
    expect(codeOf(() => findRoot(at(bare)))).toBe('repo/bare 2');
    const repo = gitRepo();
    expect(codeOf(() => findRoot(at(path.join(repo, '.git/refs'))))).toBe('repo/bare 2');
    git(repo, ['config', 'core.bare', 'true']);
    expect(codeOf(() => findRoot(at(repo)))).toBe('repo/bare 2');
  });

  it('passes over a .git folder that git itself would not take', () => {
    const repo = gitRepo({ 'sub/.git/x': '', 'sub/y': '' });
    expect(findRoot(at(path.join(repo, 'sub'))).top).toBe(repo);
  });

  it('says that there is none, and that a folder is missing', () => {
    const folder = scratch();
    expect(codeOf(() => findRoot(at(folder)))).toBe('repo/missing 2');
    expect(codeOf(() => findRoot(at(folder), { cwd: 'nowhere' }))).toBe('usage/folder 2');
    expect(codeOf(() => findRoot(at(gitRepo()), { root: folder }))).toBe('repo/missing 2');
  });
});
