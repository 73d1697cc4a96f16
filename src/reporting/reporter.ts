import type { ErrorCode, ExitCode, Finding, Remedy, TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderError } from './error-view.ts';
import { bySeverity, renderFindings } from './findings-view.ts';
import { type FormatRun, runOf, runOfError } from './format-parts.ts';
import { defuseCommands, guardOutput } from './guard.ts';
import { Prepared, serialize, serializeInto } from './serialize.ts';
import type { Outcome, Reporter, Theme } from './types.ts';

/** The two streams of a run; `write` takes complete text. */
export interface Streams {
  readonly stdout: { write(text: string): void; readonly theme: Theme; readonly isTty: boolean };
  readonly stderr: { write(text: string): void; readonly theme: Theme; readonly isTty: boolean };
}

export interface ReporterOptions {
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly strict: boolean;
  readonly version: string;
  /** Makes the report of --format; text where there is none, or where it gives nothing. */
  readonly render?: (run: FormatRun) => string | undefined;
}

/** The exit code of an outcome: under --strict a warning makes a healthy run 1 (contract, section 3). */
function exitOf(outcome: Outcome, strict: boolean): ExitCode {
  const warned = outcome.findings.some((finding) => finding.severity === 'warning');
  return strict && outcome.exit === 0 && warned ? 1 : outcome.exit;
}

/** Of what names no way out of its own: what the code means, and what to do, is told by its explanation. */
const explained = (code: ErrorCode): Remedy => ({
  text: 'See what it means and what to do',
  command: `tenon explain ${code}`,
});

const toJsonFinding = (finding: Finding) => ({
  code: finding.code,
  severity: finding.severity,
  subject: finding.subject,
  message: finding.message,
  remedy: finding.remedy ?? explained(finding.code),
  data: finding.data,
});

const envelope = (fields: {
  command: string;
  exit: ExitCode;
  data: unknown;
  findings: readonly Finding[];
  error: { code: string; message: string; remedy: unknown; state: string } | null;
}) => ({
  schema: `tenon/${fields.command}/v1`,
  ok: fields.exit === 0,
  exitCode: fields.exit,
  data: fields.data,
  findings: bySeverity(fields.findings).map(toJsonFinding),
  error: fields.error,
});

/** The document of a fault; `tenon/error/v1` before a command is known. */
export function errorDocument(error: TenonError, command: string | undefined): string {
  return `${serialize(
    envelope({
      command: command ?? 'error',
      exit: error.exit,
      data: error.data ?? {},
      findings: error.findings,
      error: {
        code: error.code,
        message: error.message,
        remedy: error.remedy ?? explained(error.code),
        state: error.state,
      },
    }),
  )}\n`;
}

/** The document of a result. */
export function outcomeDocument(outcome: Outcome, strict: boolean): string {
  return `${serialize(outcomeEnvelope(outcome, strict))}\n`;
}

const outcomeEnvelope = (outcome: Outcome, strict: boolean) =>
  envelope({
    command: outcome.command,
    exit: exitOf(outcome, strict),
    data: outcome.data,
    findings: outcome.findings,
    error: null,
  });

function debugWriter(streams: Streams, options: ReporterOptions): (message: string) => void {
  return (message) => {
    if (options.debug) streams.stderr.write(`debug: ${printable(message)}\n`);
  };
}

/** stdout holds exactly one document; stderr stays empty but for --debug. */
export function createJsonReporter(streams: Streams, options: ReporterOptions): Reporter {
  return {
    outcome(outcome) {
      let last = '';
      serializeInto(outcomeEnvelope(outcome, options.strict), (part) => {
        if (last !== '') streams.stdout.write(last);
        last = part;
      });
      streams.stdout.write(`${last}\n`);
      return exitOf(outcome, options.strict);
    },
    settle: ({ command, exit, data, findings }) => ({
      command,
      exit,
      data: Prepared.of(data),
      findings,
      human: () => '',
    }),
    error(error, command) {
      streams.stdout.write(errorDocument(error, command));
      return error.exit;
    },
    note: () => {},
    progress: (_label, work) => work(),
    debug: debugWriter(streams, options),
  };
}

/** Text for people; the result goes to stdout, everything else to stderr. */
export function createHumanReporter(
  streams: Streams,
  options: ReporterOptions,
  spin?: <T>(label: string, work: () => Promise<T>) => Promise<T>,
): Reporter {
  const out = (text: string) => {
    if (text !== '')
      streams.stdout.write(defuseCommands(guardOutput(text.endsWith('\n') ? text : `${text}\n`)));
  };
  const settle = ({ command, exit, findings, human }: Outcome): Outcome => {
    // As bytes: half of the text is text that V8 would keep with two bytes a character, and none of it is looked at.
    const text = Buffer.from(options.quiet ? '' : human(streams.stdout.theme));
    return { command, exit, data: {}, findings, human: () => text.toString() };
  };
  const err = (text: string) => {
    if (text !== '')
      streams.stderr.write(defuseCommands(guardOutput(text.endsWith('\n') ? text : `${text}\n`)));
  };
  const outBlocks = ({ human, blocks }: Outcome) => {
    const { theme } = streams.stdout;
    for (const block of blocks === undefined ? [human(theme)] : blocks(theme)) out(block);
  };
  return {
    ...(options.render === undefined ? { settle } : {}),
    outcome(outcome) {
      const exit = exitOf(outcome, options.strict);
      const report = options.render?.(runOf(outcome, exit, options.version, options.strict));
      if (report !== undefined) streams.stdout.write(guardOutput(report));
      else if (outcome.raw !== undefined && !streams.stdout.isTty) streams.stdout.write(outcome.raw);
      else if (!options.quiet) outBlocks(outcome);
      else out(renderFindings(problems(outcome.findings), streams.stdout.theme));
      return exit;
    },
    error(error, command) {
      const report = options.render?.(runOfError(error, command, options.version, options.strict));
      if (report !== undefined) streams.stdout.write(guardOutput(report));
      err(renderError(error, streams.stderr.theme));
      return error.exit;
    },
    note(text, needed) {
      if (!options.quiet || needed === 'needed') err(`${text(streams.stderr.theme).trimEnd()}\n\n`);
    },
    progress(label, work) {
      return spin === undefined || options.quiet ? work() : spin(label, work);
    },
    debug: debugWriter(streams, options),
  };
}

const problems = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter((finding) => finding.severity !== 'info');
