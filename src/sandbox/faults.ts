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

export type Place = 'live' | 'ready' | 'mcp' | 'token' | 'resource-metadata' | 'server-metadata';
export type Faults = Readonly<Partial<Record<Place, Fault>>>;

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
