import { timingSafeEqual } from 'node:crypto';
import { SCOPES } from '../endpoint/tools.ts';
import { isObject } from '../lib/json.ts';
import type { Authority } from './auth.ts';

export interface PlainAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Changes to the token answer, for tests of what the exchange must refuse. */
export interface TokenTwist {
  readonly accessToken?: string;
  readonly omitExpiresIn?: boolean;
  readonly expiresIn?: number | null;
  readonly cacheControl?: string | null;
}

const equal = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

function wantedScopes(body: string): readonly string[] | undefined {
  if (body === '') return [SCOPES.READ];
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const scopes = isObject(parsed) ? parsed['scopes'] : undefined;
  if (!Array.isArray(scopes)) return undefined;
  const known: readonly unknown[] = Object.values(SCOPES);
  const valid = scopes.every((scope) => known.includes(scope)) && scopes.includes(SCOPES.READ);
  return valid ? (scopes as string[]) : undefined;
}

/**
 * `POST /identity/mcp-token` (V17): 503 without MCP authentication, 401 without the API key, 422 for an unknown scope or
 * without memory:read, else a token for the same principal that does not expire.
 */
export async function issueToken(
  request: { readonly authorization: string | undefined; readonly body: string },
  server: { readonly authority: Authority | undefined; readonly apiKey: string; readonly twist: TokenTwist },
): Promise<PlainAnswer> {
  const { authority, twist } = server;
  if (authority === undefined)
    return { status: 503, body: { detail: 'MCP authentication is not configured' } };
  if (!equal(request.authorization ?? '', `Bearer ${server.apiKey}`))
    return { status: 401, body: { detail: 'no key' } };
  const scopes = wantedScopes(request.body);
  if (scopes === undefined) return { status: 422, body: { detail: 'scopes' } };
  const expiresIn = twist.expiresIn ?? null;
  const access_token = twist.accessToken ?? (await authority.mint({ scopes, expiresIn }));
  const cache = twist.cacheControl === undefined ? 'no-store' : twist.cacheControl;
  return {
    status: 200,
    headers: { ...(cache === null ? {} : { 'cache-control': cache }), pragma: 'no-cache' },
    body: {
      access_token,
      token_type: 'Bearer',
      ...(twist.omitExpiresIn === true ? {} : { expires_in: expiresIn }),
      scope: scopes.join(' '),
    },
  };
}
