import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, type Files, setupVera } from '../helpers/bench.ts';
import type { CliOptions } from '../helpers/cli.ts';
import { UNKEPT } from '../helpers/fault-cases.ts';
import { changedBefore, warm } from '../helpers/warm.ts';

// The built program while it writes for three coding tools: calls that fail, and an end in the middle. An end after a write
// that changed nothing, as a flush does, would be the test of the write before it again, and is left out.

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

const runner = warm();

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

/** How many writing calls one setup makes, by a process of its own; it keeps no compiled code, which would count. */
async function countWrites(repo: Bench): Promise<number> {
  const count = path.join(repo.home, 'count');
  expectCode(await repo.run(SETUP, failing({ ...UNKEPT, COUNT_FILE: count })), 0);
  return Number(fs.readFileSync(count, 'utf8'));
}

// Each of the calls in the warm process, and some of them in processes of their own, where a fault has to end one as well.
describe.each(['renameSync', 'mkdirSync', 'openSync', 'writeSync', 'fsyncSync'] as const)('%s', (call) => {
  // Reading opens files too; only calls that create a file beside the one to replace count there.
  const scope = call === 'openSync' ? { FAULT_PATH: '/.tenon-' } : {};
  const faults = (at: number) => ({ FAULT_CALL: call, FAULT_AT: String(at), ...scope });

  it(
    'may fail: the old tree stands, and the message says so',
    async () => {
      const [repo, pristine] = [bench(FILES), bench(FILES)];
      const at = { cwd: repo.root, home: repo.home };
      const before = repo.tree();
      const expectOld = (run: { code: number | null; stdout: string; stderr: string }, told: string) => {
        expect([2, 4, 5], told).toContain(run.code);
        const { error } = JSON.parse(run.stdout);
        expect(error.code, told).not.toBe('internal/bug');
        expect(error.state, told).toBe(run.code === 5 ? 'restored' : 'nothing-written');
        expect(repo.tree(), told).toEqual(before);
        expect(pending(repo), told).toEqual([]);
        reset(repo, pristine);
      };
      let failed = 0;
      for (; ; failed += 1) {
        const run = await runner.run(SETUP, at, faults(failed + 1));
        expect(run.thrown, `${call} ${failed + 1}`).toBeUndefined();
        if (run.code === 0) break;
        expectOld(run, `${call} ${failed + 1}: ${run.stdout}${run.stderr}`);
        expect(failed).toBeLessThan(200);
      }
      expect(failed).toBeGreaterThan(3);
      expect(repo.tree()).not.toEqual(before);
      for (const nth of [1, Math.ceil(failed / 2), failed]) {
        reset(repo, pristine);
        const run = await repo.run(SETUP, failing(faults(nth)));
        expectOld(run, `${call} ${nth} of ${failed}, alone: ${run.stdout}${run.stderr}`);
      }
    },
    LONG,
  );
});

describe('a process that is ended', () => {
  it(
    'after any of its writes leaves the old tree or the new one once recovered',
    async () => {
      const [pristine, watched, finished] = [bench(FILES), bench(FILES), bench(FILES)];
      const old = pristine.tree();
      const writes = await countWrites(finished);
      const now = finished.tree();
      const whole = await runner.run(
        SETUP,
        { cwd: watched.root, home: watched.home },
        { STATES: [watched.root, watched.home].join(path.delimiter) },
      );
      expectCode(whole, 0);
      expect(whole.states).toHaveLength(writes);
      // After the write before the one that finds something new; and after the last.
      const points = [...changedBefore(whole).map((at) => at - 1), writes].filter((at) => at > 0);
      expect(points.length).toBeGreaterThan(writes / 2);
      const ends = new Set<string>();
      const endAfter = async (repo: Bench, at: number, isWhole: boolean): Promise<void> => {
        const place = { cwd: repo.root, home: repo.home };
        const stopped = `after write ${at} of ${writes}`;
        const run = await repo.run(SETUP, failing({ KILL_AFTER: String(at) }));
        expect(run.signal, stopped).toBe('SIGKILL');
        expectCode(await runner.run(['recover', '--json'], place), 0);
        const tree = repo.tree();
        const isOld = JSON.stringify(tree) === JSON.stringify(old);
        if (!isOld) expect(tree, stopped).toEqual(now);
        ends.add(isOld ? 'old' : 'new');
        // What is left is a state to work from: the next run ends as if nothing had happened.
        if (isWhole) {
          expectCode(await runner.run(SETUP, place), 0);
          expect(repo.tree(), stopped).toEqual(now);
          expectCode(await runner.run(['uninstall', 'vera', '--yes'], place), 0);
          expect(repo.tree(), stopped).toEqual(old);
          expect(pending(repo), stopped).toEqual([]);
        }
        reset(repo, pristine);
      };
      // Each of the writes, over the three tools; repositories of their own side by side, for it is many starts.
      await Promise.all(
        Array.from({ length: LANES }, async (_, lane) => {
          const repo = bench(FILES);
          for (const [index, at] of points.entries())
            if (index % LANES === lane) await endAfter(repo, at, index % 8 === 1);
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
