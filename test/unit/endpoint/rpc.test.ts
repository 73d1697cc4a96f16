import { describe, expect, test } from 'vitest';
import { isEventStream, responseIn, rpcCollector } from '../../../src/endpoint/rpc.ts';

const STREAM = 'text/event-stream; charset=utf-8';
const message = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: { ok: true } });

describe('rpcCollector', () => {
  test('finds the answer of a stream however it is cut, and says when', () => {
    const text = `: hi\r\n\r\nid: 1\r\ndata: \r\n\r\ndata: ${message(9)}\n\ndata: ${message(1)}\r\n\r\n`;
    for (const size of [1, 2, 7, 1000]) {
      const collector = rpcCollector(1);
      const done = (text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []).map((piece) =>
        collector.push(piece, STREAM),
      );
      expect(done.at(-1), String(size)).toBe(true);
      expect(collector.finish('', STREAM)).toEqual({ result: { ok: true } });
    }
  });

  test('a stream without the answer has none, also when its text is JSON', () => {
    const collector = rpcCollector(1);
    expect(collector.push(`data: ${message(2)}\n\n`, STREAM)).toBe(false);
    expect(collector.finish(message(1), STREAM)).toBeUndefined();
  });

  test('JSON is read at the end, alone or in a batch', () => {
    expect(rpcCollector(1).finish(message(1), 'application/json')).toEqual({ result: { ok: true } });
    expect(rpcCollector(1).finish(`[${message(2)},${message(1)}]`, 'application/json')).toEqual({
      result: { ok: true },
    });
    expect(rpcCollector(1).finish('<html>', 'application/json')).toBeUndefined();
  });
});

describe('responseIn', () => {
  test.each([
    [{ jsonrpc: '2.0', id: 2, result: {} }],
    [{ jsonrpc: '1.0', id: 1, result: {} }],
    [{ id: 1, result: {} }],
    [{ jsonrpc: '2.0', id: '1', result: {} }],
    [{ jsonrpc: '2.0', id: 1, result: 'text' }],
    [{ jsonrpc: '2.0', id: 1 }],
    [{ jsonrpc: '2.0', method: 'x' }],
    [null],
    ['text'],
    [[]],
  ])('%j is no answer to request 1', (value) => {
    expect(responseIn(value, 1)).toBeUndefined();
  });

  test('errors keep their code and data; a null id answers an unreadable request', () => {
    const error = { code: -32002, message: 'secret text', data: { code: 'unauthorized' } };
    expect(responseIn({ jsonrpc: '2.0', id: 1, error }, 1)).toEqual({
      error: { code: -32002, data: { code: 'unauthorized' } },
    });
    expect(responseIn({ jsonrpc: '2.0', id: null, error: {} }, 1)).toEqual({
      error: { code: undefined, data: undefined },
    });
    expect(responseIn({ jsonrpc: '2.0', id: null, result: {} }, 1)).toBeUndefined();
  });
});

test('isEventStream looks at the media type alone', () => {
  expect(['text/event-stream', 'Text/Event-Stream;x=y', 'text/event-stream ; x'].every(isEventStream)).toBe(
    true,
  );
  expect(['text/event-streams', 'application/json', '', undefined].some(isEventStream)).toBe(false);
});
