import { describe, expect, it } from 'vitest';
import { renderDoctor } from '../../../src/reporting/doctor-view.ts';
import { renderPlanned } from '../../../src/reporting/planned-view.ts';
import { renderScan } from '../../../src/reporting/scan-view.ts';
import { renderFacts } from '../../../src/reporting/setup-view.ts';
import { createTheme } from '../../../src/reporting/theme.ts';

const RUNTIMES = ['claude-code', 'codex', 'cursor', 'gemini-cli', 'opencode', 'vscode', 'copilot-cli'];
const THEMES = [60, 80, 100].map((width) => createTheme({ color: true, unicode: true, width }));
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC is what a colour code begins with
const plain = (text: string): string => text.replace(/\u001b\[\d+m/g, '');
const widest = (text: string): number =>
  Math.max(
    ...plain(text)
      .split('\n')
      .map((line) => [...line].length),
  );

describe.each(THEMES)('a terminal of $width columns has room for', (theme) => {
  it('the table of doctor with many coding tools, each of them once', () => {
    const cell = { status: 'warn' as const, note: 'not certified' };
    const rows = ['in the tool', 'tier'].map((part) => ({
      part,
      cells: Object.fromEntries(RUNTIMES.map((id) => [id, cell])),
    }));
    const text = renderDoctor(
      {
        root: '~/x',
        matrices: [{ integration: 'docs', runtimes: RUNTIMES, rows }],
        checks: [],
        findings: [],
      },
      theme,
    );
    expect(widest(text)).toBeLessThanOrEqual(theme.width);
    for (const id of RUNTIMES)
      expect(plain(text).split(new RegExp(`(?<![\\w-])${id}(?![\\w-])`))).toHaveLength(2);
    expect(plain(text).match(/not certified/g)).toHaveLength(2 * RUNTIMES.length);
  });

  it('what setup found, with text that can be read beside or below long names', () => {
    const login = [
      ...RUNTIMES.map((runtime) => ({ runtime, text: 'whether a login is needed was not checked' })),
      {
        runtime: 'zed',
        text: 'takes the variable DOCS_TOKEN, which has to be set where the tool is started',
      },
    ];
    const text = plain(renderFacts({ runtimes: RUNTIMES, endpoints: [], login }, theme));
    expect(widest(text)).toBeLessThanOrEqual(theme.width);
    expect(text).toContain('whether a login is needed was not checked');
    expect(text).toMatch(/^ +zed {2}takes the variable/m);
  });

  it('the inventory of trust scan, and where a list comes from', () => {
    const print = `sha256:${'a'.repeat(64)}` as const;
    const server = {
      name: 'docs',
      launch: ['npx', '-y', '@example/a-server-of-some-length', '--with', 'a flag', '--and', 'another'],
    };
    const entry = {
      path: '.mcp.json',
      class: 'executable',
      kind: 'config',
      print,
      size: 10,
      link: false,
      servers: [server],
    };
    const scan = { digest: print, skipped: [], findings: [], expected: undefined, differs: false };
    const text = renderScan({ ...scan, entries: Array(12).fill(entry) }, theme);
    // A digest stays whole, to be copied.
    expect(widest(text.replaceAll(print, ''))).toBeLessThanOrEqual(theme.width);
    expect(widest(text)).toBeLessThanOrEqual(Math.max(theme.width, 2 + print.length));
    const origins = [{ name: 'runtimes', value: RUNTIMES, origin: 'manifest' as const, integration: 'docs' }];
    const plan = { files: [], ops: [], conflicts: [], findings: [], digest: print, unchanged: 0 };
    const planned = renderPlanned(
      { origins, plan, login: [], findings: [] } as unknown as Parameters<typeof renderPlanned>[0],
      theme,
    );
    const shown = plain(planned).split('Where each value comes from')[1] ?? '';
    expect(widest(shown)).toBeLessThanOrEqual(theme.width);
    expect(shown).toContain('manifest');
  });
});
