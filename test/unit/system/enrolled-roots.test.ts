import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GLOBAL_FLAGS } from '../../../src/cli/flags.ts';
import { enrolledRoots } from '../../../src/system/enrolled-roots.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import type { System } from '../../../src/system/ports.ts';

const FILES = {
  '/repo/a/.tenon/manifest.json': '{}',
  '/repo/b/.tenon/manifest.json': '{}',
  '/repo/data/deep/.tenon/manifest.json': '{}',
  '/repo/node_modules/x/.tenon/manifest.json': '{}',
  '/repo/.cache/.tenon/manifest.json': '{}',
  '/repo/sub/.git/HEAD': '',
  '/repo/sub/.tenon/manifest.json': '{}',
};

/** A machine on which calls for these paths are refused. */
function refusing(refused: Readonly<Record<string, readonly ('list' | 'lstat' | 'stat')[]>>): System {
  const system = memorySystem(FILES, { cwd: '/repo' });
  const { reader } = system;
  const unless =
    <T>(name: 'list' | 'lstat' | 'stat', ask: (path: string) => T) =>
    (path: string): T => {
      if (refused[path]?.includes(name) !== true) return ask(path);
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    };
  return {
    ...system,
    reader: {
      ...reader,
      list: unless('list', reader.list),
      lstat: unless('lstat', reader.lstat),
      stat: unless('stat', reader.stat),
    },
  };
}

describe('the roots of a repository', () => {
  it('are not looked for in the folders that the help of --all-roots names', () => {
    const summary = GLOBAL_FLAGS.find(({ long }) => long === '--all-roots')?.summary ?? '';
    const [, list = ''] = /not looked into: hidden folders, (.*)$/.exec(summary) ?? [];
    const named = list.split(', ');
    expect(named.length).toBeGreaterThan(5);
    const tree = [...named, '.hidden', 'out'].map((name) => [`/repo/${name}/a/.tenon/manifest.json`, '{}']);
    const system = memorySystem(Object.fromEntries(tree), { cwd: '/repo' });
    expect(enrolledRoots(system, '/repo').roots).toEqual(['/repo/out/a']);
    const page = readFileSync('docs/ci.md', 'utf8');
    for (const name of named) expect(page).toContain(`\`${name}\``);
  });

  it('are its folders with a manifest, but for dependencies, hidden folders and other repositories', () => {
    expect(enrolledRoots(refusing({}), '/repo')).toEqual({
      roots: ['/repo/a', '/repo/b', '/repo/data/deep'],
      isPartial: false,
      unread: [],
    });
  });

  it.each([
    ['cannot be listed', { '/repo/data': ['list'] }],
    ['cannot be entered', { '/repo/data/.git': ['lstat'] }],
    ['cannot be looked at', { '/repo/data': ['lstat'] }],
  ] as const)('are the others where a folder %s, which is told', (_, refused) => {
    const found = enrolledRoots(refusing(refused), '/repo');
    expect(found.roots).toEqual(['/repo/a', '/repo/b']);
    expect(found.unread).toEqual([{ path: '/repo/data', why: 'refused' }]);
  });

  it('hold one whose manifest cannot be looked at', () => {
    const found = enrolledRoots(refusing({ '/repo/a/.tenon/manifest.json': ['stat'] }), '/repo');
    expect(found.roots).toContain('/repo/a');
    expect(found.unread).toEqual([]);
  });

  it('are told not to be all where a name is no UTF-8', () => {
    const system = refusing({});
    const { reader } = system;
    const list = (path: string) => (path === '/repo' ? ['a', 'bad\ufffd'] : reader.list(path));
    const found = enrolledRoots({ ...system, reader: { ...reader, list } }, '/repo');
    expect(found).toEqual({
      roots: ['/repo/a'],
      isPartial: false,
      unread: [{ path: '/repo/bad\ufffd', why: 'name' }],
    });
  });
});
