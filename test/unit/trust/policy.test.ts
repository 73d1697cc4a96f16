import { describe, expect, test } from 'vitest';
import type { Enrolment } from '../../../src/engine/types.ts';
import type { ExpandedArtifact, LoadedIntegration } from '../../../src/integrations/types.ts';
import type { Draft } from '../../../src/runtimes/render-types.ts';
import type { Reader } from '../../../src/system/ports.ts';
import { choicesItem } from '../../../src/trust/item.ts';
import { createPolicy, type TrustQuestion } from '../../../src/trust/policy.ts';

const nothing: Reader = {
  readFile: () => undefined,
  lstat: () => undefined,
  stat: () => undefined,
  list: () => undefined,
  readLink: () => undefined,
  realpath: () => undefined,
};

const enrolment: Enrolment = {
  integration: 'vera',
  version: '1.0.0',
  scope: 'project',
  runtimes: ['a', 'b'],
  inputs: { VERA_URL: 'https://x.example' },
  overrides: {},
  without: [],
  server: null,
  external: [],
  excluded: [],
};

const draft = {
  runtimes: ['a'],
  scope: 'project',
  class: 'executes',
  value: { command: 'x' },
  target: { path: '.mcp.json', format: 'json', place: { kind: 'key', path: ['mcpServers', 'x'] } },
} as unknown as Draft;

const artifact = {
  artifact: { kind: 'mcp-server', name: 'server', server: 'x', stdio: { command: 'x', args: [] } },
  files: new Map(),
} as unknown as ExpandedArtifact;

const loaded = (source: LoadedIntegration['source'], ref = 'vera'): LoadedIntegration =>
  ({ ref, source, manifest: { artifacts: [] }, files: new Map() }) as unknown as LoadedIntegration;

const question = (change: Partial<TrustQuestion> = {}): TrustQuestion => ({
  loaded: loaded('bundled'),
  enrolment,
  artifact,
  draft,
  ownChoices: false,
  ...change,
});

const policy = (digests: readonly string[] = [], asksPerson = false, root = '/r') =>
  createPolicy({ root, reader: nothing, platform: 'linux', digests: new Set(digests), asksPerson });

describe('the policy of trust', () => {
  test('a bundled definition: choices of the manifest need a grant for every runtime, others none', () => {
    expect(policy().trustOf(question())).toBe('untrusted');
    expect(policy().trustOf(question({ ownChoices: true }))).toBe('bundled');
    expect(policy().trustOf(question({ enrolment: { ...enrolment, inputs: {} } }))).toBe('bundled');
    expect(policy().trustOf(question({ enrolment: { ...enrolment, scope: 'user' } }))).toBe('bundled');
    const a = choicesItem('/r', enrolment, 'a').digest;
    expect(policy([a]).trustOf(question())).toBe('trusted');
    const both = question({ draft: { ...draft, runtimes: ['a', 'b'] } });
    expect(policy([a]).trustOf(both)).toBe('untrusted');
    expect(policy([a], false, '/copy').trustOf(question())).toBe('untrusted');
    const other = { ...enrolment, inputs: { VERA_URL: 'https://y.example' } };
    expect(policy([a]).trustOf(question({ enrolment: other }))).toBe('untrusted');
    const more = { ...enrolment, overrides: { hook: 'on' } };
    expect(policy([a]).trustOf(question({ enrolment: more }))).toBe('untrusted');
  });

  test('a repository or a package is untrusted, whoever types its name', () => {
    for (const source of ['repository', 'package'] as const) {
      const one = question({ loaded: loaded(source, './x'), ownChoices: true });
      const asked = policy([], true);
      expect(asked.trustOf(one)).toBe('untrusted');
      expect(asked.own()).toEqual([]);
      const [item] = asked.pending();
      expect(policy([item?.digest ?? '']).trustOf(one)).toBe('trusted');
    }
  });

  test('what was typed into add: a program needs a person or a grant, an endpoint neither', () => {
    const typed = question({ loaded: loaded('operator', 'add:x') });
    expect(policy().trustOf(typed)).toBe('untrusted');
    const asked = policy([], true);
    expect(asked.trustOf(typed)).toBe('operator');
    const [item] = asked.own();
    expect(policy([item?.digest ?? '']).trustOf(typed)).toBe('trusted');
    const connects = question({
      loaded: loaded('operator', 'add:x'),
      draft: { ...draft, class: 'connects' },
    });
    expect(policy().trustOf(connects)).toBe('operator');
    // The same server read back from the manifest is what was granted.
    expect(policy([item?.digest ?? '']).trustOf(question({ loaded: loaded('repository', 'add:x') }))).toBe(
      'trusted',
    );
  });

  test('what is granted is listed apart from what is asked for', () => {
    const one = question({ loaded: loaded('repository', './x') });
    const first = policy();
    first.trustOf(one);
    const digest = first.pending()[0]?.digest ?? '';
    expect(first.granted()).toEqual([]);
    const second = policy([digest]);
    second.trustOf(one);
    expect(second.granted().map((item) => item.digest)).toEqual([digest]);
    expect([second.pending(), second.own()]).toEqual([[], []]);
  });

  test('a server of add that this host enrolled for itself needs no grant', () => {
    const local = { ...enrolment, scope: 'local' as const };
    const one = question({ loaded: loaded('repository', 'add:x'), enrolment: local });
    expect(policy().trustOf(one)).toBe('operator');
    expect(policy().trustOf({ ...one, loaded: loaded('repository', './x') })).toBe('untrusted');
  });

  test('choices of the operator are remembered for every runtime, also where the artifact names none', () => {
    const asked = policy();
    asked.trustOf(question({ draft: { ...draft, runtimes: [] }, ownChoices: true }));
    expect(asked.own().map(({ runtimes }) => runtimes)).toEqual([['a'], ['b']]);
    expect([asked.pending(), asked.granted()]).toEqual([[], []]);
  });
});
