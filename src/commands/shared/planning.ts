import type { Context } from '../../cli/context.ts';
import { enrolmentKey } from '../../engine/address.ts';
import { buildPlan, type PlanResult } from '../../engine/plan.ts';
import { MANIFEST_PATH } from '../../engine/plan-manifest.ts';
import type { Choices, Known, PlanFacts, PlanRequest, Uncovered } from '../../engine/plan-request.ts';
import type { Enrolment, Ledger, LedgerRecord, RecordedChoices } from '../../engine/types.ts';
import { TenonError } from '../../errors/error.ts';
import { loadFormats } from '../../formats/index.ts';
import { enrolmentsOf, renderManifest } from '../../manifest/manifest.ts';
import { refusedByClient } from '../../runtimes/strictness.ts';
import { glance } from '../../system/paths.ts';
import { duplicateFinder } from './duplicates.ts';
import { managedFiles } from './managed-elsewhere.ts';
import { choicesAfter } from './recorded-choices.ts';
import type { Rendered } from './selection.ts';
import { shellQuote } from './shell-quote.ts';
import { interrupted } from './standing.ts';
import type { Workspace } from './workspace.ts';

export interface PlanningInput {
  readonly command: string;
  readonly rendered: Rendered;
  readonly choices: Choices;
  readonly uncovered: (record: LedgerRecord) => Uncovered;
  /** Every enrolment of this root as it shall be afterwards; `external` and `excluded` are completed from the plan. */
  readonly enrolments: (facts: PlanFacts) => readonly Enrolment[];
  readonly tolerant?: boolean;
  /** Choices of project enrolments for the ledger; those of others stay as they are. */
  readonly recorded?: readonly RecordedChoices[];
  /** Default true: the manifest is written as the enrolments say. False where no choice of the project changes. */
  readonly manifest?: boolean;
  /** Further parts of the request, as {@link PlanRequest} describes them. */
  readonly adopts?: PlanRequest['adopts'];
  readonly flip?: PlanRequest['flip'];
}

/** Commands that show a plan as it would be with trust, and refuse to apply it without. */
const SHOWING: ReadonlySet<string> = new Set(['setup', 'add', 'apply', 'plan']);

/** Builds the plan of a command from what is rendered, recorded and on disk. Reads only. */
export async function makePlan(
  context: Context,
  workspace: Workspace,
  input: PlanningInput,
): Promise<PlanResult> {
  const { system } = context;
  await loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']);
  const request: PlanRequest = {
    command: input.command,
    root: workspace.root,
    home: system.host.home,
    env: system.host.env,
    platform: system.host.platform,
    reader: system.reader,
    ledgers: workspace.ledgers,
    wishes: input.rendered.wishes,
    problems: input.rendered.problems,
    findings: [...interrupted(workspace), ...input.rendered.findings],
    known: knownOf(workspace.enrolments),
    choices: input.choices,
    showUntrusted: SHOWING.has(input.command),
    uncovered: input.uncovered,
    tolerant: input.tolerant ?? false,
    readReplaced: (id) => workspace.state.readReplaced(id),
    ...(input.manifest === false
      ? {}
      : {
          manifest: (facts: PlanFacts) =>
            nextManifest(context, workspace, complete(input.enrolments(facts), facts)),
        }),
    ...(input.adopts === undefined ? {} : { adopts: input.adopts }),
    ...(input.flip === undefined ? {} : { flip: input.flip }),
    enrol: (ledger, facts) =>
      enrolled(ledger, complete(input.enrolments(facts), facts), workspace, input.recorded ?? []),
    refusedByClient,
    ...(await contentOf(context, workspace, input)),
    duplicateOf: duplicateFinder(context, workspace),
    umask: system.host.umask,
    protectedDirs: workspace.state.protectedDirs(),
    followed: workspace.followed,
    managedElsewhere: managedFiles(context, workspace.root),
  };
  return buildPlan(request);
}

/** Loaded only where something may be written; what stands there already is told by doctor (cold start). */
async function contentOf(
  context: Context,
  workspace: Workspace,
  { command, rendered }: PlanningInput,
): Promise<Pick<PlanRequest, 'contentFindings'>> {
  if (command === 'status' || rendered.wishes.length === 0) return {};
  const { clientContent } = await import('./client-content.ts');
  return { contentFindings: clientContent(context, workspace) };
}

/** The manifest's text after the plan. One that says the same keeps its bytes, however a formatter left them. */
function nextManifest(
  context: Context,
  workspace: Workspace,
  enrolments: readonly Enrolment[],
): string | undefined {
  const { manifest, root } = workspace;
  const next = renderManifest(manifest, enrolments);
  if (next !== renderManifest(manifest, enrolmentsOf(manifest))) return next;
  const { reader } = context.system;
  const path = `${root}/${MANIFEST_PATH}`;
  const bytes = glance(reader, path)?.kind === 'file' ? reader.readFile(path) : undefined;
  return bytes === undefined ? next : new TextDecoder().decode(bytes);
}

export function knownOf(enrolments: readonly Enrolment[]): Known {
  return {
    external: new Set(enrolments.flatMap(({ external }) => external)),
    excluded: new Set(enrolments.flatMap(({ excluded }) => excluded)),
    listed: new Set(enrolments.map(({ integration, scope }) => enrolmentKey(integration, scope))),
  };
}

/** Enrolments with the addresses that the plan found to be somebody else's, or left out on purpose. */
function complete(enrolments: readonly Enrolment[], facts: PlanFacts): Enrolment[] {
  const added = (list: PlanFacts['external'], one: Enrolment): string[] =>
    list.filter(({ integration }) => integration === one.integration).map(({ address }) => address);
  return enrolments.map((one) => ({
    ...one,
    external: [...new Set([...one.external, ...added(facts.external, one)])]
      .filter((address) => !facts.owned.has(address))
      .sort(),
    excluded: [...new Set([...one.excluded, ...added(facts.excluded, one)])]
      .filter((address) => !facts.owned.has(address))
      .sort(),
  }));
}

/**
 * Inputs that are kept out of the manifest, as entries of the ledger. Those of an integration that the manifest of this
 * branch does not list stay; those of one that is taken out go with it.
 */
function localInputsOf(enrolments: readonly Enrolment[], ledger: Ledger, workspace: Workspace): Enrolment[] {
  const isListed = (one: Enrolment): boolean =>
    workspace.enrolments.some(
      ({ scope, integration }) => scope === 'project' && integration === one.integration,
    );
  const elsewhere = ledger.enrolments.filter((one) => one.scope === 'project' && !isListed(one));
  const here = enrolments.flatMap(({ integration, version, scope, localInputs }): Enrolment[] =>
    scope !== 'project' || localInputs === undefined
      ? []
      : [
          {
            integration,
            version,
            scope,
            runtimes: [],
            inputs: localInputs,
            overrides: {},
            without: [],
            server: null,
            external: [],
            excluded: [],
          },
        ],
  );
  return [...elsewhere.filter((one) => !here.some((own) => own.integration === one.integration)), ...here];
}

/** Local enrolments stand in the root's ledger, user ones in the user's (contract, section 5). */
function enrolled(
  ledger: Ledger,
  enrolments: readonly Enrolment[],
  workspace: Workspace,
  recorded: readonly RecordedChoices[],
): Ledger {
  const isUser = ledger.root === '~';
  const own = [
    ...enrolments.filter(({ scope }) => scope === (isUser ? 'user' : 'local')),
    ...(isUser ? [] : localInputsOf(enrolments, ledger, workspace)),
  ];
  const foreign = isUser ? ledger.enrolments.filter(({ scope }) => scope !== 'user') : [];
  const sorted = [...own, ...foreign].sort((a, b) => (a.integration < b.integration ? -1 : 1));
  const { choices: _earlier, ...rest } = ledger;
  const choices = isUser ? [] : choicesAfter(ledger, recorded, enrolments, workspace);
  const files = ledger.files.filter((file) => isInUse(file, ledger, enrolments));
  return { ...rest, files, enrolments: sorted, ...(choices.length === 0 ? {} : { choices }) };
}

/** A file behind a followed link is remembered while something in it is ours, or is what a set-up integration uses. */
function isInUse(
  { path, follows }: Ledger['files'][number],
  { records }: Ledger,
  enrolments: readonly Enrolment[],
): boolean {
  if (follows === undefined) return true;
  const paths = [path, ...Object.keys(follows)];
  return (
    records.some((record) => paths.includes(record.path)) ||
    enrolments.some(({ external }) =>
      external.some((address) => paths.some((one) => address === one || address.startsWith(`${one}#`))),
    )
  );
}

/** Whether a path of this machine was typed, which may be private. */
const namesPlace = (argv: readonly string[]): boolean =>
  argv.some((word) => /(?:^|=)(?:[\\/~]|[a-z]:[\\/])/i.test(word));

/** The command line as it was typed, for a remedy that adds to it; undefined where it may hold something private. */
export function typedLine(argv: readonly string[] = []): string | undefined {
  return argv.length === 0 || namesPlace(argv) ? undefined : ['tenon', ...argv].map(shellQuote).join(' ');
}

/**
 * The command line again with the harmless answer to every conflict, where each has one: what stands there stays. A value
 * that was typed with it, as in `--header` or a path of this machine, may be private: such a line is not repeated.
 */
function keepingCommand(conflicts: PlanResult['plan']['conflicts'], argv: readonly string[]) {
  const [verb = ''] = argv;
  if (!/^[a-z]/.test(verb) || verb === 'add' || conflicts.some(({ choices }) => !choices.includes('keep')))
    return {};
  if (namesPlace(argv)) return {};
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const answers = conflicts.flatMap(({ address }) => ['--resolve', `${address}=keep`]);
  return { command: ['tenon', ...argv.slice(0, end), ...answers].map(shellQuote).join(' ') };
}

/** The contract's answer to conflicts without an answer: exit 4, everything in the document, nothing written. */
export function refuseConflicts(
  result: PlanResult,
  data: Readonly<Record<string, unknown>>,
  argv: readonly string[] = [],
): void {
  const { conflicts } = result.plan;
  const [first] = conflicts;
  if (first === undefined) return;
  const more = conflicts.length === 1 ? '' : ` (and ${conflicts.length - 1} more)`;
  // `file:line:column` reads on as it is; the address of an entry ends with a colon.
  const mark = /:\d+:\d+$/u.test(first.address) ? ' ' : ': ';
  const where = first.message.startsWith(first.address) ? '' : `${first.address}${mark}`;
  throw new TenonError(first.code, `${where}${first.message}${more}`, {
    exit: 4,
    remedy: { text: first.remedy, ...keepingCommand(conflicts, argv) },
    findings: conflicts.map((conflict) => ({
      code: conflict.code,
      severity: 'error',
      subject: conflict.address,
      message: conflict.message,
      remedy: { text: conflict.remedy },
      data: conflict.snippet === undefined ? {} : { snippet: conflict.snippet },
    })),
    data,
  });
}
