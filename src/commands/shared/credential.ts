import type { Context } from '../../cli/context.ts';
import { ambiguous, countOf, filesAwaiting, fillCredential, placeholderOf } from '../../engine/credential.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { ApprovedPlan } from '../../engine/types.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import { toError } from '../../errors/to-error.ts';
import { formatOf } from '../../formats/index.ts';
import { type ExpandedLogin, expandLogin } from '../../integrations/expand.ts';
import { getIn, isObject, type Json } from '../../lib/json.ts';
import { openGit } from '../../system/git.ts';
import { isOutside } from '../../system/paths.ts';
import type { AbsPath } from '../../system/ports.ts';
import { pathWord } from './path-word.ts';
import type { Selection } from './selection.ts';
import { shellQuote } from './shell-quote.ts';
import { isPerson } from './trust-policy.ts';
import type { Workspace } from './workspace.ts';

interface Waiting {
  readonly path: string;
  readonly abs: AbsPath;
  readonly base: string | undefined;
}

/** Files that a plan would put a credential into. */
function waitingFiles(result: PlanResult): Waiting[] {
  const names = new Set(result.judgements.flatMap(({ slot }) => slot.wish?.main.credential ?? []));
  const waiting = [...names].flatMap((name) => filesAwaiting(result.plan, name));
  return waiting.map(({ path, real, base }) => ({
    path,
    abs: real,
    base: base === undefined ? undefined : new TextDecoder().decode(base),
  }));
}

/**
 * Refuses a target that git tracks or has staged, that others can read, or that holds the placeholder already (V20, V22).
 * Asked before the question, so that nobody approves a plan that cannot be carried out.
 */
export async function guardCredentials(
  context: Context,
  workspace: Workspace,
  selections: readonly Selection[],
  result: PlanResult,
): Promise<void> {
  const files = waitingFiles(result);
  if (files.length === 0) return;
  const login = literalLogin(selections);
  if (login === undefined) throw interactiveOnly(context);
  const inside = files.map(({ path }) => path).filter((path) => !isOutside(path));
  const git = openGit(workspace.facts, context.system);
  const tracked = await git.isTracked(inside);
  if (!tracked.ok) {
    throw new TenonError(
      'credential/unverifiable',
      `git could not say whether ${inside.join(', ')} is tracked: ${tracked.message}`,
      {
        exit: 4,
      },
    );
  }
  const [first] = tracked.value;
  if (first !== undefined) {
    const { input, reference } = login.spec;
    const { folderFlag } = await import('./git-add.ts');
    throw new TenonError(
      'credential/tracked',
      `${first} is in the index of git, so no token is written into it`,
      {
        exit: 4,
        remedy: {
          text: `Refer to a variable with --set ${input}=${reference}, or take the file out of the index first`,
          command: `git ${folderFlag(context, workspace)}rm --cached ${shellQuote(first)}`,
        },
      },
    );
  }
  const { guardIgnored } = await import('./guard-ignored.ts');
  await guardIgnored(context, workspace, git, inside);
  for (const { path, abs, base } of files) {
    const mode = context.system.reader.stat(abs)?.mode;
    if (mode !== undefined && context.system.host.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new TenonError(
        'credential/file-mode',
        `${path} can be read by others (mode ${(mode & 0o777).toString(8)})`,
        {
          exit: 4,
          remedy: {
            text: 'Take the rights of others away first',
            command: `chmod 600 ${pathWord(context, abs, workspace.facts.top)}`,
          },
        },
      );
    }
    const before = countOf(base ?? '', placeholderOf(login.spec.placeholder));
    if (before > 0) throw ambiguous(path, login.spec.placeholder, before + 1);
  }
  if (!isPerson(context)) throw interactiveOnly(context);
}

const literalLogin = (selections: readonly Selection[]): ExpandedLogin | undefined =>
  selections
    .map(({ loaded, inputs }) => expandLogin(loaded, inputs))
    .find((login) => login?.way === 'literal');

export const interactiveOnly = (context: Context): TenonError =>
  new TenonError(
    'credential/interactive-only',
    context.agentSession === undefined
      ? 'this setup needs a credential, which a person enters at a terminal'
      : `this setup needs a credential, and this terminal belongs to a session of ${context.agentSession}`,
    {
      exit: 3,
      remedy: { text: 'Run it at a terminal of your own, or refer to an environment variable instead' },
    },
  );

export interface CredentialFlags {
  /** `--existing-token`: the token itself is entered, not an API key. */
  readonly existing: boolean;
  /** `--rotate`: the token that stands there is replaced. */
  readonly rotate: boolean;
}

/**
 * Asks for the credential of an approved plan, exchanges and tries it, and puts it in (contract, section 4). A plan that
 * waits for none comes back as it is. Throws before anything was written.
 */
export async function fillCredentials(
  context: Context,
  selections: readonly Selection[],
  flags: CredentialFlags,
  result: PlanResult,
  approved: ApprovedPlan,
): Promise<{ readonly plan: ApprovedPlan; readonly findings: readonly Finding[] }> {
  if (waitingFiles(result).length === 0) return { plan: approved, findings: [] };
  const login = literalLogin(selections);
  if (login === undefined || !isPerson(context)) throw interactiveOnly(context);
  const name = login.spec.placeholder;
  refuseOtherUrl(result, login);
  // The network client is loaded only when somebody really enters a credential (cold start).
  const { enterCredential } = await import('./enter-credential.ts');
  const entered = await enterCredential(context, login, flags.existing);
  return { plan: fillCredential(approved, name, entered.token), findings: entered.findings };
}

/** A fault of writing after a token was issued: the token works at its server, and whoever entered the key must know it. */
export function withTokenTold(error: unknown): TenonError {
  const told = toError(error, false);
  const where =
    told.state === 'needs-recover' ? 'if tenon recover takes this back' : 'since it is stored nowhere';
  return new TenonError(told.code, `${told.message} A token was issued; revoke it at the server, ${where}.`, {
    exit: told.exit,
    state: told.state,
    ...(told.remedy === undefined ? {} : { remedy: told.remedy }),
    findings: told.findings,
    ...(told.data === undefined ? {} : { data: told.data }),
    cause: error,
  });
}

/** The token is for exactly one URL, and every entry that gets it names that one (V21). Looked up in the result bytes. */
function refuseOtherUrl(result: PlanResult, login: ExpandedLogin): void {
  const { placeholder } = login.spec;
  for (const { slot, address } of result.judgements) {
    const target = slot.wish?.target;
    if (slot.wish?.main.credential !== placeholder || target?.place.kind !== 'key') continue;
    const file = result.plan.files.find(({ path }) => path === target.path);
    if (file?.result === undefined) continue;
    const parsed = formatOf(target.format).parse(new TextDecoder().decode(file.result));
    const entry =
      parsed.ok && parsed.value !== undefined ? getIn(parsed.value, target.place.path) : undefined;
    if (holds(entry, login.mcp)) continue;
    throw new TenonError(
      'credential/other-url',
      `${address} does not name ${login.mcp}, which the token would be for`,
      {
        exit: 4,
      },
    );
  }
}

const holds = (entry: Json | undefined, url: string): boolean =>
  isObject(entry) && Object.values(entry).some((member) => member === url);
