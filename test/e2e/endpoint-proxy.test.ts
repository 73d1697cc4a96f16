import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { check, closedPort, initializeResult, listen, sandbox, serve } from './endpoint-servers.ts';

const DEAD = { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' };

describe('proxies', () => {
  test('a loopback endpoint never goes through one, and the danger for the tool is noted (J09)', async () => {
    const { mcpUrl } = await sandbox();
    const report = await check(mcpUrl, { env: DEAD });
    expect(report).toMatchObject({ status: 'pass' });
    expect(report.notes.map(({ code }) => code)).toEqual(['endpoint/loopback-proxied']);
    expect((await check(mcpUrl, { env: { ...DEAD, NO_PROXY: 'localhost,127.0.0.1' } })).notes).toEqual([]);
  });

  test('an http endpoint elsewhere is asked through HTTP_PROXY, without being looked up here', async () => {
    const asked: string[] = [];
    const proxy = await serve(async (request, response) => {
      asked.push(
        `${request.method} ${request.url} ${request.headers.host} ${request.headers['proxy-authorization']}`,
      );
      let text = '';
      for await (const chunk of request) text += chunk;
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(initializeResult(JSON.parse(text).id)));
    });
    const url = 'http://intranet.invalid/mcp?team=a';
    const env = { HTTP_PROXY: proxy.replace('http://', 'http://bob:pw%21@') };
    const report = await check(url, { env, anonymousRemote: 'accept' });
    expect(report).toMatchObject({ status: 'pass', profile: 'anonymous' });
    expect(asked).toEqual([
      `POST ${url} intranet.invalid Basic ${Buffer.from('bob:pw!').toString('base64')}`,
    ]);
    expect(JSON.stringify(report)).not.toMatch(/bob|pw!/);
  });

  test('a remote endpoint that lets anybody in fails closed', async () => {
    const proxy = await serve(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(initializeResult(JSON.parse(text).id)));
    });
    expect(await check('http://intranet.invalid/mcp', { env: { HTTP_PROXY: proxy } })).toMatchObject({
      status: 'fail',
      code: 'endpoint/unauthenticated-remote',
      profile: 'anonymous',
    });
  });

  test('https goes through a tunnel; what the tunnel leads to is still checked as TLS', async () => {
    const origin = new URL(await serve((_request, response) => response.end()));
    const targets: string[] = [];
    const server = createServer();
    server.on('connect', (request, socket) => {
      targets.push(request.url ?? '');
      const upstream = connect(Number(origin.port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    const proxy = await listen(server);
    const report = await check('https://intranet.invalid:8443/mcp', { env: { HTTPS_PROXY: proxy } });
    expect(targets).toEqual(['intranet.invalid:8443']);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/tls' });
  });

  test.each([
    ['refuses the tunnel', 403],
    ['wants credentials', 407],
  ])('a proxy that %s', async (_name, status) => {
    const server = createServer();
    server.on('connect', (_request, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    const proxy = await listen(server);
    const report = await check('https://intranet.invalid/mcp', { env: { HTTPS_PROXY: proxy } });
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/proxy' });
    expect(report.message).toContain(String(status));
  });

  test('a dead or silent proxy, and a variable that is no URL', async () => {
    const port = await closedPort();
    const url = 'https://intranet.invalid/mcp';
    expect(await check(url, { env: { https_proxy: `127.0.0.1:${port}` } })).toMatchObject({
      code: 'endpoint/proxy',
    });
    expect(await check(url, { env: { HTTPS_PROXY: 'socks5://127.0.0.1:1' } })).toMatchObject({
      code: 'endpoint/proxy',
    });
    const server = createServer();
    server.on('connect', () => undefined);
    const report = await check(url, { env: { HTTPS_PROXY: await listen(server) }, timeoutMs: 400 });
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/timeout' });
    expect(report.took).toBeLessThan(1400);
  });

  test('NO_PROXY by name, parent domain, port and star', async () => {
    for (const no of ['*', 'intranet.invalid', '.invalid', 'x, intranet.invalid:443']) {
      const report = await check('https://intranet.invalid/mcp', { env: { ...DEAD, NO_PROXY: no } });
      expect(report, no).toMatchObject({ code: 'endpoint/dns' });
    }
    for (const no of ['tranet.invalid', 'intranet.invalid:8443', '']) {
      const report = await check('https://intranet.invalid/mcp', { env: { ...DEAD, NO_PROXY: no } });
      expect(report, no).toMatchObject({ code: 'endpoint/proxy' });
    }
  });

  test('a metadata address is refused through a proxy too', async () => {
    expect(await check('http://169.254.169.254/mcp', { env: DEAD })).toMatchObject({
      code: 'endpoint/address-refused',
    });
  });
});
