import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { rootCertificates, connect as tlsConnect } from 'node:tls';
import { isAddress } from './address.ts';
import type { Deadline } from './deadline.ts';
import { showText } from './display.ts';
import { type Failure, systemCode } from './failure.ts';
import type { Env } from './proxy.ts';
import type { Resolved } from './resolve.ts';

/** What every request of one run shares. */
export interface Network {
  /** For the proxy variables only. */
  readonly env: Env;
  /** Further trusted roots, PEM; NODE_EXTRA_CA_CERTS works without it. */
  readonly ca?: readonly string[];
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadline: Deadline;
  readonly network: Network;
  /** Whether the body of an answer with this status is read; default: every one. */
  readonly wantsBody?: (status: number) => boolean;
  /** Sees each piece of the body; `true` ends the reading (an event stream that stays open). */
  readonly onText?: (text: string, headers: IncomingMessage['headers']) => boolean;
}

const DEFAULT_PORT = { 'http:': '80', 'https:': '443' } as const;
/** The port of a URL, as text. */
export const portOf = (url: URL): string => url.port || DEFAULT_PORT[url.protocol as 'http:' | 'https:'];

/** Hands out the addresses that were checked, so that no second lookup can differ. */
const pinned =
  (addresses: readonly Resolved[]): NonNullable<RequestOptions['lookup']> =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };

const tlsOptions = (url: URL, network: Network) => ({
  ...(isAddress(url.hostname) ? {} : { servername: url.hostname }),
  ...(network.ca === undefined ? {} : { ca: [...rootCertificates, ...network.ca] }),
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function proxyHeaders(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const credentials = `${decoded(proxy.username)}:${decoded(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

const proxyFailure = (proxy: URL, why: string): Failure => ({
  code: 'endpoint/proxy',
  message: `The proxy ${showText(proxy.host)} ${why}.`,
});

/** A request that is not sent yet, or why there is none. */
export type Opened = { readonly request: ClientRequest } | { readonly failure: Failure };

/** Asks the proxy for a tunnel (CONNECT) and prepares the request inside it. */
function openTunnel(call: HttpCall, proxy: URL, options: RequestOptions): Promise<Opened> {
  const target = `${call.url.hostname}:${portOf(call.url)}`;
  return new Promise((resolve) => {
    const connect = httpRequest({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || '80',
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyHeaders(proxy) },
      agent: false,
      signal: call.deadline.signal,
    });
    connect.once('connect', (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        resolve({ failure: proxyFailure(proxy, `refused the tunnel (${response.statusCode})`) });
        return;
      }
      const host = call.url.hostname.replace(/^\[|\]$/g, '');
      const secure = tlsConnect({ socket, host, ...tlsOptions(call.url, call.network) });
      // Node uses createConnection only when no agent is named, not even `false`.
      const { agent: _none, ...rest } = options;
      resolve({ request: httpsRequest({ ...rest, createConnection: () => secure }) });
    });
    connect.once('response', (response) => {
      response.destroy();
      resolve({ failure: proxyFailure(proxy, `refused the tunnel (${response.statusCode})`) });
    });
    connect.once('error', (error) => {
      resolve({ failure: proxyFailure(proxy, `cannot be reached (${systemCode(error) || 'ended'})`) });
    });
    connect.end();
  });
}

/** Prepares a request: direct to checked addresses, or through a proxy. Throws for a header that HTTP does not allow. */
export async function openRequest(
  call: HttpCall,
  addresses: readonly Resolved[],
  proxy: URL | undefined,
): Promise<Opened> {
  const { url } = call;
  const body = call.body === undefined ? undefined : Buffer.from(call.body);
  const options: RequestOptions = {
    method: call.method,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      'accept-encoding': 'identity',
      'user-agent': 'tenon',
      ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      ...call.headers,
    },
    agent: false,
    signal: call.deadline.signal,
  };
  if (proxy !== undefined && url.protocol === 'https:') return openTunnel(call, proxy, options);
  if (proxy !== undefined) {
    return {
      request: httpRequest({
        ...options,
        host: proxy.hostname.replace(/^\[|\]$/g, ''),
        port: proxy.port || '80',
        path: `${url.origin}${url.pathname}${url.search}`,
        headers: { ...options.headers, ...proxyHeaders(proxy) },
      }),
    };
  }
  const direct = { ...options, lookup: pinned(addresses) };
  return {
    request:
      url.protocol === 'https:'
        ? httpsRequest({ ...direct, ...tlsOptions(url, call.network) })
        : httpRequest(direct),
  };
}
