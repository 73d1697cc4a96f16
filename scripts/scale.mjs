// Many roots in one repository, and many servers in one root, for npm run bench -- --scale.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixed, table } from './measure.mjs';
import { BIN, ROOT } from './project.mjs';
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
export function usageOf(words, { top, env, bin = BIN }) {
  const file = join(top, '..', 'usage.json');
  const preload = join(top, '..', 'usage.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.resourceUsage())));`,
  );
  const start = process.hrtime.bigint();
  const result = spawnSync(process.execPath, ['--require', preload, bin, ...words], {
    cwd: top,
    // Answers that were kept would be measured instead of the work.
    env: { ...env, TENON_ANSWERS: '0' },
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
        const runs = Array.from({ length: count > 2000 ? 1 : 2 }, () => usageOf(words, repository));
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

const RUNTIMES = 'claude-code codex opencode gemini-cli cursor vscode crush qwen-code kiro zed'.split(' ');

/** An integration of so many servers, in the form of templates/. */
const manyServers = (count) => ({
  schemaVersion: 1,
  id: `many-${count}`,
  version: '1.0.0',
  title: 'Many servers',
  summary: 'For measuring.',
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

/** A copy of the package with a bundled integration of each of these sizes: what a repository holds needs a person's trust. */
function packageWith(counts, folder) {
  for (const part of ['bin', 'dist', 'templates', 'schema', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const count of counts) {
    const own = join(folder, 'templates', `many-${count}`);
    mkdirSync(own);
    writeFileSync(join(own, 'integration.json'), JSON.stringify(manyServers(count)));
  }
  return join(folder, 'bin', 'cli.cjs');
}

/** The life of so many servers in ten coding tools of one root; the ratio is that of the time per entry to the row before. */
export function measureServers(counts) {
  const rows = [];
  const before = new Map();
  for (const count of counts) {
    const scratch = makeScratch();
    try {
      const bin = packageWith([count], join(scratch.base, 'package'));
      const place = { top: realpathSync(scratch.repo), env: scratch.env, bin };
      const idle = usageOf(['--version'], place).cpuMs;
      const name = `many-${count}`;
      const setup = ['setup', name, ...RUNTIMES.flatMap((id) => ['--runtime', id]), '--yes', '--offline'];
      const steps = [
        ['setup', setup],
        ['setup, a second time', setup],
        ['status', ['status']],
        ['doctor --offline', ['doctor', '--offline']],
        ['sync --check', ['sync', '--check']],
        ['uninstall', ['uninstall', name, '--yes']],
      ];
      for (const [step, words] of steps) {
        const { cpuMs, bytes } = usageOf(words, place);
        const each = (cpuMs - idle) / (count * RUNTIMES.length);
        const last = before.get(step);
        rows.push([
          `tenon ${step}`,
          `${count} × ${RUNTIMES.length}`,
          fixed(cpuMs, 0),
          fixed(each),
          last === undefined ? '' : fixed(each / last),
          `${fixed(bytes / 1e6, 0)} MB`,
        ]);
        before.set(step, each);
      }
    } finally {
      scratch.remove();
    }
  }
  return table(
    [
      'command',
      'servers × coding tools',
      'processor ms',
      'ms an entry',
      'ratio to the row of fewer servers',
      'peak memory',
    ],
    rows,
  );
}
