import type { ErrorCode } from '../errors/error.ts';
import type { Deadline } from './deadline.ts';
import { failureOfStatus } from './failure.ts';
import { callHttp } from './http.ts';
import type { Network } from './http-open.ts';
import { displayUrl } from './url.ts';

export interface HealthReport {
  readonly status: 'pass' | 'fail';
  readonly code?: ErrorCode;
  readonly message: string;
  readonly ms: number;
  readonly httpStatus?: number;
}

/** The liveness and readiness URLs below a REST base (V9); trailing slashes of the base do not double (V7). */
export function healthUrls(apiUrl: string): readonly [live: string, ready: string] {
  const base = apiUrl.replace(/\/+$/, '');
  return [`${base}/health/live`, `${base}/health/ready`];
}

/**
 * `GET` of one health URL, without credentials (V9, E-02). Only a 2xx answer passes, and an HTML page never does: that
 * is a login page or a web application's fallback. Never throws for what the server does.
 */
export async function checkHealth(
  url: URL,
  options: { readonly deadline: Deadline; readonly network: Network },
): Promise<HealthReport> {
  const shown = displayUrl(url.href);
  const result = await callHttp({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    wantsBody: (status) => status < 300,
    ...options,
  });
  if (!result.ok) {
    const { code, message, httpStatus } = result.failure;
    return {
      status: 'fail',
      code,
      message,
      ms: result.ms,
      ...(httpStatus === undefined ? {} : { httpStatus }),
    };
  }
  const { answer } = result;
  const facts = { ms: answer.ms, httpStatus: answer.status };
  const failure = failureOfStatus(answer.status, shown, url);
  if (failure !== undefined) return { status: 'fail', ...failure, ...facts };
  if (answer.status === 401 || answer.status === 403) {
    const message = `${shown} answers ${answer.status}: its health must be readable without credentials.`;
    return { status: 'fail', code: 'endpoint/health-refused', message, ...facts };
  }
  if (answer.status >= 300 || answer.status < 200) {
    return {
      status: 'fail',
      code: 'endpoint/not-health',
      message: `${shown} answers ${answer.status}.`,
      ...facts,
    };
  }
  if (
    /^text\/html\b/i.test(answer.headers['content-type'] ?? '') ||
    /^\s*<(!doctype|html)/i.test(answer.body)
  ) {
    const message = `${shown} answers ${answer.status} with a web page, not with its health.`;
    return { status: 'fail', code: 'endpoint/not-health', message, ...facts };
  }
  return { status: 'pass', message: `ready in ${answer.ms} ms`, ...facts };
}
