import { dirname } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { runAgainIfOvertaken } from './cli/again.ts';
import type { CommandSpec } from './cli/command-table.ts';
import type { Context, GlobalOptions } from './cli/context.ts';
import { colorFlag, isVersionOnly, wantsJson } from './cli/early.ts';
import { isInteractive, useColor, useUnicode } from './cli/interactive.ts';
import { answerInterrupt, interruptionOf, noteWrites, type RunState } from './cli/interrupt.ts';
import type { Invocation } from './cli/program.ts';
import { type ExitCode, TenonError } from './errors/error.ts';
import { toError } from './errors/to-error.ts';
import {
  createHumanReporter,
  createJsonReporter,
  type ReporterOptions,
  type Streams,
} from './reporting/reporter.ts';
import { createSpinner } from './reporting/spinner.ts';
import { createTheme } from './reporting/theme.ts';
import type { Prompter, Reporter, Theme } from './reporting/types.ts';
import type { Reader, System } from './system/ports.ts';

type Render = NonNullable<ReporterOptions['render']>;

const VERSION: string = manifest.version;

const packageDir = dirname(import.meta.dirname);
const argv = process.argv.slice(2);
const json = wantsJson(argv);
const state: RunState = { wrote: false, reported: false, interrupts: 0 };

tolerateClosedPipes();
const streams = createStreams();
let render: Render | undefined;
let reporter = createReporter(undefined);
let known: CommandSpec | undefined;
process.on('SIGINT', () => onInterrupt());

/** Runs the command line of this process and sets its exit code. Never rejects. Tells what ran, and whether it wrote. */
export async function start(): Promise<{ readonly command: string; readonly wrote: boolean }> {
  try {
    setExit(isVersionOnly(argv) ? printVersion() : await main());
  } catch (thrown) {
    setExit(report(toError(thrown, state.wrote)));
    if (argv.includes('--debug') && !(thrown instanceof TenonError)) {
      streams.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
    }
  }
  return { command: known?.name ?? '', wrote: state.wrote };
}

/** Parses, builds the context, runs the one command. Every fault is thrown to the catch above. */
async function main(): Promise<ExitCode> {
  const { parseCommandLine, realSystem, rememberAll, toGlobalOptions } = await import('./cli/startup.ts');
  const invocation = parseCommandLine(argv);
  if (invocation.kind === 'version') return printVersion();
  if (invocation.kind === 'help') return printHelp(invocation);
  known = invocation.command;
  const options = toGlobalOptions(invocation.globals, process.cwd());
  if (options.format !== 'text' && options.format !== 'json') render = await rendererOf(options.format);
  reporter = createReporter(options);
  if (known.load === undefined) {
    throw new TenonError('usage/not-available', `tenon ${known.name} is not in this version.`, {
      exit: 2,
      remedy: { text: 'See which commands there are.', command: 'tenon --help' },
    });
  }
  const system = realSystem();
  // What is looked at does not change in a run that neither writes nor starts a coding tool.
  const onlyLooks = ['status', 'doctor'].includes(known.name) && !options.clients && !options.live;
  const looking = onlyLooks && !options.allRoots ? { ...system, reader: rememberAll(system.reader) } : system;
  const context = await createContext(options, looking);
  const run = await known.load();
  const { name } = known;
  const outcome = await runAgainIfOvertaken(context, async (given) => {
    if (!options.allRoots || name === 'trust') return run(given, invocation.args);
    const { acrossRoots } = await import('./commands/shared/all-roots.ts');
    const isCheck = invocation.args.flags['check'] === true;
    return acrossRoots(given, name, (one) => run(one, invocation.args), isCheck);
  });
  return known.ownsStdout === true || state.reported ? outcome.exit : reporter.outcome(outcome);
}

/** The reports for other programs are loaded only where one is asked for. */
async function rendererOf(format: GlobalOptions['format']): Promise<Render> {
  const { renderFormat } = await import('./reporting/formats.ts');
  return (run) => renderFormat(format, run);
}

function setExit(code: ExitCode): void {
  process.exitCode = code;
}

function report(error: TenonError): ExitCode {
  return state.reported ? error.exit : reporter.error(error, known?.name);
}

function printVersion(): ExitCode {
  return reporter.outcome({
    command: 'version',
    exit: 0,
    data: { version: VERSION, node: process.versions.node },
    findings: [],
    human: () => VERSION,
  });
}

async function printHelp(help: Extract<Invocation, { kind: 'help' }>): Promise<ExitCode> {
  const { commandHelp, helpData, mainHelp } = await import('./cli/help.ts');
  if (!help.asked && json) {
    throw new TenonError('usage/no-command', 'No command was given.', {
      exit: 2,
      remedy: { text: 'See the list of commands.', command: 'tenon --help' },
    });
  }
  const { command } = help;
  return reporter.outcome({
    command: 'help',
    exit: help.asked ? 0 : 2,
    data: helpData(command),
    findings: [],
    human: (theme) => (command === undefined ? mainHelp(theme) : commandHelp(command, theme)),
  });
}

async function createContext(options: GlobalOptions, opened: System): Promise<Context> {
  const real = options.debug ? await traced(opened) : opened;
  const system = {
    ...real,
    writer: noteWrites(real.writer, state),
    host: { ...real.host, cwd: options.cwd ?? real.host.cwd },
  };
  if (options.cwd !== undefined && system.reader.stat(options.cwd)?.kind !== 'directory') {
    const { usageError } = await import('./cli/usage-error.ts');
    throw usageError('usage/bad-value', `--cwd names no folder: ${options.cwd}`, 'Name an existing folder.');
  }
  const interactive = isInteractive({
    // Only asked where stderr is a terminal: the stream of a pipe or a file takes milliseconds to open.
    stdinTty: process.stderr.isTTY === true && process.stdin.isTTY === true,
    stderrTty: process.stderr.isTTY === true,
    env: process.env,
    noInput: options.noInput,
    json,
  });
  return {
    system,
    options,
    argv,
    packageDir,
    version: VERSION,
    reporter,
    prompter: await createPrompterFor(interactive),
    interruption: interruptionOf(state),
    interactive,
    agentSession: interactive ? await findAgentSession(system.reader) : undefined,
  };
}

async function traced(system: System): Promise<System> {
  const { traceSystem } = await import('./system/trace.ts');
  return traceSystem(system, (line) => reporter.debug(line));
}

/** Where nobody is asked, nobody can consent, so the specs need not be read for it. */
async function findAgentSession(reader: Reader): Promise<string | undefined> {
  const { loadSpecs } = await import('./runtimes/load.ts');
  const { agentSession } = await import('./runtimes/session.ts');
  return agentSession((await loadSpecs(reader, packageDir)).values(), process.env);
}

async function createPrompterFor(interactive: boolean): Promise<Prompter> {
  const prompts = await import('./reporting/prompts.ts');
  return interactive
    ? prompts.createPrompter({ input: process.stdin, output: process.stderr })
    : prompts.SILENT_PROMPTER;
}

function createStreams(): Streams {
  const flag = colorFlag(argv);
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

function createReporter(options: GlobalOptions | undefined): Reporter {
  const settings = {
    quiet: options?.quiet === true && known?.isLookup !== true,
    debug: options?.debug ?? argv.includes('--debug'),
    strict: options?.strict ?? false,
    version: VERSION,
    ...(render === undefined ? {} : { render }),
  };
  if (json) return noteReport(createJsonReporter(streams, settings));
  const animated = streams.stderr.isTty && process.env['TERM'] !== 'dumb';
  return noteReport(
    createHumanReporter(
      streams,
      settings,
      animated ? createSpinner(streams.stderr.write, streams.stderr.theme.unicode) : undefined,
    ),
  );
}

/** Remembers that the report is out: nothing may be printed on stdout after it. */
function noteReport(inner: Reporter): Reporter {
  return {
    ...inner,
    outcome(outcome) {
      state.reported = true;
      return inner.outcome(outcome);
    },
    error(error, command) {
      state.reported = true;
      return inner.error(error, command);
    },
  };
}

/** `tenon doctor | head -1` closes our pipe early; that is no fault of this run. */
function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Ends the process only after what is still to be printed has left it. */
function onInterrupt(): void {
  // A server is ended by its own handler and closes what it opened; a second Ctrl-C does not wait for it.
  if (known?.effect === 'serves' && state.interrupts === 0) {
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
  report(error);
  process.stdout.write('', () => process.exit(130));
}
