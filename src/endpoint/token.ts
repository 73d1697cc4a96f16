import type { ErrorCode } from '../errors/error.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { parseChallenge } from './challenge.ts';
import type { Deadline } from './deadline.ts';
import { showText } from './display.ts';
import { mapStructuredError } from './errors.ts';
import { failureOfStatus } from './failure.ts';
import { callHttp, type HttpAnswer } from './http.ts';
import type { Network } from './http-open.ts';
import { sendInitialize } from './reach.ts';
import { checkUrl, displayUrl } from './url.ts';

export interface TokenProblem {
  readonly ok: false;
  readonly code: ErrorCode;
  /** One sentence; never holds the key, the token or text of the server. */
  readonly message: string;
}

const refuse = (code: ErrorCode, message: string): TokenProblem => ({ ok: false, code, message });

export interface CredentialOptions {
  readonly deadline: Deadline;
  readonly network: Network;
}

/** A JWT in compact form: three base64url segments, nothing before or after (V18). Its signature is not checked. */
export const isTokenShaped = (text: string): boolean =>
  text.length <= 8192 && /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text);

/** A VERA API key, `vera_<id>.<secret>` (V19). */
export const isApiKeyShaped = (text: string): boolean =>
  text.length <= 1024 && /^vera_[A-Za-z0-9-]+\.[A-Za-z0-9_-]+$/.test(text);

export interface IssuedToken {
  readonly ok: true;
  /** Secret. */
  readonly token: string;
  /** Seconds; `null` means that it does not expire, which must be told to the user. */
  readonly expiresIn: number | null;
  readonly scopes: readonly string[];
}

function readAnswer(answer: HttpAnswer, wanted: readonly string[]): IssuedToken | TokenProblem {
  const unusable = (why: string): TokenProblem =>
    refuse(
      'endpoint/token-unusable',
      `The token answer cannot be used: ${why}. The server may have issued a token.`,
    );
  let body: unknown;
  try {
    body = JSON.parse(answer.body);
  } catch {
    body = undefined;
  }
  if (!isObject(body)) return unusable('it is no JSON object');
  const noStore = (answer.headers['cache-control'] ?? '')
    .split(',')
    .some((part) => part.trim().toLowerCase() === 'no-store');
  if (!noStore) return unusable('it is not marked no-store, so that a cache may have kept it');
  const token = body['access_token'];
  if (typeof token !== 'string' || !isTokenShaped(token)) return unusable('access_token is no JWT');
  if (typeof body['token_type'] !== 'string' || body['token_type'].toLowerCase() !== 'bearer') {
    return unusable('token_type is not Bearer');
  }
  const expiresIn = readExpiry(body);
  if (expiresIn === undefined) return unusable('expires_in is missing or no positive number of seconds');
  const scopes =
    typeof body['scope'] === 'string' ? body['scope'].split(' ').filter((scope) => scope !== '') : [];
  const extra = scopes.find((scope) => !wanted.includes(scope));
  if (extra !== undefined) return unusable(`it grants ${showText(extra, 60)}, which was not asked for`);
  const missing = wanted.find((scope) => !scopes.includes(scope));
  if (missing !== undefined) return unusable(`it does not grant ${missing}`);
  return { ok: true, token, expiresIn, scopes };
}

/** `null` is a valid value, a missing member is not (V18). */
function readExpiry(body: JsonObject): number | null | undefined {
  if (!Object.hasOwn(body, 'expires_in')) return undefined;
  const value = body['expires_in'];
  if (value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/**
 * Exchanges a VERA API key for an MCP token: `POST {API}/identity/mcp-token` (V17, V18). The key goes to this URL only, over
 * https or loopback. Codes: `endpoint/key-malformed`, `endpoint/key-refused` (401, 403), `endpoint/scopes-refused` (422),
 * `endpoint/no-mcp-auth` (503), `endpoint/token-unusable`, `endpoint/token-failed`, those of `checkUrl` and of the network.
 */
export async function exchangeToken(
  apiUrl: string,
  apiKey: string,
  options: CredentialOptions & { readonly scopes: readonly string[] },
): Promise<IssuedToken | TokenProblem> {
  if (!isApiKeyShaped(apiKey)) {
    return refuse('endpoint/key-malformed', 'This is no VERA API key; it looks like vera_<id>.<secret>.');
  }
  const target = `${apiUrl.replace(/\/+$/, '')}/identity/mcp-token`;
  const checked = checkUrl(target, { allowQuery: false, allowInsecure: false });
  if (!checked.ok) return refuse(checked.code, checked.message);
  const result = await callHttp({
    method: 'POST',
    url: checked.url,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({ scopes: options.scopes }),
    deadline: options.deadline,
    network: options.network,
    wantsBody: (status) => status === 200,
  });
  if (!result.ok) return refuse(result.failure.code, result.failure.message);
  const { answer } = result;
  const shown = displayUrl(target);
  switch (answer.status) {
    case 200:
      return readAnswer(answer, options.scopes);
    case 401:
    case 403:
      return refuse('endpoint/key-refused', `${shown} refuses the API key (${answer.status}).`);
    case 422:
      return refuse('endpoint/scopes-refused', `${shown} refuses the scopes that were asked for (422).`);
    case 503:
      return refuse(
        'endpoint/no-mcp-auth',
        `${shown} answers 503: the server has no MCP authentication set up.`,
      );
    default: {
      const failure = failureOfStatus(answer.status, shown, checked.url);
      return refuse(
        failure?.code ?? 'endpoint/token-failed',
        failure?.message ?? `${shown} answers ${answer.status}.`,
      );
    }
  }
}

/**
 * One `initialize` with the token, before anything is written (V18): it must be answered with a JSON-RPC result. The token
 * goes to this URL only. Codes: `endpoint/token-malformed`, `endpoint/token-rejected` (401), `endpoint/token-scope` (403),
 * `endpoint/not-mcp`, `endpoint/not-proven`, those of `checkUrl` and of the network.
 */
export async function probeToken(
  mcpUrl: string,
  token: string,
  options: CredentialOptions,
): Promise<{ readonly ok: true } | TokenProblem> {
  if (!isTokenShaped(token))
    return refuse('endpoint/token-malformed', 'This is no JWT of three base64url parts.');
  const checked = checkUrl(mcpUrl, { allowQuery: true, allowInsecure: false });
  if (!checked.ok) return refuse(checked.code, checked.message);
  const headers = { authorization: `Bearer ${token}` };
  const sent = await sendInitialize(checked.url, { ...options, headers });
  if ('failure' in sent) return refuse(sent.failure.code, sent.failure.message);
  const { answer, response } = sent;
  const shown = displayUrl(mcpUrl);
  if (answer.status === 401) return refuse('endpoint/token-rejected', rejection(answer, shown));
  if (answer.status === 403) {
    return refuse(
      'endpoint/token-scope',
      `${shown} knows the token and does not let it in (403): a scope is missing.`,
    );
  }
  if (answer.status >= 400)
    return refuse('endpoint/not-proven', `${shown} answers initialize with ${answer.status}.`);
  if (response?.result !== undefined) return { ok: true };
  if (response?.error !== undefined) {
    return refuse(
      'endpoint/initialize-refused',
      mapStructuredError(response.error.data, response.error.code).message,
    );
  }
  return refuse('endpoint/not-mcp', `${shown} answers ${answer.status}, but not with JSON-RPC.`);
}

/** Why a server says it rejects a token; only the error codes of RFC 6750, section 3.1, are passed on. */
export function rejection(answer: Pick<HttpAnswer, 'headers'>, shown: string): string {
  const error = parseChallenge(answer.headers['www-authenticate'])?.params.get('error');
  const known = error === 'invalid_token' || error === 'invalid_request' || error === 'insufficient_scope';
  return `${shown} rejects the token (401${known ? `, ${error}` : ''}): it has expired, is for another server, or is malformed.`;
}
