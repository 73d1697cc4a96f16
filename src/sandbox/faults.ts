import type { IncomingMessage, ServerResponse } from 'node:http';

/** A way to go wrong, for tests of whoever calls the sandbox. */
export type Fault =
  /** Accepts the request and never answers. */
  | { readonly kind: 'hang' }
  /** Sends a status, headers and the beginning of a body, then nothing. */
  | { readonly kind: 'stall'; readonly status?: number }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number }
  /** Bytes that are no HTTP. */
  | { readonly kind: 'garbage' }
  /** 200 with a web page. */
  | { readonly kind: 'html' }
  /** Closes the connection without an answer. */
  | { readonly kind: 'drop' }
  /** 200 with a JSON body of about this many bytes. */
  | { readonly kind: 'huge'; readonly bytes: number }
  /** An event stream that stays open and never carries an answer. */
  | { readonly kind: 'silent-stream' };

export const PLACES = ['live', 'ready', 'mcp', 'token', 'resource-metadata', 'server-metadata'] as const;
export type Place = (typeof PLACES)[number];
export type Faults = Readonly<Partial<Record<Place, Fault>>>;

/** Faults that need no more than their name; besides them a number from 400 to 599 is a status. */
export const NAMED_FAULTS = {
  hang: { kind: 'hang' },
  stall: { kind: 'stall' },
  garbage: { kind: 'garbage' },
  html: { kind: 'html' },
  drop: { kind: 'drop' },
  huge: { kind: 'huge', bytes: 8 * 1024 * 1024 },
  redirect: { kind: 'redirect', to: '/elsewhere' },
  'silent-stream': { kind: 'silent-stream' },
} as const satisfies Readonly<Record<string, Fault>>;

/** `PLACE=KIND` as typed; undefined when it is none. */
export function parseFault(text: string): readonly [Place, Fault] | undefined {
  const at = text.indexOf('=');
  const place = PLACES.find((one) => one === text.slice(0, at));
  const kind = text.slice(at + 1);
  if (at < 0 || place === undefined) return undefined;
  if (/^[45]\d\d$/.test(kind)) return [place, { kind: 'status', status: Number(kind) }];
  return isNamed(kind) ? [place, NAMED_FAULTS[kind]] : undefined;
}

const isNamed = (kind: string): kind is keyof typeof NAMED_FAULTS => Object.hasOwn(NAMED_FAULTS, kind);

/** Answers a request with a fault. Streams that stay open end when the sandbox closes. */
export function answerFault(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  switch (fault.kind) {
    case 'hang':
      return;
    case 'stall':
      response.writeHead(fault.status ?? 200, {
        'content-type': 'application/json',
        'content-length': '1000',
      });
      response.write('{"jsonrpc":');
      return;
    case 'status':
      response.writeHead(fault.status, fault.headers);
      response.end(fault.body ?? '');
      return;
    case 'redirect':
      response.writeHead(fault.status ?? 307, { location: fault.to });
      response.end();
      return;
    case 'garbage':
      request.socket.end('SSH-2.0-none\r\n\r\n');
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><title>Sign in</title>');
      return;
    case 'drop':
      request.socket.destroy();
      return;
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ filler: 'x'.repeat(fault.bytes) }));
      return;
    case 'silent-stream':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': still here\n\n');
      return;
  }
}
