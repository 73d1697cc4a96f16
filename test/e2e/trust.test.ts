import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, runCli, runJson, runTerminal } from '../helpers/cli.ts';
import { gitRepo, treeHash, writeTree } from '../helpers/repo.ts';

// Every question is asked both ways, while an answer is kept and without one.
process.env['TENON_TEST_ANSWERS'] ??= 'compare';

const DEFINITION = {
  schemaVersion: 1,
  id: 'acme',
  version: '1.0.0',
  title: 'Acme',
  summary: 'a server of this repository',
  artifacts: [
    {
      kind: 'mcp-server',
      name: 'server',
      server: 'acme',
      stdio: { command: 'node', args: ['tools/acme/server.mjs', '--all'], env: { MODE: 'fast' } },
    },
  ],
};

const acme = (change: object = {}): string => JSON.stringify({ ...DEFINITION, ...change });

const repoWithTool = (): string =>
  gitRepo({
    'tools/acme/integration.json': acme(),
    'tools/acme/server.mjs': 'process.exit(0);\n',
  });

const TRUST = ['trust', './tools/acme', '--runtime', 'claude-code'];
const SETUP = ['setup', './tools/acme', '--runtime', 'claude-code', '--offline'];
const QUESTION = /Trust this item on this host/;
/** Yes is the left one of the two answers. */
const YES = '\u001b[D\r';

const trustFolder = (home: string): string => join(home, '.local/state/tenon/trust');
const grantsIn = (home: string): string[] =>
  existsSync(trustFolder(home)) ? readdirSync(trustFolder(home)) : [];

const grant = (cwd: string, home: string) =>
  runTerminal(TRUST, [{ expect: QUESTION, send: YES }], { cwd, home });

describe('granting at a terminal', () => {
  test('shows the whole launch, asks with No preselected, and grants what was shown', async () => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    const refused = await runCli([...SETUP, '--yes'], { cwd, home });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('tenon trust ./tools/acme --runtime claude-code');

    const answered = await grant(cwd, home);
    expect(answered.code).toBe(0);
    expect(answered.screen).toContain('node tools/acme/server.mjs --all');
    expect(answered.screen).toContain('"MODE": "fast"');
    expect(answered.screen).toContain('.mcp.json#/mcpServers/acme');
    expect(answered.screen).toContain('executes');
    expect(answered.screen).toMatch(/binds\s+tools\/acme\/server\.mjs\s+sha256:[0-9a-f]{64}/);
    expect(answered.screen).toMatch(/digest\s+sha256:[0-9a-f]{64}/);

    const [name] = grantsIn(home);
    const file = join(trustFolder(home), name ?? '');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const written = await runCli([...SETUP, '--yes'], { cwd, home });
    expect(written.code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, '.mcp.json'), 'utf8')).mcpServers.acme.command).toBe('node');
    expect((await runCli(['status'], { cwd, home })).code).toBe(0);
  });

  test.each([
    ['Enter, which is No', '\r'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['n', 'n'],
  ])('%s declines: exit 3, no grant, no file', async (_, send) => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    const before = treeHash(cwd);
    const answered = await runTerminal(TRUST, [{ expect: QUESTION, send }], { cwd, home });
    expect(answered.code).toBe(3);
    expect(grantsIn(home)).toEqual([]);
    expect(treeHash(cwd)).toBe(before);
  });

  test('a definition that is swapped while the question stands is not what was granted', async () => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    // The answer is read when the question stands on the screen, so the swap comes after the display.
    const swapping = {
      expect: QUESTION,
      get send() {
        writeFileSync(join(cwd, 'tools/acme/integration.json'), acme({ summary: 'something else' }));
        return YES;
      },
    };
    const swapped = await runTerminal(TRUST, [swapping], { cwd, home });
    expect(swapped.code).toBe(0);
    expect(grantsIn(home)).toHaveLength(1);
    expect((await runCli([...SETUP, '--yes'], { cwd, home })).code).toBe(3);
    writeFileSync(join(cwd, 'tools/acme/integration.json'), acme());
    expect((await runCli([...SETUP, '--yes'], { cwd, home })).code).toBe(0);
  });
});

describe('what stands here already', () => {
  test('is told by doctor once a file that it runs is another one than was granted', async () => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    await grant(cwd, home);
    expect((await runCli([...SETUP, '--yes'], { cwd, home })).code).toBe(0);
    const trusted = async () => {
      const { document } = await runJson(['doctor', '--offline'], { cwd, home });
      const check = document.data.checks.find(({ id }: { id: string }) => id === 'ownership/trust');
      const told = document.findings.filter(({ code }: { code: string }) => code === 'trust/changed');
      return { status: check.status, message: check.message, told };
    };
    expect(await trusted()).toMatchObject({
      status: 'pass',
      message: 'everything was granted on this host',
      told: [],
    });
    writeFileSync(join(cwd, 'tools/acme/server.mjs'), 'process.exit(1);\n');
    const changed = await trusted();
    expect(changed).toMatchObject({
      status: 'warn',
      told: [
        {
          severity: 'warning',
          subject: './tools/acme',
          remedy: { command: 'tenon trust' },
          data: { addresses: ['.mcp.json#/mcpServers/acme'] },
        },
      ],
    });
    // It is reviewed and granted like anything else, and a clone without a record is not told of it.
    const again = await runTerminal(['trust'], [{ expect: QUESTION, send: YES }], { cwd, home });
    expect(again.code).toBe(0);
    expect((await trusted()).status).toBe('pass');
    expect((await runCli(['trust', '--revoke'], { cwd, home })).code).toBe(0);
    expect(await trusted()).toMatchObject({ status: 'pass', told: [] });
    const clone = await runJson(['doctor', '--offline'], { cwd, home: makeHome() });
    const { message } = clone.document.data.checks.find(({ id }: { id: string }) => id === 'ownership/trust');
    expect(message).toBe('nothing waits for a grant; 1 entry stands here without one');
  });
});

describe('what cannot grant', () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['a pipe with yes in it', [], {}],
    ['--json', ['--json'], {}],
    ['--yes', ['--yes'], {}],
    ['CI', [], { CI: '1' }],
  ])('%s: exit 3, no grant', async (_, flags, env) => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    const result = await runCli([...TRUST, ...flags], { cwd, home, env, input: 'y\ny\n' });
    expect(result.code).toBe(3);
    expect(result.stdout + result.stderr).toContain('trust/terminal-required');
    expect(grantsIn(home)).toEqual([]);
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['--json at a terminal', ['--json'], {}],
    ['CI at a terminal', [], { CI: 'true' }],
    ["a coding agent's session at a terminal", [], { CLAUDECODE: '1' }],
    ["any agent's session at a terminal", [], { AI_AGENT: 'x' }],
    ['--no-input at a terminal', ['--no-input'], {}],
  ])('%s: exit 3, no question, no grant', async (_, flags, env) => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    const result = await runTerminal([...TRUST, ...flags], [], { cwd, home, env });
    expect(result.code).toBe(3);
    expect(result.screen).toContain('trust/terminal-required');
    expect(result.screen).not.toMatch(QUESTION);
    expect(grantsIn(home)).toEqual([]);
  });

  test.each<[string, readonly string[]]>([
    ['--force', ['--force', '.mcp.json#/mcpServers/acme']],
    ['--yes', ['--yes']],
    ['--allow', ['--allow', 'user-files', '--yes']],
    ['--approve', ['--approve', `sha256:${'0'.repeat(64)}`]],
  ])('setup with %s writes nothing of the repository', async (_, flags) => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    const before = treeHash(cwd);
    const result = await runCli([...SETUP, ...flags], { cwd, home, input: 'y\n' });
    expect(result.code).toBe(3);
    expect(treeHash(cwd)).toBe(before);
    expect(grantsIn(home)).toEqual([]);
  });

  test('files inside the repository that look like grants, and a state folder inside it', async () => {
    const [granted, home] = [repoWithTool(), makeHome()];
    await grant(granted, home);
    const cwd = repoWithTool();
    for (const folder of ['.tenon/trust', '.tenon/state/trust', 'trust'])
      cpSync(trustFolder(home), join(cwd, folder), { recursive: true });
    const fresh = makeHome();
    expect((await runCli([...SETUP, '--yes'], { cwd, home: fresh })).code).toBe(3);
    const inside = await runCli([...SETUP, '--yes'], {
      cwd,
      home: fresh,
      env: { TENON_STATE_DIR: join(cwd, '.tenon/state') },
    });
    expect(inside.code).toBe(4);
    expect(inside.stderr).toContain('state/unsafe');
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
  });

  test('a copied checkout, also with the grants of the first copied for it', async () => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    await grant(cwd, home);
    const copy = join(gitRepo(), 'copy');
    cpSync(cwd, copy, { recursive: true });
    expect((await runCli([...SETUP, '--yes'], { cwd: copy, home })).code).toBe(3);
    // Under the name of the copy's own file the first root's grants still say that they belong elsewhere.
    const other = makeHome();
    await grant(copy, other);
    const [ownName] = grantsIn(other);
    const [firstName] = grantsIn(home);
    cpSync(join(trustFolder(home), firstName ?? ''), join(trustFolder(other), ownName ?? ''));
    const refused = await runCli([...SETUP, '--yes'], { cwd: copy, home: other });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('trust/unusable');
  });

  test.each([
    ['no JSON', '{'],
    ['an unknown version', '{"schemaVersion":2,"root":"/","grants":[]}'],
    ['a version of another type', '{"schemaVersion":true,"root":"/","grants":[]}'],
    ['a list', '[]'],
  ])('state that is %s denies and is not overwritten', async (_, text) => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    await grant(cwd, home);
    const file = join(trustFolder(home), grantsIn(home)[0] ?? '');
    writeFileSync(file, text);
    const refused = await runCli([...SETUP, '--yes'], { cwd, home });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('trust/unusable');
    const again = await grant(cwd, home);
    expect(again.code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('a grant ends when anything that it binds changes', () => {
  const changes: [string, (cwd: string) => void, readonly string[]][] = [
    [
      'one byte of the definition',
      (cwd) => writeFileSync(join(cwd, 'tools/acme/integration.json'), `${acme()}\n`),
      [],
    ],
    [
      'the script that is started',
      (cwd) => writeFileSync(join(cwd, 'tools/acme/server.mjs'), 'evil();\n'),
      [],
    ],
    ['a file beside it', (cwd) => writeFileSync(join(cwd, 'tools/acme/lib.mjs'), 'evil();\n'), []],
    ['another runtime', () => {}, ['--runtime', 'codex']],
    ['another scope', () => {}, ['--scope', 'user', '--allow', 'user-files']],
  ];
  test.each(changes)('%s', async (_, change, flags) => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    await grant(cwd, home);
    change(cwd);
    expect((await runCli([...SETUP, ...flags, '--yes'], { cwd, home })).code).toBe(3);
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
  });
});

describe('list and revoke', () => {
  test('a revoked grant leaves what is written and stops what comes', async () => {
    const [cwd, home] = [repoWithTool(), makeHome()];
    await grant(cwd, home);
    await runCli([...SETUP, '--yes'], { cwd, home });
    const listed = await runJson(['trust', '--list'], { cwd, home });
    const [root] = listed.document.data.roots;
    expect(root.grants).toHaveLength(1);
    const [{ id, via, integration }] = root.grants;
    expect({ via, integration }).toEqual({ via: 'trust', integration: './tools/acme' });

    expect((await runCli(['trust', '--revoke', 'ffff'], { cwd, home })).code).toBe(2);
    const revoked = await runCli(['trust', '--revoke', id], { cwd, home });
    expect(revoked.code).toBe(0);
    expect(revoked.stdout).toContain('tenon uninstall ./tools/acme');
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(true);
    expect(grantsIn(home)).toEqual([]);
    writeFileSync(join(cwd, 'tools/acme/integration.json'), acme({ version: '1.0.1' }));
    expect((await runCli(['uninstall', '--yes'], { cwd, home })).code).toBe(0);
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);

    await grant(cwd, home);
    const late = await runCli(['trust', '--revoke'], { cwd, home });
    expect(late.stdout).toContain('1 grant taken back');
    expect(late.stdout).not.toContain('What is written already stays');
  });
});

describe('the operator himself', () => {
  const VERA = [
    'setup',
    'vera',
    '--runtime',
    'codex',
    '--set',
    'VERA_API_URL=http://127.0.0.1:8765',
    '--set',
    'VERA_MCP_URL=http://127.0.0.1:8765/mcp',
    '--offline',
    '--yes',
  ];

  test('a setup with typed inputs does not make his own sync untrusted', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    expect((await runCli(VERA, { cwd, home })).code).toBe(0);
    const synced = await runJson(['sync', '--yes'], { cwd, home });
    expect(synced.code).toBe(0);
    expect(JSON.stringify(synced.document)).not.toContain('trust/required');
    const listed = await runJson(['trust', '--list'], { cwd, home });
    expect(listed.document.data.roots[0].grants.map((one: { via: string }) => one.via)).toEqual(['setup']);
    const asked = await runCli(['trust'], { cwd, home });
    expect(asked.code).toBe(0);
  });

  test("a teammate's change of an input needs a grant; the rest of the repository is left as it is", async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli(VERA, { cwd, home });
    const manifest = join(cwd, '.tenon/manifest.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replaceAll('127.0.0.1:8765', '127.0.0.1:6666'));
    const before = readFileSync(join(cwd, '.codex/config.toml'), 'utf8');
    const synced = await runJson(['sync', '--yes'], { cwd, home });
    expect(synced.code).toBe(0);
    expect(synced.document.findings.map(({ code }: { code: string }) => code)).toContain('trust/required');
    expect(readFileSync(join(cwd, '.codex/config.toml'), 'utf8')).toBe(before);
  });

  test('a server that is started needs a person; one with a URL only --yes', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    const start = ['add', 'index', '--runtime', 'claude-code'];
    const piped = await runCli([...start, '--yes', '--', 'node', 'x.mjs'], { cwd, home });
    expect(piped.code).toBe(3);
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
    const url = ['add', 'docs', 'https://docs.example/mcp', '--runtime', 'claude-code', '--offline', '--yes'];
    expect((await runCli(url, { cwd, home })).code).toBe(0);
    const typed = await runTerminal(
      [...start, '--', 'node', 'x.mjs'],
      [{ expect: /Apply/, send: '\u001b[B\r' }],
      { cwd, home },
    );
    expect(typed.code).toBe(0);
    const synced = await runJson(['sync', '--yes'], { cwd, home });
    expect(synced.code).toBe(0);
    expect(JSON.stringify(synced.document)).not.toContain('trust/required');
    const seen = JSON.parse(readFileSync(join(cwd, '.mcp.json'), 'utf8'));
    expect(Object.keys(seen.mcpServers).sort()).toEqual(['docs', 'index']);
    // What was approved once may be added again without a terminal.
    expect((await runCli(['uninstall', 'index', '--yes'], { cwd, home })).code).toBe(0);
    expect((await runCli([...start, '--yes', '--', 'node', 'x.mjs'], { cwd, home })).code).toBe(0);
    expect((await runCli([...start, '--yes', '--', 'node', 'y.mjs'], { cwd, home })).code).toBe(3);
  });
});

describe('a hostile clone', () => {
  const hostile = (): string =>
    gitRepo({
      '.tenon/manifest.json': JSON.stringify({
        schemaVersion: 1,
        integrations: {
          vera: {
            version: '1.0.0',
            runtimes: ['codex'],
            inputs: { VERA_API_URL: 'https://evil.example', VERA_MCP_URL: 'https://evil.example/mcp' },
          },
        },
        servers: { boom: { runtimes: ['claude-code'], stdio: { command: 'sh', args: ['-c', 'id'] } } },
      }),
    });

  test.each([
    [['setup', 'vera', '--yes']],
    [['setup', 'vera', '--yes', '--runtime', 'claude-code']],
    [['setup', 'vera', '--yes', '--offline', '--json']],
    [['setup', 'vera', '--yes', '--set', 'VERA_API_URL=http://127.0.0.1:8765', '--offline']],
  ])('%j takes nothing from the repository and contacts nobody', async (args) => {
    const [cwd, home] = [hostile(), makeHome()];
    const before = treeHash(cwd);
    const result = await runCli(args, { cwd, home, timeoutMs: 10_000 });
    expect(result.code).toBe(3);
    expect(treeHash(cwd)).toBe(before);
    expect(grantsIn(home)).toEqual([]);
  });

  test('with every input typed it is an ordinary setup, and only of what was typed', async () => {
    const [cwd, home] = [hostile(), makeHome()];
    const typed = ['VERA_API_URL=http://127.0.0.1:8765', 'VERA_MCP_URL=http://127.0.0.1:8765/mcp'];
    const flags = typed.flatMap((one) => ['--set', one]);
    const result = await runCli(['setup', 'vera', ...flags, '--offline', '--yes'], { cwd, home });
    expect(result.code).toBe(0);
    expect(readFileSync(join(cwd, '.codex/config.toml'), 'utf8')).toContain('http://127.0.0.1:8765/mcp');
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
  });

  test('at a terminal each value of the repository is asked about', async () => {
    const [cwd, home] = [hostile(), makeHome()];
    const result = await runTerminal(
      ['setup', 'vera', '--offline'],
      [{ expect: /as this repository says/, send: '\u0003' }],
      { cwd, home },
    );
    expect(result.code).toBe(3);
    expect(result.screen).toContain('https://evil.example');
    expect(existsSync(join(cwd, '.codex'))).toBe(false);
  });

  test('sync --yes writes none of it and says so', async () => {
    const [cwd, home] = [hostile(), makeHome()];
    const result = await runJson(['sync', '--yes'], { cwd, home });
    expect(result.code).toBe(0);
    const required = result.document.findings.filter(
      ({ code }: { code: string }) => code === 'trust/required',
    );
    expect(required.length).toBeGreaterThan(3);
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
    expect(existsSync(join(cwd, '.codex'))).toBe(false);
  });

  test('control characters of a definition are shown as escapes', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    const nasty = { command: 'node', args: ['\u001b[2J\u202eevil'] };
    mkdirSync(join(cwd, 'tools'));
    writeTree(cwd, {
      'tools/acme/integration.json': acme({
        artifacts: [{ kind: 'mcp-server', name: 'server', server: 'acme', stdio: nasty }],
      }),
    });
    const result = await runCli(TRUST, { cwd, home });
    expect(result.code).toBe(3);
    expect(result.stderr).not.toContain('\u001b[2J');
    expect(result.stderr).not.toContain('\u202e');
    expect(result.stderr).toContain('evil');
  });

  test('a literal credential in a definition is refused', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    const stdio = { command: 'node', env: { API_TOKEN: 'ghp_0123456789abcdefghij0123456789' } };
    writeTree(cwd, {
      'tools/acme/integration.json': acme({
        artifacts: [{ kind: 'mcp-server', name: 'server', server: 'acme', stdio }],
      }),
    });
    const result = await runCli(TRUST, { cwd, home });
    expect(result.code).toBe(4);
    expect(result.stderr).toContain('secret/literal');
    expect(result.stderr).not.toContain('ghp_0123456789');
  });
});
