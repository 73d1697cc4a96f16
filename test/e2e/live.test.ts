import { describe, expect, it } from 'vitest';
import { STRUCTURED_ERRORS } from '../../src/endpoint/errors.ts';
import type { GuardCode } from '../../src/sandbox/errors.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { makeHome, runJson } from '../helpers/cli.ts';
import { git, gitRepo, treeHash } from '../helpers/repo.ts';
import { warmJson } from '../helpers/warm.ts';
import { sandbox } from './endpoint-servers.ts';

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly remedy?: { readonly text: string };
}

async function place(options: SandboxOptions, extra: readonly string[] = []) {
  const server = await sandbox(options);
  const at = { cwd: gitRepo(), home: makeHome() };
  git(at.cwd, ['remote', 'add', 'origin', 'https://github.com/Org/Repo.git']);
  const run = await warmJson(
    [
      ...['setup', 'vera', '--runtime', 'codex', '--yes', ...extra],
      ...['--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`],
    ],
    at,
  );
  expect(run.code, run.stdout).toBe(0);
  const told: Finding[] = run.document.findings;
  const asked = server.seen.length;
  const live = async (env: Readonly<Record<string, string>> = {}, flags: readonly string[] = ['--live']) => {
    const doctor = await runJson(['doctor', ...flags], { ...at, env });
    const findings: Finding[] = doctor.document.findings;
    const check = doctor.document.data.checks.find(({ id }: { id: string }) =>
      id.startsWith('endpoint/live'),
    );
    return { ...doctor, findings, check, find: (code: string) => findings.find((one) => one.code === code) };
  };
  return { server, at, told, live, requests: () => server.seen.slice(asked) };
}

describe('setup with auto-propose', () => {
  const flags = (server: { apiUrl: string; mcpUrl: string }, ...more: string[]) => [
    ...['setup', 'vera', '--runtime', 'codex', '--yes', '--set', 'SAVE_MODE=auto-propose'],
    ...['--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`, ...more],
  ];
  const codes = (run: { document: { findings: Finding[] } }): string[] =>
    run.document.findings.map(({ code }) => code);

  it('asks a server without a login, in at most five requests, and goes on where it grants', async () => {
    const server = await sandbox({});
    const at = { cwd: gitRepo(), home: makeHome() };
    const plain = await runJson(flags(server, '--set', 'SAVE_MODE=suggest'), at);
    expect(plain.code, plain.stdout).toBe(0);
    const before = server.seen.length;
    const run = await runJson(flags(server), at);
    expect(run.code, run.stdout).toBe(0);
    expect(codes(run)).not.toContain('consent/grant-unchecked');
    const more = server.seen.length - before - before;
    expect(more).toBeGreaterThan(0);
    expect(more).toBeLessThanOrEqual(5);
  });

  it.each([[[]], [['--dry-run']]])(
    'refuses where it does not grant, and changes nothing %j',
    async (extra) => {
      const server = await sandbox({ localClasses: ['READ'] });
      const at = { cwd: gitRepo(), home: makeHome() };
      const before = treeHash(at.cwd);
      const run = await runJson(flags(server, ...extra), at);
      expect(run.code, run.stdout).toBe(4);
      expect(run.document.error.code).toBe('consent/not-granted');
      expect(run.document.error.message).toContain('off, suggest');
      expect(run.document.error.remedy.text).toContain('SAVE_MODE=suggest');
      expect(treeHash(at.cwd)).toBe(before);
      const asked = await runJson(flags(server, '--set', 'SAVE_MODE=suggest'), at);
      expect(asked.code, asked.stdout).toBe(0);
    },
  );

  it('takes an answer that shows no grant for none', async () => {
    const server = await sandbox({ toolErrors: { knowledge_bootstrap: 'quota_exceeded' } });
    const run = await runJson(flags(server), { cwd: gitRepo(), home: makeHome() });
    expect(run.code, run.stdout).toBe(4);
    expect(run.document.error.code).toBe('consent/not-granted');
    expect(run.document.error.message).toContain('quota_exceeded');
  });

  it('is refused beside a credential that only reads', async () => {
    const server = await sandbox({});
    const at = { cwd: gitRepo(), home: makeHome() };
    const before = treeHash(at.cwd);
    const run = await runJson(flags(server, '--set', 'SCOPES=memory:read'), at);
    expect(run.code).toBe(4);
    expect(run.document.error.code).toBe('consent/not-granted');
    expect(treeHash(at.cwd)).toEqual(before);
  });

  it('warns where it cannot ask: offline, or a login is needed', async () => {
    const refusing = await sandbox({ localClasses: ['READ'] });
    const offline = await runJson(flags(refusing, '--offline'), { cwd: gitRepo(), home: makeHome() });
    expect(offline.code, offline.stdout).toBe(0);
    expect(refusing.seen).toHaveLength(0);
    const login = await sandbox({ auth: 'remote-authenticated' });
    const remote = await runJson(flags(login, '--set', 'AUTH=token-env'), {
      cwd: gitRepo(),
      home: makeHome(),
    });
    expect(remote.code, remote.stdout).toBe(0);
    for (const run of [offline, remote]) {
      const found = run.document.findings.find(({ code }: Finding) => code === 'consent/grant-unchecked');
      expect(found?.severity).toBe('warning');
    }
  });
});

describe('tenon doctor --live', () => {
  it('is not made without the flag, and excludes --offline', async () => {
    const { live, requests, at } = await place({});
    expect((await live({}, [])).check).toBeUndefined();
    const before = requests().length;
    const both = await runJson(['doctor', '--live', '--offline'], at);
    expect(both.code).toBe(2);
    expect(both.document.error.code).toBe('usage/conflicting-flags');
    expect(requests()).toHaveLength(before);
  });

  it('makes at most five requests of its own, calls no tool that writes, and says how many', async () => {
    const { live, requests } = await place({});
    await live({}, []);
    const plain = requests().length;
    const run = await live();
    const own = requests().length - plain - plain;
    expect(own).toBeGreaterThan(0);
    expect(own).toBeLessThanOrEqual(5);
    expect(run.check.message).toContain(`${own} requests`);
    expect(run.check.status, run.stdout).toBe('pass');
  });

  it.each(Object.entries(STRUCTURED_ERRORS))('maps %s to its action', async (code, { action }) => {
    const { live, server } = await place({});
    server.update({ toolErrors: { knowledge_bootstrap: code as GuardCode } });
    const run = await live();
    expect(run.code).toBe(1);
    const refused = run.find('endpoint/tool-refused');
    expect(refused?.message).toContain(code);
    expect(refused?.remedy?.text).toBe(action);
  });

  it('warns of the old names where the server shows them', async () => {
    const { live, server } = await place({});
    expect((await live()).find('endpoint/legacy-tools')).toBeUndefined();
    server.update({ toolProfile: 'compatibility' });
    expect((await live()).find('endpoint/legacy-tools')?.severity).toBe('warning');
    // One of them is enough.
    server.update({
      toolProfile: 'advanced',
      reshape: (tool) => (tool.name === 'knowledge_get_snapshot' ? { ...tool, name: 'memory_search' } : tool),
    });
    expect((await live()).find('endpoint/legacy-tools')?.message).toContain('1 of the memory_* names');
  });

  it('compares the tools that the server shows with the profile that was chosen', async () => {
    const { live, server } = await place({ toolProfile: 'advanced' });
    const other = (await live()).find('endpoint/tool-profile');
    expect(other?.severity).toBe('warning');
    expect(other?.message).toContain('shows the tools of advanced, and this set-up expects those of coding');
    server.update({ toolProfile: 'coding' });
    expect((await live()).find('endpoint/tool-profile')).toBeUndefined();
    for (const profile of ['advanced', 'compatibility'] as const) {
      const chosen = await place({ toolProfile: profile }, ['--set', `TOOL_PROFILE=${profile}`]);
      const run = await chosen.live();
      expect(run.find('endpoint/tool-profile'), profile).toBeUndefined();
      expect(run.find('endpoint/legacy-tools'), profile).toBeUndefined();
    }
  });

  it('tells principal, profile, classes and save modes, and never an id', async () => {
    const { live } = await place({});
    const run = await live();
    expect(run.find('endpoint/mapping')?.message).toMatch(
      /a principal of the kind local \(local-dev\) may READ, PROPOSE, FEEDBACK, SNAPSHOT; save modes off, suggest, auto-propose;/,
    );
    expect(run.stdout).not.toContain('local-principal');
  });

  it('fails where auto-propose was chosen and is not granted', async () => {
    const { live, server, told } = await place({ auth: 'remote-authenticated' }, [
      ...['--set', 'AUTH=token-env', '--set', 'SAVE_MODE=auto-propose'],
    ]);
    expect(told.map(({ code }) => code)).toContain('consent/grant-unchecked');
    const token = async (scopes: readonly string[]) => (await server.authority?.mint({ scopes })) ?? '';
    const read = await live({ VERA_MCP_TOKEN: await token(['memory:read']) });
    expect(read.code).toBe(1);
    expect(read.find('endpoint/save-mode')?.severity).toBe('error');
    const write = await live({ VERA_MCP_TOKEN: await token(['memory:read', 'memory:propose']) });
    expect(write.find('endpoint/save-mode')).toBeUndefined();
  });

  it('warns where saving is off and the credential could write', async () => {
    const { live, server } = await place({ auth: 'remote-authenticated' }, [
      ...['--set', 'AUTH=token-env', '--set', 'SAVE_MODE=off'],
    ]);
    const wide = await live({ VERA_MCP_TOKEN: (await server.authority?.mint({})) ?? '' });
    expect(wide.find('consent/wide-credential')?.message).toContain('PROPOSE');
    const narrow = await live({
      VERA_MCP_TOKEN: (await server.authority?.mint({ scopes: ['memory:read'] })) ?? '',
    });
    expect(narrow.find('consent/wide-credential')).toBeUndefined();
  });
});
