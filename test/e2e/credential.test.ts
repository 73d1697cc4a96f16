import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runCli, runJson, runTerminal, type TerminalStep } from '../helpers/cli.ts';
import { git, gitRepo, scratch, treeOf } from '../helpers/repo.ts';
import { sandbox } from './endpoint-servers.ts';

const RUNTIMES = [
  ['claude-code', '.mcp.json'],
  ['codex', '.codex/config.toml'],
  ['opencode', 'opencode.json'],
] as const;

const DOWN = '\u001b[B';
const APPROVE: TerminalStep = { expect: /Apply .*\?/, send: `${DOWN}\r` };

async function place(runtime: string, extra: readonly string[] = []) {
  const server = await sandbox({ auth: 'remote-authenticated' });
  const root = gitRepo();
  const home = makeHome();
  const args = [
    'setup',
    'vera',
    '--runtime',
    runtime,
    '--set',
    `VERA_API_URL=${server.apiUrl}`,
    '--set',
    `VERA_MCP_URL=${server.mcpUrl}`,
    '--set',
    'AUTH=token-file',
    ...extra,
  ];
  return { server, root, home, args, options: { cwd: root, home } };
}

describe.each(RUNTIMES)('a token that is entered for %s', (runtime, file) => {
  it('stands in an untracked, excluded, private file, and leaves without a trace', async () => {
    const { server, root, home, args, options } = await place(runtime);
    const before = treeOf(root, { git: false });
    const exclude = readFileSync(join(root, '.git/info/exclude'));
    const run = await runTerminal(
      args,
      [
        { expect: 'What may the token do?', send: '\r' },
        APPROVE,
        { expect: 'not shown', send: `${server.apiKey}\r` },
      ],
      options,
    );
    expect(run.screen).toContain('does not expire');
    expect(run.code, run.screen).toBe(0);
    const text = readFileSync(join(root, file), 'utf8');
    const token = /Bearer ([\w.-]+)/.exec(text)?.[1] ?? '';
    expect(token.split('.')).toHaveLength(3);
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).scope).toBe(
      'memory:read',
    );
    expect(statSync(join(root, file)).mode & 0o777).toBe(0o600);
    expect(git(root, ['status', '--porcelain', '--untracked-files=all'])).not.toContain(file);
    expect(readFileSync(join(root, '.git/info/exclude'), 'utf8')).toContain(`/${file}\n`);
    expect(run.raw).not.toContain(token);
    expect(run.raw).not.toContain(server.apiKey);
    expect(server.seen.filter(({ path }) => path.endsWith('/mcp')).length).toBeGreaterThan(0);
    const status = await runJson(['status'], options);
    expect(status.document.data.state, status.stdout).toBe('ok');
    const live = await runJson(['doctor', '--live'], options);
    expect(JSON.stringify(live.document.findings), live.stdout).toContain('may READ;');
    expect(live.stdout).not.toContain(token);
    const again = await runJson([...args, '--yes'], options);
    expect(again.code, again.stdout).toBe(0);
    expect(again.document.data.plan.isEmpty).toBe(true);
    const out = await runJson(['uninstall', '--yes'], options);
    expect(out.code, out.stderr + out.stdout).toBe(0);
    // The token is gone from here, and only its server can end it.
    const left = out.document.findings.find(
      ({ code, subject }: { code: string; subject: string }) =>
        code === 'uninstall/leftover' && subject.startsWith(`${file}#`),
    );
    expect(left?.message, out.stdout).toContain('stays valid at its server');
    expect(out.stdout).not.toContain(token);
    expect(treeOf(root, { git: false })).toEqual(before);
    expect(readFileSync(join(root, '.git/info/exclude'))).toEqual(exclude);
    expect(home).toBeTruthy();
  }, 120_000);

  it('is nothing that another clone could miss', async () => {
    const { server, root, args, options } = await place(runtime);
    const enter: TerminalStep[] = [
      { expect: 'What may the token do?', send: '\r' },
      APPROVE,
      { expect: 'not shown', send: `${server.apiKey}\r` },
    ];
    expect((await runTerminal(args, enter, options)).code).toBe(0);
    git(root, ['add', '-A']);
    git(root, ['commit', '-qm', 'VERA']);
    expect(git(root, ['ls-files'])).not.toContain(file);
    const clone = scratch();
    git(clone, ['clone', '-q', root, 'there']);
    const there = { cwd: join(clone, 'there'), home: makeHome() };
    const check = await runJson(['sync', '--check'], there);
    expect(check.document.findings.map(({ code }: { code: string }) => code)).toContain(
      'credential/not-here',
    );
    expect(check.code, check.stdout).toBe(0);
    expect(check.document.data.differs).toBe(false);
  }, 120_000);

  it('is replaced by --rotate, and nothing else changes', async () => {
    const { server, root, args, options } = await place(runtime);
    const enter: TerminalStep[] = [
      { expect: 'What may the token do?', send: '\r' },
      APPROVE,
      { expect: 'not shown', send: `${server.apiKey}\r` },
    ];
    expect((await runTerminal(args, enter, options)).code).toBe(0);
    const first = readFileSync(join(root, file), 'utf8');
    const other = await server.authority?.mint({ expiresIn: 3000 });
    const rotated = await runTerminal(
      [...args, '--rotate', '--existing-token'],
      [APPROVE, { expect: 'MCP token', send: `${other ?? ''}\r` }],
      options,
    );
    expect(rotated.code, rotated.screen).toBe(0);
    const second = readFileSync(join(root, file), 'utf8');
    expect(second).toContain(other);
    const blank = (text: string) => text.replace(/Bearer [\w.-]+/, 'Bearer X');
    expect(blank(second)).toBe(blank(first));
    expect(second).not.toBe(first);
    const out = await runCli(['uninstall', '--yes'], options);
    expect(out.code, out.stderr).toBe(0);
    expect(existsSync(join(root, file))).toBe(false);
  }, 120_000);
});

it('shows its place in a plan by name, and leaves with undo', async () => {
  const { server, root, args, options } = await place('claude-code', ['--set', 'SCOPES=memory:read']);
  const plan = await runJson(['plan', ...args.slice(1)], options);
  expect(plan.document.data.plan.files.map(({ diff }: { diff: string }) => diff).join('')).toContain(
    'Bearer <VERA_MCP_JWT>',
  );
  const before = treeOf(root, { git: true });
  const enter = [APPROVE, { expect: 'not shown', send: `${server.apiKey}\r` }];
  const run = await runTerminal(args, enter, options);
  expect(run.code, run.screen).toBe(0);
  // The digest is that of the plan with the name in it.
  expect(run.screen).toContain(plan.document.data.plan.digest);
  const other = readFileSync(join(root, '.mcp.json'), 'utf8').replace('/mcp"', '/other/mcp"');
  const kept = readFileSync(join(root, '.mcp.json'));
  writeFileSync(join(root, '.mcp.json'), other);
  const moved = await runTerminal([...args, '--rotate'], [], options);
  expect(moved.code, moved.screen).toBe(4);
  expect(moved.screen).toContain('credential/not-literal');
  writeFileSync(join(root, '.mcp.json'), kept);
  const undo = await runCli(['undo', '--yes'], options);
  expect(undo.code, undo.stderr).toBe(0);
  expect(treeOf(root, { git: true })).toEqual(before);
}, 120_000);

describe('a token is refused', () => {
  it.each([[['--yes']], [['--yes', '--json']]])('without a terminal: %s', async (flags) => {
    const { root, args, options } = await place('claude-code');
    const before = treeOf(root, { git: true });
    const run = await runCli([...args, ...flags], { ...options, input: 'vera_x.y\n' });
    expect(run.code, run.stderr).toBe(3);
    expect(run.stderr + run.stdout).toContain('credential/interactive-only');
    expect(treeOf(root, { git: true })).toEqual(before);
  });

  it('in a session of a coding agent', async () => {
    const { root, args, options } = await place('claude-code');
    const before = treeOf(root, { git: true });
    const run = await runTerminal([...args, '--yes'], [], { ...options, env: { CLAUDECODE: '1' } });
    expect(run.code).toBe(3);
    expect(run.screen).toContain('credential/interactive-only');
    expect(treeOf(root, { git: true })).toEqual(before);
  });

  it('in a tracked and in a staged file', async () => {
    const { root, args, options } = await place('claude-code', ['--set', 'SCOPES=memory:read']);
    writeFileSync(join(root, '.mcp.json'), '{}\n');
    chmodSync(join(root, '.mcp.json'), 0o600);
    git(root, ['add', '.mcp.json']);
    const before = treeOf(root, { git: false });
    const staged = await runTerminal(args, [], options);
    expect(staged.code).toBe(4);
    expect(staged.screen).toContain('credential/tracked');
    git(root, ['commit', '-qm', 'x']);
    const tracked = await runTerminal(args, [], options);
    expect(tracked.code).toBe(4);
    expect(treeOf(root, { git: false })).toEqual(before);
  }, 120_000);

  it('for an entry that somebody pointed at another server', async () => {
    const { server, root, args, options } = await place('opencode', ['--set', 'SCOPES=memory:read']);
    const plain = args.map((one) => (one === 'AUTH=token-file' ? 'AUTH=client' : one));
    expect((await runJson([...plain, '--yes'], options)).code).toBe(0);
    const file = join(root, 'opencode.json');
    const other = readFileSync(file, 'utf8').replace('/mcp"', '/elsewhere/mcp"');
    writeFileSync(file, other);
    chmodSync(file, 0o600);
    const asked = server.seen.length;
    // Approved, and refused before a key is asked for.
    const run = await runTerminal(args, [APPROVE], options);
    expect(run.code, run.screen).toBe(4);
    expect(run.screen).toContain('credential/other-url');
    expect(run.screen).toContain(server.mcpUrl);
    expect(readFileSync(file, 'utf8')).toBe(other);
    expect(server.seen.slice(asked).some(({ path }) => path.includes('mcp-token'))).toBe(false);
  }, 120_000);

  it('in a file that others can read, or that holds the placeholder', async () => {
    const { root, args, options } = await place('claude-code', ['--set', 'SCOPES=memory:read']);
    writeFileSync(join(root, '.mcp.json'), '{}\n');
    chmodSync(join(root, '.mcp.json'), 0o644);
    const open = await runTerminal(args, [], options);
    expect(open.code).toBe(4);
    expect(open.screen).toContain('credential/file-mode');
    writeFileSync(join(root, '.mcp.json'), '{"note":"<VERA_MCP_JWT>"}\n');
    chmodSync(join(root, '.mcp.json'), 0o600);
    const double = await runTerminal(args, [], options);
    expect(double.code).toBe(4);
    expect(double.screen).toContain('credential/placeholder');
    expect(readFileSync(join(root, '.mcp.json'), 'utf8')).toBe('{"note":"<VERA_MCP_JWT>"}\n');
  }, 120_000);

  it.each([
    ['a key that the server does not know', 'vera_abc.wrongwrong', {}, 'endpoint/key-refused'],
    ['no key at all', 'hello', {}, 'endpoint/key-malformed'],
    ['a token of two segments', undefined, { accessToken: 'aa.bb' }, 'endpoint/token-unusable'],
    ['an answer without expires_in', undefined, { omitExpiresIn: true }, 'endpoint/token-unusable'],
    ['a token with a line end', undefined, { accessToken: 'aa.bb.cc\r\nX: y' }, 'endpoint/token-unusable'],
    [
      'a token that the server then rejects',
      undefined,
      { accessToken: 'aa.bb.cc' },
      'endpoint/token-rejected',
    ],
  ] as const)(
    '%s',
    async (_, key, token, code) => {
      const { server, root, args, options } = await place('codex', ['--set', 'SAVE_MODE=off']);
      server.update({ token });
      const before = treeOf(root, { git: true });
      const run = await runTerminal(
        args,
        [APPROVE, { expect: 'not shown', send: `${key ?? server.apiKey}\r` }],
        options,
      );
      expect(run.code, run.screen).toBe(4);
      expect(run.screen).toContain(code);
      expect(treeOf(root, { git: true })).toEqual(before);
      if (code === 'endpoint/token-rejected') expect(run.screen).toContain('A token was issued');
    },
    120_000,
  );
});
