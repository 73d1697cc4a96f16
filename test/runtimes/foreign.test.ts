import { describe, expect, test } from 'vitest';
import { formatOf } from '../../src/formats/index.ts';
import { foreignFindings } from '../../src/runtimes/foreign.ts';
import { readGate } from '../../src/runtimes/gates.ts';
import { hookScripts, missingHookScripts } from '../../src/runtimes/hook-scripts.ts';
import { serversIn } from '../../src/runtimes/servers.ts';
import { refusedByClient, strictness } from '../../src/runtimes/strictness.ts';
import { realReader } from '../../src/system/real-files.ts';
import { scratch, specOf } from './support.ts';

function look(id: string, file: string, text: string) {
  const spec = specOf(id);
  const format = formatOf(spec.files[file]!.format);
  const parsed = format.parse(text);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const path = spec.files[file]!.create;
  return foreignFindings(spec.files[file]!.foreign, {
    path,
    value: parsed.value,
    locate: (at) => format.locate(text, at),
  }).map(({ severity, message, data }) => `${severity}${data?.['dropsFile'] ? '!' : ''} ${message}`);
}

describe('what a runtime makes of content that is not ours', () => {
  test('OpenCode and servers under the name of another tool', () => {
    const text = '{\n  "mcp": {},\n  "mcpServers": { "old": { "command": "old-mcp" } }\n}\n';
    expect(look('opencode', 'config', text)).toEqual([
      expect.stringMatching(
        /^error! OpenCode rejects this file: unknown root member mcpServers .*\(line 3\)$/u,
      ),
    ]);
  });

  test('VS Code and mcpServers', () => {
    expect(look('vscode', 'mcp', '{ "mcpServers": {} }')).toEqual([
      'warning mcpServers in this file is ignored by VS Code, which reads servers (line 1)',
    ]);
  });

  test('Claude Code and servers; Copilot CLI says with which version', () => {
    const text = '{ "servers": {} }';
    expect(look('claude-code', 'mcp', text)).toEqual([
      'warning servers in .mcp.json is ignored by Claude Code, which reads mcpServers (line 1)',
    ]);
    expect(look('copilot-cli', 'mcp', text)).toEqual([
      expect.stringContaining('tested with 1.0.102, which reads mcpServers of .mcp.json'),
    ]);
  });

  test('Claude Code and a url without a type', () => {
    const text =
      '{"mcpServers":{"shelf":{"url":"https://x.example"},"fine":{"type":"http","url":"https://x.example"}}}';
    expect(look('claude-code', 'mcp', text)).toEqual([
      'warning shelf has a url but no type, so Claude Code does not load it (line 1)',
    ]);
  });

  test('Gemini CLI and a member name that ends in a blank', () => {
    const text = '{\n "mcpServers": {\n  "typo": {\n   "httpUrl ": "https://x.example"\n }}}';
    expect(look('gemini-cli', 'settings', text)).toEqual([
      'warning member name "httpUrl " at mcpServers.typo.httpUrl  has a trailing blank, so Gemini CLI does not know it (line 4)',
    ]);
  });

  test('Claude Code and servers in its settings', () => {
    expect(look('claude-code', 'settings', '{"mcpServers":{"shelf":{}}}')).toEqual([
      expect.stringMatching(/^warning shelf in \.claude\/settings\.json is not read by Claude Code/u),
    ]);
  });

  test('Claude Code and a rule that drops the whole file', () => {
    const text = '{"permissions":{"allow":["Bash(git log:*)","Bash(git reset:* --hard)"],"ask":"all"}}';
    expect(look('claude-code', 'settings', text)).toEqual([
      expect.stringMatching(
        /^error! \.claude\/settings\.json may be skipped as a whole: permissions\.allow\[1\] `Bash\(git reset:\* --hard\)`/u,
      ),
      expect.stringMatching(/^error! .*permissions\.ask is no array/u),
    ]);
  });

  test('Codex and entries that stop it', () => {
    const text =
      '[mcp_servers.a]\nurl = "u"\ncommand = "c"\n[mcp_servers.b]\nurl = "u"\ndefault_tools_approval_mode = "ask"\n';
    expect(look('codex', 'config', text)).toEqual([
      expect.stringMatching(/^error! Codex refuses to start .*: a has both url and command/u),
      expect.stringMatching(/^error! .*mcp_servers\.b\.default_tools_approval_mode is `ask`/u),
    ]);
  });

  test('control characters of a name are not shown raw', () => {
    const [message] = look('claude-code', 'mcp', '{"mcpServers":{"a\\u001b[31m":{"url":"x"}}}');
    expect(message).toContain('a\\e[31m has a url');
  });

  test('a document that fits gives nothing', () => {
    expect(look('opencode', 'config', '{"mcp":{"a":{"type":"local","command":["a"]}}}')).toEqual([]);
  });
});

describe('text that a client does not read', () => {
  const text = '{\n  // kept\n  "a": [1,],\n}\n';
  test.each([
    ['strict', 'comment in line 2 and no trailing comma in line 3'],
    ['comments', 'trailing comma in line 3'],
  ] as const)('%s', (reads, words) => {
    expect(refusedByClient(text, false, { reads, bom: 'ok' })).toBe(`it takes no ${words}`);
  });

  test('nothing is wrong with it where all is read', () => {
    expect(refusedByClient(text, true, { reads: 'jsonc', bom: 'ok' })).toBeUndefined();
  });

  test('a byte-order mark', () => {
    expect(refusedByClient('{}', true, { reads: 'jsonc', bom: 'rejected' })).toBe(
      'it takes no byte-order mark',
    );
  });

  test('a finding says where and what comes of it', () => {
    const file = specOf('claude-code').files['mcp']!;
    const [one, ...rest] = strictness(text, true, file, { path: '.mcp.json', title: 'Claude Code' });
    expect(one).toMatchObject({
      severity: 'error',
      subject: '.mcp.json',
      data: { line: 2, dropsFile: true },
    });
    expect(one?.message).toContain('.mcp.json:2:3');
    expect(rest).toHaveLength(1);
  });
});

describe('hooks of any owner', () => {
  const document = (command: string) => ({
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] },
  });
  test.each([
    ['python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/gone.py"', ['.claude/hooks/gone.py']],
    ['"$CLAUDE_PROJECT_DIR"/tools/a\\ b.sh --x', ['tools/a b.sh']],
    ['${CLAUDE_PROJECT_DIR}/x.sh && ./scripts/guard.sh | tee /dev/null', ['x.sh', 'scripts/guard.sh']],
    ['node tools/check.mjs', ['tools/check.mjs']],
    ['bash ~/hooks/own.sh', ['~/hooks/own.sh']],
    ['npx @scope/tool https://x.example/a.js', []],
    ['"$OTHER/x.sh"', []],
    ['cat ../secret.sh *.sh', []],
  ])('%s', (command, scripts) => {
    const found = hookScripts(specOf('claude-code'), document(command));
    expect(found.map(({ script }) => script)).toEqual(scripts);
  });

  test('scripts in an array of arguments', () => {
    const handler = { type: 'command', command: 'node', args: ['${CLAUDE_PROJECT_DIR}/a.cjs', 'x'] };
    const found = hookScripts(specOf('claude-code'), { hooks: { SessionStart: [{ hooks: [handler] }] } });
    expect(found.map(({ script }) => script)).toEqual(['a.cjs']);
  });

  test('only the missing one is reported, with its line', () => {
    const at = scratch({ 'scripts/here.sh': '' });
    const text = JSON.stringify({ ...document('./scripts/here.sh; ./scripts/gone.sh') }, null, 2);
    const format = formatOf('json');
    const findings = missingHookScripts(
      specOf('claude-code'),
      { path: '.claude/settings.json', value: JSON.parse(text), locate: (path) => format.locate(text, path) },
      { ...at, platform: 'linux', env: {}, reader: realReader },
    );
    expect(findings.map(({ message }) => message)).toEqual([
      'a hook in .claude/settings.json (line 8) calls scripts/gone.sh, which does not exist',
    ]);
  });
});

describe('servers of a document', () => {
  test('with url, launch and switch', () => {
    const document = {
      mcp_servers: { a: { url: 'http://x', enabled: false }, b: { command: 'npx', args: ['-y', 'b'] } },
    };
    expect(serversIn(specOf('codex'), 'project', document, '/r', 'linux')).toEqual([
      { name: 'a', path: ['mcp_servers', 'a'], entry: document.mcp_servers.a, url: 'http://x', isOff: true },
      {
        name: 'b',
        path: ['mcp_servers', 'b'],
        entry: document.mcp_servers.b,
        launch: ['npx', '-y', 'b'],
        isOff: false,
      },
    ]);
  });

  test('of one folder, under any spelling of it', () => {
    const document = { projects: { 'c:/Work/App': { mcpServers: { a: { url: 'http://x' } } } } };
    const found = serversIn(specOf('claude-code'), 'local', document, 'C:\\work\\app', 'win32');
    expect(found.map(({ path }) => path)).toEqual([['projects', 'c:/Work/App', 'mcpServers', 'a']]);
  });
});

describe('gates of a client', () => {
  const gateOf = (id: string, kind: string, file: string) => {
    const gate = specOf(id).gates.find((one) => one.kind === kind && one.file === file);
    if (gate === undefined) throw new Error('no such gate');
    return gate;
  };
  const about = { server: 'pantry', url: 'http://127.0.0.1:8765/mcp' };

  test('a server that the user rejected', () => {
    const gate = gateOf('claude-code', 'off-list', 'settings-local');
    const reading = readGate(gate, { disabledMcpjsonServers: ['ghost', 'pantry'] }, about, '/r', 'linux');
    expect(reading).toMatchObject({ state: 'set', names: ['ghost', 'pantry'] });
    expect(readGate(gate, {}, about, '/r', 'linux').state).toBe('unset');
  });

  test.each([
    ['codex', 'config-user', { projects: { '/r': { trust_level: 'trusted' } } }, 'set'],
    ['codex', 'config-user', { projects: { '/r/': { trust_level: 'trusted' } } }, 'set'],
    ['codex', 'config-user', { projects: { '/r': { trust_level: 'untrusted' } } }, 'unset'],
    ['gemini-cli', 'trust', { '/r': 'TRUST_FOLDER' }, 'set'],
    ['gemini-cli', 'trust', { '/r': 'DO_NOT_TRUST' }, 'unset'],
    ['copilot-cli', 'config-user', { trustedFolders: ['/r'] }, 'set'],
  ])('trust of %s in %s: %j is %s', (id, file, document, state) => {
    expect(readGate(gateOf(id, 'trust', file), document, about, '/r', 'linux').state).toBe(state);
  });

  test('an administrator denies a server by name or URL', () => {
    const gate = gateOf('claude-code', 'denied-servers', 'managed-settings');
    const denied = (item: object) =>
      readGate(gate, { deniedMcpServers: [item] } as never, about, '/r', 'linux').state;
    expect(denied({ serverUrl: 'http://127.0.0.1:*' })).toBe('set');
    expect(denied({ serverName: 'pantry' })).toBe('set');
    expect(denied({ serverUrl: 'https://*' })).toBe('unset');
  });
});
