import { cpSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeHome, PACKAGE, runCli } from '../helpers/cli.ts';
import { gitRepo, scratch } from '../helpers/repo.ts';

const VERSION = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')).version;
const SETUP = ['setup', 'tenon', '--runtime', 'claude-code', '--yes', '--offline'];

let packageDir = '';
let cache = '';
let home = '';
let cwd = '';

beforeEach(() => {
  packageDir = scratch();
  for (const part of ['bin', 'dist', 'templates', 'package.json']) {
    cpSync(join(PACKAGE, part), join(packageDir, part), {
      recursive: true,
      filter: (source) => !source.includes(join('dist', 'cache')),
    });
  }
  cache = join(packageDir, 'dist', 'cache');
  home = makeHome();
  cwd = gitRepo();
});

const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  // The program itself is the subject here, not the answers that it kept.
  const { code, stdout, stderr } = await runCli(args, {
    cwd,
    home,
    packageDir,
    env: { TENON_ANSWERS: '0', ...env },
  });
  return { code, stdout, stderr };
};

const holds = (file: string, text: string): boolean => readFileSync(file, 'latin1').includes(text);

const kept = (): string[] =>
  existsSync(cache)
    ? readdirSync(cache, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('.cjs'))
        .sort()
    : [];

describe('the code that V8 made of the program', () => {
  it('is begun beside the program by a run that writes, by no other, and is used', async () => {
    const before = await run(['status']);
    expect(before.code).toBe(0);
    expect(kept()).toEqual([]);
    expect((await run(SETUP)).code).toBe(0);
    const files = kept();
    expect(files.some((name) => name.endsWith('cli.cjs'))).toBe(true);
    expect(files.filter((name) => /\.cjs\.\d+$/.test(name))).toEqual([]);
    const times = files.map((name) => statSync(join(cache, name)).mtimeMs);
    expect((await run(SETUP)).stdout).toContain('Nothing to do');
    expect(files.map((name) => statSync(join(cache, name)).mtimeMs)).toEqual(times);
    // The first run of a command adds what it needed, the next one changes nothing.
    expect((await run(['status'])).code).toBe(0);
    const more = kept();
    expect(more.length).toBeGreaterThan(files.length);
    const later = more.map((name) => statSync(join(cache, name)).mtimeMs);
    expect((await run(['status'])).code).toBe(0);
    expect(more.map((name) => statSync(join(cache, name)).mtimeMs)).toEqual(later);
  });

  it('is not used for a chunk that changed, and one that is damaged is passed over', async () => {
    expect((await run(SETUP)).code).toBe(0);
    const dist = join(packageDir, 'dist');
    const entry = join(
      dist,
      readdirSync(dist).find((name) => /\.cjs$/.test(name) && holds(join(dist, name), `\`${VERSION}\``)) ??
        '',
    );
    const other = `9.${VERSION.slice(2)}`;
    writeFileSync(entry, readFileSync(entry, 'utf8').replace(`\`${VERSION}\``, `\`${other}\``));
    utimesSync(entry, 5_000, 5_000);
    expect((await run(['--version', '--json'])).stdout).toContain(`"version":"${other}"`);
    for (const name of kept()) {
      const bytes = readFileSync(join(cache, name));
      writeFileSync(join(cache, name), bytes.subarray(0, Math.floor(bytes.length / 2)));
    }
    expect(await run(['status'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('is neither kept nor used with NODE_DISABLE_COMPILE_CACHE', async () => {
    expect((await run(SETUP, { NODE_DISABLE_COMPILE_CACHE: '1' })).code).toBe(0);
    expect(kept()).toEqual([]);
  });

  it('is made of chunks of ASCII alone, which are read without decoding', () => {
    const dist = join(PACKAGE, 'dist');
    for (const name of readdirSync(dist).filter((one) => /\.cjs(\.br)?$/.test(one))) {
      const bytes = readFileSync(join(dist, name));
      const code = name.endsWith('.br') ? brotliDecompressSync(bytes) : bytes;
      expect(
        code.every((byte) => byte < 0x80),
        name,
      ).toBe(true);
    }
  });
});
