import { type Deadline, startDeadline } from './deadline.ts';
import type { Failure } from './failure.ts';
import { callHttp, type HttpAnswer } from './http.ts';
import type { Network } from './http-open.ts';
import { rpcCollector } from './rpc.ts';
import { displayUrl } from './url.ts';

/** A `fetch` for the SDK's transport that goes through `callHttp`, and what it saw. */
export interface GuardedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Requests that really went out. */
  requests(): number;
  lastFailure(): Failure | undefined;
  /** The last answer of 400 or above. */
  lastRefusal(): HttpAnswer | undefined;
}

const PASSED_ON = ['content-type', 'mcp-session-id', 'mcp-protocol-version', 'www-authenticate'];
/** Status codes that a Response must not carry a body with (Fetch standard). */
const NO_BODY = new Set([101, 204, 205, 304]);

const idOf = (body: string): string | number | undefined => {
  try {
    const { id } = JSON.parse(body) as { id?: unknown };
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Same rules as every other request: checked addresses, no redirect, bounded, one deadline. The stream that the SDK opens
 * by GET is answered with 405 here, so that a check makes a fixed number of requests and leaves nothing open. At most
 * `limit` requests go out.
 */
export function guardedFetch(options: {
  readonly deadline: Deadline;
  readonly network: Network;
  readonly limit: number;
}): GuardedFetch {
  let requests = 0;
  let failure: Failure | undefined;
  let refusal: HttpAnswer | undefined;
  return {
    requests: () => requests,
    lastFailure: () => failure,
    lastRefusal: () => refusal,
    async fetch(url, init) {
      const method = init?.method ?? 'GET';
      if (method !== 'POST' && method !== 'DELETE') return new Response(null, { status: 405 });
      if (requests >= options.limit) throw new Error('request limit reached');
      requests += 1;
      const body = typeof init?.body === 'string' ? init.body : undefined;
      const id = body === undefined ? undefined : idOf(body);
      const collector = id === undefined ? undefined : rpcCollector(id);
      const target = new URL(url);
      // Closing a session is a courtesy; it must not use up the time of the check.
      const deadline =
        method === 'DELETE' ? startDeadline(Math.min(1000, options.deadline.remaining())) : options.deadline;
      const result = await callHttp({
        method,
        url: target,
        headers: Object.fromEntries(new Headers(init?.headers).entries()),
        ...(body === undefined ? {} : { body }),
        deadline,
        network: options.network,
        wantsBody: (status) => status < 300 && id !== undefined,
        onText: (text, headers) => collector?.push(text, headers['content-type']) ?? false,
      });
      if (method === 'DELETE') deadline.end();
      const fail = (reason: Failure): never => {
        if (method === 'POST') failure = reason;
        throw new Error(reason.code);
      };
      if (!result.ok) return fail(result.failure);
      const { answer } = result;
      if (answer.status >= 400 && method === 'POST') refusal = answer;
      if (
        answer.status < 300 &&
        collector?.finish(answer.body, answer.headers['content-type']) === undefined &&
        id !== undefined
      ) {
        const message = `${displayUrl(target.href)} answers ${answer.status}, but not with a JSON-RPC response.`;
        return fail({ code: 'endpoint/not-mcp', message, httpStatus: answer.status });
      }
      const headers = PASSED_ON.flatMap((name): [string, string][] => {
        const value = answer.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      });
      return new Response(NO_BODY.has(answer.status) ? null : answer.body, {
        status: answer.status,
        headers,
      });
    },
  };
}
