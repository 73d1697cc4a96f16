import { dirname } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { colorFlag, wantsJson } from './cli/early.ts';
import { useColor, useUnicode } from './cli/interactive.ts';
import { answerInterrupt, type RunState } from './cli/interrupt.ts';
import { createRun } from './cli/run.ts';
import { TenonError } from './errors/error.ts';
import { systemReason } from './lib/system-reason.ts';
import { renderError } from './reporting/error-view.ts';
import type { Streams } from './reporting/reporter.ts';
import { createTheme } from './reporting/theme.ts';
import type { Theme } from './reporting/types.ts';

const VERSION: string = manifest.version;

const packageDir = dirname(import.meta.dirname);
const argv = process.argv.slice(2);
const state: RunState = { wrote: false, reported: false, interrupts: 0 };

let hasEnded = false;
watchOutputs();
const streams = createStreams();
const run = createRun({
  argv,
  env: process.env,
  streams,
  state,
  packageDir,
  version: VERSION,
  threads: true,
  terminal: {
    // Only asked where stderr is a terminal: the stream of a pipe or a file takes milliseconds to open.
    isTty: () => process.stderr.isTTY === true && process.stdin.isTTY === true,
    get input() {
      return process.stdin;
    },
    output: process.stderr,
  },
});
process.on('SIGINT', () => onInterrupt());
process.on('beforeExit', () => onNothingLeft());

/** Runs the command line of this process and sets its exit code. Never rejects. Tells what ran, and whether it wrote. */
export async function start(): Promise<{ readonly command: string; readonly wrote: boolean }> {
  const { exit, command, options } = await run.complete();
  hasEnded = true;
  process.exitCode = exit;
  if (command !== undefined && options !== undefined && (state.wrote || command.effect === 'writes')) {
    const { keepAnswers } = await import('./cli/keep-answers.ts');
    await keepAnswers({ argv, command, options, exit, wrote: state.wrote, packageDir, version: VERSION });
  }
  return { command: command?.name ?? '', wrote: state.wrote };
}

/**
 * Node ends a process in which nothing more can happen, with 0 and without a word, also while the run waits for something
 * that never comes. That is a fault of ours, and is told as one.
 */
function onNothingLeft(): void {
  if (hasEnded || run.command()?.effect === 'serves') return;
  hasEnded = true;
  const error = new TenonError('internal/bug', 'tenon waited for something that never came.', {
    exit: 2,
    state: state.wrote ? 'unknown' : 'nothing-written',
    remedy: { text: 'Run it again, and report how it came to this; this is a fault of tenon, not of yours.' },
  });
  process.exitCode = run.report(error);
}

function createStreams(): Streams {
  const flag = colorFlag(argv);
  const json = wantsJson(argv);
  const themeOf = (stream: NodeJS.WriteStream): Theme =>
    createTheme({
      color: useColor(process.env, { flag, tty: stream.isTTY === true, json }),
      unicode: useUnicode(process.env, process.platform),
      width: stream.isTTY === true ? stream.columns : undefined,
    });
  return {
    stdout: {
      write: (text) => void process.stdout.write(text),
      theme: themeOf(process.stdout),
      isTty: process.stdout.isTTY === true,
    },
    stderr: {
      write: (text) => void process.stderr.write(text),
      theme: themeOf(process.stderr),
      isTty: process.stderr.isTTY === true,
    },
  };
}

/**
 * `tenon doctor | head -1` closes our pipe early; that is no fault of this run. Every other fault of an output, such as a full
 * disk behind it, ends the run: what it had to say is lost.
 */
function watchOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'EPIPE') return;
      const { code = 'unknown' } = fault;
      const why = systemReason(code);
      const error = new TenonError(
        'run/system-error',
        `The output cannot be written: ${why === undefined ? code : `${why} (${code})`}.`,
        {
          exit: state.wrote ? 2 : 4,
          state: state.wrote ? 'unknown' : 'nothing-written',
          remedy: { text: 'Correct the cause, then look at how things stand.', command: 'tenon status' },
        },
      );
      if (stream !== process.stderr) streams.stderr.write(renderError(error, streams.stderr.theme));
      process.exit(error.exit);
    });
  }
}

/** Ends the process only after what is still to be printed has left it. */
function onInterrupt(): void {
  // A server is ended by its own handler and closes what it opened; a second Ctrl-C does not wait for it.
  if (run.command()?.effect === 'serves' && state.interrupts === 0) {
    state.interrupts = 1;
    return;
  }
  const answer = answerInterrupt(state);
  if (answer !== 'stop') {
    const what = answer === 'finish' ? 'Finishing and reporting' : 'Stopping where it is safe';
    streams.stderr.write(`${what}; Ctrl-C again stops.\n`);
    return;
  }
  const error = new TenonError('run/interrupted', 'Interrupted.', {
    exit: 130,
    state: state.wrote ? 'written' : 'nothing-written',
  });
  run.report(error);
  // With an exit code the work is done and told; what is cut short then is the keeping of answers.
  process.stdout.write('', () => process.exit(process.exitCode ?? error.exit));
}
