import type { Context } from '../../cli/context.ts';
import type { OAuthReport } from '../../endpoint/oauth.ts';
import type { EndpointReport } from '../../endpoint/validate.ts';
import type { Finding } from '../../errors/error.ts';
import { expandEndpoints, expandIntegration, expandLogin } from '../../integrations/expand.ts';
import { isReference } from '../../lib/secrets.ts';
import type { Selection } from './selection.ts';
import type { Workspace } from './workspace.ts';

/** How one runtime will log in to one server. */
export interface LoginWay {
  readonly runtime: string;
  readonly server: string;
  readonly way: 'none' | 'oauth' | 'reference' | 'literal' | 'undecided' | 'not-checked';
  /** One line for plan and next steps. */
  readonly text: string;
  /** The runtime's own login command. */
  readonly command?: string;
}

export interface LoginReport {
  readonly profile: string;
  /** What discovery found; absent where it was not needed. */
  readonly oauth?: Pick<OAuthReport, 'usable' | 'issuer' | 'problems' | 'scopes'>;
  readonly ways: readonly LoginWay[];
  readonly findings: readonly Finding[];
}

interface Server {
  readonly name: string;
  readonly url: string;
  readonly header: 'reference' | 'literal' | undefined;
  readonly variable: string | undefined;
  readonly runtimes: readonly string[];
  /** To ask for in a login. */
  readonly scopes: readonly string[];
}

/**
 * How the chosen runtimes log in (V12, V15, V16): local-dev needs nothing; a reference or a token that is entered is used
 * where it was chosen; OAuth is named only after its metadata passed every check. Sends no credential.
 */
export async function loginReport(
  context: Context,
  workspace: Workspace,
  selections: readonly Selection[],
  endpoints: readonly EndpointReport[],
): Promise<LoginReport | undefined> {
  const servers = selections.flatMap((selection) => serversOf(selection));
  const reports = endpoints.filter(({ kind }) => kind === 'mcp');
  const [report] = reports;
  if (report === undefined || servers.length === 0) return undefined;
  const profile = report.status === 'skip' ? 'not checked' : (report.profile ?? ('unknown' as const));
  const needs = report.status !== 'skip' && profile !== 'local-dev' && profile !== 'anonymous';
  const open = servers.find(({ header }) => header === undefined);
  const oauth = needs && open !== undefined ? await discover(context, open.url, report) : undefined;
  const ways = servers.flatMap((server) =>
    server.runtimes.map((runtime) => wayOf(workspace, server, runtime, profile, needs, oauth)),
  );
  const undecided = ways.filter(({ way }) => way === 'undecided');
  const declared = selections.map(({ loaded, inputs }) => expandLogin(loaded, inputs)).find((one) => one);
  const findings: Finding[] =
    undecided.length === 0
      ? []
      : [
          {
            code: 'credential/needed',
            severity: 'warning',
            subject: report.url,
            message: `${undecided.map(({ runtime }) => runtime).join(', ')} cannot log in as it is set up${why(oauth)}`,
            remedy: {
              text:
                declared === undefined
                  ? 'Name the environment variable that holds the token with --token-env'
                  : `Choose --set ${declared.spec.input}=${declared.spec.reference} and put a token into ${declared.spec.variable}, or --set ${declared.spec.input}=${declared.spec.literal} at a terminal`,
            },
          },
        ];
  return { profile, ...(oauth === undefined ? {} : { oauth }), ways, findings };
}

const why = (oauth: OAuthReport | undefined): string => {
  const [first] = oauth?.problems ?? [];
  return first === undefined ? '' : `: OAuth is not proven usable. ${first.message}`;
};

async function discover(context: Context, url: string, report: EndpointReport): Promise<OAuthReport> {
  const { options, system } = context;
  // Loaded only where something is asked: `plan` contacts nothing and names ways all the same (cold start).
  const [{ startDeadline }, { discoverOAuth }] = await Promise.all([
    import('../../endpoint/deadline.ts'),
    import('../../endpoint/oauth.ts'),
  ]);
  const deadline = startDeadline(options.timeoutMs);
  try {
    return await discoverOAuth(url, {
      deadline,
      network: { env: system.host.env },
      ...(report.resourceMetadata === undefined ? {} : { resourceMetadata: report.resourceMetadata }),
    });
  } finally {
    deadline.end();
  }
}

function serversOf({ loaded, inputs, enrolment }: Selection): Server[] {
  const urls = expandEndpoints(loaded, inputs).filter(({ kind }) => kind === 'mcp');
  const { without, runtimes, overrides } = enrolment;
  const login = expandLogin(loaded, inputs);
  const { read = [], write = [] } = login?.spec.scopes ?? {};
  const scopes = login?.readOnly === true ? read : write;
  return expandIntegration(loaded, inputs, { without, runtimes, overrides }).flatMap(({ artifact }) => {
    if (artifact.kind !== 'mcp-server' || artifact.http === undefined) return [];
    const { url, headers = {} } = artifact.http;
    if (!urls.some((one) => one.url === url)) return [];
    const value = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
    const isLiteral = value !== undefined && /<[A-Z][A-Z0-9_]*>/.test(value);
    const header = value === undefined ? undefined : isLiteral ? 'literal' : 'reference';
    const variable = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/.exec(value ?? '')?.[1];
    return header === 'reference' && !isReference(value ?? '')
      ? []
      : [{ name: artifact.server, url, header, variable, runtimes, scopes }];
  });
}

function wayOf(
  workspace: Workspace,
  server: Server,
  runtime: string,
  profile: string,
  needs: boolean,
  oauth: OAuthReport | undefined,
): LoginWay {
  const spec = workspace.specs.get(runtime);
  const base = { runtime, server: server.name };
  if (server.header === 'reference') {
    return { ...base, way: 'reference', text: `sends the token of the variable ${server.variable ?? ''}` };
  }
  if (server.header === 'literal') {
    return { ...base, way: 'literal', text: 'sends a token that stands in an untracked file' };
  }
  if (profile === 'not checked') {
    return { ...base, way: 'not-checked', text: 'whether a login is needed was not checked' };
  }
  if (!needs) return { ...base, way: 'none', text: `needs no login (${profile})` };
  const login = spec?.oauth?.supported === true ? spec.oauth.login : undefined;
  if (oauth?.usable === true && login !== undefined) {
    const asked = server.scopes.length === 0 ? undefined : spec?.oauth?.scopes;
    const command = [login, ...(asked === undefined ? [] : [asked])]
      .join(' ')
      .replaceAll('<server>', server.name)
      .replaceAll('<scopes>', server.scopes.join(','));
    const where = spec?.oauth?.storage === undefined ? '' : `; the token stays in ${spec.oauth.storage}`;
    return { ...base, way: 'oauth', text: `log in once with ${command}${where}`, command };
  }
  const text =
    oauth?.usable === true
      ? 'the server offers OAuth, but no login command of this tool is known'
      : 'the server needs a login, and no way to it is set up';
  return { ...base, way: 'undecided', text };
}
