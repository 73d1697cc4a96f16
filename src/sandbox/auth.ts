import type { ToolClass } from '../endpoint/tools.ts';
import { SCOPES } from '../endpoint/tools.ts';
import type { Caller } from './bootstrap.ts';

/** What a token of the sandbox says; the defaults make a valid one with all four scopes. */
interface TokenWish {
  readonly scopes?: readonly string[];
  /** Seconds from now; negative for one that has expired; `null` for none (a fallback token does not expire). */
  readonly expiresIn?: number | null;
  readonly audience?: string;
  readonly issuer?: string;
  readonly subject?: string;
  /** Signed by a key that the sandbox does not know. */
  readonly foreignKey?: boolean;
}

type Authenticated =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly status: 401 | 403; readonly challenge: string };

export interface Authority {
  mint(wish?: TokenWish): Promise<string>;
  /** Checks an Authorization header: signature, issuer, audience, expiry, baseline scope. */
  authenticate(header: string | undefined): Promise<Authenticated>;
  /** The public key, as a JWK set. */
  readonly jwks: { readonly keys: readonly object[] };
}

const SUBJECT = 'principal-7f3a';

const classesOf = (scopes: readonly string[]): ToolClass[] =>
  (Object.keys(SCOPES) as ToolClass[]).filter((name) => scopes.includes(SCOPES[name]));

/**
 * Issues and checks real ES256 tokens with a key of this process. `resourceMetadata` is the URL that challenges point to
 * (RFC 9728, section 5.1).
 */
export async function openAuthority(facts: {
  readonly issuer: string;
  readonly audience: string;
  readonly resourceMetadata: string;
}): Promise<Authority> {
  const { exportJWK, generateKeyPair, jwtVerify, SignJWT } = await import('jose');
  const own = await generateKeyPair('ES256');
  const foreign = await generateKeyPair('ES256');
  const challenge = (extra: string): string => `Bearer ${extra}resource_metadata="${facts.resourceMetadata}"`;
  return {
    jwks: { keys: [{ ...(await exportJWK(own.publicKey)), alg: 'ES256', use: 'sig', kid: 'sandbox' }] },
    mint(wish = {}) {
      const scopes = wish.scopes ?? Object.values(SCOPES);
      const token = new SignJWT({ scope: scopes.join(' ') })
        .setProtectedHeader({ alg: 'ES256', kid: 'sandbox', typ: 'at+jwt' })
        .setIssuer(wish.issuer ?? facts.issuer)
        .setAudience(wish.audience ?? facts.audience)
        .setSubject(wish.subject ?? SUBJECT)
        .setIssuedAt();
      const lifetime = wish.expiresIn === undefined ? 900 : wish.expiresIn;
      if (lifetime !== null) token.setExpirationTime(Math.floor(Date.now() / 1000) + lifetime);
      return token.sign(wish.foreignKey === true ? foreign.privateKey : own.privateKey);
    },
    async authenticate(header) {
      if (header === undefined) return { ok: false, status: 401, challenge: challenge('') };
      const invalid = { ok: false, status: 401, challenge: challenge('error="invalid_token", ') } as const;
      const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header)?.[1];
      if (token === undefined) return invalid;
      try {
        const { payload } = await jwtVerify(token, own.publicKey, {
          issuer: facts.issuer,
          audience: facts.audience,
          algorithms: ['ES256'],
          requiredClaims: ['sub'],
        });
        const scopes = typeof payload['scope'] === 'string' ? payload['scope'].split(' ') : [];
        if (!scopes.includes(SCOPES.READ)) {
          return {
            ok: false,
            status: 403,
            challenge: challenge(`error="insufficient_scope", scope="${SCOPES.READ}", `),
          };
        }
        const principal = payload.sub ?? '';
        return {
          ok: true,
          caller: {
            principal,
            kind: 'user',
            authProfile: 'remote-authenticated',
            classes: classesOf(scopes),
          },
        };
      } catch {
        return invalid;
      }
    },
  };
}

/** The caller of an unauthenticated sandbox: it holds every class and a personal scope only. */
export const LOCAL_CALLER: Caller = {
  principal: 'local-principal',
  kind: 'local',
  authProfile: 'local-dev',
  classes: ['READ', 'PROPOSE', 'FEEDBACK', 'SNAPSHOT'],
};
