import { createParser } from 'eventsource-parser';
import { isObject } from '../lib/json.ts';

/** A JSON-RPC 2.0 response: exactly one of `result` and `error` is there. */
export interface RpcResponse {
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number | undefined; readonly data: unknown };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The response to request `id` in a parsed message; undefined for anything else (another id, a notification). */
export function responseIn(message: unknown, id: string | number): RpcResponse | undefined {
  if (Array.isArray(message)) {
    for (const item of message) {
      const found = isObject(item) ? responseIn(item, id) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return undefined;
  const error = message['error'];
  // A server that could not read the request answers with id null (JSON-RPC 2.0, section 5).
  if (message['id'] !== id && !(message['id'] === null && isObject(error))) return undefined;
  if (isObject(error)) {
    return {
      error: { code: typeof error['code'] === 'number' ? error['code'] : undefined, data: error['data'] },
    };
  }
  const result = message['result'];
  return isObject(result) ? { result } : undefined;
}

/** True for the media type of an event stream. */
export const isEventStream = (contentType: string | undefined): boolean =>
  /^text\/event-stream\s*(;|$)/i.test(contentType ?? '');

/**
 * Collects the response to one request from an answer's text, which is JSON or an event stream (MCP, Streamable HTTP).
 * Feed pieces as they come: `push` says true as soon as the response is in, however long the stream stays open.
 */
export function rpcCollector(id: string | number) {
  let found: RpcResponse | undefined;
  const parser = createParser({
    onEvent: (event) => {
      found ??= responseIn(parse(event.data), id);
    },
  });
  return {
    push(text: string, contentType: string | undefined): boolean {
      if (!isEventStream(contentType)) return false;
      parser.feed(text);
      return found !== undefined;
    },
    /** The response, looked for in `body` when the answer was no event stream. */
    finish(body: string, contentType: string | undefined): RpcResponse | undefined {
      if (isEventStream(contentType)) return found;
      return responseIn(parse(body), id);
    },
  };
}
