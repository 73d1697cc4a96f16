// Whole commands in a repository with one large file, for npm run bench -- --size: what a user waits for and needs, beside
// scripts/size.mjs, which measures the edit alone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fixed, table } from './measure.mjs';
import { usageOf } from './scale.mjs';
import { makeScratch } from './scratch.mjs';
import { sample } from './size.mjs';

const FILES = [
  ['JSONC', 'jsonc', 4.9, 'opencode', 'opencode.jsonc'],
  ['TOML', 'toml', 0.99, 'codex', '.codex/config.toml'],
];
/** The same commands with a file of this size: what the program needs for itself. */
const SMALL_MB = 0.002;

/** Each command once, in a new repository with a file of about so many megabytes. */
function runs(kind, megabytes, runtime, path) {
  const scratch = makeScratch();
  try {
    const file = join(scratch.repo, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, sample(kind, megabytes * 1e6));
    const at = { top: scratch.repo, env: scratch.env };
    const add = ['add', 'ours', 'http://127.0.0.1:1/mcp', '--runtime', runtime, '--yes', '--offline'];
    return [
      ['tenon add', usageOf(add, at)],
      ['tenon status', usageOf(['status'], at)],
      ['tenon doctor --offline', usageOf(['doctor', '--offline'], at)],
      ['tenon uninstall', usageOf(['uninstall', 'ours', '--yes'], at)],
    ];
  } finally {
    scratch.remove();
  }
}

export function measureCommands() {
  const rows = FILES.flatMap(([name, kind, megabytes, runtime, path]) => {
    const small = runs(kind, SMALL_MB, runtime, path);
    return runs(kind, megabytes, runtime, path).map(([command, usage], at) => [
      command,
      `${name}, ${megabytes} MB`,
      fixed(usage.cpuMs, 0),
      fixed(small[at][1].cpuMs, 0),
      `${Math.round(usage.bytes / 1e6)} MB`,
      fixed((usage.bytes - small[at][1].bytes) / (megabytes * 1e6), 0),
    ]);
  });
  return table(
    [
      'command',
      'file',
      'processor ms',
      'with a file of 2 kB',
      'peak memory',
      'memory above that with 2 kB / size of the file',
    ],
    rows,
  );
}
