import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome } from '../helpers/cli.ts';
import { gitRepo, scratch, stampsOf, treeOf } from '../helpers/repo.ts';

const repo = gitRepo({
  'README.md': '# here\n',
  '.mcp.json': '{ "mcpServers": {} }\n',
  '.claude/x.md': 'x\n',
});
let home: string;
let client: Client;

async function connect(args: readonly string[] = []): Promise<Client> {
  const one = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args],
    cwd: repo,
    env: cleanEnv(home),
    stderr: 'pipe',
  });
  await one.connect(transport);
  return one;
}

async function call(name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError ?? false).toBe(false);
  // biome-ignore lint/suspicious/noExplicitAny: a document of several shapes
  return result.structuredContent as any;
}

beforeAll(async () => {
  home = makeHome();
  client = await connect();
});
afterAll(async () => {
  await client.close();
});

describe('tenon mcp with the official client', () => {
  it('lists its tools, all of them read-only', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'status',
      'doctor',
      'plan',
      'explain',
      'runtimes',
      'discover',
      'invoke',
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  });

  it('gives the status, with the command line that ran and no path of this machine', async () => {
    const result = await call('status');
    expect(result).toMatchObject({
      argv: ['tenon', 'status', '--json', '--no-input', '--root=<root>'],
      exitCode: 0,
      document: { schema: 'tenon/status/v1', data: { state: 'not-set-up' } },
      error: null,
    });
    expect(JSON.stringify(result)).not.toContain(repo);
  });

  it('plans, diagnoses, explains, lists and discovers', async () => {
    const plan = await call('plan', {
      integrations: ['vera'],
      runtimes: ['claude-code'],
      set: { VERA_API_URL: 'http://127.0.0.1:9', VERA_MCP_URL: 'http://127.0.0.1:9/mcp' },
    });
    expect(plan.document?.data.plan.digest ?? plan.truncated?.excerpt).toMatch(/sha256:/);
    expect((await call('doctor')).document.schema).toBe('tenon/doctor/v1');
    expect((await call('explain', { code: 'config/malformed' })).exitCode).toBe(0);
    expect((await call('runtimes', { id: 'codex' })).document.schema).toBe('tenon/runtimes/v1');
    expect((await call('discover', { query: 'what does a code mean' })).verbs[0].verb).toBe('explain');
    expect((await call('invoke', { verb: 'history' })).document.schema).toBe('tenon/history/v1');
  });

  it('answers a verb that ran and failed as a successful call with its kind of error', async () => {
    const result = await call('explain', { code: 'no/such-code' });
    expect(result).toMatchObject({ exitCode: 2, error: { kind: 'nonzero_exit' } });
    expect(result.document.error.code).toBe('usage/unknown-code');
  });

  it('takes a time limit of two minutes at most', async () => {
    const slow = await call('invoke', { verb: 'status', timeoutSeconds: 120 });
    expect(slow.error).toBeNull();
    await expect(call('invoke', { verb: 'status', timeoutSeconds: 121 })).rejects.toBeInstanceOf(McpError);
  });
});

describe('what an agent cannot reach', () => {
  const big = 'x'.repeat(10 * 1024 * 1024);
  const attempts: [string, Record<string, unknown>][] = [
    ['invoke', { verb: 'setup', positionals: ['vera'] }],
    ['invoke', { verb: 'sync' }],
    ['invoke', { verb: 'apply', positionals: ['plan.json'] }],
    ['invoke', { verb: 'uninstall' }],
    ['invoke', { verb: 'undo' }],
    ['invoke', { verb: 'recover' }],
    ['invoke', { verb: 'trust' }],
    ['invoke', { verb: 'adopt' }],
    ['invoke', { verb: 'state', positionals: ['repair'] }],
    ['invoke', { verb: 'mcp' }],
    ['invoke', { verb: 'sandbox' }],
    ['invoke', { verb: 'new', positionals: ['integration', 'x'] }],
    ['invoke', { verb: 'status setup' }],
    ['invoke', { verb: 'setup\n' }],
    ['invoke', { verb: ' setup' }],
    ['invoke', { verb: '--yes' }],
    ['invoke', { verb: '__proto__' }],
    ['invoke', { verb: '' }],
    ['invoke', { verb: 'plan', flags: { '--out': 'x.plan' } }],
    ['invoke', { verb: 'plan', flags: { '--out=x.plan': true } }],
    ['invoke', { verb: 'plan', positionals: ['--out=x.plan'] }],
    ['invoke', { verb: 'plan', positionals: ['vera', '--', 'x'] }],
    ['invoke', { verb: 'plan', positionals: ['-oxx'] }],
    ['invoke', { verb: 'plan', positionals: ['../../etc'] }],
    ['invoke', { verb: 'doctor', flags: { '--bundle': 'x.json' } }],
    ['invoke', { verb: 'doctor', flags: { '--clients': true } }],
    ['invoke', { verb: 'doctor', flags: { '--online': true } }],
    ['invoke', { verb: 'doctor', flags: { '--live': true } }],
    ['invoke', { verb: 'status', flags: { '--show-paths': true } }],
    ['invoke', { verb: 'status', flags: { '-C': '/' } }],
    ['invoke', { verb: 'status', flags: { '--root': '/' } }],
    ['invoke', { verb: 'status', flags: { '--all-roots': true } }],
    ['invoke', { verb: 'status', flags: { '--format': 'html' } }],
    ['invoke', { verb: ['setup'] }],
    ['invoke', { verb: 'status', argv: ['setup', 'vera', '--yes'] }],
    ['invoke', { verb: 'plan', positionals: { 0: '--yes' } }],
    ['invoke', { verb: 'explain', positionals: [big] }],
    ['plan', { integrations: ['--yes'] }],
    ['plan', { integrations: ['vera'], out: 'x.plan' }],
    ['plan', { set: { '--yes': '1' }, yes: true }],
    ['status', { root: '/' }],
    ['setup', { integrations: ['vera'] }],
    ['status; setup vera', {}],
  ];

  it(`refuses ${attempts.length} attempts as errors of the protocol, before any process`, async () => {
    const before = [stampsOf(repo), treeOf(home)];
    for (const [name, args] of attempts) {
      const error = await client.callTool({ name, arguments: args }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error, JSON.stringify([name, args]).slice(0, 200)).toBeInstanceOf(McpError);
      expect((error as McpError).code).toBe(ErrorCode.InvalidParams);
      expect((error as McpError).message.length).toBeLessThan(600);
    }
    expect([stampsOf(repo), treeOf(home)]).toEqual(before);
    expect((await call('status')).exitCode).toBe(0);
  }, 120_000);

  it('never takes a value for a flag of its own', async () => {
    const result = await call('invoke', { verb: 'status', flags: { '--runtime': ['--yes', '-C'] } });
    expect(result.argv).toContain('--runtime=--yes');
    expect(result.document.schema).toBe('tenon/status/v1');
  });
});

// Inspector 1; 2 asks for Node >= 22.19. Its command line alone is installed, and looks for the package around it.
describe('the command line of the MCP Inspector', () => {
  const modules = join(import.meta.dirname, '..', '..', 'node_modules');
  const around = scratch();
  const inspect = (...args: string[]) =>
    spawnSync(
      process.execPath,
      [join(around, 'inspector', 'cli', 'build', 'cli.js'), '--cli', process.execPath, BIN, 'mcp', ...args],
      { cwd: repo, env: cleanEnv(home), encoding: 'utf8', timeout: 60_000 },
    );

  beforeAll(() => {
    const cli = join(modules, '@modelcontextprotocol', 'inspector-cli');
    cpSync(cli, join(around, 'inspector', 'cli'), { recursive: true });
    symlinkSync(modules, join(around, 'node_modules'));
    const { version } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')) as { version: string };
    writeFileSync(
      join(around, 'inspector', 'package.json'),
      JSON.stringify({ name: '@modelcontextprotocol/inspector', version, type: 'module' }),
    );
  });

  it('lists the tools, calls one, and is refused what writes', () => {
    const listed = inspect('--method', 'tools/list');
    expect(JSON.parse(listed.stdout).tools.map(({ name }: { name: string }) => name)).toContain('invoke');
    const called = inspect('--method', 'tools/call', '--tool-name', 'status');
    expect(JSON.parse(called.stdout).structuredContent.document.schema).toBe('tenon/status/v1');
    const refused = inspect('--method', 'tools/call', '--tool-name', 'invoke', '--tool-arg', 'verb=setup');
    expect(refused.status).not.toBe(0);
    expect(refused.stderr + refused.stdout).toContain('no verb that can be reached');
  }, 120_000);
});

describe('the life of the server', () => {
  const start = (args: readonly string[] = [], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [BIN, 'mcp', ...args], {
      cwd: repo,
      env: cleanEnv(home, env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.stdin.on('error', () => {});
    return { child, text: () => ({ stdout, stderr }), ended: once(child, 'close') };
  };
  const send = (child: ReturnType<typeof start>['child'], message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const hello = {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };

  it('ends with 0 when its stdin ends, and has said nothing', async () => {
    const { child, text, ended } = start();
    child.stdin.end();
    expect((await ended)[0]).toBe(0);
    expect(text()).toEqual({ stdout: '', stderr: '' });
  });

  it('ends when the client dies in the middle of a call', async () => {
    const { child, ended } = start();
    send(child, hello);
    await once(child.stdout, 'data');
    send(child, { method: 'notifications/initialized' });
    send(child, { id: 2, method: 'tools/call', params: { name: 'doctor' } });
    child.stdout.destroy();
    child.stdin.end();
    expect((await ended)[0]).toBe(0);
  });

  it('ends on a signal', async () => {
    const { child, ended } = start();
    send(child, hello);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  });

  it('ends with one line of JSON on stderr when the named process is gone', async () => {
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'close');
    const { text, ended } = start(['--parent-pid', String(gone.pid)]);
    expect((await ended)[0]).toBe(0);
    const lines = text().stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ program: 'tenon mcp', event: 'watchdog-ended' });
    expect(text().stdout).toBe('');
  });

  it('serves on when the switch is off, and with a process id of nonsense', async () => {
    const both = [
      start(['--parent-pid', '4194000'], { TENON_MCP_WATCHDOG: 'off' }),
      start(['--parent-pid', 'junk']),
    ];
    await new Promise((go) => setTimeout(go, 5000));
    for (const { child, text, ended } of both) {
      send(child, hello);
      await once(child.stdout, 'data');
      expect(text().stdout).toContain('"serverInfo"');
      child.stdin.end();
      expect((await ended)[0]).toBe(0);
    }
  });

  it('answers garbage with nothing but a line on stderr, and serves on', async () => {
    const { child, text, ended } = start();
    child.stdin.write('this is no JSON\n');
    send(child, hello);
    await once(child.stdout, 'data');
    child.stdin.end();
    await ended;
    expect(JSON.parse(text().stdout).result.serverInfo.name).toBe('tenon');
    for (const line of text().stderr.trimEnd().split('\n'))
      expect(JSON.parse(line).event).toBe('protocol-error');
  });

  it('works where there is no repository, and says so', async () => {
    const empty = makeHome();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', '--cwd', empty],
      env: cleanEnv(home),
      stderr: 'pipe',
    });
    const one = new Client({ name: 'test', version: '1.0.0' });
    await one.connect(transport);
    const result = await one.callTool({ name: 'status', arguments: {} });
    await one.close();
    expect(result.structuredContent).toMatchObject({ exitCode: 2, error: { kind: 'nonzero_exit' } });
  });
});
