import type { Context } from '../../cli/context.ts';
import type { Judgement } from '../../engine/judgement.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import type { LoadedIntegration } from '../../integrations/types.ts';
import { printable } from '../../lib/printable.ts';
import { addressOfInput } from './fixed-inputs.ts';
import type { Selection } from './selection.ts';
import { shellQuote } from './shell-quote.ts';
import type { Workspace } from './workspace.ts';

/** A `fixed` input whose value in the manifest is another one than this host set up last. */
export interface Moved {
  readonly name: string;
  /** Undefined: the manifest has none any more. */
  readonly asked: string | undefined;
  readonly recorded: string;
}

/** Fixed inputs of a project enrolment that somebody changed in the manifest since this host set it up. */
export function movedInputs(workspace: Workspace, { enrolment, loaded, inputs }: Selection): Moved[] {
  if (enrolment.scope !== 'project') return [];
  const known = (workspace.ledgers.root.choices ?? []).find(
    ({ integration }) => integration === enrolment.integration,
  );
  if (known === undefined) return [];
  return loaded.manifest.inputs.flatMap(({ name, fixed }): Moved[] => {
    const recorded = Object.hasOwn(known.fixed, name) ? known.fixed[name] : undefined;
    if (fixed !== true || recorded === undefined) return [];
    const asked = inputs.find((input) => input.name === name)?.value;
    return asked === recorded ? [] : [{ name, asked, recorded }];
  });
}

/** The selection with the recorded values in place of those of the manifest. */
export function withRecorded(selection: Selection, moved: readonly Moved[]): Selection {
  const { enrolment } = selection;
  const values = Object.fromEntries(moved.map(({ name, recorded }) => [name, recorded]));
  const isMoved = (name: string): boolean => Object.hasOwn(values, name);
  return {
    ...selection,
    inputs: [
      ...selection.inputs.filter(({ name }) => !isMoved(name)),
      ...moved.map(({ name, recorded }) => ({ name, value: recorded, origin: 'manifest' as const })),
    ],
    enrolment: { ...enrolment, inputs: { ...enrolment.inputs, ...values } },
  };
}

/** Whether a plan would change, or would with trust, an artifact that names one of these inputs: files that agree are no conflict. */
export function changesFor(
  { enrolment, loaded }: Selection,
  moved: readonly Moved[],
  judgements: readonly Judgement[],
): boolean {
  const names = new Set(moved.flatMap(({ name }) => artifactsWith(loaded, name)));
  return judgements.some(
    ({ slot, step, standing }) =>
      (step !== undefined || standing === 'untrusted') &&
      (slot.wish?.owners ?? []).some(
        ({ integration, artifact }) => integration === enrolment.integration && names.has(artifact),
      ),
  );
}

/**
 * For `setup` of what is set up already: where the manifest moved a fixed input and nobody said so on this command line, the
 * decision of `--resolve` is taken, and without one it is `input/conflict` (exit 4).
 */
export async function settleMoved(
  context: Context,
  workspace: Workspace,
  selections: readonly Selection[],
): Promise<readonly Selection[]> {
  const open = selections.map((selection) =>
    movedInputs(workspace, selection).filter(({ name }) =>
      selection.inputs.every((input) => input.name !== name || input.origin === 'manifest'),
    ),
  );
  if (open.every((moved) => moved.length === 0)) return selections;
  const { planFit } = await import('./fit.ts');
  const { make } = await planFit(context, workspace, 'setup', selections);
  const { judgements } = await make({
    resolve: () => undefined,
    force: () => false,
    restore: () => false,
    unmatched: () => [],
  });
  return selections.map((selection, index) => {
    const decided = decisionsOf(context, open[index] ?? []);
    const [first] = changesFor(selection, decided.open, judgements) ? decided.open : [];
    if (first !== undefined) {
      const { code, message, remedy, data } = movedFinding(selection.enrolment.integration, first, 'setup');
      throw new TenonError(code, message, {
        exit: 4,
        ...(remedy === undefined ? {} : { remedy }),
        ...(data === undefined ? {} : { data }),
      });
    }
    return decided.kept.length === 0 ? selection : withRecorded(selection, decided.kept);
  });
}

/** Artifacts whose text, or one of whose files, has the placeholder of an input. */
function artifactsWith({ manifest, files }: LoadedIntegration, name: string): string[] {
  const placeholder = `{${name}}`;
  const holds = manifest.expand.filter((path) =>
    new TextDecoder().decode(files.get(path)).includes(placeholder),
  );
  return manifest.artifacts
    .filter((artifact) => {
      const text = JSON.stringify(artifact);
      return text.includes(placeholder) || holds.some((path) => text.includes(JSON.stringify(path)));
    })
    .map((artifact) => artifact.name);
}

/** How a plan without a person decides each of them: `--resolve input:NAME=keep|replace`, else nothing. */
export function decisionsOf(
  context: Context,
  moved: readonly Moved[],
): { readonly kept: readonly Moved[]; readonly open: readonly Moved[] } {
  const choice = ({ name }: Moved) => context.options.resolve[addressOfInput(name)];
  return {
    kept: moved.filter((one) => choice(one) === 'keep'),
    open: moved.filter((one) => choice(one) === undefined),
  };
}

/** The conflict, told with the command that decides it. */
export function movedFinding(
  integration: string,
  { name, asked, recorded }: Moved,
  command: 'sync' | 'setup' = 'sync',
): Finding {
  const address = addressOfInput(name);
  const shown = (value: string | undefined): string =>
    value === undefined ? 'none' : printable(JSON.stringify(value));
  return {
    code: 'input/conflict',
    severity: 'error',
    subject: integration,
    message: `${integration} is set up here with ${name} ${shown(recorded)}, and the manifest now says ${shown(asked)}; what names it was left as it is`,
    remedy: {
      text: `Decide it: ${command === 'sync' ? 'tenon sync ' : ''}--resolve ${shellQuote(`${address}=replace`)} follows the manifest, --resolve ${shellQuote(`${address}=keep`)} writes ${shown(recorded)} back into it`,
    },
    data: { input: name, existing: recorded, given: asked ?? null, address, choices: ['keep', 'replace'] },
  };
}
