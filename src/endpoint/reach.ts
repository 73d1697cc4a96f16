import type { ErrorCode } from '../errors/error.ts';
import { isObject } from '../lib/json.ts';
import { isLoopback } from './address.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { showText, showValue } from './display.ts';
import { mapStructuredError } from './errors.ts';
import { type Failure, failureOfStatus } from './failure.ts';
import { callHttp, type HttpAnswer } from './http.ts';
import type { Network } from './http-open.ts';
import { type RpcResponse, rpcCollector } from './rpc.ts';
import { displayUrl } from './url.ts';

/** The protocol version that is asked for, and those that are known (MCP, lifecycle). */
const PROTOCOL_VERSION = '2025-11-25';
const KNOWN_PROTOCOL_VERSIONS: readonly string[] = [
  PROTOCOL_VERSION,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
];

/** How a server treats callers: V15; `unknown` when the answer did not say. */
export type AuthProfile = 'local-dev' | 'remote-authenticated' | 'anonymous' | 'unknown';

export interface ReachReport {
  readonly status: 'pass' | 'warn' | 'fail';
  readonly code?: ErrorCode;
  readonly message: string;
  readonly ms: number;
  readonly httpStatus?: number;
  readonly profile?: AuthProfile;
  /** Escaped and bounded. */
  readonly protocolVersion?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** The challenge of a 401; foreign text, for `oauth.ts`. */
  readonly challenge?: Challenge;
}

export interface ReachOptions {
  readonly deadline: Deadline;
  readonly network: Network;
  /** A remote server that lets anybody in: refused (V11, the default) or accepted (`add` of a public server). */
  readonly anonymousRemote?: 'refuse' | 'accept';
}

const REQUEST_ID = 1;

const initializeBody = (): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: REQUEST_ID,
    method: 'initialize',
    params: {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'tenon', version: '1' },
    },
  });

/** A 403 that complains about the Host header (protection against DNS rebinding) is no matter of credentials (J03). */
const refusesHost = (answer: HttpAnswer): boolean =>
  answer.status === 403 &&
  /\b(invalid|forbidden|disallowed|untrusted|unknown)\s+host\b|\bhost\b[^.]{0,40}\bnot allowed\b/i.test(
    answer.body,
  );

type Verdict = Omit<ReachReport, 'ms'>;

function refusal(answer: HttpAnswer, url: URL, shown: string): Verdict {
  const httpStatus = answer.status;
  if (refusesHost(answer)) {
    const message = `The server refuses the host name ${url.host} (403): allow it on the server or use another name.`;
    return { status: 'fail', code: 'endpoint/host-refused', httpStatus, message };
  }
  const challenge = parseChallenge(answer.headers['www-authenticate']);
  if (httpStatus === 401 && challenge !== undefined) {
    const message = `${shown} is reachable and needs a login (${showText(challenge.scheme, 32)}).`;
    return {
      status: 'warn',
      code: 'endpoint/login-needed',
      httpStatus,
      message,
      profile: 'remote-authenticated',
      challenge,
    };
  }
  if (httpStatus === 401 || httpStatus === 403) {
    const message = `${shown} is reachable and refuses callers without credentials (${httpStatus}); it does not say how to log in.`;
    return { status: 'warn', code: 'endpoint/auth-unknown', httpStatus, message, profile: 'unknown' };
  }
  const message = `${shown} is reachable, but answers initialize with ${httpStatus}: that it speaks MCP is not shown.`;
  return { status: 'warn', code: 'endpoint/not-proven', httpStatus, message, profile: 'unknown' };
}

function refusedByRpc(response: RpcResponse, httpStatus: number, shown: string): Verdict {
  const mapped = mapStructuredError(response.error?.data, response.error?.code);
  if (mapped.code === 'unauthenticated' || mapped.code === 'unauthorized') {
    const message = `${shown} is reachable and needs a login (${mapped.code}).`;
    return {
      status: 'warn',
      code: 'endpoint/login-needed',
      httpStatus,
      message,
      profile: 'remote-authenticated',
    };
  }
  const action = mapped.action === undefined ? '' : ` ${mapped.action}`;
  const message = `${shown} speaks JSON-RPC and refuses initialize. ${mapped.message}${action}`;
  return { status: 'warn', code: 'endpoint/initialize-refused', httpStatus, message, profile: 'unknown' };
}

function opened(result: Record<string, unknown>, url: URL, shown: string, accept: boolean): Verdict {
  const version = result['protocolVersion'];
  if (typeof version !== 'string') {
    const message = `${shown} answers initialize without a protocol version; it is no MCP server.`;
    return { status: 'fail', code: 'endpoint/not-mcp', httpStatus: 200, message };
  }
  const info = result['serverInfo'];
  const facts = {
    httpStatus: 200,
    protocolVersion: showText(version, 32),
    ...(isObject(info)
      ? { serverInfo: { name: showValue(info['name'], 100), version: showValue(info['version'], 50) } }
      : {}),
  };
  const local = isLoopback(url.hostname);
  if (!local && !accept) {
    const message = `${shown} lets anybody in without a login, which only a server on this machine may.`;
    return {
      ...facts,
      status: 'fail',
      code: 'endpoint/unauthenticated-remote',
      message,
      profile: 'anonymous',
    };
  }
  const profile = local ? 'local-dev' : 'anonymous';
  if (!KNOWN_PROTOCOL_VERSIONS.includes(version)) {
    const message = `${shown} speaks MCP ${facts.protocolVersion}, a version that tenon does not know.`;
    return { ...facts, status: 'warn', code: 'endpoint/protocol-version', message, profile };
  }
  return {
    ...facts,
    status: 'pass',
    message: `MCP ${facts.protocolVersion}, no login needed (${profile})`,
    profile,
  };
}

/** Closes the session that a stateful server opened for us. Best effort: its outcome says nothing about the endpoint. */
async function closeSession(url: URL, session: string, call: InitializeCall): Promise<void> {
  const deadline = startDeadline(Math.min(1000, call.deadline.remaining()));
  const headers = { ...call.headers, 'mcp-session-id': session, 'mcp-protocol-version': PROTOCOL_VERSION };
  await callHttp({ method: 'DELETE', url, headers, deadline, network: call.network, wantsBody: () => false });
  deadline.end();
}

export interface InitializeCall {
  readonly deadline: Deadline;
  readonly network: Network;
  /** Sent to this URL only; redirects are not followed. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Initialized =
  | { readonly answer: HttpAnswer; readonly response: RpcResponse | undefined }
  | { readonly failure: Failure; readonly ms: number };

/**
 * Sends one `initialize` and closes the session that a stateful server opens for it. A 404, 421 or 5xx is a failure; any
 * other status is an answer, with the JSON-RPC response where there is one.
 */
export async function sendInitialize(url: URL, call: InitializeCall): Promise<Initialized> {
  const collector = rpcCollector(REQUEST_ID);
  const result = await callHttp({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...call.headers,
    },
    body: initializeBody(),
    deadline: call.deadline,
    network: call.network,
    wantsBody: (status) => status < 300 || status === 400 || status === 403,
    onText: (text, headers) => collector.push(text, headers['content-type']),
  });
  if (!result.ok) return { failure: result.failure, ms: result.ms };
  const { answer } = result;
  const failure = failureOfStatus(answer.status, displayUrl(url.href), url);
  if (failure !== undefined) return { failure, ms: answer.ms };
  const session = answer.headers['mcp-session-id'];
  if (typeof session === 'string' && answer.status < 300) await closeSession(url, session, call);
  const response =
    answer.status < 300 ? collector.finish(answer.body, answer.headers['content-type']) : undefined;
  return { answer, response };
}

/**
 * One unauthenticated `initialize` (V10, V11, E-03, E-04; J01-J07). Any answer below 500 except 404 and 421 proves that
 * something is there; only a JSON-RPC result proves MCP. A session that the server opens is closed again. Never throws for what
 * the server does.
 */
export async function checkReach(url: URL, options: ReachOptions): Promise<ReachReport> {
  const shown = displayUrl(url.href);
  const sent = await sendInitialize(url, { deadline: options.deadline, network: options.network });
  if ('failure' in sent) return { status: 'fail', ...sent.failure, ms: sent.ms };
  const { answer, response } = sent;
  if (answer.status >= 400) return { ...refusal(answer, url, shown), ms: answer.ms };
  if (response?.result !== undefined) {
    return { ...opened(response.result, url, shown, options.anonymousRemote === 'accept'), ms: answer.ms };
  }
  if (response?.error !== undefined)
    return { ...refusedByRpc(response, answer.status, shown), ms: answer.ms };
  const type = showText(String(answer.headers['content-type'] ?? 'no content type'), 60);
  const message = `${shown} answers ${answer.status} (${type}), but not with JSON-RPC; it is no MCP endpoint.`;
  return { status: 'fail', code: 'endpoint/not-mcp', httpStatus: answer.status, message, ms: answer.ms };
}
