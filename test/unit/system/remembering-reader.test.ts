import { expect, it } from 'vitest';
import { memorySystem } from '../../../src/system/memory.ts';
import type { Reader } from '../../../src/system/ports.ts';
import { rememberAll, rememberOutside } from '../../../src/system/remembering-reader.ts';

it('asks once for what lies outside the folder, and each time for what lies inside', () => {
  const { reader } = memorySystem({ '/repo/a': 'a', '/home/me/b': 'b' }, { cwd: '/repo' });
  const asked: string[] = [];
  const counting: Reader = {
    ...reader,
    stat: (path) => {
      asked.push(path);
      return reader.stat(path);
    },
  };
  const remembering = rememberOutside(counting, '/repo');
  for (const path of ['/home/me/b', '/home/me/none', '/repo/a', '/repo/none']) {
    expect(remembering.stat(path)).toEqual(reader.stat(path));
    expect(remembering.stat(path)).toEqual(reader.stat(path));
  }
  expect(asked).toEqual(['/home/me/b', '/home/me/none', '/repo/a', '/repo/a', '/repo/none', '/repo/none']);
  const all = rememberAll(counting);
  for (const path of ['/repo/a', '/repo/a', '/repo/none', '/repo/none'])
    expect(all.stat(path)).toEqual(reader.stat(path));
  expect(asked.slice(6)).toEqual(['/repo/a', '/repo/none']);
});
