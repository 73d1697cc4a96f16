import { describe, expect, test } from 'vitest';
import type { Enrolment } from '../../../src/engine/types.ts';
import type { ExpandedArtifact, LoadedIntegration } from '../../../src/integrations/types.ts';
import type { Draft } from '../../../src/runtimes/render-types.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import { artifactItem, choicesItem, definitionPrint } from '../../../src/trust/item.ts';
import { choicesGranted } from '../../../src/trust/policy.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const files = new Map([
  ['integration.json', bytes('{}')],
  ['run.mjs', bytes('x')],
]);
const loaded = (change: object = {}): LoadedIntegration =>
  ({ ref: './tools/acme', source: 'repository', folder: '/repo/tools/acme', files, ...change }) as never;
const artifact = {
  artifact: {
    kind: 'mcp-server',
    name: 'server',
    stdio: { command: 'node', args: ['tools/x.mjs'] },
  },
  files: new Map(),
} as unknown as ExpandedArtifact;
const draft = (change: object = {}): Draft =>
  ({
    runtimes: ['codex', 'claude-code'],
    scope: 'project',
    class: 'executes',
    value: { command: 'node', args: ['tools/x.mjs'] },
    ...change,
  }) as unknown as Draft;
const base = {
  root: '/repo',
  reader: memorySystem({ '/repo/tools/x.mjs': 'one' }).reader,
  platform: 'linux' as const,
  loaded: loaded(),
  artifact,
  draft: draft(),
  address: '.mcp.json#/mcpServers/acme',
};

describe('one thing to trust', () => {
  test('shows everything that its grant binds', () => {
    expect(artifactItem(base)).toMatchObject({
      kind: 'artifact',
      integration: './tools/acme',
      artifact: 'server',
      class: 'executes',
      runtimes: ['claude-code', 'codex'],
      scope: 'project',
      address: '.mcp.json#/mcpServers/acme',
      source: 'tools/acme',
      value: { command: 'node', args: ['tools/x.mjs'] },
      executable: false,
      launch: ['node', 'tools/x.mjs'],
      files: [{ path: 'tools/x.mjs' }],
      notes: [expect.stringContaining('not bound')],
    });
  });

  test.each<[string, Partial<typeof base>]>([
    ['another checkout', { root: '/copy' }],
    [
      'a copy of the checkout that differs in nothing',
      {
        root: '/copy',
        loaded: loaded({ folder: '/copy/tools/acme' }),
        reader: memorySystem({ '/copy/tools/x.mjs': 'one' }).reader,
      },
    ],
    ['another definition', { loaded: loaded({ files: new Map([...files, ['run.mjs', bytes('y')]]) }) }],
    ['a file more', { loaded: loaded({ files: new Map([...files, ['more', bytes('')]]) }) }],
    ['another folder of the definition', { loaded: loaded({ folder: '/repo/tools/other' }) }],
    ['another name of it', { loaded: loaded({ ref: './tools/./acme' }) }],
    ['another value', { draft: draft({ value: { command: 'node', args: ['tools/x.mjs', '-x'] } }) }],
    ['another runtime', { draft: draft({ runtimes: ['codex'] }) }],
    ['another scope', { draft: draft({ scope: 'local' }) }],
    ['another class', { draft: draft({ class: 'connects' }) }],
    ['an executable bit', { draft: draft({ executable: true }) }],
    ['another target', { address: '.mcp.json#/mcpServers/other' }],
    [
      'other bytes of the file that is started',
      { reader: memorySystem({ '/repo/tools/x.mjs': 'two' }).reader },
    ],
  ])('%s needs a new grant', (_, change) => {
    expect(artifactItem({ ...base, ...change }).digest).not.toBe(artifactItem(base).digest);
  });

  test('the order of runtimes does not', () => {
    const other = artifactItem({ ...base, draft: draft({ runtimes: ['claude-code', 'codex'] }) });
    expect(other.digest).toBe(artifactItem(base).digest);
  });

  test.each([
    [{ folder: '/repo' }, '.'],
    [{ folder: '/elsewhere/acme' }, '/elsewhere/acme'],
    [{ folder: undefined }, '.tenon/manifest.json'],
  ])('says where the definition stands: %j', (change, source) => {
    expect(artifactItem({ ...base, loaded: loaded(change) }).source).toBe(source);
  });

  test('on Windows with slashes', () => {
    const one = artifactItem({
      ...base,
      root: 'C:\\repo',
      loaded: loaded({ folder: 'C:\\repo\\tools\\acme' }),
    });
    expect(one.source).toBe('tools/acme');
  });

  test('a definition is known by path and bytes of every file', () => {
    const print = definitionPrint(loaded());
    const renamed = new Map([...files].map(([path, content]) => [`x/${path}`, content]));
    expect(definitionPrint(loaded({ files: new Map(files) }))).toBe(print);
    expect(definitionPrint(loaded({ files: renamed }))).not.toBe(print);
  });
});

const enrolment: Enrolment = {
  integration: 'vera',
  version: '1.0.0',
  scope: 'project',
  runtimes: ['a', 'b'],
  inputs: { VERA_URL: 'https://x.example' },
  overrides: {},
  without: ['hooks', 'blocks'],
  server: null,
  external: [],
  excluded: [],
};

describe('choices of the manifest', () => {
  test('show inputs, overrides and what is left out, for one runtime', () => {
    expect(choicesItem('/repo', enrolment, 'a')).toMatchObject({
      kind: 'choices',
      class: 'choices',
      integration: 'vera',
      artifact: '',
      address: '',
      runtimes: ['a'],
      scope: 'project',
      source: '.tenon/manifest.json',
      value: {
        inputs: { VERA_URL: 'https://x.example' },
        overrides: {},
        without: ['blocks', 'hooks'],
      },
      executable: false,
      launch: [],
      files: [],
      notes: [],
    });
    const instance = choicesItem('/repo', { ...enrolment, of: 'vera', integration: 'mine' }, 'a');
    expect(instance.value).toMatchObject({ of: 'vera' });
  });

  test.each<[string, Partial<Enrolment>]>([
    ['an input', { inputs: { VERA_URL: 'https://y.example' } }],
    ['an override', { overrides: { save_mode: 'auto' } }],
    ['a part that comes back', { without: ['hooks'] }],
    ['the definition', { of: 'vera' }],
    ['the scope', { scope: 'local' }],
  ])('%s changes the digest', (_, change) => {
    const digest = choicesItem('/repo', enrolment, 'a').digest;
    expect(choicesItem('/repo', { ...enrolment, ...change }, 'a').digest).not.toBe(digest);
    expect(choicesItem('/repo', { ...enrolment, without: ['blocks', 'hooks'] }, 'a').digest).toBe(digest);
  });

  test('are granted when every runtime is, and where there is nothing to grant', () => {
    const digests = ['a', 'b'].map((one) => choicesItem('/repo', enrolment, one).digest);
    const granted = (one: Enrolment, given: readonly string[]) =>
      choicesGranted('/repo', one, new Set(given));
    expect(granted(enrolment, digests)).toBe(true);
    expect(granted(enrolment, digests.slice(1))).toBe(false);
    expect(granted({ ...enrolment, scope: 'user' }, [])).toBe(true);
    expect(granted({ ...enrolment, inputs: {} }, [])).toBe(true);
    expect(granted({ ...enrolment, inputs: {}, overrides: { a: 1 } }, [])).toBe(false);
  });
});
