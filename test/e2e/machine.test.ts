import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, type Files, setupVera } from '../helpers/bench.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, type CliOptions } from '../helpers/cli.ts';
import { treeOf } from '../helpers/repo.ts';

// The machine around a run: its clock, a full disk, folders on several disks, and others who work on the same files.

const FILES: Files = {
  '.mcp.json': '{\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n',
  '.codex/config.toml': 'model = "m" # why\n',
};
const SETUP = setupVera(['claude-code', 'codex']);
const UNINSTALL = ['uninstall', 'vera', '--yes'];
const LONG = 120_000;

const preloaded = (name: string, env: Record<string, string>): CliOptions => ({
  nodeArgs: ['--require', path.resolve(`test/helpers/${name}-preload.cjs`)],
  env,
});
const journals = (repo: Bench): string[] => {
  const folder = path.join(repo.home, '.local/state/tenon/journal');
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
};

describe('a clock', () => {
  const YEAR = 365 * 86_400_000;
  it.each<[string, Record<string, string>]>([
    ['of 1970', { CLOCK_AT: '0' }],
    ['of 2099', { CLOCK_AT: String(130 * YEAR) }],
    ['that is set forwards at every look', { CLOCK_JUMP: String(86_400_000) }],
    ['that is set back at every look', { CLOCK_JUMP: String(-86_400_000) }],
  ])(
    '%s leaves everything as with a right one',
    async (_, env) => {
      const [repo, right] = [bench(FILES), bench(FILES)];
      const before = repo.tree();
      expectCode(await right.run(SETUP), 0);
      const wrong = preloaded('clock', env);
      expectCode(await repo.run(SETUP, wrong), 0);
      expect(repo.tree()).toEqual(right.tree());
      // Written by a wrong clock, read by a right one, and the other way round.
      for (const options of [{}, wrong]) {
        const status = await repo.json(['status'], options);
        expect(status.document.data.state, status.stdout).toBe('ok');
        expectCode(await repo.run(['history'], options), 0);
      }
      const stamps = repo.stamps();
      expectCode(await repo.run(SETUP, wrong), 0);
      expect(repo.stamps()).toEqual(stamps);
      expectCode(await repo.run(UNINSTALL, wrong), 0);
      expect(repo.tree()).toEqual(before);
      expectCode(await repo.run(['undo', '--yes']), 0);
      expect(repo.tree()).toEqual(right.tree());
      expect(journals(repo)).toEqual([]);
    },
    LONG,
  );

  it(
    'that was set back does not make files and locks of a time to come stand in the way',
    async () => {
      const repo = bench(FILES);
      const before = repo.tree();
      const ahead = new Date(Date.now() + YEAR);
      for (const name of Object.keys(FILES)) fs.utimesSync(path.join(repo.root, name), ahead, ahead);
      expectCode(await repo.run(SETUP), 0);
      // A lock that a crash tore while the clock was ahead.
      const key = fs.readdirSync(path.join(repo.home, '.local/state/tenon/ledger'))[0]?.replace('.json', '');
      const lock = path.join(repo.home, '.local/state/tenon/journal', `${key}.lock`);
      fs.writeFileSync(lock, '{"id');
      fs.utimesSync(lock, ahead, ahead);
      expectCode(await repo.run(UNINSTALL), 0);
      expect(repo.tree()).toEqual(before);
    },
    LONG,
  );
});

/** A disk of so many bytes, or why there can be none here. */
function smallDisk(bytes: number): { readonly folder: string; end(): void } | string {
  if (process.platform !== 'linux') return 'only Linux has tmpfs';
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    fs.rmdirSync(folder);
    return `no small disk can be mounted: ${String(error).split('\n')[0]}`;
  }
  return {
    folder,
    end() {
      execFileSync('umount', [folder], { stdio: 'pipe' });
      fs.rmdirSync(folder);
    },
  };
}

/** Fills a disk but for so many bytes. */
function fill(folder: string, left: number): string {
  const file = path.join(folder, 'filler');
  const { bavail, bsize } = fs.statfsSync(folder);
  fs.writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  return file;
}

describe('a full disk', () => {
  const small = smallDisk(1024 * 1024);
  const why = typeof small === 'string' ? small : undefined;
  it.skipIf(why !== undefined)(
    `leaves the old tree, and the next run with room writes it all${why === undefined ? '' : ` (${why})`}`,
    async () => {
      if (typeof small === 'string') return;
      try {
        const source = bench(FILES);
        for (const place of ['repository', 'state'] as const) {
          const root = place === 'repository' ? path.join(small.folder, 'repo') : source.root;
          if (place === 'repository') fs.cpSync(source.root, root, { recursive: true });
          const state =
            place === 'state' ? path.join(small.folder, 'state') : path.join(source.home, 'state');
          const options = { cwd: root, env: { TENON_STATE_DIR: state } };
          const before = treeOf(root);
          let failed = 0;
          // Step by step more room, until it is enough.
          for (let room = 0; ; room += 16_384) {
            const filler = fill(small.folder, room);
            const run = await source.json(SETUP, options);
            fs.rmSync(filler);
            if (run.code === 0) break;
            failed += 1;
            const told = `${place}, ${room} bytes: ${run.stdout}`;
            expect([4, 5], told).toContain(run.code);
            expect(run.stdout, told).toMatch(/ENOSPC/);
            expect(['nothing-written', 'restored'], told).toContain(run.document.error.state);
            expect(treeOf(root), told).toEqual(before);
            expect(room).toBeLessThan(500_000);
          }
          expect(failed).toBeGreaterThan(2);
          expectCode(await source.run(['status'], options), 0);
          expectCode(await source.run(UNINSTALL, options), 0);
          expect(treeOf(root)).toEqual(before);
        }
      } finally {
        small.end();
      }
    },
    LONG,
  );

  it(
    'by a limit of the process (ulimit -f) leaves the old tree, at each size',
    async () => {
      const repo = bench({ ...FILES, '.mcp.json': `{ "mcpServers": {} }\n${' '.repeat(3000)}\n` });
      const before = repo.tree();
      const codes = new Set<number | null>();
      // Blocks of 512 bytes (sh) or 1024 (bash).
      for (const blocks of [0, 1, 2, 3, 4, 8, 12]) {
        const run = await limited(repo, blocks);
        codes.add(run.code);
        if (run.code === 0) break;
        expect(run.signal, String(blocks)).toBeNull();
        const { error } = JSON.parse(run.stdout);
        expect(error.message, run.stdout).toContain('EFBIG');
        expect(['nothing-written', 'restored'], run.stdout).toContain(error.state);
        expect(repo.tree(), String(blocks)).toEqual(before);
      }
      expect([...codes].some((code) => code === 4 || code === 5)).toBe(true);
      expectCode(await repo.run(SETUP), 0);
      expectCode(await repo.run(UNINSTALL), 0);
      expect(repo.tree()).toEqual(before);
    },
    LONG,
  );
});

/** A setup whose files may not grow beyond so many blocks; what it prints goes into pipes. */
function limited(
  repo: Bench,
  blocks: number,
): Promise<{ code: number | null; signal: string | null; stdout: string }> {
  const child = spawn(
    'sh',
    ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath, BIN, ...SETUP, '--json'],
    {
      cwd: repo.root,
      env: cleanEnv(repo.home, { NODE_DISABLE_COMPILE_CACHE: '1' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal, stdout })));
}

describe('several disks', () => {
  const other = [os.tmpdir(), '/dev/shm'].filter(
    (folder) => fs.existsSync(folder) && fs.statSync(folder).dev !== fs.statSync(bench().root).dev,
  )[0];
  it.skipIf(other === undefined)(
    `keep the state folder on another one than the repository${other === undefined ? ' (there is only one)' : ''}`,
    async () => {
      const repo = bench(FILES);
      const before = repo.tree();
      const folder = fs.mkdtempSync(path.join(other ?? '', 'tenon-state-'));
      try {
        const options = { env: { TENON_STATE_DIR: path.join(folder, 'tenon') } };
        const replace = ['--resolve', '.mcp.json#/mcpServers/vera=replace'];
        repo.write('.mcp.json', '{ "mcpServers": { "vera": { "command": "mine" } } }\n');
        const own = repo.tree();
        expectCode(await repo.run([...SETUP, ...replace], options), 0);
        const set = repo.tree();
        expectCode(await repo.run(['undo', '--yes'], options), 0);
        expect(repo.tree()).toEqual(own);
        expectCode(await repo.run(['undo', '--yes'], options), 0);
        expect(repo.tree()).toEqual(set);
        const killed = {
          nodeArgs: preloaded('fault', {}).nodeArgs ?? [],
          env: { ...options.env, NODE_DISABLE_COMPILE_CACHE: '1', KILL_AT: '40' },
        };
        expect((await repo.run(UNINSTALL, killed)).signal).toBe('SIGKILL');
        expectCode(await repo.run(['recover'], options), 0);
        expect([own, set]).toContainEqual(repo.tree());
        expectCode(await repo.run(UNINSTALL, options), 0);
        expect(repo.tree()).toEqual(own);
        repo.write('.mcp.json', FILES['.mcp.json'] as string);
        expect(repo.tree()).toEqual(before);
      } finally {
        fs.rmSync(folder, { recursive: true });
      }
    },
    LONG,
  );
});

describe('a program that rewrites the same files while tenon works', () => {
  it(
    'loses nothing: its last text stands, with or without our entry, and our answer says which',
    async () => {
      const ends = { applied: 0, refused: 0 };
      for (let round = 0; round < 4; round += 1) {
        const repo = bench(FILES);
        const file = path.join(repo.root, '.mcp.json');
        // As clients do: reads, changes its own part, writes the whole file anew.
        const writer = spawn(process.execPath, [
          '-e',
          `const fs = require('fs'); let n = 0;
           const end = Date.now() + 20000;
           const step = () => {
             const value = JSON.parse(fs.readFileSync(${JSON.stringify(file)}, 'utf8'));
             n += 1; value['k' + n] = n;
             fs.writeFileSync(${JSON.stringify(`${file}.other`)}, JSON.stringify(value));
             fs.renameSync(${JSON.stringify(`${file}.other`)}, ${JSON.stringify(file)});
             if (Date.now() < end) setTimeout(step, ${5 + round * 7});
           };
           process.on('SIGTERM', () => { process.stdout.write(String(n)); process.exit(0); });
           step();`,
        ]);
        let count = '';
        writer.stdout.setEncoding('utf8').on('data', (text: string) => {
          count += text;
        });
        const over = new Promise((done) => writer.on('close', done));
        const run = await repo.json(SETUP);
        writer.kill('SIGTERM');
        await over;
        const value = JSON.parse(fs.readFileSync(file, 'utf8'));
        // Never torn, and no update of the other program is written over: but for one in the instant of the rename itself.
        expect(value.mcpServers.mine, run.stdout).toEqual({ command: 'x' });
        const all = Array.from({ length: Number(count) }, (_, index) => `k${index + 1}`);
        const lost = all.filter((key) => value[key] === undefined);
        expect(lost.length, `${lost.join()} of ${count}: ${run.stdout}`).toBeLessThanOrEqual(1);
        expect(fs.readdirSync(repo.root).filter((name) => name.startsWith('.tenon-'))).toEqual([]);
        if (run.code === 0) {
          ends.applied += 1;
          // The other program may have put its own older reading back after us; then it is told, and not lost from view.
          const { document } = await repo.json(['status']);
          const { managed, missing } = document.data.runtimes['claude-code'].scopes.project;
          const entry = '.mcp.json#/mcpServers/vera';
          expect(value.mcpServers.vera === undefined ? missing : managed).toContain(entry);
        } else {
          ends.refused += 1;
          expect([5, 6], run.stdout).toContain(run.code);
          expect(repo.exists('.codex/hooks.json'), run.stdout).toBe(false);
          expect(value.mcpServers.vera, run.stdout).toBeUndefined();
        }
        const recovered = await repo.json(['recover']);
        expect(recovered.document.data.outcome).toBe('nothing');
      }
      if (process.env['TENON_TEST_FIGURES'] !== undefined) console.log(JSON.stringify(ends));
      expect(ends.applied + ends.refused).toBe(4);
    },
    LONG,
  );
});
