import net from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startDeadline } from '../../../src/endpoint/deadline.ts';
import { callHttp } from '../../../src/endpoint/http.ts';

// Servers that speak HTTP wrongly on purpose: every request ends within its limit, and says what came.

const servers: net.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

type Answer = (socket: net.Socket) => void;
const LIMIT = 400;

/** Writes a text again and again until the other side has had enough. */
const flood =
  (first: string, again: string, ms = 5): Answer =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(again), ms);
    socket.on('close', () => clearInterval(timer));
  };
const say =
  (text: string): Answer =>
  (socket) =>
    void socket.end(text);

async function ask(answer: Answer) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = new URL(`http://127.0.0.1:${port}/`);
  const ended = callHttp({ method: 'GET', url, deadline: startDeadline(LIMIT), network: { env: {} } });
  const late = new Promise<'never'>((resolve) => setTimeout(resolve, LIMIT * 5, 'never').unref());
  const result = await Promise.race([ended, late]);
  if (result === 'never') return 'never';
  return result.ok ? `${result.answer.status} ${result.answer.body.length}` : result.failure.code;
}

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('an answer of', () => {
  test.each<[string, Answer, string]>([
    [
      'another protocol',
      (socket) => void socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      'endpoint/not-http',
    ],
    ['101 and the end', say('HTTP/1.1 101 Switching\r\n\r\n'), 'endpoint/not-http'],
    ['no line', say('\u001b]0;x\u0007 NOT HTTP\r\n\r\n'), 'endpoint/not-http'],
    ['a negative length', say('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'), 'endpoint/not-http'],
    ['headers without an end', flood('HTTP/1.1 200 OK\r\nX: ', 'a'.repeat(4000)), 'endpoint/too-large'],
    ['headers, a character at a time', flood('HTTP/1.1 200 OK\r\nX: ', 'a', 50), 'endpoint/timeout'],
    ['hints without an end', flood('', 'HTTP/1.1 103 Hints\r\n\r\n'.repeat(100)), 'endpoint/timeout'],
    ['100 without an end', flood('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)), 'endpoint/timeout'],
    ['a body, a character at a time', flood(CHUNKED, '1\r\n{\r\n', 50), 'endpoint/timeout'],
    ['trailers without an end', flood(`${CHUNKED}0\r\n`, 'X: y\r\n'.repeat(500)), 'endpoint/too-large'],
    ['a body without an end', flood('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(60_000)), 'endpoint/too-large'],
    [
      'a packed body, which is not unpacked',
      say('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\u001f~xx'),
      '200 4',
    ],
    ['nothing', (socket) => void socket.end(), 'endpoint/unreachable'],
    ['a broken connection', (socket) => void socket.resetAndDestroy(), 'endpoint/unreachable'],
    [
      'half a body and a broken connection',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{');
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      'endpoint/unreachable',
    ],
    ['a body that ends with the connection', say('HTTP/1.1 200 OK\r\n\r\nabc'), '200 3'],
    ['a file', say('HTTP/1.1 302 F\r\nLocation: file:///etc/passwd\r\n\r\n'), 'endpoint/redirect'],
    ['a script', say('HTTP/1.1 301 M\r\nLocation: javascript:alert(1)\r\n\r\n'), 'endpoint/redirect'],
  ])('%s ends the request', async (_, answer, what) => {
    expect(await ask(answer)).toBe(what);
  });
});
