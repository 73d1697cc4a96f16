/**
 * One of several threads of a run over many roots (cli/lanes.ts): runs the same command line, prints nothing, and hands
 * back what it found in each root that it took.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Lane, LaneJob } from './cli/lanes.ts';
import { toMessage } from './cli/lanes.ts';
import { createRun } from './cli/run.ts';
import { createTheme } from './reporting/theme.ts';

/** Takes roots until there is none left. Never rejects. */
export async function start(): Promise<void> {
  const { argv, packageDir, version, theme: given, top, roots, next }: LaneJob = workerData;
  const theme = createTheme(given);
  const silent = { write: () => {}, theme, isTty: false };
  const lane: Lane = {
    top,
    roots,
    take: () => Atomics.add(next, 0, 1),
    deliver: (index, result) => parentPort?.postMessage(toMessage(index, result, theme)),
  };
  await createRun({
    argv,
    env: process.env,
    streams: { stdout: silent, stderr: silent },
    state: { wrote: false, reported: false, interrupts: 0 },
    packageDir,
    version,
    lane,
  }).complete();
}
