import type { CommandArgs } from '../cli/command-table.ts';
import type { Context } from '../cli/context.ts';
import type { PlanResult } from '../engine/plan.ts';
import { MANIFEST_PATH } from '../engine/plan-manifest.ts';
import type { Uncovered } from '../engine/plan-request.ts';
import type { Enrolment, Ledger, LedgerRecord, Scope } from '../engine/types.ts';
import { type Finding, TenonError } from '../errors/error.ts';
import { closest } from '../lib/closest.ts';
import { printable } from '../lib/printable.ts';
import type { Outcome } from '../reporting/types.ts';
import { renderUninstall } from '../reporting/uninstall-view.ts';
import { type FlagChoices, followingOnly } from './shared/choices.ts';
import { enrolledSelections } from './shared/inspect.ts';
import { leftovers } from './shared/leftovers.ts';
import { ownerNamed } from './shared/named-owner.ts';
import { offer } from './shared/offer.ts';
import { askedRuntimes } from './shared/only-runtimes.ts';
import { makePlan } from './shared/planning.ts';
import { positionWarnings } from './shared/positions.ts';
import { type Rendered, renderSelections } from './shared/selection.ts';
import { isPerson } from './shared/trust-policy.ts';
import { openWorkspace, type Workspace } from './shared/workspace.ts';

const NOTHING: Rendered = { desired: [], wishes: [], problems: [], findings: [] };

/**
 * `tenon uninstall [integration…]`: takes out what the ledger proves to be ours and nobody edited. It needs neither the
 * definition nor an endpoint nor the runtime; entries that only look like ours are left in and named. `--runtime` takes
 * it out of those coding tools alone.
 */
export async function run(context: Context, args: CommandArgs): Promise<Outcome> {
  const opened = await openWorkspace(context, 'writes');
  const names = chosenNames(opened, args.positionals);
  const chosen = chosenScopes(context, opened, names, args.positionals.length > 0);
  const only = askedRuntimes(context.options.runtimes, opened.specs);
  const found = await unprovenEntries(context, opened, chosen, only);
  const adopted = await askUnproven(context, opened, found);
  const workspace = adopted ?? opened;
  const unproven = adopted === undefined ? found.addresses : new Map<string, readonly string[]>();
  const stays = new Set([...unproven.keys(), ...found.unknown.keys()]);
  const staying = (one: Enrolment): Enrolment[] => {
    if (!chosen(one.integration, one.scope)) return [one];
    if (one.scope === 'project' && stays.has(one.integration)) return [one];
    const runtimes = othersOf(one.runtimes, only);
    return runtimes.length === 0 ? [] : [{ ...one, runtimes }];
  };
  const make = async (choices: FlagChoices): Promise<PlanResult> => {
    const result = await makePlan(context, workspace, {
      command: 'uninstall',
      rendered: NOTHING,
      choices,
      uncovered: (record) => uncoveredBy(record, chosen, narrowed(workspace, only)),
      enrolments: () => workspace.enrolments.flatMap(staying),
    });
    const warnings = positionWarnings(context, workspace, result);
    return { ...result, plan: { ...result.plan, findings: [...result.plan.findings, ...warnings] } };
  };
  const offered = await offer(context, workspace, { make, data: {} });
  const { plan } = offered.result;
  const findings = [
    ...plan.findings,
    ...unprovenFindings(unproven),
    ...[...found.unknown.values()].flat(),
    ...otherScopeFindings(workspace, names, chosen),
    ...leftovers(context, workspace, offered.result),
    ...offered.changed.findings,
  ];
  const kept = plan.ops.filter(({ action }) => action === 'keep').length;
  const removed = plan.ops.filter(
    ({ action, address }) => action === 'remove' && address !== MANIFEST_PATH,
  ).length;
  const left = kept > 0 || stays.size > 0;
  const { judgements } = offered.result;
  const shared = judgements.filter(({ keepRuntimes }) => keepRuntimes !== undefined).length;
  const owned = judgements.filter(
    ({ keepOwners, keepRuntimes }) => keepOwners !== undefined && keepRuntimes === undefined,
  ).length;
  const willLeave = offered.isDryRun ? stays.size > 0 : left;
  const exit = offered.isDryRun && plan.conflicts.length > 0 ? 4 : willLeave ? 1 : 0;
  return {
    command: 'uninstall',
    exit,
    data: { ...offered.data, changed: offered.changed },
    findings,
    human: (theme) =>
      renderUninstall(
        {
          named: args.positionals,
          runtimes: [...(only ?? [])],
          unproven: stays.size > 0,
          shared,
          owned,
          plan,
          changed: offered.changed,
          removed,
          kept,
          isDryRun: offered.isDryRun,
          findings,
        },
        theme,
      ),
  };
}

/** Names on the command line as enrolments and records know them; none = everything of this root. */
function chosenNames(workspace: Workspace, positionals: readonly string[]): ReadonlySet<string> {
  const known = new Set([
    ...workspace.enrolments.map(({ integration }) => integration),
    ...[...workspace.ledgers.root.records, ...userRecords(workspace)].flatMap(({ owners }) =>
      owners.map(({ integration }) => integration),
    ),
  ]);
  if (positionals.length === 0) return known;
  const names = new Set<string>();
  for (const given of positionals) {
    const match = ownerNamed(given, known);
    if (match !== undefined) names.add(match);
    else {
      const near = closest(
        given,
        [...known].map((name) => name.replace(/^add:/, '')),
      );
      if (near !== undefined) {
        throw new TenonError('usage/unknown-integration', `${given} is not set up here`, {
          exit: 2,
          remedy: { text: `Did you mean ${near}?` },
        });
      }
    }
  }
  return names;
}

const userRecords = ({ ledgers, root }: Workspace): LedgerRecord[] =>
  ledgers.user.records.filter((record) => record.root === root || record.scope === 'user');

/** Whether something of an integration in a scope shall go. */
type Chosen = (integration: string, scope: Scope) => boolean;

/**
 * `--scope` names one scope. Without it, what belongs to this root goes (project and local scope); what stands in user
 * scope serves other repositories too, so it goes only when it is named and is nowhere else.
 */
function chosenScopes(
  { options }: Context,
  workspace: Workspace,
  names: ReadonlySet<string>,
  isNamed: boolean,
): Chosen {
  const { askedScope } = options;
  if (askedScope !== undefined) return (integration, scope) => names.has(integration) && scope === askedScope;
  const here = new Set([
    ...workspace.enrolments.filter(({ scope }) => scope !== 'user').map(({ integration }) => integration),
    ...[...workspace.ledgers.root.records, ...userRecords(workspace)]
      .filter(({ scope }) => scope !== 'user')
      .flatMap(({ owners }) => owners.map(({ integration }) => integration)),
  ]);
  return (integration, scope) =>
    names.has(integration) && (scope !== 'user' || (isNamed && !here.has(integration)));
}

function otherScopeFindings(workspace: Workspace, names: ReadonlySet<string>, chosen: Chosen): Finding[] {
  return workspace.enrolments
    .filter(({ integration, scope }) => names.has(integration) && !chosen(integration, scope))
    .map(({ integration, scope }) => {
      const name = integration.replace(/^add:/, '');
      return {
        code: 'ownership/other-scope',
        severity: 'info',
        subject: name,
        message: `${name} stays set up in ${scope} scope`,
        remedy: { text: 'Take it out there as well', command: `tenon uninstall ${name} --scope ${scope}` },
      };
    });
}

/** The coding tools that `--runtime` does not name; all of them go without it. */
const othersOf = (runtimes: readonly string[], only: ReadonlySet<string> | undefined): readonly string[] =>
  only === undefined ? [] : runtimes.filter((id) => !only.has(id));

/** What `--runtime` names, for an owner that other coding tools keep; undefined for one that goes as a whole. */
type Narrowed = (integration: string, scope: Scope) => ReadonlySet<string> | undefined;

const narrowed =
  ({ enrolments }: Workspace, only: ReadonlySet<string> | undefined): Narrowed =>
  (integration, scope) => {
    const enrolment = enrolments.find((one) => one.integration === integration && one.scope === scope);
    return enrolment !== undefined && othersOf(enrolment.runtimes, only).length === 0 ? undefined : only;
  };

/**
 * What becomes of a record. With `--runtime`, one that another coding tool reads too stays for that one; what no coding
 * tool reads goes with the last of them.
 */
function uncoveredBy(record: LedgerRecord, chosen: Chosen, narrow: Narrowed): Uncovered {
  const going = record.owners.filter(({ integration }) => chosen(integration, record.scope));
  const keepOwners = record.owners.filter((owner) => !going.includes(owner));
  if (going.length === 0) return 'leave';
  const only = going
    .map(({ integration }) => narrow(integration, record.scope))
    .find((one) => one !== undefined);
  if (only !== undefined) {
    const keepRuntimes = othersOf(record.runtimes, only);
    if (keepRuntimes.length === record.runtimes.length) return 'leave';
    // Which owner serves which coding tool is not recorded: with another owner the entry stays as it is.
    if (keepRuntimes.length > 0)
      return keepOwners.length > 0 ? 'leave' : { keepOwners: record.owners, keepRuntimes };
  }
  return keepOwners.length === 0 ? 'remove' : { keepOwners };
}

interface Unproven {
  /** By integration. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
  /** By integration: why it is not known whether something of it stands here. */
  readonly unknown: ReadonlyMap<string, readonly Finding[]>;
  /** The ledger as it would be if this host had written them. */
  readonly ledger: Ledger;
}

/**
 * Entries that equal what the manifest implies but that no record of this host proves to be ours: kept, and reported
 * (contract, section 5). Where neither the definition, its inputs and the files nor the records say what was written, all of
 * the integration stays, its place in the manifest too: nothing else would name its entries any more. So it does where
 * something else stands in the place of one of its entries: it may be that entry, edited.
 */
async function unprovenEntries(
  context: Context,
  workspace: Workspace,
  chosen: Chosen,
  only: ReadonlySet<string> | undefined,
): Promise<Unproven> {
  const addresses = new Map<string, string[]>();
  const named: Enrolment[] = workspace.enrolments.filter(
    ({ integration, scope }) => scope === 'project' && chosen(integration, scope),
  );
  const unknown = new Map<string, Finding[]>();
  const { root: ledger } = workspace.ledgers;
  if (named.length === 0) return { addresses, unknown, ledger };
  const { selections, findings } = await enrolledSelections(context, { ...workspace, enrolments: named });
  for (const finding of findings) {
    const enrolment = named.find(({ integration }) => integration === finding.subject);
    if (enrolment === undefined || isRecorded(enrolment, ledger, only)) continue;
    unknown.set(finding.subject, [unknownFinding(finding)]);
  }
  const rendered = await renderSelections(context, workspace, selections, () => 'bundled');
  const adoptable = new Set<string>();
  const plan = (adopts: boolean) =>
    makePlan(context, workspace, {
      command: 'status',
      rendered,
      choices: followingOnly(context.options),
      uncovered: () => 'leave',
      enrolments: () => workspace.enrolments,
      tolerant: true,
      manifest: false,
      adopts: (address) => adopts && adoptable.has(address),
    });
  const seen = await plan(false);
  // A file that cannot be read or understood may hold entries that nothing else tells of.
  for (const finding of seen.skipped.filter(({ code }) => /^(?:file|config)\//u.test(code))) {
    const isIn = ({ path }: { readonly path: string }): boolean =>
      finding.subject.replace(/(?::\d+:\d+|#.*)$/u, '') === path;
    const ownersOf = (list: readonly { readonly owners: LedgerRecord['owners'] }[]): Set<string> =>
      new Set(list.flatMap(({ owners }) => owners.map(({ integration }) => integration)));
    const recorded = ownersOf(ledger.records.filter(isIn));
    const asked = rendered.wishes.filter(({ target, runtimes }) => isIn(target) && isAsked(runtimes, only));
    for (const one of ownersOf(asked)) {
      if (recorded.has(one) || !chosen(one, 'project')) continue;
      unknown.set(one, [...(unknown.get(one) ?? []), finding]);
    }
  }
  for (const { standing, address, slot, conflict } of seen.judgements) {
    if (!isAsked(slot.wish?.runtimes ?? [], only)) continue;
    const isForeign = conflict?.code === 'ownership/not-ours';
    if (standing === 'adoptable') adoptable.add(address);
    else if (!isForeign) continue;
    for (const { integration } of slot.wish?.owners ?? []) {
      if (!chosen(integration, 'project')) continue;
      if (isForeign) unknown.set(integration, [...(unknown.get(integration) ?? []), foreignFinding(address)]);
      else addresses.set(integration, [...(addresses.get(integration) ?? []), address]);
    }
  }
  if (adoptable.size === 0) return { addresses, unknown, ledger };
  return { addresses, unknown, ledger: (await plan(true)).plan.ledgers.root ?? ledger };
}

const isAsked = (runtimes: readonly string[], only: ReadonlySet<string> | undefined): boolean =>
  only === undefined || runtimes.some((id) => only.has(id));

/** Whether the records say for every coding tool what is written, as far as it is not said to be somebody else's. */
function isRecorded(
  { integration, runtimes, external, excluded }: Enrolment,
  { records }: Ledger,
  only: ReadonlySet<string> | undefined,
): boolean {
  const own = records.filter((record) => record.owners.some((owner) => owner.integration === integration));
  if (external.length + excluded.length > 0 && own.length > 0) return true;
  return runtimes
    .filter((id) => only === undefined || only.has(id))
    .every((id) => own.some((record) => record.runtimes.includes(id)));
}

/** What stands where the manifest has an entry, with another value: whose it is nobody can say here. */
const foreignFinding = (address: string): Finding => ({
  code: 'ownership/unproven',
  severity: 'warning',
  subject: address,
  message:
    'stands where the manifest has an entry, with other content; no record of this host says whether it is an edited one of ours, so it was kept',
  remedy: {
    text: 'Take it out by hand, or say that it is yours; then tenon uninstall once more',
    command: `tenon forget '${address}'`,
  },
});

/** The reason why a definition says nothing, with what an uninstall makes of it. */
function unknownFinding(finding: Finding): Finding {
  const { code, message, remedy } = finding;
  const name = finding.subject.replace(/^add:/, '');
  const again = 'then tenon adopt, and tenon uninstall once more';
  const byHand = `, or take ${name} out of .tenon/manifest.json and its entries out of the files by hand`;
  return {
    ...finding,
    message: `${message.replace(/\.$/, '')}, so it is not known what stands here, and no record of this host says it; all of ${name} was kept`,
    remedy: {
      ...remedy,
      text: `${remedy?.text.replace(/\.$/, '') ?? 'Put that right'}, ${again}${code === 'input/missing' ? '' : byHand}`,
    },
  };
}

/** At a terminal a person may say that they are ours all the same; `--yes` never does. Undefined = they stay. */
async function askUnproven(
  context: Context,
  workspace: Workspace,
  { addresses, ledger }: Unproven,
): Promise<Workspace | undefined> {
  if (addresses.size === 0 || !isPerson(context) || context.options.yes || context.options.dryRun) return;
  const all = [...addresses.values()].flat();
  const what = all.length === 1 ? '1 entry looks' : `${all.length} entries look`;
  const answer = await context.prompter.confirm(
    `${what} like ours, but no record of this host proves it (${all.slice(0, 3).map(printable).join(', ')}${all.length > 3 ? ', …' : ''}). Plan to take them out too?`,
  );
  return answer === true ? { ...workspace, ledgers: { ...workspace.ledgers, root: ledger } } : undefined;
}

const unprovenFindings = (unproven: ReadonlyMap<string, readonly string[]>): Finding[] =>
  [...unproven.values()].flat().map((address) => ({
    code: 'ownership/unproven',
    severity: 'warning',
    subject: address,
    message: 'looks like ours, but no record of this host proves it; kept',
    remedy: { text: 'Take it over first', command: 'tenon adopt' },
  }));
