import type { ErrorCode } from '../errors/error.ts';
import { noteOpenLimit } from '../lib/open-files.ts';
import { showText } from './display.ts';

/** Why no usable answer came; one code each, so that a script can tell them apart (E-03). */
export interface Failure {
  readonly code: ErrorCode;
  /** One sentence, safe to show. */
  readonly message: string;
  readonly httpStatus?: number;
}

const SELF_SIGNED = new Set(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN']);
const UNKNOWN_ISSUER = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
]);
const CA_HINT = 'name its CA in NODE_EXTRA_CA_CERTS';

/** What is wrong with a server's certificate, by Node's error code (J09); undefined for another kind of error. */
function tlsProblem(code: string): string | undefined {
  if (SELF_SIGNED.has(code)) return `its certificate is self-signed; ${CA_HINT}`;
  if (UNKNOWN_ISSUER.has(code)) return `its certificate comes from an unknown issuer; ${CA_HINT}`;
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet (check the clock)';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another host name';
  if (code === 'CERT_REVOKED') return 'its certificate is revoked';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'it does not speak TLS on this port';
  return code.startsWith('CERT_') || code.startsWith('ERR_TLS_') ? `TLS failed (${code})` : undefined;
}

/** Node's code of a thrown system error, the first one of an `AggregateError`; `''` when there is none. */
export function systemCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return systemCode(error.errors[0]);
  return '';
}

const DNS = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_NODATA',
  'EAI_NONAME',
  'ENODATA',
  'EAI_FAIL',
  'ESERVFAIL',
]);

/** Turns an error of a request to `subject` (a shown URL) into its failure. */
export function failureOf(error: unknown, subject: string, host: string): Failure {
  noteOpenLimit(error);
  const code = systemCode(error);
  if (DNS.has(code)) {
    const why = code === 'EAI_AGAIN' ? 'the name service did not answer' : 'the name is unknown';
    return {
      code: 'endpoint/dns',
      message: `The host ${showText(host)} cannot be looked up: ${why} (${code}).`,
    };
  }
  if (code === 'ECONNREFUSED') {
    return { code: 'endpoint/refused', message: `${subject} refused the connection: nothing listens there.` };
  }
  const tls = tlsProblem(code);
  if (tls !== undefined) return { code: 'endpoint/tls', message: `${subject} was not trusted: ${tls}.` };
  if (code === 'ETIMEDOUT') {
    return { code: 'endpoint/timeout', message: `${subject} did not accept a connection in time.` };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { code: 'endpoint/too-large', message: `${subject} sent more headers than are read.` };
  }
  if (code.startsWith('HPE_')) {
    return { code: 'endpoint/not-http', message: `${subject} answered, but not with HTTP (${code}).` };
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return {
      code: 'endpoint/unreachable',
      message: `${subject} closed the connection without a full answer.`,
    };
  }
  return {
    code: 'endpoint/unreachable',
    message: `${subject} cannot be reached (${code || 'unknown error'}).`,
  };
}

/** The failure that an HTTP status alone means, or undefined: 404, 421 and 5xx (V10, V11, J03). */
export function failureOfStatus(status: number, subject: string, url: URL): Failure | undefined {
  const base = { httpStatus: status };
  if (status === 404) {
    return {
      ...base,
      code: 'endpoint/not-found',
      message: `${subject} answers 404: there is nothing at this path.`,
    };
  }
  if (status === 421) {
    const other = url.hostname === 'localhost' ? ' or use 127.0.0.1' : '';
    return {
      ...base,
      code: 'endpoint/host-refused',
      message: `The server refuses the host name ${url.host} (421): allow it on the server${other}.`,
    };
  }
  if (status >= 500) {
    return {
      ...base,
      code: 'endpoint/server-error',
      message: `${subject} answers ${status}: the server failed.`,
    };
  }
  return undefined;
}
