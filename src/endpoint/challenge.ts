/** What a `WWW-Authenticate` header offers (RFC 9110, section 11.6.1; RFC 9728, section 5.1). */
export interface Challenge {
  /** Scheme in lower case, e.g. `bearer`. */
  readonly scheme: string;
  /** Parameters, names in lower case, quotes removed. Foreign text. */
  readonly params: ReadonlyMap<string, string>;
}

const PARAM = /([A-Za-z0-9_.~+/!#$%&'*^`|-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
const SCHEME = /([A-Za-z][A-Za-z0-9_-]*)(?:\s+|$|,)/y;

/** The first challenge of a header that has the given scheme, else the first one; undefined when there is none. */
export function parseChallenge(header: string | undefined, prefer = 'bearer'): Challenge | undefined {
  if (header === undefined || header.length > 8192) return undefined;
  const challenges: { scheme: string; params: Map<string, string> }[] = [];
  let at = 0;
  while (at < header.length) {
    if (/[\s,]/.test(header.charAt(at))) {
      at += 1;
      continue;
    }
    PARAM.lastIndex = at;
    const param = PARAM.exec(header);
    const current = challenges.at(-1);
    if (param !== null && current !== undefined) {
      const value = param[2]?.replaceAll(/\\(.)/g, '$1') ?? param[3] ?? '';
      current.params.set((param[1] ?? '').toLowerCase(), value);
      at = PARAM.lastIndex;
      continue;
    }
    SCHEME.lastIndex = at;
    const scheme = SCHEME.exec(header);
    if (scheme === null) break;
    challenges.push({ scheme: (scheme[1] ?? '').toLowerCase(), params: new Map() });
    at = SCHEME.lastIndex;
  }
  return challenges.find((challenge) => challenge.scheme === prefer) ?? challenges[0];
}
