import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runJson } from '../helpers/cli.ts';
import { gitRepo, treeHash, treeOf } from '../helpers/repo.ts';

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly subject: string;
  readonly message: string;
}

function place(files: Readonly<Record<string, string>>) {
  const at = { cwd: gitRepo(files), home: makeHome() };
  const run = (...args: string[]) => runJson([...args, '--offline'], at);
  const setup = (integration: string, ...runtimes: string[]) =>
    run(
      ...['setup', integration, '--yes', ...runtimes.flatMap((id) => ['--runtime', id])],
      ...(integration === 'vera'
        ? ['--set', 'VERA_API_URL=http://127.0.0.1:8765', '--set', 'VERA_MCP_URL=http://127.0.0.1:8765/mcp']
        : []),
    );
  const doctor = async () => {
    const { document } = await run('doctor');
    return document.findings as Finding[];
  };
  const read = (path: string): string => readFileSync(join(at.cwd, path), 'utf8');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(at.cwd, path)), { recursive: true });
    writeFileSync(join(at.cwd, path), text);
  };
  return { at, run, setup, doctor, read, write };
}

const NEIGHBOUR = '"mcpServers": { "index": { "command": "index-mcp" } }';
const COMMENTED = `{\n  // ours\n  ${NEIGHBOUR}\n}\n`;
const TRAILING = `{\n  ${NEIGHBOUR},\n}\n`;
const BOM = `\ufeff{ ${NEIGHBOUR} }\n`;

describe('a file that its client would ignore or refuse', () => {
  it.each<[string, string, string, string]>([
    ['a comment, for Claude Code', 'claude-code', '.mcp.json', COMMENTED],
    ['a comment, for Copilot CLI', 'copilot-cli', '.mcp.json', COMMENTED],
    ['a trailing comma, for Claude Code', 'claude-code', '.mcp.json', TRAILING],
    ['a byte-order mark, for Copilot CLI', 'copilot-cli', '.mcp.json', BOM],
    ['a trailing comma, for Gemini CLI', 'gemini-cli', '.gemini/settings.json', TRAILING],
    ['a byte-order mark, for Gemini CLI', 'gemini-cli', '.gemini/settings.json', BOM],
    ['a trailing comma, for Qwen Code', 'qwen-code', '.qwen/settings.json', TRAILING],
  ])('with %s is refused by setup and named by doctor', async (_, runtime, file, text) => {
    const { at, setup, doctor, run } = place({ [file]: text });
    const before = treeOf(at.cwd);
    const refused = await setup('vaultspec', runtime);
    expect(refused.code, refused.stdout).toBe(4);
    expect(JSON.stringify(refused.document)).toContain(file);
    expect(treeOf(at.cwd)).toEqual(before);
    const named = (await doctor()).filter(
      ({ code, message, subject }) => code.startsWith('config/') && `${subject} ${message}`.includes(file),
    );
    expect(named.map(({ code }) => code)).not.toEqual([]);
    expect((await run('doctor', '--runtime', runtime)).code).toBe(1);
  });

  it.each<[string, string, string, string]>([
    ['a comment, for Gemini CLI', 'gemini-cli', '.gemini/settings.json', COMMENTED],
    ['a comment, for OpenCode', 'opencode', 'opencode.json', '{\n  // ours\n  "mcp": {},\n}\n'],
    ['a byte-order mark, for Claude Code', 'claude-code', '.mcp.json', BOM],
    ['a byte-order mark, for Qwen Code', 'qwen-code', '.qwen/settings.json', BOM],
    ['a comment, for VS Code', 'vscode', '.vscode/mcp.json', '{\n  // ours\n  "servers": {},\n}\n'],
  ])('with %s is none: it is taken and given back', async (_, runtime, file, text) => {
    const { at, setup, run } = place({ [file]: text });
    const before = treeHash(at.cwd);
    expect((await setup('vaultspec', runtime)).code).toBe(0);
    expect((await run('uninstall', 'vaultspec', '--yes')).code).toBe(0);
    expect(treeHash(at.cwd)).toBe(before);
  });

  it.each<[string, string, string, string, string]>([
    [
      'an entry of two kinds, for Codex',
      'codex',
      '.codex/config.toml',
      '[mcp_servers.x]\nurl = "https://x.example/mcp"\ncommand = "x"\n',
      'x has both url and command',
    ],
    [
      'an entry without a type, for OpenCode',
      'opencode',
      'opencode.json',
      '{ "mcp": { "x": { "url": "https://x.example/mcp" } } }\n',
      'OpenCode refuses to start',
    ],
  ])('with %s is refused by setup, and what is there is no hindrance to take ours out', async (...row) => {
    const [, runtime, file, text, why] = row;
    const { at, setup, run, write, read } = place({ [file]: text });
    const before = treeOf(at.cwd);
    const refused = await setup('vaultspec', runtime);
    expect(refused.code, refused.stdout).toBe(4);
    expect(refused.document.error).toMatchObject({ code: 'host/file-ignored' });
    expect(refused.document.error.message).toContain(why);
    expect(treeOf(at.cwd)).toEqual(before);
    write(file, '');
    expect((await setup('vaultspec', runtime)).code).toBe(0);
    const bad = file.endsWith('.toml')
      ? `${read(file)}\n${text}`
      : read(file).replace('"mcp": {', '"mcp": { "x": { "url": "https://x.example/mcp" },');
    write(file, bad);
    expect((await run('sync', '--yes')).code).toBe(0);
    expect((await run('uninstall', 'vaultspec', '--yes')).code).toBe(0);
    expect(read(file)).not.toContain('vaultspec');
    expect(read(file)).toContain('https://x.example/mcp');
  });

  it('that only skips an entry of the user is taken, with a warning', async () => {
    const { setup, at, run } = place({
      '.mcp.json': '{ "mcpServers": { "x": { "url": "https://x.example/mcp" } } }\n',
    });
    const before = treeHash(at.cwd);
    const { code, document } = await setup('vaultspec', 'claude-code');
    expect(code).toBe(0);
    expect(document.findings).toContainEqual(
      expect.objectContaining({ code: 'config/entry-ignored', severity: 'warning', subject: '.mcp.json' }),
    );
    expect((await run('uninstall', 'vaultspec', '--yes')).code).toBe(0);
    expect(treeHash(at.cwd)).toBe(before);
  });

  it('is read by the strictest of its readers', async () => {
    const { setup, at } = place({ '.mcp.json': BOM });
    expect((await setup('vaultspec', 'claude-code', 'copilot-cli')).code).toBe(4);
    expect(readFileSync(join(at.cwd, '.mcp.json'), 'utf8')).toBe(BOM);
  });
});

describe('a file with several readers', () => {
  it('is written once, and goes with the last of them', async () => {
    const { at, setup, read, run, doctor } = place({});
    const before = treeHash(at.cwd);
    expect((await setup('vaultspec', 'claude-code', 'copilot-cli')).code).toBe(0);
    expect(Object.keys(JSON.parse(read('.mcp.json')).mcpServers)).toEqual(['vaultspec-core']);
    expect(treeOf(at.cwd)).not.toHaveProperty(['.github/mcp.json']);
    expect((await doctor()).filter(({ code }) => /duplicate|shadow/.test(code))).toEqual([]);
    expect((await run('uninstall', 'vaultspec', '--yes')).code).toBe(0);
    expect(treeHash(at.cwd)).toBe(before);
  });

  it('holds a skill for all who read it: the fewest folders', async () => {
    const { at } = place({});
    const run = await runJson(
      [
        ...['setup', 'tenon', '--yes', '--offline'],
        ...['codex', 'gemini-cli', 'qwen-code', 'copilot-cli', 'zed'].flatMap((id) => ['--runtime', id]),
      ],
      at,
    );
    expect(run.code, run.stdout).toBe(0);
    const skills = Object.keys(treeOf(at.cwd)).filter((path) => path.endsWith('SKILL.md'));
    expect(new Set(skills.map((path) => path.split('/skills/')[0]))).toEqual(new Set(['.agents']));
  });

  it('runs the hooks of Claude Code in Copilot CLI as well, and doctor knows that', async () => {
    const { setup, doctor } = place({});
    expect((await setup('vera', 'claude-code', 'copilot-cli')).code).toBe(0);
    const told = (await doctor()).filter(({ code }) => code === 'hook/runs-elsewhere');
    expect(told).toMatchObject([
      {
        severity: 'info',
        subject: '.claude/settings.json',
        message: expect.stringMatching(/^Copilot CLI runs the hooks of .* and has one of its own/),
      },
    ]);
  });
});

describe('what a client writes itself', () => {
  const noDrift = async (p: ReturnType<typeof place>, id: string) => {
    const status = await p.run('status');
    expect(status.code, status.stdout).toBe(0);
    const codes = (await p.doctor()).map(({ code }) => code);
    expect(codes.filter((code) => code.startsWith('ownership/'))).toEqual([]);
    const again = await p.run('sync', '--check');
    expect(again.code, again.stdout).toBe(0);
    const out = await p.run('uninstall', id, '--yes');
    expect(out.code, out.stdout).toBe(0);
  };

  it('OpenCode adds $schema: to a new file it is there already, in an old one it is no drift', async () => {
    const fresh = place({});
    expect((await fresh.setup('vaultspec', 'opencode')).code).toBe(0);
    expect(JSON.parse(fresh.read('opencode.json'))).toHaveProperty(
      ['$schema'],
      'https://opencode.ai/config.json',
    );

    const old = place({
      'opencode.json':
        '{\n    "mcp": {\n        "index": { "type": "local", "command": ["index-mcp"] }\n    }\n}',
    });
    expect((await old.setup('vaultspec', 'opencode')).code).toBe(0);
    const added = old
      .read('opencode.json')
      .replace('{\n', '{\n  "$schema": "https://opencode.ai/config.json",\n');
    old.write('opencode.json', added);
    await noDrift(old, 'vaultspec');
    expect(old.read('opencode.json')).toBe(
      '{\n  "$schema": "https://opencode.ai/config.json",\n    "mcp": {\n        "index": { "type": "local", "command": ["index-mcp"] }\n    }\n}',
    );
  });

  it('Qwen Code rewrites a file without "$version": 4: ours has it, and a rewritten one is no drift', async () => {
    const fresh = place({});
    expect((await fresh.setup('vaultspec', 'qwen-code')).code).toBe(0);
    expect(JSON.parse(fresh.read('.qwen/settings.json'))).toHaveProperty(['$version'], 4);
    const old = place({ '.qwen/settings.json': '{\n\t"theme": "dark"\n}\n' });
    expect((await old.setup('vaultspec', 'qwen-code')).code).toBe(0);
    const codes = (await old.doctor()).map(({ code }) => code);
    expect(codes).toContain('config/client-rewrites');
    const text = old.read('.qwen/settings.json');
    old.write('.qwen/settings.json', JSON.stringify({ ...JSON.parse(text), $version: 4 }, null, 2));
    old.write('.qwen/settings.json.orig', text);
    await noDrift(old, 'vaultspec');
    expect(JSON.parse(old.read('.qwen/settings.json'))).toEqual({ theme: 'dark', $version: 4 });
  });

  it('codex mcp add writes every table anew: no drift', async () => {
    const p = place({ '.codex/config.toml': '# mine\nmodel = "x"\n' });
    expect((await p.setup('vaultspec', 'codex')).code).toBe(0);
    const [head, ...tables] = p.read('.codex/config.toml').split(/(?=\[mcp_servers)/);
    const entry = tables.join('');
    expect(entry).toContain('vaultspec_core.mcp_server.app');
    p.write(
      '.codex/config.toml',
      `${head}[mcp_servers.other]\nurl = "http://127.0.0.1:1/mcp"\n\n[mcp_servers.vaultspec-core]\nargs = [\n    "--from",\n    "vaultspec-core==0.3.5",\n    "python",\n    "-P",\n    "-m",\n    "vaultspec_core.mcp_server.app",\n]\ncommand = 'uvx'\n${entry.includes('default_tools_approval_mode') ? 'default_tools_approval_mode = "writes"\n' : ''}`,
    );
    await noDrift(p, 'vaultspec');
    expect(p.read('.codex/config.toml')).toBe(
      '# mine\nmodel = "x"\n\n[mcp_servers.other]\nurl = "http://127.0.0.1:1/mcp"\n',
    );
  });

  it('claude mcp add and gemini mcp add indent anew and drop the last line end: no drift', async () => {
    const p = place({
      '.mcp.json': '{\n    "mcpServers": {}\n}\n',
      '.gemini/settings.json': '{\n    "mcpServers": {}\n}\n',
    });
    expect((await p.setup('vaultspec', 'claude-code', 'gemini-cli')).code).toBe(0);
    for (const file of ['.mcp.json', '.gemini/settings.json']) {
      const value = JSON.parse(p.read(file));
      value.mcpServers.other = { command: 'other-mcp' };
      p.write(file, JSON.stringify(value, null, 2));
    }
    await noDrift(p, 'vaultspec');
    for (const file of ['.mcp.json', '.gemini/settings.json'])
      expect(JSON.parse(p.read(file))).toEqual({ mcpServers: { other: { command: 'other-mcp' } } });
  });
});
