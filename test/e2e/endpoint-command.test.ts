import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { healthUrls } from '../../src/endpoint/health.ts';
import { liveCheck } from '../../src/endpoint/session.ts';
import { validateEndpoints } from '../../src/endpoint/validate.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, runCli } from '../helpers/cli.ts';
import { sandbox } from './endpoint-servers.ts';

interface Started {
  readonly child: ChildProcess;
  readonly document: { schema: string; ok: boolean; data: { apiUrl: string; mcpUrl: string } };
  /** Everything on stdout so far. */
  readonly output: () => string;
}

/** The built program serving; its first line is read. */
async function start(stdin: 'pipe' | 'ignore', flags: readonly string[] = []): Promise<Started> {
  const home = makeHome();
  const child = spawn(process.execPath, [BIN, 'sandbox', '--port', '0', '--json', ...flags], {
    cwd: home,
    env: cleanEnv(home),
    stdio: [stdin, 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let text = '';
  const line = new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', () => reject(new Error(`ended early: ${text}`)));
  });
  return { child, document: JSON.parse(await line), output: () => text };
}

const isReady = async (apiUrl: string): Promise<boolean> => {
  const reports = await validateEndpoints(
    healthUrls(apiUrl).map((url) => ({ kind: 'health' as const, url })),
    { timeoutMs: 20_000, env: {}, offline: false },
  );
  return reports.every(({ status }) => status === 'pass');
};

describe('tenon sandbox', () => {
  test('prints one line, serves, and ends with 0 when its stdin ends', async () => {
    const { child, document, output } = await start('pipe');
    expect(document).toMatchObject({
      schema: 'tenon/sandbox/v1',
      ok: true,
      exitCode: 0,
      findings: [],
      error: null,
    });
    expect(document.data.apiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(document.data.mcpUrl).toBe(`${document.data.apiUrl}/mcp`);
    expect(await isReady(document.data.apiUrl)).toBe(true);
    expect(await liveCheck(document.data.mcpUrl, { timeoutMs: 20_000 })).toMatchObject({ status: 'pass' });
    child.stdin?.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output().trimEnd().split('\n')).toHaveLength(1);
    expect(await isReady(document.data.apiUrl)).toBe(false);
  });

  test('without a stdin it serves on, and ends with 0 on SIGTERM', async () => {
    const { child, document } = await start('ignore');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await isReady(document.data.apiUrl)).toBe(true);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('asks for a login and answers wrongly when it is told to', async () => {
    const { document } = await start('ignore', [
      '--auth',
      'remote-authenticated',
      '--fault',
      'ready=503',
      '--fault',
      'live=html',
    ]);
    const { apiUrl, mcpUrl } = document.data;
    expect((await fetch(`${apiUrl}/health/ready`)).status).toBe(503);
    expect(await (await fetch(`${apiUrl}/health/live`)).text()).toContain('<!doctype html>');
    expect((await fetch(mcpUrl, { method: 'POST', body: '{}' })).status).toBe(401);
  });

  test.each(['mcp', 'mcp=', 'nowhere=hang', 'mcp=hung', 'mcp=200', 'mcp=__proto__'])(
    'a fault %s is a usage error',
    async (fault) => {
      const { code, stderr } = await runCli(['sandbox', '--fault', fault]);
      expect(code).toBe(2);
      expect(stderr).toContain('silent-stream');
    },
  );

  test('a taken port is a failed precondition, a wrong one a usage error', async () => {
    const { port } = await sandbox();
    const taken = await runCli(['sandbox', '--port', String(port), '--json']);
    expect(taken.code).toBe(4);
    expect(JSON.parse(taken.stdout)).toMatchObject({
      ok: false,
      error: { code: 'sandbox/port', message: expect.stringContaining(String(port)) },
    });
    for (const wrong of ['65536', '-1', 'x', '1.5', '']) {
      const result = await runCli(['sandbox', `--port=${wrong}`, '--json']);
      expect(result.code, wrong).toBe(2);
      expect(JSON.parse(result.stdout), wrong).toMatchObject({ ok: false, exitCode: 2 });
    }
  });
});
