import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plainEnv, repository, scratch } from './checkout.ts';
import { HOOK } from './vera-files.ts';

/** The contract of the hook: no more than this many times the start of Node with its own calls of git. */
const LIMIT = 1.3;
const RUNS = 7;
/** Rounds that may be lost to other work of the machine. */
const ROUNDS = 4;

/** The git calls of one session start, in their order. */
const GIT_CALLS = [
  ['symbolic-ref', '--quiet', '--short', 'HEAD'],
  ['config', '--null', '--get-regexp', '^(remote|branch)\\.'],
  ['remote', 'get-url', '--', 'origin'],
] as const;

it('takes at most 1.3 times a Node program that makes the same git calls and does nothing else', () => {
  const root = repository(scratch(), { origin: 'https://git.example/a/b' });
  const bare = join(scratch(), 'bare.cjs');
  const options = "{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }";
  writeFileSync(
    bare,
    `const { spawnSync } = require('node:child_process');
for (const args of ${JSON.stringify(GIT_CALLS)})
  if (spawnSync('git', ['-C', process.cwd(), ...args], ${options}).status !== 0) process.exitCode = 1;
`,
  );
  const env = plainEnv(scratch());
  const input = JSON.stringify({ hook_event_name: 'SessionStart', cwd: root, source: 'startup' });
  const timed = (program: string, args: readonly string[]): number => {
    const started = performance.now();
    const run = spawnSync(program, args, { cwd: root, env, input, encoding: 'utf8' });
    const took = performance.now() - started;
    expect(run.status, run.stderr).toBe(0);
    return took;
  };
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS && !ratios.some((ratio) => ratio <= LIMIT); round++) {
    const hook: number[] = [];
    const base: number[] = [];
    // In turns, so that both meet the same load; the quickest of each is what the work itself takes.
    for (let run = 0; run < RUNS; run++) {
      hook.push(timed(process.execPath, [HOOK, 'session-start']));
      base.push(timed(process.execPath, [bare]));
    }
    ratios.push(Math.min(...hook) / Math.min(...base));
  }
  expect(
    Math.min(...ratios),
    `ratios of the rounds: ${ratios.map((one) => one.toFixed(2)).join(', ')}`,
  ).toBeLessThanOrEqual(LIMIT);
}, 300_000);
