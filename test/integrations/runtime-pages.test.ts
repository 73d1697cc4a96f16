import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SECTIONS = [
  'Surfaces',
  'Scopes',
  'MCP config',
  'Secrets',
  'OAuth',
  'Instructions and skills',
  'Hooks',
  'Plugin packaging',
  'Permissions and trust',
  'Lifecycle',
  'Known limitations',
];

describe('the pages of the tier 1 coding tools', () => {
  it('are what their specs say', () => {
    const run = spawnSync(process.execPath, ['scripts/runtime-pages.mjs', '--check'], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
  });

  it.each(['claude-code', 'codex', 'opencode'])('%s has every section of the template, in order', (id) => {
    const page = readFileSync(`docs/runtimes/${id}.md`, 'utf8');
    const found = [...page.matchAll(/^- ([A-Z][A-Za-z ]+):/gm)].map(([, name]) => name);
    expect(found).toEqual(SECTIONS);
    expect(page).not.toMatch(/undefined|\[object/);
  });
});
