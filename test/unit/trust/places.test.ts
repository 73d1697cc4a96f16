import { describe, expect, test } from 'vitest';
import type { RuntimeSpec } from '../../../src/runtimes/schema.ts';
import { placesOf } from '../../../src/trust/places.ts';

const file = (scope: string, path: string, more: object = {}) => ({
  scope,
  paths: [path],
  create: path,
  format: 'json',
  ...more,
});
const spec = (id: string, change: object = {}): RuntimeSpec =>
  ({ id, files: {}, fileFolders: [], ...change }) as unknown as RuntimeSpec;

const one = spec('one', {
  files: {
    servers: file('project', '.one/mcp.json', { os: { darwin: file('project', '.one/mac.json') } }),
    own: file('local', '.one/local.json'),
    home: file('user', '.one/user.json'),
    tilde: file('project', '~/.one/x.json'),
    absolute: file('project', '/etc/one.json'),
    drive: file('project', 'C:/one.json'),
    named: file('project', '{env:ONE_DIR|~/.one}/named.json'),
  },
  hooks: {
    places: [
      { scope: 'project', folder: '.one/hooks' },
      { scope: 'user', folder: '.one/user-hooks' },
    ],
  },
  skills: {
    places: [
      { scope: 'project', path: '.one/skills/{name}' },
      { scope: 'user', path: '.one/user-skills/{name}' },
    ],
  },
  instructions: {
    files: [
      { scope: 'project', path: 'ONE.md' },
      { scope: 'user', path: 'USER.md' },
    ],
  },
  fileFolders: ['.one/hooks', '.one/agents/'],
});
const two = spec('two', { files: { shared: file('project', '.one/mcp.json') } });
const places = placesOf([two, one]);
const seen = (path: string): string | undefined => {
  const match = places.match(path);
  return match === undefined ? undefined : `${match.kind} ${match.runtimes.join(',')}`.trim();
};

describe('places of the inventory', () => {
  test.each([
    ['.one/mcp.json', 'config one,two'],
    ['.one/mac.json', 'config one'],
    ['.one/local.json', 'config one'],
    ['packages/a/.one/mcp.json', 'config one,two'],
    ['.ONE/MCP.json', 'config one,two'],
    ['.one/hooks/deep/run.sh', 'hook one'],
    ['.one/skills/s/SKILL.md', 'skill one'],
    ['.one/agents/a/b.md', 'file-folder one'],
    ['ONE.md', 'instructions one'],
    ['docs/one.md', 'instructions one'],
    ['.envrc', 'environment'],
    ['a/.envrc', 'environment'],
    ['.pre-commit-config.yaml', 'environment'],
    ['.gitmodules', 'environment'],
    ['.husky/pre-commit', 'environment'],
    ['.husky/_/husky.sh', 'environment'],
    ['.githooks/pre-push', 'environment'],
    ['.devcontainer/devcontainer.json', 'environment'],
  ])('%s is %s', (path, expected) => {
    expect(seen(path)).toBe(expected);
  });

  test.each([
    '.one/user.json',
    '.one/user-hooks/x',
    '.one/user-skills/s/SKILL.md',
    'USER.md',
    '.one/x.json',
    'x.json',
    'etc/one.json',
    'one.json',
    'named.json',
    '.one/named.json',
    '.one/hooks',
    '.one/hooks-of-mine/x',
    'not.one/mcp.json',
    '.husky',
    'src/index.ts',
  ])('%s is none', (path) => {
    expect(seen(path)).toBeUndefined();
  });

  test('a configuration is read by every tool that names it, and by its own file there', () => {
    expect(places.match('.one/mcp.json')?.readings.map(({ spec: by, file: id }) => `${by.id} ${id}`)).toEqual(
      ['two shared', 'one servers'],
    );
    expect(places.match('.one/hooks/x')?.readings).toEqual([]);
  });

  test.each([
    ['.one', true],
    ['a/.one', true],
    ['.ONE', true],
    ['.one/hooks', true],
    ['.husky', true],
    ['.o', false],
    ['.one/mcp', false],
    ['one', false],
    ['src', false],
  ])('a link %s leads to a place: %s', (path, leads) => {
    expect(places.leadsTo(path)).toBe(leads);
  });
});
