import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, type Files, setupVera } from '../helpers/bench.ts';
import type { CliOptions } from '../helpers/cli.ts';

// The built program while it writes for three coding tools: calls that fail, and an end in the middle.

const FILES: Files = {
  '.mcp.json': '{\n  "mcpServers": {}\n}\n',
  '.claude/settings.json': '{\n  "permissions": { "deny": ["Read(.env)"] }\n}\n',
  '.codex/config.toml': 'model = "m" # why\n',
  'opencode.jsonc': '{\n  // notes\n  "mcp": {}\n}\n',
};
const SETUP = setupVera(['claude-code', 'codex', 'opencode'], '--json');
const PRELOAD = path.resolve('test/helpers/fault-preload.cjs');
/** Many starts of the program; on a busy machine each may take seconds. */
const LONG = 900_000;
/** Repositories in which setups are ended side by side. */
const LANES = 4;

const failing = (env: Record<string, string>): CliOptions => ({ nodeArgs: ['--require', PRELOAD], env });

/** What an apply that is over leaves nothing of: journals and temporary files. */
function pending(repo: Bench): string[] {
  const folder = path.join(repo.home, '.local/state/tenon/journal');
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => !name.endsWith('.lock')) : [];
}

function reset(repo: Bench, from: Bench): void {
  fs.rmSync(repo.root, { recursive: true });
  fs.cpSync(from.root, repo.root, { recursive: true });
  fs.rmSync(path.join(repo.home, '.local'), { recursive: true, force: true });
}

/** How many writing calls one setup makes. */
async function countWrites(repo: Bench): Promise<number> {
  // The first run after a build writes the program's compiled code as well, later ones do not.
  expectCode(await bench(FILES).run(SETUP), 0);
  const count = path.join(repo.home, 'count');
  expectCode(await repo.run(SETUP, failing({ COUNT_FILE: count })), 0);
  return Number(fs.readFileSync(count, 'utf8'));
}

// Of the calls that come often, every third; the tests of the transaction fail each of them.
describe.each([
  ['renameSync', 1],
  ['mkdirSync', 1],
  ['openSync', 2],
  ['writeSync', 3],
  ['fsyncSync', 3],
] as const)('%s', (call, step) => {
  it(
    'may fail: the old tree stands, and the message says so',
    async () => {
      const [repo, pristine] = [bench(FILES), bench(FILES)];
      const before = repo.tree();
      let failed = 0;
      // Reading opens files too; only calls that create a file beside the one to replace count there.
      const scope = call === 'openSync' ? { FAULT_PATH: '/.tenon-' } : {};
      for (let at = 1; ; at += step) {
        const run = await repo.run(SETUP, failing({ FAULT_CALL: call, FAULT_AT: String(at), ...scope }));
        if (run.code === 0) break;
        failed += 1;
        const told = `${call} ${at}: ${run.stdout}${run.stderr}`;
        expect([2, 4, 5], told).toContain(run.code);
        const { error } = JSON.parse(run.stdout);
        expect(error.code, told).not.toBe('internal/bug');
        expect(error.state, told).toBe(run.code === 5 ? 'restored' : 'nothing-written');
        expect(repo.tree(), told).toEqual(before);
        expect(pending(repo), told).toEqual([]);
        expect(at).toBeLessThan(200);
        reset(repo, pristine);
      }
      expect(failed).toBeGreaterThan(3);
      expect(repo.tree()).not.toEqual(before);
    },
    LONG,
  );
});

describe('a process that is ended', () => {
  it(
    'after any of its writes leaves the old tree or the new one once recovered',
    async () => {
      const [pristine, finished] = [bench(FILES), bench(FILES)];
      const old = pristine.tree();
      const writes = await countWrites(finished);
      const now = finished.tree();
      expect(writes).toBeGreaterThan(20);
      const ends = new Set<string>();
      const endAfter = async (repo: Bench, at: number): Promise<void> => {
        const stopped = `after write ${at} of ${writes}`;
        const run = await repo.run(SETUP, failing({ KILL_AFTER: String(at) }));
        expect(run.signal, stopped).toBe('SIGKILL');
        expectCode(await repo.run(['recover', '--json']), 0);
        const tree = repo.tree();
        const isOld = JSON.stringify(tree) === JSON.stringify(old);
        if (!isOld) expect(tree, stopped).toEqual(now);
        ends.add(isOld ? 'old' : 'new');
        // What is left is a state to work from: the next run ends as if nothing had happened.
        if (at % 16 === 1) {
          expectCode(await repo.run(SETUP), 0);
          expect(repo.tree(), stopped).toEqual(now);
          expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
          expect(repo.tree(), stopped).toEqual(old);
          expect(pending(repo), stopped).toEqual([]);
        }
        reset(repo, pristine);
      };
      // Each of the writes, over the three tools; repositories of their own side by side, for it is many starts.
      await Promise.all(
        Array.from({ length: LANES }, async (_, lane) => {
          const repo = bench(FILES);
          for (let at = 1 + lane; at <= writes; at += LANES) await endAfter(repo, at);
        }),
      );
      expect([...ends].sort()).toEqual(['new', 'old']);
    },
    LONG,
  );

  it('stops every writing command until recover was run', async () => {
    const repo = bench(FILES);
    const middle = Math.floor((await countWrites(bench(FILES))) / 2);
    await repo.run(SETUP, failing({ KILL_AT: String(middle) }));
    const stopped = repo.tree();
    for (const args of [SETUP, ['uninstall', 'vera', '--yes'], ['undo', '--yes']]) {
      const run = await repo.run(args);
      expectCode(run, 5);
      expect(run.stdout + run.stderr).toContain('tenon recover');
    }
    expectCode(await repo.run(['doctor', '--offline']), 1);
    expect(repo.tree()).toEqual(stopped);
    expectCode(await repo.run(['recover', '--undo']), 0);
    expect(repo.tree()).toEqual(bench(FILES).tree());
  });
});
