import net from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { endpointFindings } from '../../src/endpoint/findings.ts';
import { healthUrls } from '../../src/endpoint/health.ts';
import { validateEndpoints } from '../../src/endpoint/validate.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import { check, closedPort, GRACE, initializeResult, sandbox, serve } from './endpoint-servers.ts';

/** Reads a request's JSON body. */
async function bodyOf(request: AsyncIterable<Uint8Array>): Promise<{ id: unknown; method: string }> {
  let text = '';
  for await (const chunk of request) text += Buffer.from(chunk).toString();
  return JSON.parse(text);
}

describe('a healthy endpoint', () => {
  test.each([
    ['JSON', {}],
    ['event streams', { sse: true }],
  ])('passes with %s: health, readiness and initialize', async (_name, options) => {
    const { apiUrl, mcpUrl, seen } = await sandbox(options);
    const reports = await validateEndpoints(
      [
        ...healthUrls(`${apiUrl}/`).map((url) => ({ kind: 'health' as const, url })),
        { kind: 'mcp', url: mcpUrl },
      ],
      { timeoutMs: 3000, env: {}, offline: false },
    );
    expect(reports.map(({ status, httpStatus }) => [status, httpStatus])).toEqual([
      ['pass', 200],
      ['pass', 200],
      ['pass', 200],
    ]);
    expect(reports[2]).toMatchObject({
      profile: 'local-dev',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'vera-sandbox' },
      url: mcpUrl,
      notes: [],
    });
    expect(seen.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /health/live',
      'GET /health/ready',
      'POST /mcp',
    ]);
    expect(seen.every(({ authenticated }) => !authenticated)).toBe(true);
  });

  test('on ::1 passes', async () => {
    const { mcpUrl } = await sandbox({ host: '::1' });
    expect(mcpUrl).toMatch(/^http:\/\/\[::1\]:\d+\/mcp$/);
    expect(await check(mcpUrl)).toMatchObject({ status: 'pass' });
  });

  test('by the name localhost passes, whichever family it listens on', async () => {
    for (const host of ['127.0.0.1', '::1'] as const) {
      const { port } = await sandbox({ host });
      expect(await check(`http://localhost:${port}/mcp`)).toMatchObject({ status: 'pass' });
    }
  });

  test.each([400, 404, 405, 406])('whose GET answers %i passes: only POST is asked', async (status) => {
    const origin = await serve(async (request, response) => {
      if (request.method !== 'POST') return response.writeHead(status).end();
      const { id } = await bodyOf(request);
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(initializeResult(id)));
    });
    expect(await check(`${origin}/mcp`)).toMatchObject({ status: 'pass', serverInfo: { name: 'fixture' } });
  });

  test('sends one initialize of the protocol version 2025-11-25, named tenon, without credentials', async () => {
    const bodies: unknown[] = [];
    const headers: unknown[] = [];
    const origin = await serve(async (request, response) => {
      const body = await bodyOf(request);
      bodies.push(body);
      headers.push(request.headers);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(initializeResult(body.id)));
    });
    await check(`${origin}/mcp`);
    expect(bodies).toEqual([
      expect.objectContaining({
        jsonrpc: '2.0',
        method: 'initialize',
        params: expect.objectContaining({
          protocolVersion: '2025-11-25',
          clientInfo: expect.objectContaining({ name: 'tenon' }),
        }),
      }),
    ]);
    expect(headers[0]).toMatchObject({ accept: 'application/json, text/event-stream' });
    expect(headers[0]).not.toHaveProperty('authorization');
    expect(headers[0]).not.toHaveProperty('cookie');
  });

  test('an answer in a stream that stays open passes at once (J07)', async () => {
    const origin = await serve(async (request, response) => {
      const { id } = await bodyOf(request);
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write('id: 0\r\ndata: \r\n\r\n');
      response.write(`event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\r\n\r\n`);
      const text = JSON.stringify(initializeResult(id));
      response.write(`data: ${text.slice(0, 20)}`);
      setTimeout(() => response.write(`${text.slice(20)}\r\n\r\n`), 20);
    });
    const report = await check(`${origin}/mcp`, { timeoutMs: 20_000 });
    expect(report).toMatchObject({ status: 'pass', protocolVersion: '2025-11-25' });
    expect(report.took).toBeLessThan(15_000);
  });

  test('the session of a stateful server is closed again', async () => {
    const { mcpUrl, seen } = await sandbox({ stateful: true });
    expect(await check(mcpUrl)).toMatchObject({ status: 'pass' });
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
  });

  test('a DELETE that hangs does not turn the verdict', async () => {
    const origin = await serve(async (request, response) => {
      if (request.method === 'DELETE') return;
      const { id } = await bodyOf(request);
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's1' })
        .end(JSON.stringify(initializeResult(id)));
    });
    const report = await check(`${origin}/mcp`, { timeoutMs: 2000 });
    expect(report.status).toBe('pass');
    expect(report.took).toBeLessThan(2000 + GRACE);
  });
});

describe('every fault has its code and ends within the deadline', () => {
  const TIMEOUT = 500;
  /** What answers at all does so in this time, also on a busy machine; only what never ends is worth a short deadline. */
  const deadlineOf = ({ kind }: Fault): number =>
    ['hang', 'stall', 'silent-stream'].includes(kind) ? TIMEOUT : 20_000;
  const faults: [string, Fault, { status: string; code: string; httpStatus?: number }][] = [
    ['hang', { kind: 'hang' }, { status: 'fail', code: 'endpoint/timeout' }],
    ['stalled body', { kind: 'stall' }, { status: 'fail', code: 'endpoint/timeout' }],
    [
      'stalled 404',
      { kind: 'stall', status: 404 },
      { status: 'fail', code: 'endpoint/not-found', httpStatus: 404 },
    ],
    [
      'stalled 403',
      { kind: 'stall', status: 403 },
      { status: 'warn', code: 'endpoint/auth-unknown', httpStatus: 403 },
    ],
    ['silent stream', { kind: 'silent-stream' }, { status: 'fail', code: 'endpoint/timeout' }],
    ['404', { kind: 'status', status: 404 }, { status: 'fail', code: 'endpoint/not-found', httpStatus: 404 }],
    [
      '500',
      { kind: 'status', status: 500 },
      { status: 'fail', code: 'endpoint/server-error', httpStatus: 500 },
    ],
    [
      '503',
      { kind: 'status', status: 503 },
      { status: 'fail', code: 'endpoint/server-error', httpStatus: 503 },
    ],
    [
      '421',
      { kind: 'status', status: 421 },
      { status: 'fail', code: 'endpoint/host-refused', httpStatus: 421 },
    ],
    [
      '405',
      { kind: 'status', status: 405 },
      { status: 'warn', code: 'endpoint/not-proven', httpStatus: 405 },
    ],
    [
      '429',
      { kind: 'status', status: 429 },
      { status: 'warn', code: 'endpoint/not-proven', httpStatus: 429 },
    ],
    [
      '401',
      { kind: 'status', status: 401 },
      { status: 'warn', code: 'endpoint/auth-unknown', httpStatus: 401 },
    ],
    [
      'redirect',
      { kind: 'redirect', to: '/mcp/' },
      { status: 'fail', code: 'endpoint/redirect', httpStatus: 307 },
    ],
    ['garbage', { kind: 'garbage' }, { status: 'fail', code: 'endpoint/not-http' }],
    ['HTML', { kind: 'html' }, { status: 'fail', code: 'endpoint/not-mcp', httpStatus: 200 }],
    ['drop', { kind: 'drop' }, { status: 'fail', code: 'endpoint/unreachable' }],
    ['huge', { kind: 'huge', bytes: 5_000_000 }, { status: 'fail', code: 'endpoint/too-large' }],
    [
      'no content',
      { kind: 'status', status: 204 },
      { status: 'fail', code: 'endpoint/not-mcp', httpStatus: 204 },
    ],
    [
      'JSON of another kind',
      {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"1.0","id":1}',
      },
      { status: 'fail', code: 'endpoint/not-mcp' },
    ],
    [
      'a result for another id',
      {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(initializeResult(99)),
      },
      { status: 'fail', code: 'endpoint/not-mcp' },
    ],
    [
      'a result without version',
      {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"result":{}}',
      },
      { status: 'fail', code: 'endpoint/not-mcp' },
    ],
    [
      'a JSON-RPC error',
      {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32007,"message":"x","data":{"code":"unsupported_version"}}}',
      },
      { status: 'warn', code: 'endpoint/initialize-refused' },
    ],
  ];

  test.each(faults)('MCP: %s', async (_name, fault, expected) => {
    const { mcpUrl } = await sandbox({ faults: { mcp: fault } });
    const report = await check(mcpUrl, { timeoutMs: deadlineOf(fault) });
    expect(report).toMatchObject(expected);
    expect(report.took).toBeLessThan(TIMEOUT + GRACE);
  });

  test.each<[string, Fault, string]>([
    ['hang', { kind: 'hang' }, 'endpoint/timeout'],
    ['stalled body', { kind: 'stall' }, 'endpoint/timeout'],
    ['404', { kind: 'status', status: 404 }, 'endpoint/not-found'],
    ['503', { kind: 'status', status: 503 }, 'endpoint/server-error'],
    ['401', { kind: 'status', status: 401 }, 'endpoint/health-refused'],
    ['400', { kind: 'status', status: 400 }, 'endpoint/not-health'],
    ['redirect', { kind: 'redirect', to: 'https://login.example/' }, 'endpoint/redirect'],
    ['HTML', { kind: 'html' }, 'endpoint/not-health'],
    ['garbage', { kind: 'garbage' }, 'endpoint/not-http'],
    ['huge', { kind: 'huge', bytes: 600_000 }, 'endpoint/too-large'],
  ])('readiness: %s', async (_name, fault, code) => {
    const { apiUrl } = await sandbox({ faults: { ready: fault } });
    const [live, ready] = await Promise.all(
      healthUrls(apiUrl).map((url, index) =>
        check(url, { kind: 'health', timeoutMs: index === 0 ? 20_000 : deadlineOf(fault) }),
      ),
    );
    expect(live).toMatchObject({ status: 'pass' });
    expect(ready).toMatchObject({ status: 'fail', code });
    expect(ready?.took).toBeLessThan(TIMEOUT + GRACE);
  });

  test('several hanging endpoints share one deadline', async () => {
    const { apiUrl, mcpUrl } = await sandbox({
      faults: { live: { kind: 'hang' }, ready: { kind: 'stall' }, mcp: { kind: 'silent-stream' } },
    });
    // Two of them one after the other would take longer than this, and what a busy machine adds.
    const SHARED = 2000;
    const started = performance.now();
    const reports = await validateEndpoints(
      [...healthUrls(apiUrl).map((url) => ({ kind: 'health' as const, url })), { kind: 'mcp', url: mcpUrl }],
      { timeoutMs: SHARED, env: {}, offline: false },
    );
    expect(reports.map(({ code }) => code)).toEqual([
      'endpoint/timeout',
      'endpoint/timeout',
      'endpoint/timeout',
    ]);
    expect(performance.now() - started).toBeLessThan(2 * SHARED);
  });

  test('many small pieces do not starve the deadline', async () => {
    const origin = await serve((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const feed = setInterval(() => {
        for (let index = 0; index < 200; index += 1) response.write('data: x\n');
      }, 5);
      response.on('close', () => clearInterval(feed));
    });
    const report = await check(`${origin}/mcp`, { timeoutMs: TIMEOUT });
    expect(report.code).toMatch(/^endpoint\/(timeout|too-large)$/);
    expect(report.took).toBeLessThan(TIMEOUT + GRACE);
  });
});

describe('connection faults', () => {
  test('nothing listens', async () => {
    const port = await closedPort();
    const report = await check(`http://127.0.0.1:${port}/mcp`);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/refused' });
    expect(report.message).not.toContain('only');
  });

  test.each([
    ['::1', '127.0.0.1'],
    ['127.0.0.1', '[::1]'],
  ])('a server on %s only is named when the URL says %s (J08)', async (host, written) => {
    const origin = new URL(await serve((_request, response) => response.end(), host));
    const report = await check(`http://${written}:${origin.port}/mcp`);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/refused' });
    expect(report.message).toContain(`listens on ${origin.host} only`);
  });

  test('an unknown name', async () => {
    const report = await check('https://no-such-host.invalid/mcp', { timeoutMs: 20_000 });
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/dns' });
    expect(report.took).toBeLessThan(20_000 + GRACE);
  });

  test.each([
    'http://169.254.169.254/latest/mcp',
    'http://[fd00:ec2::254]/mcp',
    'http://[::ffff:a9fe:a9fe]/mcp',
  ])('%s is refused without a connection', async (url) => {
    const connect = vi.spyOn(net.Socket.prototype, 'connect');
    const report = await check(url);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/address-refused' });
    expect(connect).not.toHaveBeenCalled();
  });

  test('a refused Host header is no dead server (J03)', async () => {
    const { port } = await sandbox({ hosts: [] });
    const report = await check(`http://localhost:${port}/mcp`);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/host-refused', httpStatus: 421 });
    expect(report.message).toContain(`localhost:${port}`);
    expect(report.message).toContain('127.0.0.1');
  });

  test('403 with a complaint about the host is the same', async () => {
    const origin = await serve((_request, response) =>
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"Invalid Host: localhost"},"id":null}'),
    );
    expect(await check(`${origin}/mcp`)).toMatchObject({ status: 'fail', code: 'endpoint/host-refused' });
  });
});

describe('who is let in', () => {
  test('401 with a challenge needs a login and names the metadata', async () => {
    const { mcpUrl, apiUrl } = await sandbox({ auth: 'remote-authenticated' });
    expect(await check(mcpUrl)).toMatchObject({
      status: 'warn',
      code: 'endpoint/login-needed',
      httpStatus: 401,
      profile: 'remote-authenticated',
      resourceMetadata: `${apiUrl}/.well-known/oauth-protected-resource/mcp`,
    });
  });

  test('200 is no login, although metadata may be there', async () => {
    const { mcpUrl } = await sandbox();
    const report = await check(mcpUrl);
    expect(report).toMatchObject({ status: 'pass', profile: 'local-dev' });
    expect(report.message).not.toMatch(/needs a login/);
  });

  test('a redirect tells where to and never follows', async () => {
    let hits = 0;
    const target = await serve((_request, response) => {
      hits += 1;
      response.end();
    });
    const { mcpUrl } = await sandbox({
      faults: { mcp: { kind: 'redirect', to: `${target}/mcp/?key=hunter2` } },
    });
    const report = await check(mcpUrl);
    expect(report.message).toContain(`${target}/mcp/?key=[REDACTED]`);
    expect(hits).toBe(0);
  });

  test('hostile names are escaped and bounded', async () => {
    const origin = await serve(async (request, response) => {
      const { id } = await bodyOf(request);
      const result = initializeResult(id);
      result.result.serverInfo = { name: `\u001b[2J\u202e${'x'.repeat(5000)}`, version: '1\n2' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
    });
    const report = await check(`${origin}/mcp`);
    expect(report.serverInfo?.name).toMatch(/^\\e\[2J\\u\{202e\}x+…$/);
    expect(report.serverInfo?.name.length).toBeLessThan(130);
    expect(report.serverInfo?.version).toBe('1\\n2');
  });

  test('an unknown protocol version is a warning', async () => {
    const origin = await serve(async (request, response) => {
      const { id } = await bodyOf(request);
      const result = initializeResult(id);
      result.result.protocolVersion = '2031-01-01';
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
    });
    expect(await check(`${origin}/mcp`)).toMatchObject({ status: 'warn', code: 'endpoint/protocol-version' });
  });
});

describe('validateEndpoints', () => {
  test('a doubled slash of a base with a trailing one does no harm', async () => {
    const { apiUrl, seen } = await sandbox();
    expect(await check(`${apiUrl}//health/live`, { kind: 'health' })).toMatchObject({
      status: 'pass',
      url: `${apiUrl}//health/live`,
    });
    expect(seen.map(({ path }) => path)).toEqual(['/health/live']);
  });

  test('findings: one for what did not pass, one for each note', async () => {
    const { apiUrl, mcpUrl } = await sandbox({
      auth: 'remote-authenticated',
      faults: { ready: { kind: 'html' } },
    });
    const reports = await validateEndpoints(
      [...healthUrls(apiUrl).map((url) => ({ kind: 'health' as const, url })), { kind: 'mcp', url: mcpUrl }],
      { timeoutMs: 2000, env: { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '' }, offline: false },
    );
    const proxied = { severity: 'warning', code: 'endpoint/loopback-proxied' };
    expect(endpointFindings(reports)).toMatchObject([
      { ...proxied, subject: `${apiUrl}/health/live` },
      {
        severity: 'error',
        code: 'endpoint/not-health',
        subject: `${apiUrl}/health/ready`,
        data: { httpStatus: 200 },
      },
      { ...proxied, subject: `${apiUrl}/health/ready` },
      { severity: 'warning', code: 'endpoint/login-needed', subject: mcpUrl },
      { ...proxied, subject: mcpUrl },
    ]);
  });

  test('offline contacts nothing and says skip', async () => {
    const { mcpUrl, seen } = await sandbox();
    const [report] = await validateEndpoints([{ kind: 'mcp', url: mcpUrl }], {
      timeoutMs: 1000,
      env: {},
      offline: true,
    });
    expect(report).toMatchObject({ status: 'skip', code: 'endpoint/not-checked', ms: 0 });
    expect(seen).toEqual([]);
  });

  test('a malformed URL fails, offline too, without its credentials', async () => {
    const [report] = await validateEndpoints([{ kind: 'mcp', url: 'https://alice:hunter2@h.example/mcp' }], {
      timeoutMs: 1000,
      env: {},
      offline: true,
    });
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/url-userinfo' });
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });
});
