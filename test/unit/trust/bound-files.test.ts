import { describe, expect, test } from 'vitest';
import type { ExpandedArtifact } from '../../../src/integrations/types.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import { boundFiles } from '../../../src/trust/bound-files.ts';

const { reader } = memorySystem({
  '/repo/tools/x.mjs': 'x',
  '/repo/tools/odd .mjs': 'y',
  '/other/x.mjs': 'z',
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
});
