import type { Context } from '../../cli/context.ts';
import { endpointFindings } from '../../endpoint/findings.ts';
import { displayUrl } from '../../endpoint/url.ts';
import type { EndpointReport } from '../../endpoint/validate.ts';
import { touchesUserFiles } from '../../engine/approval.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { PlanFacts } from '../../engine/plan-request.ts';
import type { Enrolment, Fingerprint, LedgerRecord, Plan } from '../../engine/types.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import { toError } from '../../errors/to-error.ts';
import { expandEndpoints, expandNextSteps } from '../../integrations/expand.ts';
import { printable } from '../../lib/printable.ts';
import { renderFacts, renderSetup } from '../../reporting/setup-view.ts';
import type { Outcome } from '../../reporting/types.ts';
import { maskHome } from '../../system/paths.ts';
import { branchOf } from '../../system/root.ts';
import { addGrants } from '../../trust/store.ts';
import type { FlagChoices } from './choices.ts';
import { chooseLogin } from './choose-login.ts';
import { type CredentialFlags, fillCredentials, guardCredentials, withTokenTold } from './credential.ts';
import { releaseHeld } from './execute.ts';
import { checkGrants } from './grant.ts';
import { type LoginReport, loginReport } from './login.ts';
import { offer, refuseStale } from './offer.ts';
import { oneShot } from './one-shot.ts';
import { planData } from './plan-data.ts';
import { planWithFlags } from './plan-with-flags.ts';
import { makePlan, refuseConflicts } from './planning.ts';
import { choicesOf, overrideFindings } from './recorded-choices.ts';
import { rotationPlan } from './rotate.ts';
import { renderSelections, type Selection } from './selection.ts';
import { requireServed, servedBy } from './served.ts';
import { setupLine } from './setup-line.ts';
import { itemData, trustCommand } from './trust-items.ts';
import { isPerson, type RunPolicy, trustPolicy } from './trust-policy.ts';
import { rootAsSeen, type Workspace } from './workspace.ts';

export interface FitInput {
  readonly command: 'setup' | 'add' | 'apply';
  readonly selections: readonly Selection[];
  /** The command line that repeats this run without questions. */
  readonly argv: readonly string[];
  /** A saved plan holds the choices, so that command line does not repeat them. */
  readonly isSaved?: boolean;
  /** The digest of a saved plan: any other plan is stale. */
  readonly digest?: Fingerprint;
  readonly credential?: CredentialFlags;
}

/**
 * What `setup` and `add` share: endpoints, plan, approval, apply, verification, next steps (contract, sections 2 to 4).
 */
export async function fitIn(context: Context, workspace: Workspace, input: FitInput): Promise<Outcome> {
  const first = await planFit(context, workspace, input.command, input.selections);
  let { make, policy } = first;
  const isTrusted = policy.pending().length === 0;
  if (!isTrusted && !context.options.dryRun) await refuseUntrusted(context, input, make, policy);
  // An address that the repository says is contacted only once it is trusted.
  const endpoints = await checkEndpoints(context, input.selections, context.options.offline || !isTrusted);
  const flags = input.credential ?? { existing: false, rotate: false };
  const found = await loginReport(context, workspace, input.selections, endpoints);
  const chosen = await chooseLogin(context, workspace, input.selections, found, flags);
  const { selections } = chosen;
  const isOther = selections.some((one, index) => one !== input.selections[index]);
  const login = isOther ? await loginReport(context, workspace, selections, endpoints) : found;
  if (isOther) ({ make, policy } = await planFit(context, workspace, input.command, selections));
  const grants = await checkGrants(context, selections, endpoints);
  const entered: Finding[] = [];
  const runtimes = [...new Set(selections.flatMap(({ enrolment }) => enrolment.runtimes))];
  const base = {
    root: '.',
    runtimes,
    endpoints,
    ...(login === undefined ? {} : { login: loginData(login) }),
  };
  const root = rootAsSeen(workspace);
  const facts = {
    heading: {
      command: input.command,
      names: selections.map(({ enrolment }) => enrolment.integration.replace(/^add:/, '')),
      root: maskHome(workspace.root, context.system.host.home),
      branch: branchOf(context.system, workspace.facts),
    },
    ...(root === undefined ? {} : { root }),
    runtimes,
    endpoints,
    login: login?.ways ?? [],
  };
  if (!context.options.dryRun) context.reporter.note((theme) => renderFacts(facts, theme));
  const offered = await offer(context, workspace, {
    make: flags.rotate ? async (choices) => rotationPlan(context, workspace, await make(choices)) : make,
    asksRemoved: true,
    data: base,
    ...(input.digest === undefined ? {} : { digest: input.digest }),
    before: (result) => guardCredentials(context, workspace, selections, result),
    fill: async (result, approved) => {
      const filled = await fillCredentials(context, selections, flags, result, approved);
      entered.push(...filled.findings);
      return filled.plan;
    },
    lost: (error) => (flags.existing ? error : withTokenTold(error)),
  });
  const { plan } = offered.result;
  const unrecorded = offered.isDryRun ? [] : await recordOwn(context, workspace, policy);
  const served = servedBy(offered.result, runtimes);
  const next = nextSteps(workspace, selections, served, login, plan);
  const findings = [
    ...endpointFindings(endpoints),
    ...(login?.findings ?? []),
    ...grants,
    ...chosen.findings,
    ...entered,
    ...plan.findings,
    ...offered.changed.findings,
    ...unrecorded,
  ];
  const completed = Object.fromEntries(
    served.map((runtime) => [
      runtime,
      { files: !offered.isDryRun, endpoint: endpointWord(endpoints), connection: 'not-seen' as const },
    ]),
  );
  const view = {
    title: selections.map(({ loaded }) => loaded.manifest.title).join(', '),
    names: selections.map(({ enrolment }) => enrolment.integration.replace(/^add:/, '')),
    ...facts,
    isTold: !offered.isDryRun,
    served,
    plan,
    changed: {
      ...offered.changed,
      findings: [
        ...(login?.findings ?? []),
        ...grants,
        ...chosen.findings,
        ...entered,
        ...offered.changed.findings,
      ],
    },
    next,
    isDryRun: offered.isDryRun,
    oneShot: oneShot(
      context,
      input.argv,
      input.isSaved === true ? [] : selections,
      offered.chosen,
      touchesUserFiles(plan),
    ),
    findings,
  };
  return {
    command: input.command,
    exit: exitOf(offered.isDryRun, plan.conflicts.length, offered.result),
    data: { ...offered.data, changed: offered.changed, next, completed: offered.isDryRun ? {} : completed },
    findings,
    human: (theme) => renderSetup(view, theme),
  };
}

/** Drifted, stale and removed entries were left as they are: the run is not wholly done. */
function exitOf(isDryRun: boolean, conflicts: number, result: PlanResult): 0 | 1 | 4 {
  if (conflicts > 0) return 4;
  if (isDryRun) return 0;
  const left = result.judgements.some(
    ({ standing, action, record }) =>
      (standing === 'drifted' && action === 'keep') || (standing === 'missing' && record === 'same'),
  );
  return left ? 1 : 0;
}

const isNamed = (
  record: LedgerRecord,
  named: ReadonlySet<string>,
  selections: readonly Selection[],
): boolean =>
  record.owners.every(({ integration }) => named.has(integration)) &&
  selections.some(({ enrolment }) => enrolment.scope === record.scope);

/** Earlier enrolments with the new ones in place of those of the same name and scope. */
function merged(before: readonly Enrolment[], selections: readonly Selection[]): Enrolment[] {
  const isReplaced = (one: Enrolment): boolean =>
    selections.some(
      ({ enrolment }) => enrolment.integration === one.integration && enrolment.scope === one.scope,
    );
  return [...before.filter((one) => !isReplaced(one)), ...selections.map(({ enrolment }) => enrolment)];
}

/** Renders selections once and gives the planner that `setup`, `add`, `apply` and `plan` share. */
export async function planFit(
  context: Context,
  workspace: Workspace,
  command: string,
  selections: readonly Selection[],
): Promise<{ readonly make: Make; readonly policy: RunPolicy }> {
  const policy = await trustPolicy(context, workspace);
  const sound = await renderSelections(context, workspace, selections, policy.trustOf, 'ask');
  requireServed(selections, sound.desired, sound.findings);
  const rendered = { ...sound, findings: [...sound.findings, ...overrideFindings(selections)] };
  const named = new Set(selections.map(({ enrolment }) => enrolment.integration));
  const make: Make = async (choices) => {
    const result = await makePlan(context, workspace, {
      command,
      rendered,
      choices,
      uncovered: (record: LedgerRecord) => (isNamed(record, named, selections) ? 'stale' : 'leave'),
      enrolments: (_facts: PlanFacts) => merged(workspace.enrolments, selections),
      recorded: choicesOf(selections),
    });
    const findings = result.plan.findings.map((one) => withTrustOf(context, selections, one));
    return { ...result, plan: { ...result.plan, findings } };
  };
  return { make, policy };
}

/** What is not set up yet is reviewed by its name: `tenon trust` alone takes what is. */
function withTrustOf(context: Context, selections: readonly Selection[], finding: Finding): Finding {
  const isTyped = selections.some(({ loaded }) => loaded.source === 'operator');
  if (finding.code !== 'trust/required' || finding.remedy === undefined || isTyped) return finding;
  const names = selections.map(({ enrolment }) => enrolment.integration);
  return { ...finding, remedy: { ...finding.remedy, command: trustCommand(context, names, selections) } };
}

type Make = (choices: FlagChoices) => Promise<PlanResult>;

async function checkEndpoints(
  context: Context,
  selections: readonly Selection[],
  offline: boolean,
): Promise<EndpointReport[]> {
  const endpoints = [
    ...new Map(
      selections
        .flatMap(({ loaded, inputs }) =>
          expandEndpoints(loaded, inputs).map((endpoint) => ({
            ...endpoint,
            // A server typed by its user may well be public; one that an integration defines must ask who calls.
            anonymousRemote: loaded.source === 'operator' ? ('accept' as const) : ('refuse' as const),
          })),
        )
        .map((endpoint) => [`${endpoint.kind} ${endpoint.url}`, endpoint] as const),
    ).values(),
  ];
  if (endpoints.length === 0) return [];
  const { options, system } = context;
  const { validateEndpoints } = await import('../../endpoint/validate.ts');
  const reports = await context.reporter.progress('Checking the endpoint', () =>
    validateEndpoints(endpoints, {
      timeoutMs: options.timeoutMs,
      env: system.host.env,
      offline,
    }),
  );
  const failed = reports.filter(({ status }) => status === 'fail');
  const [first] = failed;
  if (first !== undefined) {
    throw new TenonError(first.code ?? 'endpoint/unreachable', first.message, {
      exit: 4,
      remedy: { text: 'Start or mend the endpoint, or accept it unchecked with --offline' },
      findings: failed.length > 1 ? endpointFindings(failed) : [],
      data: { endpoints: reports },
    });
  }
  return reports;
}

/** The endpoints of selections as they are reported where nothing is contacted. */
export const uncheckedEndpoints = (selections: readonly Selection[]): EndpointReport[] =>
  selections
    .flatMap(({ loaded, inputs }) => expandEndpoints(loaded, inputs))
    .map(({ kind, url }) => ({
      kind,
      url: displayUrl(url),
      status: 'skip',
      code: 'endpoint/not-checked',
      message: 'not checked',
      ms: 0,
      notes: [],
    }));

const endpointWord = (endpoints: readonly EndpointReport[]): 'passed' | 'reached' | 'not-checked' | 'none' =>
  endpoints.length === 0
    ? 'none'
    : endpoints.some(({ status }) => status === 'skip')
      ? 'not-checked'
      : endpoints.some(({ status }) => status === 'warn')
        ? 'reached'
        : 'passed';

/** A setup that names something untrusted ends with 3, writes nothing and contacts nothing (contract, sections 4 and 6). */
async function refuseUntrusted(
  context: Context,
  input: FitInput,
  make: Make,
  policy: RunPolicy,
): Promise<never> {
  const { result } = await planWithFlags(context.options, [], make);
  const items = policy.pending();
  const data = { plan: planData(result), trust: items.map(itemData) };
  refuseStale(input.digest, result);
  refuseConflicts(result, data, context.argv);
  const isTyped = input.selections.some(({ loaded }) => loaded.source === 'operator');
  const names = input.selections.map(({ enrolment }) => enrolment.integration);
  const what = isTyped
    ? `${names.map((name) => printable(name.replace(/^add:/, ''))).join(', ')} starts a program, which a person at a terminal has to approve first`
    : `${items.length === 1 ? '1 item comes' : `${items.length} items come`} from the repository and not from you`;
  throw new TenonError('trust/required', `${what}; nothing of it is trusted on this host`, {
    exit: 3,
    remedy: isTyped
      ? { text: 'Run it at a terminal of your own, without --yes' }
      : {
          text: 'Review it and grant it at a terminal',
          command: trustCommand(context, names, input.selections),
        },
    // What was typed is told by the error alone: its finding would send its author to review a repository.
    findings: [
      ...policy.findings,
      ...(isTyped ? [] : result.plan.findings.filter(({ code }) => code === 'trust/required')),
    ],
    data,
  });
}

/** Records what the operator typed and approved, so that a later sync of his own does not ask again (contract, section 6). */
async function recordOwn(context: Context, workspace: Workspace, policy: RunPolicy): Promise<Finding[]> {
  const { options, system } = context;
  const isApproved = options.yes || options.approve !== undefined || isPerson(context);
  if (!isApproved) return [];
  releaseHeld(context);
  try {
    await addGrants(system, workspace.state.folder, workspace.root, policy.own(), 'setup');
    return [];
  } catch (error) {
    // Everything is written by now: a fault of the machine is told as what it is, and not as one of this run.
    const fault = toError(error, true);
    if (fault.code === 'internal/bug') throw error;
    return [
      {
        code: 'trust/not-recorded',
        severity: 'warning',
        subject: '.',
        message: `your approval could not be recorded: ${fault.message}`,
        remedy: fault.remedy ?? { text: 'Grant it again', command: 'tenon trust' },
      },
    ];
  }
}

/** What a document says of the login. */
export const loginData = ({ profile, oauth, ways }: LoginReport): Readonly<Record<string, unknown>> => ({
  profile,
  ...(oauth === undefined ? {} : { oauth }),
  ways: ways.map(({ runtime, server, way, command }) => ({
    runtime,
    server,
    way,
    ...(command === undefined ? {} : { command }),
  })),
});

export interface NextStep {
  readonly runtime: string;
  readonly text: string;
}

/** Text alone was written for a coding tool: no server to approve, no hook to trust. */
function isOnlyRead(id: string, { ops }: Plan): boolean {
  const own = ops.filter(({ runtimes }) => runtimes.includes(id));
  return own.length > 0 && own.every(({ classes }) => classes.every((one) => one === 'instructs'));
}

function nextSteps(
  workspace: Workspace,
  selections: readonly Selection[],
  runtimes: readonly string[],
  login: LoginReport | undefined,
  plan: Plan,
): NextStep[] {
  const own = runtimes.flatMap((id): NextStep[] => {
    const spec = workspace.specs.get(id);
    const ways = (login?.ways ?? []).filter(({ runtime, way }) => runtime === id && way !== 'none');
    const logins = ways.map(({ text }) => ({ runtime: id, text: `login: ${text}` }));
    if (spec === undefined) return logins;
    return [
      { runtime: id, text: isOnlyRead(id, plan) ? `restart ${spec.title}` : spec.reload.text },
      ...logins,
    ];
  });
  const theirs = selections.flatMap(({ enrolment, loaded, inputs }) => {
    const { id } = loaded.manifest;
    // Their author knows neither the name nor the scope that it has here.
    const named = (text: string): string => text.replaceAll(`tenon setup ${id} `, `${setupLine(enrolment)} `);
    return expandNextSteps(loaded, inputs).map((text) => ({ runtime: id, text: named(printable(text)) }));
  });
  return [...own, ...theirs, { runtime: 'then', text: 'tenon doctor --clients' }];
}
