import { describe, expect, test } from 'vitest';
import { hashFile, isSameFolder, isTorn, standingAt } from '../../../src/engine/file-hash.ts';
import { sha256 } from '../../../src/engine/fingerprint.ts';
import { memorySystem } from '../../../src/system/memory.ts';

const system = memorySystem({
  '/repo/a/x': 'x',
  '/repo/a/link': { link: 'x' },
  '/repo/b': { link: 'a' },
  '/repo/nowhere': { link: 'gone' },
});
const { reader } = system;

describe('what stands at a path', () => {
  test.each([
    ['/repo/a/x', sha256('x')],
    ['/repo/a/none', 'absent'],
    ['/repo/a', 'other'],
    ['/repo/a/link', 'other'],
    ['/none/x', 'absent'],
  ])('%s is %s', (path, expected) => {
    expect(hashFile(reader, path)).toBe(expected);
  });

  test('a file over 64 MiB is not read', () => {
    const of = (size: number) =>
      hashFile(
        {
          ...reader,
          lstat: (path) => ({
            ...(reader.lstat(path) as NonNullable<ReturnType<typeof reader.lstat>>),
            size,
          }),
        },
        '/repo/a/x',
      );
    expect(of(64 * 1024 * 1024)).toBe(sha256('x'));
    expect(of(64 * 1024 * 1024 + 1)).toBe('other');
  });

  test('a file that goes between looking and reading is absent', () => {
    expect(hashFile({ ...reader, readFile: () => undefined }, '/repo/a/x')).toBe('absent');
  });

  test.each([
    ['/repo/a/x', true],
    ['/repo/a/none', true],
    ['/none/deep/x', true],
    ['/repo/b/x', false],
    ['/repo/nowhere/x', false],
  ])('the folder of %s is the one that it was: %s', (path, same) => {
    expect(isSameFolder(system, path)).toBe(same);
    if (!same) expect(standingAt(system, path)).toBe('other');
  });

  test('behind the same folder it is what is there', () => {
    expect(standingAt(system, '/repo/a/x')).toBe(sha256('x'));
    expect(standingAt(system, '/none/deep/x')).toBe('absent');
  });
});

describe('an interrupted write in place', () => {
  const torn = (current: string, base: string, result: string) =>
    isTorn(
      ...([current, base, result].map((text) => new TextEncoder().encode(text)) as [never, never, never]),
    );

  test.each<[string, string, string, boolean]>([
    ['abcd', 'abcd', 'WXYZ', true],
    ['WXcd', 'abcd', 'WXYZ', true],
    ['WXYZ', 'abcd', 'WXYZ', true],
    ['WXYZef', 'abcdef', 'WXYZ', true],
    ['WX', 'ab', 'WXYZ', true],
    ['WXY', 'ab', 'WXYZ', true],
    ['', '', 'WXYZ', true],
    ['W', '', 'WXYZ', true],
    ['WXc', 'abcd', 'WXYZ', false],
    ['WXcde', 'abcd', 'WXYZ', false],
    ['WXcD', 'abcd', 'WXYZ', false],
    ['aXcd', 'abcd', 'WXYZ', false],
    ['mine', 'abcd', 'WXYZ', false],
    ['WXYZ!', 'ab', 'WXYZ', false],
    ['WXYZcd!', 'abcdef', 'WXYZ', false],
  ])('%j between %j and %j: %s', (current, base, result, expected) => {
    expect(torn(current, base, result)).toBe(expected);
  });
});
