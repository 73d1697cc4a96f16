import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mayBeIgnored } from '../../../src/system/git-ignore.ts';
import { realSystem } from '../../../src/system/real.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { findRoot } from '../../../src/system/root.ts';
import fc from '../../helpers/fc.ts';
import { gitRepo, scratch } from '../../helpers/repo.ts';

const PATHS = ['aé.md', '.mcp.json', '.codex/config.toml', 'packages/a/.mcp.json', '.tenon/manifest.json'];

function around(top: string, env: Record<string, string> = {}) {
  const home = scratch();
  const { host } = realSystem();
  const repo = findRoot(realSystem(), { cwd: top });
  return {
    home,
    repo,
    may: (paths: readonly string[] = PATHS) =>
      mayBeIgnored(
        { reader: realReader, repo, host: { ...host, home, env: { GIT_CONFIG_NOSYSTEM: '1', ...env } } },
        paths,
      ),
  };
}

describe('git is not asked', () => {
  it('where no pattern comes near the paths', () => {
    const top = gitRepo();
    writeFileSync(join(top, '.gitignore'), '# ours\nnode_modules/\n/dist\n*.log\n!keep.log\nbuild/**\n');
    expect(around(top).may()).toBe(false);
  });

  it('where a pattern would keep an expression busy for years', () => {
    const top = gitRepo();
    writeFileSync(join(top, '.gitignore'), `${'*e'.repeat(60)}x\n`);
    expect(around(top).may([`${'e'.repeat(200)}.md`])).toBe(false);
  });
});

describe('git is asked', () => {
  it.each([
    ['a name', '.mcp.json'],
    ['a folder', '.codex/'],
    ['a glob', '*.toml'],
    ['a glob of single bytes', 'a??.md'],
    ['everything', '*'],
    ['everything below', '/**'],
    ['another case', '.MCP.json'],
    ['a class', '.mcp.jso[n]'],
    ['an escape', 'x\\y'],
    ['Windows line ends', 'x\r\n.mcp.json\r\n'],
  ])('for a pattern that is %s', (_, pattern) => {
    const top = gitRepo();
    writeFileSync(join(top, '.gitignore'), `${pattern}\n`);
    expect(around(top).may()).toBe(true);
  });

  it('for patterns of a folder below, of the checkout and of the user', () => {
    const below = gitRepo();
    mkdirSync(join(below, 'packages'));
    writeFileSync(join(below, 'packages', '.gitignore'), '.mcp.json\n');
    expect(around(below).may()).toBe(true);
    const own = gitRepo();
    writeFileSync(join(own, '.git', 'info', 'exclude'), '.mcp.json\n');
    expect(around(own).may()).toBe(true);
    const user = around(gitRepo());
    mkdirSync(join(user.home, '.config', 'git'), { recursive: true });
    writeFileSync(join(user.home, '.config', 'git', 'ignore'), '.mcp.json\n');
    expect(user.may()).toBe(true);
  });

  it.each([
    ['names other patterns', '[core]\n\texcludesFile = ~/mine\n'],
    ['includes a file', '[include]\n\tpath = other\n'],
    ['is not read by everyone', '[core\n'],
  ])('where a setting %s', (_, config) => {
    const { home, may } = around(gitRepo());
    expect(may()).toBe(false);
    writeFileSync(join(home, '.gitconfig'), config);
    expect(may()).toBe(true);
  });

  it('where a file of patterns cannot be looked into', () => {
    const top = gitRepo();
    mkdirSync(join(top, '.gitignore'));
    expect(around(top).may()).toBe(true);
  });
});

it('never says no where git ignores a path', () => {
  const top = gitRepo();
  const file = join(top, '.gitignore');
  const { home, may } = around(top);
  const piece = fc.constantFrom('.mcp.json', '.codex', 'packages', 'a', '*', '**', '?', '.m*', '*.toml', 'x');
  const pattern = fc
    .tuple(
      fc.constantFrom('', '!', '/', '# ', '\\', ' '),
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '/', ' ', '/**', '\t'),
    )
    .map(([before, pieces, behind]) => before + pieces.join('/') + behind);
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), (patterns) => {
      writeFileSync(file, `${patterns.join('\n')}\n`);
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
      const asked = spawnSync('git', ['check-ignore', '--no-index', '--', ...PATHS], { cwd: top, env });
      return may() || asked.stdout.length === 0;
    }),
    { numRuns: 80 },
  );
}, 60_000);
