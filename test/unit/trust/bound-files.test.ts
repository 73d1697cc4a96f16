import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/engine/fingerprint.ts';
import type { ExpandedArtifact } from '../../../src/integrations/types.ts';
import { type MemoryEntry, memorySystem } from '../../../src/system/memory.ts';
import type { Reader } from '../../../src/system/ports.ts';
import { boundFiles } from '../../../src/trust/bound-files.ts';

const { reader } = memorySystem({
  '/repo/tools/x.mjs': 'x',
  '/repo/tools/odd .mjs': 'y',
  '/other/x.mjs': 'z',
  '/repo/tools/a.mjs': 'a',
  '/repo/tools/b.mjs': 'b',
});
const one = { artifact: { kind: 'mcp-server' }, files: new Map() } as unknown as ExpandedArtifact;
const bound = (args: readonly string[]) =>
  boundFiles(reader, 'linux', '/repo', one, { command: 'node', args }, 'tools/acme').map(
    ({ path, print }) => `${path} ${print === null ? 'not bound' : 'bound'}`,
  );

describe('files of the repository that a launch names', () => {
  test.each([
    'tools/x.mjs',
    './tools/x.mjs',
    'tools//x.mjs',
    './/tools/./x.mjs',
    'src/../tools/x.mjs',
    '--import=./tools/x.mjs',
    'file:tools/x.mjs',
    `\${CLAUDE_PROJECT_DIR}/tools/x.mjs`,
    `\${CLAUDE_PROJECT_DIR:-.}/tools/x.mjs`,
    `\${NOT_SET:-tools/x.mjs}`,
    `\${NOT_SET:-tools}/x.mjs`,
    '%ROOT%/tools/x.mjs',
  ])('are bound in every spelling: %s', (word) => {
    expect(bound([word])).toEqual(['tools/x.mjs bound']);
  });

  test('also with names that no integration may write', () => {
    expect(bound(['tools/odd .mjs'])).toEqual(['tools/odd .mjs bound']);
    expect(bound(['../other/x.mjs', '/other/x.mjs', 'a\0b'])).toEqual([]);
  });

  test('behind more words than are looked at count as not bound', () => {
    const many = Array.from({ length: 30_000 }, (_, at) => `--flag-${at}`);
    expect(bound([...many.slice(0, 600), 'tools/x.mjs'])).toEqual(['tools/x.mjs bound']);
    expect(bound([...many, 'tools/x.mjs'])).toEqual(['. not bound']);
  });

  test('behind a doubled slash after a variable, in nested values, sorted, each once', () => {
    expect(bound([`\${ROOT}//tools/x.mjs`, 'tools/x.mjs', 'tools/odd .mjs'])).toEqual([
      'tools/odd .mjs bound',
      'tools/x.mjs bound',
    ]);
    expect(bound(['tools/b.mjs', 'tools/x.mjs', 'tools/a.mjs'])).toEqual([
      'tools/a.mjs bound',
      'tools/b.mjs bound',
      'tools/x.mjs bound',
    ]);
    const value = { command: 'sh', args: ['-c', 'node tools/x.mjs --fast'], env: { A: ['tools/x.mjs'] } };
    expect(boundFiles(reader, 'linux', '/repo', one, value, 'tools/acme').map(({ path }) => path)).toEqual([
      'tools/x.mjs',
    ]);
  });
});

describe('a file whose bytes cannot be bound is named', () => {
  const print = (files: Record<string, MemoryEntry>, change: Partial<Reader> = {}) => {
    const system = memorySystem(files);
    return boundFiles(
      { ...system.reader, ...change },
      'linux',
      '/repo',
      one,
      { command: 'node', args: ['tools/x.mjs'] },
      'tools/acme',
    );
  };
  const unbound = [{ path: 'tools/x.mjs', print: null }];

  test('because a link leads out of the repository', () => {
    expect(print({ '/repo/tools/x.mjs': { link: '/other/x.mjs' }, '/other/x.mjs': 'x' })).toEqual(unbound);
    const inside = { '/repo/tools/x.mjs': { link: 'y.mjs' }, '/repo/tools/y.mjs': 'y' };
    expect(print(inside)).toEqual([{ path: 'tools/x.mjs', print: sha256('y') }]);
  });

  test('because it is larger than 2 MiB', () => {
    const of = (bytes: number) => print({ '/repo/tools/x.mjs': new Uint8Array(bytes) });
    expect(of(2 * 1024 * 1024)[0]?.print).toMatch(/^sha256:/);
    expect(of(2 * 1024 * 1024 + 1)).toEqual(unbound);
  });

  test('because it cannot be read', () => {
    const denied = (): never => {
      throw Object.assign(new Error('no'), { code: 'EACCES' });
    };
    expect(print({ '/repo/tools/x.mjs': 'x' }, { readFile: denied })).toEqual(unbound);
    expect(print({ '/repo/tools/x.mjs': 'x' }, { readFile: () => undefined })).toEqual(unbound);
    expect(print({ '/repo/tools/x.mjs': 'x' }, { realpath: () => undefined })).toEqual(unbound);
    expect(print({ '/repo/tools/x.mjs': { directory: true } })).toEqual([]);
  });
});

describe('bytes of the definition itself', () => {
  const own = { ...one, files: new Map([['run.mjs', new TextEncoder().encode('x')]]) } as ExpandedArtifact;
  const names = (kind: string, source: string) =>
    boundFiles(
      reader,
      'linux',
      '/repo',
      { ...own, artifact: { kind } } as ExpandedArtifact,
      { command: 'node', args: ['tools/x.mjs'] },
      source,
    ).map(({ path }) => path);

  test('written elsewhere by an earlier setup are bound already, in the folder of the definition they are named', () => {
    expect(names('mcp-server', 'elsewhere')).toEqual([]);
    expect(names('mcp-server', 'tools')).toEqual(['tools/x.mjs']);
    expect(names('setting', 'tools')).toEqual(['tools/x.mjs']);
  });

  test('are all that a hook or a file can run', () => {
    expect(names('hook', 'tools')).toEqual([]);
    expect(names('file', 'tools')).toEqual([]);
  });
});
