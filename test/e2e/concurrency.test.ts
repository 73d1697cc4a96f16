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
