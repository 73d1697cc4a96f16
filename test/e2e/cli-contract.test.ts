import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, runCli, runJson, runTerminal } from '../helpers/cli.ts';
import { gitRepo } from '../helpers/repo.ts';

/** Looks like a token of GitHub, and is none. */
const TOKEN = `ghp_${'a1b2'.repeat(9)}`;

describe('exit codes and streams (case M03)', () => {
  it('prints the version on stdout, 0', async () => {
    expect(await runCli(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' });
    expect(await runCli(['-V'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  });

  it('prints help on stdout, 0 when it was asked for', async () => {
    const result = await runCli(['--help']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toContain('tenon setup vera');
    expect((await runCli(['help', 'setup'])).stdout).toBe((await runCli(['setup', '-h'])).stdout);
  });

  it.each([
    ['status'],
    ['status', '--all-roots'],
    ['doctor', '--offline'],
    ['uninstall', 'vera'],
    ['plan', 'vera'],
  ])('takes no runtime that is none: %s %s', async (...words) => {
    const { code, document } = await runJson([...words, '--runtime', 'codx'], { cwd: gitRepo() });
    expect(code).toBe(2);
    expect(document).toMatchObject({ error: { code: 'usage/unknown-runtime' } });
    expect(JSON.stringify(document)).toContain('did you mean codex?');
  });

  it.each([['sync', '--check'], ['adopt'], ['undo'], ['runtimes'], ['recover'], ['history']])(
    'takes no --runtime where it would mean nothing: %s %s',
    async (...words) => {
      const { code, document } = await runJson([...words, '--runtime', 'codex'], { cwd: gitRepo() });
      expect([code, document.error.code]).toEqual([2, 'usage/unknown-flag']);
    },
  );

  it.each([
    ['apply', 'no.plan', '--without', 'hooks', '--yes'],
    ['uninstall', 'vera', '--without', 'hooks', '--yes'],
    ['sync', '--check', '--yes'],
    ['plan', '--without', 'hooks'],
  ])('refuses a flag that it would ignore, and names who takes it: %s %s', async (...words) => {
    const { code, document } = await runJson(words, { cwd: gitRepo() });
    expect(code).toBe(2);
    expect(document.error.message).toMatch(/^--(without|yes) means nothing to tenon /);
  });

  it('prints help and exits 2 without a command', async () => {
    const result = await runCli([]);
    expect(result.code).toBe(2);
    expect(result.stdout).toContain('Usage');
  });

  it.each<[string, string[], string, string]>([
    ['an unknown command', ['setpu'], 'usage/unknown-command', 'setup'],
    ['an unknown flag', ['setup', 'vera', '--yse'], 'usage/unknown-flag', '--yes'],
    ['an unknown flag before the command', ['--jsno', 'status'], 'usage/unknown-flag', '--json'],
    ['a missing argument', ['validate'], 'usage/missing-argument', 'tenon validate'],
    ['an argument too many', ['explain', 'a/b', 'extra'], 'usage/unexpected-argument', 'Leave it out'],
    ['a flag without its value', ['status', '--scope'], 'usage/missing-value', '--scope'],
    ['a value that is no choice', ['status', '--scope', 'projct'], 'usage/bad-value', 'project'],
    ['a wrong action', ['state', 'exprot'], 'usage/bad-value', 'export'],
    ['a word behind --', ['status', '--', 'x'], 'usage/unexpected-argument', 'Leave it out'],
    ['a timeout that is no number', ['status', '--timeout', 'soon'], 'usage/bad-value', '5000'],
    [
      'half a digest',
      ['apply', 'x', '--approve', 'sha256:41c0b7e2'],
      'usage/bad-value',
      'Copy it from the plan',
    ],
    ['--set without =', ['setup', 'vera', '--set', 'X'], 'usage/bad-value', 'KEY=VALUE'],
    ['--resolve without a choice', ['setup', 'vera', '--resolve', 'a'], 'usage/bad-value', 'keep'],
    ['--without of nothing known', ['setup', 'vera', '--without', 'hook'], 'usage/bad-value', 'hooks'],
    [
      'a folder that is not there',
      ['explain', 'x/y', '-C', '/nowhere/at/all'],
      'usage/bad-value',
      'existing folder',
    ],
    ['an unknown code', ['explain', 'config/malfromed'], 'usage/unknown-code', 'config/malformed'],
    [
      'flags that exclude each other',
      ['doctor', '--offline', '--online'],
      'usage/conflicting-flags',
      'one of them',
    ],
  ])('answers %s with 2, a code and a way out', async (_, args, code, remedy) => {
    const result = await runCli(args);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(code);
    expect(result.stderr).toContain(remedy);
  });

  it('says of a root that is a file what it is', async () => {
    const { document } = await runJson(['status', '--root', process.execPath], { cwd: gitRepo() });
    expect(document.error.message).toMatch(/ is no folder\.$/);
  });

  it('never repeats a value that a mistyped flag carried', async () => {
    const result = await runCli(['setup', 'vera', '--tokn=hunter2']);
    expect(result.code).toBe(2);
    expect(result.stdout + result.stderr).not.toContain('hunter2');
  });

  it.each([
    [TOKEN],
    ['explain', TOKEN],
    ['status', '--runtime', TOKEN],
    ['status', '-C', TOKEN],
    ['setup', TOKEN],
    ['forget', TOKEN],
    ['add', 'docs', 'http://127.0.0.1:9/mcp', '--token-env', TOKEN],
    ['add', 'docs', `http://127.0.0.1:9/${TOKEN}/mcp`],
    ['add', TOKEN, 'http://127.0.0.1:9/mcp'],
  ])('never repeats a token that was pasted into the wrong place: %s %s', async (...words) => {
    const run = await runCli(words, { cwd: gitRepo() });
    expect([2, 4]).toContain(run.code);
    expect(run.stdout + run.stderr).not.toContain(TOKEN);
  });

  it('takes flags before and after the command', async () => {
    const after = await runCli(['explain', 'config/malformed', '--json']);
    expect(after.code).toBe(0);
    expect((await runCli(['--json', 'explain', 'config/malformed'])).stdout).toBe(after.stdout);
    expect((await runCli(['--timeout', '10', 'explain', '--json', 'config/malformed'])).stdout).toBe(
      after.stdout,
    );
  });
});

describe('JSON (case M02)', () => {
  it.each<[string[], string, number]>([
    [['explain', 'config/malformed'], 'tenon/explain/v1', 0],
    [['--version'], 'tenon/version/v1', 0],
    [['--help'], 'tenon/help/v1', 0],
    [[], 'tenon/error/v1', 2],
    [['setpu'], 'tenon/error/v1', 2],
    [['setup', '--yse'], 'tenon/error/v1', 2],
    [['explain', 'no/such'], 'tenon/explain/v1', 2],
  ])('is one document on stdout for %j', async (args, schema, exitCode) => {
    const { document, code, stdout, stderr } = await runJson(args);
    expect(document).toMatchObject({ schema, ok: exitCode === 0, exitCode, findings: [] });
    expect(code).toBe(exitCode);
    expect(document.error === null).toBe(exitCode === 0);
    expect(stdout.trimEnd()).not.toContain('\n');
    expect(stderr).toBe('');
  });

  it('beside another format is a usage error, still in JSON', async () => {
    const { document } = await runJson(['explain', 'config/malformed', '--format', 'sarif']);
    expect(document.error.code).toBe('usage/conflicting-flags');
    expect(document.exitCode).toBe(2);
  });

  it.each([{ FORCE_COLOR: '1' }, { FORCE_COLOR: '1', NO_COLOR: '1' }, { FORCE_COLOR: '3', CI: 'true' }])(
    'holds no colour codes with %j',
    async (env) => {
      const { stdout, stderr } = await runCli(['explain', 'no/such', '--json'], { env });
      expect(stdout + stderr).not.toContain('\u001b');
    },
  );

  it('arrives complete through a slow pipe, far beyond its buffer', async () => {
    const urls = '--set VERA_API_URL=http://127.0.0.1:9 --set VERA_MCP_URL=http://127.0.0.1:9/mcp';
    const { stdout } = await runShell(
      `git init -q && "$0" "$1" setup vera ${urls} --offline --runtime claude-code --runtime codex --runtime opencode --dry-run --json | (sleep 1; cat)`,
    );
    expect(stdout.length).toBeGreaterThan(65_536);
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, data: { plan: { isApplicable: true } } });
  });

  it('holds 1,000 findings behind a slow reader', async () => {
    const { stdout } = await runShell(
      [
        'git init -q',
        `"$0" -e 'const s = {}; for (let i = 0; i < 1000; i += 1) s["s" + i] = { url: "http://127.0.0.1:9/" + i }; require("fs").writeFileSync(".mcp.json", JSON.stringify({ mcpServers: s }))'`,
        '"$0" "$1" doctor --offline --json | (sleep 1; cat)',
      ].join(' && '),
    );
    const { findings } = JSON.parse(stdout);
    expect(findings.filter(({ code }: { code: string }) => code === 'config/entry-ignored')).toHaveLength(
      1000,
    );
  });
});

describe('colour and prompts off a terminal', () => {
  it('writes no escape and no carriage return into a pipe', async () => {
    const result = await runCli(['--help']);
    expect(result.stdout).not.toContain('\u001b');
    expect(result.stdout).not.toContain('\r');
  });

  it.each<[Record<string, string>, string[], boolean]>([
    [{ FORCE_COLOR: '1' }, [], true],
    [{ FORCE_COLOR: '0' }, [], false],
    [{ NO_COLOR: '1' }, [], false],
    [{ NO_COLOR: '', FORCE_COLOR: '1' }, [], true],
    [{ NO_COLOR: '1' }, ['--color'], true],
    [{ FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('follows %j and %j', async (env, flags, colour) => {
    const result = await runCli(['--help', ...flags], { env });
    expect(result.stdout.includes('\u001b[')).toBe(colour);
  });

  it('colours on a terminal, and not on a dumb one', async () => {
    expect((await runTerminal(['--help'], [])).raw).toContain('\u001b[1m');
    expect((await runTerminal(['--help'], [], { env: { TERM: 'dumb' } })).raw).not.toContain('\u001b');
    expect((await runTerminal(['--help'], [], { env: { NO_COLOR: '1' } })).raw).not.toContain('\u001b[1m');
  });

  it('uses ASCII glyphs where the locale is not UTF-8', async () => {
    expect((await runCli(['setpu'], { env: { LANG: 'C' } })).stderr).toMatch(/^x usage/);
    expect((await runCli(['setpu'])).stderr).toMatch(/^✖ usage/);
  });
});

describe('completion', () => {
  it.each([
    ['tenon un', 'uninstall undo'],
    ['tenon status --scope us', 'user'],
    ['tenon --json explain config/mal', 'config/malformed'],
    ['tenon runtimes open', 'opencode'],
    ['tenon sync --pru', '--prune'],
  ])('of bash answers %s', async (line, expected) => {
    const words = line.split(' ');
    const script = `source <("$0" "$1" completion bash); COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _tenon; echo "\${COMPREPLY[@]}"`;
    expect((await runShell(script, 'bash')).stdout.trim()).toBe(expected);
  });
});

describe('closed pipes and signals', () => {
  it('ends quietly when its reader goes away', async () => {
    const { stdout, stderr } = await runShell('"$0" "$1" --help | head -c 10; echo " end"');
    expect(stdout).toMatch(/ end\n$/);
    expect(stderr).toBe('');
  });

  it.each([[[]], [['--quiet']]])('ends the sandbox on Ctrl-C with 0, its address told: %j', async (flags) => {
    const result = await runTerminal(
      ['sandbox', '--port', '0', ...flags],
      [{ expect: 'Ctrl-C ends it', send: '\u0003' }],
    );
    expect(result.code).toBe(0);
  });
});

describe('questions', () => {
  const inputs = ['--set', 'VERA_API_URL=http://127.0.0.1:9', '--set', 'VERA_MCP_URL=http://127.0.0.1:9/mcp'];
  const setup = ['setup', 'vera', ...inputs, '--runtime', 'claude-code', '--offline'];

  /** A new repository with one file of the user's; the home lies beside it. */
  function makeRepo(): { home: string; cwd: string } {
    const home = makeHome();
    const cwd = join(home, 'shop');
    mkdirSync(cwd);
    execFileSync('git', ['init', '-q', cwd]);
    writeFileSync(join(cwd, '.mcp.json'), '{ "mcpServers": {} }\n');
    return { home, cwd };
  }
  const files = (cwd: string) => readdirSync(cwd).filter((name) => name !== '.git');

  it.each([
    ['Enter, since No is preselected', '\r'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['Escape', '\u001b'],
  ])('take %s as No: exit 3, nothing written', async (_, key) => {
    const repo = makeRepo();
    const result = await runTerminal(setup, [{ expect: 'Apply', send: key }], repo);
    expect(result.code).toBe(3);
    expect(result.screen).toContain('approval/declined');
    expect(files(repo.cwd)).toEqual(['.mcp.json']);
  });

  it('write after Yes', async () => {
    const repo = makeRepo();
    const result = await runTerminal(setup, [{ expect: 'Apply', send: '\u001b[B\r' }], repo);
    expect(result.code).toBe(0);
    expect(files(repo.cwd)).toContain('.tenon');
  });

  it.each(['y\n', 'yes\n\u001b[B\r', ''])('are not asked on a pipe, and %j is no answer', async (input) => {
    const repo = makeRepo();
    const result = await runCli(setup, { ...repo, input });
    expect(result.code).toBe(3);
    expect(result.stderr).toContain('approval/required');
    expect(files(repo.cwd)).toEqual(['.mcp.json']);
  });

  it.each([{ CI: 'true' }, { TERM: 'dumb' }])('are not asked at a terminal with %j', async (env) => {
    const repo = makeRepo();
    const result = await runTerminal(setup, [], { ...repo, env });
    expect(result.code).toBe(3);
    expect(files(repo.cwd)).toEqual(['.mcp.json']);
  });

  it('are not answered in the session of a coding agent', async () => {
    const repo = makeRepo();
    const result = await runTerminal(setup, [], { ...repo, env: { CODEX_THREAD_ID: 'x' } });
    expect(result.code).toBe(3);
    expect(result.screen).toContain('Codex');
    expect(files(repo.cwd)).toEqual(['.mcp.json']);
  });

  it('leave the plan in the document without a terminal', async () => {
    const { document } = await runJson(setup, makeRepo());
    expect(document).toMatchObject({
      schema: 'tenon/setup/v1',
      exitCode: 3,
      error: { code: 'approval/required' },
    });
    expect(document.data.plan.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('are spared by a patch that git applies to the same bytes', async () => {
    const [planned, written] = [makeRepo(), makeRepo()];
    for (const { cwd } of [planned, written]) {
      mkdirSync(join(cwd, '.codex'));
      writeFileSync(join(cwd, '.codex', 'config.toml'), '# ours\r\nmodel = "x" # why\r\n');
    }
    const both = [...inputs, '--runtime', 'claude-code', '--runtime', 'codex', '--offline'];
    const { stdout } = await runCli(['plan', 'vera', ...both, '--patch'], planned);
    execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: planned.cwd, input: stdout });
    expect((await runCli(['setup', 'vera', ...both, '--yes'], written)).code).toBe(0);
    for (const path of ['.mcp.json', '.codex/config.toml', '.claude/settings.json', '.tenon/manifest.json']) {
      expect(readFileSync(join(planned.cwd, path), 'utf8')).toBe(
        readFileSync(join(written.cwd, path), 'utf8'),
      );
    }
  });

  it('end with 130 on Ctrl-C before anything was written', async () => {
    const repo = makeRepo();
    // A server that takes the connection and never answers: the run waits for it.
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const slow = [
      '--set',
      `VERA_API_URL=http://127.0.0.1:${port}`,
      '--set',
      `VERA_MCP_URL=http://127.0.0.1:${port}/mcp`,
    ];
    const waiting = ['setup', 'vera', ...slow, '--runtime', 'claude-code'];
    const result = await runTerminal(waiting, [{ expect: 'Checking', send: '\u0003' }], repo);
    server.close();
    server.closeAllConnections();
    expect(result.code).toBe(130);
    expect(result.screen).toContain('Nothing was written.');
    expect(files(repo.cwd)).toEqual(['.mcp.json']);
  });
});

/** A shell line in which `$0` is Node and `$1` the program. */
async function runShell(line: string, shell = 'sh'): Promise<{ stdout: string; stderr: string }> {
  const home = makeHome();
  const child = spawn(shell, ['-c', line, process.execPath, BIN], {
    cwd: home,
    env: cleanEnv(home, { TENON_STATE_DIR: join(makeHome(), 'state') }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const result = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      result[name] += text;
    });
  }
  await new Promise((done) => child.on('close', done));
  return result;
}
