import type { Context } from '../../cli/context.ts';
import type { Enrolment, RuntimeId } from '../../engine/types.ts';
import { TenonError } from '../../errors/error.ts';
import { type Candidate, chooseError, chooseRuntimes } from '../../runtimes/choose.ts';
import { detectRuntimes } from '../../runtimes/detect.ts';
import type { Workspace } from './workspace.ts';

/**
 * The runtimes of a setup (contract, section 3, "Choosing runtimes"). Those of an earlier setup of the same integration
 * stay: naming one more adds it.
 */
export async function chooseFor(
  context: Context,
  workspace: Workspace,
  before: Enrolment | undefined,
): Promise<readonly RuntimeId[]> {
  const { system, options } = context;
  const detected = detectRuntimes(
    workspace.specs.values(),
    {
      root: workspace.root,
      home: system.host.home,
      env: system.host.env,
      platform: system.host.platform,
      reader: system.reader,
    },
    system.exec,
  );
  const choice = chooseRuntimes({
    specs: workspace.specs,
    detected,
    requested: options.runtimes,
    manifest: before?.runtimes ?? manifestRuntimes(workspace),
    scope: options.scope,
  });
  if (choice.kind === 'chosen') {
    context.reporter.debug(`runtimes ${choice.runtimes.join(', ')}: ${choice.reason}`);
    const { leftOut = [] } = choice;
    if (leftOut.length > 0) context.reporter.note(() => `Left out of --runtime all: ${leftOut.join('; ')}.`);
    return union(before?.runtimes ?? [], choice.runtimes);
  }
  if (!context.interactive) throw chooseError(choice.candidates, choice.why);
  return union(before?.runtimes ?? [], await ask(context, choice.candidates));
}

const union = (a: readonly RuntimeId[], b: readonly RuntimeId[]): RuntimeId[] => [...new Set([...a, ...b])];

const manifestRuntimes = ({ enrolments }: Workspace): RuntimeId[] => [
  ...new Set(enrolments.filter(({ scope }) => scope === 'project').flatMap(({ runtimes }) => runtimes)),
];

async function ask(context: Context, candidates: readonly Candidate[]): Promise<readonly RuntimeId[]> {
  const ordered = [...candidates].sort((a, b) => Number(b.isLikely) - Number(a.isLikely));
  const answer = await context.prompter.multiselect(
    'For which coding tools?',
    ordered.map(({ id, title, hint }) => ({ value: id, label: title, ...(hint === '' ? {} : { hint }) })),
    ordered.filter(({ isLikely }) => isLikely).map(({ id }) => id),
  );
  if (answer === undefined || answer.length === 0) {
    throw new TenonError('approval/declined', 'no coding tool was chosen', { exit: 3 });
  }
  return answer;
}
