import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listedReader } from '../../../src/system/listed-reader.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import type { Reader } from '../../../src/system/ports.ts';
import { realReader } from '../../../src/system/real-files.ts';
import fc from '../../helpers/fc.ts';
import { scratch } from '../../helpers/repo.ts';

/** A reader that counts what is asked of it beside listings. */
function counting(reader: Reader): { reader: Reader; asked: string[] } {
  const asked: string[] = [];
  const told =
    <A extends readonly unknown[], T>(ask: (path: string, ...rest: A) => T) =>
    (path: string, ...rest: A): T => {
      asked.push(path);
      return ask(path, ...rest);
    };
  return {
    asked,
    reader: {
      ...reader,
      readFile: told(reader.readFile),
      lstat: told(reader.lstat),
      stat: told(reader.stat),
      readLink: told(reader.readLink),
      realpath: told(reader.realpath),
    },
  };
}

const answers = (reader: Reader, path: string) => {
  const attempt = (ask: () => unknown): unknown => {
    try {
      return ask();
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  };
  return [
    attempt(() => reader.lstat(path)),
    attempt(() => reader.stat(path)),
    attempt(() => reader.readFile(path)),
    attempt(() => reader.realpath(path)),
    attempt(() => reader.list(path)),
  ];
};

describe('a reader that lists a folder', () => {
  it('asks for nothing that is not in it, and for everything else', () => {
    const { reader, asked } = counting(memorySystem({ '/repo/a/f': 'a', '/repo/.b': 'b' }).reader);
    const one = listedReader(reader, '/repo');
    for (const absent of ['/repo/c', '/repo/.c/d/e', '/repo/http:/h/x', '/repo/AA'])
      expect(answers(one, absent)).toEqual(Array.from({ length: 5 }, () => undefined));
    expect(asked).toEqual([]);
    for (const path of [
      '/repo/a/none',
      '/repo/A',
      '/repo',
      '/repo2/c',
      '/repo/./c',
      '/repo/../c',
      '/repo/\u212a',
    ])
      one.lstat(path);
    expect(asked).toHaveLength(7);
  });

  it('asks for everything where a listing does not tell', () => {
    const { reader, asked } = counting(memorySystem({ '/repo/ß.md': 'a' }).reader);
    listedReader(reader, '/repo').lstat('/repo/SS.md');
    listedReader(reader, '/none').lstat('/none/a');
    listedReader(reader, 'C:\\repo').lstat('C:\\repo/PROGRA~1');
    const closed = (): never => {
      throw Object.assign(new Error('no'), { code: 'EACCES' });
    };
    listedReader({ ...reader, list: closed }, '/repo').lstat('/repo/a');
    expect(asked).toHaveLength(4);
  });

  it('answers as the disk does', () => {
    const name = fc.constantFrom('a', 'B', '.claude', 'link', 'gone', 'é', 'x y', '.mcp.json', 'file');
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { maxLength: 5 }),
        fc.array(fc.tuple(name, fc.option(name, { nil: undefined })), { maxLength: 8 }),
        (names, questions) => {
          const folder = scratch();
          for (const one of names) {
            const at = join(folder, one);
            if (one === 'link') symlinkSync('a', at);
            else if (one === 'gone') symlinkSync('nowhere', at);
            else if (one === 'file' || one === '.mcp.json') writeFileSync(at, one);
            else mkdirSync(at);
          }
          const listed = listedReader(realReader, folder);
          for (const [first, second] of questions) {
            const path = second === undefined ? join(folder, first) : join(folder, first, second);
            expect(answers(listed, path)).toEqual(answers(realReader, path));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it.skipIf(process.getuid?.() === 0)('asks for each path in a folder that may not be listed', () => {
    const folder = scratch();
    writeFileSync(join(folder, 'a'), 'a');
    chmodSync(folder, 0o300);
    const listed = listedReader(realReader, folder);
    expect(listed.readFile(join(folder, 'a'))).toHaveLength(1);
    chmodSync(folder, 0o700);
  });
});
