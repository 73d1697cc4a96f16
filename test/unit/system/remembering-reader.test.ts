import { expect, it } from 'vitest';
import { memorySystem } from '../../../src/system/memory.ts';
import type { Reader } from '../../../src/system/ports.ts';
import { rememberAll, rememberRoots } from '../../../src/system/remembering-reader.ts';

const FILES = { '/repo/a/f': 'a', '/repo/b/f': 'b', '/home/me/f': 'home' };

/** A reader that tells what was asked of it. */
function counting(): { reader: Reader; asked: string[] } {
  const { reader } = memorySystem(FILES, { cwd: '/repo' });
  const asked: string[] = [];
  const told = <A extends readonly unknown[], T>(name: string, ask: (path: string, ...rest: A) => T) => {
    return (path: string, ...rest: A): T => {
      asked.push(`${name} ${path}`);
      return ask(path, ...rest);
    };
  };
  return {
    asked,
    reader: {
      readFile: told('readFile', reader.readFile),
      lstat: told('lstat', reader.lstat),
      stat: told('stat', reader.stat),
      list: told('list', reader.list),
      readLink: told('readLink', reader.readLink),
      realpath: told('realpath', reader.realpath),
    },
  };
}

it('asks once for everything, bytes and what is not there included, and answers as the disk does', () => {
  const { reader, asked } = counting();
  const plain = memorySystem(FILES, { cwd: '/repo' }).reader;
  const all = rememberAll(reader);
  for (let turn = 0; turn < 2; turn += 1) {
    for (const path of ['/repo/a/f', '/repo/a/none']) {
      expect(all.stat(path)).toEqual(plain.stat(path));
      expect(all.realpath(path)).toEqual(plain.realpath(path));
      expect(all.readFile(path)).toEqual(plain.readFile(path));
      expect(all.lstat(path)).toEqual(plain.lstat(path));
    }
    expect(all.list('/repo')).toEqual(['a', 'b']);
  }
  expect(asked).toHaveLength(9);
  expect(new Set(asked).size).toBe(9);
});

it('takes the facts of a path that is no link for what it leads to', () => {
  const { reader, asked } = counting();
  const all = rememberAll(reader);
  expect(all.stat('/repo/a/f')).toEqual(all.lstat('/repo/a/f'));
  all.lstat('/repo/b/f');
  expect(all.stat('/repo/b/f')?.kind).toBe('file');
  expect(asked).toEqual(['stat /repo/a/f', 'lstat /repo/a/f', 'lstat /repo/b/f']);
});

it('refuses a file that is larger than what is asked for, though it was read before', () => {
  const all = rememberAll(memorySystem(FILES, { cwd: '/repo' }).reader);
  expect(all.readFile('/home/me/f')).toHaveLength(4);
  expect(() => all.readFile('/home/me/f', 3)).toThrow(expect.objectContaining({ code: 'EFBIG' }));
  expect(all.readFile('/home/me/f', 4)).toHaveLength(4);
});

it('shares among roots what lies outside of them, and forgets with a root what lies inside', () => {
  const { reader, asked } = counting();
  const readerOf = rememberRoots(reader);
  for (const root of ['/repo/a', '/repo/b', '/repo/a']) {
    const one = readerOf(root);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(one.readFile(`${root}/f`)).toBeDefined();
      expect(one.stat('/home/me/f')?.kind).toBe('file');
      expect(one.lstat('/repo/none')).toBeUndefined();
    }
  }
  expect(asked.filter((one) => one.startsWith('readFile'))).toEqual([
    'readFile /repo/a/f',
    'readFile /repo/b/f',
    'readFile /repo/a/f',
  ]);
  expect(asked.filter((one) => !one.startsWith('readFile'))).toEqual([
    // Of a root all names at once: most of what is asked for is not there (listed-reader.ts).
    'list /repo/a',
    'stat /home/me/f',
    'lstat /repo/none',
    'list /repo/b',
    'list /repo/a',
  ]);
});
