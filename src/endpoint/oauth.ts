import type { ErrorCode } from '../errors/error.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { isLoopback } from './address.ts';
import type { Deadline } from './deadline.ts';
import { showText } from './display.ts';
import { callHttp } from './http.ts';
import type { Network } from './http-open.ts';
import { checkUrl, displayUrl } from './url.ts';

export interface OAuthOptions {
  readonly deadline: Deadline;
  readonly network: Network;
  /** `resource_metadata` of the server's challenge (RFC 9728, section 5.1), where it sent one. */
  readonly resourceMetadata?: string;
  /** Takes http for loopback metadata and endpoints. Off in the product: an interactive login over http is refused. */
  readonly allowLoopbackHttp?: boolean;
}

interface OAuthProblem {
  readonly code: ErrorCode;
  /** One sentence, safe to show. */
  readonly message: string;
}

export interface OAuthReport {
  /** True only when every check passed: a pointer alone is no proof (V12). */
  readonly usable: boolean;
  readonly problems: readonly OAuthProblem[];
  /** Of the authorization server that was checked. */
  readonly issuer?: string;
  readonly scopes: readonly string[];
}

const problem = (code: ErrorCode, message: string): OAuthProblem => ({ code, message });

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Puts a well-known path between host and path of a URL (RFC 9728, section 3.1; RFC 8414, section 3.1). */
export function wellKnown(text: string, name: string): string {
  const { origin, pathname, search } = new URL(text);
  const path = pathname.replace(/\/+$/, '');
  return `${origin}/.well-known/${name}${path}${search}`;
}

/** What is wrong with a URL taken from metadata, or undefined: https, or http on loopback where that is allowed. */
function urlProblem(text: unknown, what: string, options: OAuthOptions): OAuthProblem | undefined {
  if (typeof text !== 'string') return problem('endpoint/oauth-endpoints', `The metadata has no ${what}.`);
  const checked = checkUrl(text, { allowQuery: true, allowInsecure: false });
  if (!checked.ok) return problem(checked.code, `The ${what} of the metadata is refused: ${checked.message}`);
  const { protocol, hostname } = checked.url;
  if (protocol === 'https:' || (options.allowLoopbackHttp === true && isLoopback(hostname))) return undefined;
  return problem('endpoint/oauth-insecure', `The ${what} ${displayUrl(text)} is not https.`);
}

type Fetched =
  | { readonly document: JsonObject }
  | { readonly missing: boolean; readonly problem: OAuthProblem };

async function fetchMetadata(text: string, what: string, options: OAuthOptions): Promise<Fetched> {
  const wrong = urlProblem(text, what, options);
  if (wrong !== undefined) return { missing: false, problem: wrong };
  const result = await callHttp({
    method: 'GET',
    url: new URL(text),
    headers: { accept: 'application/json' },
    deadline: options.deadline,
    network: options.network,
    wantsBody: (status) => status === 200,
  });
  if (!result.ok) return { missing: false, problem: result.failure };
  const { status, body } = result.answer;
  if (status !== 200) {
    const message = `The ${what} ${displayUrl(text)} answers ${status}.`;
    return { missing: status === 404, problem: problem('endpoint/oauth-metadata', message) };
  }
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch {
    document = undefined;
  }
  if (isObject(document)) return { document };
  const message = `The ${what} ${displayUrl(text)} is no JSON object.`;
  return { missing: false, problem: problem('endpoint/oauth-metadata', message) };
}

/** The first of several places that has the document; only a 404 leads on to the next. */
async function fetchFirst(places: readonly string[], what: string, options: OAuthOptions): Promise<Fetched> {
  let last: Fetched | undefined;
  for (const place of places) {
    last = await fetchMetadata(place, what, options);
    if ('document' in last || !last.missing) return last;
  }
  return last ?? { missing: true, problem: problem('endpoint/oauth-metadata', `There is no ${what}.`) };
}

/** Where the metadata of an authorization server may be (RFC 8414, section 3.1; OpenID Connect Discovery 1.0, section 4). */
function serverPlaces(issuer: string): string[] {
  const places = [wellKnown(issuer, 'oauth-authorization-server'), wellKnown(issuer, 'openid-configuration')];
  const appended = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  return places.includes(appended) ? places : [...places, appended];
}

/** Checks the metadata of one authorization server. */
async function checkServer(issuer: string, options: OAuthOptions): Promise<OAuthProblem[]> {
  const wrong = urlProblem(issuer, 'authorization server', options);
  if (wrong !== undefined) return [wrong];
  const fetched = await fetchFirst(serverPlaces(issuer), 'authorization server metadata', options);
  if (!('document' in fetched)) return [fetched.problem];
  const { document } = fetched;
  const problems: OAuthProblem[] = [];
  const named = document['issuer'];
  if (named !== issuer) {
    const shown = typeof named === 'string' ? displayUrl(named) : 'nothing';
    const message = `The metadata of ${displayUrl(issuer)} names ${shown} as issuer; the two must be equal.`;
    problems.push(problem('endpoint/oauth-issuer', message));
  }
  for (const name of ['authorization_endpoint', 'token_endpoint']) {
    const bad = urlProblem(document[name], name, options);
    if (bad !== undefined) problems.push(bad);
  }
  if (!texts(document['code_challenge_methods_supported']).includes('S256')) {
    const message = `${displayUrl(issuer)} does not offer PKCE with S256.`;
    problems.push(problem('endpoint/oauth-pkce', message));
  }
  const types = document['response_types_supported'];
  if (types !== undefined && !texts(types).some((type) => type.split(' ').includes('code'))) {
    const message = `${displayUrl(issuer)} does not offer the authorization code flow.`;
    problems.push(problem('endpoint/oauth-endpoints', message));
  }
  return problems;
}

/** Servers that are tried, in the order of the metadata. */
const MOST_SERVERS = 3;

/**
 * Whether an interactive login could work (V12, E-05; J05): the resource metadata of the MCP endpoint, of its own origin and
 * naming exactly this resource, then an authorization server with usable endpoints and S256. `mcpUrl` is compared as
 * written. Sends no credential. Never throws for what the servers do.
 */
export async function discoverOAuth(mcpUrl: string, options: OAuthOptions): Promise<OAuthReport> {
  const refused = (...problems: OAuthProblem[]): OAuthReport => ({ usable: false, problems, scopes: [] });
  const checked = checkUrl(mcpUrl, { allowQuery: true, allowInsecure: false });
  if (!checked.ok) return refused(problem(checked.code, checked.message));
  const { origin } = checked.url;
  const pointer = options.resourceMetadata;
  if (pointer !== undefined && (!URL.canParse(pointer) || new URL(pointer).origin !== origin)) {
    const message = `The resource metadata ${displayUrl(pointer)} is not at ${origin}, the origin of the MCP endpoint.`;
    return refused(problem('endpoint/oauth-origin', message));
  }
  const name = 'oauth-protected-resource';
  const places =
    pointer === undefined ? [wellKnown(mcpUrl, name), `${origin}/.well-known/${name}`] : [pointer];
  const fetched = await fetchFirst([...new Set(places)], 'resource metadata', options);
  if (!('document' in fetched)) return refused(fetched.problem);
  const { document } = fetched;
  const problems: OAuthProblem[] = [];
  const { resource } = document;
  if (resource !== mcpUrl) {
    const shown = typeof resource === 'string' ? displayUrl(resource) : 'no resource';
    const message = `The resource metadata names ${shown}, the endpoint is ${displayUrl(mcpUrl)}; strict tools refuse that.`;
    problems.push(problem('endpoint/oauth-resource', message));
  }
  const servers = texts(document['authorization_servers']).slice(0, MOST_SERVERS);
  const scopes = texts(document['scopes_supported'])
    .slice(0, 50)
    .map((scope) => showText(scope, 100));
  if (servers.length === 0) {
    problems.push(problem('endpoint/oauth-servers', 'The resource metadata names no authorization server.'));
  }
  let firstFault: OAuthProblem[] | undefined;
  for (const issuer of servers) {
    const faults = await checkServer(issuer, options);
    if (faults.length === 0) {
      return { usable: problems.length === 0, problems, issuer: displayUrl(issuer), scopes };
    }
    firstFault ??= faults;
  }
  return { usable: false, problems: [...problems, ...(firstFault ?? [])], scopes };
}
