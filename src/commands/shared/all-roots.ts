import type { CommandArgs } from '../../cli/command-table.ts';
import type { Context } from '../../cli/context.ts';
import type { Lane, RootResult } from '../../cli/lanes.ts';
import { usageError } from '../../cli/usage-error.ts';
import { MANIFEST_PATH } from '../../engine/plan-manifest.ts';
import { type ExitCode, type Finding, type Remedy, TenonError } from '../../errors/error.ts';
import { toError } from '../../errors/to-error.ts';
import { isAtOpenLimit, takeOpenLimit } from '../../lib/open-files.ts';
import { printable } from '../../lib/printable.ts';
import { renderFindings } from '../../reporting/findings-view.ts';
import { errorAt, outcomeAt, rooted } from '../../reporting/rooted.ts';
import type { Outcome, Theme } from '../../reporting/types.ts';
import { loadSpecs } from '../../runtimes/load.ts';
import { recordedRoots } from '../../state/recorded-roots.ts';
import { type EnrolledRoots, enrolledRoots } from '../../system/enrolled-roots.ts';
import type { AbsPath } from '../../system/ports.ts';
import { rememberRoots } from '../../system/remembering-reader.ts';
import { namesOf, usualRoot } from './root-names.ts';
import { rootOf } from './workspace.ts';

/**
 * `--all-roots`: a command for every root of this repository that has something set up, each with its own part of the one
 * document (`flags`: the command's own). A root that cannot be read is left out and raises the code to 1
 * (contract, section 4). Many roots are shared out among threads; `lane`: this run is one of these, whose results go to
 * the thread that reports.
 */
export async function acrossRoots(
  context: Context,
  command: string,
  run: (context: Context) => Promise<Outcome>,
  flags: CommandArgs['flags'],
  lane?: Lane,
): Promise<Outcome> {
  const { options, system } = context;
  const refused = forOneRoot(options, flags);
  if (refused !== undefined)
    throw usageError('usage/conflicting-flags', refused, 'Name one root with --root DIR.');
  const { top, roots, missed } = lane === undefined ? rootsOf(context) : { ...lane, missed: [] };
  const shared: Context = {
    ...context,
    specs: await loadSpecs(system.reader, context.packageDir),
    // What the command itself would show of its progress would flicker between the roots.
    reporter: { ...context.reporter, progress: (_label, work) => work() },
  };
  const usual = usualRoot(context);
  const reads = onlyReads(command, options, flags['check'] === true);
  const readerOf = reads ? rememberRoots(system.reader) : () => system.reader;
  const exec = reads ? { ...system.exec, which: onceEach(system.exec.which) } : system.exec;
  const resultOf = async (index: number): Promise<RootResult> => {
    // Nothing else in a run that only reads waits for the event loop: Ctrl-C and results of other threads come here.
    await new Promise((resolve) => setImmediate(resolve));
    const root = roots[index] ?? top;
    const label = `Root ${index + 1} of ${roots.length}`;
    const own = { ...shared, system: { ...system, exec, reader: readerOf(root) } };
    return context.reporter.progress(label, () => attempt(own, { top, root, usual, reads }, run));
  };
  if (lane !== undefined) {
    for (let index = lane.take(); index < roots.length; index = lane.take()) {
      const result = await resultOf(index);
      // A thread that can open no file ends; what it took is done by the one that reports.
      if (takeOpenLimit() !== undefined) break;
      lane.deliver(index, result);
    }
    return combined(command, [], []);
  }
  const results: RootResult[] = [];
  const isAlone = !reads || mayAsk(command, options) || context.reporter.settle === undefined;
  const open = isAlone ? undefined : await context.lanes?.(roots.length);
  if (open !== undefined) {
    const lanes = open(top, roots, (index, result) => {
      results[index] = result;
    });
    for (let index = lanes.take(); index < roots.length; index = lanes.take()) {
      const result = await resultOf(index);
      if (takeOpenLimit() !== undefined) break;
      results[index] = result;
    }
    await lanes.finished();
  }
  // All of them where there are no other threads, else what one of these has taken and not done.
  for (const index of roots.keys()) {
    results[index] ??= await resultOf(index);
    // The run ends with that; a root more would only take its time.
    if (reads && isAtOpenLimit()) break;
  }
  return combined(command, results, missed);
}

/** The top level where nothing is set up anywhere. */
function rootsOf(context: Context) {
  const { top } = rootOf(context);
  const { roots: enrolled, isPartial, unread } = enrolledRoots(context.system, top);
  const recorded = recordedRoots(context.system, top, enrolled);
  const roots = recorded.length === 0 ? enrolled : [...enrolled, ...recorded].sort(byFolder);
  const missed = [...(isPartial ? [SEARCH_LIMITED] : []), ...unread.map((one) => unreadFinding(one, top))];
  return { top, roots: roots.length === 0 ? [top] : roots, missed };
}

const SEARCH_LIMITED: Finding = {
  code: 'repo/search-limited',
  severity: 'warning',
  subject: '.',
  message: 'the search for roots stopped at its limit; there may be more',
  remedy: { text: 'Name the others with --root DIR' },
};

/** A folder with a name that cannot be spelled may well hold a root; one that this user may not enter is seldom theirs. */
function unreadFinding({ path, why }: EnrolledRoots['unread'][number], top: AbsPath): Finding {
  const shown = printable(path.slice(top.length + 1) || '.');
  return {
    code: 'repo/search-limited',
    severity: why === 'name' ? 'warning' : 'info',
    subject: shown,
    message:
      why === 'name'
        ? `${shown} was not looked into for roots: its name is not UTF-8`
        : `${shown} was not looked into for roots: access was denied`,
    remedy: {
      text: why === 'name' ? 'Give it a name in UTF-8' : 'Run it as a user who may enter it, if it holds one',
    },
  };
}

/** A folder before what lies in it, else by name, as the search for roots goes. */
function byFolder(a: AbsPath, b: AbsPath): number {
  const [left, right] = [a, b].map((path) => path.replaceAll(/[\\/]/g, '\0'));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/** An endpoint that several roots name is asked once, which only one thread can do. */
const mayAsk = (command: string, { offline }: Context['options']): boolean =>
  command === 'doctor' && !offline;

/** Why a flag cannot be for several roots. */
function forOneRoot({ approve }: Context['options'], flags: CommandArgs['flags']): string | undefined {
  if (approve !== undefined) return '--approve takes the digest of one plan, and every root has its own.';
  return flags['bundle'] === undefined ? undefined : '--bundle saves what was found in one root.';
}

function onceEach<T>(ask: (name: string) => T): (name: string) => T {
  const known = new Map<string, { readonly answer: T }>();
  return (name) => {
    const before = known.get(name) ?? { answer: ask(name) };
    known.set(name, before);
    return before.answer;
  };
}

/** Nothing changes in a run that neither writes nor starts a coding tool. */
const onlyReads = (
  command: string,
  { clients, live, dryRun }: Context['options'],
  isCheck: boolean,
): boolean => !clients && !live && (command !== 'sync' || dryRun || isCheck);

async function attempt(
  context: Context,
  place: {
    readonly top: AbsPath;
    readonly root: AbsPath;
    readonly usual: AbsPath | undefined;
    readonly reads: boolean;
  },
  run: (context: Context) => Promise<Outcome>,
): Promise<RootResult> {
  const { root } = place;
  const { folder, word } = namesOf(context, place, place.usual);
  const shown = printable(folder);
  const reporter = word === undefined ? context.reporter : rooted(context.reporter, word);
  try {
    const made = await run({ ...context, reporter, options: { ...context.options, root, allRoots: false } });
    const outcome = word === undefined ? made : outcomeAt(made, word);
    const findings = findingsOf(shown, outcome);
    // Of thousands of roots only what will be printed can be kept.
    return {
      root: shown,
      outcome: context.reporter.settle?.({ ...outcome, findings: [] }) ?? outcome,
      findings,
    };
  } catch (thrown) {
    // A call that the system refused is the fault of this root, where it cannot have cut a write short.
    const fault = place.reads ? toError(thrown, false) : thrown;
    if (!(fault instanceof TenonError) || fault.exit === 130) throw thrown;
    if (fault.code === 'usage/unknown-runtime' || fault.code === 'internal/bug') throw thrown;
    const error = word === undefined ? fault : errorAt(fault, word);
    return { root: shown, error, findings: findingsOf(shown, undefined, error) };
  }
}

/** When several apply: 2, then 5, 6, 4, 3, 1 (contract, section 3); a root that is left out counts as 1. */
const ORDER: readonly ExitCode[] = [5, 6, 4, 3, 1, 0];

const exitOf = ({ outcome, error }: RootResult): ExitCode =>
  error === undefined ? (outcome?.exit ?? 0) : error.exit === 3 || error.exit >= 5 ? error.exit : 1;

function combined(command: string, results: readonly RootResult[], missed: readonly Finding[]): Outcome {
  const codes = results.map(exitOf);
  const findings = [...results.flatMap((one) => one.findings), ...missed];
  return {
    command,
    exit: ORDER.find((code) => codes.includes(code)) ?? 0,
    data: {
      roots: results.map(({ root, outcome, error }, index) => ({
        root,
        exitCode: codes[index],
        ok: codes[index] === 0,
        data: outcome?.data ?? error?.data ?? {},
        error:
          error === undefined ? null : { code: error.code, message: error.message, remedy: remedyOf(error) },
      })),
    },
    findings,
    human: (theme) => [...blocksOf(results, missed, theme)].join(''),
    blocks: (theme) => blocksOf(results, missed, theme),
  };
}

const below = (root: string, subject: string): string =>
  root === '.' || /^[~/]|^[a-z][a-z\d+.-]*:\/\/|^[a-z]:[\\/]/i.test(subject)
    ? subject
    : subject === '.'
      ? root
      : `${root}/${subject}`;

function findingsOf(root: string, outcome?: Outcome, error?: TenonError): Finding[] {
  const own = [...(outcome?.findings ?? []), ...(error?.findings ?? [])].map(
    (finding): Finding => ({
      ...finding,
      subject: below(root, finding.subject),
      data: { ...finding.data, root },
    }),
  );
  return error === undefined ? own : [...own, leftOut(root, error)];
}

const remedyOf = ({ code, remedy }: TenonError): Remedy =>
  remedy ?? {
    text: 'Correct that, then run this again; more on it:',
    command: `tenon explain ${code}`,
  };

/** A root that is not part of this run, with what to do about it. */
const leftOut = (root: string, error: TenonError): Finding => ({
  code: error.code,
  severity: 'error',
  subject: root,
  message: `left out: ${error.message}`,
  remedy: remedyOf(error),
  data: { root, ...(error.code.startsWith('manifest/') ? { file: MANIFEST_PATH } : {}) },
});

function* blocksOf(
  results: readonly RootResult[],
  missed: readonly Finding[],
  theme: Theme,
): Generator<string> {
  for (const [at, one] of results.entries())
    yield `${blockOf(one, theme)}${at < results.length - 1 || missed.length > 0 ? '\n\n' : ''}`;
  if (missed.length > 0) yield renderFindings(missed, theme).trimEnd();
}

function blockOf({ root, outcome, error }: RootResult, theme: Theme): string {
  const title = theme.bold(root === '.' ? '. (top level)' : root);
  const text =
    error === undefined
      ? (outcome?.human(theme) ?? '')
      : renderFindings([...error.findings, { ...leftOut(root, error), subject: '' }], theme);
  return `${title}\n${text.trimEnd()}`;
}
