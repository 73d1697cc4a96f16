import { describe, expect, it } from 'vitest';
import type { Conflict, FilePlan, Op, Plan } from '../../../src/engine/types.ts';
import type { Finding } from '../../../src/errors/error.ts';
import { renderPatch, renderPlan, renderPlanDiff } from '../../../src/reporting/plan-view.ts';
import { renderFacts, renderSetup } from '../../../src/reporting/setup-view.ts';
import { createTheme } from '../../../src/reporting/theme.ts';
import { renderUninstall } from '../../../src/reporting/uninstall-view.ts';

const theme = createTheme({ color: false, unicode: true });
const bytes = (text: string) => new TextEncoder().encode(text);

const op = (id: string, path: string, change: Partial<Op>): Op => ({
  id,
  action: 'create',
  address: path,
  target: { path, format: 'json', place: { kind: 'key', path: ['mcpServers', 'vera'] } },
  owners: [],
  runtimes: ['claude-code'],
  scope: 'project',
  classes: ['connects'],
  summary: 'http://127.0.0.1:8765/mcp',
  reason: '',
  approval: 'project-files',
  ...change,
});

const file = (
  path: string,
  base: string | undefined,
  result: string | undefined,
  change: Partial<FilePlan> = {},
): FilePlan => ({
  path,
  abs: `/r/${path}`,
  real: `/r/${path}`,
  action: base === undefined ? 'create' : result === undefined ? 'delete' : 'edit',
  order: 'normal',
  base: base === undefined ? undefined : bytes(base),
  baseHash: 'absent',
  result: result === undefined ? undefined : bytes(result),
  resultHash: 'absent',
  mode: 0o644,
  inPlace: false,
  makeDirs: [],
  removeDirs: [],
  ops: [],
  outside: false,
  ...change,
});

const ask = (tool: string, id: string): Op =>
  op(id, '.claude/settings.json', {
    target: {
      path: '.claude/settings.json',
      format: 'json',
      place: { kind: 'item', path: ['permissions', 'ask'], value: tool },
    },
    classes: ['grants'],
    summary: `ask before ${tool}`,
  });

const base = '{\n  "mcpServers": {\n    "mine": { "headers": { "X-Key": "hunter2" } }\n  }\n}\n';
const plan: Plan = {
  schemaVersion: 1,
  command: 'setup',
  root: '/r',
  files: [
    file(
      '.mcp.json',
      base,
      base.replace('    "mine"', '    "vera": { "url": "http://127.0.0.1:8765/mcp" },\n    "mine"'),
    ),
    file('.claude/settings.json', '{}\n', '{ "permissions": {} }\n'),
    file('.claude/hooks/vera-hook.cjs', undefined, `${'x'.repeat(2099)}\n`, { mode: 0o755 }),
    file('.tenon/manifest.json', undefined, '{}\n'),
  ],
  ops: [
    op('op-001', '.mcp.json', {}),
    ask('a', 'op-002'),
    ask('b', 'op-003'),
    ask('c', 'op-004'),
    ask('d', 'op-005'),
    op('op-006', '.claude/hooks/vera-hook.cjs', {
      target: { path: '.claude/hooks/vera-hook.cjs', format: 'whole', place: { kind: 'file' } },
      classes: ['executes'],
      summary: 'node .claude/hooks/vera-hook.cjs',
    }),
    op('op-007', '.codex/config.toml', { action: 'keep', reason: 'is as it should be' }),
  ],
  conflicts: [],
  findings: [],
  isEmpty: false,
  isApplicable: true,
  digest: 'sha256:41c0b7e241c0b7e241c0b7e241c0b7e241c0b7e241c0b7e241c0b7e241c0b7e2',
  ledgers: {},
};

const conflict: Conflict = {
  address: '.mcp.json#/mcpServers/vera',
  code: 'ownership/not-ours',
  message: 'another value stands there.',
  choices: ['keep', 'replace'],
  remedy: 'Decide which one is meant.',
  runtimes: ['claude-code'],
};

describe('renderPlan', () => {
  const shown = renderPlan(plan, theme);

  it('looks like this', () => {
    expect(shown).toMatchSnapshot();
  });

  it('shows no secret of a neighbour', () => {
    expect(shown + renderPlanDiff(plan, theme)).not.toContain('hunter2');
    expect(shown).toContain('"X-Key": "[REDACTED]"');
  });

  it('says in words what runs and what is granted', () => {
    expect(shown).toContain('1 of these runs a program on your machine: .claude/hooks/vera-hook.cjs.');
    expect(shown).toContain('4 of these set permissions of a coding tool.');
  });

  it('shows each way out of a conflict, ready to copy', () => {
    const text = renderPlan({ ...plan, conflicts: [conflict] }, theme);
    expect(text).toContain('1 conflict');
    expect(text).toContain("--resolve '.mcp.json#/mcpServers/vera=replace'");
    expect(text).toContain('Fix: Decide which one is meant.');
  });

  it('escapes names of the repository', () => {
    const evil = op('op-001', 'a\u001b[2J\u202e.json', { summary: 'x\u0007' });
    const text = renderPlan({ ...plan, files: [], ops: [evil] }, theme);
    expect(text).toContain('a\\e[2J\\u{202e}.json');
    for (const char of ['\u001b', '\u0007', '\u202e']) expect(text).not.toContain(char);
  });

  it('says when there is nothing to do', () => {
    const empty = { ...plan, files: [], ops: [], isEmpty: true };
    expect(renderPlan(empty, theme)).toContain('Nothing to do.');
    expect(renderPlanDiff(empty, theme)).toBe('No file changes.\n');
  });

  it('makes a patch, and names the files in which a secret is hidden', () => {
    const { patch, masked } = renderPatch(plan);
    expect(masked).toEqual(['.mcp.json']);
    expect(patch).toContain('new file mode 100755');
    expect(patch).not.toContain('hunter2');
  });
});

describe('the end of setup and uninstall', () => {
  const changed = {
    files: [
      { path: '.mcp.json', action: 'edit' },
      { path: '.tenon/manifest.json', action: 'create' },
    ],
    addresses: ['.mcp.json#/mcpServers/vera'],
    gitAdd: 'git add .mcp.json .tenon/manifest.json',
    findings: [],
  };
  const view = {
    title: 'VERA',
    names: ['vera'],
    runtimes: ['claude-code', 'codex'],
    served: ['claude-code', 'codex'],
    endpoints: [
      { url: 'http://127.0.0.1:8765', status: 'pass' as const, message: 'ready in 12 ms', ms: 12, notes: [] },
    ],
    plan,
    changed,
    next: [{ runtime: 'codex', text: 'trust this project once' }],
    isDryRun: false,
    oneShot: 'tenon setup vera --yes',
    findings: [],
  };

  it('tells what was written, what comes next, and claims no connection', () => {
    expect(renderSetup(view, theme)).toMatchSnapshot();
  });

  it('claims nothing for a coding tool whose files were kept as they were', () => {
    const text = renderSetup({ ...view, served: ['codex'] }, theme);
    expect(text).toContain('VERA setup completed for codex (');
    expect(text).toContain('VERA is not set up for claude-code: what stands there was kept');
    expect(renderSetup({ ...view, served: [] }, theme)).not.toContain('setup completed');
  });

  it('says that nothing was written after a dry run', () => {
    expect(renderSetup({ ...view, isDryRun: true }, theme)).toMatch(
      /Nothing was written: this was a dry run\.\n$/,
    );
  });

  it('does not claim an endpoint that was not asked', () => {
    const endpoints = [
      { url: 'http://x', status: 'skip' as const, message: 'not checked (offline)', ms: 0, notes: [] },
    ];
    expect(renderSetup({ ...view, endpoints }, theme)).toContain('endpoint not checked');
  });

  it('tells what was found once, before the plan', () => {
    expect(renderSetup(view, theme)).toContain('ready in 12 ms');
    const [first] = view.endpoints;
    const two = first === undefined ? [] : [first, { ...first, url: `${first.url}/mcp`, message: 'MCP' }];
    const columns = renderSetup({ ...view, endpoints: two }, theme)
      .split('\n')
      .flatMap((line) => [line.search(/ready in|MCP$/)].filter((at) => at > 0));
    expect(new Set(columns).size, columns.join()).toBe(1);
    expect(renderSetup({ ...view, isTold: true }, theme)).not.toContain('ready in 12 ms');
    const login = [
      { runtime: 'codex', text: 'needs no login' },
      { runtime: 'opencode', text: 'needs no login' },
      { runtime: 'zed', text: 'opens a browser' },
    ];
    expect(renderFacts({ ...view, login }, theme)).toContain(
      'Login      codex, opencode  needs no login\n           zed              opens a browser',
    );
  });

  it('tells a kept entry in the plan, not once more after it', () => {
    const kept: Finding = {
      code: 'ownership/drifted',
      severity: 'error',
      subject: '.mcp.json#/mcpServers/vera',
      message: 'was edited after tenon wrote it; kept',
    };
    const told = { ...plan, findings: [kept] };
    const done = { named: [], plan: told, changed, removed: 8, kept: 1, isDryRun: false, findings: [kept] };
    expect(renderPlan(told, theme)).toContain('was edited');
    expect(renderUninstall(done, theme)).not.toContain('was edited');
    expect(renderUninstall({ ...done, changed: { ...changed, files: [] } }, theme)).toContain('was edited');
  });

  it('claims nothing where nothing changed', () => {
    const text = renderSetup({ ...view, changed: { ...changed, files: [], gitAdd: undefined } }, theme);
    expect(text).toContain('Nothing to do');
    expect(text).not.toContain('setup completed');
    const removed = {
      code: 'ownership/removed',
      severity: 'warning',
      subject: 'x',
      message: 'left out',
    } as const;
    const left = { ...view, changed: { ...changed, files: [] }, findings: [removed] };
    expect(renderSetup(left, theme)).toMatch(/Nothing was changed; the above was left as it is\.\n$/);
  });

  it('counts what uninstall removed and kept', () => {
    const uninstall = { named: [], plan, changed, removed: 8, kept: 1, isDryRun: false, findings: [] };
    expect(renderUninstall(uninstall, theme)).toContain('8 of 9 removed, 1 kept.');
    expect(
      renderUninstall({ ...uninstall, removed: 0, kept: 0, changed: { ...changed, files: [] } }, theme),
    ).toContain('Nothing of tenon is here');
    const unknown = {
      ...uninstall,
      named: ['nope'],
      removed: 0,
      kept: 0,
      changed: { ...changed, files: [] },
    };
    expect(renderUninstall(unknown, theme)).toBe('Nothing to remove: nope is not set up here.\n');
    expect(renderUninstall({ ...unknown, runtimes: ['codex'] }, theme)).toContain(
      'not set up here for codex.',
    );
    expect(renderUninstall({ ...unknown, unproven: true }, theme)).toContain('no record of this host proves');
    expect(renderUninstall({ ...uninstall, kept: 0, unproven: true }, theme)).toContain(
      '8 entries removed; what no record of this host proves was kept.',
    );
    expect(renderUninstall({ ...uninstall, kept: 0, shared: 1 }, theme)).toContain(
      '8 entries removed, 1 kept for the coding tools that read it too.',
    );
    const handedOver = { ...unknown, changed };
    expect(renderUninstall({ ...handedOver, owned: 2 }, theme)).toContain(
      'No entry removed, 2 kept for the other integrations that own them too.',
    );
    expect(renderUninstall(handedOver, theme)).toContain("No entry removed, none of them was tenon's.");
    expect(renderUninstall({ ...handedOver, unproven: true }, theme)).toContain('Nothing was removed');
  });
});
