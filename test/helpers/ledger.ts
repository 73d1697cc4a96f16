import { fingerprint, sha256 } from '../../src/engine/fingerprint.ts';
import type { Ledger, LedgerRecord } from '../../src/engine/types.ts';

const owner = { integration: 'vera', artifact: 'server', version: '1.0.0' };

/** A record of an entry in `.mcp.json`, or of whatever is given instead. */
export const ledgerRecord = (change: Partial<LedgerRecord> = {}): LedgerRecord => ({
  path: '.mcp.json',
  format: 'json',
  place: { kind: 'key', path: ['mcpServers', 'vera'] },
  owners: [owner],
  runtimes: ['claude-code'],
  scope: 'project',
  classes: ['connects'],
  switches: ['/enabled'],
  generations: [fingerprint({ type: 'http', url: 'http://127.0.0.1:8765/mcp' })],
  trace: { before: '\n', width: 2, last: true },
  order: 'normal',
  ...change,
});

/** A ledger with one file of every kind of fact. */
export const ledgerOf = (root: string, change: Partial<Ledger> = {}): Ledger => ({
  schemaVersion: 1,
  root,
  files: [
    {
      path: '.mcp.json',
      createdFile: false,
      createdDirs: [],
      containers: [{ path: ['mcpServers'], kind: 'object', trace: { pre: ' ' } }],
      before: { hash: sha256('{}'), size: 2 },
      after: { hash: sha256('{"mcpServers":{}}'), size: 17 },
      bom: false,
      eol: '\n',
      follows: { '.mcp.json': '/home/u/dots/servers.json' },
    },
    {
      path: '.claude/skills/vera/SKILL.md',
      createdFile: true,
      createdDirs: ['.claude', '.claude/skills'],
      containers: [],
      before: null,
      after: { hash: 'absent', size: 0 },
      bom: false,
      eol: '\r\n',
    },
  ],
  records: [
    ledgerRecord(),
    ledgerRecord({
      path: '.claude/skills/vera/SKILL.md',
      format: 'whole',
      place: { kind: 'file' },
      order: 'early',
    }),
    ledgerRecord({
      path: '.claude/settings.json',
      place: { kind: 'item', path: ['hooks', 'SessionStart'], value: { a: [1, null] }, tag: 'x.cjs' },
      replaced: { backup: 'abc/def', whole: false },
    }),
    ledgerRecord({ path: 'AGENTS.md', format: 'markdown', place: { kind: 'block', id: 'vera' } }),
    ledgerRecord({ path: '.gitignore', format: 'lines', place: { kind: 'line', line: '/x' }, root }),
  ],
  enrolments: [
    {
      integration: 'vera',
      version: '1.0.0',
      scope: 'local',
      runtimes: ['codex'],
      inputs: { VERA_MCP_URL: 'http://127.0.0.1:8765/mcp' },
      overrides: { save_mode: 'suggest' },
      without: ['hooks'],
      server: null,
      external: [],
      excluded: ['.mcp.json#/mcpServers/vera'],
      root,
    },
  ],
  ...change,
});
