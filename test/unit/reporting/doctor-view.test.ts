import { describe, expect, it } from 'vitest';
import { renderDoctor } from '../../../src/reporting/doctor-view.ts';
import { renderStatus } from '../../../src/reporting/status-view.ts';
import { createTheme, PLAIN_THEME } from '../../../src/reporting/theme.ts';

const unicode = createTheme({ color: false, unicode: true });

describe('renderDoctor', () => {
  const view = {
    root: '~/code/shop',
    matrices: [
      {
        integration: 'vera',
        runtimes: ['claude-code', 'codex'],
        rows: [
          {
            part: 'server',
            cells: { 'claude-code': { status: 'pass' as const }, codex: { status: 'pass' as const } },
          },
          { part: 'permissions', cells: { 'claude-code': { status: 'pass' as const } } },
          {
            part: 'in the tool',
            cells: {
              'claude-code': { status: 'warn' as const, note: 'pending' },
              codex: { status: 'fail' as const, note: 'off' },
            },
          },
        ],
      },
    ],
    checks: [
      { id: 'files', title: 'files', status: 'pass' as const, message: 'all read' },
      { id: 'trust', title: 'trust', status: 'fail' as const, message: 'not trusted' },
      { id: 'endpoint', title: 'endpoint', status: 'skip' as const, message: 'not asked (--offline)' },
    ],
    findings: [
      {
        code: 'host/untrusted-project' as const,
        severity: 'error' as const,
        subject: 'codex',
        message: 'codex ignores .codex/config.toml here: the project is not trusted.',
        remedy: { text: 'start codex in this folder and trust it.' },
      },
    ],
  };

  it('looks like this', () => {
    expect(renderDoctor(view, unicode)).toMatchInlineSnapshot(`
      "tenon doctor · ~/code/shop

      vera            claude-code   codex
        server        ✔             ✔
        permissions   ✔             –
        in the tool   ▲ pending     ✖ off

      ✖ host/untrusted-project  codex ignores .codex/config.toml here: the project is
        not trusted.
        Fix: Start codex in this folder and trust it.

      2 checked: 1 pass, 0 warn, 1 fail; 1 skipped (endpoint: not asked (--offline))
      "
    `);
  });

  it('says the same in ASCII', () => {
    expect(renderDoctor(view, PLAIN_THEME)).toMatch(/^[\n -~]*$/);
  });
});

describe('renderStatus', () => {
  const lists = {
    managed: [],
    missing: [],
    drifted: [],
    stale: [],
    external: [],
    adoptable: [],
    excluded: [],
    conflicts: [],
    untrusted: [],
    shadowed: [],
    disabled: [],
  };
  const view = {
    state: 'attention' as const,
    integrations: [
      { integration: 'vera', version: '1.4.0', scope: 'project', runtimes: ['cursor'], without: ['hooks'] },
      { integration: 'add:docs', version: '1.0.0', scope: 'project', runtimes: ['cursor'], without: [] },
    ],
    runtimes: {
      cursor: {
        scopes: {
          project: {
            ...lists,
            status: 'attention',
            managed: ['a', 'b'],
            drifted: ['.cursor/mcp.json#/mcpServers/docs'],
          },
        },
      },
    },
    findings: [],
  };

  it('looks like this', () => {
    expect(renderStatus(view, unicode)).toMatchInlineSnapshot(`
      "vera  1.4.0  project  cursor  without hooks
      docs  1.0.0  project  cursor

      cursor  project  ▲  2 as written, 1 edited by hand

        ▲ .cursor/mcp.json#/mcpServers/docs  edited by hand
          tenon sync leaves it; this brings ours back:
          tenon sync --force '.cursor/mcp.json#/mcpServers/docs'

      ▲ Something needs attention.
      "
    `);
  });

  it('calls an entry of an older definition out of date, not unwanted', () => {
    const address = '.cursor/mcp.json#/mcpServers/docs';
    const scopes = { project: { ...lists, status: 'attention', stale: [address] } };
    const text = renderStatus({ ...view, runtimes: { cursor: { scopes } } }, unicode);
    expect(text).toContain('1 out of date');
    expect(text).toContain(`${address}  out of date\n    tenon sync updates it\n`);
  });

  it('tells where to begin when nothing is set up', () => {
    const text = renderStatus({ state: 'not-set-up', integrations: [], runtimes: {}, findings: [] }, unicode);
    expect(text).toBe('● Nothing is set up here. Start with tenon setup <integration>.\n');
  });
});
