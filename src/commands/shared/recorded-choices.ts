import type { Enrolment, Ledger, RecordedChoices } from '../../engine/types.ts';
import type { Finding } from '../../errors/error.ts';
import { effectiveDefaults } from '../../integrations/defaults.ts';
import type { Selection } from './selection.ts';
import type { Workspace } from './workspace.ts';

/** Every default of a selection as it really is. */
export const effectiveOf = ({ enrolment, loaded, inputs }: Selection) =>
  effectiveDefaults(loaded, {
    inputs: new Map(inputs.map(({ name, value }) => [name, value])),
    scope: enrolment.scope,
    without: enrolment.without,
  });

/** What the ledger remembers of project enrolments: fixed inputs, and defaults that are overridden. */
export function choicesOf(selections: readonly Selection[]): RecordedChoices[] {
  return selections.flatMap((selection) => {
    const { enrolment, loaded, inputs } = selection;
    if (enrolment.scope !== 'project') return [];
    const fixed = inputs.filter(({ name }) =>
      loaded.manifest.inputs.some((spec) => spec.name === name && spec.fixed === true),
    );
    return [
      {
        integration: enrolment.integration,
        fixed: Object.fromEntries(fixed.map(({ name, value }) => [name, value])),
        overrides: Object.fromEntries(
          effectiveOf(selection)
            .filter(({ isOther }) => isOther)
            .map(({ key, value }) => [key, value]),
        ),
      },
    ];
  });
}

/**
 * The choices of a root's ledger after a plan: new ones of what has records here, earlier ones of what stays set up or what
 * the manifest of this branch does not list.
 */
export function choicesAfter(
  ledger: Ledger,
  recorded: readonly RecordedChoices[],
  enrolments: readonly Enrolment[],
  workspace: Workspace,
): RecordedChoices[] {
  const isIn = (list: readonly Enrolment[], name: string): boolean =>
    list.some(({ integration, scope }) => scope === 'project' && integration === name);
  const hasRecords = (name: string): boolean =>
    ledger.records.some(({ owners }) => owners.some(({ integration }) => integration === name));
  const kept = (ledger.choices ?? []).filter(
    ({ integration }) =>
      !recorded.some((one) => one.integration === integration) &&
      (isIn(enrolments, integration) || !isIn(workspace.enrolments, integration)),
  );
  const own = recorded.filter(
    ({ integration, fixed, overrides }) =>
      hasRecords(integration) && Object.keys(fixed).length + Object.keys(overrides).length > 0,
  );
  return [...kept, ...own].sort((a, b) => (a.integration < b.integration ? -1 : 1));
}

/** Each overridden default as an item of its own beside the plan (guide, "Versioned Defaults"). */
export function overrideFindings(selections: readonly Selection[]): Finding[] {
  return selections.flatMap((selection) =>
    effectiveOf(selection)
      .filter(({ isOther }) => isOther)
      .map(
        ({ key, value, standard, by }): Finding => ({
          code: 'override/recorded',
          severity: 'info',
          subject: selection.enrolment.integration,
          message: `overrides the default ${key}: ${JSON.stringify(value)} instead of ${JSON.stringify(standard)}${reasonOf(by, selection)}`,
          data: { default: key, value, standard },
        }),
      ),
  );
}

function reasonOf(
  by: ReturnType<typeof effectiveOf>[number]['by'],
  { inputs, enrolment }: Selection,
): string {
  if (by === undefined) return '';
  if ('choice' in by) return ` (--scope ${enrolment.scope})`;
  if ('without' in by) return ` (--without ${by.without})`;
  const input = inputs.find(({ name }) => name === by.input);
  return ` (${by.input}=${input?.value ?? ''})`;
}
