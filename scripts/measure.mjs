// What the measuring scripts share: timing of whole processes in interleaved pairs, statistics, tables.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);

export function median(numbers) {
  const all = sorted(numbers);
  const middle = Math.floor(all.length / 2);
  return all.length % 2 === 1 ? all[middle] : (all[middle - 1] + all[middle]) / 2;
}

/** Processor time of every child that has ended, in clock ticks; undefined where the system does not tell (no /proc). */
function childTicks() {
  if (!existsSync('/proc/self/stat')) return undefined;
  // The name of the program in brackets may hold anything, so the fields are counted behind it.
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\)/s, '').trim().split(' ');
  return Number(fields[13]) + Number(fields[14]);
}

/** Runs Node once and answers the milliseconds; throws where it does not end with one of the codes. */
export function once(words, { cwd, env, codes = [0], timeout = 600_000 }) {
  const ticks = childTicks();
  const start = process.hrtime.bigint();
  const result = spawnSync(process.execPath, words, { cwd, env, stdio: 'ignore', timeout });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (!codes.includes(result.status))
    throw new Error(`node ${words.join(' ')} ended with ${result.status ?? result.signal}`);
  return { ms, ticks: ticks === undefined ? undefined : childTicks() - ticks };
}

/**
 * A command against `node -e 0`, in turn (A B A B …), so that a busy machine slows both. Ratios of wall time pair by
 * pair; that of processor time over all runs, because a tick of the system is ten milliseconds.
 */
export function pairs(words, options, rounds) {
  const all = [];
  once(words, options);
  once(words, options);
  for (let round = 0; round < rounds; round += 1) {
    const base = once(['-e', '0'], { ...options, codes: [0] });
    all.push({ base, run: once(words, options) });
  }
  const ratios = sorted(all.map(({ base, run }) => run.ms / base.ms));
  const sum = (which) => all.reduce((total, pair) => total + (pair[which].ticks ?? Number.NaN), 0);
  return {
    rounds,
    ratio: median(ratios),
    low: ratios[Math.floor(ratios.length / 4)],
    high: ratios[Math.ceil((ratios.length * 3) / 4) - 1],
    cpu: sum('run') / sum('base'),
    ms: median(all.map(({ run }) => run.ms)),
    baseMs: median(all.map(({ base }) => base.ms)),
  };
}

/** The machine in general words. */
export const machine = () =>
  `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GB`;

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const fixed = (value, digits = 2) => (Number.isFinite(value) ? value.toFixed(digits) : '–');
