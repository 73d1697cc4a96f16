import { describe, expect, test } from 'vitest';
import {
  codesOf,
  documentOf,
  expanded,
  httpServer,
  onlyOne,
  placesOf,
  render,
  scratch,
  stdioServer,
} from './support.ts';

const url = 'http://127.0.0.1:8765/mcp';

describe('a remote server without headers has exactly these members', () => {
  test.each([
    ['claude-code', '.mcp.json', { mcpServers: { pantry: { type: 'http', url } } }],
    ['codex', '.codex/config.toml', { mcp_servers: { pantry: { url } } }],
    ['opencode', 'opencode.json', { mcp: { pantry: { type: 'remote', url, enabled: true } } }],
    ['vscode', '.vscode/mcp.json', { servers: { pantry: { type: 'http', url } } }],
    ['cursor', '.cursor/mcp.json', { mcpServers: { pantry: { url } } }],
    ['gemini-cli', '.gemini/settings.json', { mcpServers: { pantry: { httpUrl: url } } }],
    ['antigravity', '.agents/mcp_config.json', { mcpServers: { pantry: { serverUrl: url } } }],
    ['zed', '.zed/settings.json', { context_servers: { pantry: { url } } }],
    ['copilot-cli', '.mcp.json', { mcpServers: { pantry: { type: 'http', url } } }],
    ['qwen-code', '.qwen/settings.json', { mcpServers: { pantry: { httpUrl: url } } }],
    ['amp', '.amp/settings.json', { 'amp.mcpServers': { pantry: { url } } }],
    ['kilo', 'kilo.json', { mcp: { pantry: { type: 'remote', url, enabled: true } } }],
    ['roo', '.roo/mcp.json', { mcpServers: { pantry: { type: 'streamable-http', url } } }],
    ['crush', 'crush.json', { mcp: { pantry: { type: 'http', url } } }],
  ])('%s', (id, path, document) => {
    const one = onlyOne(render({ ids: [id], artifacts: [httpServer({ url })] }));
    expect(one.target.path).toBe(path);
    expect(documentOf(one)).toEqual(document);
    expect(one.class).toBe('connects');
    expect(one.summary).toBe(`connects to ${url}`);
  });

  test.each([
    ['windsurf', '~/.codeium/windsurf/mcp_config.json', { mcpServers: { pantry: { serverUrl: url } } }],
    [
      'cline',
      '~/.cline/data/settings/cline_mcp_settings.json',
      { mcpServers: { pantry: { type: 'streamableHttp', url } } },
    ],
  ])('%s in the user file', (id, path, document) => {
    const one = onlyOne(render({ ids: [id], artifacts: [httpServer({ url })], scope: 'user' }));
    expect(one.target.path).toBe(path);
    expect(documentOf(one)).toEqual(document);
  });
});

describe('a secret header is a reference in the own syntax', () => {
  const headers = { Authorization: 'Bearer ${env:PANTRY_TOKEN}', 'X-Shelf': 'upper' };
  test.each([
    ['claude-code', { headers: { Authorization: 'Bearer ${PANTRY_TOKEN}', 'X-Shelf': 'upper' } }],
    ['opencode', { headers: { Authorization: 'Bearer {env:PANTRY_TOKEN}', 'X-Shelf': 'upper' } }],
    ['cursor', { headers: { Authorization: 'Bearer ${env:PANTRY_TOKEN}', 'X-Shelf': 'upper' } }],
    ['codex', { bearer_token_env_var: 'PANTRY_TOKEN', http_headers: { 'X-Shelf': 'upper' } }],
  ])('%s', (id, members) => {
    const one = onlyOne(render({ ids: [id], artifacts: [httpServer({ url, headers })] }));
    expect(one.value).toMatchObject(members);
    expect(JSON.stringify(one.value)).not.toContain('headersLiteral');
  });

  test('a header that is one reference goes to the member for those', () => {
    const artifacts = [httpServer({ url, headers: { 'X-Key': '${env:PANTRY_KEY}' } })];
    const one = onlyOne(render({ ids: ['codex'], artifacts }));
    expect(one.value).toEqual({ url, env_http_headers: { 'X-Key': 'PANTRY_KEY' } });
  });

  test.each([
    ['codex', { 'X-Key': 'key ${env:PANTRY_KEY}' }],
    ['zed', { Authorization: 'Bearer ${env:PANTRY_TOKEN}' }],
    ['antigravity', { Authorization: 'Bearer ${env:PANTRY_TOKEN}' }],
    ['kilo', { Authorization: 'Bearer ${env:PANTRY_TOKEN}' }],
  ])('%s cannot express it and gets nothing', (id, given) => {
    const rendered = render({ ids: [id], artifacts: [httpServer({ url, headers: given })] });
    expect(rendered.desired).toEqual([]);
    expect(codesOf(rendered)).toContain('render/no-reference');
  });

  test('a runtime may expand references in one scope only', () => {
    const artifacts = [httpServer({ url, headers: { Authorization: 'Bearer ${env:PANTRY_TOKEN}' } })];
    const one = onlyOne(render({ ids: ['kilo'], artifacts, scope: 'user' }));
    expect(one.value).toMatchObject({ headers: { Authorization: 'Bearer {env:PANTRY_TOKEN}' } });
  });
});

describe('a server that is started here', () => {
  const stdio = {
    command: 'npx',
    args: ['-y', 'pantry-mcp'],
    env: { SHELF: 'upper', PANTRY_TOKEN: '${env:PANTRY_TOKEN}' },
  };
  test.each([
    [
      'claude-code',
      {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'pantry-mcp'],
        env: { SHELF: 'upper', PANTRY_TOKEN: '${PANTRY_TOKEN}' },
      },
    ],
    [
      'codex',
      { command: 'npx', args: ['-y', 'pantry-mcp'], env: { SHELF: 'upper' }, env_vars: ['PANTRY_TOKEN'] },
    ],
    [
      'opencode',
      {
        type: 'local',
        command: ['npx', '-y', 'pantry-mcp'],
        environment: { SHELF: 'upper', PANTRY_TOKEN: '{env:PANTRY_TOKEN}' },
        enabled: true,
      },
    ],
    [
      'gemini-cli',
      {
        command: 'npx',
        args: ['-y', 'pantry-mcp'],
        env: { SHELF: 'upper', PANTRY_TOKEN: '${PANTRY_TOKEN}' },
      },
    ],
  ])('%s', (id, entry) => {
    const one = onlyOne(render({ ids: [id], artifacts: [stdioServer(stdio)] }));
    expect(one.value).toEqual(entry);
    expect(one.class).toBe('executes');
    expect(one.summary).toBe('starts npx -y pantry-mcp');
  });

  test('without arguments and variables there are no empty members', () => {
    const one = onlyOne(
      render({ ids: ['codex'], artifacts: [stdioServer({ command: 'pantry', args: [] })] }),
    );
    expect(one.value).toEqual({ command: 'pantry' });
  });

  test('a time limit is in the unit of the runtime', () => {
    const artifacts = [stdioServer({ command: 'pantry', args: [] }, { timeoutSeconds: 12 })];
    expect(onlyOne(render({ ids: ['codex'], artifacts })).value).toMatchObject({ tool_timeout_sec: 12 });
    expect(onlyOne(render({ ids: ['gemini-cli'], artifacts })).value).toMatchObject({ timeout: 12_000 });
    const cursor = render({ ids: ['cursor'], artifacts });
    expect(onlyOne(cursor).value).toEqual({ command: 'pantry' });
    expect(codesOf(cursor)).toContain('render/field-ignored');
  });
});

describe('literal text that a runtime would expand', () => {
  test.each([
    ['claude-code', 'costs ${PRICE}'],
    ['gemini-cli', 'costs $PRICE'],
    ['opencode', 'see {file:./price}'],
    ['crush', 'costs $(price)'],
  ])('%s: %s is not written', (id, value) => {
    const rendered = render({ ids: [id], artifacts: [httpServer({ url, headers: { 'X-Note': value } })] });
    expect(rendered.desired).toEqual([]);
    expect(codesOf(rendered)).toContain('render/literal-expands');
  });

  test.each([
    ['codex', 'costs ${PRICE} and {url}'],
    ['opencode', 'costs ${PRICE} and {server}'],
    ['claude-code', 'costs $PRICE, {url} and {env:PRICE}'],
  ])('%s: %s stays as it is', (id, value) => {
    const one = onlyOne(
      render({ ids: [id], artifacts: [httpServer({ url, headers: { 'X-Note': value } })] }),
    );
    expect(JSON.stringify(one.value)).toContain(JSON.stringify(value));
  });
});

test('two runtimes that read one file share one entry', () => {
  const rendered = render({ ids: ['claude-code', 'copilot-cli'], artifacts: [httpServer({ url })] });
  expect(placesOf(rendered)).toEqual(['.mcp.json#mcpServers/pantry [claude-code,copilot-cli]']);
  expect(onlyOne(rendered).rules).toMatchObject({ reads: 'strict', bom: 'rejected' });
});

describe('a runtime that reads only its strongest file', () => {
  const at = () => scratch({ '.github/mcp.json': '{"mcpServers":{"old":{"command":"old"}}}' });

  test('shares a file that another one creates, and says what is hidden by it', () => {
    const rendered = render({
      ids: ['claude-code', 'copilot-cli'],
      artifacts: [httpServer({ url })],
      at: at(),
    });
    expect(placesOf(rendered)).toEqual(['.mcp.json#mcpServers/pantry [claude-code,copilot-cli]']);
    expect(rendered.findings).toContainEqual(
      expect.objectContaining({
        code: 'render/shadows-file',
        message: 'Copilot CLI reads .mcp.json instead of .github/mcp.json once it exists',
      }),
    );
  });

  test('is told of also when it was not chosen', () => {
    const rendered = render({
      ids: ['claude-code'],
      others: ['copilot-cli'],
      artifacts: [httpServer({ url })],
      at: at(),
    });
    expect(codesOf(rendered)).toEqual(['render/shadows-file']);
  });

  test('keeps its own file when nothing else is created', () => {
    const rendered = render({ ids: ['copilot-cli'], artifacts: [httpServer({ url })], at: at() });
    expect(placesOf(rendered)).toEqual(['.github/mcp.json#mcpServers/pantry [copilot-cli]']);
    expect(codesOf(rendered)).toEqual(['render/file-chosen']);
  });
});

test('a link to the file of another runtime is the same file', () => {
  const at = scratch({
    'shared.json': '{}',
    '.mcp.json': '-> shared.json',
    '.cursor/mcp.json': '-> ../shared.json',
  });
  const rendered = render({ ids: ['claude-code', 'cursor'], artifacts: [httpServer({ url })], at });
  expect(rendered.desired).toHaveLength(1);
  expect(codesOf(rendered)).toContain('render/shared-differs');
});

describe('scopes', () => {
  const artifacts = [httpServer({ url })];
  test('local servers stand under the folder in the home file', () => {
    const at = scratch();
    const one = onlyOne(render({ ids: ['claude-code'], artifacts, scope: 'local', at }));
    expect(one.target).toMatchObject({
      path: '~/.claude.json',
      place: { kind: 'key', path: ['projects', at.root, 'mcpServers', 'pantry'] },
    });
  });

  test('a folder that the document knows under another spelling keeps it', () => {
    const at = scratch();
    const known = scratch({}, { '.claude.json': JSON.stringify({ projects: { [`${at.root}/`]: {} } }) });
    const one = onlyOne(
      render({ ids: ['claude-code'], artifacts, scope: 'local', at: { root: at.root, home: known.home } }),
    );
    expect(one.target.place).toMatchObject({ path: ['projects', `${at.root}/`, 'mcpServers', 'pantry'] });
  });

  test('a variable moves the user file', () => {
    const at = scratch({}, { 'work/x': '' });
    const env = { CLAUDE_CONFIG_DIR: `${at.home}/work` };
    const one = onlyOne(render({ ids: ['claude-code'], artifacts, scope: 'user', at, env }));
    expect(one.target.path).toBe('~/work/.claude.json');
  });

  test('a relative one is refused', () => {
    const rendered = render({ ids: ['codex'], artifacts, scope: 'user', env: { CODEX_HOME: 'here' } });
    expect(rendered.desired).toEqual([]);
    expect(codesOf(rendered)).toContain('host/env-path');
  });

  test.each([
    ['codex', 'local'],
    ['windsurf', 'project'],
  ] as const)('%s has no %s scope', (id, scope) => {
    expect(() => render({ ids: ['claude-code', id], artifacts, scope })).toThrow(
      expect.objectContaining({ code: 'runtime/scope-unsupported', exit: 4 }),
    );
  });

  test('where no server is wanted, the scopes of the rest count', () => {
    const skill = expanded(
      { name: 's', kind: 'skill', default: 'on', required: false, skill: 'pantry', folder: 's' },
      { 's/SKILL.md': 'x' },
    );
    expect(placesOf(render({ ids: ['windsurf'], artifacts: [skill] }))).toEqual([
      '.windsurf/skills/pantry/SKILL.md [windsurf]',
    ]);
  });

  test.each(['copilot-cloud', 'devin', 'goose'])('nothing can be written for %s', (id) => {
    expect(() => render({ ids: [id], artifacts })).toThrow(
      expect.objectContaining({ code: 'runtime/unsupported', exit: 4 }),
    );
  });

  test('a program cannot be started by a runtime that only connects, and the other way round', () => {
    const rendered = render({ ids: ['junie', 'codex'], artifacts });
    expect(placesOf(rendered)).toEqual(['.codex/config.toml#mcp_servers/pantry [codex]']);
    expect(codesOf(rendered)).toContain('render/transport');
  });
});

describe('which of several files takes the entry', () => {
  const artifacts = [httpServer({ url })];
  const chosen = (files: Record<string, string>): { path: string; codes: string[]; text: string } => {
    const rendered = render({ ids: ['opencode'], artifacts, at: scratch(files) });
    const text = rendered.findings.map(({ message }) => message).join('\n');
    return { path: onlyOne(rendered).target.path, codes: codesOf(rendered), text };
  };

  test('the one that holds the container, with a reason', () => {
    const { path, codes, text } = chosen({
      'opencode.json': '{"theme":"x"}',
      'opencode.jsonc': '{ /* a */ "mcp": {}, }',
    });
    expect(path).toBe('opencode.jsonc');
    expect(codes).toContain('render/file-chosen');
    expect(text).toContain('opencode.jsonc is used: it holds mcp; opencode.json is left alone');
  });

  test('also when it is the weaker one', () => {
    expect(chosen({ 'opencode.json': '{"mcp":{}}', 'opencode.jsonc': '{}' }).path).toBe('opencode.json');
  });

  test('the one that holds the entry before that', () => {
    const files = { 'opencode.json': '{"mcp":{"pantry":{}}}', 'opencode.jsonc': '{"mcp":{"other":{}}}' };
    expect(chosen(files).path).toBe('opencode.json');
  });

  test('the only one that exists', () => {
    const { path, text } = chosen({ 'opencode.jsonc': '{}' });
    expect(path).toBe('opencode.jsonc');
    expect(text).toContain('opencode.json is not created');
  });

  test('an entry in two files is reported', () => {
    const both = { 'opencode.json': '{"mcp":{"pantry":{}}}', 'opencode.jsonc': '{"mcp":{"pantry":{}}}' };
    expect(chosen(both)).toMatchObject({ path: 'opencode.jsonc' });
    expect(chosen(both).codes).toContain('render/defined-twice');
  });

  test('where only one file is read, that one', () => {
    const at = scratch({ '.mcp.json': '{}', '.github/mcp.json': '{"mcpServers":{}}' });
    const rendered = render({ ids: ['copilot-cli'], artifacts, at });
    expect(onlyOne(rendered).target.path).toBe('.mcp.json');
    expect(codesOf(rendered)).toContain('render/file-chosen');
  });
});
