import { describe, expect, it } from 'vitest';
import { textLinkTarget } from '../../../src/engine/text-link.ts';
import type { FileStat, Reader } from '../../../src/system/ports.ts';

/** A disk on which everything is there that is asked for. */
const asked: string[] = [];
const full: Pick<Reader, 'lstat'> = {
  lstat: (path) => {
    asked.push(path);
    return {} as FileStat;
  },
};
const target = (text: string, file = '/repo/CLAUDE.md'): string | undefined =>
  textLinkTarget(full, file, new TextEncoder().encode(text), 'linux');

describe('the target of a link that a checkout holds as text', () => {
  it('is one line that names something else', () => {
    expect(target('AGENTS.md')).toBe('AGENTS.md');
    expect(target('../docs/a b.md')).toBe('../docs/a b.md');
    expect(target('CLAUDE.md')).toBeUndefined();
    expect(target('c')).toBe('c');
  });

  it.each(['a\0b', 'a\rb', 'a\nb', 'a\n', ' a', 'a ', '/a', '\\a', '\\\\host\\share', 'c:/a', 'C:a', ''])(
    'is never %j, and the disk is not asked for it',
    (text) => {
      asked.length = 0;
      expect(target(text)).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );

  it('is neither long, nor a line of patterns, nor something that is not there', () => {
    expect(target('a'.repeat(1024))).toBeDefined();
    expect(target('a'.repeat(1025))).toBeUndefined();
    expect(target('dist', '/repo/.gitignore')).toBeUndefined();
    const empty: Pick<Reader, 'lstat'> = { lstat: () => undefined };
    expect(textLinkTarget(empty, '/repo/a', new TextEncoder().encode('b'), 'linux')).toBeUndefined();
    expect(textLinkTarget(full, '/repo/a', new Uint8Array([0xff]), 'linux')).toBeUndefined();
  });
});
