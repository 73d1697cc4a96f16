import { describe, expect, test } from 'vitest';
import { launchNotes, unpinnedPackage } from '../../../src/trust/launch.ts';

describe('a launch that fetches without a fixed version', () => {
  test.each<[string, string]>([
    ['npx pkg', 'pkg'],
    ['npx -y @scope/pkg', '@scope/pkg'],
    ['npx -y pkg@latest', 'pkg@latest'],
    ['npx pkg@^1.2.3', 'pkg@^1.2.3'],
    ['npx pkg@1', 'pkg@1'],
    ['npx --package pkg other', 'pkg'],
    ['npx --package=pkg other', 'pkg'],
    ['npx.cmd pkg', 'pkg'],
    ['/usr/bin/npx pkg', 'pkg'],
    ['cmd /c npx pkg', 'pkg'],
    ['env A=1 npx pkg', 'pkg'],
    ['npm exec pkg', 'pkg'],
    ['pnpm dlx pkg', 'pkg'],
    ['yarn dlx pkg', 'pkg'],
    ['bunx pkg', 'pkg'],
    ['bun x pkg', 'pkg'],
    ['uvx pkg', 'pkg'],
    ['uvx pkg>=1', 'pkg>=1'],
    ['uvx --python 3.12 pkg', 'pkg'],
    ['uvx --from git+https://example.com/x pkg', 'git+https://example.com/x'],
    ['uv tool run pkg', 'pkg'],
    ['pipx run pkg', 'pkg'],
    ['deno run npm:pkg', 'npm:pkg'],
    ['docker run -i --rm image', 'image'],
    ['docker run -e KEY image:latest', 'image:latest'],
  ])('%s', (line, expected) => {
    expect(unpinnedPackage(line.split(' '))).toBe(expected);
  });

  test('inside a shell', () => {
    expect(unpinnedPackage(['sh', '-c', 'exec npx -y pkg'])).toBe('pkg');
  });

  test.each([
    'npx pkg@1.2.3',
    'npx -y @scope/pkg@1.2.3-beta.1',
    'npx --package=pkg@1.2.3 other',
    'npx ./tools/x',
    'uvx pkg==1.2.3',
    'uvx pkg@1.2.3',
    `uvx --from git+https://example.com/x@${'a'.repeat(40)} pkg`,
    'uvx --from ./tools pkg',
    'deno run npm:pkg@1.2.3',
    'docker run --rm image:1.2.3',
    `docker run image@sha256:${'0'.repeat(64)}`,
    'node server.mjs',
    'uv run server.py',
    '',
  ])('fixed or not fetched: %s', (line) => {
    expect(unpinnedPackage(line.split(' '))).toBeUndefined();
  });
});

describe('notes', () => {
  test('say what no grant can bind', () => {
    const print = `sha256:${'0'.repeat(64)}` as const;
    expect(launchNotes(['node', 'a.mjs'], [{ path: 'a.mjs', print }])).toHaveLength(1);
    expect(launchNotes(['node', 'a.mjs'], [{ path: 'a.mjs', print: null }])).toHaveLength(2);
    expect(launchNotes(['npm', 'start'], [])).toEqual([
      'may run code of this repository that can change without a new grant',
    ]);
    expect(launchNotes(['npx', 'pkg'], []).join()).toContain('pkg without a fixed version');
    expect(launchNotes([], [])).toEqual([]);
  });
});
