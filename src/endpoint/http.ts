import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { noteOutside } from '../lib/outside.ts';
import type { Deadline } from './deadline.ts';
import { type Failure, failureOf } from './failure.ts';
import { type HttpCall, type Opened, openRequest, portOf } from './http-open.ts';
import { proxyFor } from './proxy.ts';
import { resolveHost } from './resolve.ts';
import { displayUrl } from './url.ts';

/** Most bytes of a body that are read: 256 KiB. */
const MAX_BODY = 256 * 1024;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** False when a body other than that of a 2xx answer was cut by the deadline. */
  readonly complete: boolean;
  readonly ms: number;
}

export type HttpResult =
  | { readonly ok: true; readonly answer: HttpAnswer }
  | { readonly ok: false; readonly failure: Failure; readonly ms: number };

function redirectFailure(call: HttpCall, response: IncomingMessage, shown: string): Failure {
  const status = response.statusCode ?? 0;
  const location = response.headers.location;
  const target =
    location !== undefined && URL.canParse(location, call.url.href) ? new URL(location, call.url) : undefined;
  const base = { code: 'endpoint/redirect' as const, httpStatus: status };
  if (target === undefined)
    return { ...base, message: `${shown} redirects (${status}) without saying where to.` };
  const to = displayUrl(target.href);
  if (call.url.protocol === 'https:' && target.protocol === 'http:') {
    return {
      ...base,
      message: `${shown} redirects (${status}) from https to http (${to}); that is not followed.`,
    };
  }
  return { ...base, message: `${shown} redirects (${status}) to ${to}; redirects are not followed.` };
}

/** Reads the answer of a sent request. Resolves exactly once; never rejects. */
function receive(
  call: HttpCall,
  request: ClientRequest,
  shown: string,
  elapsed: () => number,
): Promise<HttpResult> {
  return new Promise((resolve) => {
    let phase = 'did not accept a connection';
    /** Set once an answer has begun whose status alone says what a refusing server means. */
    let settleRefusal: (() => void) | undefined;
    const fail = (failure: Failure): void => {
      resolve({ ok: false, failure, ms: elapsed() });
      request.destroy();
    };
    const timeout = (): Failure => ({
      code: 'endpoint/timeout',
      message: `${shown} ${phase} within ${call.deadline.ms} ms.`,
    });
    request.once('socket', (socket) => {
      const connected = (): void => {
        phase = 'accepted the connection and sent no answer';
      };
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    const broken = (error: unknown): void => {
      if (settleRefusal !== undefined) settleRefusal();
      else fail(call.deadline.signal.aborted ? timeout() : failureOf(error, shown, call.url.hostname));
    };
    request.on('error', broken);
    // Answered 101 although nobody asked for it, a request would end without a word: neither answer nor error.
    const changed: Failure = {
      code: 'endpoint/not-http',
      message: `${shown} answers 101: it changes to another protocol than HTTP.`,
    };
    request.once('upgrade', (_answer, socket) => {
      socket.destroy();
      fail(changed);
    });
    // Whatever else ends it without an answer; one that was given or begun has its own end.
    let hasBegun = false;
    request.once('close', () => {
      if (!hasBegun) broken(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
    request.once('response', (response) => {
      hasBegun = true;
      const status = response.statusCode ?? 0;
      phase = 'began an answer and did not finish it';
      if (status === 101) return fail(changed);
      if (status >= 300 && status < 400) return fail(redirectFailure(call, response, shown));
      const decoder = new TextDecoder();
      const pieces: string[] = [];
      let size = 0;
      const done = (complete: boolean): void => {
        resolve({
          ok: true,
          answer: { status, headers: response.headers, body: pieces.join(''), complete, ms: elapsed() },
        });
        request.destroy();
      };
      if (call.wantsBody?.(status) === false) return done(true);
      if (status >= 400) settleRefusal = () => done(false);
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BODY) {
          return fail({ code: 'endpoint/too-large', message: `${shown} sent more than ${MAX_BODY} bytes.` });
        }
        const text = decoder.decode(chunk, { stream: true });
        pieces.push(text);
        if (call.onText?.(text, response.headers) === true) done(true);
      });
      response.once('end', () => done(true));
      response.once('error', broken);
    });
    request.end(call.body);
  });
}

/** Whether something accepts a connection at this address; nothing is sent. */
function listens(host: string, port: string, deadline: Deadline): Promise<boolean> {
  return new Promise((resolve) => {
    const request = httpRequest({ host, port, agent: false, signal: deadline.signal });
    const finish = (result: boolean): void => {
      resolve(result);
      request.destroy();
    };
    request.on('error', () => finish(false));
    request.once('socket', (socket) => socket.once('connect', () => finish(true)));
  });
}

/** Names the loopback address that the server does listen on, when the URL uses the other one (J08). */
async function refusedHint(call: HttpCall, failure: Failure): Promise<Failure> {
  const other = { '127.0.0.1': '::1', '[::1]': '127.0.0.1' }[call.url.hostname];
  if (failure.code !== 'endpoint/refused' || other === undefined) return failure;
  const port = portOf(call.url);
  if (!(await listens(other, port, call.deadline))) return failure;
  const place = other.includes(':') ? `[${other}]:${port}` : `${other}:${port}`;
  return {
    ...failure,
    message: `${displayUrl(call.url.href)} refused the connection: it listens on ${place} only.`,
  };
}

/**
 * One HTTP request, fail-closed: no redirect followed, every address checked before it is called, at most
 * {@link MAX_BODY} bytes read, ended by the deadline in every phase. Never throws for what the network does.
 */
export async function callHttp(call: HttpCall): Promise<HttpResult> {
  noteOutside();
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  const shown = displayUrl(call.url.href);
  const failed = (failure: Failure): HttpResult => ({ ok: false, failure, ms: elapsed() });
  const late = (what: string): HttpResult =>
    failed({ code: 'endpoint/timeout', message: `${shown}: ${what} within ${call.deadline.ms} ms.` });
  const proxy = proxyFor(call.url, call.network.env);
  if (proxy === 'invalid') {
    return failed({
      code: 'endpoint/proxy',
      message: 'The proxy variable of the environment holds no http:// URL.',
    });
  }
  const addresses = await resolveHost(call.url.hostname, shown, call.deadline.signal);
  if (addresses === undefined) return late('the host name was not looked up');
  if ('code' in addresses) {
    // Behind a proxy the name may be known to the proxy alone; a refused address stays refused.
    if (proxy === undefined || addresses.code !== 'endpoint/dns') return failed(addresses);
  }
  if (call.deadline.signal.aborted) return late('nothing could be sent');
  let opened: Opened;
  try {
    opened = await openRequest(call, 'code' in addresses ? [] : addresses, proxy);
  } catch {
    // Node's message repeats the header's name and, in some versions, its value.
    return failed({
      code: 'endpoint/header-invalid',
      message: `${shown}: a header is not allowed in HTTP; nothing was sent.`,
    });
  }
  if ('failure' in opened)
    return call.deadline.signal.aborted ? late('the proxy did not answer') : failed(opened.failure);
  const result = await receive(call, opened.request, shown, elapsed);
  if (result.ok || proxy !== undefined) return result;
  return { ...result, failure: await refusedHint(call, result.failure) };
}
