// Many roots in one repository, for npm run bench -- --scale, and for test/e2e/scale.test.ts.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixed, table } from './measure.mjs';
import { BIN } from './project.mjs';
import { makeScratch } from './scratch.mjs';

const COMMANDS = [
  ['doctor', '--all-roots', '--offline', '--json'],
  ['sync', '--check', '--all-roots', '--json'],
];

/**
 * One repository whose packages all have one server set up for three coding tools, each with its ledger. The first is set
 * up by the program, the others are its copies. `grow` brings it to so many roots.
 */
export function manyRoots(bin = BIN) {
  const scratch = makeScratch();
  const top = realpathSync(scratch.repo);
  const folderOf = (at) => join(top, 'packages', `p${String(at).padStart(5, '0')}`);
  const first = folderOf(0);
  mkdirSync(first, { recursive: true });
  const runtimes = ['claude-code', 'codex', 'opencode'].flatMap((id) => ['--runtime', id]);
  const words = ['add', 'docs', 'http://127.0.0.1:9/mcp', '--root', first, ...runtimes, '--yes', '--offline'];
  const done = spawnSync(process.execPath, [bin, ...words], { cwd: top, env: scratch.env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  const ledgers = join(scratch.env.TENON_STATE_DIR, 'ledger');
  const [name] = readdirSync(ledgers);
  const ledger = readFileSync(join(ledgers, name), 'utf8');
  const keyOf = (root) =>
    createHash('sha256')
      .update(root)
      .digest('hex')
      .slice(0, name.length - '.json'.length);
  if (`${keyOf(first)}.json` !== name)
    throw new Error('the ledger of a root has another name than this script knows');
  let count = 1;
  return {
    top,
    env: scratch.env,
    remove: scratch.remove,
    grow(wanted) {
      for (; count < wanted; count += 1) {
        const root = folderOf(count);
        cpSync(first, root, { recursive: true });
        writeFileSync(join(ledgers, `${keyOf(root)}.json`), ledger.replaceAll(first, root), { mode: 0o600 });
      }
    },
  };
}

/** Processor time and peak memory that a run tells of itself when it ends. */
function run(words, { top, env }) {
  const file = join(top, '..', 'usage.json');
  const preload = join(top, '..', 'usage.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.resourceUsage())));`,
  );
  const start = process.hrtime.bigint();
  const result = spawnSync(process.execPath, ['--require', preload, BIN, ...words], {
    cwd: top,
    env,
    stdio: 'ignore',
  });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (result.status !== 0)
    throw new Error(`tenon ${words.join(' ')} ended with ${result.status ?? result.signal}`);
  const usage = JSON.parse(readFileSync(file, 'utf8'));
  return { ms, cpuMs: (usage.userCPUTime + usage.systemCPUTime) / 1000, bytes: usage.maxRSS * 1024 };
}

/** One row per command and number of roots; the ratio is that of the processor time per root to the row before. */
export function measureScale(counts) {
  const repository = manyRoots();
  try {
    const before = new Map();
    const rows = [];
    for (const count of counts) {
      repository.grow(count);
      for (const words of COMMANDS) {
        // A long run averages over what else the machine does.
        const runs = Array.from({ length: count > 2000 ? 1 : 2 }, () => run(words, repository));
        const [best] = runs.sort((a, b) => a.cpuMs - b.cpuMs);
        const each = runs.map(({ cpuMs }) => cpuMs / count);
        const last = before.get(words[0]);
        rows.push([
          `tenon ${words.join(' ')}`,
          String(count),
          each.map((value) => fixed(value)).join(' – '),
          fixed(best.ms / count),
          last === undefined ? '' : fixed(each[0] / last),
          `${fixed(best.bytes / 1e6, 0)} MB`,
        ]);
        before.set(words[0], each[0]);
      }
    }
    return table(
      [
        'command',
        'roots',
        'processor ms a root, each run',
        'ms a root',
        'ratio to the row of fewer roots',
        'peak memory',
      ],
      rows,
    );
  } finally {
    repository.remove();
  }
}
