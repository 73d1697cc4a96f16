import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, scratch, writeTree } from '../../helpers/repo.ts';
import { diagnose, manifest, type Place, place, SET_UP, URL } from './support.ts';

const json = (value: unknown): string => JSON.stringify(value);
const projects = (members: object): string => json({ projects: { '@ROOT@': members } });
const priv = (text: string, root: string) => ({ text: text.replaceAll('@ROOT@', root), mode: 0o600 });

/** Claude Code's own file of facts about folders, for this root. */
function claude(members: object, settings: Readonly<Record<string, string>> = {}): Place {
  const at = place({ ...SET_UP['claude-code'], ...settings });
  writeTree(at.home, { '.claude.json': priv(projects(members), at.root) });
  return at;
}

/** The state of the server in a runtime, as the report's data has it. */
async function stateIn(at: Place, runtime: string, env: Record<string, string> = {}) {
  const seen = await diagnose(at, {}, env);
  const all = seen.data['integrations'] as Record<
    string,
    Record<string, { inTool?: string; connected: string }>
  >;
  return {
    seen,
    state: all['add:pantry']?.[runtime]?.inTool,
    connected: all['add:pantry']?.[runtime]?.connected,
  };
}

describe('a server in Claude Code', () => {
  it.each([
    ['nothing', {}, {}, 'awaiting-approval', 'host/pending-approval'],
    ['trust alone', { hasTrustDialogAccepted: true }, {}, 'awaiting-approval', 'host/pending-approval'],
    [
      'approved by name without trust',
      {},
      { '.claude/settings.local.json': json({ enabledMcpjsonServers: ['pantry'] }) },
      'untrusted',
      'host/untrusted-project',
    ],
    [
      'approved by name with trust',
      { hasTrustDialogAccepted: true },
      { '.claude/settings.json': json({ enabledMcpjsonServers: ['pantry'] }) },
      'approved',
      undefined,
    ],
    [
      'every server approved, with trust',
      { hasTrustDialogAccepted: true },
      { '.claude/settings.local.json': json({ enableAllProjectMcpServers: true }) },
      'approved',
      undefined,
    ],
    [
      'approved and rejected',
      { hasTrustDialogAccepted: true },
      {
        '.claude/settings.json': json({ enabledMcpjsonServers: ['pantry'] }),
        '.claude/settings.local.json': json({ disabledMcpjsonServers: ['pantry'] }),
      },
      'rejected',
      'host/rejected',
    ],
    ['switched off for this folder', { disabledMcpServers: ['pantry'] }, {}, 'rejected', 'host/rejected'],
  ] as const)('%s: %s %s -> %s', async (_, members, settings, wanted, code) => {
    const { seen, state, connected } = await stateIn(claude(members, settings), 'claude-code');
    expect([state, connected]).toEqual([wanted, 'unknown']);
    expect(seen.codes('warning')).toEqual(code === undefined ? [] : [code]);
    expect(seen.exit).toBe(0);
  });

  it("the user's own approval needs no trust", async () => {
    const at = place(SET_UP['claude-code'] ?? {}, {
      '.claude/settings.json': json({ enabledMcpjsonServers: ['pantry'] }),
    });
    expect((await stateIn(at, 'claude-code')).state).toBe('approved');
  });

  it('says where it was rejected, and names a server that does not exist', async () => {
    const { seen } = await stateIn(
      claude(
        {},
        { '.claude/settings.local.json': '{\n  "disabledMcpjsonServers": ["pantry", "ghost"]\n}\n' },
      ),
      'claude-code',
    );
    expect(seen.one('host/rejected').message).toContain(
      'configured, but disabled in .claude/settings.local.json',
    );
    expect(seen.one('host/rejected').data).toMatchObject({ file: '.claude/settings.local.json', line: 2 });
    expect(seen.one('host/unknown-name').message).toContain('ghost');
  });

  it.each([
    [{ serverName: 'pantry' }, true],
    [{ serverUrl: 'http://127.0.0.1:*' }, true],
    [{ serverUrl: 'https://*' }, false],
    [{ serverName: 'other' }, false],
  ])('is blocked by managed policy %j: %s', async (rule, wanted) => {
    const at = claude({});
    writeTree(at.home, { 'policy.json': json({ deniedMcpServers: [rule] }) });
    const managed = { '/etc/claude-code/managed-settings.json': join(at.home, 'policy.json') };
    const seen = await diagnose(at, {}, {}, at.root, managed);
    expect(seen.codes('error')).toEqual(wanted ? ['host/denied'] : []);
    expect(seen.exit).toBe(wanted ? 1 : 0);
  });

  it('cannot tell where the policy is malformed', async () => {
    const at = claude({});
    writeTree(at.home, { 'policy.json': '{' });
    const managed = { '/etc/claude-code/managed-settings.json': join(at.home, 'policy.json') };
    expect((await diagnose(at, {}, {}, at.root, managed)).codes('warning')).toContain('host/cannot-tell');
  });

  it('cannot tell where its file is malformed, and passes nothing', async () => {
    const at = place(SET_UP['claude-code'] ?? {}, { '.claude.json': { text: '{"projects": ', mode: 0o600 } });
    const { seen, state } = await stateIn(at, 'claude-code');
    expect(state).toBe('unknown');
    expect(seen.codes()).toContain('host/cannot-tell');
    expect(seen.check('host/servers:claude-code')?.status).toBe('warn');
  });

  it('is shadowed by the local scope', async () => {
    const { seen } = await stateIn(
      claude({ mcpServers: { pantry: { type: 'http', url: 'http://127.0.0.1:9999/mcp' } } }),
      'claude-code',
    );
    expect(seen.one('host/shadowed')).toMatchObject({
      severity: 'error',
      subject: '.mcp.json#/mcpServers/pantry',
    });
    expect(seen.one('host/shadowed').message).toContain('shadowed by ~/.claude.json (local');
    expect(seen.exit).toBe(1);
  });

  it('is not shadowed by the user scope, and equal servers are no fault', async () => {
    const at = claude({ mcpServers: { pantry: { type: 'http', url: URL } } });
    expect((await stateIn(at, 'claude-code')).seen.one('host/shadowed').severity).toBe('info');
    const user = place(SET_UP['claude-code'] ?? {});
    const text = json({ mcpServers: { pantry: { type: 'http', url: 'http://127.0.0.1:1/mcp' } } });
    writeTree(user.home, { '.claude.json': priv(text, user.root) });
    expect((await stateIn(user, 'claude-code')).seen.codes()).not.toContain('host/shadowed');
  });

  it('has its folder where CLAUDE_CONFIG_DIR says, and a bad value is reported', async () => {
    const at = place(SET_UP['claude-code'] ?? {});
    writeTree(at.home, {
      'work/.claude.json': priv(
        json({
          projects: { [at.root]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['pantry'] } },
        }),
        at.root,
      ),
    });
    const moved = await stateIn(at, 'claude-code', { CLAUDE_CONFIG_DIR: join(at.home, 'work') });
    expect(moved.state).toBe('approved');
    for (const value of ['', 'work', join(at.home, 'nowhere')]) {
      const { seen } = await stateIn(at, 'claude-code', { CLAUDE_CONFIG_DIR: value });
      expect(seen.codes('warning')).toContain('host/env-path');
    }
  });

  it('says what a variable that is not set does, and never its value', async () => {
    const headers = { headers: { Authorization: `Bearer \${env:PANTRY_TOKEN}` } };
    const entry = { type: 'http', url: URL, headers: { Authorization: `Bearer \${PANTRY_TOKEN}` } };
    const at = place({
      '.tenon/manifest.json': manifest(['claude-code'], {}, headers),
      '.mcp.json': json({ mcpServers: { pantry: entry } }),
    });
    const unset = await diagnose(at);
    expect(unset.one('host/variable-unset')).toMatchObject({ severity: 'warning', subject: 'PANTRY_TOKEN' });
    expect(unset.one('host/variable-unset').message).toContain('sends the text of the reference');
    const set = await diagnose(at, {}, { PANTRY_TOKEN: 'tulip-value-4711' });
    expect(set.check('host/variables')?.status).toBe('pass');
    expect(set.text).not.toContain('tulip-value');
  });
});

describe('a server in Codex', () => {
  const trusted = (folder: string) => ({
    '.codex/config.toml': { text: `[projects."${folder}"]\ntrust_level = "trusted"\n`, mode: 0o600 },
  });

  it('is written but not read in a folder that is not trusted', async () => {
    const at = place(SET_UP['codex'] ?? {}, trusted('/somewhere/else'));
    const { seen, state } = await stateIn(at, 'codex');
    expect(state).toBe('untrusted');
    expect(seen.one('host/untrusted-project').message).toContain('not trusted by Codex');
    expect(seen.exit).toBe(0);
  });

  it('is approved in any spelling of the folder', async () => {
    const at = place(SET_UP['codex'] ?? {});
    const link = join(scratch(), 'linked');
    symlinkSync(at.root, link);
    for (const folder of [at.root, `${at.root}/`, link]) {
      writeTree(at.home, trusted(folder));
      expect((await stateIn(at, 'codex')).state).toBe('approved');
    }
  });

  it('is approved in a worktree of a trusted repository', async () => {
    const main = place(SET_UP['codex'] ?? {});
    const tree = join(realpathSync(scratch()), 'tree');
    git(main.root, ['worktree', 'add', '-q', tree]);
    writeTree(main.home, trusted(main.root));
    expect((await stateIn({ root: tree, home: main.home }, 'codex')).state).toBe('approved');
  });

  it('is off by its own switch', async () => {
    const files = {
      ...SET_UP['codex'],
      '.codex/config.toml': `[mcp_servers.pantry]\nurl = "${URL}"\nenabled = false\n`,
    };
    const at = place(files);
    writeTree(at.home, trusted(at.root));
    const { seen, state } = await stateIn(at, 'codex');
    expect(state).toBe('disabled');
    expect(seen.one('host/disabled').data).toMatchObject({ file: '.codex/config.toml', line: 3 });
  });
});

describe('other coding tools', () => {
  it('Gemini: the nearest rule decides, and a rule above counts', async () => {
    const at = place(SET_UP['gemini-cli'] ?? {});
    const above = realpathSync(join(at.root, '..'));
    const rules: [object, string][] = [
      [{ '/somewhere/else': 'TRUST_FOLDER' }, 'untrusted'],
      [{ [above]: 'TRUST_FOLDER' }, 'approved'],
      [{ [above]: 'TRUST_FOLDER', [at.root]: 'DO_NOT_TRUST' }, 'untrusted'],
      [{ [at.root]: 'TRUST_FOLDER' }, 'approved'],
    ];
    for (const [rule, wanted] of rules) {
      mkdirSync(join(at.home, '.gemini'), { recursive: true });
      writeTree(at.home, { '.gemini/trustedFolders.json': { text: json(rule), mode: 0o600 } });
      expect((await stateIn(at, 'gemini-cli')).state).toBe(wanted);
    }
  });

  describe("Qwen Code's record of decisions", () => {
    // Hashes that version 0.24.4 of the client wrote itself for these entries, with MYTOK=abc.
    const PLAIN = '6c7d04c96bf95caa44cb52cb1f633b1bed13811a4f83247dd1cda84e71d0e03b';
    const REFERS = '8544a400602fb7c85453f73a98e13b45de698ae741ea3a513510fb0ca899a3ad';
    const plain = { command: 'node', args: ['x'], env: { B: '1', A: '2' } };
    const refers = {
      httpUrl: 'http://127.0.0.1:39/mcp',
      timeout: 5000,
      headers: { Z: `\${MYTOK}`, A: 'b' },
    };
    const qwen = (entry: object, decision?: object) => {
      const http = { url: refers.httpUrl, headers: { Z: `\${env:MYTOK}`, A: 'b' } };
      const how = 'httpUrl' in entry ? { http } : { stdio: plain };
      const at = place({
        '.tenon/manifest.json': json({
          schemaVersion: 1,
          servers: { pantry: { runtimes: ['qwen-code'], ...how } },
        }),
        '.qwen/settings.json': json({ $version: 4, mcpServers: { pantry: entry } }),
      });
      const record = decision === undefined ? {} : { [at.root]: { pantry: decision } };
      writeTree(at.home, { '.qwen/mcpApprovals.json': { text: json(record), mode: 0o600 } });
      return at;
    };
    const described = { ...plain, description: 'a label that does not count' };

    it.each([
      ['no decision', plain, undefined, 'awaiting-approval', 'has not approved'],
      ['approved', plain, { status: 'approved', hash: PLAIN }, 'approved', undefined],
      ['approved, label added', described, { status: 'approved', hash: PLAIN }, 'approved', undefined],
      ['rejected', plain, { status: 'rejected', hash: PLAIN }, 'rejected', 'rejected it'],
      [
        'approved, then changed',
        plain,
        { status: 'approved', hash: REFERS },
        'awaiting-approval',
        'changed since',
      ],
      [
        'rejected, then changed',
        plain,
        { status: 'rejected', hash: REFERS },
        'awaiting-approval',
        'changed since',
      ],
      [
        'a word that is not known',
        plain,
        { status: 'perhaps', hash: PLAIN },
        'awaiting-approval',
        'has not approved',
      ],
      ['no object', plain, ['approved'], 'awaiting-approval', 'has not approved'],
    ] as const)('%s', async (_, entry, decision, wanted, says) => {
      const { seen, state } = await stateIn(qwen(entry, decision), 'qwen-code');
      expect(state).toBe(wanted);
      const own = seen.findings.filter(({ data }) => data?.['decision'] !== undefined);
      expect(own.map(({ message }) => message)).toEqual(
        says === undefined ? [] : [expect.stringContaining(says)],
      );
      if (says !== undefined) expect(own[0]?.remedy?.text).toContain('qwen mcp approve pantry');
    });

    it('compares with the values of variables and shows none of them', async () => {
      const at = qwen(refers, { status: 'approved', hash: REFERS });
      const same = await stateIn(at, 'qwen-code', { MYTOK: 'abc' });
      expect(same.state).toBe('approved');
      const other = await stateIn(at, 'qwen-code', { MYTOK: 'another-value' });
      expect(other.state).toBe('unknown');
      expect(other.seen.one('host/cannot-tell').message).toContain('cannot be told');
      expect(other.seen.text).not.toContain('another-value');
      expect((await stateIn(at, 'qwen-code')).state).toBe('unknown');
    });

    it('cannot tell where the record is malformed', async () => {
      const at = qwen(plain);
      writeTree(at.home, { '.qwen/mcpApprovals.json': { text: '{', mode: 0o600 } });
      expect((await stateIn(at, 'qwen-code')).state).toBe('unknown');
    });
  });

  it('OpenCode asks nothing', async () => {
    const { seen, state } = await stateIn(place(SET_UP['opencode'] ?? {}), 'opencode');
    expect(state).toBe('written');
    expect(seen.check('host/servers:opencode')).toMatchObject({ status: 'pass' });
    expect(seen.check('host/servers:opencode')?.message).toContain('was not seen');
  });

  it('is not said to be fine where its approval is not known', async () => {
    const at = place({
      '.tenon/manifest.json': manifest(['cursor']),
      '.cursor/mcp.json': json({ mcpServers: { pantry: { url: URL } } }),
    });
    const { seen, state } = await stateIn(at, 'cursor');
    expect(state).toBe('unknown');
    expect(seen.check('host/servers:cursor')?.status).toBe('skip');
  });
});
