import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { check, closedPort, GRACE, initializeResult, listen, serve } from './endpoint-servers.ts';

const dir = mkdtempSync(join(tmpdir(), 'tenon-tls-'));
const file = (name: string): string => join(dir, name);
const openssl = (...args: string[]): void => {
  execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
};
const read = (name: string): string => readFileSync(file(name), 'utf8');

/** A certificate for `san`, signed by the test's own CA. */
function issue(name: string, san: string, days: string): { key: string; cert: string } {
  writeFileSync(file(`${name}.ext`), `subjectAltName=${san}\n`);
  openssl(
    'req',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
    '-subj',
    `/CN=${name}`,
  );
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-extfile',
    `${name}.ext`,
    '-days',
    days,
    '-out',
    `${name}.pem`,
  );
  return { key: read(`${name}.key`), cert: read(`${name}.pem`) };
}

beforeAll(() => {
  for (const name of ['ca', 'self']) {
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    );
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

const tlsServer = (pair: { key: string; cert: string }): Promise<string> =>
  listen(
    createServer(pair, async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const { id } = JSON.parse(text);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(initializeResult(id)));
    }),
    '127.0.0.1',
    'https',
  );

describe('TLS faults are named (J09)', () => {
  test('a certificate of a CA that is given passes', async () => {
    const origin = await tlsServer(issue('good', 'IP:127.0.0.1,DNS:localhost', '2'));
    expect(await check(`${origin}/mcp`, { ca: [read('ca.pem')] })).toMatchObject({ status: 'pass' });
    const { port } = new URL(origin);
    expect(await check(`https://localhost:${port}/mcp`, { ca: [read('ca.pem')] })).toMatchObject({
      status: 'pass',
    });
  });

  test('unknown issuer', async () => {
    const origin = await tlsServer(issue('good', 'IP:127.0.0.1', '2'));
    const report = await check(`${origin}/mcp`);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/tls' });
    expect(report.message).toMatch(/unknown issuer.*NODE_EXTRA_CA_CERTS/);
  });

  test('self-signed', async () => {
    const origin = await tlsServer({ key: read('self.key'), cert: read('self.pem') });
    const report = await check(`${origin}/mcp`);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/tls' });
    expect(report.message).toMatch(/self-signed.*NODE_EXTRA_CA_CERTS/);
  });

  test('expired', async () => {
    const origin = await tlsServer(issue('old', 'IP:127.0.0.1', '-1'));
    const report = await check(`${origin}/mcp`, { ca: [read('ca.pem')] });
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/tls' });
    expect(report.message).toContain('expired');
  });

  test('another host name', async () => {
    const origin = await tlsServer(issue('other', 'DNS:other.example', '2'));
    const report = await check(`${origin}/mcp`, { ca: [read('ca.pem')] });
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/tls' });
    expect(report.message).toContain('another host name');
  });

  test('https to a server that speaks http', async () => {
    const origin = await serve((_request, response) => response.end());
    const report = await check(`${origin.replace('http:', 'https:')}/mcp`);
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/tls' });
    expect(report.message).toContain('does not speak TLS');
  });

  test('http to a server that speaks TLS', async () => {
    const origin = await tlsServer(issue('good', 'IP:127.0.0.1', '2'));
    const report = await check(`${origin.replace('https:', 'http:')}/mcp`, { timeoutMs: 1000 });
    expect(report.status).toBe('fail');
  });

  test('a handshake that never ends is a timeout', async () => {
    const silent = createTcpServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const report = await check(`https://127.0.0.1:${port}/mcp`, { timeoutMs: 400 });
    silent.close();
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/timeout' });
    expect(report.took).toBeLessThan(400 + GRACE);
  });

  test('a redirect from https to http is called one', async () => {
    const origin = await listen(
      createServer(issue('good', 'IP:127.0.0.1', '2'), (_request, response) =>
        response.writeHead(307, { location: 'http://other.example/mcp/' }).end(),
      ),
      '127.0.0.1',
      'https',
    );
    const report = await check(`${origin}/mcp`, { ca: [read('ca.pem')] });
    expect(report).toMatchObject({ status: 'fail', code: 'endpoint/redirect' });
    expect(report.message).toContain('from https to http');
  });

  test('the name is checked through a tunnel too', async () => {
    const origin = new URL(await tlsServer(issue('inner', 'DNS:intranet.invalid', '2')));
    const proxy = createHttpServer();
    proxy.on('connect', (_request, socket) => {
      const upstream = connect(Number(origin.port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    const env = { HTTPS_PROXY: await listen(proxy) };
    const options = { env, ca: [read('ca.pem')], anonymousRemote: 'accept' as const };
    expect(await check('https://intranet.invalid/mcp', options)).toMatchObject({ status: 'pass' });
    const other = await check('https://elsewhere.invalid/mcp', options);
    expect(other).toMatchObject({ status: 'fail', code: 'endpoint/tls' });
    expect(other.message).toContain('another host name');
  });

  test('a closed port is refused, not a TLS fault', async () => {
    const port = await closedPort();
    expect(await check(`https://127.0.0.1:${port}/mcp`)).toMatchObject({ code: 'endpoint/refused' });
  });
});
