import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, type Files, setupVera } from '../helpers/bench.ts';
import { UNKEPT } from '../helpers/fault-cases.ts';
import { treeOf } from '../helpers/repo.ts';
import { changedBefore, warm } from '../helpers/warm.ts';

// SIGKILL of the built program at every write of `sync` and `uninstall` over three coding tools (setup: write-faults). A
// kill before a write that finds everything as the write before it found it would be the same test, and is left out.

const FILES: Files = {
  '.mcp.json': '{\n  "mcpServers": {}\n}\n',
  '.claude/settings.json': '{\n  "permissions": { "deny": ["Read(.env)"] }\n}\n',
  '.codex/config.toml': 'model = "m" # why\n',
  'opencode.jsonc': '{\n  // notes\n  "mcp": {}\n}\n',
};
const THREE = ['.mcp.json', '.codex/config.toml', 'opencode.jsonc'] as const;
const SETUP = setupVera(['claude-code', 'codex', 'opencode']);
const SYNC = ['sync', '--yes', ...THREE.flatMap((file) => ['--restore', file])];
const UNINSTALL = ['uninstall', 'vera', '--yes'];
const PRELOAD = path.resolve('test/helpers/fault-preload.cjs');

const preloaded = (env: Record<string, string>) => ({ nodeArgs: ['--require', PRELOAD], env });
const runner = warm();

/** Copies of the repository and of the state folder, to begin again from. */
function snapshot(repo: Bench): () => void {
  const kept = path.join(path.dirname(repo.root), 'kept');
  const state = path.join(repo.home, '.local');
  fs.cpSync(repo.root, path.join(kept, 'root'), { recursive: true, preserveTimestamps: true });
  fs.cpSync(state, path.join(kept, 'state'), { recursive: true });
  return () => {
    for (const folder of [repo.root, state]) fs.rmSync(folder, { recursive: true, force: true });
    fs.cpSync(path.join(kept, 'root'), repo.root, { recursive: true, preserveTimestamps: true });
    fs.cpSync(path.join(kept, 'state'), state, { recursive: true });
  };
}

const ledgers = (repo: Bench): string =>
  JSON.stringify(treeOf(path.join(repo.home, '.local/state/tenon/ledger')));

/** A repository with vera set up, of which three entries were taken away by hand, where `sync` has something to write. */
async function prepared(command: 'sync' | 'uninstall'): Promise<Bench> {
  const repo = bench(FILES);
  await repo.prepare(SETUP);
  if (command === 'sync') for (const file of THREE) repo.write(file, FILES[file] as string);
  return repo;
}

/** How many writing calls a whole run makes, by a process of its own; it keeps no compiled code, which would count. */
async function countWrites(repo: Bench, args: readonly string[]): Promise<number> {
  const count = path.join(repo.home, 'count');
  expectCode(await repo.run(args, preloaded({ ...UNKEPT, COUNT_FILE: count })), 0);
  const writes = Number(fs.readFileSync(count, 'utf8'));
  fs.rmSync(count);
  return writes;
}

describe.each([
  ['sync', SYNC],
  ['uninstall', UNINSTALL],
] as const)('a %s that is killed', (command, args) => {
  it('at any of its writes leaves the old or the new state once recovered, and the ledger agrees', async () => {
    const repo = await prepared(command);
    const old = { tree: repo.tree(), ledger: ledgers(repo) };
    const again = snapshot(repo);
    const at = { cwd: repo.root, home: repo.home };
    const whole = await runner.run(args, at, { STATES: [repo.root, repo.home].join(path.delimiter) });
    expectCode(whole, 0);
    again();
    const writes = await countWrites(repo, args);
    expect(whole.states).toHaveLength(writes);
    const points = changedBefore(whole);
    expect(points.length).toBeGreaterThan(writes / 2);
    const now = { tree: repo.tree(), ledger: ledgers(repo) };
    expect(now.tree).not.toEqual(old.tree);
    const ends = { old: 0, new: 0 };
    for (const point of points) {
      again();
      const told = `before write ${point} of ${writes}`;
      const run = await repo.run(args, preloaded({ KILL_AT: String(point) }));
      expect(run.signal, told).toBe('SIGKILL');
      expectCode(await runner.run(['recover'], at), 0);
      const isOld = JSON.stringify(repo.tree()) === JSON.stringify(old.tree);
      ends[isOld ? 'old' : 'new'] += 1;
      expect({ tree: repo.tree(), ledger: ledgers(repo) }, told).toEqual(isOld ? old : now);
    }
    expect(ends.old).toBeGreaterThan(0);
    expect(ends.new).toBeGreaterThan(0);
    if (process.env['TENON_TEST_FIGURES'] !== undefined)
      console.log(`${command}: ${points.length} ends of ${writes} writes, ${JSON.stringify(ends)}`);
  }, 400_000);

  it('keeps an edit that was made before recover', async () => {
    const repo = await prepared(command);
    const again = snapshot(repo);
    const writes = await countWrites(repo, args);
    let kept = 0;
    for (let at = Math.floor(writes / 2); at < writes; at += Math.max(1, Math.floor(writes / 8))) {
      again();
      await repo.run(args, preloaded({ KILL_AT: String(at) }));
      const edited = `${repo.text('opencode.jsonc')}// edited after the crash\n`;
      fs.writeFileSync(path.join(repo.root, 'opencode.jsonc'), edited);
      const recovered = await runner.run(['recover', '--json'], { cwd: repo.root, home: repo.home });
      expect(repo.text('opencode.jsonc'), `before write ${at}`).toBe(edited);
      const { findings } = JSON.parse(recovered.stdout);
      if (findings.some(({ code }: { code: string }) => code === 'recover/kept')) kept += 1;
    }
    expect(kept).toBeGreaterThan(0);
  }, 100_000);
});
