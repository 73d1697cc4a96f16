import type { ErrorCode } from '../errors/error.ts';
import { isLoopback, refusedAddress } from './address.ts';
import { hasUnsafeCharacters, showText } from './display.ts';

const REDACTED = '[REDACTED]';
const LONGEST = 2048;

export interface UrlRules {
  /** What the path must end in, trailing slashes aside, e.g. `/mcp` (V8). */
  readonly pathEndsWith?: string;
  /** Query and fragment allowed. */
  readonly allowQuery: boolean;
  /** http to other hosts than loopback allowed. */
  readonly allowInsecure: boolean;
}

export type UrlCheck =
  | {
      readonly ok: true;
      readonly url: URL /** Exactly what was given; this is what gets written. */;
      readonly text: string;
    }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

const refuse = (code: ErrorCode, message: string): UrlCheck => ({ ok: false, code, message });

/** Scheme, authority and rest of an absolute URL's text; undefined when the text is none. */
function split(text: string): { scheme: string; authority: string; rest: string } | undefined {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)(.*)$/s.exec(text);
  if (match === null) return undefined;
  return { scheme: (match[1] ?? '').toLowerCase(), authority: match[2] ?? '', rest: match[3] ?? '' };
}

const withoutPort = (authority: string): string => authority.replace(/:\d*$/, '');

/**
 * Why the text's host is not what programs would connect to, or undefined. Parsers rewrite hosts (`127.1`, `%6c…`,
 * full-width letters, unicode names); two programs that do it differently would call different machines.
 */
function hostProblem(authority: string, url: URL): string | undefined {
  const written = withoutPort(authority).toLowerCase();
  if (/[^\x21-\x7e]/.test(written)) {
    return `The host name has characters outside ASCII; write it as ${url.hostname}.`;
  }
  if (!written.startsWith('[') && written !== url.hostname) {
    return `The host is written ${showText(written)} and means ${url.hostname}; write that.`;
  }
  return undefined;
}

/**
 * Checks the URL of an endpoint (V7, V8, E-01; contract, section 8). The text is never normalised: on success `text` is
 * `value` itself. On failure the message says what is wrong with it and shows no userinfo or query value.
 */
export function checkUrl(value: string, rules: UrlRules): UrlCheck {
  const shown = displayUrl(value);
  if (value === '') return refuse('endpoint/url-invalid', 'The URL is empty.');
  if (value.length > LONGEST)
    return refuse('endpoint/url-invalid', `The URL is longer than ${LONGEST} characters.`);
  if (hasUnsafeCharacters(value) || /[\s\\]/.test(value)) {
    return refuse(
      'endpoint/url-characters',
      `${shown} has a control character, white space or backslash in it.`,
    );
  }
  const parts = split(value);
  if (parts === undefined) {
    return refuse(
      'endpoint/url-invalid',
      `${shown} is no absolute URL; it must begin with https:// or http://.`,
    );
  }
  if (parts.scheme !== 'https' && parts.scheme !== 'http') {
    return refuse(
      'endpoint/url-scheme',
      `${shown} uses ${parts.scheme}:; only https and http can be called.`,
    );
  }
  if (parts.authority.includes('@')) {
    return refuse(
      'endpoint/url-userinfo',
      `${shown} carries a user name or password; a URL must not hold credentials.`,
    );
  }
  if (!URL.canParse(value) || parts.authority === '') {
    return refuse('endpoint/url-invalid', `${shown} cannot be read as a URL.`);
  }
  const url = new URL(value);
  if (url.port === '0')
    return refuse('endpoint/url-invalid', `${shown} names port 0, which nothing listens on.`);
  const host = hostProblem(parts.authority, url);
  if (host !== undefined) return refuse('endpoint/url-characters', host);
  const refused = refusedAddress(url.hostname);
  if (refused !== undefined) {
    return refuse('endpoint/address-refused', `${shown} names ${refused}, which is never called.`);
  }
  if (parts.scheme === 'http' && !rules.allowInsecure && !isLoopback(url.hostname)) {
    return refuse('endpoint/url-insecure', `${shown} uses http to another machine; https is required there.`);
  }
  if (!rules.allowQuery && /[?#]/.test(parts.rest)) {
    return refuse(
      'endpoint/url-query',
      `${shown} has a query or fragment, which this endpoint does not take.`,
    );
  }
  if (rules.pathEndsWith !== undefined && !url.pathname.replace(/\/+$/, '').endsWith(rules.pathEndsWith)) {
    return refuse(
      'endpoint/url-path',
      `The path of ${shown} does not end in ${rules.pathEndsWith}; it is never added.`,
    );
  }
  return { ok: true, url, text: value };
}

/** `localhost`, `127.0.0.1` and `[::1]` are one host when endpoints are compared (C03). */
const comparableHost = (host: string): string =>
  host === 'localhost' || host === '127.0.0.1' || host === '[::1]' ? 'loopback' : host;

function comparable(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.protocol}//${comparableHost(url.hostname)}:${port}${path}${url.search}`;
}

/**
 * Whether two URLs name the same endpoint: host spelling of loopback, default port, trailing slash and fragment aside.
 * For comparison only; nothing derived from it is ever written (C03). Texts that are no http URL equal only themselves.
 */
export const sameEndpoint = (a: string, b: string): boolean => a === b || endpointKey(a) === endpointKey(b);

/** A text that endpoints which are the same have in common; see {@link sameEndpoint}. */
export function endpointKey(text: string): string {
  let key = keys.get(text);
  if (key === undefined) {
    const url = comparable(text);
    key = url === undefined ? `text ${text}` : `url ${url}`;
    if (keys.size >= KEPT_KEYS) keys.clear();
    keys.set(text, key);
  }
  return key;
}

/** Reading a URL takes microseconds, and the same few are compared for every coding tool and root. */
const keys = new Map<string, string>();
const KEPT_KEYS = 1000;

const maskQuery = (query: string): string =>
  query
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      if (pair === '') return '';
      return at < 0 ? REDACTED : `${pair.slice(0, at)}=${REDACTED}`;
    })
    .join('&');

/**
 * A URL as it may be shown: userinfo removed, query values and fragment `[REDACTED]`, control characters escaped, at
 * most 2048 characters. Takes any text; where it is no URL, everything before the last `@` is masked.
 */
export function displayUrl(text: string): string {
  const parts = split(text);
  if (parts === undefined) {
    const bare = text.includes('@') ? `${REDACTED}@${text.slice(text.lastIndexOf('@') + 1)}` : text;
    const query = bare.indexOf('?');
    return showText(query < 0 ? bare : `${bare.slice(0, query)}?${REDACTED}`, LONGEST);
  }
  let { authority, rest } = parts;
  if (authority.includes('@')) authority = authority.slice(authority.lastIndexOf('@') + 1);
  else if (!URL.canParse(text) && rest.includes('@')) {
    // A password with `/` in it: what looks like a path is still the userinfo.
    authority = '';
    rest = `${REDACTED}@${rest.slice(rest.lastIndexOf('@') + 1)}`;
  }
  const hash = rest.indexOf('#');
  const fragment = hash >= 0 && hash < rest.length - 1 ? `#${REDACTED}` : hash >= 0 ? '#' : '';
  const beforeHash = hash >= 0 ? rest.slice(0, hash) : rest;
  const mark = beforeHash.indexOf('?');
  const shown =
    mark < 0 ? beforeHash : `${beforeHash.slice(0, mark)}?${maskQuery(beforeHash.slice(mark + 1))}`;
  return showText(`${parts.scheme}://${authority}${shown}${fragment}`, LONGEST);
}
