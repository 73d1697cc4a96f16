import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/lib/json.ts';
import { type GateData, isAllowed, readGate } from '../../../src/runtimes/gates.ts';
import { writeTree } from '../../helpers/repo.ts';
import { diagnose, place, SET_UP } from './support.ts';

const json = (value: unknown): string => JSON.stringify(value);

describe('lists of allowed servers', () => {
  const http = { server: 'pantry', url: 'http://127.0.0.1:8765/mcp' };
  const stdio = { server: 'pantry', command: ['node', 'x.mjs'] };
  const name = { serverName: 'pantry' };
  it.each([
    ['nothing at all', http, [], false],
    ['its name', http, [name], true],
    ['another name', http, [{ serverName: 'house' }], false],
    ['a pattern that it matches', http, [{ serverUrl: 'http://127.0.0.1:*' }], true],
    ['its name, but URLs are named too', http, [name, { serverUrl: 'https://*' }], false],
    ['its name, and a command of others', http, [name, { serverCommand: ['node', 'y.mjs'] }], true],
    ['its command', stdio, [{ serverCommand: ['node', 'x.mjs'] }], true],
    ['its name, but commands are named too', stdio, [name, { serverCommand: ['node', 'y.mjs'] }], false],
    ['its name, and a URL of others', stdio, [name, { serverUrl: 'https://*' }], true],
    ['its bare name', http, ['pantry'], true],
    ['a number', http, [1], false],
  ] as const)('with %s', (_, about, items, wanted) => {
    expect(isAllowed(items as unknown as Json[], about)).toBe(wanted);
  });
});

describe('patterns that take for ever', () => {
  const url = `http://127.0.0.1:8765/${'a'.repeat(200)}`;
  it('are answered all the same', () => {
    expect(isAllowed([{ serverUrl: `${'*a'.repeat(60)}b` }], { server: 'x', url })).toBe(false);
    expect(isAllowed([{ serverUrl: `http*${'*a'.repeat(60)}` }], { server: 'x', url })).toBe(true);
  });
  // What is not found out forbids nothing: the coding tool decides.
  it.each(['^http://(.*)*b$', '(a+)+$x', `${'.*'.repeat(20)}b`, '('])(
    'as an expression: %s',
    (expression) => {
      const gate = {
        ...{ id: 'allowed', kind: 'allowed-table', file: 'f', at: ['allowed'], value: null },
        ...{ of: 'server', means: 'denied', from: null, remedy: '' },
      } as unknown as GateData;
      const document = { allowed: { x: { identity: { url: { match: 'regex', expression } } } } };
      expect(readGate(gate, document, { server: 'x', url }, '/r', 'linux').state).toBe('unset');
      const other = { allowed: { x: { identity: { url: { match: 'regex', expression: '^https:' } } } } };
      expect(readGate(gate, other, { server: 'x', url }, '/r', 'linux').state).toBe('set');
    },
  );
});

describe('what Claude Code lets in', () => {
  const approved = { enabledMcpjsonServers: ['pantry'] };
  it.each([
    ['a user who denies it', { ...approved, deniedMcpServers: [{ serverName: 'pantry' }] }, {}, 'denied'],
    ['a user who allows others', { ...approved, allowedMcpServers: [{ serverName: 'house' }] }, {}, 'denied'],
    [
      'a user who allows others and a project that allows it',
      { ...approved, allowedMcpServers: [{ serverName: 'house' }] },
      { allowedMcpServers: [{ serverName: 'pantry' }] },
      'approved',
    ],
    ['a project that denies it', approved, { deniedMcpServers: [{ serverName: 'pantry' }] }, 'denied'],
    ['a list of something else', { ...approved, allowedMcpServers: 'none' }, {}, 'approved'],
  ] as const)('with %s', async (_, user, local, wanted) => {
    const at = place({ ...SET_UP['claude-code'], '.claude/settings.local.json': json(local) });
    writeTree(at.home, { '.claude/settings.json': json(user) });
    const seen = await diagnose(at, {});
    const all = seen.data['integrations'] as Record<string, Record<string, { inTool?: string }>>;
    expect(all['add:pantry']?.['claude-code']?.inTool).toBe(wanted);
    expect(seen.codes('error')).toEqual(wanted === 'denied' ? ['host/denied'] : []);
  });
});

/** The word for the server in a coding tool, with these files in the home folder; `@ROOT@` is the repository. */
async function wordIn(id: string, home: Readonly<Record<string, string>>): Promise<string | undefined> {
  const at = place(SET_UP[id] ?? {});
  const filled = Object.entries(home).map(([file, text]) => [
    file,
    { text: text.replaceAll('@ROOT@', at.root).replaceAll('@ABOVE@', dirname(at.root)), mode: 0o600 },
  ]);
  writeTree(at.home, Object.fromEntries(filled));
  const seen = await diagnose(at, {});
  const all = seen.data['integrations'] as Record<string, Record<string, { inTool?: string }>>;
  return all['add:pantry']?.[id]?.inTool;
}

describe('what Gemini CLI lets in', () => {
  const folders = (record: object) => ({ '.gemini/trustedFolders.json': json(record) });
  const here = folders({ '@ROOT@': 'TRUST_FOLDER' });
  it.each([
    ['a trusted folder', here, 'approved'],
    ['trust of everything beside a folder', folders({ '@ABOVE@/beside': 'TRUST_PARENT' }), 'approved'],
    ['the same for another place', folders({ '/elsewhere/beside': 'TRUST_PARENT' }), 'untrusted'],
    [
      'no trust here, and trust above',
      folders({ '/': 'TRUST_FOLDER', '@ROOT@': 'DO_NOT_TRUST' }),
      'untrusted',
    ],
    [
      'its name excluded',
      { ...here, '.gemini/settings.json': json({ mcp: { excluded: ['pantry'] } }) },
      'rejected',
    ],
    ['others allowed', { ...here, '.gemini/settings.json': json({ mcp: { allowed: ['house'] } }) }, 'denied'],
    [
      'itself allowed',
      { ...here, '.gemini/settings.json': json({ mcp: { allowed: ['pantry'] } }) },
      'approved',
    ],
    ['nothing allowed', { ...here, '.gemini/settings.json': json({ mcp: { allowed: [] } }) }, 'denied'],
  ])('with %s', async (_, home, wanted) => {
    expect(await wordIn('gemini-cli', home)).toBe(wanted);
  });
});

describe('a switch of Codex in another layer', () => {
  const trust = '[projects."@ROOT@"]\ntrust_level = "trusted"\n\n';
  it('switches our entry off, which says nothing itself', async () => {
    const off = `${trust}[mcp_servers.pantry]\nenabled = false\n`;
    expect(await wordIn('codex', { '.codex/config.toml': off })).toBe('disabled');
    const on = `${trust}[mcp_servers.pantry]\nenabled = true\n`;
    expect(await wordIn('codex', { '.codex/config.toml': on })).toBe('approved');
  });
});
