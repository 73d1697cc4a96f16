import { describe, expect, it } from 'vitest';
import { claudeEntry, diagnose, manifest, place, SET_UP } from './support.ts';

describe('doctor on files that cannot be read', () => {
  it('makes the other checks where the manifest may not be read', async () => {
    const at = place({ ...SET_UP['claude-code'], '.codex/config.toml': 'broken = \n' });
    const seen = await diagnose(at, {}, {}, at.root, {}, '.tenon/manifest.json');
    expect(seen.exit).toBe(1);
    expect(seen.codes('error')).toEqual(expect.arrayContaining(['manifest/invalid', 'config/malformed']));
    expect(seen.codes()).not.toContain('internal/bug');
    expect(seen.check('config/readable')?.status).toBe('fail');
  });

  it.each([
    ['cut off', '{"mcpServers": {"a": ', 'config/malformed', /^\.mcp\.json:1:\d+ is not valid JSON/],
    [
      'unresolved merge',
      '{\n  "mcpServers": {\n<<<<<<< HEAD\n    "a": {}\n=======\n    "b": {}\n>>>>>>> x\n  }\n}\n',
      'config/merge-conflict',
      /merge conflict markers at line 3/,
    ],
    [
      'container of another type',
      '{\n  "mcpServers": []\n}\n',
      'config/shape',
      /\.mcp\.json:2:\d+: mcpServers/,
    ],
    ['container is null', '{"mcpServers": null}\n', 'config/shape', /mcpServers/],
    [
      'container twice',
      '{"mcpServers": {},\n "mcpServers": {}}\n',
      'config/duplicate-key',
      /\.mcp\.json:\d:\d+/,
    ],
  ])('names the place: %s', async (_, text, code, message) => {
    const seen = await diagnose(place({ '.mcp.json': text }));
    expect(seen.one(code)).toMatchObject({ severity: 'error', subject: '.mcp.json' });
    expect(seen.one(code).message).toMatch(message);
    expect(seen.one(code).data).toMatchObject({ file: '.mcp.json', line: expect.any(Number) });
    expect(seen.check('config/readable')?.status).toBe('fail');
    expect(seen.exit).toBe(1);
    // Nothing is set up: its own state, and the fault counts all the same.
    expect(seen.state).toBe('not-set-up');
  });

  it('says what is wrong with TOML, and what Codex does then', async () => {
    const seen = await diagnose(place({ '.codex/config.toml': 'a = 1\nb = "C:\\Users"\n' }));
    expect(seen.one('config/malformed').message).toMatch(
      /^\.codex\/config\.toml:2:\d+ is not valid TOML: .*, so Codex refuses to start$/,
    );
  });

  it('reports UTF-16 and a file that is too large', async () => {
    const wide = Buffer.from(`\ufeff{"mcpServers":{}}`, 'utf16le');
    const large = `{"mcpServers":{"a":"${'x'.repeat(5_000_001)}"}}`;
    const seen = await diagnose(place({ '.mcp.json': wide, '.gemini/settings.json': large }));
    expect(seen.codes('error').sort()).toEqual(['file/encoding', 'file/too-large']);
    expect(seen.exit).toBe(1);
  });

  it('does not follow a link out of the repository', async () => {
    const at = place({ '.mcp.json': { link: '/etc/hostname' } });
    const seen = await diagnose(at);
    expect(seen.one('file/outside').message).toContain('not checked');
    expect(seen.check('config/strict')?.status).toBe('skip');
  });

  it('keeps going with a manifest that cannot be read', async () => {
    const seen = await diagnose(
      place({ '.tenon/manifest.json': '{"schemaVersion": 1,', '.mcp.json': claudeEntry }),
    );
    expect(seen.one('manifest/malformed').severity).toBe('error');
    expect(seen.check('ownership/manifest')?.status).toBe('fail');
    expect(seen.check('config/readable')?.status).toBe('pass');
    expect(seen.state).toBe('attention');
    expect(seen.exit).toBe(1);
  });
});

describe('doctor on what a client makes of a file', () => {
  it('names a comment that Claude Code does not take', async () => {
    const seen = await diagnose(place({ '.mcp.json': '{\n  // team\n  "mcpServers": {}\n}\n' }));
    const finding = seen.one('config/not-read');
    expect(finding).toMatchObject({
      severity: 'error',
      data: { line: 2, column: 3, runtimes: ['claude-code', 'copilot-cli'] },
    });
    expect(seen.exit).toBe(1);
  });

  it('only warns of a byte-order mark that a merely possible reader rejects', async () => {
    const seen = await diagnose(place({ '.mcp.json': `\ufeff${claudeEntry}` }));
    expect(seen.one('config/not-read')).toMatchObject({ severity: 'warning' });
    expect(seen.one('config/not-read').message).toMatch(
      /^Copilot CLI takes no byte-order mark \(\.mcp\.json:1:1\)/,
    );
    expect(seen.exit).toBe(0);
  });

  it('takes the same mark as an error where that reader is used', async () => {
    const files = { '.mcp.json': `\ufeff${claudeEntry}`, '.github/copilot-instructions.md': 'x\n' };
    const seen = await diagnose(place(files));
    expect(seen.one('config/not-read').severity).toBe('error');
  });

  it.each([
    ['opencode.json', '{\n  "mcp": {},\n  "mcpServers": {}\n}\n', 'config/bad-member', 'error', 3],
    ['.vscode/mcp.json', '{\n  "mcpServers": {}\n}\n', 'config/member-ignored', 'warning', 2],
    [
      '.mcp.json',
      '{ "mcpServers": {\n "a": { "url": "https://x.example/" } } }\n',
      'config/entry-ignored',
      'warning',
      2,
    ],
    [
      '.claude/settings.json',
      '{ "mcpServers": {\n "a": { "command": "a" } } }\n',
      'config/never-read',
      'warning',
      2,
    ],
    [
      '.gemini/settings.json',
      '{ "mcpServers": { "a": {\n "httpUrl ": "https://x.example/" } } }\n',
      'config/odd-name',
      'warning',
      2,
    ],
    [
      '.claude/settings.json',
      '{ "permissions": { "allow":\n ["Bash(rm:* -r)"] } }\n',
      'config/bad-rule',
      'error',
      2,
    ],
  ] as const)('%s: %s', async (path, text, code, severity, line) => {
    const seen = await diagnose(place({ [path]: text }));
    const finding = seen.findings.find((one) => one.code === code);
    expect(finding).toMatchObject({ severity, subject: path, data: { file: path, line } });
    expect(seen.exit).toBe(severity === 'error' ? 1 : 0);
  });

  it("applies every role's rules to a file that has several", async () => {
    const text = JSON.stringify({ mcpServers: { a: { url: 'https://x.example/' } } });
    const at = place({ '.mcp.json': '{"mcpServers":{}}' }, { '.claude.json': { text, mode: 0o600 } });
    expect((await diagnose(at)).one('config/entry-ignored').subject).toBe('~/.claude.json');
  });

  it('reports our parts in a file that is dropped as possibly not loaded', async () => {
    const seen = await diagnose(
      place({ ...SET_UP['claude-code'], '.mcp.json': claudeEntry.replace('{', '{ // team\n') }),
    );
    expect(seen.one('config/not-loaded')).toMatchObject({
      severity: 'error',
      subject: '.mcp.json#/mcpServers/pantry',
    });
    expect(seen.one('config/not-loaded').message).toContain(
      'configured but possibly not loaded by claude-code',
    );
  });

  it('finds one server under two names, whatever loopback is called', async () => {
    const text = JSON.stringify({
      mcpServers: {
        memory: { type: 'http', url: 'http://localhost:8765/mcp/' },
        pantry: { type: 'http', url: 'http://127.0.0.1:8765/mcp' },
        other: { type: 'http', url: 'http://127.0.0.1:8766/mcp' },
        a: { command: 'node', args: ['x.mjs'] },
        b: { command: 'node', args: ['x.mjs'] },
        c: { command: 'node', args: ['y.mjs'] },
      },
    });
    const seen = await diagnose(place({ '.mcp.json': text }));
    const pairs = seen.findings.filter(({ code }) => code === 'config/duplicate-server');
    expect(pairs.map(({ subject, data }) => [data?.['other'], subject])).toEqual([
      ['.mcp.json#/mcpServers/memory', '.mcp.json#/mcpServers/pantry'],
      ['.mcp.json#/mcpServers/a', '.mcp.json#/mcpServers/b'],
    ]);
    expect(seen.exit).toBe(0);
  });

  it('names a hook of any owner whose script is missing, and no other', async () => {
    const hook = (command: string) => ({ hooks: [{ type: 'command', command }] });
    const text = JSON.stringify({
      hooks: {
        PreToolUse: [hook('python3 "$CLAUDE_PROJECT_DIR/gone.py"'), hook('sh "$CLAUDE_PROJECT_DIR/here.sh"')],
      },
    });
    const seen = await diagnose(place({ '.claude/settings.json': text, 'here.sh': 'exit 0\n' }));
    expect(seen.one('hook/script-missing').message).toContain('gone.py');
    expect(seen.exit).toBe(0);
  });

  it('mentions a nested configuration, also below the working folder', async () => {
    const at = place({ 'packages/app/.mcp.json': claudeEntry, '.mcp.json': '{"mcpServers":{}}\n' });
    const seen = await diagnose(at, {}, {}, `${at.root}/packages`);
    expect(seen.one('config/nested')).toMatchObject({ severity: 'info', subject: 'packages/app/.mcp.json' });
    // As whoever stands there has to write it.
    expect(seen.one('config/nested').remedy?.command).toBe('tenon doctor --root app');
    const top = await diagnose(at);
    expect(top.one('config/nested').remedy?.command).toBe('tenon doctor --root packages/app');
    const beside = place({ "it's/.mcp.json": claudeEntry, '.mcp.json': '{}\n', 'b/x': '' });
    const quoted = await diagnose(beside, {}, {}, `${beside.root}/b`);
    expect(quoted.one('config/nested').remedy?.command).toBe("tenon doctor --root '../it'\\''s'");
    expect(seen.check('config/nested')?.status).toBe('pass');
  });

  it('finds a damaged block by its line, whatever tools are used', async () => {
    const text = '# Notes\n\n<!-- tenon:begin vera -->\ntext of ours\n\nmore of mine\n';
    const seen = await diagnose(place({ 'AGENTS.md': text }));
    expect(seen.one('block/damaged')).toMatchObject({
      severity: 'error',
      subject: 'AGENTS.md',
      data: { line: 3 },
    });
    expect(seen.one('block/damaged').message).toMatch(/^block damaged, line 3/);
    expect(seen.exit).toBe(1);
  });
});

describe('credentials', () => {
  const secret = 'sk-proj-abcdefgh12345678';
  const file = JSON.stringify({
    mcpServers: {
      a: { type: 'http', url: 'https://x.example/mcp', headers: { Authorization: `Bearer ${secret}` } },
      b: { type: 'http', url: 'https://y.example/mcp', headers: { Authorization: `Bearer \${Y_TOKEN}` } },
      c: { command: 'c', args: ['--api-key', 'hunter2-is-short'], env: { LANG: 'C', C_TOKEN: '$C_TOKEN' } },
    },
  });

  it('fails for a literal one in a tracked file and never shows it', async () => {
    const seen = await diagnose(place({ '.mcp.json': file }));
    const found = seen.findings.filter(({ code }) => code === 'secret/exposed');
    expect(found.map(({ severity, subject }) => [severity, subject])).toEqual([
      ['error', '.mcp.json#/mcpServers/a/headers/Authorization'],
      ['error', '.mcp.json#/mcpServers/c/args/1'],
    ]);
    expect(seen.text).not.toContain(secret);
    expect(seen.text).not.toContain('hunter2');
    expect(seen.exit).toBe(1);
  });

  it('warns for one in an ignored file', async () => {
    const seen = await diagnose(place({ '.gitignore': '.mcp.json\n', '.mcp.json': file }));
    expect(
      new Set(seen.findings.filter(({ code }) => code === 'secret/exposed').map((one) => one.severity)),
    ).toEqual(new Set(['warning']));
    expect(seen.exit).toBe(0);
  });

  it('warns of a private file that others can read', async () => {
    const home = { '.claude.json': { text: '{}\n', mode: 0o644 } };
    const seen = await diagnose(place({ '.mcp.json': '{"mcpServers":{}}' }, home));
    expect(seen.one('secret/world-readable')).toMatchObject({
      severity: 'warning',
      subject: '~/.claude.json',
    });
    const shut = await diagnose(
      place({ '.mcp.json': '{"mcpServers":{}}' }, { '.claude.json': { text: '{}\n', mode: 0o600 } }),
    );
    expect(shut.check('secrets/private-files')?.status).toBe('pass');
  });
});

describe('--runtime', () => {
  it('looks at the named ones only, by id or alias, and knows no others', async () => {
    const at = place({ '.mcp.json': '{', '.codex/config.toml': 'a' });
    const only = await diagnose(at, { runtimes: ['claude'] });
    expect(only.findings.map(({ subject }) => subject)).toEqual(['.mcp.json']);
    expect((await diagnose(at, { runtimes: ['all'] })).findings.length).toBe(2);
    await expect(diagnose(at, { runtimes: ['claud-code'] })).rejects.toMatchObject({
      code: 'usage/unknown-runtime',
      remedy: { text: expect.stringContaining('did you mean claude-code?') },
    });
  });
});

describe('what is set up', () => {
  it('is its own state when nothing is, and raises the code under --strict alone', async () => {
    const at = place({ 'README.md': 'x\n' });
    const seen = await diagnose(at);
    expect([seen.exit, seen.state, seen.summary.fail]).toEqual([0, 'not-set-up', 0]);
    expect(seen.human).toContain('Nothing is set up here');
    expect((await diagnose(at, { strict: true })).exit).toBe(1);
  });

  it('is missing where its file does not hold it', async () => {
    const seen = await diagnose(
      place({ '.tenon/manifest.json': manifest(['claude-code']), '.mcp.json': '{"mcpServers":{}}\n' }),
    );
    expect(seen.one('ownership/missing')).toMatchObject({
      severity: 'error',
      subject: '.mcp.json#/mcpServers/pantry',
    });
    expect(seen.exit).toBe(1);
  });

  it('does not count an entry in a file that is never read', async () => {
    const entry = JSON.parse(claudeEntry) as object;
    const seen = await diagnose(
      place({
        '.tenon/manifest.json': manifest(['claude-code']),
        '.claude/settings.json': JSON.stringify(entry),
      }),
    );
    expect(seen.codes()).toEqual(expect.arrayContaining(['config/never-read', 'ownership/missing']));
  });

  it('is hidden by a suppression until its date, and shown again after it', async () => {
    const files = (expires: string) => ({
      '.mcp.json': '{ "servers": {}, "mcpServers": {} }\n',
      '.tenon/manifest.json': JSON.stringify({
        schemaVersion: 1,
        suppressions: [{ code: 'config/member-ignored', reason: 'shared with an old tool', expires }],
      }),
    });
    const hidden = await diagnose(place(files('2999-01-01')));
    const finding = hidden.findings.find(({ code }) => code === 'config/member-ignored');
    expect(finding).toMatchObject({ severity: 'info', data: { suppressed: { expires: '2999-01-01' } } });
    expect(finding?.message).toContain('suppressed until 2999-01-01: shared with an old tool');
    expect(hidden.check('config/content')?.status).toBe('pass');
    const shown = await diagnose(place(files('2020-01-01')));
    expect(shown.codes('warning')).toContain('suppression/expired');
    expect(shown.check('config/content')?.status).toBe('warn');
  });

  it('is reported when git ignores it', async () => {
    const seen = await diagnose(place({ ...SET_UP['claude-code'], '.gitignore': 'x\n.mcp.json\n' }));
    expect(seen.one('file/ignored').message).toContain('ignored by .gitignore:2');
  });
});

describe('content of the repository that was not granted', () => {
  it('is its own check, for what is missing and what is not', async () => {
    const files = { '.tenon/manifest.json': manifest(['claude-code']), '.mcp.json': '{"mcpServers":{}}\n' };
    const seen = await diagnose(place(files));
    expect(seen.check('ownership/trust')?.status).toBe('warn');
    expect(seen.codes()).toEqual(expect.arrayContaining(['trust/required', 'ownership/missing']));
    expect(seen.one('ownership/missing').remedy?.command).toBe('tenon trust');
    const granted = await diagnose(place(SET_UP['claude-code'] ?? {}));
    expect(granted.codes()).not.toContain('trust/required');
  });
});
