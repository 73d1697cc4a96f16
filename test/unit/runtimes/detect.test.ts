import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ChooseInput, chooseError, chooseRuntimes } from '../../../src/runtimes/choose.ts';
import { detectRuntimes } from '../../../src/runtimes/detect.ts';
import { agentSession, sessionRuntimes } from '../../../src/runtimes/session.ts';
import { compareVersions } from '../../../src/runtimes/version.ts';
import type { Host } from '../../../src/system/ports.ts';
import { realExec } from '../../../src/system/real-exec.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { scratch, specs } from '../../runtimes/support.ts';

const hostOf = (home: string, env: Record<string, string>): Host => ({
  platform: 'linux',
  arch: 'x64',
  env,
  cwd: home,
  home,
  pid: 1,
  hostname: 'here',
  uid: 1000,
  umask: 0o022,
});

function detect(
  files: Record<string, string>,
  env: Record<string, string> = {},
  home: Record<string, string> = {},
) {
  const at = scratch(files, home);
  const host = hostOf(at.home, { PATH: join(at.home, 'bin'), ...env });
  const base = { ...at, env: host.env, platform: host.platform, reader: realReader };
  return detectRuntimes(specs.values(), base, realExec(host, realReader));
}

function choose(
  files: Record<string, string>,
  more: Partial<ChooseInput> & { env?: Record<string, string> } = {},
) {
  const { env, ...input } = more;
  const detected = detect(files, env);
  return chooseRuntimes({ specs, detected, requested: [], manifest: [], scope: 'project', ...input });
}

describe('signs of a runtime', () => {
  test('are ranked: session, project, program, home', () => {
    const at = scratch(
      { '.codex/config.toml': '' },
      { '.codex/config.toml': '', 'bin/codex': '#!/bin/sh\n' },
    );
    chmodSync(join(at.home, 'bin/codex'), 0o755);
    const host = hostOf(at.home, { PATH: join(at.home, 'bin'), CODEX_THREAD_ID: 'x' });
    const base = { ...at, env: host.env, platform: host.platform, reader: realReader };
    const [first] = detectRuntimes(specs.values(), base, realExec(host, realReader));
    expect(first).toEqual({
      id: 'codex',
      title: 'Codex',
      signals: [
        { kind: 'session', rank: 1, value: 'CODEX_THREAD_ID' },
        { kind: 'project', rank: 2, value: '.codex' },
        { kind: 'binary', rank: 3, value: 'codex' },
        { kind: 'home', rank: 4, value: '~/.codex' },
      ],
    });
  });

  test('every runtime is listed, the ones without a sign last', () => {
    const detected = detect({ '.zed/settings.json': '' });
    expect(detected).toHaveLength(specs.size);
    expect(detected[0]?.id).toBe('zed');
    expect(detected[1]?.signals).toEqual([]);
  });
});

describe('choosing runtimes', () => {
  const both = { '.mcp.json': '{}', 'opencode.json': '{}' };

  test('what is named wins, by alias too', () => {
    expect(choose(both, { requested: ['claude', 'codex'], env: { GEMINI_CLI: '1' } })).toMatchObject({
      kind: 'chosen',
      runtimes: ['claude-code', 'codex'],
    });
  });

  test('then the host of this session, whatever else is there (V3)', () => {
    expect(choose(both, { env: { CLAUDECODE: '1' }, manifest: ['codex'] })).toMatchObject({
      runtimes: ['claude-code'],
    });
  });

  test('then the manifest', () => {
    expect(choose(both, { manifest: ['codex', 'zed'] })).toMatchObject({ runtimes: ['codex', 'zed'] });
  });

  test('then the only one with files here', () => {
    expect(choose({ '.cursor/mcp.json': '{}' })).toEqual({
      kind: 'chosen',
      runtimes: ['cursor'],
      reason: 'only its files are here (.cursor)',
    });
  });

  test('else a person is asked, likely ones marked', () => {
    const choice = choose(both);
    expect(choice.kind).toBe('ask');
    const candidates = choice.kind === 'ask' ? choice.candidates : [];
    expect(candidates.filter(({ isLikely }) => isLikely).map(({ id, hint }) => [id, hint])).toEqual([
      ['claude-code', '.mcp.json'],
      ['opencode', 'opencode.json'],
    ]);
    expect(candidates.map(({ id }) => id)).not.toEqual(expect.arrayContaining(['devin']));
    expect(candidates.map(({ id }) => id)).not.toEqual(expect.arrayContaining(['windsurf']));
    expect(chooseError(candidates)).toMatchObject({
      code: 'runtime/choose',
      exit: 4,
      message: expect.stringContaining('claude-code (.mcp.json), opencode (opencode.json)'),
    });
  });

  test('two hosts at once are no answer, not even with a manifest', () => {
    const choice = choose({}, { env: { CLAUDECODE: '1', GEMINI_CLI: '1' }, manifest: ['codex'] });
    expect(choice.kind).toBe('ask');
  });

  test('all means those that show a sign', () => {
    expect(choose(both, { requested: ['all'] })).toMatchObject({ runtimes: ['claude-code', 'opencode'] });
    const none = choose({}, { requested: ['all'] });
    expect(none).toMatchObject({ kind: 'ask', why: expect.stringContaining('--runtime all takes') });
    expect(none).toMatchObject({ why: expect.stringMatching(/none is found$/) });
  });

  test('all names those that it found and leaves out', () => {
    const found = { ...both, '.codex/config.toml': '', '.devin/config.json': '{}' };
    expect(choose(found, { requested: ['all'], scope: 'local' })).toMatchObject({
      kind: 'chosen',
      runtimes: expect.not.arrayContaining(['codex']),
      leftOut: expect.arrayContaining(['codex takes no server in local scope']),
    });
    expect(choose(both, { requested: ['all'] })).toMatchObject({ leftOut: [] });
  });

  test('an unknown one is a usage error with a guess', () => {
    expect(() => choose({}, { requested: ['opencoed'] })).toThrow(
      expect.objectContaining({
        code: 'usage/unknown-runtime',
        exit: 2,
        remedy: { text: expect.stringContaining('did you mean opencode') },
      }),
    );
  });
});

describe('the session of a coding agent', () => {
  test.each([
    [{ CLAUDECODE: '1' }, 'Claude Code'],
    [{ CLAUDE_CODE_CHILD_SESSION: '1' }, 'Claude Code'],
    [{ CODEX_SANDBOX: 'seatbelt' }, 'Codex'],
    [{ OPENCODE: '1' }, 'OpenCode'],
    [{ CURSOR_AGENT: '1' }, 'Cursor'],
    [{ CURSOR_EXTENSION_HOST_ROLE: 'agent-exec' }, 'Cursor'],
    [{ COPILOT_CLI: '1' }, 'Copilot CLI'],
    [{ AGENT: 'goose' }, 'Goose'],
    [{ AI_AGENT: 'new-one' }, 'a coding agent'],
    [{ CURSOR_EXTENSION_HOST_ROLE: 'main' }, undefined],
    [{ CLAUDECODE: '', TERM_PROGRAM: 'vscode', AGENT: 'ssh' }, undefined],
  ])('%j is %s', (env, title) => {
    expect(agentSession(specs.values(), env as Record<string, string>)).toBe(title);
  });

  test('may be inside another one', () => {
    expect(sessionRuntimes(specs.values(), { CLAUDECODE: '1', GEMINI_CLI: '1' })).toEqual([
      'claude-code',
      'gemini-cli',
    ]);
  });
});

describe('versions', () => {
  test('compare by number', () => {
    expect(compareVersions('1.10.0', '1.9.9')).toBeGreaterThan(0);
    expect(compareVersions('2.0', '2.0.0')).toBe(0);
    expect(compareVersions('0.171.0', '1.0.0')).toBeLessThan(0);
  });
});
