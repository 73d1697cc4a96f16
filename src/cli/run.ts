import { type ExitCode, TenonError } from '../errors/error.ts';
import { openLimitError } from '../errors/open-limit.ts';
import { toError } from '../errors/to-error.ts';
import { takeOpenLimit } from '../lib/open-files.ts';
import {
  createHumanReporter,
  createJsonReporter,
  type ReporterOptions,
  type Streams,
} from '../reporting/reporter.ts';
import { createSpinner } from '../reporting/spinner.ts';
import type { Outcome, Prompter, Reporter } from '../reporting/types.ts';
import type { AbsPath, Reader, System } from '../system/ports.ts';
import { runAgainIfOvertaken } from './again.ts';
import type { CommandSpec } from './command-table.ts';
import type { Context, GlobalOptions } from './context.ts';
import { isVersionOnly, wantsJson } from './early.ts';
import { type Env, isInteractive } from './interactive.ts';
import { interruptionOf, noteWrites, type RunState } from './interrupt.ts';
import type { Lane, OpenLanes } from './lanes.ts';
import type { Invocation } from './program.ts';

type Render = NonNullable<ReporterOptions['render']>;

/** What one run of a command line has around it. */
export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: Env;
  readonly streams: Streams;
  readonly state: RunState;
  readonly packageDir: AbsPath;
  readonly version: string;
  /** The machine; a run that is watched gets one that notes what is asked of it. Default: the machine itself. */
  readonly system?: System;
  /** Further threads may be started for many roots. */
  readonly threads?: true;
  /** This run is such a thread. */
  readonly lane?: Lane;
  /** Gets the outcome before it is reported. */
  readonly observe?: (outcome: Outcome) => void;
  /** Streams of a person who can be asked; absent where nobody is. */
  readonly terminal?: {
    readonly isTty: () => boolean;
    readonly input: NodeJS.ReadStream;
    readonly output: NodeJS.WriteStream;
  };
}

/** What a run did, for whoever started it. */
export interface Done {
  readonly exit: ExitCode;
  /** Absent when no command was understood. */
  readonly command: CommandSpec | undefined;
  readonly options: GlobalOptions | undefined;
}

/** One run of a command line. */
export interface Run {
  /** Parses, runs the one command, reports. Never rejects. */
  readonly complete: () => Promise<Done>;
  /** Reports a fault unless the report is out already, and gives the exit code. */
  readonly report: (error: TenonError) => ExitCode;
  /** The command, as soon as it is known. */
  readonly command: () => CommandSpec | undefined;
}

/** Prepares a run; nothing is loaded or read yet. */
export function createRun(around: Surroundings): Run {
  const { argv, env, streams, state, packageDir, version } = around;
  const json = wantsJson(argv);
  let render: Render | undefined;
  let folder = '.';
  let reporter = createReporter(undefined);
  let known: CommandSpec | undefined;
  let options: GlobalOptions | undefined;
  return { complete, report, command: () => known };

  async function complete(): Promise<Done> {
    const exit = await reported();
    return { exit, command: known, options };
  }

  async function reported(): Promise<ExitCode> {
    try {
      return isVersionOnly(argv) ? printVersion() : await main();
    } catch (thrown) {
      const error = faultOf(thrown);
      // Where no file can be opened that chunk cannot be loaded either, and the fault holds nothing that was typed.
      const isBare = error.code === 'run/open-files';
      const exit = report(isBare ? error : (await import('./usage-error.ts')).withoutTypedSecrets(error));
      if (argv.includes('--debug') && !(thrown instanceof TenonError)) {
        streams.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
      }
      return exit;
    }
  }

  /** A fault that follows from a limit of open files is told as that limit. */
  function faultOf(thrown: unknown): TenonError {
    const error = toError(thrown, state.wrote);
    const limit = takeOpenLimit();
    // What an apply did is more than why it ended.
    const isOwn = [5, 130].includes(error.exit) || error.code === 'run/open-files' || state.wrote;
    return limit === undefined || isOwn ? error : openLimitError(limit, false, thrown);
  }

  /** Parses, builds the context, runs the one command. Every fault is thrown to the catch above. */
  async function main(): Promise<ExitCode> {
    const { parseCommandLine, realSystem, rememberAll, toGlobalOptions } = await import('./startup.ts');
    const invocation = parseCommandLine(argv);
    if (invocation.kind === 'version') return printVersion();
    if (invocation.kind === 'help') return printHelp(invocation);
    known = invocation.command;
    options = toGlobalOptions(invocation.globals, process.cwd());
    if (options.format !== 'text' && options.format !== 'json') render = await rendererOf(options.format);
    reporter = createReporter(options);
    if (known.load === undefined) {
      throw new TenonError('usage/not-available', `tenon ${known.name} is not in this version.`, {
        exit: 2,
        remedy: { text: 'See which commands there are.', command: 'tenon --help' },
      });
    }
    const system = around.system ?? realSystem();
    const { allRoots } = options;
    // What is looked at does not change in a run that neither writes nor starts a coding tool.
    const onlyLooks = ['status', 'doctor'].includes(known.name) && !options.clients && !options.live;
    const looking = onlyLooks && !allRoots ? { ...system, reader: rememberAll(system.reader) } : system;
    const context = await named(await createContext(options, looking));
    const run = await known.load();
    const { name } = known;
    const outcome = await runAgainIfOvertaken(context, async (given) => {
      if (!allRoots || name === 'trust') return run(given, invocation.args);
      const { acrossRoots } = await import('../commands/shared/all-roots.ts');
      return acrossRoots(given, name, (one) => run(one, invocation.args), invocation.args.flags, around.lane);
    });
    // What was found where no file could be opened says nothing; what was written was read back.
    const limit = takeOpenLimit();
    if (limit !== undefined && !state.wrote) throw openLimitError(limit, false);
    around.observe?.(outcome);
    return known.ownsStdout === true || state.reported ? outcome.exit : reporter.outcome(outcome);
  }

  /** The reports for other programs are loaded only where one is asked for. */
  async function rendererOf(format: GlobalOptions['format']): Promise<Render> {
    const { renderFormat } = await import('../reporting/formats.ts');
    return (run) => renderFormat(format, { ...run, folder });
  }

  /** A root that was named is named by what is printed too; many roots name themselves one by one. */
  async function named(context: Context): Promise<Context> {
    const { root, cwd, allRoots } = context.options;
    if (allRoots || (root === undefined && cwd === undefined)) return context;
    const { rootNames } = await import('../commands/shared/root-names.ts');
    const names = rootNames(context);
    folder = names?.folder ?? '.';
    if (names?.word === undefined) return context;
    const { rooted } = await import('../reporting/rooted.ts');
    reporter = rooted(reporter, names.word);
    return { ...context, reporter };
  }

  function report(error: TenonError): ExitCode {
    return state.reported ? error.exit : reporter.error(error, known?.name);
  }

  function printVersion(): ExitCode {
    return reporter.outcome({
      command: 'version',
      exit: 0,
      data: { version, node: process.versions.node },
      findings: [],
      human: () => version,
    });
  }

  async function printHelp(help: Extract<Invocation, { kind: 'help' }>): Promise<ExitCode> {
    const { commandHelp, helpData, mainHelp } = await import('./help.ts');
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

  async function createContext(given: GlobalOptions, opened: System): Promise<Context> {
    const real = given.debug ? await traced(opened) : opened;
    const system = {
      ...real,
      writer: noteWrites(real.writer, state),
      host: { ...real.host, cwd: given.cwd ?? real.host.cwd },
    };
    if (given.cwd !== undefined && system.reader.stat(given.cwd)?.kind !== 'directory') {
      const { usageError } = await import('./usage-error.ts');
      throw usageError('usage/bad-value', `--cwd names no folder: ${given.cwd}`, 'Name an existing folder.');
    }
    const isTerminal = around.terminal?.isTty() === true;
    const interactive = isInteractive({
      stdinTty: isTerminal,
      stderrTty: isTerminal,
      env,
      noInput: given.noInput,
      json,
    });
    return {
      system,
      options: given,
      argv,
      packageDir,
      version,
      reporter,
      prompter: await createPrompterFor(interactive),
      ...(around.threads === true && !given.debug ? { lanes: openerOf } : {}),
      interruption: interruptionOf(state),
      interactive,
      agentSession: interactive ? await findAgentSession(system.reader) : undefined,
    };
  }

  async function openerOf(roots: number): Promise<OpenLanes | undefined> {
    const { laneCount, openLanes, THREADS_SWITCH } = await import('./lanes.ts');
    const count = laneCount(roots, env[THREADS_SWITCH]);
    const { color, unicode, width } = streams.stdout.theme;
    return count === 0
      ? undefined
      : openLanes({ argv, packageDir, version, theme: { color, unicode, width } }, count);
  }

  async function traced(system: System): Promise<System> {
    const { traceSystem } = await import('../system/trace.ts');
    return traceSystem(system, (line) => reporter.debug(line));
  }

  /** Where nobody is asked, nobody can consent, so the specs need not be read for it. */
  async function findAgentSession(reader: Reader): Promise<string | undefined> {
    const { loadSpecs } = await import('../runtimes/load.ts');
    const { agentSession } = await import('../runtimes/session.ts');
    return agentSession((await loadSpecs(reader, packageDir)).values(), env);
  }

  async function createPrompterFor(interactive: boolean): Promise<Prompter> {
    const prompts = await import('../reporting/prompts.ts');
    if (!interactive || around.terminal === undefined) return prompts.SILENT_PROMPTER;
    const { input, output } = around.terminal;
    return prompts.createPrompter({ input, output });
  }

  function createReporter(given: GlobalOptions | undefined): Reporter {
    const settings = {
      quiet: given?.quiet === true && known?.isLookup !== true,
      debug: given?.debug ?? argv.includes('--debug'),
      strict: given?.strict ?? false,
      version,
      ...(render === undefined ? {} : { render }),
    };
    if (json) return noteReport(createJsonReporter(streams, settings));
    const animated = streams.stderr.isTty && env['TERM'] !== 'dumb';
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
}
