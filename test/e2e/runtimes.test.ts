import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../src/runtimes/capabilities.ts';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly reason?: string;
  readonly sources: readonly { readonly mark: string; readonly checked: string; readonly source: string }[];
}

const ids = readdirSync('specs').map((name) => name.replace(/\.json$/, ''));

describe('tenon runtimes', () => {
  it('lists every coding tool, cloud surfaces as unsupported with the reason', async () => {
    const home = makeHome();
    const { code, document } = await runJson(['runtimes'], { home, cwd: home });
    expect(code).toBe(0);
    const runtimes: { id: string; state: string; reason: string; features: Record<string, string> }[] =
      document.data.runtimes;
    expect(runtimes.map(({ id }) => id)).toEqual([...ids].sort());
    const cloud = runtimes.filter(({ state }) => state === 'unsupported');
    expect(cloud.map(({ id }) => id)).toEqual(['cascade', 'copilot-cloud', 'devin']);
    for (const { reason } of cloud) expect(reason.length).toBeGreaterThan(30);
    const of = (id: string) => runtimes.find((one) => one.id === id)?.features;
    // What nobody looked at is not known; that is another thing than not being there.
    expect(of('auggie')).toEqual({
      mcp: 'supported',
      skills: 'unknown',
      hooks: 'unknown',
      permissions: 'unknown',
      instructions: 'unknown',
    });
    expect(of('junie')).toMatchObject({ mcp: 'advisory' });
  });

  it('shows one in lines of 80 columns, with each way of knowing a capability once', async () => {
    const home = makeHome();
    for (const id of ['claude-code', 'opencode', 'copilot-cli']) {
      const { stdout } = await runCli(['runtimes', id], { home, cwd: home });
      // An address that is longer than a line stays whole.
      const lines = stdout.split('\n').filter((line) => !/^ +https:\S+$/.test(line));
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(stdout).not.toMatch(/tested with [^;\n]* tested with/);
    }
  });

  it('shows the matrix of one with the source of each state', async () => {
    const home = makeHome();
    const { document } = await runJson(['runtimes', 'claude'], { home, cwd: home });
    const rows: Row[] = document.data.runtimes[0].capabilities;
    expect(rows.map(({ id }) => id)).toEqual([...CAPABILITIES]);
    expect(rows.find(({ id }) => id === 'trust')).toMatchObject({
      state: 'supported',
      reason: expect.stringContaining('trusted folder'),
      sources: expect.arrayContaining([expect.objectContaining({ mark: 'tested' })]),
    });
    const { stdout } = await runCli(['runtimes', 'kiro', '--no-color'], { home, cwd: home });
    expect(stdout).toMatch(/oauth +supported, documented/);
    expect(stdout).toMatch(/secrets +advisory, documented\n +\$\{NAME\}: the editor expands/);
    expect(stdout).toMatch(/hooks +unknown/);
  });
});
