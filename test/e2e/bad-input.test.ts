import fs from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode, type Files, setupVera, VERA_URL } from '../helpers/bench.ts';
import { makeHome, runJson } from '../helpers/cli.ts';
import { git, scratch, stampsOf } from '../helpers/repo.ts';

/** A line of a stack trace, or a place in our own source. */
const TRACE = /\n\s+at .*:\d+:\d+|node:internal|\.mjs:\d/;

type Document = Awaited<ReturnType<typeof runJson>>['document'];

/** The run failed with this code; one JSON document, no trace of our source, and nothing on the disk moved. */
async function expectRefusal(
  repo: Bench,
  args: readonly string[],
  want: { exit: number; code: string; parts?: readonly (string | RegExp)[] },
): Promise<Document> {
  const [tree, stamps] = [repo.tree(), stampsOf(repo.root)];
  const run = await repo.json(args);
  expectCode(run, want.exit);
  expect(run.document).toMatchObject({
    schema: expect.stringMatching(/^tenon\/[a-z]+\/v1$/),
    ok: false,
    exitCode: want.exit,
    data: expect.any(Object),
    findings: expect.any(Array),
  });
  const { error } = run.document;
  expect(error.code, run.stdout).toBe(want.code);
  expect(error.remedy.text).not.toBe('');
  for (const part of want.parts ?? []) expect(error.message).toMatch(part);
  expect(run.stdout + run.stderr).not.toMatch(TRACE);
  expect(repo.tree()).toEqual(tree);
  expect(stampsOf(repo.root)).toEqual(stamps);
  // What a person reads of the same run.
  const human = await repo.warm(args);
  expectCode(human, want.exit);
  expect(human.stderr).toContain(want.code);
  expect(human.stdout + human.stderr).not.toMatch(TRACE);
  expect(stampsOf(repo.root)).toEqual(stamps);
  return run.document;
}

const NEIGHBOUR = { '.cursor/mcp.json': '{ "mcpServers": {} }\n' };

describe('a file that cannot be edited', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it.each<[string, string, string | Buffer, string, RegExp]>([
    ['cut off', '.mcp.json', '{\n  "mcpServers": {\n    "a": {\n', 'config/malformed', /\.mcp\.json:4:1/],
    [
      'with a comment where none may be',
      '.mcp.json',
      '{\n  // no\n  "mcpServers": {}\n}\n',
      'host/file-ignored',
      /\.mcp\.json/,
    ],
    [
      'with a single quote',
      '.vscode/mcp.json',
      "{\n  'servers': {}\n}\n",
      'config/malformed',
      /mcp\.json:2:3/,
    ],
    ['with text behind the value', '.mcp.json', '{}\n{}\n', 'config/malformed', /\.mcp\.json:2:1/],
    [
      'in a merge conflict',
      '.mcp.json',
      '{\n  "mcpServers": {\n<<<<<<< ours\n    "a": {}\n=======\n    "b": {}\n>>>>>>> theirs\n  }\n}\n',
      'config/merge-conflict',
      /\.mcp\.json:3:1 merge conflict/,
    ],
    [
      'in a merge conflict, TOML',
      '.codex/config.toml',
      'model = "a"\n<<<<<<< ours\n[a]\n=======\n[b]\n>>>>>>> theirs\n',
      'config/merge-conflict',
      /config\.toml:2:1/,
    ],
    [
      'with our container twice',
      '.mcp.json',
      '{\n  "mcpServers": {},\n  "mcpServers": {}\n}\n',
      'config/duplicate-key',
      /\.mcp\.json:3:3/,
    ],
    [
      'with our entry twice',
      '.mcp.json',
      '{\n  "mcpServers": {\n    "vera": {},\n    "vera": {}\n  }\n}\n',
      'config/duplicate-key',
      /\.mcp\.json:4:5/,
    ],
    [
      'with null as container',
      '.mcp.json',
      '{\n  "mcpServers": null\n}\n',
      'config/shape',
      /json:2:17 mcpServers must be an object.*null/,
    ],
    [
      'with an array as container',
      '.mcp.json',
      '{\n  "mcpServers": [\n  ]\n}\n',
      'config/shape',
      /json:2:17.*array/,
    ],
    ['with a number as container', '.vscode/mcp.json', '{ "servers": 3 }\n', 'config/shape', /json:1:14/],
    ['that is an array', '.mcp.json', '[]\n', 'config/shape', /json:1:1/],
    [
      'with an array of tables',
      '.codex/config.toml',
      'model = "m"\n[[mcp_servers]]\nname = "a"\n',
      'config/shape',
      /toml:2:1.*array of tables/,
    ],
    ['with a string as table', '.codex/config.toml', 'mcp_servers = "x"\n', 'config/shape', /toml:1:\d+/],
    [
      'with a path in double quotes',
      '.codex/config.toml',
      '[mcp_servers.a]\n\ncommand = "C:\\Users\\kim\\a.exe"\n',
      'config/malformed',
      /toml:3:14.*backslash/,
    ],
    [
      'with a key twice, TOML',
      '.codex/config.toml',
      '[mcp_servers.a]\ncommand = "a"\n[mcp_servers.a]\n',
      'config/duplicate-key',
      /toml:3:\d+/,
    ],
    [
      'with a table that is never closed',
      '.codex/config.toml',
      '[mcp_servers.a\ncommand = "a"\n',
      'config/malformed',
      /toml:1:\d+/,
    ],
    [
      'that is not UTF-8',
      '.mcp.json',
      Buffer.from('{\n "a": "\xfc"\n}\n', 'latin1'),
      'file/encoding',
      /0xFC.*line 2, column 8/,
    ],
    ['that is UTF-16', '.mcp.json', Buffer.from('\uFEFF{}', 'utf16le'), 'file/encoding', /UTF-16/],
    ['above 5 MB', '.mcp.json', `{ "a": "${'x'.repeat(5_300_000)}" }`, 'file/too-large', /\.mcp\.json/],
    [
      'above 1 MB, TOML',
      '.codex/config.toml',
      `a = "${'x'.repeat(1_100_000)}"\n`,
      'file/too-large',
      /config\.toml/,
    ],
    ['nested too deep', '.mcp.json', `{ "a": ${nested(3000)} }\n`, 'config/too-deep', /\.mcp\.json/],
    [
      'nested too deep, TOML',
      '.codex/config.toml',
      `a = ${nested(3000)}\n`,
      'config/too-deep',
      /config\.toml/,
    ],
  ])('%s', async (_, file, text, code, reason) => {
    const repo = bench({ ...NEIGHBOUR, [file]: Buffer.from(text as string) });
    const runtimes = { '.codex/config.toml': 'codex', '.vscode/mcp.json': 'vscode' }[file] ?? 'claude-code';
    await expectRefusal(repo, addVera(['cursor', runtimes]), { exit: 4, code, parts: [reason] });
  });

  it.each<[string, Files, string, RegExp]>([
    [
      'read-only by its mode',
      { '.mcp.json': { text: '{}\n', mode: 0o444 } },
      'file/read-only',
      /\.mcp\.json/,
    ],
    ['a dangling link', { '.mcp.json': { link: 'gone.json' } }, 'file/dangling-link', /\.mcp\.json/],
    ['a folder', { '.mcp.json': { directory: true } }, 'file/not-a-file', /\.mcp\.json/],
    ['below a file that stands for its folder', { '.vscode': 'x\n' }, 'file/not-a-file', /\.vscode/],
    [
      'a hard link',
      { '.mcp.json': '{}\n', 'b.json': { hardLink: '.mcp.json' } },
      'file/hard-linked',
      /\.mcp\.json/,
    ],
    [
      'a link out of the repository',
      { '.mcp.json': { link: '../home/x.json' } },
      'file/outside',
      /\.mcp\.json/,
    ],
  ])('%s', async (name, files, code, reason) => {
    const repo = bench({ ...NEIGHBOUR, ...files }, { home: { 'x.json': '{}\n' } });
    const runtime = name.includes('folder') && '.vscode' in files ? 'vscode' : 'claude-code';
    await expectRefusal(repo, addVera(['cursor', runtime]), { exit: 4, code, parts: [reason] });
    expect(fs.readFileSync(path.join(repo.home, 'x.json'), 'utf8')).toBe('{}\n');
  });
});

describe('a place that is no work tree', () => {
  it('a bare repository', async () => {
    const folder = scratch();
    git(folder, ['init', '-q', '--bare', 'bare.git']);
    const run = await runJson(addVera(['claude-code']), { cwd: path.join(folder, 'bare.git') });
    expect(run.document.error).toMatchObject({ code: 'repo/bare' });
    expectCode(run, 2);
  });

  it('no repository at all', async () => {
    const home = makeHome();
    const run = await runJson(addVera(['claude-code']), { cwd: home, home });
    expect(run.document.error).toMatchObject({ code: 'repo/missing' });
    expect(JSON.stringify(run.document.error.remedy)).toMatch(/git init|--root/);
    expectCode(run, 2);
    expect(fs.readdirSync(home).filter((name) => name !== '.local')).toEqual([]);
  });
});

describe('a word that is not known', () => {
  it.each<[string, string[], number, string, RegExp]>([
    ['a runtime', addVera(['claud-code']), 2, 'usage/unknown-runtime', /claude-code/],
    ['an integration', ['setup', 'vear', '--yes'], 2, 'integration/unknown', /vera/],
    [
      'an input',
      [...setupVera(['claude-code']), '--set', 'SAVE_MDOE=off'],
      2,
      'usage/unknown-input',
      /SAVE_MODE/,
    ],
    [
      'a value of an input',
      [...setupVera(['claude-code']), '--set', 'SAVE_MODE=of'],
      4,
      'input/invalid',
      /off/,
    ],
    ['a flag', ['setup', 'vera', '--offlin'], 2, 'usage/unknown-flag', /--offline/],
    ['a command', ['unistall', 'vera'], 2, 'usage/unknown-command', /uninstall/],
  ])('%s is refused with a suggestion', async (_, args, exit, code, suggestion) => {
    const repo = bench({ '.mcp.json': '{}\n' });
    const { error } = await expectRefusal(repo, args, { exit, code });
    expect(JSON.stringify(error)).toMatch(suggestion);
  });
});

describe('a URL', () => {
  const setup = (url: string): string[] => [
    'setup',
    'vera',
    '--set',
    'VERA_API_URL=http://127.0.0.1:8765',
    '--set',
    `VERA_MCP_URL=${url}`,
    '--runtime',
    'claude-code',
    '--offline',
    '--yes',
  ];

  it.each<[string, string]>([
    ['with a password', 'https://kim:hunter2@vera.example.com/mcp'],
    ['with a token as user', 'https://hunter2@vera.example.com/mcp'],
    ['with a query', 'https://vera.example.com/mcp?key=hunter2'],
    ['with a fragment', 'https://vera.example.com/mcp#hunter2'],
    ['without TLS to another host', 'http://vera.example.com/mcp'],
    ['with another path', 'https://vera.example.com/api'],
    ['with more behind /mcp', 'https://vera.example.com/mcp/x'],
    ['of another scheme', 'ftp://vera.example.com/mcp'],
    ['that is none', 'vera dot example'],
  ])('%s is refused for VERA, and never repeated', async (_, url) => {
    const repo = bench({ '.mcp.json': '{}\n' });
    const run = await repo.json(setup(url));
    expectCode(run, 4);
    expect(run.document.error.code).toMatch(/^(input|endpoint)\//);
    expect(run.stdout + run.stderr).not.toContain('hunter2');
    expect(repo.tree()).toEqual({ '.mcp.json': expect.any(String) });
  });

  it.each(['http://kim:hunter2@127.0.0.1:1/mcp', 'file:///etc/passwd', 'http//x'])(
    '%s is refused by add',
    async (url) => {
      const repo = bench();
      const run = await repo.json(['add', 'x', url, '--runtime', 'claude-code', '--offline', '--yes']);
      expectCode(run, 4);
      expect(run.stdout + run.stderr).not.toContain('hunter2');
      expect(repo.tree()).toEqual({});
    },
  );

  const token = `ghp_${'a1B2'.repeat(9)}`;
  it.each([
    ['--header', `Authorization: Bearer ${token}`, [VERA_URL]],
    ['--env', `API_KEY=${token}`, ['--', 'x-mcp']],
    ['arguments', '', ['--', 'x-mcp', `--api-key=${token}`]],
  ])('a secret in %s is refused with the reference to use', async (flag, value, target) => {
    const repo = bench();
    const given = value === '' ? [] : [flag, value];
    const args = ['add', 'x', ...given, '--runtime', 'claude-code', '--offline', '--yes', ...target];
    const run = await repo.json(args);
    expectCode(run, 4);
    expect(run.document.error.code).toBe('secret/literal');
    expect(run.stdout + run.stderr).not.toContain(token);
    expect(repo.tree()).toEqual({});
  });
});

describe('an endpoint', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  async function serve(answer: RequestListener): Promise<string> {
    const server = createServer(answer);
    servers.push(server);
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const answering = (status: number, headers: Record<string, string> = {}): RequestListener => {
    return (_, response) => response.writeHead(status, headers).end();
  };

  it.each<[string, RequestListener | undefined]>([
    ['is down', undefined],
    ['hangs', () => {}],
    ['redirects', answering(307, { location: 'http://127.0.0.1:1/mcp' })],
    ['answers 404', answering(404)],
    ['answers 500', answering(500)],
    ['answers 503', answering(503)],
    ['answers with a page', (_, response) => response.setHeader('content-type', 'text/html').end('<p>hello')],
  ])('that %s stops setup before anything is written', async (_, answer) => {
    const url = answer === undefined ? 'http://127.0.0.1:1' : await serve(answer);
    const repo = bench({ '.mcp.json': '{}\n' });
    const before = repo.stamps();
    const run = await repo.json([
      'setup',
      'vera',
      '--set',
      `VERA_API_URL=${url}`,
      '--set',
      `VERA_MCP_URL=${url}/mcp`,
      '--runtime',
      'claude-code',
      '--yes',
      '--timeout',
      '500',
    ]);
    expectCode(run, 4);
    expect(run.document.error.code).toMatch(/^endpoint\//);
    expect(run.document.error.message).toContain('127.0.0.1');
    expect(stampsOf(repo.root)).toEqual(
      Object.fromEntries(Object.entries(before).filter(([name]) => !name.startsWith('state:'))),
    );
  });
});
