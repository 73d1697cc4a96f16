import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../src/runtimes/capabilities.ts';
import { scratch } from '../helpers/repo.ts';

/** The skeleton of an adapter section in the VERA integration guide. */
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

const ids = readdirSync('specs').map((name) => name.replace(/\.json$/, ''));
const pages = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/runtime-pages.mjs', ...args], { encoding: 'utf8' });

describe('the pages of the coding tools', () => {
  it('are what their specs say, one for each and one list', () => {
    const run = pages('--check');
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    expect(readdirSync('docs/runtimes').sort()).toEqual(['README.md', ...ids.map((id) => `${id}.md`)].sort());
  });

  it('are told apart from stale ones, and from those of no spec', () => {
    const root = scratch('tenon-pages-');
    mkdirSync(join(root, 'docs'));
    cpSync('specs', join(root, 'specs'), { recursive: true });
    cpSync('docs/runtimes', join(root, 'docs/runtimes'), { recursive: true });
    expect(pages('--check', '--root', root).status).toBe(0);
    appendFileSync(join(root, 'docs/runtimes/codex.md'), 'by hand\n');
    writeFileSync(join(root, 'docs/runtimes/gone.md'), '# Gone\n');
    const run = pages('--check', '--root', root);
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/^gone\.md, codex\.md: /);
    pages('--root', root);
    expect(pages('--check', '--root', root).status).toBe(0);
  });

  it.each(ids)('%s has every section of the template in order, and its matrix', (id) => {
    const page = readFileSync(`docs/runtimes/${id}.md`, 'utf8');
    const found = [...page.matchAll(/^- ([A-Z][A-Za-z ]+):/gm)].map(([, name]) => name);
    expect(found).toEqual(SECTIONS);
    const rows = [...page.matchAll(/^\| ([a-z-]+) \| (supported|advisory|unsupported|unknown) \|/gm)];
    expect(rows.map(([, name]) => name)).toEqual([...CAPABILITIES]);
    expect(page).not.toMatch(/undefined|\[object/);
  });
});
