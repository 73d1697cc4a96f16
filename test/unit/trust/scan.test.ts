import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/engine/fingerprint.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import type { RuntimeSpec } from '../../../src/runtimes/schema.ts';
import { type MemoryEntry, memorySystem } from '../../../src/system/memory.ts';
import type { ExecResult, Reader, System } from '../../../src/system/ports.ts';
import { placesOf } from '../../../src/trust/places.ts';
import { takeInventory } from '../../../src/trust/scan.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const spec = {
  id: 'one',
  files: {
    mcp: { scope: 'project', paths: ['.one/mcp.json'], create: '.one/mcp.json', format: 'json' },
  },
  fileFolders: ['.one/hooks'],
} as unknown as RuntimeSpec;
const places = placesOf([spec]);
const ROOT = { root: '/repo', commonDir: '/repo/.git' } as unknown as Parameters<typeof takeInventory>[1];
const GIT = { '/usr/bin/git': { text: '', mode: 0o755 } };

interface Asked {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

function world(
  files: Record<string, MemoryEntry>,
  answer: Partial<ExecResult> = { code: 1 },
  git: Record<string, MemoryEntry> = GIT,
): System & { readonly asked: Asked[] } {
  const below = Object.fromEntries(Object.entries(files).map(([path, entry]) => [`/repo/${path}`, entry]));
  const system = memorySystem({ ...below, ...git }, { env: { PATH: '/usr/bin:/repo/bin', SECRET: 'x' } });
  const asked: Asked[] = [];
  const run: System['exec']['run'] = (command, args, { env, cwd }) => {
    asked.push({ command, args, env, cwd });
    return { code: 1, stdout: '', stderr: '', ...answer };
  };
  return { ...system, exec: { ...system.exec, run }, asked };
}
const scan = (system: System) => takeInventory(system, ROOT, places);
const pathsIn = (system: System) => scan(system).entries.map(({ path }) => path);
const withReader = (system: System, change: Partial<Reader>): System => ({
  ...system,
  reader: { ...system.reader, ...change },
});
const refusal = (system: System): unknown => {
  try {
    scan(system);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the inventory', () => {
  test('lists what counts, sorted, at every depth, and neither git, packages nor the rest', () => {
    const system = world({
      'src/index.ts': 'x',
      'b/.one/mcp.json': '{}',
      '.one/mcp.json': '{}',
      '.one/hooks/run.sh': 'x',
      '.envrc': 'x',
      'node_modules/p/.envrc': 'x',
      'a/node_modules/p/.envrc': 'x',
      'sub/.git/.envrc': 'x',
      '.git/config': 'x',
    });
    const { entries, skipped } = scan(system);
    expect(entries.map(({ path, kind, class: says }) => `${path} ${kind} ${says}`)).toEqual([
      '.envrc environment executable',
      '.one/hooks/run.sh file-folder executable',
      '.one/mcp.json config declarative-only',
      'b/.one/mcp.json config declarative-only',
    ]);
    expect([...skipped].sort()).toEqual(['a/node_modules', 'node_modules']);
    expect(entries[1]).toEqual({
      path: '.one/hooks/run.sh',
      kind: 'file-folder',
      class: 'executable',
      print: sha256('x'),
      size: 1,
      link: false,
      runtimes: ['one'],
      servers: [],
    });
  });

  test('names git hooks that git would run, not samples and folders', () => {
    const system = world({
      '.git/hooks/pre-push': { text: 'x', mode: 0o755 },
      '.git/hooks/pre-push.sample': 'x',
      '.git/hooks/folder/x': 'x',
    });
    expect(scan(system).entries).toMatchObject([
      { path: '.git/hooks/pre-push', kind: 'git-hook', class: 'executable', print: sha256('x') },
    ]);
  });

  test('names a link by where it leads and does not follow it', () => {
    const system = world({
      '.one': { link: '../öutside' },
      'a/.one/mcp.json': { link: '/etc/passwd' },
      'b/.one/hooks': { link: 'nowhere' },
      'c/plain': { link: 'nowhere' },
    });
    expect(scan(system).entries).toMatchObject([
      {
        path: '.one',
        kind: 'hook',
        class: 'executable',
        link: true,
        print: sha256('../öutside'),
        size: 11,
        servers: [],
      },
      {
        path: 'a/.one/mcp.json',
        kind: 'config',
        class: 'executable',
        link: true,
        print: sha256('/etc/passwd'),
      },
      { path: 'b/.one/hooks', link: true },
    ]);
  });

  test('counts a text that is no UTF-8, and a program among texts, as executable', () => {
    const system = world({
      // `{"a":"…"}` with one byte that is no UTF-8: nobody knows what a client makes of it.
      '.one/mcp.json': new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
      '.one/hooks/a.md': 'x',
      '.one/hooks/b.md': { text: 'x', mode: 0o744 },
      '.one/hooks/c.md': { text: 'x', mode: 0o645 },
    });
    expect(scan(system).entries.map((one) => one.class)).toEqual([
      'model-influencing',
      'executable',
      'executable',
      'executable',
    ]);
  });

  test('has a digest that changes with every entry, byte and mode that counts, and with nothing else', () => {
    const start: Record<string, MemoryEntry> = { '.one/hooks/a.md': 'x', 'src/x.ts': 'x' };
    const digest = (change: Record<string, MemoryEntry>) => scan(world({ ...start, ...change })).digest;
    const base = digest({});
    expect(digest({ 'src/x.ts': 'other', 'more.ts': 'x' })).toBe(base);
    const others = [
      digest({ '.one/hooks/a.md': 'y' }),
      digest({ '.one/hooks/a.md': { text: 'x', mode: 0o755 } }),
      digest({ '.one/hooks/a.md': { link: 'x' } }),
      digest({ '.one/hooks/b.md': 'x' }),
      scan(world(start, { code: 0, stdout: 'x\n' })).digest,
    ];
    expect(new Set([base, ...others]).size).toBe(6);
  });
});

describe('the folder of hooks that git is told to use', () => {
  test.each<[Partial<ExecResult>, string | undefined]>([
    [{ code: 0, stdout: '.other\n' }, 'core.hooksPath=.other'],
    [{ code: 0, stdout: '.other\r\n' }, 'core.hooksPath=.other'],
    [{ code: 0, stdout: ' a\nb\n' }, 'core.hooksPath= a\nb'],
    [{ code: 0, stdout: '\n' }, undefined],
    [{ code: 1, stdout: '.other\n' }, undefined],
    [{ code: undefined, stdout: '.other\n' }, undefined],
  ])('%j', (answer, expected) => {
    const { entries } = scan(world({}, answer));
    expect(entries.map(({ path }) => path)).toEqual(expected === undefined ? [] : [expected]);
    if (expected === undefined) return;
    const value = expected.slice('core.hooksPath='.length);
    expect(entries[0]).toEqual({
      path: expected,
      kind: 'git-hooks-path',
      class: 'executable',
      print: sha256(value),
      size: value.length,
      link: false,
      runtimes: [],
      servers: [],
    });
  });

  test("is asked for in the repository's own settings, with nothing of the environment but PATH", () => {
    const system = world({});
    scan(system);
    expect(system.asked).toEqual([
      {
        command: '/usr/bin/git',
        args: ['config', '--get', 'core.hooksPath'],
        cwd: '/repo',
        env: { PATH: '/usr/bin:/repo/bin', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
      },
    ]);
  });

  test('is not asked of a git that lies in the repository', () => {
    const system = world({ 'bin/git': { text: '', mode: 0o755 } }, {}, {});
    expect(refusal(system)).toMatchObject({
      code: 'trust/scan-limit',
      exit: 4,
      message:
        'core.hooksPath cannot be asked for without a git outside this repository, so no inventory is complete',
    });
    expect(system.asked).toEqual([]);
  });
});

describe('no inventory at all where something would be left out', () => {
  const says = (why: string) => ({
    code: 'trust/scan-limit',
    exit: 4,
    message: `${why}, so no inventory is complete`,
    remedy: { text: 'Look at it, take it out of the repository, or scan a smaller root with --root' },
  });
  const large = (bytes: number) => world({ '.one/hooks/x': new Uint8Array(bytes) });

  test('because a file is too large', () => {
    expect(pathsIn(large(2 * 1024 * 1024))).toEqual(['.one/hooks/x']);
    expect(refusal(large(2 * 1024 * 1024 + 1))).toMatchObject(says('.one/hooks/x is larger than 2 MiB'));
    expect(pathsIn(world({ 'src/x': new Uint8Array(3 * 1024 * 1024) }))).toEqual([]);
  });

  test('because a folder lies too deep', () => {
    const deep = (count: number) => world({ [`${'d/'.repeat(count)}.envrc`]: 'x' });
    expect(pathsIn(deep(40))).toHaveLength(1);
    expect(refusal(deep(41))).toMatchObject(says(`${'d/'.repeat(40)}d lies deeper than 40 folders`));
  });

  test('because there are too many entries', () => {
    const many = (count: number): System => {
      const names = Array.from({ length: count }, (_, at) => `${at}`);
      const system = world({ '.one/hooks/0': 'x' });
      const inHooks = (path: string) => path.startsWith('/repo/.one/hooks/');
      return withReader(system, {
        list: (path) => (path === '/repo/.one/hooks' ? names : system.reader.list(path)),
        lstat: (path) => system.reader.lstat(inHooks(path) ? '/repo/.one/hooks/0' : path),
        readFile: (path, limit) => system.reader.readFile(inHooks(path) ? '/repo/.one/hooks/0' : path, limit),
      });
    };
    expect(pathsIn(many(2000))).toHaveLength(2000);
    expect(refusal(many(2001))).toMatchObject(says('.one/hooks/2000 is one entry more than 2000'));
  });

  test('because there are too many files', () => {
    const many = (count: number): System => {
      const names = Array.from({ length: count }, () => 'gone');
      const system = world({});
      return withReader(system, {
        list: (path) => (path === '/repo' ? names : system.reader.list(path)),
        lstat: () => undefined,
      });
    };
    expect(pathsIn(many(250_000))).toEqual([]);
    expect(refusal(many(250_001))).toMatchObject(says('. the repository has over 250000 files'));
  });

  test('because something cannot be read', () => {
    const system = world({ '.one/hooks/x': 'x' });
    const denied = (): never => {
      throw Object.assign(new Error('no'), { code: 'EACCES' });
    };
    const deniedIn = withReader(system, {
      list: (path) => (path === '/repo/.one' ? denied() : system.reader.list(path)),
    });
    expect(refusal(deniedIn)).toMatchObject(says('.one cannot be read'));
    expect(refusal(withReader(system, { list: denied }))).toMatchObject(says('. cannot be read'));
    expect(refusal(withReader(system, { readFile: denied }))).toMatchObject(
      says('.one/hooks/x cannot be read'),
    );
    expect(refusal(withReader(system, { readFile: () => undefined }))).toMatchObject(
      says('.one/hooks/x cannot be read'),
    );
  });

  test('because it is no file, with control characters made visible', () => {
    const system = world({ '.one/hooks/\u001b[2Jx': 'x' });
    const odd = withReader(system, {
      lstat: (path) => {
        const stat = system.reader.lstat(path);
        return stat?.kind === 'file' ? { ...stat, kind: 'other' } : stat;
      },
    });
    const message = (refusal(odd) as Error).message;
    expect(message).toContain('is neither a file, a folder nor a link');
    expect(message).not.toContain('\u001b');
  });
});
