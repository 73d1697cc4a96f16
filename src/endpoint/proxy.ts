import { isLoopback } from './address.ts';

export type Env = Readonly<Record<string, string | undefined>>;

const variable = (env: Env, name: string): string | undefined => {
  const value = env[name.toLowerCase()] || env[name];
  return value === undefined || value === '' ? undefined : value;
};

/** True when NO_PROXY names the host: `*`, a name or its parent domain, an address, each with an optional port. */
function isExcluded(url: URL, env: Env): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  for (const entry of (variable(env, 'NO_PROXY') ?? '').toLowerCase().split(/[\s,]+/)) {
    if (entry === '') continue;
    if (entry === '*') return true;
    const match = /^(\[[^\]]+\]|[^:]+|[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:]*)(?::(\d+))?$/.exec(entry);
    if (match === null || (match[2] !== undefined && match[2] !== port)) continue;
    const name = (match[1] ?? '').replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
    if (host === name || host.endsWith(`.${name}`)) return true;
  }
  return false;
}

/** The proxy variable that applies to URLs of this scheme, whatever NO_PROXY says. */
const configured = (url: URL, env: Env): string | undefined =>
  variable(env, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');

/**
 * The proxy a request goes through (HTTPS_PROXY, HTTP_PROXY, NO_PROXY; lower case wins), undefined for none. A loopback
 * URL never goes through one (J09). `'invalid'` when the variable holds no http URL: going direct would be a guess.
 */
export function proxyFor(url: URL, env: Env): URL | 'invalid' | undefined {
  if (isLoopback(url.hostname) || isExcluded(url, env)) return undefined;
  const value = configured(url, env);
  if (value === undefined) return undefined;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) return 'invalid';
  const proxy = new URL(text);
  return proxy.protocol === 'http:' ? proxy : 'invalid';
}

/**
 * True when a coding tool may send this loopback URL through a proxy although tenon does not: a proxy is set and
 * NO_PROXY does not name the host (J09).
 */
export const loopbackMayBeProxied = (url: URL, env: Env): boolean =>
  isLoopback(url.hostname) && configured(url, env) !== undefined && !isExcluded(url, env);
