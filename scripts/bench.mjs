// npm run bench: how long the program takes, as ratios to an empty Node process.
// Pairs are interleaved (baseline, case, baseline, case, …), so that a busy machine slows both. --rounds N, --json.
import { spawnSync } from 'node:child_process';
import { BIN } from './project.mjs';
import { makeScratch, startSandbox } from './scratch.mjs';

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const rounds = Number(args[args.indexOf('--rounds') + 1]) || 15;

function time(words, cwd, env, expected) {
  const start = process.hrtime.bigint();
  const result = spawnSync(process.execPath, words, { cwd, env, stdio: 'ignore' });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (!expected.includes(result.status))
    throw new Error(`node ${words.join(' ')} ended with ${result.status}`);
  return ms;
}

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
function median(numbers) {
  const all = sorted(numbers);
  const middle = Math.floor(all.length / 2);
  return all.length % 2 === 1 ? all[middle] : (all[middle - 1] + all[middle]) / 2;
}

function measure(name, words, scratch, expected) {
  const pairs = [];
  time([BIN, ...words], scratch.repo, scratch.env, expected);
  for (let round = 0; round < rounds; round++) {
    const baseMs = time(['-e', '0'], scratch.repo, scratch.env, [0]);
    const ms = time([BIN, ...words], scratch.repo, scratch.env, expected);
    pairs.push({ baseMs, ms, ratio: ms / baseMs });
  }
  const ratios = sorted(pairs.map((pair) => pair.ratio));
  return {
    name,
    medianRatio: median(ratios),
    minRatio: ratios[0],
    maxRatio: ratios.at(-1),
    medianMs: median(pairs.map((pair) => pair.ms)),
    baseMedianMs: median(pairs.map((pair) => pair.baseMs)),
  };
}

function report(results) {
  if (isJson) {
    console.log(JSON.stringify({ rounds, node: process.versions.node, results }));
    return;
  }
  console.log(`ratio to "node -e 0", ${rounds} interleaved pairs, Node ${process.versions.node}\n`);
  for (const result of results) {
    const numbers = [result.medianRatio, result.minRatio, result.maxRatio].map((value) =>
      value.toFixed(2).padStart(6),
    );
    console.log(
      `${result.name.padEnd(22)} median${numbers[0]}   min${numbers[1]}   max${numbers[2]}   (${result.medianMs.toFixed(0)} ms)`,
    );
  }
}

const scratch = makeScratch();
let sandbox;
try {
  sandbox = await startSandbox(scratch.env);
  const urls = ['--set', `VERA_API_URL=${sandbox.apiUrl}`, '--set', `VERA_MCP_URL=${sandbox.mcpUrl}`];
  const runtimes = ['--runtime', 'claude-code', '--runtime', 'codex', '--runtime', 'opencode'];
  const setup = ['setup', 'vera', ...urls, ...runtimes, '--yes'];
  time([BIN, ...setup], scratch.repo, scratch.env, [0]);
  report([
    measure('--version', ['--version'], scratch, [0]),
    measure('status', ['status'], scratch, [0, 1]),
    measure('setup, nothing to do', setup, scratch, [0, 1]),
    measure('doctor --offline', ['doctor', '--offline'], scratch, [0, 1]),
  ]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  sandbox?.stop();
  scratch.remove();
}
