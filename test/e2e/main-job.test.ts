import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, type Files, runtimeFlags } from '../helpers/bench.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome } from '../helpers/cli.ts';
import { git } from '../helpers/repo.ts';

// Every question is asked both ways, while an answer is kept and without one.
process.env['TENON_TEST_ANSWERS'] ??= 'compare';

// The main job, on a running endpoint: configurations as people keep them, with notes, odd spacing and things of their own.

const TIER_1 = ['claude-code', 'codex', 'opencode'] as const;

const FILES: Files = {
  'README.md': '# Till\n',
  '.mcp.json': {
    text: '{\n    "mcpServers": {\n        "stock": { "command": "npx", "args": ["-y", "stock-mcp"], "env": { "LEVEL": "1" } }\n    }\n}',
    mode: 0o640,
  },
  '.claude/settings.json': `{
  "permissions": {
    "allow": ["Bash(make:*)", "Read(docs/**)"],
    "deny": [ "Read(.env)" ]
  },
  "hooks": {
    "SessionStart": [
      { "hooks": [{ "type": "command", "command": "date" }] }
    ],
    "PreToolUse": []
  },
  "env": { "TZ": "UTC" }
}
`,
  '.claude/skills/release/SKILL.md': '---\nname: release\ndescription: How we release.\n---\n',
  '.codex/config.toml':
    '# Till: settings for Codex\r\nmodel = "m-2"   # cheap\r\napproval_policy = "on-request"\r\n\r\n[mcp_servers.stock]\r\ncommand = "npx"\r\nargs = ["-y",\r\n  "stock-mcp",  # pinned upstream\r\n]\r\n\r\n# nothing below this line\r\n',
  '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}\n',
  'opencode.jsonc': `// Till: settings for OpenCode
{
	"$schema": "https://opencode.ai/config.json",
	/* servers */
	"mcp": {
		"stock": { "type": "local", "command": ["npx", "-y", "stock-mcp"], "enabled": true }, // shared
	},
	"permission": {
		"bash": { "*": "ask", "git status": "allow" },
	},
}
`,
  'scripts/real.md': '# Agents\n\nRun the tests.\n',
  'AGENTS.md': { link: 'scripts/real.md' },
  '.gitignore': 'node_modules\n',
  'empty-on-purpose': { directory: true },
};

let sandbox: ChildProcess;
let urls: { apiUrl: string; mcpUrl: string };

beforeAll(async () => {
  const home = makeHome();
  sandbox = spawn(process.execPath, [BIN, 'sandbox', '--port', '0', '--json'], {
    cwd: home,
    env: cleanEnv(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((done, fail) => {
    let text = '';
    sandbox.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('\n')) done(text);
    });
    sandbox.on('exit', (code) => fail(new Error(`the sandbox ended with ${code}`)));
  });
  urls = (JSON.parse(line) as { data: typeof urls }).data;
});
afterAll(() => sandbox.kill());

const setup = (...more: string[]): string[] => [
  'setup',
  'vera',
  '--set',
  `VERA_API_URL=${urls.apiUrl}`,
  '--set',
  `VERA_MCP_URL=${urls.mcpUrl}`,
  ...runtimeFlags(TIER_1),
  '--yes',
  ...more,
];

describe('setup of vera for three coding tools', () => {
  it('fits in, is healthy, is idle the second time and comes out without a trace', async () => {
    const repo = bench(FILES);
    const before = repo.tree();

    const first = await repo.json(setup());
    expectCode(first, 0);
    expect(first.document.data.endpoints).toHaveLength(3);
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.vera).toEqual({ type: 'http', url: urls.mcpUrl });
    expect(repo.text('.codex/config.toml')).toContain(`url = "${urls.mcpUrl}"\r\n`);
    expect(repo.text('opencode.jsonc')).toContain(urls.mcpUrl);
    for (const skill of ['.claude/skills', '.agents/skills'])
      expect(repo.text(`${skill}/vera-memory/SKILL.md`)).toMatch(/^---\nname: vera-memory\n/);
    expect(fs.statSync(path.join(repo.root, '.mcp.json')).mode & 0o777).toBe(0o640);
    // What the summary lists is what changed on the disk.
    const listed = (first.document.data.changed.files as { path: string }[]).map((file) =>
      typeof file === 'string' ? file : file.path,
    );
    const really = Object.entries(repo.tree())
      .filter(([name, line]) => before[name] !== line && line.startsWith('file'))
      .map(([name]) => name);
    expect([...listed].sort()).toEqual(really.sort());

    expectCode(await repo.run(['doctor']), 0);
    expectCode(await repo.run(['status']), 0);

    const stamps = repo.stamps();
    const second = await repo.json(setup());
    expectCode(second, 0);
    expect(second.document.data.plan.isEmpty).toBe(true);
    expect(repo.stamps()).toEqual(stamps);
    expectCode(await repo.run(['doctor']), 0);
    expect(repo.stamps()).toEqual(stamps);

    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
  });

  it('takes out exactly its own spans after edits by hand', async () => {
    const repo = bench(FILES);
    const before = repo.tree();
    expectCode(await repo.run(setup()), 0);
    const edits = byHand(repo);
    expectCode(await repo.run(['doctor']), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);

    // The same edits on files that tenon never saw.
    const other = bench(FILES);
    edits(other);
    expect(repo.tree()).toEqual(other.tree());
    expect(repo.tree()).not.toEqual(before);
  });

  it('leaves git nothing to say in a repository without any configuration', async () => {
    const repo = bench({ 'README.md': '# till\n' });
    git(repo.root, ['add', '-A']);
    git(repo.root, ['commit', '-qm', 'Start']);
    fs.mkdirSync(path.join(repo.root, '.vscode'));
    const before = repo.tree();
    const runtimes = runtimeFlags(['vscode', 'cursor', 'gemini-cli', 'zed']);
    expectCode(await repo.run(setup(...runtimes)), 0);
    expect(JSON.parse(repo.text('.mcp.json'))).toEqual({
      mcpServers: { vera: { type: 'http', url: urls.mcpUrl } },
    });
    expect(JSON.parse(repo.text('opencode.json'))).toHaveProperty(
      '$schema',
      'https://opencode.ai/config.json',
    );
    for (const file of Object.keys(repo.tree()))
      expect(repo.exists(`${file}~`) || /\.(bak|orig|tmp)/.test(file)).toBe(false);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(git(repo.root, ['status', '--porcelain', '--ignored'])).toBe('');
    expect(repo.tree()).toEqual(before);
    expect(repo.exists('.vscode')).toBe(true);
  });
});

/** Edits around ours, at places that both files have. Does them and gives back what does them elsewhere. */
function byHand(repo: Bench): (other: Bench) => void {
  const replace = (file: string, from: string, to: string) => (bench: Bench) => {
    const text = bench.text(file);
    expect(text.split(from), `${file}: ${from}`).toHaveLength(2);
    fs.writeFileSync(
      path.join(bench.root, file),
      text.replace(from, () => to),
    );
  };
  const edits = [
    replace('.mcp.json', '"LEVEL": "1"', '"LEVEL": "2"'),
    replace('.mcp.json', '{\n    "mcpServers"', '{\n    "note": "mine",\n    "mcpServers"'),
    replace('.claude/settings.json', '"Bash(make:*)", ', '"Bash(make:*)", "Bash(ls:*)", '),
    replace('.claude/settings.json', '"command": "date"', '"command": "date -u"'),
    replace('.claude/settings.json', '{ "TZ": "UTC" }', '{ "TZ": "UTC", "A": "b" }'),
    replace('.codex/config.toml', '# cheap', '# dear'),
    replace('.codex/config.toml', '"stock-mcp",  # pinned upstream\r\n', '"stock-mcp", "--fast",\r\n'),
    replace('.codex/hooks.json', '"command":"true"', '"command":"false"'),
    replace('opencode.jsonc', '// shared', '// shared by all'),
    replace('opencode.jsonc', '"git status": "allow"', '"git status": "allow", "git diff": "allow"'),
    (bench: Bench) => bench.write('.claude/skills/release/notes.md', 'later\n'),
    (bench: Bench) => bench.write('.codex/prompts/x.md', 'later\n'),
    (bench: Bench) => fs.chmodSync(path.join(bench.root, '.gitignore'), 0o600),
  ];
  const all = (bench: Bench): void => {
    for (const edit of edits) edit(bench);
  };
  all(repo);
  return all;
}
