import { describe, expect, test } from 'vitest';
import { launchNotes, launchOf, unpinnedPackage } from '../../../src/trust/launch.ts';

describe('a launch that fetches without a fixed version', () => {
  test.each<[string, string | undefined]>([
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
    ['podman --log-level debug run image', 'image'],
    ['docker run --env-file .env --network host image', 'image'],
    ['docker run --rm registry.example:5000/image', 'registry.example:5000/image'],
    ['NPX.EXE pkg', 'pkg'],
    ['npx -c x pkg', 'pkg'],
    ['npx --call x --registry https://r.example -w a --workspace b pkg', 'pkg'],
    ['npx -p pinned@1.2.3 -p pkg other', 'pkg'],
    ['npx @scope', '@scope'],
    ['npx pkg@1.2.3.4', 'pkg@1.2.3.4'],
    ['npx pkg@v1.2', 'pkg@v1.2'],
    ['npx pkg@x1.2.3', 'pkg@x1.2.3'],
    [`npx github:acme/pkg#${'a'.repeat(39)}`, `github:acme/pkg#${'a'.repeat(39)}`],
    ['npm x pkg', 'pkg'],
    ['CMD.EXE /C npx pkg', 'pkg'],
    ['env -i A=1 B=2 npx pkg', 'pkg'],
    ['env sh -c npx', undefined],
    ['uvx --spec=pkg other', 'pkg'],
    ['uvx --from=pkg other', 'pkg'],
    ['uvx --spec pkg other', 'pkg'],
    ['uvx --with more --index-url https://i.example pkg', 'pkg'],
    ['uvx pkg==1', 'pkg==1'],
    ['uvx pkg@latest', 'pkg@latest'],
    ['deno run jsr:@scope/pkg', 'jsr:@scope/pkg'],
    ['env /opt/a=b/npx pkg', 'pkg'],
    ['npx @1.2.3', '@1.2.3'],
  ])('%s', (line, expected) => {
    expect(unpinnedPackage(line.split(' '))).toBe(expected);
  });

  test('inside a shell', () => {
    expect(unpinnedPackage(['sh', '-c', 'exec npx -y pkg'])).toBe('pkg');
    expect(unpinnedPackage(['/bin/bash', '-lc', '  npx   -y\tpkg '])).toBe('pkg');
    expect(unpinnedPackage(['zsh', '-c', 'npx exec pkg'])).toBe('exec');
    expect(unpinnedPackage(['sh', '-c'])).toBeUndefined();
    expect(unpinnedPackage(['sh', '-x', 'npx pkg'])).toBeUndefined();
    expect(unpinnedPackage(['fish', '-c', 'npx pkg'])).toBeUndefined();
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
    'uv tool install pkg',
    'pipx install pkg',
    'npm start pkg',
    'node exec pkg',
    'node x pkg',
    'node dlx pkg',
    'node run pkg',
    'bun run pkg',
    'yarn run pkg',
    'npm run dlx',
    'cmd npx pkg',
    'cmd /c',
    'cmd /cx npx pkg',
    'other /c npx pkg',
    'env A=1',
    'npx',
    'npx -y',
    'uvx',
    'uvx --from',
    'npx ../tools/x',
    'npx /opt/x',
    `npx github:acme/pkg#${'a'.repeat(40)}`,
    'npx pkg@v1.2.3+build.5',
    'uvx --from=./tools pkg',
    'uvx pkg@v1.2',
    'uvx pkg@1.22.33',
    'uvx pkg==1.22.33',
    'node tool run pkg',
    'uv x run pkg',
    'docker run',
    'docker build image',
    'docker run registry.example:5000/image:1.2',
    '',
  ])('fixed or not fetched: %s', (line) => {
    expect(unpinnedPackage(line.split(' '))).toBeUndefined();
  });
});

describe('what is started', () => {
  test('is the program of a server with its arguments, and nothing of anything else', () => {
    const server = (more: object) => launchOf({ kind: 'mcp-server', name: 'x', ...more } as never);
    expect(server({ stdio: { command: 'node', args: ['a', 'b'] } })).toEqual(['node', 'a', 'b']);
    expect(server({ http: { url: 'https://x.example' } })).toEqual([]);
    expect(server({ kind: 'hook', stdio: { command: 'node', args: [] } })).toEqual([]);
  });
});

describe('notes', () => {
  test.each([
    ['npm', true],
    ['/usr/bin/python3', true],
    ['C:\\tools\\node.exe', true],
    ['PWSH', true],
    ['npm.cmd', true],
    ['gradlew', true],
    ['nodejs-thing', false],
    ['my-npm', false],
    ['acme', false],
  ])('%s may run code of the repository: %s', (program, says) => {
    expect(launchNotes([program, 'x'], []).some((note) => note.includes('may run code'))).toBe(says);
  });

  test('say what no grant can bind', () => {
    const print = `sha256:${'0'.repeat(64)}` as const;
    const inTurn =
      'what the named files load or start in turn is not bound: it may change without a new grant';
    expect(launchNotes(['node', 'a.mjs'], [{ path: 'a.mjs', print }])).toEqual([inTurn]);
    expect(launchNotes(['node', 'a.mjs'], [{ path: 'a.mjs', print: null }])).toEqual([
      'runs code of this repository whose bytes are not bound: it may change without a new grant',
      inTurn,
    ]);
    expect(launchNotes(['npm', 'start'], [])).toEqual([
      'may run code of this repository that can change without a new grant',
    ]);
    expect(launchNotes(['npx', 'pkg'], []).join()).toContain('pkg without a fixed version');
    expect(launchNotes([], [])).toEqual([]);
  });
});
