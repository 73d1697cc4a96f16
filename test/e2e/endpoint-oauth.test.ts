import { describe, expect, test } from 'vitest';
import { startDeadline } from '../../src/endpoint/deadline.ts';
import { discoverOAuth, wellKnown } from '../../src/endpoint/oauth.ts';
import { exchangeToken, isApiKeyShaped, isTokenShaped, probeToken } from '../../src/endpoint/token.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/options.ts';
import { closedPort, GRACE, sandbox, serve } from './endpoint-servers.ts';

const remote = { auth: 'remote-authenticated' } as const;

async function within<T>(
  work: (deadline: ReturnType<typeof startDeadline>) => Promise<T>,
  ms = 2000,
): Promise<T> {
  const deadline = startDeadline(ms);
  try {
    return await work(deadline);
  } finally {
    deadline.end();
  }
}

const network = { env: {} };
const discover = (mcpUrl: string, resourceMetadata?: string, allowLoopbackHttp = true, ms = 2000) =>
  within(
    (deadline) =>
      discoverOAuth(mcpUrl, {
        deadline,
        network,
        allowLoopbackHttp,
        ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
      }),
    ms,
  );
const pointerOf = ({ apiUrl }: Sandbox): string => `${apiUrl}/.well-known/oauth-protected-resource/mcp`;
const discovered = async (options: SandboxOptions = {}) => {
  const running = await sandbox({ ...remote, ...options });
  return { running, report: await discover(running.mcpUrl, pointerOf(running)) };
};
const codes = (report: { problems: readonly { code: string }[] }): string[] =>
  report.problems.map(({ code }) => code);

describe('discoverOAuth', () => {
  test('a complete set of metadata is usable, by pointer and by well-known path', async () => {
    const { running, report } = await discovered();
    const expected = {
      usable: true,
      problems: [],
      issuer: running.apiUrl,
      scopes: ['memory:read', 'memory:propose', 'memory:feedback', 'memory:snapshot'],
    };
    expect(report).toEqual(expected);
    expect(await discover(running.mcpUrl)).toEqual(expected);
    expect(running.seen.every(({ authenticated }) => !authenticated)).toBe(true);
  });

  test('http is refused in the product, on loopback too', async () => {
    const running = await sandbox(remote);
    const report = await discover(running.mcpUrl, pointerOf(running), false);
    expect(report.usable).toBe(false);
    expect(codes(report)).toEqual(['endpoint/oauth-insecure']);
  });

  test('a pointer to another origin is never fetched', async () => {
    let hits = 0;
    const other = await serve((_request, response) => {
      hits += 1;
      response.end('{}');
    });
    const running = await sandbox(remote);
    for (const pointer of [
      `${other}/metadata`,
      'nonsense',
      running.apiUrl.replace('127.0.0.1', 'localhost'),
    ]) {
      expect(codes(await discover(running.mcpUrl, pointer))).toEqual(['endpoint/oauth-origin']);
    }
    expect(hits).toBe(0);
  });

  test('the resource is compared as written (J05)', async () => {
    const running = await sandbox(remote);
    for (const resource of [`${running.mcpUrl}/`, running.apiUrl, undefined, 7]) {
      running.update({ resourceMetadata: { resource } });
      const report = await discover(running.mcpUrl);
      expect(report.usable).toBe(false);
      expect(codes(report)).toEqual(['endpoint/oauth-resource']);
      expect(report.problems[0]?.message).toContain(running.mcpUrl);
      if (typeof resource === 'string') expect(report.problems[0]?.message).toContain(`names ${resource},`);
    }
  });

  test('an origin without a slash gets none', async () => {
    const origin: string = await serve((request, response) => {
      const documents: Record<string, unknown> = {
        '/.well-known/oauth-protected-resource': { resource: origin, authorization_servers: [origin] },
        '/.well-known/oauth-authorization-server': {
          issuer: origin,
          authorization_endpoint: `${origin}/a`,
          token_endpoint: `${origin}/t`,
          code_challenge_methods_supported: ['plain', 'S256'],
        },
      };
      const document = documents[request.url ?? ''];
      response.writeHead(document === undefined ? 404 : 200).end(JSON.stringify(document ?? {}));
    });
    expect(await discover(origin)).toMatchObject({ usable: true, problems: [] });
    expect(codes(await discover(`${origin}/`))).toEqual(['endpoint/oauth-resource']);
  });

  test.each([
    ['no server', { resourceMetadata: { authorization_servers: [] } }, 'endpoint/oauth-servers'],
    [
      'servers of a wrong kind',
      { resourceMetadata: { authorization_servers: [1, null] } },
      'endpoint/oauth-servers',
    ],
    [
      'a server over http',
      { resourceMetadata: { authorization_servers: ['http://as.example'] } },
      'endpoint/url-insecure',
    ],
    [
      'a server at a metadata address',
      { resourceMetadata: { authorization_servers: ['https://169.254.169.254'] } },
      'endpoint/address-refused',
    ],
    ['another issuer', { serverMetadata: { issuer: 'https://other.example' } }, 'endpoint/oauth-issuer'],
    ['no issuer', { serverMetadata: { issuer: undefined } }, 'endpoint/oauth-issuer'],
    ['no token endpoint', { serverMetadata: { token_endpoint: undefined } }, 'endpoint/oauth-endpoints'],
    [
      'an authorization endpoint over http',
      { serverMetadata: { authorization_endpoint: 'http://as.example/authorize' } },
      'endpoint/url-insecure',
    ],
    ['no PKCE', { serverMetadata: { code_challenge_methods_supported: undefined } }, 'endpoint/oauth-pkce'],
    [
      'only plain PKCE',
      { serverMetadata: { code_challenge_methods_supported: ['plain'] } },
      'endpoint/oauth-pkce',
    ],
    ['no code flow', { serverMetadata: { response_types_supported: ['token'] } }, 'endpoint/oauth-endpoints'],
    [
      'no resource metadata',
      { faults: { 'resource-metadata': { kind: 'status', status: 404 } } },
      'endpoint/oauth-metadata',
    ],
    ['HTML for metadata', { faults: { 'resource-metadata': { kind: 'html' } } }, 'endpoint/oauth-metadata'],
    [
      'a redirected server document',
      { faults: { 'server-metadata': { kind: 'redirect', to: 'https://other.example/' } } },
      'endpoint/redirect',
    ],
    [
      'no server document',
      { faults: { 'server-metadata': { kind: 'status', status: 404 } } },
      'endpoint/oauth-metadata',
    ],
    [
      'a failing server document',
      { faults: { 'server-metadata': { kind: 'status', status: 500 } } },
      'endpoint/oauth-metadata',
    ],
    [
      'a huge server document',
      { faults: { 'server-metadata': { kind: 'huge', bytes: 900_000 } } },
      'endpoint/too-large',
    ],
  ] as [string, SandboxOptions, string][])('%s is not usable', async (_name, options, code) => {
    const { report } = await discovered(options);
    expect(report.usable).toBe(false);
    expect(codes(report)).toContain(code);
  });

  test('a hanging document ends with the deadline', async () => {
    const running = await sandbox({ ...remote, faults: { 'server-metadata': { kind: 'hang' } } });
    const started = performance.now();
    const report = await discover(running.mcpUrl, pointerOf(running), true, 400);
    expect(codes(report)).toEqual(['endpoint/timeout']);
    expect(performance.now() - started).toBeLessThan(400 + GRACE);
  });

  test('well-known paths go between host and path', () => {
    expect(wellKnown('https://h.example/a/mcp/', 'x')).toBe('https://h.example/.well-known/x/a/mcp');
    expect(wellKnown('https://h.example', 'x')).toBe('https://h.example/.well-known/x');
  });
});

const exchange = (running: { apiUrl: string }, apiKey: string, scopes = ['memory:read'], ms = 20_000) =>
  within((deadline) => exchangeToken(running.apiUrl, apiKey, { scopes, deadline, network }), ms);

describe('exchangeToken', () => {
  test('gives a token that does not expire, with the scopes asked for, and the server takes it', async () => {
    const running = await sandbox(remote);
    const scopes = ['memory:read', 'memory:propose'];
    const issued = await exchange(running, running.apiKey, scopes);
    if (!issued.ok) throw new Error(issued.code);
    expect(issued).toMatchObject({ expiresIn: null, scopes });
    expect(
      await within((deadline) => probeToken(running.mcpUrl, issued.token, { deadline, network })),
    ).toEqual({ ok: true });
  });

  test('an expiry is passed on', async () => {
    const running = await sandbox({ ...remote, token: { expiresIn: 900 } });
    expect(await exchange(running, running.apiKey)).toMatchObject({ ok: true, expiresIn: 900 });
  });

  test('the key is sent only where it belongs', async () => {
    let hits = 0;
    const other = await serve((_request, response) => {
      hits += 1;
      response.end();
    });
    const running = await sandbox({ ...remote, faults: { token: { kind: 'redirect', to: `${other}/x` } } });
    expect(await exchange(running, running.apiKey)).toMatchObject({ ok: false, code: 'endpoint/redirect' });
    expect(await exchange({ apiUrl: 'http://10.1.2.3' }, running.apiKey)).toMatchObject({
      code: 'endpoint/url-insecure',
    });
    expect(hits).toBe(0);
  });

  test.each([
    ['a wrong key', {}, 'endpoint/key-refused', 'vera_other.key'],
    ['no MCP authentication', { auth: 'local-dev' }, 'endpoint/no-mcp-auth', undefined],
    ['a token of another shape', { token: { accessToken: 'opaque' } }, 'endpoint/token-unusable', undefined],
    [
      'a token with a line end',
      { token: { accessToken: 'a.b.c\r\nX: y' } },
      'endpoint/token-unusable',
      undefined,
    ],
    ['no expires_in', { token: { omitExpiresIn: true } }, 'endpoint/token-unusable', undefined],
    ['an expiry of 0', { token: { expiresIn: 0 } }, 'endpoint/token-unusable', undefined],
    ['no Cache-Control', { token: { cacheControl: null } }, 'endpoint/token-unusable', undefined],
    ['a cacheable answer', { token: { cacheControl: 'max-age=60' } }, 'endpoint/token-unusable', undefined],
    ['HTML', { faults: { token: { kind: 'html' } } }, 'endpoint/token-unusable', undefined],
    ['404', { faults: { token: { kind: 'status', status: 404 } } }, 'endpoint/not-found', undefined],
    ['500', { faults: { token: { kind: 'status', status: 500 } } }, 'endpoint/server-error', undefined],
    ['418', { faults: { token: { kind: 'status', status: 418 } } }, 'endpoint/token-failed', undefined],
    ['a stalled body', { faults: { token: { kind: 'stall' } } }, 'endpoint/timeout', undefined],
    ['no answer', { faults: { token: { kind: 'hang' } } }, 'endpoint/timeout', undefined],
  ] as [string, SandboxOptions, string, string | undefined][])('%s', async (_name, options, code, key) => {
    const running = await sandbox({ ...remote, ...options });
    const started = performance.now();
    // Only what never ends is worth a short deadline: on a busy machine an answer may take longer than that.
    const answer = await exchange(
      running,
      key ?? running.apiKey,
      undefined,
      code === 'endpoint/timeout' ? 500 : 20_000,
    );
    expect(answer).toMatchObject({ ok: false, code });
    expect(performance.now() - started).toBeLessThan(500 + GRACE);
    expect(JSON.stringify(answer)).not.toContain(running.apiKey.split('.')[1]);
    expect(JSON.stringify(answer)).not.toMatch(/opaque|a\.b\.c/);
  });

  test('unknown scopes and a set without memory:read are refused by the server', async () => {
    const running = await sandbox(remote);
    for (const scopes of [['memory:read', 'memory:all'], ['memory:propose']]) {
      expect(await exchange(running, running.apiKey, scopes)).toMatchObject({
        code: 'endpoint/scopes-refused',
      });
    }
  });

  test('more or fewer scopes than asked for are refused here', async () => {
    for (const scope of ['memory:read memory:propose', '']) {
      const apiUrl = await serve((_request, response) =>
        response
          .writeHead(200, { 'cache-control': 'private, No-Store' })
          .end(JSON.stringify({ access_token: 'a.b.c', token_type: 'bearer', expires_in: null, scope })),
      );
      expect(await exchange({ apiUrl }, 'vera_a.b')).toMatchObject({
        ok: false,
        code: 'endpoint/token-unusable',
      });
    }
  });

  test('what is no API key is not sent', async () => {
    const running = await sandbox(remote);
    for (const key of [
      '',
      'sk-123',
      'vera_abc',
      'vera_a.b\n',
      'vera_a.b\r\nX: y',
      'vera_.b',
      'Bearer vera_a.b',
    ]) {
      expect(await exchange(running, key), key).toMatchObject({ code: 'endpoint/key-malformed' });
      expect(isApiKeyShaped(key)).toBe(false);
    }
    expect(running.seen).toEqual([]);
    expect(isApiKeyShaped(running.apiKey)).toBe(true);
  });
});

describe('probeToken', () => {
  const probe = (running: { mcpUrl: string }, token: string, ms = 2000) =>
    within((deadline) => probeToken(running.mcpUrl, token, { deadline, network }), ms);

  test.each([
    ['expired', { expiresIn: -10 }, 'endpoint/token-rejected'],
    ['for another audience', { audience: 'https://other.example/mcp' }, 'endpoint/token-rejected'],
    ['without the read scope', { scopes: ['memory:propose'] }, 'endpoint/token-scope'],
  ])('a token %s', async (_name, wish, code) => {
    const running = await sandbox(remote);
    const token = (await running.authority?.mint(wish)) ?? '';
    const answer = await probe(running, token);
    expect(answer).toMatchObject({ ok: false, code });
    expect(JSON.stringify(answer)).not.toContain(token);
  });

  test('needs a JSON-RPC result, closes the session it opened, and keeps the deadline', async () => {
    const running = await sandbox({ ...remote, stateful: true });
    const token = (await running.authority?.mint({ expiresIn: null })) ?? '';
    expect(await probe(running, token)).toEqual({ ok: true });
    expect(running.seen.map(({ method, authenticated }) => [method, authenticated])).toEqual([
      ['POST', true],
      ['DELETE', true],
    ]);
    for (const [fault, code] of [
      [{ kind: 'html' }, 'endpoint/not-mcp'],
      [{ kind: 'status', status: 405 }, 'endpoint/not-proven'],
      [{ kind: 'status', status: 404 }, 'endpoint/not-found'],
      [{ kind: 'hang' }, 'endpoint/timeout'],
    ] as const) {
      running.update({ faults: { mcp: fault } });
      expect(await probe(running, token, 400)).toMatchObject({ ok: false, code });
    }
    expect(await probe({ mcpUrl: `http://127.0.0.1:${await closedPort()}/mcp` }, token)).toMatchObject({
      code: 'endpoint/refused',
    });
  });

  test('only three base64url parts are a token', async () => {
    const running = await sandbox(remote);
    for (const token of ['', 'a.b', 'a.b.c.d', 'a.b.c\n', 'a.b.c ', 'a..c', 'a.b.ü']) {
      expect(isTokenShaped(token), token).toBe(false);
      expect(await probe(running, token)).toMatchObject({ code: 'endpoint/token-malformed' });
    }
    expect(running.seen).toEqual([]);
    expect(isTokenShaped('a-_.B1.c')).toBe(true);
  });
});
