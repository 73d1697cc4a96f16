import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import { usageError } from '../cli/usage-error.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import { renderFindings } from '../reporting/findings-view.ts';
import { renderTrusted, renderTrustItems } from '../reporting/trust-view.ts';
import type { Outcome } from '../reporting/types.ts';
import type { TrustItem } from '../trust/item.ts';
import { addGrants } from '../trust/store.ts';
import { selectionsFor } from './setup.ts';
import { chooseFor } from './shared/choose.ts';
import { dedupe, enrolledSelections } from './shared/inspect.ts';
import { instanceName } from './shared/named.ts';
import { renderSelections, type Selection, selectionOf } from './shared/selection.ts';
import { itemData, trustCommand } from './shared/trust-items.ts';
import { isPerson, trustPolicy } from './shared/trust-policy.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';
import { list, revoke } from './trust-grants.ts';

/**
 * `tenon trust [integration…]`: shows what this repository wants to have written, and asks. `--list`, `--revoke` and
 * `scan` only look, or take back.
 */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const { list: isList, revoke: revoked, check } = args.flags;
  const [first] = args.positionals;
  if (first === 'scan') {
    if (isList === true || revoked !== undefined || args.positionals.length > 1)
      throw usageError('usage/conflicting-flags', 'trust scan takes only --check.', 'Leave the rest out.');
    const { scan } = await import('./trust-scan.ts');
    return scan(context, typeof check === 'string' ? check : undefined);
  }
  if (check !== undefined)
    throw usageError(
      'usage/conflicting-flags',
      '--check belongs to tenon trust scan.',
      'Write tenon trust scan --check DIGEST.',
    );
  if (isList === true && revoked !== undefined)
    throw usageError(
      'usage/conflicting-flags',
      '--list and --revoke exclude each other.',
      'Give one of them.',
    );
  if (isList === true) return list(context);
  if (revoked !== undefined) return revoke(context, typeof revoked === 'string' ? revoked : undefined);
  return review(context, args.positionals, instanceName(args.flags, args.positionals));
}

async function review(context: Context, refs: readonly string[], name?: string): Promise<Outcome> {
  const workspace = await openWorkspace(context, 'reads');
  const { selections, failed } = await wanted(context, workspace, refs, name);
  const policy = await trustPolicy(context, workspace);
  const rendered = await renderSelections(context, workspace, selections, policy.trustOf);
  const pending = policy.pending();
  const findings = dedupe([...policy.findings, ...failed, ...rendered.findings]);
  const data = { items: pending.map(itemData), trusted: policy.granted().map(({ digest }) => digest) };
  if (pending.length > 0)
    await ask(context, workspace, {
      pending,
      data,
      findings,
      again: trustCommand(context, refs, selections),
    });
  const granted = pending.map(({ digest }) => digest);
  const view = {
    granted: granted.length,
    known: policy.granted().length,
    integrations: refs,
    isSetUp: workspace.enrolments.length > 0 || refs.length > 0,
  };
  return {
    command: 'trust',
    exit: failed.length > 0 ? 1 : 0,
    data: { ...data, granted },
    findings,
    human: (theme) => {
      const told = renderFindings(findings, theme).trimEnd();
      return `${told === '' ? '' : `${told}\n\n`}${renderTrusted(view, theme)}`;
    },
  };
}

/** What is set up here, or what is named: as it is set up, or as a setup with these flags would have it. */
async function wanted(
  context: Context,
  workspace: Workspace,
  refs: readonly string[],
  name?: string,
): Promise<{ selections: readonly Selection[]; failed: readonly Finding[] }> {
  if (refs.length === 0) {
    const { selections, findings } = await enrolledSelections(context, workspace);
    return { selections, failed: findings };
  }
  const selections: Selection[] = [];
  for (const ref of new Set(refs)) {
    const known = workspace.enrolments.find(
      ({ integration, scope }) =>
        (integration === (name ?? ref) || (name === undefined && integration === `add:${ref}`)) &&
        scope === context.options.scope,
    );
    if (known === undefined || Object.keys(context.options.set).length > 0) {
      selections.push(
        ...(await selectionsFor(context, workspace, [ref], name === undefined ? {} : { name })),
      );
      continue;
    }
    const runtimes =
      context.options.runtimes.length === 0 ? known.runtimes : await chooseFor(context, workspace, known);
    selections.push(await selectionOf(context, workspace, { ...known, runtimes }));
  }
  return { selections, failed: [] };
}

interface Question {
  readonly pending: readonly TrustItem[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
  /** The command line that a person runs. */
  readonly again: string;
}

/**
 * Shows the items and asks a person, default No. What is granted are the digests of what was shown: nothing is read
 * again, so a file that is swapped meanwhile is not trusted (requirement S12).
 */
async function ask(context: Context, workspace: Workspace, input: Question): Promise<void> {
  const { pending: items, data } = input;
  const { system, reporter, prompter, options } = context;
  if (options.quiet && isPerson(context))
    throw usageError('usage/conflicting-flags', '--quiet would hide what is to be trusted.', 'Leave it out.');
  reporter.note((theme) => renderTrustItems(items, theme));
  if (!isPerson(context)) throw terminalRequired(context, input);
  if (options.yes) reporter.note(() => '--yes grants no trust; please answer.\n');
  const noun = items.length === 1 ? 'this item' : `these ${items.length} items`;
  const answer = await prompter.confirm(`Trust ${noun} on this host, exactly as shown?`);
  if (answer !== true) {
    throw new TenonError('approval/declined', 'nothing was trusted', {
      exit: 3,
      remedy: { text: 'Run tenon trust again when you have read it' },
      data,
    });
  }
  await addGrants(system, workspace.state.folder, workspace.root, items, 'trust');
}

function terminalRequired(context: Context, { data, findings, again }: Question): TenonError {
  const why =
    context.agentSession === undefined
      ? 'there is no terminal to ask at'
      : `this terminal belongs to a session of ${context.agentSession}, which cannot trust for a person`;
  return new TenonError('trust/terminal-required', `only a person can trust this, and ${why}`, {
    exit: 3,
    remedy: {
      text: 'A person runs this in a terminal of their own, outside any coding agent',
      command: again,
    },
    findings,
    data,
  });
}
