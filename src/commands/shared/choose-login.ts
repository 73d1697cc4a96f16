import type { Context } from '../../cli/context.ts';
import { type Finding, TenonError } from '../../errors/error.ts';
import { expandLogin } from '../../integrations/expand.ts';
import type { CredentialFlags } from './credential.ts';
import type { LoginReport } from './login.ts';
import type { Selection } from './selection.ts';
import { isPerson } from './trust-policy.ts';
import type { Workspace } from './workspace.ts';

export interface ChosenLogin {
  readonly selections: readonly Selection[];
  readonly findings: readonly Finding[];
}

/**
 * The login of each integration after what was learnt: `--existing-token` means a literal token; a tool that cannot log in
 * is offered the other ways; a literal token that works stays until its user says that the tool was seen connected by
 * its own login (V16).
 */
export async function chooseLogin(
  context: Context,
  workspace: Workspace,
  selections: readonly Selection[],
  report: LoginReport | undefined,
  flags: CredentialFlags,
): Promise<ChosenLogin> {
  const chosen: Selection[] = [];
  const findings: Finding[] = [];
  for (const selection of selections) {
    const login = expandLogin(selection.loaded, selection.inputs);
    if (login === undefined || login.way === 'literal') {
      chosen.push(selection);
      continue;
    }
    const { spec } = login;
    if (flags.existing || flags.rotate) {
      chosen.push(withLogin(selection, spec.input, spec.literal));
    } else if (login.way === 'client' && hasLiteral(workspace, selection)) {
      const isSeen = await askSeen(context);
      chosen.push(isSeen ? selection : withLogin(selection, spec.input, spec.literal));
      findings.push(isSeen ? moved(selection) : kept(selection, report));
    } else if (login.way === 'client' && report?.ways.some(({ way }) => way === 'undecided') === true) {
      const way = await askWay(context, selection);
      chosen.push(
        way === undefined || way === spec.client ? selection : withLogin(selection, spec.input, way),
      );
    } else chosen.push(selection);
  }
  const scoped: Selection[] = [];
  for (const selection of chosen) scoped.push(await withScopes(context, selection, flags));
  return { selections: scoped, findings };
}

/**
 * What a token that will be issued may do: a person chooses before the plan, reading first, because rules and skill follow it
 * (V14). Not asked where no writes are wanted, where it was chosen before, or where a token that exists is entered.
 */
async function withScopes(
  context: Context,
  selection: Selection,
  flags: CredentialFlags,
): Promise<Selection> {
  const login = expandLogin(selection.loaded, selection.inputs);
  const choice = login?.spec.scopes.choice;
  if (
    login?.way !== 'literal' ||
    choice === undefined ||
    login.readOnly ||
    flags.existing ||
    !mayAsk(context)
  )
    return selection;
  if (selection.inputs.some(({ name, origin }) => name === choice.input && origin !== 'default'))
    return selection;
  const { read, write } = login.spec.scopes;
  const answer = await context.prompter.select('What may the token do?', [
    {
      value: choice.read,
      label: `${read.join(', ')}: nothing can be written with it, whatever mode the tool runs in`,
    },
    { value: choice.write, label: write.join(', ') },
  ]);
  if (answer === undefined)
    throw new TenonError('approval/declined', 'the question was not answered', { exit: 3 });
  return withLogin(selection, choice.input, answer);
}

const mayAsk = ({ options, ...context }: Context): boolean =>
  isPerson({ options, ...context }) && !options.yes && options.approve === undefined && !options.dryRun;

async function askWay(context: Context, { loaded }: Selection): Promise<string | undefined> {
  const spec = loaded.manifest.login;
  if (spec === undefined || !mayAsk(context)) return undefined;
  const answer = await context.prompter.select(
    `${loaded.manifest.title} needs a login, and no login of the coding tool is proven to work. How shall it log in?`,
    [
      { value: spec.reference, label: `A token from the environment variable ${spec.variable}` },
      { value: spec.literal, label: 'A token that I enter now; it stands in an untracked, private file' },
      { value: spec.client, label: 'Leave it to the coding tool' },
    ],
  );
  if (answer === undefined)
    throw new TenonError('approval/declined', 'the question was not answered', { exit: 3 });
  return answer;
}

async function askSeen(context: Context): Promise<boolean> {
  if (!mayAsk(context)) return false;
  return (
    (await context.prompter.confirm(
      'Was the coding tool seen connected by its own login? Until then the token in its file stays.',
    )) === true
  );
}

function kept({ loaded }: Selection, report: LoginReport | undefined): Finding {
  const command = report?.ways.find(({ way }) => way === 'oauth')?.command;
  return {
    code: 'credential/kept',
    severity: 'warning',
    subject: loaded.ref,
    message:
      'the literal token stays in its file: that the coding tool connects by its own login was not seen',
    remedy: {
      text:
        command === undefined
          ? 'Let the coding tool log in, see it connected, then run this command at a terminal'
          : `Log in with ${command}, see the tool connected, then run this command at a terminal`,
    },
  };
}

const moved = ({ loaded }: Selection): Finding => ({
  code: 'credential/moved',
  severity: 'info',
  subject: loaded.ref,
  message: 'the literal token leaves its file, because the coding tool was seen connected by its own login',
  remedy: { text: 'If the login fails after all, put the token back', command: 'tenon undo' },
});

/** A literal token of an earlier setup stands in a file of this host. */
function hasLiteral(workspace: Workspace, { loaded, enrolment }: Selection): boolean {
  const before = workspace.enrolments.find(
    (one) => one.integration === loaded.ref && one.scope === enrolment.scope,
  );
  const spec = loaded.manifest.login;
  const said = before === undefined ? undefined : { ...before.inputs, ...before.localInputs };
  if (said === undefined || spec === undefined || said[spec.input] !== spec.literal) return false;
  return [...workspace.ledgers.root.records, ...workspace.ledgers.user.records].some(({ owners }) =>
    owners.some(({ integration }) => integration === loaded.ref),
  );
}

/** The selection with another value of an input that decides the login or what it may do. */
function withLogin(selection: Selection, input: string, value: string): Selection {
  const { enrolment } = selection;
  const { localInputs } = enrolment;
  return {
    ...selection,
    inputs: [
      ...selection.inputs.filter(({ name }) => name !== input),
      { name: input, value, origin: 'prompt' },
    ],
    enrolment:
      localInputs === undefined
        ? { ...enrolment, inputs: { ...enrolment.inputs, [input]: value } }
        : { ...enrolment, localInputs: { ...localInputs, [input]: value } },
  };
}
