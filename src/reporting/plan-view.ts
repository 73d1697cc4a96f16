import type { FilePlan, Op, Plan } from '../engine/types.ts';
import type { Finding } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderDiff, unifiedDiff } from './diff-view.ts';
import { decode, fileDiff } from './file-diff.ts';
import { renderFindings, renderNews } from './findings-view.ts';
import { conflictBlock, countsText, fileBlock } from './plan-lines.ts';
import { wrap } from './text.ts';
import type { Theme } from './types.ts';

/** Commands whose plan is where a person first learns what a coding tool cannot do. */
const FITTING: ReadonlySet<string> = new Set(['setup', 'add', 'apply']);

/** Lines of diff beside the list of changes; the whole diff is asked for. */
const DIFF_LINES = 60;

/** The diff of one file, secrets masked. */
const shownDiff = (file: FilePlan): string => fileDiff(file, printable(file.path));

/**
 * A plan as people read it before they decide: counts and digest, the changes by file, conflicts with their ways out,
 * the hunks that change existing files, what runs or leaves the repository in words, findings. `further` are findings that
 * are told beside it.
 */
export function renderPlan(plan: Plan, theme: Theme, further: readonly Finding[] = []): string {
  const sections = [`${theme.bold('Plan')}  ${countsText(plan)}\n      ${theme.dim(plan.digest)}`];
  const blocks = pathsOf(plan).map((path) =>
    fileBlock(
      path,
      plan.ops.filter((op) => op.target.path === path),
      plan.files.find((file) => file.path === path),
      theme,
    ),
  );
  const shown = blocks.filter((block) => block !== '');
  if (shown.length > 0) sections.push(shown.join('\n'));
  if (plan.conflicts.length > 0) {
    sections.push(plan.conflicts.map((conflict) => conflictBlock(conflict, theme)).join('\n'));
  }
  const edits = plan.files.filter((file) => file.action === 'edit').map(shownDiff);
  const diff = renderDiff(edits.join(''), theme, DIFF_LINES, wholeDiff(plan));
  if (diff !== '') sections.push(diff);
  const tell = plan.isEmpty || !FITTING.has(plan.command) ? renderNews : renderFindings;
  if (plan.findings.length > 0) sections.push(tell(plan.findings, theme));
  const warnings = warningLines(plan, theme);
  if (warnings.length > 0) sections.push(warnings.join('\n'));
  if (plan.isEmpty && plan.conflicts.length === 0) {
    const isOpen = [...plan.findings, ...further].some(({ severity }) => severity === 'error');
    sections.push(isOpen ? 'Nothing to write; what is named here stays as it is.' : 'Nothing to do.');
  }
  return `${sections.join('\n\n')}\n`;
}

/** What shows the whole diff of a plan: `tenon plan` makes those of setup and sync alone. */
const wholeDiff = ({ command }: Plan): string =>
  command === 'setup' || command === 'sync'
    ? 'tenon plan with --patch shows all of them'
    : 'the same command with --dry-run --json shows all of them';

/** Every line that changes, of every file, secrets masked. */
export function renderPlanDiff(plan: Plan, theme: Theme): string {
  const diff = renderDiff(plan.files.map(shownDiff).join(''), theme);
  return diff === '' ? 'No file changes.\n' : `${diff}\n`;
}

/**
 * The plan as a patch for `git apply`. Files outside the repository are left out. `masked` names the files in which a
 * secret is hidden, whose hunks git will therefore not take where it stands in them. `nameOf`: the path of a file as git
 * takes it in a patch, from the top of the checkout.
 */
export function renderPatch(
  plan: Plan,
  nameOf: (file: FilePlan) => string = ({ path }) => path,
): { readonly patch: string; readonly masked: readonly string[] } {
  const files = plan.files.filter((file) => !file.outside);
  const masked: string[] = [];
  const parts = files.map((file) => {
    const name = nameOf(file);
    const shown = fileDiff(file, name);
    const [base, result] = [decode(file.base), decode(file.result)];
    if (shown !== unifiedDiff(name, base, result, undefined, file.mode)) {
      masked.push(file.path);
    }
    return shown;
  });
  return { patch: parts.join(''), masked };
}

/** Paths in the order of the ops, then files that no op stands for. */
const pathsOf = (plan: Plan): string[] => [
  ...new Set([...plan.ops.map((op) => op.target.path), ...plan.files.map((file) => file.path)]),
];

const ADDS = new Set(['create', 'update', 'merge', 'restore', 'replace']);

/** What `disable` and `enable` change of an entry. */
const SWITCHES = new Set(['sets enabled', 'sets disabled', 'takes out enabled', 'takes out disabled']);

/** What is started, each once: the launches, and the files that run without one (plugins). */
function programsOf(ops: readonly Op[]): string[] {
  const launches = ops
    .filter((op) => op.target.place.kind !== 'file')
    .map((op) => op.summary.replace(/^(?:runs|starts) /, '').replace(/ at \w+$/, ''));
  const files = ops
    .filter((op) => op.target.place.kind === 'file')
    .map((op) => op.target.path)
    .filter((path) => !launches.some((launch) => launch.includes(path)));
  return [...new Set([...launches, ...files])];
}

/** What approving means, in words. */
function warningLines(plan: Plan, theme: Theme): string[] {
  const added = plan.ops.filter((op) => ADDS.has(op.action));
  const runs = added.filter((op) => op.classes.includes('executes'));
  // An entry may hold a permission and be changed elsewhere: the switch of a server grants nothing.
  const grants = added.filter((op) => op.classes.includes('grants') && !SWITCHES.has(op.summary));
  const outside = plan.files.filter((file) => file.outside);
  const unasked = outside.filter(({ isFollowed }) => isFollowed !== true);
  const lines: string[] = [];
  const say = (text: string) => lines.push(wrap(text, theme.width, '  ', ''));
  if (runs.length > 0) {
    const what = programsOf(runs).map(printable).join(', ');
    say(
      `${runs.length} of these ${runs.length === 1 ? 'runs a program' : 'run programs'} on your machine: ${what}.`,
    );
  }
  if (grants.length > 0)
    say(
      `${grants.length} of these ${grants.length === 1 ? 'sets a permission' : 'set permissions'} of a coding tool.`,
    );
  if (outside.length > 0) {
    say(
      `${outside.length} of the files ${outside.length === 1 ? 'lies' : 'lie'} outside the repository${unasked.length === 0 ? ', where you told it to follow a link' : `; ${unasked.length === 1 ? 'it needs' : 'they need'} --allow user-files`}.`,
    );
  }
  return lines;
}
