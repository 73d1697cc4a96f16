import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runJson } from '../helpers/cli.ts';
import { gitRepo } from '../helpers/repo.ts';
import { closedPort, serve } from './endpoint-servers.ts';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}
interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly subject: string;
  readonly message: string;
  readonly remedy?: { readonly text: string };
}

/** Stand-ins for programs: each prints by its arguments and notes that it was started. */
function programs(scripts: Readonly<Record<string, string>>) {
  const bin = mkdtempSync(join(tmpdir(), 'tenon-bin-'));
  const log = join(bin, 'started.log');
  writeFileSync(log, '');
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> ${log}\n${script}\n`, { mode: 0o755 });
  return {
    PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
    started: () => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean),
  };
}

async function board(apiUrl: string, more: readonly string[] = []) {
  const at = { cwd: gitRepo(), home: makeHome() };
  const run = await runJson(
    [
      ...['setup', 'veritas', '--runtime', 'claude-code', '--yes', '--offline', '--set', `API_URL=${apiUrl}`],
      // A server that ends at once: what it is like is not the subject here.
      ...['--set', 'MCP_COMMAND=node', '--set', 'MCP_ENTRY=board/none.js', ...more],
    ],
    at,
  );
  expect(run.code, run.stdout).toBe(0);
  const doctor = async (flags: readonly string[], env: Readonly<Record<string, string>>) => {
    const seen = await runJson(['doctor', ...flags], { ...at, env });
    const checks: Check[] = seen.document.data.checks;
    const findings: Finding[] = seen.document.findings;
    return {
      ...seen,
      check: (id: string) => checks.find((one) => one.id === `harness/local:${id}`),
      checks: checks.filter(({ id }) => id.startsWith('harness')),
      of: (subject: string) =>
        findings.filter((one) => one.subject === subject && one.code.startsWith('harness/')),
      findings: findings.filter(({ code }) => code.startsWith('harness/')),
    };
  };
  return { at, doctor };
}

const CODEX = 'case "$1" in --version) echo "codex-cli 0.171.0";; login) echo "Not logged in"; exit 1;; esac';
const CLAUDE =
  'case "$1" in --version) echo "2.1.332 (Claude Code)";; auth) printf "\\033[31m{\\"loggedIn\\": true}\\n";; *) echo "[]";; esac';

describe('the harness profiles of a board on this machine', () => {
  it('are looked at without starting anything, unsupported ones with their reason', async () => {
    const { doctor } = await board('http://127.0.0.1:3001');
    const bin = programs({ codex: CODEX, claude: CLAUDE, ollama: 'exit 0' });
    const seen = await doctor(['--offline'], { PATH: bin.PATH });
    expect(bin.started()).toEqual([]);
    expect(seen.check('codex')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('not started'),
    });
    for (const id of [
      'codex-cloud',
      'ollama-local',
      'ollama-cloud',
      'lm-studio-local',
      'amp',
      'copilot',
      'gemini',
    ]) {
      expect(seen.check(id), id).toMatchObject({
        status: 'skip',
        message: expect.stringMatching(/is unsupported: .*refused \(409\)/),
      });
    }
    expect(seen.check('hermes')).toMatchObject({
      status: 'skip',
      message: 'not installed: hermes is not on PATH',
    });
    expect(seen.of('claude-code')).toMatchObject([
      {
        code: 'harness/keys-missing',
        severity: 'info',
        message: expect.stringContaining('AWS_ACCESS_KEY_ID with'),
      },
    ]);
    expect(seen.checks.filter(({ id }) => id.startsWith('harness/local:'))).toHaveLength(13);
    expect(seen.code).toBe(0);
  });

  it('take named variables for a login, and no word of the program itself', async () => {
    const { doctor } = await board('http://127.0.0.1:3001');
    const bin = programs({ codex: CODEX, claude: CLAUDE });
    const seen = await doctor(['--offline', '--clients'], { PATH: bin.PATH });
    expect(seen.of('claude-code').map(({ code, severity }) => [code, severity])).toEqual([
      ['harness/keys-missing', 'info'],
      ['harness/version', 'info'],
      ['harness/diagnostic', 'info'],
      ['harness/diagnostic', 'info'],
    ]);
    const said = seen.of('claude-code').map(({ message }) => message);
    expect(said[1]).toContain('exactly 2.1.218 is needed and 2.1.332 is installed');
    expect(said[2]).toContain('{"loggedIn": true}; that decides nothing');
    expect(seen.stdout).not.toContain('\\u001b');
    expect(
      seen
        .of('codex')
        .map(({ message }) => message)
        .join(),
    ).toContain('Not logged in');
    expect(seen.check('codex')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('version 0.171.0'),
    });
    expect(
      seen
        .of('codex-app-server')
        .map(({ message }) => message)
        .join(),
    ).toContain('exactly 0.145.0');

    const secret = 'sk-ant-Zq4vT9mK2pW7xR1bN6';
    const keyed = await doctor(['--offline', '--clients'], { PATH: bin.PATH, ANTHROPIC_API_KEY: secret });
    expect(keyed.of('claude-code').map(({ code }) => code)).not.toContain('harness/keys-missing');
    expect(keyed.check('claude-code')?.message).toContain('ANTHROPIC_API_KEY is set');
    expect(keyed.stdout + keyed.stderr).not.toContain(secret.slice(7));
    const half = await doctor(['--offline'], {
      PATH: bin.PATH,
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      CLAUDE_CODE_USE_BEDROCK: '1',
    });
    expect(half.of('claude-code')[0]?.message).toContain(
      'CLAUDE_CODE_USE_BEDROCK chooses a provider and lets nobody in',
    );
  });

  it('warn of the default one when its program is missing, a file of the repository or silent', async () => {
    const { doctor, at } = await board('http://localhost:3001');
    const none = programs({});
    const gone = await doctor(['--offline'], { PATH: none.PATH });
    expect(gone.of('codex')).toMatchObject([{ code: 'harness/not-installed', severity: 'warning' }]);
    mkdirSync(join(at.cwd, 'bin'));
    writeFileSync(join(at.cwd, 'bin', 'codex'), '#!/bin/sh\necho codex-cli 0.145.0\n', { mode: 0o755 });
    const own = await doctor(['--offline', '--clients'], {
      PATH: [join(at.cwd, 'bin'), none.PATH].join(delimiter),
    });
    expect(own.of('codex')[0]?.message).toContain('is a file of this repository');
    const silent = programs({ codex: 'exit 52' });
    const mute = await doctor(['--offline', '--clients'], { PATH: silent.PATH });
    expect(
      mute
        .of('codex')
        .map(({ message }) => message)
        .join(),
    ).toContain('tells no version (code 52)');
  });

  it('reads the policy of a gateway from its file, and asks only whether it answers', async () => {
    const { doctor, at } = await board('http://127.0.0.1:3001');
    const { PATH } = programs({});
    const asked: IncomingMessage[] = [];
    const origin = await serve((request, response) => {
      asked.push(request);
      response.writeHead(404).end('no such page');
    });
    const env = { PATH, OPENCLAW_GATEWAY_URL: origin, OPENCLAW_GATEWAY_TOKEN: 'gw-Zq4vT9mK2pW7xR1bN6' };
    expect((await doctor(['--offline'], env)).check('openclaw')?.message).toContain(
      'its policy is not known',
    );
    mkdirSync(join(at.home, '.openclaw'));
    const file = join(at.home, '.openclaw', 'openclaw.json');
    writeFileSync(
      file,
      '// mine\n{"gateway": {"auth": {"token": "x"}, "tools": {"allow": ["sessions_send"]}}}',
    );
    const denied = await doctor(['--offline'], env);
    expect(denied.of('openclaw')).toMatchObject([
      { code: 'harness/gateway-policy', message: expect.stringContaining('sessions_spawn is not allowed') },
    ]);
    expect(asked).toEqual([]);
    writeFileSync(file, '{"gateway": {"tools": {"allow": ["sessions_spawn"]}}}');
    const fine = await doctor(['--online'], env);
    expect(fine.check('openclaw')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('answers'),
    });
    expect(fine.check('openclaw')?.message).toContain('reuse of workflow sessions needs');
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /']);
    expect(asked[0]?.headers.authorization).toBeUndefined();
    const away = await doctor(['--online'], {
      ...env,
      OPENCLAW_GATEWAY_URL: `http://127.0.0.1:${await closedPort()}`,
    });
    expect(away.of('openclaw').map(({ code }) => code)).toEqual(['harness/gateway-unreachable']);
    expect(away.stdout).not.toContain('gw-Zq4');
  });

  it('do not count where the board is on another machine', async () => {
    const { doctor } = await board('https://board.example.com');
    const bin = programs({ codex: CODEX });
    const seen = await doctor(['--offline', '--clients'], { PATH: bin.PATH });
    expect(seen.checks.filter(({ id }) => id.startsWith('harness/local'))).toMatchObject([
      { id: 'harness/local:veritas', status: 'skip', message: expect.stringContaining('board.example.com') },
    ]);
    expect(bin.started()).toEqual([]);
  });
});

describe('the command line of the board', () => {
  const report = (ok: boolean) =>
    JSON.stringify({
      ok,
      summary: { pass: 1, warn: 1, fail: 1, skip: 0 },
      checks: [
        { id: 'node', status: 'pass', message: 'Node.js v22' },
        { id: 'api-auth', status: 'fail', message: 'no \u001b[31mlogin', remediation: 'Log in.' },
        { id: 'cli-link', status: 'warn', message: `key sk-ant-Zq4vT9mK2pW7xR1bN6 at ${'x'.repeat(500)}` },
      ],
    });

  it('is asked with --clients alone, for the board of this set-up, without a key', async () => {
    const { doctor, at } = await board('http://127.0.0.1:9', ['--set', 'API_KEY_ENV=BOARD_KEY']);
    const vk = `echo "$VK_API_URL $BOARD_KEY $VK_API_KEY" >> "$(dirname "$0")/started.log"\ncat <<'X'\n${report(false)}\nX\nexit 1`;
    const bin = programs({ vk });
    const env = { PATH: bin.PATH, BOARD_KEY: 'vk_Zq4vT9mK2pW7xR1bN6', VK_API_KEY: 'vk_Yr5wU0nL3qX8yS2cO7' };
    const row = (seen: Awaited<ReturnType<typeof doctor>>) =>
      seen.checks.find(({ id }) => id === 'harness/cli:veritas');
    expect(row(await doctor([], env))?.message).toContain('--clients runs vk doctor --json');
    expect(row(await doctor(['--clients', '--offline'], env))).toMatchObject({ status: 'skip' });
    expect(bin.started()).toEqual([]);
    const seen = await doctor(['--clients'], env);
    expect(bin.started()).toEqual(['vk doctor --json', 'http://127.0.0.1:9']);
    const told = seen.findings.filter(({ code }) => code === 'harness/cli');
    expect(told).toMatchObject([
      {
        severity: 'warning',
        message: expect.stringContaining('vk says of api-auth: fail, no '),
        remedy: { text: 'Log in.' },
      },
      { severity: 'info', message: expect.stringContaining('cli-link: warn') },
    ]);
    expect(told.map(({ message }) => message).join()).not.toMatch(/\p{Cc}|Zq4vT9/u);
    expect(told[1]?.message.length).toBeLessThan(400);
    const before = bin.started().length;
    const file = join(at.cwd, '.mcp.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('127.0.0.1:9', '127.0.0.1:8'));
    expect(row(await doctor(['--clients'], env))?.message).toContain('edited since');
    expect(bin.started()).toHaveLength(before);
  });

  it.each([
    ['prints no JSON', 'echo ready'],
    ['prints another report', 'echo "{}"'],
    ['ends at once', 'exit 52'],
  ])('that %s gives no report', async (_, vk) => {
    const { doctor } = await board('http://127.0.0.1:9');
    const seen = await doctor(['--clients'], { PATH: programs({ vk }).PATH });
    expect(seen.findings.filter(({ code }) => code === 'harness/cli')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('gives no report') },
    ]);
  });
});

describe('doctor --live with a board', () => {
  const row = (agentType: string, supportTier: string, enabled: boolean, reason: string) => ({
    agentType,
    supportTier,
    enabled,
    reason,
    failureClass: 'none',
    remediation: [`Look at ${agentType}.`],
  });

  it('shows tier and reason as the server gives them, escaped, and judges enabled ones', async () => {
    const keys: (string | undefined)[] = [];
    const rows = [
      row('codex', 'configured', true, 'Certification evidence is not current.'),
      row('claude-code', 'degraded', true, 'bare \u001b[2Jmode\u202e'),
      row('hermes', 'detected', false, 'Profile is disabled.'),
      row('codex-sdk', 'certified', true, `${'long '.repeat(200)}`),
    ];
    const origin = await serve((request, response) => {
      keys.push(request.headers['x-api-key'] as string | undefined);
      expect(request.url).toBe('/api/config/agent-support');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ success: true, data: rows }));
    });
    const { doctor } = await board(origin, ['--set', 'API_KEY_ENV=BOARD_KEY']);
    const { PATH } = programs({ codex: CODEX });
    const without = await doctor(['--live'], { PATH });
    expect(without.checks.find(({ id }) => id === 'harness/support:veritas')).toMatchObject({
      status: 'skip',
      message: 'not asked: BOARD_KEY is not set here',
    });
    const key = 'vk_Zq4vT9mK2pW7xR1bN6';
    const seen = await doctor(['--live'], { PATH, BOARD_KEY: key });
    const told = seen.findings.filter(({ code }) => code === 'harness/tier');
    const tiers = rows.flatMap(({ agentType }) => told.filter(({ subject }) => subject === agentType));
    expect(tiers.map(({ subject, severity }) => [subject, severity])).toEqual([
      ['codex', 'warning'],
      ['claude-code', 'error'],
      ['hermes', 'info'],
      ['codex-sdk', 'info'],
    ]);
    expect(tiers[0]).toMatchObject({
      message: 'codex is configured: Certification evidence is not current.',
      remedy: { text: 'Look at codex.' },
    });
    expect(tiers[1]?.message).toMatch(/^claude-code is degraded: bare /);
    expect(tiers.map(({ message }) => message).join()).not.toMatch(/\p{Cc}|\p{Cf}/u);
    expect(tiers[3]?.message.length).toBeLessThan(450);
    expect(seen.code).toBe(1);
    expect(keys).toEqual([key]);
    expect(seen.stdout + seen.stderr).not.toContain(key);
  });

  it.each([
    [401, '{}', 'refuses to tell (401)'],
    [200, '<html>', 'not with a list of agents'],
    [200, '{"success":true,"data":[1]}', 'not with a list of agents'],
    [500, '{}', ''],
  ])('says that %s %s is no answer', async (status, body, text) => {
    const origin = await serve((_request, response) => response.writeHead(status).end(body));
    const { doctor } = await board(origin);
    const seen = await doctor(['--live'], { PATH: programs({}).PATH });
    const known = seen.findings.filter(({ code }) => code === 'harness/support-unknown');
    expect(known).toHaveLength(1);
    expect(known[0]?.message).toContain(text);
  });

  it('asks nobody when the entry was edited since', async () => {
    let asked = 0;
    const origin = await serve((_request, response) => {
      asked += 1;
      response.end('[]');
    });
    const { doctor, at } = await board(origin);
    const { PATH } = programs({});
    const file = join(at.cwd, '.mcp.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(origin, 'http://127.0.0.1:9'));
    const seen = await doctor(['--live'], { PATH });
    expect(seen.checks.find(({ id }) => id === 'harness/support:veritas')?.message).toContain('edited since');
    expect(asked).toBe(0);
  });
});
