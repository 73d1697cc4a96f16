import { beforeAll, describe, expect, test } from 'vitest';
import { loadFormats } from '../../../src/formats/index.ts';
import type { Json } from '../../../src/lib/json.ts';
import type { RuntimeSpec } from '../../../src/runtimes/schema.ts';
import { contentsOf } from '../../../src/trust/contents.ts';
import type { Match, ScanKind } from '../../../src/trust/places.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const rule = (name: string) => ({ file: 'settings', at: ['permissions', name] });
const spec = {
  id: 'one',
  files: { settings: { format: 'json' }, mcp: { format: 'json' } },
  mcp: {
    places: [{ scope: 'project', file: 'mcp', at: ['mcpServers', '{server}'] }],
    urlMembers: ['url'],
    commandMember: 'command',
  },
  permissions: { ask: [rule('ask')], deny: [rule('deny')], allow: [rule('allow')] },
} as unknown as RuntimeSpec;

const where = { root: '/repo', platform: 'linux' } as const;
const match = (kind: ScanKind, ...files: string[]): Match => ({
  kind,
  runtimes: ['one'],
  readings: files.map((file) => ({ spec, file })),
});
const classOf = (kind: ScanKind, path: string, text: string | undefined, isExecutable = false) =>
  contentsOf(path, text, match(kind), isExecutable, where).class;
const config = (value: Json | string, ...files: string[]) =>
  contentsOf(
    'x.json',
    typeof value === 'string' ? value : JSON.stringify(value),
    match('config', ...files),
    false,
    where,
  );

describe('what a file of the inventory does', () => {
  test.each<[ScanKind, string, string | undefined, boolean, string]>([
    ['instructions', 'AGENTS.md', '# x', false, 'model-influencing'],
    ['instructions', 'AGENTS.md', '#!/bin/sh', true, 'model-influencing'],
    ['hook', 'notes.md', '# x', false, 'executable'],
    ['environment', 'notes.md', '# x', false, 'executable'],
    ['git-hook', 'notes.md', '# x', false, 'executable'],
    ['skill', 'SKILL.md', '# x', false, 'model-influencing'],
    ['skill', 'SKILL.MD', '# x', false, 'model-influencing'],
    ['file-folder', 'a.mdc', 'x', false, 'model-influencing'],
    ['file-folder', 'a.txt', undefined, false, 'model-influencing'],
    ['skill', 'SKILL.md', '# x', true, 'executable'],
    ['skill', 'SKILL.md', '#!/bin/sh', false, 'executable'],
    ['skill', 'run.py', 'x', false, 'executable'],
    ['skill', 'x.md.sh', 'x', false, 'executable'],
  ])('%s %s', (kind, path, text, isExecutable, expected) => {
    expect(classOf(kind, path, text, isExecutable)).toBe(expected);
  });
});

describe('a configuration', () => {
  test.each<[Json, string]>([
    [{}, 'declarative-only'],
    [{ theme: 'dark' }, 'declarative-only'],
    [{ permissions: { allow: ['Bash'] } }, 'model-influencing'],
    [{ permissions: { deny: [] } }, 'model-influencing'],
    [{ statusLine: { type: 'x' } }, 'executable'],
    [{ hooks: { SessionStart: [] } }, 'executable'],
    [{ hooks: {} }, 'declarative-only'],
    [{ command: '' }, 'declarative-only'],
    [{ command: 'make' }, 'executable'],
    [{ command: ['make'] }, 'executable'],
    [{ command: [] }, 'declarative-only'],
    [{ command: true }, 'declarative-only'],
    [{ commands: 7 }, 'declarative-only'],
    [{ apiKeyHelper: 'x.sh' }, 'executable'],
    [{ plugins: ['x'] }, 'executable'],
    [{ list: [{ deep: { exec: 'x' } }] }, 'executable'],
    [[{ notify: 'x' }], 'executable'],
  ])('%j is %s', (value, expected) => {
    expect(config(value, 'settings').class).toBe(expected);
  });

  test.each([
    ['{"a":', 'settings'],
    ['{}', 'unknown-file'],
  ])('that nobody can read counts as executable: %s in %s', (text, file) => {
    expect(config(text, file)).toEqual({ class: 'executable', servers: [] });
    expect(contentsOf('x.json', undefined, match('config', 'settings'), false, where).class).toBe(
      'executable',
    );
    expect(contentsOf('x.json', '{}', match('config'), false, where).class).toBe('executable');
  });

  test('names its servers, with what they start or connect to', () => {
    const { class: says, servers } = config(
      {
        mcpServers: {
          local: { command: 'npx', args: ['-y', 'pkg', '--api-key', 'k3y-0f-s0me-length'] },
          pinned: { command: 'npx', args: ['pkg@1.2.3'] },
          far: { url: 'https://x.example/mcp' },
        },
      },
      'mcp',
    );
    expect(says).toBe('executable');
    expect(servers).toEqual([
      {
        pointer: '/mcpServers/local',
        name: 'local',
        launch: ['npx', '-y', 'pkg', '--api-key', '[REDACTED]'],
        url: '',
        unpinned: 'pkg',
      },
      { pointer: '/mcpServers/pinned', name: 'pinned', launch: ['npx', 'pkg@1.2.3'], url: '', unpinned: '' },
      {
        pointer: '/mcpServers/far',
        name: 'far',
        launch: [],
        url: 'https://x.example/mcp',
        unpinned: '',
      },
    ]);
  });

  test('that only connects steers, and one that is not for servers holds none', () => {
    const far = { mcpServers: { far: { url: 'https://x.example/mcp' } } };
    expect(config(far, 'mcp').class).toBe('model-influencing');
    expect(config(far, 'settings')).toEqual({ class: 'declarative-only', servers: [] });
    expect(config({ permissions: { allow: [] } }, 'mcp').class).toBe('declarative-only');
  });

  test('that several tools read is what the worst reading says, each server once', () => {
    const far = { mcpServers: { far: { url: 'https://x.example/mcp' } } };
    const seen = config(far, 'settings', 'mcp', 'mcp');
    expect([seen.class, seen.servers.map(({ name }) => name)]).toEqual(['model-influencing', ['far']]);
    expect(config(far, 'mcp', 'unknown-file').class).toBe('executable');
    const bare = { ...spec, permissions: undefined, mcp: undefined } as unknown as RuntimeSpec;
    const reading: Match = { kind: 'config', runtimes: [], readings: [{ spec: bare, file: 'settings' }] };
    expect(contentsOf('x', '{"permissions":{"allow":[]}}', reading, false, where).class).toBe(
      'declarative-only',
    );
  });
});
