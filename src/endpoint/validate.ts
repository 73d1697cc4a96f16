import type { ErrorCode } from '../errors/error.ts';
import { startDeadline } from './deadline.ts';
import { checkHealth } from './health.ts';
import type { Network } from './http-open.ts';
import { type Env, loopbackMayBeProxied } from './proxy.ts';
import { type AuthProfile, checkReach, type ReachReport } from './reach.ts';
import { checkUrl, displayUrl } from './url.ts';

export interface EndpointToCheck {
  readonly kind: 'health' | 'mcp';
  /** For `health` the URL that is asked itself; see `healthUrls`. */
  readonly url: string;
  /** See `ReachOptions`; the definition's promise that the server is public. */
  readonly anonymousRemote?: 'refuse' | 'accept';
}

export interface EndpointReport {
  readonly kind: 'health' | 'mcp';
  /** For display; no userinfo, no query value. */
  readonly url: string;
  readonly status: 'pass' | 'fail' | 'skip' | 'warn';
  readonly httpStatus?: number;
  readonly code?: ErrorCode;
  readonly ms: number;
  /** One sentence, safe to show. */
  readonly message: string;
  readonly profile?: AuthProfile;
  readonly protocolVersion?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** The server's 401 names a metadata document, see `oauth.ts`. */
  readonly resourceMetadata?: string;
  /** Facts beside the verdict; warnings. */
  readonly notes: readonly { readonly code: ErrorCode; readonly message: string }[];
}

export interface ValidateOptions {
  /** Limit of the whole validation, in milliseconds; all requests run at once. */
  readonly timeoutMs: number;
  readonly env: Env;
  readonly offline: boolean;
  readonly ca?: readonly string[];
}

function notesFor(url: URL, env: Env): EndpointReport['notes'] {
  if (!loopbackMayBeProxied(url, env)) return [];
  const message = `A proxy is set and NO_PROXY does not name ${url.hostname}; the coding tool may send this address to the proxy.`;
  return [{ code: 'endpoint/loopback-proxied', message }];
}

function withoutChallenge(
  report: ReachReport,
): Omit<ReachReport, 'challenge'> & { resourceMetadata?: string } {
  const { challenge, ...rest } = report;
  const pointer = challenge?.params.get('resource_metadata');
  return pointer === undefined ? rest : { ...rest, resourceMetadata: displayUrl(pointer) };
}

/**
 * Checks the endpoints of a plan, all at once and without credentials, in the order given. One deadline holds for the
 * whole; with `offline` nothing is contacted and every report says `skip`.
 */
export async function validateEndpoints(
  endpoints: readonly EndpointToCheck[],
  options: ValidateOptions,
): Promise<EndpointReport[]> {
  const network: Network = { env: options.env, ...(options.ca === undefined ? {} : { ca: options.ca }) };
  const deadline = startDeadline(options.timeoutMs);
  const check = async (endpoint: EndpointToCheck): Promise<EndpointReport> => {
    const base = { kind: endpoint.kind, url: displayUrl(endpoint.url) };
    const checked = checkUrl(endpoint.url, { allowQuery: true, allowInsecure: true });
    if (!checked.ok) {
      return { ...base, status: 'fail', code: checked.code, message: checked.message, ms: 0, notes: [] };
    }
    if (options.offline) {
      return {
        ...base,
        status: 'skip',
        code: 'endpoint/not-checked',
        message: 'not checked (offline)',
        ms: 0,
        notes: [],
      };
    }
    const notes = notesFor(checked.url, options.env);
    if (endpoint.kind === 'health') {
      // A base that was given with a trailing slash doubles it (V7); the text itself is not touched.
      checked.url.pathname = checked.url.pathname.replaceAll(/\/{2,}/g, '/');
      return { ...base, ...(await checkHealth(checked.url, { deadline, network })), notes };
    }
    const { anonymousRemote } = endpoint;
    const reach = { deadline, network, ...(anonymousRemote === undefined ? {} : { anonymousRemote }) };
    return { ...base, ...withoutChallenge(await checkReach(checked.url, reach)), notes };
  };
  try {
    return await Promise.all(endpoints.map(check));
  } finally {
    deadline.end();
  }
}
