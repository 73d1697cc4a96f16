import type { Context } from '../../cli/context.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Choices, Uncovered } from '../../engine/plan-request.ts';
import type { LedgerRecord } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import { holdBack } from './hold-back.ts';
import { enrolledSelections } from './inspect.ts';
import { makePlan } from './planning.ts';
import { choicesOf } from './recorded-choices.ts';
import { type Rendered, renderSelections, type Selection } from './selection.ts';
import { trustPolicy } from './trust-policy.ts';
import type { Workspace } from './workspace.ts';

export interface Convergence {
  readonly selections: readonly Selection[];
  /** Definitions that cannot be loaded; their entries are left alone. */
  readonly failed: readonly Finding[];
  /** Builds the plan with these answers. */
  readonly make: (choices: Choices) => Promise<PlanResult>;
}

/**
 * Today's definitions of everything that is set up, against the disk (contract, section 4). A definition that cannot be
 * read prunes nothing: only what a readable definition no longer asks for, or what is enrolled nowhere, is stale.
 */
export async function converge(
  context: Context,
  workspace: Workspace,
  options: { readonly command: string; readonly prune: boolean; readonly trustAll?: boolean },
): Promise<Convergence> {
  const { selections: enrolled, findings } = await enrolledSelections(context, workspace);
  const policy = options.trustAll === true ? undefined : await trustPolicy(context, workspace);
  const trustOf = policy?.trustOf ?? (() => 'bundled' as const);
  const loaded = new Set(enrolled.map(({ enrolment }) => enrolment.integration));
  const missing = new Set(
    workspace.enrolments.map(({ integration }) => integration).filter((one) => !loaded.has(one)),
  );
  const uncovered = (record: LedgerRecord): Uncovered => {
    if (record.owners.some(({ integration }) => missing.has(integration))) return 'leave';
    return options.prune ? 'remove' : 'stale';
  };
  const plannerOf = async (selections: readonly Selection[], isKept: (one: Selection) => boolean) => {
    const sound = await renderSelections(context, workspace, selections, trustOf);
    const rendered = { ...sound, findings: [...(policy?.findings ?? []), ...sound.findings] };
    return (choices: Choices): Promise<PlanResult> =>
      makePlan(context, workspace, {
        command: options.command,
        rendered,
        choices,
        uncovered,
        enrolments: () => refreshed(workspace, selections, isKept),
        // What is not written for want of trust is not set up here.
        recorded: choicesOf(selections).filter(({ integration }) => !isWithheld(rendered, integration)),
        tolerant: true,
      });
  };
  const make = await plannerOf(enrolled, () => false);
  const held = await holdBack(context, workspace, enrolled, make);
  if (held === undefined) return { selections: enrolled, failed: findings, make };
  const { selections, kept, conflicts } = held;
  return {
    selections,
    failed: [...findings, ...conflicts],
    make: await plannerOf(selections, (one) => kept.has(one)),
  };
}

const isWithheld = ({ desired }: Rendered, integration: string): boolean =>
  desired.some(({ owner, trust }) => owner.integration === integration && trust === 'untrusted');

/** Enrolments with the version of today's definition; the choices are those of the manifest, unless they were put back. */
const refreshed = (
  workspace: Workspace,
  selections: readonly Selection[],
  isKept: (one: Selection) => boolean,
) =>
  workspace.enrolments.map((enrolment) => {
    const selection = selections.find(
      (one) => one.enrolment.integration === enrolment.integration && one.enrolment.scope === enrolment.scope,
    );
    if (selection === undefined) return enrolment;
    const inputs = isKept(selection) ? selection.enrolment.inputs : enrolment.inputs;
    return { ...enrolment, inputs, version: selection.loaded.manifest.version };
  });
