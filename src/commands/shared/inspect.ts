import type { Context } from '../../cli/context.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Choices } from '../../engine/plan-request.ts';
import type { Finding } from '../../errors/error.ts';
import { TenonError } from '../../errors/error.ts';
import { choicesFrom } from './choices.ts';
import { holdBack } from './hold-back.ts';
import { makePlan } from './planning.ts';
import { type Rendered, renderSelections, type Selection, selectionOf } from './selection.ts';
import {
  addToLists,
  adoptableFindings,
  interrupted,
  type RuntimeStandings,
  type State,
  standingsOf,
  stateOf,
  stateWith,
} from './standing.ts';
import { type RunPolicy, trustPolicy } from './trust-policy.ts';
import type { Workspace } from './workspace.ts';

/** The state of a root, computed as `sync` would see it. */
export interface Inspection {
  readonly state: State;
  readonly standings: RuntimeStandings;
  readonly selections: readonly Selection[];
  readonly rendered: Rendered;
  readonly result: PlanResult;
  readonly grants: RunPolicy['grants'];
  readonly findings: readonly Finding[];
}

/** Compares what is set up with today's definitions, the records and the disk. Reads only, never asks. */
export async function inspect(context: Context, workspace: Workspace): Promise<Inspection> {
  const { selections: enrolled, findings } = await enrolledSelections(context, workspace);
  const policy = await trustPolicy(context, workspace);
  const failed = new Set(workspace.enrolments.map(({ integration }) => integration));
  for (const { enrolment } of enrolled) failed.delete(enrolment.integration);
  const look = async (selections: readonly Selection[]) => {
    const rendered = await renderSelections(context, workspace, selections, policy.trustOf);
    const make = (choices: Choices): Promise<PlanResult> =>
      makePlan(context, workspace, {
        command: 'status',
        rendered,
        choices,
        uncovered: (record) =>
          record.owners.some(({ integration }) => failed.has(integration)) ? 'leave' : 'stale',
        enrolments: () => workspace.enrolments,
        tolerant: true,
      });
    return { selections, rendered, make };
  };
  const plain = await look(enrolled);
  const options = { ...context.options, resolve: {}, force: [] };
  const held = await holdBack({ ...context, options }, workspace, enrolled, plain.make);
  const { selections, rendered, make } = held === undefined ? plain : await look(held.selections);
  const result = await make(choicesFrom(options));
  const conflicts = new Set(result.skipped.map(({ subject }) => subject));
  const shadowed = new Set(
    rendered.findings
      .filter(({ code, severity }) => code === 'host/shadowed' && severity === 'warning')
      .map(({ subject }) => subject),
  );
  const standings = standingsOf(result.judgements, conflicts, shadowed);
  const isSetUp =
    workspace.enrolments.length > 0 || result.judgements.some(({ standing }) => standing !== 'dormant');
  const told = dedupe([
    ...interrupted(workspace),
    ...policy.findings,
    ...findings,
    ...(held?.conflicts ?? []),
    ...rendered.findings,
    ...result.plan.findings.filter((finding) => !rendered.findings.includes(finding)),
    ...result.plan.conflicts.map(
      (conflict): Finding => ({
        code: conflict.code,
        severity: 'error',
        subject: conflict.address,
        message: conflict.message,
        remedy: { text: conflict.remedy },
      }),
    ),
    ...result.skipped,
    ...adoptableFindings(standings),
  ]);
  return {
    state: (held?.conflicts ?? []).length > 0 ? 'blocked' : stateWith(stateOf(standings, isSetUp), told),
    standings,
    selections,
    rendered,
    result,
    grants: policy.grants,
    findings: told,
  };
}

/** The same inspection with the addresses that a coding tool does not use although they stand there. */
export function withLists(
  seen: Inspection,
  lists: ReadonlyMap<string, { readonly shadowed: readonly string[]; readonly disabled: readonly string[] }>,
): Inspection {
  const { standings } = seen;
  for (const [runtime, { shadowed, disabled }] of lists)
    addToLists(standings, runtime, { shadowed, disabled });
  const isSettled = seen.state === 'not-set-up' || seen.state === 'blocked';
  return { ...seen, state: isSettled ? seen.state : stateWith(stateOf(standings, true), seen.findings) };
}

/** Every enrolment with its definition; one that cannot be loaded is a finding, the rest goes on. */
export async function enrolledSelections(
  context: Context,
  workspace: Workspace,
): Promise<{ selections: Selection[]; findings: Finding[] }> {
  const selections: Selection[] = [];
  const findings: Finding[] = [];
  for (const enrolment of workspace.enrolments) {
    try {
      selections.push(await selectionOf(context, workspace, enrolment));
    } catch (error) {
      if (!(error instanceof TenonError)) throw error;
      findings.push({
        code: error.code,
        severity: 'error',
        subject: enrolment.integration,
        message: error.message,
        ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
      });
    }
  }
  return { selections, findings };
}

/** The same fact told by two steps is told once. */
export function dedupe(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ code, subject, message }) => {
    const key = `${code}\0${subject}\0${message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
