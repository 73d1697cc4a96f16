import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome, runCli, runJson, runTerminal, type TerminalStep } from '../helpers/cli.ts';
import { gitRepo } from '../helpers/repo.ts';
import { listen, sandbox } from './endpoint-servers.ts';

const dir = mkdtempSync(join(tmpdir(), 'tenon-login-'));
const CERT = join(dir, 'cert.pem');

beforeAll(() => {
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...[
        '-keyout',
        join(dir, 'key.pem'),
        '-out',
        CERT,
        '-subj',
        '/CN=here',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
      ],
    ],
    { stdio: 'ignore' },
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A remote-authenticated server with an authorization server of its own; members of its metadata can be put over. */
async function oauthServer(over: { resource?: object; server?: object } = {}): Promise<string> {
  let base = '';
  const server = createServer(
    { key: readFileSync(join(dir, 'key.pem')), cert: readFileSync(CERT) },
    (request, response) => {
      const path = request.url ?? '';
      const json = (value: unknown, status = 200, headers = {}) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(value));
      };
      if (path.startsWith('/health/')) json({ status: 'ok' });
      else if (path === '/mcp') {
        const pointer = `${base}/.well-known/oauth-protected-resource/mcp`;
        json({}, 401, { 'www-authenticate': `Bearer resource_metadata="${pointer}"` });
      } else if (path === '/.well-known/oauth-protected-resource/mcp') {
        json({
          resource: `${base}/mcp`,
          authorization_servers: [base],
          scopes_supported: ['memory:read'],
          ...over.resource,
        });
      } else if (path === '/.well-known/oauth-authorization-server') {
        json({
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          ...over.server,
        });
      } else json({}, 404);
    },
  );
  base = await listen(server, '127.0.0.1', 'https');
  return base;
}

const setup = async (base: string, runtime: string, ...more: string[]) =>
  runJson(
    [
      ...['setup', 'vera', '--runtime', runtime, '--yes', ...more],
      ...['--set', `VERA_API_URL=${base}`, '--set', `VERA_MCP_URL=${base}/mcp`],
    ],
    { cwd: gitRepo(), home: makeHome(), env: { NODE_EXTRA_CA_CERTS: CERT } },
  );

describe('OAuth is named as the way', () => {
  it.each([
    ['claude-code', '/mcp'],
    ['codex', 'codex mcp login vera --scopes memory:read,memory:propose,memory:feedback,memory:snapshot'],
    ['opencode', 'opencode mcp auth vera'],
  ])('for %s with its own command, when every check passed', async (runtime, command) => {
    const run = await setup(await oauthServer(), runtime);
    expect(run.code, run.stdout).toBe(0);
    expect(run.document.data.login).toMatchObject({
      profile: 'remote-authenticated',
      oauth: { usable: true },
      ways: [{ runtime, server: 'vera', way: 'oauth', command }],
    });
    expect(JSON.stringify(run.document.data.next)).toContain(command);
    expect(JSON.stringify(run.document.findings)).not.toContain('credential/needed');
  });

  it.each(['SAVE_MODE=off', 'SCOPES=memory:read'])(
    'and asks for reading alone with %s, where the command can say so',
    async (choice) => {
      const run = await setup(await oauthServer(), 'codex', '--set', choice);
      expect(run.document.data.login.ways[0].command).toBe('codex mcp login vera --scopes memory:read');
    },
  );

  it.each([
    ['no PKCE with S256', { server: { code_challenge_methods_supported: ['plain'] } }, 'endpoint/oauth-pkce'],
    ['another resource', { resource: { resource: 'https://other.example/mcp' } }, 'endpoint/oauth-resource'],
    ['no authorization server', { resource: { authorization_servers: [] } }, 'endpoint/oauth-servers'],
    [
      'a token endpoint without TLS',
      { server: { token_endpoint: 'http://127.0.0.1/t' } },
      'endpoint/oauth-insecure',
    ],
    ['another issuer', { server: { issuer: 'https://other.example' } }, 'endpoint/oauth-issuer'],
  ])('not with %s', async (_, over, code) => {
    const run = await setup(await oauthServer(over), 'codex');
    expect(run.document.data.login.oauth.usable).toBe(false);
    expect(JSON.stringify(run.document.data.login.oauth.problems)).toContain(code);
    expect(run.document.data.login.ways[0].way).toBe('undecided');
    const codes = run.document.findings.map((finding: { code: string }) => finding.code);
    expect(codes).toContain('credential/needed');
    expect(run.stdout).not.toContain('codex mcp login');
  });
});

describe('a literal token', () => {
  const DOWN = '\u001b[B';
  it('stays when OAuth is chosen, until a person says that the tool was seen connected', async () => {
    const server = await sandbox({ auth: 'remote-authenticated' });
    const options = { cwd: gitRepo(), home: makeHome() };
    const args = ['setup', 'vera', '--runtime', 'opencode'];
    const inputs = ['--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`];
    const approve: TerminalStep = { expect: /Apply .*\?/, send: `${DOWN}\r` };
    // Not asked for by a flag: offered, because no login of the tool is proven.
    const first = await runTerminal(
      [...args, ...inputs],
      [
        { expect: 'How shall it log in?', send: `${DOWN}\r` },
        { expect: 'What may the token do?', send: `${DOWN}\r` },
        approve,
        { expect: 'not shown', send: `${server.apiKey}\r` },
      ],
      options,
    );
    expect(first.code, first.screen).toBe(0);
    const file = join(options.cwd, 'opencode.json');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('Bearer ');
    const scope = JSON.parse(
      Buffer.from(/Bearer [\w-]+\.([\w-]+)/.exec(text)?.[1] ?? '', 'base64url').toString(),
    ).scope;
    expect(scope).toBe('memory:read memory:propose memory:feedback memory:snapshot');
    const kept = await runJson([...args, ...inputs, '--set', 'AUTH=client', '--yes'], options);
    expect(kept.code, kept.stdout).toBe(0);
    expect(kept.stdout).toContain('credential/kept');
    expect(readFileSync(file, 'utf8')).toBe(text);
    const moved = await runTerminal(
      [...args, ...inputs, '--set', 'AUTH=client'],
      [{ expect: 'seen connected', send: '\u001b[D\r' }, approve],
      options,
    );
    expect(moved.code, moved.screen).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('Bearer ');
    expect(moved.screen).toContain('credential/moved');
    expect(moved.screen).toContain('tenon undo');
    // The login failed after all: the header comes back byte for byte, with the mode that keeps others out.
    const back = await runCli(['undo', '--yes'], options);
    expect(back.code, back.stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(back.stdout + back.stderr).not.toContain(text.match(/Bearer ([\w.-]+)/)?.[1] ?? '?');
    const live = await runJson(['doctor', '--live'], options);
    expect(JSON.stringify(live.document.findings), live.stdout).toContain('may READ');
    const out = await runCli(['uninstall', '--yes'], options);
    expect(out.code, out.stderr).toBe(0);
  }, 120_000);
});
