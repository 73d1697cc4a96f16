import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, setupVera } from '../helpers/bench.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN } from '../helpers/cli.ts';

// Several runs at once, and Ctrl-C.

const FILE = '{\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n';
const add = (name: string, index: number): string[] => [
  ...['add', name, `http://127.0.0.1:${9000 + index}/mcp`, '--runtime', 'claude-code', '--offline', '--yes'],
];

/** Adds so many servers at once; gives the names of those that say they are done. */
async function inParallel(repo: Bench, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `s${index}`);
  const runs = await Promise.all(
    names.map((name, index) => repo.json(add(name, index), { timeoutMs: 120_000 })),
  );
  for (const run of runs) {
    if (run.code === 0) continue;
    expectCode(run, 4);
    expect(run.document.error.code).toBe('state/busy');
  }
  return names.filter((_, index) => runs[index]?.code === 0);
}

describe('parallel adds to one file', () => {
  it.each([[6], [20]])(
    '%i of them all survive or end with state/busy',
    async (count) => {
      const repo = bench({ '.mcp.json': FILE });
      const done = await inParallel(repo, count);
      expect(done.length).toBeGreaterThan(0);
      const there = Object.keys(JSON.parse(repo.text('.mcp.json')).mcpServers).sort();
      expect(there).toEqual(['mine', ...done].sort());
      expect(Object.keys(JSON.parse(repo.text('.tenon/manifest.json')).servers).sort()).toEqual(done.sort());
      expectCode(await repo.run(['status']), 0);
      expectCode(await repo.run(['uninstall', '--yes']), 0);
      expect(repo.text('.mcp.json')).toBe(FILE);
      expect(fs.readdirSync(path.join(repo.home, '.local/state/tenon/journal'))).toEqual([]);
      if (process.env['TENON_TEST_FIGURES'] !== undefined) console.log(`${done.length} of ${count} survived`);
    },
    180_000,
  );
});

describe('other commands at once', () => {
  /** Everything that a repository and the state folder hold of what is set up. */
  const ended = async (repo: Bench): Promise<void> => {
    const pending = fs.readdirSync(path.join(repo.home, '.local/state/tenon/journal'));
    expect(pending.filter((name) => !name.endsWith('.lock'))).toEqual([]);
    const strays = Object.keys(repo.tree()).filter((name) => name.includes('.tenon-'));
    expect(strays).toEqual([]);
    expect((await repo.json(['recover'])).document.data.outcome).toBe('nothing');
  };
  const allOf = (repo: Bench, commands: readonly (readonly string[])[]) =>
    Promise.all(commands.map((args) => repo.json(args, { timeoutMs: 120_000 })));
  const told = (runs: readonly { code: number | null; stdout: string }[]): string =>
    runs.map(({ code, stdout }) => `${code}: ${stdout.slice(0, 600)}`).join('\n');

  it('setups, syncs and uninstalls end in one of the states that they lead to, and the ledger agrees', async () => {
    const repo = bench({ '.mcp.json': FILE, '.codex/config.toml': 'model = "m"\n' });
    const before = repo.tree();
    const setup = setupVera(['claude-code', 'codex']);
    expectCode(await repo.run(setup), 0);
    const set = repo.tree();
    const sync = ['sync', '--yes', '--offline'];
    const runs = await allOf(repo, [
      ...[setup, sync, ['uninstall', 'vera', '--yes'], sync, setup],
      ...[['uninstall', 'vera', '--yes'], sync, ['undo', '--yes'], ['status'], ['doctor', '--offline']],
    ]);
    for (const { code, document } of runs) {
      // Done, something to look at, told to wait, or overtaken by another run: never a fault, never half.
      expect([0, 1, 4, 6], told(runs)).toContain(code);
      if (code === 4)
        expect(['state/busy', 'undo/changed', 'undo/nothing'], told(runs)).toContain(document.error?.code);
    }
    await ended(repo);
    const tree = repo.tree();
    const isSet = JSON.stringify(tree) === JSON.stringify(set);
    expect(isSet ? set : before, told(runs)).toEqual(tree);
    const { document } = await repo.json(['status']);
    expect(document.data.state, told(runs)).toBe(isSet ? 'ok' : 'not-set-up');
    if (isSet) expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  }, 180_000);

  it('adds and uninstalls of several servers lose none that is done, and leave the user what was there', async () => {
    const repo = bench({ '.mcp.json': FILE });
    for (const index of [0, 1, 2]) expectCode(await repo.run(add(`old${index}`, index)), 0);
    const names = ['new0', 'new1', 'new2', 'new3'];
    const added = names.map((name, index) => add(name, 10 + index));
    const removed = [0, 1, 2].map((index) => ['uninstall', `old${index}`, '--yes']);
    const runs = await allOf(repo, [...added, ...removed]);
    for (const { code, document } of runs)
      if (code !== 0) expect([4, 6], `${document.error?.code}: ${told(runs)}`).toContain(code);
    await ended(repo);
    const there = Object.keys(JSON.parse(repo.text('.mcp.json')).mcpServers).sort();
    const expected = [
      'mine',
      ...names.filter((_, index) => runs[index]?.code === 0),
      ...[0, 1, 2].filter((index) => runs[names.length + index]?.code !== 0).map((index) => `old${index}`),
    ];
    expect(there, told(runs)).toEqual(expected.sort());
    expect((await repo.json(['status'])).document.data.state).toBe('ok');
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    expect(repo.text('.mcp.json')).toBe(FILE);
  }, 180_000);

  it('revoking trust, adopting, forgetting and exporting beside them break nothing', async () => {
    const repo = bench({ '.mcp.json': FILE });
    for (const index of [0, 1]) expectCode(await repo.run(add(`s${index}`, index)), 0);
    const runs = await allOf(repo, [
      ...[['trust', '--revoke'], add('s2', 2), ['trust', '--revoke'], ['adopt', '--yes'], add('s3', 3)],
      ...[
        ['forget', '.mcp.json#/mcpServers/s0', '--yes'],
        ['sync', '--yes', '--offline'],
        ['trust', '--list'],
      ],
      ...[['state', 'export', '../home/a.json'], ['state', 'repair'], ['recover'], ['status']],
    ]);
    for (const { code, document } of runs) {
      expect([0, 1, 4, 6], told(runs)).toContain(code);
      expect(String(document.error?.code), told(runs)).not.toMatch(/internal\/|run\/system-error|unreadable/);
    }
    await ended(repo);
    const trust = path.join(repo.home, '.local/state/tenon/trust');
    for (const name of fs.existsSync(trust) ? fs.readdirSync(trust) : [])
      JSON.parse(fs.readFileSync(path.join(trust, name), 'utf8'));
    const listed = await repo.json(['trust', '--list']);
    expectCode(listed, 0);
    expect(listed.document.findings).toEqual([]);
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    // What was forgotten is the user's from then on.
    const left = Object.keys(JSON.parse(repo.text('.mcp.json')).mcpServers);
    expect(left.filter((name) => name !== 's0')).toEqual(['mine']);
  }, 180_000);
});

/** Starts a run with its writes slowed down, sends SIGINT when a file appears, and waits for its end. */
function interruptAt(
  repo: Bench,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }> {
  const preload = path.resolve('test/helpers/interrupt-preload.cjs');
  const child = spawn(process.execPath, ['--require', preload, BIN, ...args, '--json'], {
    cwd: repo.root,
    env: cleanEnv(repo.home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal, stdout, stderr })));
}

describe('Ctrl-C', () => {
  const SETUP = setupVera(['claude-code', 'codex', 'opencode']);

  it('while everything is staged stops before the first rename and leaves no trace', async () => {
    const repo = bench({ '.mcp.json': FILE });
    const before = repo.tree();
    // The first staged file of the repository has been created: journal and backups stand.
    const run = await interruptAt(repo, SETUP, { INT_CALL: 'openSync', INT_PATH: '/.tenon-' });
    expect(run.signal).toBeNull();
    expectCode(run, 130);
    expect(JSON.parse(run.stdout).error.code).toBe('run/interrupted');
    expect(repo.tree()).toEqual(before);
    expect(fs.readdirSync(path.join(repo.home, '.local/state/tenon/journal'))).toEqual([]);
    expectCode(await repo.run(SETUP), 0);
  });

  it('after the first rename is deferred: the run finishes and reports', async () => {
    const repo = bench({ '.mcp.json': FILE });
    const before = repo.tree();
    const run = await interruptAt(repo, SETUP, { INT_CALL: 'renameSync', INT_PATH: '/.tenon-' });
    expect(run.signal).toBeNull();
    expectCode(run, 0);
    expect(JSON.parse(run.stdout).data.changed.files.length).toBeGreaterThan(3);
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });
});
