import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memorySystem } from '../../../src/system/memory.ts';
import type { System } from '../../../src/system/ports.ts';
import { realSystem } from '../../../src/system/real.ts';
import { scratch } from '../../helpers/repo.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: Uint8Array | undefined) => new TextDecoder().decode(content);
function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
  return 'none';
}

// The double in memory must not promise what the disk does not keep: both answer the same questions.
describe.each([
  ['the disk', (): [System, string] => [realSystem(), scratch()]],
  ['memory', (): [System, string] => [memorySystem({ '/base': { directory: true } }), '/base']],
])('%s', (_, make) => {
  it('reads what was created, exactly, and nothing of what is missing', () => {
    const [{ reader, writer }, base] = make();
    const file = path.join(base, 'a');
    writer.createExclusive(file, bytes('hello'), 0o640);
    expect(text(reader.readFile(file))).toBe('hello');
    expect(reader.lstat(file)).toMatchObject({ kind: 'file', mode: 0o640, size: 5, nlink: 1 });
    for (const missing of [path.join(base, 'b'), path.join(file, 'below'), path.join(base, 'b/c')]) {
      expect([
        reader.readFile(missing),
        reader.lstat(missing),
        reader.stat(missing),
        reader.list(missing),
        reader.realpath(missing),
        reader.readLink(missing),
      ]).toEqual(Array(6).fill(undefined));
    }
    expect(reader.list(file)).toBeUndefined();
    expect(codeOf(() => reader.readFile(base))).toBe('EISDIR');
    expect(codeOf(() => reader.readFile(file, 4))).toBe('EFBIG');
    expect(text(reader.readFile(file, 5))).toBe('hello');
  });

  it('never creates over something', () => {
    const [{ reader, writer }, base] = make();
    const file = path.join(base, 'a');
    writer.createExclusive(file, bytes('1'), 0o600);
    expect(codeOf(() => writer.createExclusive(file, bytes('2'), 0o600))).toBe('EEXIST');
    expect(codeOf(() => writer.createExclusive(path.join(base, 'no/a'), bytes('2'), 0o600))).toBe('ENOENT');
    expect(codeOf(() => writer.makeDir(file))).toBe('EEXIST');
    expect(text(reader.readFile(file))).toBe('1');
  });

  it('renames over a file, and writes in place through the same inode', () => {
    const [{ reader, writer }, base] = make();
    const [from, to] = [path.join(base, 'a'), path.join(base, 'b')];
    writer.createExclusive(from, bytes('new'), 0o600);
    writer.createExclusive(to, bytes('old'), 0o644);
    const ino = reader.lstat(from)?.ino;
    writer.rename(from, to);
    expect(reader.lstat(from)).toBeUndefined();
    expect(reader.lstat(to)).toMatchObject({ ino, mode: 0o600 });
    for (const content of ['longer than before', 'short', '']) {
      writer.writeInPlace(to, bytes(content));
      expect([text(reader.readFile(to)), reader.lstat(to)?.ino]).toEqual([content, ino]);
    }
    expect(codeOf(() => writer.rename(from, to))).toBe('ENOENT');
    expect(codeOf(() => writer.writeInPlace(from, bytes('x')))).toBe('ENOENT');
  });

  it('makes and removes folders, only empty ones', () => {
    const [{ reader, writer }, base] = make();
    const dir = path.join(base, 'd');
    writer.makeDir(dir, 0o700);
    expect(reader.lstat(dir)).toMatchObject({ kind: 'directory', mode: 0o700 });
    writer.createExclusive(path.join(dir, 'z'), bytes(''), 0o600);
    writer.createExclusive(path.join(dir, 'a'), bytes(''), 0o600);
    expect(reader.list(dir)).toEqual(['a', 'z']);
    expect(codeOf(() => writer.removeDir(dir))).toBe('ENOTEMPTY');
    writer.remove(path.join(dir, 'a'));
    writer.remove(path.join(dir, 'z'));
    writer.syncDir(dir);
    writer.removeDir(dir);
    expect(reader.lstat(dir)).toBeUndefined();
    expect(codeOf(() => writer.remove(dir))).toBe('ENOENT');
    writer.makeDir(dir);
    expect(codeOf(() => writer.remove(dir))).toMatch(/^E(ISDIR|PERM)$/);
  });
});

describe('memorySystem', () => {
  it('follows links like a disk', () => {
    const { reader } = memorySystem({
      '/repo/dots/a.json': 'a',
      '/repo/store': { link: 'dots' },
      '/repo/b.json': { link: 'store/a.json' },
      '/repo/circle': { link: 'circle' },
      '/repo/dangling': { link: '/nowhere' },
    });
    expect(reader.realpath('/repo/b.json')).toBe('/repo/dots/a.json');
    expect(text(reader.readFile('/repo/b.json'))).toBe('a');
    expect(reader.lstat('/repo/b.json')?.kind).toBe('link');
    expect(reader.readLink('/repo/b.json')).toBe('store/a.json');
    expect(codeOf(() => reader.stat('/repo/circle'))).toBe('ELOOP');
    expect([reader.stat('/repo/dangling'), reader.realpath('/repo/dangling')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(reader.list('/repo/store')).toEqual(['a.json']);
  });
});
