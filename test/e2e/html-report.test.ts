import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome, runCli } from '../helpers/cli.ts';
import { gitRepo, scratch } from '../helpers/repo.ts';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];
const browser = BROWSERS.find((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
const why = browser === undefined ? ` (skipped: none of ${BROWSERS.join(', ')} is installed)` : '';

const folder = scratch();
const page = join(folder, 'report.html');

beforeAll(async () => {
  const repo = gitRepo({ '.cursor/mcp.json': '{ "mcpServers": { "a": {' });
  const home = makeHome();
  const runtimes = ['claude-code', 'codex', 'opencode'].flatMap((id) => ['--runtime', id]);
  const inputs = ['VERA_API_URL=http://127.0.0.1:9', '--set', 'VERA_MCP_URL=http://127.0.0.1:9/mcp'];
  const setup = ['setup', 'vera', ...runtimes, '--set', ...inputs, '--offline', '--yes'];
  expect((await runCli(setup, { home, cwd: repo })).code).toBe(0);
  const file = join(repo, '.mcp.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(':9/mcp', ':10/mcp'));
  const { code, stdout } = await runCli(['doctor', '--offline', '--format', 'html'], { home, cwd: repo });
  expect(code).toBe(1);
  writeFileSync(page, stdout);
});

const headless = (args: readonly string[]): string =>
  execFileSync(
    browser ?? '',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--hide-scrollbars',
      `--user-data-dir=${scratch()}`,
      ...args,
    ],
    { encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 * 1024 },
  );

/** Lays the page out in a frame of this width and asks the browser what it made of it. */
function layout(width: number): { scroll: number; text: string; requests: number } {
  const html = readFileSync(page, 'utf8').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const probe = `onload = () => {
    const { documentElement: root, body } = document.querySelector('iframe').contentDocument;
    const requests = document.querySelector('iframe').contentWindow.performance.getEntriesByType('resource').length;
    document.body.replaceChildren(JSON.stringify({ scroll: root.scrollWidth, text: body.innerText, requests }));
  };`;
  const wrapper = join(folder, `frame-${width}.html`);
  writeFileSync(
    wrapper,
    `<!doctype html><meta charset="utf-8"><iframe style="border:0" width="${width}" height="900" srcdoc="${html}"></iframe><script>${probe}</script>`,
  );
  const dom = headless(['--virtual-time-budget=2000', '--dump-dom', `file://${wrapper}`]);
  const json = /<body>([\s\S]*)<\/body>/.exec(dom)?.[1] ?? '';
  return JSON.parse(json.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
}

/** Size in pixels and in bytes of a screenshot. */
function screenshot(name: string, args: readonly string[]): { width: number; height: number; bytes: number } {
  const file = join(folder, `${name}.png`);
  headless([...args, `--screenshot=${file}`, `file://${page}`]);
  const png = readFileSync(file);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), bytes: png.length };
}

describe.skipIf(browser === undefined)(`the HTML report in a browser${why}`, () => {
  it.each([320, 390, 768, 1280])('needs no sideways scrolling at %i pixels, and loads nothing', (width) => {
    const { scroll, text, requests } = layout(width);
    expect(scroll).toBeLessThanOrEqual(width);
    expect(requests).toBe(0);
    expect(text).toContain('ownership/drifted');
    expect(text).toContain('tenon sync --force');
    expect(text).toContain('config/malformed');
  });

  it('is drawn light and dark', () => {
    const light = screenshot('light', ['--window-size=1000,800']);
    const dark = screenshot('dark', ['--window-size=1000,800', '--force-dark-mode']);
    expect(light).toMatchObject({ width: 1000, height: 800 });
    expect(dark).toMatchObject({ width: 1000, height: 800 });
    expect(light.bytes).toBeGreaterThan(20_000);
    expect(readFileSync(join(folder, 'light.png')).equals(readFileSync(join(folder, 'dark.png')))).toBe(
      false,
    );
  });
});

describe('the HTML report', () => {
  it('is one page without an outside resource', () => {
    const text = readFileSync(page, 'utf8');
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).not.toMatch(/<script|<link|src=|@import|url\(/);
  });
});
