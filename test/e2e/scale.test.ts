import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { makeHome, runCli, runTerminal } from '../helpers/cli.ts';
import { packageWith } from '../helpers/package-copy.ts';
import { gitRepo, scratch } from '../helpers/repo.ts';

const COUNTS = [4, 8, 16] as const;
let home = '';
let bin = '';
let top = '';

/** So many roots with one server for three coding tools each: the first as the program writes it, the others its copies. */
function grow(from: number, to: number): void {
  for (let at = from; at < to; at += 1) cpSync(join(top, 'p0'), join(top, `p${at}`), { recursive: true });
}

beforeAll(async () => {
  home = makeHome();
  top = gitRepo();
  mkdirSync(join(top, 'p0'));
  const runtimes = ['claude-code', 'codex', 'opencode'].flatMap((id) => ['--runtime', id]);
  const words = ['add', 'docs', 'http://127.0.0.1:9/mcp', '--root', 'p0', ...runtimes];
  expect((await runCli([...words, '--yes', '--offline'], { cwd: top, home })).code).toBe(0);
  bin = scratch();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch ${join(bin, 'asked')}\n`);
  chmodSync(join(bin, 'git'), 0o755);
});

const COMMANDS = [
  ['doctor', '--all-roots', '--offline', '--json'],
  ['sync', '--check', '--all-roots', '--json'],
  ['status', '--all-roots', '--json'],
];

it('--all-roots asks the disk in proportion to the roots, and starts no program', async () => {
  const file = join(bin, 'count');
  // What is kept of compiled code grows in the first runs of a package, and is read as files.
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    COUNT_FILE: file,
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
  const nodeArgs = ['--require', resolve('test/helpers/count-calls.cjs')];
  const calls = COMMANDS.map((): number[] => []);
  for (const [index, count] of COUNTS.entries()) {
    grow(COUNTS[index - 1] ?? 1, count);
    for (const [which, words] of COMMANDS.entries()) {
      const run = await runCli(words, { cwd: top, home, env, nodeArgs, timeoutMs: 90_000 });
      expect(JSON.parse(run.stdout).data.roots).toHaveLength(count);
      calls[which]?.push(Number(readFileSync(file, 'utf8')));
    }
  }
  for (const [which, [few = 0, more = 0, most = 0]] of calls.entries()) {
    const first = (more - few) / (COUNTS[1] - COUNTS[0]);
    const second = (most - more) / (COUNTS[2] - COUNTS[1]);
    expect(second / first, COMMANDS[which]?.join(' ')).toBeGreaterThan(0.95);
    expect(second / first, COMMANDS[which]?.join(' ')).toBeLessThan(1.05);
  }
  expect(existsSync(join(bin, 'asked'))).toBe(false);
}, 180_000);

it('tells a terminal, and nobody else, how far it is', async () => {
  const words = ['status', '--all-roots'];
  const { raw } = await runTerminal(words, [], { cwd: top, home });
  expect(raw).toMatch(/Root 2 of \d+/);
  const { stdout, stderr } = await runCli(words, { cwd: top, home });
  expect(stdout + stderr).not.toContain('Root 2 of');
}, 120_000);

const SERVERS = [6, 12, 24] as const;
const TOOLS = ['claude-code', 'codex', 'opencode', 'gemini-cli', 'cursor'].flatMap((id) => ['--runtime', id]);

const manyServers = (count: number): string =>
  JSON.stringify({
    schemaVersion: 1,
    id: `many-${count}`,
    version: '1.0.0',
    title: 'Many',
    summary: 'Many servers.',
    inputs: [],
    endpoints: [],
    artifacts: Array.from({ length: count }, (_, at) => ({
      kind: 'mcp-server',
      name: `server-${at}`,
      required: false,
      server: `server-${at}`,
      http: { url: `https://server-${at}.example/mcp` },
    })),
  });

/** Of each command, how much more a server costs when there are twice as many: 1 is linear, 2 quadratic. */
const STEPS: readonly { readonly words: (name: string) => string[]; readonly most: number }[] = [
  // Every edit is proved on the text around it, which holds the other servers: that part is quadratic, nothing is worse.
  { words: (name) => ['setup', name, ...TOOLS, '--yes', '--offline'], most: 2.1 },
  { words: (name) => ['setup', name, ...TOOLS, '--yes', '--offline'], most: 1.15 },
  { words: () => ['status'], most: 1.15 },
  { words: () => ['doctor', '--offline'], most: 1.15 },
  { words: () => ['sync', '--check'], most: 1.15 },
  { words: (name) => ['uninstall', name, '--yes'], most: 2.1 },
];

it('runs as many steps as there are servers, in proportion', async () => {
  const packageDir = packageWith(
    Object.fromEntries(
      SERVERS.map((count) => [`templates/many-${count}/integration.json`, manyServers(count)]),
    ),
  );
  const nodeArgs = ['--require', resolve('test/helpers/count-functions.cjs')];
  const counts = await Promise.all(
    SERVERS.map(async (count): Promise<number[]> => {
      const [root, own, file] = [gitRepo(), makeHome(), join(scratch(), 'count')];
      const env = { COUNT_FILE: file, TENON_ANSWERS: '0', NODE_DISABLE_COMPILE_CACHE: '1' };
      const steps: number[] = [];
      for (const { words } of STEPS) {
        const given = words(`many-${count}`);
        const run = await runCli(given, {
          cwd: root,
          home: own,
          env,
          nodeArgs,
          packageDir,
          timeoutMs: 120_000,
        });
        expect(run.code, `${given[0]} ${run.stderr}`).toBe(0);
        steps.push(Number(readFileSync(file, 'utf8')));
      }
      return steps;
    }),
  );
  for (const [at, { words, most }] of STEPS.entries()) {
    const [few = 0, more = 0, many = 0] = counts.map((steps) => steps[at] ?? 0);
    const [first, second] = [
      (more - few) / (SERVERS[1] - SERVERS[0]),
      (many - more) / (SERVERS[2] - SERVERS[1]),
    ];
    expect(first, words('').join(' ')).toBeGreaterThan(100);
    expect(second / first, `${at + 1}: ${words('').join(' ')}`).toBeLessThan(most);
  }
}, 300_000);

it('asks an endpoint that many roots name once', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(503).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const { port } = server.address() as AddressInfo;
    const [root, own] = [gitRepo(), makeHome()];
    mkdirSync(join(root, 'p0'));
    const words = ['add', 'docs', `http://127.0.0.1:${port}/mcp`, '--root', 'p0', '--runtime', 'claude-code'];
    expect((await runCli([...words, '--yes', '--offline'], { cwd: root, home: own })).code).toBe(0);
    expect(asked).toBe(0);
    const look = async (): Promise<number> => {
      const before = asked;
      const run = await runCli(['doctor', '--all-roots', '--online', '--json'], { cwd: root, home: own });
      const { data } = JSON.parse(run.stdout);
      for (const one of data.roots)
        expect(one.data.checks.find(({ id }: { id: string }) => id.startsWith('endpoint/'))?.status).toBe(
          'fail',
        );
      return asked - before;
    };
    const alone = await look();
    expect(alone).toBeGreaterThan(0);
    for (const name of ['p1', 'p2', 'p3']) cpSync(join(root, 'p0'), join(root, name), { recursive: true });
    expect(await look()).toBe(alone);
  } finally {
    server.close();
  }
}, 120_000);
