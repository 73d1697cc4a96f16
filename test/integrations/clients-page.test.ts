import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import data from '../clients/clients.json' with { type: 'json' };

const FOLDER = 'test/clients';
const page = readFileSync('docs/clients.md', 'utf8');
const rows = [...data.main, ...Object.values(data.states).flat()];
const files = Object.keys(data.clients).map((id) => `${id}.test.ts`);

/** What a function of the page's script gives for these arguments. */
function ask(code: string, ...args: unknown[]): unknown {
  const script = `
    const { cellsOf, render, skeletonFaults } = await import('./scripts/clients-page.mjs');
    const args = JSON.parse(process.argv[1]);
    console.log(JSON.stringify(await (${code})(...args)));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script, JSON.stringify(args)], {
      encoding: 'utf8',
    }),
  );
}

describe('the page of the real coding tools', () => {
  it('names every state once', () => {
    expect(new Set(rows).size).toBe(rows.length);
  });

  it.each(files)('has a row for every test of %s', (name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    const titles = [...text.matchAll(/^ {2}it(?:\.runIf\(hasNamespace\))?\('([^']+)'/gmu)].map(
      ([, title]) => title,
    );
    expect(titles.length).toBeGreaterThan(3);
    expect(titles.filter((title) => !rows.includes(title ?? ''))).toEqual([]);
  });

  it('is what the data makes of it, and claims no failure', () => {
    expect(ask('skeletonFaults', page)).toEqual([]);
    expect(page).not.toContain('| failed');
    expect(page).toMatch(/^\*\*\d+ passed, 0 failed, 0 not run\.\*\*$/mu);
  });

  it('is found out when it claims another version, or a cell that no test stands for', () => {
    expect(ask('skeletonFaults', page.replace('| 2.1.332 |', '| 2.1.333 |'))).toHaveLength(1);
    const claimed = page.replace(/(\| Auggie \|[^\n]*?)not run/u, '$1passed');
    expect(claimed).not.toBe(page);
    expect(ask('skeletonFaults', claimed)).not.toEqual([]);
  });

  it('counts two tests of one title as the worse of them, and demands a row for each test', () => {
    const result = (title: string, status: string) => ({ ancestorTitles: ['codex'], title, status });
    const cells = '(results) => [...cellsOf(results)]';
    expect(ask(cells, [result('listed', 'passed'), result('listed', 'failed')])).toEqual([
      ['codex listed', 'failed'],
    ]);
    expect(ask(cells, [result('listed', 'skipped'), result('listed', 'passed')])).toEqual([
      ['codex listed', 'not run'],
    ]);
    const faults = ask('(results) => render(cellsOf(results)).faults', [result('never heard of', 'passed')]);
    expect(faults).toContain('no row for the test codex never heard of');
    expect(faults).toContain('neither a test nor a reason for claude-code listed');
  });
});
