import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/clients/plain-text.ts';
import { readList } from '../../../src/clients/read-list.ts';
import { checkSpec } from '../../../src/runtimes/check.ts';
import { loadSpecs } from '../../../src/runtimes/load.ts';
import type { ListOutput } from '../../../src/runtimes/schema-list.ts';
import { realReader } from '../../../src/system/real-files.ts';

const specs = await loadSpecs(realReader, join(import.meta.dirname, '..', '..', '..'));

function listOf(id: string) {
  const list = specs.get(id)?.list;
  if (list === undefined) throw new Error(`no list of ${id}`);
  return list;
}

const read = (id: string, stdout: string, stderr = '') =>
  readList(listOf(id).output, { stdout: plainText(stdout), stderr: plainText(stderr) });

/** What the clients print, written down from runs of them. */
const PRINTED: readonly (readonly [string, string, string, readonly object[]])[] = [
  [
    'claude-code',
    [
      'Claude configuration file not found at: /home/x/.claude.json',
      'Checking MCP server health…',
      '',
      'pantry: http://127.0.0.1:8765/mcp (HTTP) - ⏸ Pending approval (run `claude` to approve)',
      'dead: http://127.0.0.1:9/mcp (HTTP) - ✘ Failed to connect — ECONNREFUSED: Unable to connect.',
      'tool: node /srv/a b.mjs --x - y - ✔ Connected',
      'remote: https://a.example/mcp (SSE) - ! Needs authentication',
    ].join('\n'),
    '',
    [
      { name: 'pantry', state: 'pending', url: 'http://127.0.0.1:8765/mcp' },
      { name: 'dead', state: 'failed', url: 'http://127.0.0.1:9/mcp' },
      { name: 'tool', state: 'connected', launch: 'node /srv/a b.mjs --x - y' },
      { name: 'remote', state: 'needs-login', url: 'https://a.example/mcp' },
    ],
  ],
  [
    'codex',
    JSON.stringify([
      {
        name: 'pantry',
        enabled: true,
        transport: { type: 'streamable_http', url: 'http://127.0.0.1:1/mcp' },
      },
      { name: 'off', enabled: false, transport: { type: 'stdio', command: 'node', args: ['a.mjs', '-x'] } },
    ]),
    'WARNING: proceeding',
    [
      { name: 'pantry', state: 'listed', url: 'http://127.0.0.1:1/mcp' },
      { name: 'off', state: 'disabled', launch: 'node a.mjs -x' },
    ],
  ],
  [
    'opencode',
    [
      '\u001b[0m',
      '┌  MCP Servers',
      '│',
      '●  ✓ pantry \u001b[90mconnected',
      '│      \u001b[90mhttp://127.0.0.1:8765/mcp',
      '│',
      '●  ✗ dead \u001b[90mfailed',
      '│      SSE error: Unable to connect. Is the computer able to access the url?',
      '│      \u001b[90mhttp://127.0.0.1:9/mcp',
      '│',
      '●  ○ off \u001b[90mdisabled',
      '│      \u001b[90mnode /srv/x.mjs',
      '│',
      '●  ⚠ auth \u001b[90mneeds authentication',
      '└  4 server(s)',
    ].join('\n'),
    '',
    [
      { name: 'pantry', state: 'connected', url: 'http://127.0.0.1:8765/mcp' },
      { name: 'dead', state: 'failed', url: 'http://127.0.0.1:9/mcp' },
      { name: 'off', state: 'disabled' },
      { name: 'auth', state: 'needs-login' },
    ],
  ],
  [
    'copilot-cli',
    JSON.stringify({
      mcpServers: {
        pantry: {
          tools: ['*'],
          type: 'http',
          url: 'http://127.0.0.1:1/mcp',
          source: 'workspace',
          enabled: true,
        },
        few: { tools: ['one'], type: 'stdio', command: 'node', args: ['x'], enabled: true },
      },
    }),
    '',
    [
      { name: 'pantry', state: 'listed', url: 'http://127.0.0.1:1/mcp' },
      { name: 'few', state: 'listed', launch: 'node x', tools: ['one'] },
    ],
  ],
  [
    'gemini-cli',
    '',
    [
      'Warning: MCP servers are configured but disabled because this folder is untrusted.',
      'Configured MCP servers:',
      '',
      '○ pantry: http://127.0.0.1:8765/mcp (http) - Disabled',
      '✓ own (from an-extension): https://a.example/mcp (sse) - Connected',
      '✗ st: node /srv/x.mjs (stdio) - Disconnected',
    ].join('\n'),
    [
      { name: 'pantry', state: 'disabled', url: 'http://127.0.0.1:8765/mcp' },
      { name: 'own', state: 'connected', url: 'https://a.example/mcp' },
      { name: 'st', state: 'failed', launch: 'node /srv/x.mjs' },
    ],
  ],
  [
    'qwen-code',
    [
      'Configured MCP servers:',
      '\u001b[33m●\u001b[0m pantry: http://127.0.0.1:8765/mcp (http) - Pending approval',
      '\u001b[33m●\u001b[0m dead: http://127.0.0.1:9/mcp (http) - Rejected',
      '\u001b[32m✓\u001b[0m st: node /srv/x.mjs (stdio) - Connected',
    ].join('\n'),
    '',
    [
      { name: 'pantry', state: 'pending', url: 'http://127.0.0.1:8765/mcp' },
      { name: 'dead', state: 'rejected', url: 'http://127.0.0.1:9/mcp' },
      { name: 'st', state: 'connected', launch: 'node /srv/x.mjs' },
    ],
  ],
  [
    'factory-droid',
    [
      'Configured MCP servers:',
      '  dead  http  failed: Failed to connect to MCP server  [project]',
      '  off  http  disabled  [project]',
      '  pantry  http  connected  [user]',
    ].join('\n'),
    'Connecting to configured MCP servers to check status...',
    [
      { name: 'dead', state: 'failed' },
      { name: 'off', state: 'disabled' },
      { name: 'pantry', state: 'connected' },
    ],
  ],
  [
    'auggie',
    `Note: a line before it\n${JSON.stringify({
      servers: [
        { name: 'pantry', transport: 'http', url: 'http://127.0.0.1:1/mcp', enabled: true },
        { name: 'st', transport: 'stdio', command: 'node x.mjs', enabled: false },
      ],
    })}`,
    'Warning: Could not fetch',
    [
      { name: 'pantry', state: 'listed', url: 'http://127.0.0.1:1/mcp' },
      { name: 'st', state: 'disabled', launch: 'node x.mjs' },
    ],
  ],
  [
    'amp',
    'Workspace .amp/settings.json\n  pantry  url      http://127.0.0.1:1/mcp\n',
    '',
    [{ name: 'pantry', state: 'listed', url: 'http://127.0.0.1:1/mcp' }],
  ],
];

describe('what a client lists', () => {
  it.each(PRINTED)('%s', (id, stdout, stderr, servers) => {
    expect(read(id, stdout, stderr)).toEqual({ isList: true, servers });
  });

  it.each([
    ['claude-code', 'No MCP servers configured. Use `claude mcp add` to add a server.'],
    ['codex', '[]\n'],
    ['opencode', '┌  MCP Servers\n│\n▲  No MCP servers configured\n│\n└  Add servers with: opencode mcp add'],
    ['copilot-cli', '{\n  "mcpServers": {}\n}'],
    ['gemini-cli', 'No MCP servers configured.'],
    ['qwen-code', 'No MCP servers configured.'],
    ['factory-droid', 'No MCP servers configured.'],
    ['auggie', '{\n  "servers": []\n}'],
  ])('%s, without a server', (id, printed) => {
    expect(read(id, printed)).toEqual({ isList: true, servers: [] });
  });

  it('is told from anything else', () => {
    for (const id of [...specs.values()].flatMap(({ list, id: own }) => (list === undefined ? [] : [own]))) {
      for (const other of [
        '',
        'usage: x [options]\n',
        '{"a":1}',
        'null',
        '[[[',
        'error: unknown command mcp',
      ]) {
        expect([id, other, read(id, other, other).isList]).toEqual([id, other, false]);
      }
    }
  });

  it('keeps a state that the spec does not know as the client says it', () => {
    const seen = read('claude-code', 'pantry: http://127.0.0.1:1/mcp (HTTP) - ☂ Raining');
    expect(seen).toMatchObject({ servers: [{ name: 'pantry', state: undefined, says: '☂ Raining' }] });
  });

  it('is bounded, whatever a client prints', () => {
    const started = performance.now();
    for (const line of [
      'a: '.repeat(100_000),
      '● ✓ x y (http) - '.repeat(60_000),
      `${' '.repeat(500_000)}[`,
    ]) {
      for (const { list } of specs.values()) {
        if (list !== undefined)
          readList(list.output, { stdout: `${line}\n${'●  ✓ a b\n'.repeat(20_000)}`, stderr: line });
      }
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('the list of a spec', () => {
  const raw = JSON.parse(JSON.stringify(specs.get('claude-code')));
  const problems = (change: (spec: { list: Record<string, unknown> }) => void) => {
    const copy = structuredClone(raw);
    change(copy);
    return checkSpec(copy, 'specs/claude-code.json').problems;
  };
  const lines = (output: ListOutput): Record<string, unknown> => ({ ...output });

  it('is sound', () => {
    expect(problems(() => {})).toEqual([]);
  });

  it.each([
    ['another program', { command: ['other', 'mcp'] }, 'list.command: other is none of detect.binaries'],
    [
      'a command that it forbids',
      { command: ['claude', 'mcp', 'get', 'x'] },
      'list.command: claude mcp get is never used',
    ],
    ['starting without connecting', { proves: 'read' }, 'list.proves: a command that starts servers'],
    ['no time limit', { seconds: 0 }, 'list.seconds'],
    [
      'a broken pattern',
      { output: { ...lines(listOf('claude-code').output), entry: '(' } },
      'list.output.entry',
    ],
    [
      'a pattern without a name',
      { output: { ...lines(listOf('claude-code').output), entry: '(?<state>x)' } },
      'has no group name',
    ],
    [
      'a pattern without a state',
      { output: { ...lines(listOf('claude-code').output), entry: '(?<name>x)' } },
      'list.output.otherwise',
    ],
    ['an unknown form', { output: { form: 'xml' } }, 'list.output.form'],
    ['an unknown member', { shell: true }, 'shell'],
  ])('refuses %s', (_, change, message) => {
    const found = problems((spec) => Object.assign(spec.list, change));
    expect(found.join('\n')).toContain(message);
  });

  it('refuses one without a version command', () => {
    const copy = structuredClone(raw);
    delete copy.version;
    expect(checkSpec(copy, 'specs/claude-code.json').problems.join()).toContain('list: needs version');
  });
});
