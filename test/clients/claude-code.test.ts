import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../helpers/repo.ts';
import { type ClientBench, clientBench, hasNamespace, json } from './support/bench.ts';
import { modelApi } from './support/model-api.ts';

const ID = 'claude-code';
const OTHER = 'http://127.0.0.1:9/mcp';
const SETTINGS = '.claude/settings.json';

const list = async (one: ClientBench): Promise<string> => (await one.client(['mcp', 'list'])).text;
/** What the tool remembers of this folder. */
const remembers = (one: ClientBench, members: Record<string, unknown>): void =>
  one.writeHome('.claude.json', json({ projects: { [one.root]: members } }));
const TRUSTED = { hasTrustDialogAccepted: true };
const APPROVED = json({ enabledMcpjsonServers: ['vera'] });

/** A session in print mode against the stand-in; the tool's own events as it prints them. */
async function session(one: ClientBench, url: string, ...args: string[]) {
  const run = await one.client(['-p', 'Hello.', '--output-format', 'stream-json', '--verbose', ...args], {
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-stand-in', IS_SANDBOX: '1' },
  });
  return run.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

describe(ID, () => {
  it('listed', async () => {
    const one = await clientBench(ID);
    expect(await list(one)).not.toContain('vera');
    await one.setup();
    expect(await list(one)).toMatch(/^vera: http:/mu);
  });

  it('pending approval', async () => {
    const one = await clientBench(ID);
    await one.setup();
    expect(await list(one)).toMatch(/^vera: .*Pending approval/mu);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('awaiting-approval');
    expect(doctor.codes).toContain('host/pending-approval');
    expect(one.server.seen).toEqual([]);
  });

  it('approved', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    expect(await list(one)).toMatch(/^vera: .*Connected/mu);
    expect((await one.doctor()).inTool).toBe('approved');
    expect(one.server.seen.length).toBeGreaterThan(0);
  });

  it('connected', async () => {
    const one = await clientBench(ID);
    await one.setup();
    const run = await one.client(['--settings', APPROVED, 'mcp', 'list']);
    expect(run.text).toMatch(/^vera: .*Connected/mu);
    expect(one.server.seen).toContainEqual(expect.objectContaining({ method: 'POST', path: '/mcp' }));
  });

  it('stdio server connected', async () => {
    const one = await clientBench(ID);
    await one.addLocal();
    one.writeHome('.claude/settings.json', json({ enabledMcpjsonServers: ['local'] }));
    expect(await list(one)).toMatch(/^local: .*Connected/mu);
    expect((await one.doctor('add:local')).inTool).toBe('approved');
  });

  it('approval by name in an untrusted folder', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.write('.claude/settings.local.json', APPROVED);
    expect(await list(one)).toMatch(/^vera: .*Pending approval/mu);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('untrusted');
    expect(doctor.codes).toContain('host/untrusted-project');
  });

  it('approval by name in a trusted folder', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.write('.claude/settings.local.json', APPROVED);
    remembers(one, TRUSTED);
    expect(await list(one)).toMatch(/^vera: .*Connected/mu);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('trusted folder without approval', async () => {
    const one = await clientBench(ID);
    await one.setup();
    remembers(one, TRUSTED);
    expect(await list(one)).toMatch(/^vera: .*Pending approval/mu);
    expect((await one.doctor()).inTool).toBe('awaiting-approval');
  });

  it('every server approved by a switch', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.write('.claude/settings.local.json', json({ enableAllProjectMcpServers: true }));
    expect(await list(one)).toMatch(/^vera: .*Pending approval/mu);
    expect((await one.doctor()).inTool).toBe('untrusted');
    remembers(one, TRUSTED);
    expect(await list(one)).toMatch(/^vera: .*Connected/mu);
    expect((await one.doctor()).inTool).toBe('approved');
  });

  it('entry changed since it was approved', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    one.write('.mcp.json', one.read('.mcp.json').replace(one.server.mcpUrl, OTHER));
    // Approved by its name: the changed entry is used without a question, and doctor warns of just that.
    expect(await list(one)).toMatch(/^vera: http:\/\/127\.0\.0\.1:9\/mcp .*Failed to connect/mu);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('approved');
    expect(doctor.codes).toContain('host/approved-changed');
  });

  it('folder above is trusted', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.write('.claude/settings.local.json', APPROVED);
    one.writeHome('.claude.json', json({ projects: { [dirname(one.root)]: TRUSTED } }));
    expect(await list(one)).toMatch(/^vera: .*Pending approval/mu);
    expect((await one.doctor()).inTool).toBe('untrusted');
  });

  it('worktree of a trusted checkout', async () => {
    const one = await clientBench(ID, { files: { 'README.md': 'Here.\n' } });
    git(one.root, ['add', '-A']);
    git(one.root, ['commit', '-q', '-m', 'Start']);
    const tree = join(dirname(one.root), 'tree');
    git(one.root, ['worktree', 'add', '-q', tree]);
    const there = one.at(tree);
    await there.setup();
    there.write('.claude/settings.local.json', APPROVED);
    remembers(one, TRUSTED);
    expect(await list(there)).toMatch(/^vera: .*Connected/mu);
    expect((await there.doctor()).inTool).toBe('approved');
  });

  it('rejected', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.write('.claude/settings.local.json', json({ disabledMcpjsonServers: ['vera'] }));
    expect(await list(one)).not.toMatch(/^vera:/mu);
    expect((await one.client(['mcp', 'get', 'vera'])).text).toContain('Rejected');
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('rejected');
    expect(doctor.codes).toContain('host/rejected');
  });

  it('switched off for the folder', async () => {
    const one = await clientBench(ID);
    await one.setup();
    remembers(one, { ...TRUSTED, enabledMcpjsonServers: ['vera'], disabledMcpServers: ['vera'] });
    expect(await list(one)).not.toMatch(/^vera: .*Connected/mu);
    expect(one.server.seen).toEqual([]);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('rejected');
    expect(doctor.codes).toContain('host/rejected');
  });

  it('shadowed by another scope', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    remembers(one, { mcpServers: { vera: { type: 'http', url: OTHER } } });
    const shown = await list(one);
    expect(shown).toMatch(/^vera: http:\/\/127\.0\.0\.1:9\//mu);
    expect(one.server.seen).toEqual([]);
    expect((await one.doctor()).findings).toContainEqual(
      expect.objectContaining({ code: 'host/shadowed', severity: 'error' }),
    );
  });

  it('same name in a weaker scope', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    one.writeHome('.claude.json', json({ mcpServers: { vera: { type: 'http', url: OTHER } } }));
    const shown = await list(one);
    expect(shown).toContain(`vera: ${one.server.mcpUrl} (HTTP) - ✔ Connected`);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('approved');
    expect(doctor.findings).not.toContainEqual(
      expect.objectContaining({ code: 'host/shadowed', severity: 'error' }),
    );
  });

  it.runIf(hasNamespace)('server denied by managed policy', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    one.manage({ 'claude-code/managed-settings.json': json({ deniedMcpServers: [{ serverName: 'vera' }] }) });
    expect(await list(one)).not.toMatch(/^vera: .*Connected/mu);
    expect(one.server.seen).toEqual([]);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('denied');
    expect(doctor.codes).toContain('host/denied');
  });

  it.runIf(hasNamespace)('server not on the managed list of allowed ones', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    one.manage({
      'claude-code/managed-settings.json': json({ allowedMcpServers: [{ serverName: 'house' }] }),
    });
    expect(await list(one)).not.toMatch(/^vera: .*Connected/mu);
    expect(one.server.seen).toEqual([]);
    expect((await one.doctor()).inTool).toBe('denied');
  });

  it.runIf(hasNamespace)('managed servers only', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    one.manage({
      'claude-code/managed-mcp.json': json({ mcpServers: { house: { type: 'http', url: OTHER } } }),
    });
    const shown = await list(one);
    expect(shown).toContain('house');
    expect(shown).not.toMatch(/^vera: .*Connected/mu);
    expect((await one.doctor()).inTool).toBe('denied');
  });

  it.runIf(hasNamespace)('hooks off by managed policy', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.manage({ 'claude-code/managed-settings.json': json({ allowManagedHooksOnly: true }) });
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.length).toBeGreaterThan(0);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    expect((await one.doctor()).codes).toContain('host/hooks-off');
  });

  it('hooks switched off', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.write('.claude/settings.local.json', json({ disableAllHooks: true }));
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.length).toBeGreaterThan(0);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    expect((await one.doctor()).codes).toContain('host/hooks-off');
  });

  it('hook context', async () => {
    const one = await clientBench(ID);
    await one.setup();
    const api = await modelApi();
    const events = await session(one, api.url);
    expect(api.prompts.join()).toContain('vera-bootstrap-reminder');
    expect(api.prompts.join()).toContain('git.example/house/shop');
    expect(events.find(({ subtype }) => subtype === 'init').mcp_servers).toContainEqual(
      expect.objectContaining({ name: 'vera', status: 'connected' }),
    );
    expect((await one.doctor()).status('host/hooks')).toBe('pass');
  });

  it('skill', async () => {
    const one = await clientBench(ID);
    await one.setup();
    const api = await modelApi();
    const events = await session(one, api.url);
    expect(events.find(({ subtype }) => subtype === 'init').skills).toContain('vera-memory');
  });

  it('ask rule', async () => {
    const one = await clientBench(ID);
    await one.setup('--without', 'hooks');
    // Everything is allowed here but what a rule asks about.
    const everything = ['--permission-mode', 'bypassPermissions'];
    const reads = await modelApi({ name: 'mcp__vera__knowledge_search', args: { query: 'x' } });
    await session(one, reads.url, ...everything);
    expect(reads.answered).not.toEqual([]);
    expect(reads.answered.join()).not.toContain('requested permissions');
    const writes = await modelApi({
      name: 'mcp__vera__knowledge_retract_proposal',
      args: { proposal_id: 'p' },
    });
    const events = await session(one, writes.url, ...everything);
    expect(writes.answered.join()).toContain('requested permissions');
    expect(events).toContainEqual(
      expect.objectContaining({ subtype: 'permission_denied', decision_reason_type: 'rule' }),
    );
  });

  it('comment in the file', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    one.write('.mcp.json', `// mine\n${one.read('.mcp.json')}`);
    await expectIgnored(one);
  });

  it('trailing comma in the file', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    one.write('.mcp.json', one.read('.mcp.json').replace(/\}(\s*\}\s*\}\s*)$/u, '},$1'));
    await expectIgnored(one);
  });

  it('byte-order mark in the file', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.writeHome('.claude/settings.json', APPROVED);
    one.write('.mcp.json', `\uFEFF${one.read('.mcp.json')}`);
    expect(await list(one)).toMatch(/^vera: .*Connected/mu);
    const doctor = await one.doctor();
    expect(doctor.inTool).toBe('approved');
    // Copilot CLI, which reads the same file, takes none: that is another tool's matter.
    expect(doctor.blames(ID)).not.toContain('config/not-read');
  });

  it('comment in the hooks file', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.write(SETTINGS, `// mine\n${one.read(SETTINGS)}`);
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.length).toBeGreaterThan(0);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    const doctor = await one.doctor();
    expect(doctor.blames(ID)).toContain('config/not-read');
    expect(doctor.status('config/loaded')).toBe('fail');
  });

  it('byte-order mark in the hooks file', async () => {
    const one = await clientBench(ID);
    await one.setup();
    one.write(SETTINGS, `\uFEFF${one.read(SETTINGS)}`);
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).toContain('vera-bootstrap-reminder');
    const doctor = await one.doctor();
    expect(doctor.blames(ID)).not.toContain('config/not-read');
    expect(doctor.status('config/loaded')).toBe('pass');
  });

  it('entry without a type', async () => {
    const one = await clientBench(ID, {
      files: { '.mcp.json': json({ mcpServers: { bare: { url: OTHER } } }) },
    });
    await one.setup();
    one.writeHome('.claude/settings.json', json({ enabledMcpjsonServers: ['vera', 'bare'] }));
    const shown = await list(one);
    expect(shown).not.toMatch(/^bare:/mu);
    expect(shown).toMatch(/^vera: .*Connected/mu);
    expect((await one.doctor()).codes).toContain('config/entry-ignored');
  });

  it('variable that is not set', async () => {
    const one = await clientBench(ID);
    await one.addWithToken('docs', 'DOCS_TOKEN');
    one.writeHome('.claude/settings.json', json({ enabledMcpjsonServers: ['docs'] }));
    expect(await list(one)).toContain('Missing environment variables: DOCS_TOKEN');
    expect((await one.doctor('add:docs')).status('host/variables')).toBe('warn');
  });

  it('rule that is no list', async () => {
    const one = await clientBench(ID);
    await one.setup('--without', 'permissions');
    one.write(
      '.claude/settings.json',
      one.read('.claude/settings.json').replace(/^\{/u, '{"permissions": {"ask": "all"},'),
    );
    const api = await modelApi();
    await session(one, api.url);
    expect(api.prompts.join()).not.toContain('vera-bootstrap-reminder');
    const doctor = await one.doctor();
    expect(doctor.codes).toContain('config/bad-rule');
    expect(doctor.status('config/loaded')).toBe('fail');
  });

  it('clean after uninstall', async () => {
    const one = await clientBench(ID, {
      files: {
        '.mcp.json':
          '{\n    "mcpServers": {\n        "house": { "type": "http", "url": "http://127.0.0.1:9/mcp" }\n    }\n}',
        '.claude/settings.json': '{"permissions":{"ask":["WebFetch"]}}',
      },
    });
    const before = await list(one);
    await one.setup();
    expect(await list(one)).toMatch(/^vera:/mu);
    await one.uninstall();
    expect(await list(one)).toBe(before);
    expect(before).toMatch(/^house:/mu);
    expect(readFileSync(`${one.root}/.claude/settings.json`, 'utf8')).toBe(
      '{"permissions":{"ask":["WebFetch"]}}',
    );
  });
});

/** The tool drops the whole file, doctor says so, and setup adds nothing to it. */
async function expectIgnored(one: ClientBench): Promise<void> {
  expect(await list(one)).not.toMatch(/^vera:/mu);
  const doctor = await one.doctor();
  expect(doctor.findings).toContainEqual(
    expect.objectContaining({ code: 'config/not-read', severity: 'error' }),
  );
  expect(doctor.status('config/loaded')).toBe('fail');
  const run = await one.tenon(['add', 'docs', OTHER, '--runtime', ID, '--offline', '--yes']);
  expect(run.code).toBe(4);
  expect(run.document.error.code).toBe('host/file-ignored');
}
