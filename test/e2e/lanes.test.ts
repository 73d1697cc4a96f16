import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, runCli } from '../helpers/cli.ts';
import { packageWith } from '../helpers/package-copy.ts';
import { gitRepo, scratch } from '../helpers/repo.ts';

// A run over many roots shares them out among threads (src/cli/lanes.ts). The first thread is worth its start from a
// hundred roots on.
const ROOTS = 230;
let home = '';
let top = '';

beforeAll(async () => {
  home = makeHome();
  top = gitRepo();
  const first = join(top, 'p0');
  mkdirSync(first);
  const words = ['add', 'docs', 'http://127.0.0.1:9/mcp', '--root', 'p0', '--runtime', 'claude-code'];
  expect((await runCli([...words, '--yes', '--offline'], { cwd: top, home })).code).toBe(0);
  for (let at = 1; at < ROOTS; at += 1) cpSync(first, join(top, `p${at}`), { recursive: true });
  // Roots that differ, and two that cannot be read.
  writeFileSync(join(top, 'p3', '.mcp.json'), '{ "mcpServers": { "docs": { "type": "http", "url": "x" } } }');
  writeFileSync(join(top, 'p5', '.mcp.json'), '{ broken');
  writeFileSync(join(top, 'p7', '.tenon', 'manifest.json'), '{');
  writeFileSync(join(top, `p${ROOTS - 1}`, '.tenon', 'manifest.json'), '{ "schemaVersion": 99 }');
}, 120_000);

const run = (words: readonly string[], threads: string, packageDir?: string) =>
  runCli(words, {
    cwd: top,
    home,
    env: { TENON_THREADS: threads },
    timeoutMs: 90_000,
    ...(packageDir === undefined ? {} : { packageDir }),
  });

describe('many roots on several threads', () => {
  it.each([
    [['doctor', '--all-roots', '--offline', '--json']],
    [['doctor', '--all-roots', '--offline']],
    [['sync', '--check', '--all-roots']],
    [['status', '--all-roots', '--quiet']],
    [['status', '--all-roots', '--format', 'sarif']],
  ])(
    '%j says what one thread says',
    async (words) => {
      const one = await run(words, '1');
      expect(one.stdout.length + one.stderr.length).toBeGreaterThan(0);
      expect(one.code).toBeLessThanOrEqual(1);
      const { code, stdout, stderr } = await run(words, '3');
      expect({ code, stdout, stderr }).toEqual({ code: one.code, stdout: one.stdout, stderr: one.stderr });
    },
    120_000,
  );

  it('refuses as one thread does what no root can be asked', async () => {
    const words = ['doctor', '--all-roots', '--offline', '--runtime', 'nonesuch'];
    const [one, more] = [await run(words, '1'), await run(words, '3')];
    expect(one.code).toBe(2);
    expect(more.stderr).toBe(one.stderr);
    expect(more.code).toBe(2);
  }, 120_000);

  const words = ['doctor', '--all-roots', '--offline', '--json'];

  it('starts them, as many as are allowed', async () => {
    const marks = scratch();
    const lane = `const { threadId } = require('node:worker_threads');
require('node:fs').writeFileSync(${JSON.stringify(`${marks}/`)} + threadId, '');
require('./load.cjs').lane();`;
    const packageDir = packageWith({ 'bin/lane.cjs': lane });
    await run(words, '1', packageDir);
    expect(existsSync(join(marks, '1'))).toBe(false);
    await run(words, '9', packageDir);
    expect(existsSync(join(marks, '2'))).toBe(true);
    // Two hundred roots are worth two of them.
    expect(existsSync(join(marks, '3'))).toBe(false);
  }, 120_000);

  it.runIf(process.platform === 'linux')(
    'starts none where few files may be open at once, which they would take from each other',
    async () => {
      const one = await run(words, '1');
      const { status, stdout, stderr } = spawnSync(
        'bash',
        ['-c', 'ulimit -n "$0"; exec "$@"', '24', process.execPath, BIN, ...words],
        { cwd: top, env: cleanEnv(home, { TENON_THREADS: '3' }), encoding: 'utf8', maxBuffer: 1e9 },
      );
      expect({ code: status, stdout, stderr }).toEqual({ code: one.code, stdout: one.stdout, stderr: '' });
    },
    120_000,
  );

  it.each([
    ['does not start', 'throw new Error("no")'],
    ['ends at once', 'process.exit(3)'],
    [
      'ends with a root that it took',
      `const { parentPort } = require('node:worker_threads');
const post = parentPort.postMessage.bind(parentPort);
let left = 5;
parentPort.postMessage = (message) => { if ((left -= 1) < 0) process.exit(1); post(message); };
require('./load.cjs').lane();`,
    ],
  ])(
    'does itself what a thread leaves that %s',
    async (_, lane) => {
      const one = await run(words, '1');
      const other = await run(words, '3', packageWith({ 'bin/lane.cjs': lane }));
      expect(other.stdout).toBe(one.stdout);
      expect(other.stderr).toBe('');
      expect(other.code).toBe(one.code);
    },
    120_000,
  );

  it.each(['1', '3'])(
    'is ended by Ctrl-C at once, with %s of them',
    async (threads) => {
      const { code, stdout, stderr } = await runCli(['doctor', '--all-roots', '--offline'], {
        cwd: top,
        home,
        // When this root is looked at, while others are still to come.
        env: { TENON_THREADS: threads, INT_CALL: 'lstatSync', INT_PATH: '/p11/.tenon/' },
        nodeArgs: ['--require', resolve('test/helpers/interrupt-preload.cjs')],
      });
      expect(code).toBe(130);
      expect(stderr).toContain('run/interrupted');
      expect(stdout).toBe('');
    },
    120_000,
  );
});
