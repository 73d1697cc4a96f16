import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { Judgement } from '../engine/judgement.ts';
import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { renderOwnership } from '../reporting/ownership-view.ts';
import type { Outcome } from '../reporting/types.ts';
import { chosenAddresses } from './shared/chosen-addresses.ts';
import { dedupe } from './shared/inspect.ts';
import { offer } from './shared/offer.ts';
import { makePlan } from './shared/planning.ts';
import { survey } from './shared/survey.ts';
import { openWorkspace } from './shared/workspace.ts';

/**
 * `tenon adopt [address…]`: takes entries into this host's ledger that are as the manifest says but were written
 * elsewhere. No file of the repository is written, and the manifest stays as it is: what it calls external was there
 * before the setup, so it never becomes ours (contract, section 4).
 */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const workspace = await openWorkspace(context, context.options.dryRun ? 'reads' : 'writes');
  const seen = await survey(context, workspace);
  const judgements = new Map(seen.result.judgements.map((one) => [one.address, one]));
  const chosen =
    args.positionals.length === 0
      ? new Set([...judgements.values()].filter(isAdoptable).map(({ address }) => address))
      : chosenAddresses(args.positionals, [...judgements.keys()]);
  const taken = [...chosen].filter((address) => isAdoptable(judgements.get(address)));
  for (const given of args.positionals) refuseOther(judgements.get(given));
  const identities = new Set(taken.map((address) => judgements.get(address)?.slot.wish?.identity));
  const offered = await offer(context, workspace, {
    make: (choices) =>
      makePlan(context, workspace, {
        command: 'adopt',
        rendered: {
          ...seen.rendered,
          wishes: seen.rendered.wishes.filter(({ identity }) => identities.has(identity)),
          problems: [],
          findings: [],
        },
        choices,
        uncovered: () => 'leave',
        enrolments: () => workspace.enrolments,
        adopts: (address) => chosen.has(address),
        manifest: false,
      }),
    data: { adopted: taken },
  });
  // A file that cannot be read or understood may hold what could be taken: that nothing of it was is told.
  const unseen = args.positionals.length > 0 ? [] : seen.result.skipped.filter(({ code }) => isOfFile(code));
  const findings = dedupe([
    ...seen.failed,
    ...unseen,
    ...offered.result.plan.findings,
    ...offered.changed.findings,
  ]);
  return {
    command: 'adopt',
    exit: seen.failed.length + unseen.length > 0 ? 1 : 0,
    data: { ...offered.data, changed: offered.changed },
    findings,
    human: (theme) =>
      renderOwnership(
        { verb: 'adopt', addresses: taken, findings, changed: offered.changed, isDryRun: offered.isDryRun },
        theme,
      ),
  };
}

const isOfFile = (code: string): boolean => /^(?:file|config)\//.test(code);

const isAdoptable = (judgement: Judgement | undefined): boolean => judgement?.standing === 'adoptable';

/** What was named in full and cannot be taken is told, not passed over. */
function refuseOther(judgement: Judgement | undefined): void {
  if (judgement === undefined || isAdoptable(judgement) || judgement.standing === 'managed') return;
  if (judgement.standing === 'external') throw external(judgement.address);
  throw new TenonError(
    'ownership/not-adoptable',
    `${printable(judgement.address)} cannot be taken over: ${judgement.reason === '' ? 'it is not as the manifest says' : judgement.reason}`,
    { exit: 4, remedy: { text: 'See how it stands', command: 'tenon status' } },
  );
}

const external = (address: string): TenonError =>
  new TenonError(
    'ownership/not-adoptable',
    `${printable(address)} cannot be taken over: it was there before the setup with an equal value, so it is not tenon's, and an uninstall leaves it`,
    {
      exit: 4,
      remedy: {
        text: 'Leave it as it is; or take it out of the file by hand, and tenon writes one of its own',
        command: 'tenon sync',
      },
    },
  );
