import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, runCli, runJson } from '../helpers/cli.ts';
import { type FakeBehaviour, fakeClient, prints } from '../helpers/fake-client.ts';
import { expectEnded } from '../helpers/processes.ts';
import { git, gitRepo, scratch, treeHash } from '../helpers/repo.ts';
import { prepare } from '../helpers/warm.ts';

const MCP = 'http://127.0.0.1:8765/mcp';
const SYSTEM = '/usr/bin:/bin';
const STDIO = resolve('test/helpers/stdio-server.cjs');

/** A repository with one server added for a runtime. */
async function added(runtime: string, files: Record<string, string> = {}) {
  const at = { cwd: gitRepo({ 'README.md': 'x\n', ...files }), home: makeHome() };
  await prepare(at, ['add', 'pantry', MCP, '--runtime', runtime, '--yes', '--offline']);
  return at;
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}
interface Found {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly subject: string;
  readonly data?: Readonly<Record<string, unknown>>;
}
interface Place {
  readonly cwd: string;
  readonly home: string;
}

/** `doctor --clients` with this PATH; the checks of the clients and the findings that they made. */
async function doctor(
  at: Place,
  PATH: string,
  env: Record<string, string> = {},
  flags: readonly string[] = [],
) {
  const { code, document, stdout, stderr } = await runJson(['doctor', '--clients', '--offline', ...flags], {
    ...at,
    env: { PATH, ...env },
    timeoutMs: 110_000,
  });
  const checks: Check[] = document.data.checks;
  const findings: Found[] = document.findings;
  return {
    code,
    stdout,
    stderr,
    data: document.data,
    check: (id: string) => checks.find((one) => one.id === id),
    findings: findings.filter(({ code: own }) => /^(?:host\/client|server)/.test(own)),
    all: findings,
  };
}

const CODEX = 'codex-cli 0.171.0';
const listed = (url = MCP, more: object = {}) =>
  prints(
    JSON.stringify([{ name: 'pantry', enabled: true, transport: { type: 'streamable_http', url }, ...more }]),
  );
const trusting = (at: Place) => {
  mkdirSync(join(at.home, '.codex'), { recursive: true });
  writeFileSync(join(at.home, '.codex/config.toml'), `[projects."${at.cwd}"]\ntrust_level = "trusted"\n`);
};

const shared = new Map<string, Promise<Place>>();

/** One repository for all tests of a runtime that leave it as it is: setting one up takes a second. */
function oneOf(runtime: string): Promise<Place> {
  const known = shared.get(runtime) ?? added(runtime);
  shared.set(runtime, known);
  return known;
}

/** A trusted repository of Codex with a stand-in for the client. */
async function codex(behaviour: FakeBehaviour) {
  const at = await oneOf('codex');
  trusting(at);
  for (const name of ['grandchild', 'child', 'env.--version', 'env.mcp'])
    rmSync(join(at.home, name), { force: true });
  const client = fakeClient(at.home, 'codex', { version: CODEX, ...behaviour });
  return { at, client, PATH: `${client.bin}:${SYSTEM}` };
}

describe('doctor --clients', () => {
  it('passes where the client says what its files say, and writes nothing itself', async () => {
    const { at, client, PATH } = await codex({ list: listed() });
    const before = treeHash(at.cwd, { git: true });
    const seen = await doctor(at, PATH);
    expect(treeHash(at.cwd, { git: true })).toBe(before);
    expect([seen.code, seen.stderr, seen.findings]).toEqual([0, '', []]);
    expect(seen.check('clients/version:codex')).toMatchObject({ status: 'pass', message: '0.171.0, tested' });
    expect(seen.check('clients/lists:codex')).toMatchObject({
      status: 'pass',
      message: 'codex mcp list --json: pantry listed; it does not connect for this list',
    });
    expect(client.calls()).toEqual(['--version', 'mcp list --json']);
  });

  it('starts nothing without the flag', async () => {
    const { at, client, PATH } = await codex({ list: listed() });
    const { code, document } = await runJson(['doctor', '--offline'], { ...at, env: { PATH } });
    expect(code).toBe(0);
    const skipped = document.data.checks.filter(({ id }: Check) => id.startsWith('clients/'));
    expect(skipped.map(({ status }: Check) => status)).toEqual(['skip', 'skip', 'skip']);
    expect(client.calls()).toEqual([]);
  });

  it.each([
    ['it is not in the list', prints('[]'), 'host/client-missing', 'error', 1],
    ['it has another address', listed('http://127.0.0.1:1/mcp?key=sesame'), 'host/client-other', 'error', 1],
    [
      'it is another program',
      prints('[{"name":"pantry","enabled":true,"transport":{"command":"sh"}}]'),
      'host/client-other',
      'error',
      1,
    ],
    ['it is switched off', listed(MCP, { enabled: false }), 'host/client-differs', 'warning', 0],
  ])('tells that %s', async (_, list, wanted, severity, exit) => {
    const { at, PATH } = await codex({ list });
    const seen = await doctor(at, PATH);
    expect(seen.findings).toMatchObject([
      { code: wanted, severity, data: { runtimes: ['codex'], server: 'pantry' } },
    ]);
    expect(seen.code).toBe(exit);
    expect(seen.stdout).not.toContain('sesame');
  });

  it.each([
    ['✘ Failed to connect — ECONNREFUSED', 'host/client-failed', 'error'],
    ['! Needs authentication', 'host/client-login', 'warning'],
    ['⏸ Pending approval (run `claude` to approve)', 'host/client-differs', 'warning'],
    ['☂ Raining', 'host/client-differs', 'warning'],
    ['✔ Connected', undefined, undefined],
  ])('understands "%s"', async (state, wanted, severity) => {
    const at = await oneOf('claude-code');
    mkdirSync(join(at.home, '.claude'), { recursive: true });
    writeFileSync(join(at.home, '.claude/settings.json'), '{"enabledMcpjsonServers":["pantry"]}\n');
    const { bin } = fakeClient(at.home, 'claude', {
      version: '2.1.332 (Claude Code)',
      list: prints(`Checking MCP server health…\n\npantry: ${MCP} (HTTP) - ${state}`),
    });
    const seen = await doctor(at, `${bin}:${SYSTEM}`);
    expect(seen.findings.map(({ code, severity: own }) => [code, own])).toEqual(
      wanted === undefined ? [] : [[wanted, severity]],
    );
    const { connected } = seen.data.integrations['add:pantry']['claude-code'];
    expect(connected).toBe(wanted === undefined ? 'yes' : 'no');
  });

  it('does not take the connection to another server of the name for ours', async () => {
    const at = await added('opencode');
    const { bin } = fakeClient(at.home, 'opencode', {
      version: '1.18.33',
      list: prints('┌  MCP Servers\n●  ✓ pantry connected\n│      http://127.0.0.1:1/other'),
    });
    const seen = await doctor(at, `${bin}:${SYSTEM}`);
    expect(seen.findings).toMatchObject([{ code: 'host/client-other' }]);
    expect(seen.data.integrations['add:pantry'].opencode.connected).toBe('no');
  });

  it('passes where the client waits as its files say, and notes where it is further', async () => {
    const at = await added('claude-code');
    const ask = async (state: string) => {
      const { bin } = fakeClient(at.home, 'claude', {
        version: '2.1.332 (Claude Code)',
        list: prints(`pantry: ${MCP} (HTTP) - ${state}`),
      });
      return await doctor(at, `${bin}:${SYSTEM}`);
    };
    const pending = await ask('⏸ Pending approval (run `claude` to approve)');
    expect([pending.findings, pending.check('clients/lists:claude-code')?.status]).toEqual([[], 'pass']);
    const further = await ask('✔ Connected');
    expect(further.findings).toMatchObject([{ code: 'host/client-differs', severity: 'info' }]);
    expect(further.code).toBe(0);
  });
});

describe('a client that behaves badly', () => {
  it('hangs: it is ended, with what it started, and the check is skipped', async () => {
    const { at, PATH } = await codex({
      list: 'sh -c \'trap "" TERM HUP INT; echo $$ > "$HOME/grandchild"; exec sleep 300\' & sleep 300',
    });
    const seen = await doctor(at, PATH, {}, ['--timeout', '1000']);
    expect(seen.check('clients/lists:codex')).toMatchObject({
      status: 'skip',
      message: 'codex mcp list --json did not end in its time, so it was ended',
    });
    expect(seen.code).toBe(0);
    await expectEnded([Number(readFileSync(join(at.home, 'grandchild'), 'utf8').trim())]);
  });

  it.runIf(process.platform === 'linux')(
    'leaves a child behind that ignores TERM and left its group',
    async () => {
      const { at, PATH } = await codex({
        list: `setsid sh -c 'trap "" TERM; echo $$ > "$HOME/child"; exec sleep 300' >/dev/null 2>&1 </dev/null &\n${listed()}\nwhile [ ! -s "$HOME/child" ]; do sleep 0.05; done`,
      });
      const seen = await doctor(at, PATH);
      expect(seen.check('clients/lists:codex')).toMatchObject({ status: 'pass' });
      await expectEnded([Number(readFileSync(join(at.home, 'child'), 'utf8').trim())]);
    },
  );

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'hangs, and doctor is ended by %s: nothing stays behind',
    async (signal) => {
      const { at, PATH } = await codex({
        list: 'sh -c \'trap "" TERM HUP INT; echo $$ > "$HOME/grandchild"; exec sleep 300\' & sleep 300',
      });
      const child = spawn(process.execPath, [BIN, 'doctor', '--clients', '--offline'], {
        cwd: at.cwd,
        env: cleanEnv(at.home, { PATH }),
        stdio: 'ignore',
      });
      const ended = new Promise((done) => child.once('exit', (code, by) => done(by ?? code)));
      const file = join(at.home, 'grandchild');
      await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toMatch(/^\d+\n/), {
        timeout: 60_000,
        interval: 50,
      });
      child.kill(signal);
      expect(await ended).toBe(signal === 'SIGINT' ? 130 : 'SIGTERM');
      await expectEnded([Number(readFileSync(file, 'utf8').trim())]);
    },
  );

  it('prints 10 MB', async () => {
    const { at, PATH } = await codex({ list: 'head -c 10485760 /dev/zero | tr "\\0" x' });
    const seen = await doctor(at, PATH);
    expect(seen.check('clients/lists:codex')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('printed more than it should'),
    });
    expect(seen.stdout.length).toBeLessThan(200_000);
  });

  it('prints escape sequences: colours, links, titles', async () => {
    const at = await added('qwen-code');
    const { bin } = fakeClient(at.home, 'qwen', {
      version: '0.24.4',
      list: [
        "printf '\\033]0;title\\007\\033[2J\\033[1mConfigured MCP servers:\\033[0m\\n'",
        `printf '\\033[33m●\\033[0m pantry: \\033]8;;${MCP}\\033\\\\${MCP}\\033]8;;\\033\\\\ (http) - \\033[31mStrange \\033]52;c;x\\007\\0342\\n'`,
      ].join('\n'),
    });
    const seen = await doctor(at, `${bin}:${SYSTEM}`);
    expect(seen.findings).toMatchObject([
      { code: 'host/client-differs', message: expect.stringContaining('"Strange') },
    ]);
    const human = await runCli(['doctor', '--clients', '--offline'], {
      ...at,
      env: { PATH: `${bin}:${SYSTEM}` },
    });
    for (const text of [seen.stdout, human.stdout]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    }
  });

  it('exits 52, with a credential in its message', async () => {
    const at = await added('gemini-cli');
    const { bin } = fakeClient(at.home, 'gemini', {
      version: '0.61.0',
      list: 'echo "Error in .gemini/settings.json: token ghp_0123456789abcdefABCDEF0123456789abcd" >&2; exit 52',
    });
    const seen = await doctor(at, `${bin}:${SYSTEM}`);
    expect(seen.findings).toMatchObject([
      {
        code: 'host/client-refuses',
        severity: 'error',
        message: expect.stringContaining('exit code 52): Error in .gemini/settings.json'),
        data: { exitCode: 52 },
      },
    ]);
    expect([seen.code, seen.stdout.includes('ghp_0123')]).toEqual([1, false]);
  });

  it('is a link that leads nowhere', async () => {
    const at = await added('codex');
    mkdirSync(join(at.home, 'bin'));
    symlinkSync(join(at.home, 'gone'), join(at.home, 'bin/codex'));
    const seen = await doctor(at, `${join(at.home, 'bin')}:${SYSTEM}`);
    for (const id of ['clients/version:codex', 'clients/lists:codex']) {
      expect(seen.check(id)).toMatchObject({
        status: 'skip',
        message: expect.stringContaining('leads nowhere'),
      });
    }
  });

  it('is another program of the same name: it is asked for its version and nothing else', async () => {
    const { at, client, PATH } = await codex({
      version: 'codex, the page turner, version 3',
      list: listed(),
    });
    const seen = await doctor(at, PATH);
    expect(seen.check('clients/lists:codex')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('printed no version of Codex'),
    });
    expect(client.calls()).toEqual(['--version']);
  });

  it('prints something that is no list', async () => {
    const { at, PATH } = await codex({});
    for (const text of ['usage: codex [turn|close]', '{"pages": 12}', '[1, 2', '']) {
      fakeClient(at.home, 'codex', { version: CODEX, list: prints(text) });
      const seen = await doctor(at, PATH);
      expect(seen.check('clients/lists:codex')).toMatchObject({
        status: 'skip',
        message: expect.stringContaining('printed nothing that is its list'),
      });
      expect(seen.findings).toEqual([]);
    }
  });

  it('is older than what was tested', async () => {
    const { at, client, PATH } = await codex({ version: 'codex-cli 0.99.0', list: listed() });
    const seen = await doctor(at, PATH);
    expect(seen.check('clients/version:codex')).toMatchObject({ status: 'warn' });
    expect(seen.check('clients/lists:codex')).toMatchObject({
      status: 'skip',
      message: 'Codex 0.99.0 is older than 0.171.0, the oldest whose list was tested',
    });
    expect(client.calls()).toEqual(['--version']);
  });

  it('writes into the repository: as a note where that is foreseen, else as a warning', async () => {
    const at = await added('opencode');
    const { bin } = fakeClient(at.home, 'opencode', {
      version: '1.18.33',
      list: `echo >> opencode.json; mkdir -p .opencode; echo x > .opencode/.gitignore; echo y > notes.txt\n${prints(`┌  MCP Servers\n●  ✓ pantry connected\n│      ${MCP}`)}`,
    });
    const seen = await doctor(at, `${bin}:${SYSTEM}`);
    expect(seen.findings.map(({ code, severity, data }) => [code, severity, data?.['files']])).toEqual([
      ['host/client-wrote', 'warning', ['notes.txt']],
      ['host/client-wrote', 'info', ['.opencode', '.opencode/.gitignore', 'opencode.json']],
    ]);
    expect(seen.check('clients/lists:opencode')).toMatchObject({ status: 'pass' });
    expect(seen.check('clients/lists:opencode/files')).toMatchObject({ status: 'warn' });
  });
});

describe('where a client is', () => {
  it('a program of the repository is passed over, and so is a relative entry of PATH', async () => {
    const { at, client, PATH } = await codex({ list: listed() });
    const inside = fakeClient(join(at.cwd, 'node_modules'), 'codex', { version: CODEX, list: listed() });
    const seen = await doctor(at, `node_modules/bin:.:${inside.bin}:${PATH}`);
    expect(seen.check('clients/lists:codex')).toMatchObject({ status: 'pass' });
    expect([inside.calls(), client.calls().length]).toEqual([[], 2]);
    const alone = await doctor(at, `${inside.bin}:${SYSTEM}`);
    expect(alone.check('clients/lists:codex')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('a file of this repository'),
    });
    expect(inside.calls()).toEqual([]);
  });

  it('its environment is bare', async () => {
    const { at, PATH } = await codex({ always: 'env > "$HOME/env.$1"', list: listed() });
    await doctor(at, PATH, {
      AWS_SECRET_ACCESS_KEY: 'sesame',
      NODE_OPTIONS: '--no-warnings',
      CODEX_HOME: join(at.home, '.codex'),
    });
    for (const name of ['env.--version', 'env.mcp']) {
      const env = readFileSync(join(at.home, name), 'utf8');
      expect(env).not.toMatch(/sesame|NODE_OPTIONS|TENON_STATE_DIR/);
      expect(env).toContain(`CODEX_HOME=${join(at.home, '.codex')}\n`);
    }
  });

  it('a variable that our entry refers to is handed on where the list connects and the entry is trusted', async () => {
    const at = { cwd: gitRepo({ 'README.md': 'x\n' }), home: makeHome() };
    const runtimes = ['--runtime', 'opencode', '--runtime', 'codex'];
    const flags = ['--token-env', 'PANTRY_TOKEN', '--yes', '--offline'];
    expect(await runCli(['add', 'pantry', MCP, ...runtimes, ...flags], at)).toMatchObject({ code: 0 });
    git(at.cwd, ['add', '-A']);
    git(at.cwd, ['commit', '-qm', 'Add it']);
    const other = { cwd: at.cwd, home: makeHome() };
    const seen: Record<string, boolean> = {};
    for (const [who, where] of Object.entries({ here: at, elsewhere: other })) {
      trusting(where);
      const always = 'env > "$HOME/env.$(basename "$0").$1"';
      const frame = prints(`┌  MCP Servers\n●  ✓ pantry connected\n│      ${MCP}`);
      const { bin } = fakeClient(where.home, 'opencode', { version: '1.18.33', list: frame, always });
      fakeClient(where.home, 'codex', { version: CODEX, list: listed(), always });
      await doctor(where, `${bin}:${SYSTEM}`, { PANTRY_TOKEN: 'sesame' });
      for (const name of ['opencode.--version', 'opencode.mcp', 'codex.mcp']) {
        seen[`${who} ${name}`] = readFileSync(join(where.home, `env.${name}`), 'utf8').includes('sesame');
      }
    }
    expect(seen).toEqual({
      'here opencode.--version': false,
      'here opencode.mcp': true,
      'here codex.mcp': false,
      'elsewhere opencode.--version': false,
      'elsewhere opencode.mcp': false,
      'elsewhere codex.mcp': false,
    });
  });

  it('needs no home folder, and no home folder that can be written', async () => {
    const { at, PATH } = await codex({ list: listed() });
    const state = scratch('tenon-state-');
    const gone = await doctor(at, PATH, {
      HOME: join(at.home, 'gone'),
      TENON_STATE_DIR: join(state, 'tenon'),
    });
    expect([0, 1]).toContain(gone.code);
    expect(gone.check('clients/version:codex')).toMatchObject({ status: 'pass' });
    chmodSync(at.home, 0o555);
    try {
      const fixed = await doctor(at, PATH);
      expect(fixed.check('clients/version:codex')).toMatchObject({ status: 'pass' });
    } finally {
      chmodSync(at.home, 0o755);
    }
  });

  it('a folder that its variable names and that does not exist is told twice: as it is, and as the client takes it', async () => {
    const { at, PATH } = await codex({
      list: `[ -d "$CODEX_HOME" ] || { echo "Error: CODEX_HOME points to \\"$CODEX_HOME\\", but that path does not exist" >&2; exit 1; }\n${listed()}`,
    });
    const seen = await doctor(at, PATH, { CODEX_HOME: join(at.home, 'nowhere') });
    expect(seen.all).toContainEqual(
      expect.objectContaining({ code: 'host/env-path', subject: 'CODEX_HOME' }),
    );
    expect(seen.findings).toMatchObject([{ code: 'host/client-refuses' }]);
  });
});

describe('a client is not asked', () => {
  it('where it would start programs that nobody trusted', async () => {
    const at = await added('opencode');
    const file = join(at.cwd, 'opencode.json');
    const config = JSON.parse(readFileSync(file, 'utf8'));
    config.mcp.stranger = { type: 'local', command: ['sh', '-c', 'touch "$HOME/started"'] };
    writeFileSync(file, JSON.stringify(config, null, 2));
    const client = fakeClient(at.home, 'opencode', { version: '1.18.33', list: 'touch "$HOME/listed"' });
    const seen = await doctor(at, `${client.bin}:${SYSTEM}`);
    expect(seen.check('clients/lists:opencode')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('nobody trusted stranger on this host'),
    });
    expect(existsSync(join(at.home, 'listed'))).toBe(false);
    config.mcp.stranger.enabled = false;
    writeFileSync(file, JSON.stringify(config, null, 2));
    await doctor(at, `${client.bin}:${SYSTEM}`);
    expect(existsSync(join(at.home, 'listed'))).toBe(true);
  });

  it('where it would replace a file that it cannot read', async () => {
    const at = await added('qwen-code');
    writeFileSync(join(at.cwd, '.qwen/settings.json'), '{"mcpServers": {},,}\n');
    const client = fakeClient(at.home, 'qwen', { version: '0.24.4', list: 'touch "$HOME/listed"' });
    const seen = await doctor(at, `${client.bin}:${SYSTEM}`);
    expect(seen.check('clients/lists:qwen-code')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('would replace .qwen/settings.json'),
    });
    expect(existsSync(join(at.home, 'listed'))).toBe(false);
  });
});

const READS = ['find', 'status', 'search', 'discover'];
const LAUNCH = ['--from', 'vaultspec-core==0.3.5', 'python', '-P', '-m', 'vaultspec_core.mcp_server.app'];
const WRITES = ['create', 'edit', 'check', 'crossref', 'plan_progress', 'plan_edit', 'log', 'invoke'];
const ALL = [...READS.map((name) => [name, true]), ...WRITES.map((name) => [name, false])];
const ROLLUP = {
  tool_schema_version: '0.1',
  features: [],
  hosted_search: { configured: false },
  text: 'sesame',
};

/** vaultspec set up for Claude Code, with a stand-in for its package runner. */
async function vaultspec(
  tools: readonly unknown[],
  env: Record<string, string> = {},
  result: object = ROLLUP,
  flags: readonly string[] = [],
) {
  const at = { cwd: gitRepo({ 'README.md': 'x\n' }), home: makeHome() };
  const log = join(at.home, 'server.log');
  const words = Object.entries({
    TOOLS: JSON.stringify(tools),
    RESULT: JSON.stringify(result),
    LOG: log,
    ...env,
  });
  const { bin, calls } = fakeClient(at.home, 'uvx', {
    list: `${words.map(([name, value]) => `${name}='${value}'`).join(' ')} exec '${process.execPath}' '${STDIO}'`,
  });
  fakeClient(at.home, 'uv', {});
  const PATH = `${bin}:${SYSTEM}`;
  const setup = ['setup', 'vaultspec', '--runtime', 'claude-code', '--yes', '--offline', ...flags];
  await prepare({ ...at, env: { PATH } }, setup);
  const said = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  return { at, PATH, calls, said };
}

const SERVER = 'clients/servers:vaultspec-core of vaultspec';

describe('the tools that an integration names', () => {
  it.each([
    [['*'], []],
    [[...READS, ...WRITES], []],
    [READS, WRITES],
  ])('%j let through', async (tools, held) => {
    const at = { cwd: gitRepo({ 'README.md': 'x\n' }), home: makeHome() };
    const servers = {
      'vaultspec-core': { tools, type: 'stdio', command: 'uvx', args: LAUNCH, enabled: true },
    };
    const { bin } = fakeClient(at.home, 'copilot', {
      version: 'GitHub Copilot CLI 1.0.102.',
      list: prints(JSON.stringify({ mcpServers: servers })),
    });
    fakeClient(at.home, 'uv', {});
    fakeClient(at.home, 'uvx', { list: 'exit 1' });
    mkdirSync(join(at.home, '.copilot'));
    writeFileSync(join(at.home, '.copilot/config.json'), JSON.stringify({ trustedFolders: [at.cwd] }));
    const PATH = `${bin}:${SYSTEM}`;
    const flags = ['--runtime', 'copilot-cli', '--yes', '--offline'];
    await prepare({ ...at, env: { PATH } }, ['setup', 'vaultspec', ...flags]);
    const seen = await doctor(at, PATH);
    const found = seen.findings.filter(({ code }) => code.startsWith('host/client'));
    expect(found.map(({ code, message }) => [code, held.every((name) => message.includes(name))])).toEqual(
      held.length === 0 ? [] : [['host/client-tools', true]],
    );
  });
});

describe('a stdio server of ours', () => {
  it('is started as its entry says, compared, proved and ended', async () => {
    const { at, PATH, calls, said } = await vaultspec(ALL);
    const before = treeHash(at.cwd, { git: true });
    const seen = await doctor(at, PATH, { AWS_SECRET_ACCESS_KEY: 'sesame' });
    expect(treeHash(at.cwd, { git: true })).toBe(before);
    expect([seen.findings, seen.code]).toEqual([[], 0]);
    expect(seen.check(SERVER)).toMatchObject({
      status: 'pass',
      message: expect.stringMatching(/12 tools, 4 read-only, status answers/),
    });
    expect(calls()).toEqual(['--from vaultspec-core==0.3.5 python -P -m vaultspec_core.mcp_server.app']);
    const [pid, env, cwd, ...methods] = said();
    expect(methods).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call status {}',
    ]);
    expect([cwd, env?.includes('AWS_SECRET')]).toEqual([`cwd ${at.cwd}`, false]);
    await expectEnded([Number(pid?.slice(4))]);
    expect(seen.stdout).not.toContain('sesame');
  });

  it.each([
    ['a tool is missing', ALL.slice(1), 'server/tool-missing', 'error'],
    ['a tool of no rule may write', [...ALL, ['erase', false]], 'server/tool-unknown', 'warning'],
    [
      'a tool that writes says that it reads',
      [...ALL.slice(0, -1), ['invoke', true]],
      'server/tool-hint',
      'warning',
    ],
    ['a tool that reads does not say so', [['find'], ...ALL.slice(1)], 'server/tool-hint', 'warning'],
  ])('is told of where %s', async (_, tools, code, severity) => {
    const { at, PATH } = await vaultspec(tools);
    const seen = await doctor(at, PATH);
    expect(seen.findings).toMatchObject([{ code, severity }]);
  });

  it.each([
    ['an error', { MODE: 'error' }, ROLLUP],
    ['another shape', {}, { ...ROLLUP, features: 'none' }],
  ])('is not proved by %s', async (_, env, result) => {
    const { at, PATH } = await vaultspec(ALL, env as Record<string, string>, result);
    const seen = await doctor(at, PATH);
    expect(seen.findings).toMatchObject([{ code: 'server/proof-failed', severity: 'error' }]);
  });

  it('may die, and its last words are shown', async () => {
    const { at, PATH } = await vaultspec(ALL, { MODE: 'dies' });
    const started = performance.now();
    const seen = await doctor(at, PATH);
    // A request that is left open would keep the run alive for its whole time limit of 90 s.
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(seen.findings).toMatchObject([
      { code: 'server/no-answer', message: expect.stringContaining('exit code 3): ModuleNotFoundError') },
    ]);
    expect(seen.code).toBe(1);
  });

  it('is not started where its launch is not trusted, its entry was changed, or its program is of the repository', async () => {
    const { at, PATH, calls } = await vaultspec(ALL, {}, ROLLUP, ['--set', 'ACCESS=read-only']);
    git(at.cwd, ['add', '-A']);
    git(at.cwd, ['commit', '-qm', 'Set up']);
    const other = { cwd: at.cwd, home: makeHome() };
    const untrusted = await doctor(other, PATH);
    expect(untrusted.check(SERVER)).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('not trusted'),
    });
    const inside = fakeClient(at.cwd, 'uvx', {});
    const own = await doctor(at, `${inside.bin}:${PATH}`);
    expect(own.check(SERVER)).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('file of this repository'),
    });
    const file = join(at.cwd, '.mcp.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"-P"', '"-I"'));
    const changed = await doctor(at, PATH);
    expect(changed.check(SERVER)).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('was changed'),
    });
    expect([calls(), inside.calls()]).toEqual([[], []]);
  });
});
