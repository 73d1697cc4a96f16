import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { git, gitRepo, scratch, stampsOf, treeHash, writeTree } from '../helpers/repo.ts';

// Every question is asked both ways, while an answer is kept and without one.
process.env['TENON_TEST_ANSWERS'] ??= 'compare';

const MCP = 'http://127.0.0.1:8765/mcp';

interface Found {
  readonly code: string;
  readonly severity: string;
  readonly subject: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A repository with one server added for these runtimes. */
async function added(runtimes: readonly string[], url = MCP, files: Record<string, string> = {}) {
  const at = { cwd: gitRepo({ 'README.md': 'x\n', ...files }), home: makeHome() };
  const flags = runtimes.flatMap((id) => ['--runtime', id]);
  const done = await runCli(['add', 'pantry', url, ...flags, '--yes', '--offline'], at);
  expect(done).toMatchObject({ code: 0 });
  return at;
}

const edit = (file: string, from: string, to: string): void => {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
  writeFileSync(file, text.replace(from, to));
};

describe('tenon doctor', () => {
  it('gives one document and changes nothing', async () => {
    const at = await added(['claude-code', 'codex']);
    const before = [treeHash(at.cwd, { git: true }), JSON.stringify(stampsOf(at.home))];
    const { code, stderr, document } = await runJson(['doctor', '--offline'], at);
    expect([treeHash(at.cwd, { git: true }), JSON.stringify(stampsOf(at.home))]).toEqual(before);
    expect([code, stderr]).toEqual([0, '']);
    expect(document).toMatchObject({ schema: 'tenon/doctor/v1', ok: true, exitCode: 0, error: null });
    const { checks, summary, state } = document.data;
    expect(state).toBe('ok');
    for (const status of ['pass', 'warn', 'fail', 'skip']) {
      expect(summary[status]).toBe(
        checks.filter((check: { status: string }) => check.status === status).length,
      );
    }
    expect(new Set(checks.map(({ id }: { id: string }) => id)).size).toBe(checks.length);
    expect(JSON.stringify(document)).not.toContain(at.home);
    expect(JSON.stringify(document)).not.toContain(at.cwd);
  });

  it('counts warnings under --strict alone, and shows paths on request', async () => {
    const at = await added(['claude-code']);
    expect((await runCli(['doctor', '--offline'], at)).code).toBe(0);
    const { code, document } = await runJson(['doctor', '--offline', '--strict', '--show-paths'], at);
    expect([code, document.ok, document.data.root]).toEqual([1, false, at.cwd]);
  });

  it('shows both values of an edited entry, credentials masked', async () => {
    const at = await added(['claude-code']);
    const file = join(at.cwd, '.mcp.json');
    edit(file, MCP, 'http://127.0.0.1:9/mcp');
    edit(file, '"type"', '"headers": { "X-Key": "tulip-1234-abcd" },\n      "type"');
    const { code, document, stdout } = await runJson(['doctor', '--offline'], at);
    const drift = document.findings.find((one: Found) => one.code === 'ownership/drifted');
    expect(drift.message).toContain(`url is "http://127.0.0.1:9/mcp", tenon wrote "${MCP}"`);
    expect(drift.data).toMatchObject({ file: '.mcp.json', line: 3 });
    expect([code, document.data.state]).toEqual([1, 'attention']);
    expect(stdout).not.toContain('tulip-1234');
  });

  it('reports an entry that somebody removed, without a failure', async () => {
    const at = await added(['claude-code']);
    writeFileSync(join(at.cwd, '.mcp.json'), '{\n  "mcpServers": {}\n}\n');
    const { code, document } = await runJson(['doctor', '--offline'], at);
    expect(document.findings.map((one: Found) => one.code)).toContain('ownership/removed');
    expect(code).toBe(0);
  });

  it('puts file and line where other programs look', async () => {
    const at = { cwd: gitRepo({ '.mcp.json': '{\n  "mcpServers": []\n}\n' }), home: makeHome() };
    const sarif = await runCli(['doctor', '--offline', '--format', 'sarif'], at);
    const [result] = JSON.parse(sarif.stdout).runs[0].results;
    expect(result.ruleId).toBe('config/shape');
    expect(result.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: '.mcp.json' },
      region: { startLine: 2, startColumn: 17 },
    });
    const github = await runCli(['doctor', '--offline', '--format', 'github'], at);
    expect(github.stdout).toMatch(/^::error [^:]*file=\.mcp\.json,line=2,col=17/);
    expect(github.stdout).toContain('title=config/shape');
    const junit = await runCli(['doctor', '--offline', '--format', 'junit'], at);
    expect(junit.stdout).toContain('<testcase classname="tenon.doctor" name="config/readable">');
    expect([sarif.code, github.code, junit.code]).toEqual([1, 1, 1]);
  });

  it('could not run outside of a repository', async () => {
    const { code, document } = await runJson(['doctor'], { cwd: scratch() });
    expect([code, document.error.code]).toEqual([2, 'repo/missing']);
  });

  it('shows nothing active of a hostile file on the terminal', async () => {
    const name = '\\u001b]0;owned\\u0007\\u202e';
    const at = {
      cwd: gitRepo({ '.mcp.json': `{"mcpServers": {"${name}": {"url": "https://x.example/"}}}` }),
      home: makeHome(),
    };
    const { stdout } = await runCli(['doctor', '--offline'], at);
    expect(stdout).toContain('config/entry-ignored');
    for (const active of ['\u001b', '\u0007', '\u202e']) expect(stdout).not.toContain(active);
  });
});

describe('tenon doctor and the network', () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  /** A server that counts what reaches it and is no MCP server. */
  async function counter(): Promise<{ url: string; count: () => number; headers: () => string }> {
    let count = 0;
    let headers = '';
    const server = createServer((request, response) => {
      count += 1;
      headers += JSON.stringify(request.headers);
      response.writeHead(500).end();
    });
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/mcp`, count: () => count, headers: () => headers };
  }

  it('asks an endpoint that this host set up, without credentials, and none with --offline', async () => {
    const { url, count, headers } = await counter();
    const at = await added(['claude-code'], url);
    const offline = await runJson(['doctor', '--offline'], at);
    expect([offline.code, count()]).toEqual([0, 0]);
    const skipped = offline.document.data.checks.find(({ id }: { id: string }) =>
      id.startsWith('endpoint/answers'),
    );
    expect(skipped).toMatchObject({ status: 'skip', message: 'not asked: --offline' });
    const online = await runJson(['doctor'], at);
    expect(count()).toBeGreaterThan(0);
    expect(headers()).not.toMatch(/authorization/i);
    expect(online.document.findings.map((one: Found) => one.code)).toContain('endpoint/server-error');
    expect(online.code).toBe(1);
  });

  it('does not ask a URL that the repository changed since', async () => {
    const [first, second] = [await counter(), await counter()];
    const at = await added(['claude-code'], first.url);
    edit(join(at.cwd, '.mcp.json'), first.url, second.url);
    await runJson(['doctor'], at);
    expect(second.count()).toBe(0);
  });

  it('does not ask anything in a clone on another host, unless --online', async () => {
    const { url, count } = await counter();
    const at = await added(['claude-code'], url);
    const clone = { cwd: scratch(), home: makeHome() };
    git(at.cwd, ['add', '-A']);
    git(at.cwd, ['commit', '-q', '-m', 'Set up']);
    git(clone.cwd, ['clone', '-q', at.cwd, 'here']);
    const there = { ...clone, cwd: join(clone.cwd, 'here') };
    const quiet = await runJson(['doctor'], there);
    expect([quiet.code, count()]).toEqual([0, 0]);
    expect(quiet.document.findings.map((one: Found) => one.code)).toContain('ownership/adoptable');
    await runJson(['doctor', '--online'], there);
    expect(count()).toBeGreaterThan(0);
  });
});

describe('tenon doctor on vera', () => {
  const FLAGS = ['--set', 'VERA_API_URL=http://127.0.0.1:8765', '--set', `VERA_MCP_URL=${MCP}`];

  async function vera(runtimes: readonly string[]) {
    const at = { cwd: gitRepo(), home: makeHome() };
    const flags = runtimes.flatMap((id) => ['--runtime', id]);
    const done = await runCli(['setup', 'vera', ...FLAGS, ...flags, '--yes', '--offline'], at);
    expect(done).toMatchObject({ code: 0 });
    return at;
  }

  it('finds every part in place and says what the tools still want', async () => {
    const at = await vera(['claude-code', 'codex', 'opencode']);
    const { code, document } = await runJson(['doctor', '--offline'], at);
    expect([code, document.data.state, document.data.summary.fail]).toEqual([0, 'ok', 0]);
    const { integrations } = document.data;
    for (const id of ['claude-code', 'codex', 'opencode']) {
      expect(integrations.vera[id].parts).toMatchObject({ server: 'ok', hook: 'ok', skill: 'ok' });
    }
    expect(integrations.vera['claude-code'].inTool).toBe('awaiting-approval');
    expect(integrations.vera.codex.inTool).toBe('untrusted');
    expect(integrations.vera.opencode.inTool).toBe('written');
    const scripts = document.data.checks.find(({ id }: { id: string }) => id === 'hooks/scripts');
    expect(scripts.status).toBe('pass');
    expect((await runCli(['doctor', '--offline'], at)).stdout).toMatch(/hook\s+✔\s+✔\s+✔/);
  });

  it('never looks into a script that somebody edited', async () => {
    const at = await vera(['claude-code']);
    appendFileSync(join(at.cwd, '.claude/hooks/vera-hook.cjs'), '\n= = =\n');
    const { code, document } = await runJson(['doctor', '--offline'], at);
    const scripts = document.data.checks.find(({ id }: { id: string }) => id === 'hooks/scripts');
    expect(scripts.status).toBe('skip');
    expect(document.findings.map((one: Found) => one.code)).toContain('ownership/drifted');
    expect(code).toBe(1);
  });

  it('starts no program of the repository', async () => {
    const at = await vera(['claude-code']);
    const mark = join(at.home, 'was-started');
    const file = join(at.cwd, 'node');
    writeFileSync(file, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(file, 0o755);
    const env = { PATH: `${at.cwd}:${process.env['PATH'] ?? ''}` };
    const { document } = await runJson(['doctor', '--offline', '--clients'], { ...at, env });
    const scripts = document.data.checks.find(({ id }: { id: string }) => id === 'hooks/scripts');
    expect(scripts.status).toBe('skip');
    expect(() => readFileSync(mark)).toThrow();
  });

  it("follows Codex's review of the hook: not trusted, trusted, changed since", async () => {
    const at = await vera(['codex']);
    const hooks = JSON.parse(readFileSync(join(at.cwd, '.codex/hooks.json'), 'utf8'));
    const [group] = hooks.hooks.SessionStart;
    const { command, timeout } = group.hooks[0];
    const identity = { async: false, command, timeout, type: 'command' };
    const hash = createHash('sha256')
      .update(JSON.stringify({ event_name: 'session_start', hooks: [identity], matcher: group.matcher }))
      .digest('hex');
    const state = async (trusted: string) => {
      const key = `${at.cwd}/.codex/hooks.json:session_start:0:0`;
      const text = `[projects."${at.cwd}"]\ntrust_level = "trusted"\n[hooks.state."${key}"]\ntrusted_hash = "sha256:${trusted}"\n`;
      writeTree(at.home, { '.codex/config.toml': { text, mode: 0o600 } });
      const { document } = await runJson(['doctor', '--offline'], at);
      const found = document.findings.find((one: Found) => one.code === 'host/hook-untrusted');
      return found?.data.state ?? 'trusted';
    };
    expect([await state(hash), await state('0'.repeat(64))]).toEqual(['trusted', 'modified']);
  });

  it('sees a broader rule behind ours in OpenCode', async () => {
    const at = await vera(['opencode']);
    const file = join(at.cwd, 'opencode.json');
    const config = JSON.parse(readFileSync(file, 'utf8'));
    config.permission['vera_*'] = 'allow';
    writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`);
    const { code, document } = await runJson(['doctor', '--offline'], at);
    const order = document.findings.filter((one: Found) => one.code === 'config/rule-order');
    expect(order.length).toBeGreaterThan(0);
    expect(order[0].message).toContain('vera_* in line');
    expect(code).toBe(1);
  });
});
