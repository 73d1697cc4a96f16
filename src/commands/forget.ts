import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { Judgement } from '../engine/judgement.ts';
import { recordIdentity } from '../engine/records.ts';
import type { Enrolment, LedgerRecord } from '../engine/types.ts';
import { renderOwnership } from '../reporting/ownership-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { chosenAddresses } from './shared/chosen-addresses.ts';
import { dedupe } from './shared/inspect.ts';
import { offer } from './shared/offer.ts';
import { makePlan } from './shared/planning.ts';
import { survey } from './shared/survey.ts';
import { openWorkspace } from './shared/workspace.ts';

/**
 * `tenon forget <address…>`: gives entries up without writing their file. What a definition still asks for is excluded in
 * the manifest (or the host's enrolment), so that `sync` and `--check` leave it alone (contract, section 5).
 */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const workspace = await openWorkspace(context, context.options.dryRun ? 'reads' : 'writes');
  const seen = await survey(context, workspace);
  const known = seen.result.judgements.filter(
    ({ slot }) => slot.record !== undefined || slot.wish !== undefined,
  );
  const chosen = chosenAddresses(
    args.positionals,
    known.map(({ address }) => address),
  );
  const given = known.filter(({ address }) => chosen.has(address));
  const records = new Set(
    given.flatMap(({ slot }) => (slot.record === undefined ? [] : [recordIdentity(slot.record)])),
  );
  const enrolments = workspace.enrolments.map((one) => excluding(one, given));
  const isProject = enrolments.some(
    (one, index) => one !== workspace.enrolments[index] && one.scope === 'project',
  );
  const offered = await offer(context, workspace, {
    make: (choices) =>
      makePlan(context, workspace, {
        command: 'forget',
        rendered: { desired: [], wishes: [], problems: [], findings: [] },
        choices,
        uncovered: (record: LedgerRecord) => (records.has(recordIdentity(record)) ? 'forget' : 'leave'),
        enrolments: () => enrolments,
        manifest: isProject,
      }),
    data: { forgotten: [...chosen] },
  });
  const findings = dedupe([...offered.result.plan.findings, ...offered.changed.findings]);
  return {
    command: 'forget',
    exit: 0,
    data: { ...offered.data, changed: offered.changed },
    findings,
    human: (theme) =>
      renderOwnership(
        {
          verb: 'forget',
          addresses: [...chosen],
          findings,
          changed: offered.changed,
          isDryRun: offered.isDryRun,
        },
        theme,
      ),
  };
}

/** The enrolment with what it asks for at these addresses left out from now on; the same value when it asks for none. */
function excluding(enrolment: Enrolment, given: readonly Judgement[]): Enrolment {
  const wishes = given.flatMap(({ slot }) => {
    const { wish } = slot;
    const asks =
      wish?.main.scope === enrolment.scope &&
      wish.owners.some(({ integration }) => integration === enrolment.integration);
    return wish !== undefined && asks ? [wish] : [];
  });
  const added = wishes.map(({ identity }) => identity).filter((one) => !enrolment.excluded.includes(one));
  if (added.length === 0) return enrolment;
  const addresses = new Set(wishes.map(({ address }) => address));
  return {
    ...enrolment,
    external: enrolment.external.filter((address) => !addresses.has(address)),
    excluded: [...enrolment.excluded, ...added].sort(),
  };
}
