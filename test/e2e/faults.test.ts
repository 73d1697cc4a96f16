import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fault, Place } from '../../src/sandbox/faults.ts';
import { makeHome, runJson } from '../helpers/cli.ts';
import { gitRepo, scratch, treeOf } from '../helpers/repo.ts';
import { GRACE, sandbox } from './endpoint-servers.ts';

/** Of what never ends; every other answer has all the time that a busy machine may take for it. */
const LIMIT = 1000;
const NEVER_ENDS = ['hang', 'stall', 'silent-stream'];

const FAULTS: readonly (readonly [Place, Fault, string])[] = [
  ['mcp', { kind: 'hang' }, 'endpoint/timeout'],
  ['mcp', { kind: 'stall' }, 'endpoint/timeout'],
  ['mcp', { kind: 'silent-stream' }, 'endpoint/timeout'],
  ['mcp', { kind: 'status', status: 404 }, 'endpoint/not-found'],
  ['mcp', { kind: 'status', status: 500 }, 'endpoint/server-error'],
  ['mcp', { kind: 'redirect', to: 'https://elsewhere.example/mcp' }, 'endpoint/redirect'],
  ['mcp', { kind: 'garbage' }, 'endpoint/not-http'],
  ['mcp', { kind: 'html' }, 'endpoint/not-mcp'],
  ['mcp', { kind: 'drop' }, 'endpoint/unreachable'],
  ['mcp', { kind: 'huge', bytes: 8 * 1024 * 1024 }, 'endpoint/too-large'],
  ['live', { kind: 'hang' }, 'endpoint/timeout'],
  ['live', { kind: 'stall' }, 'endpoint/timeout'],
  ['ready', { kind: 'status', status: 503 }, 'endpoint/server-error'],
  ['ready', { kind: 'redirect', to: '/elsewhere' }, 'endpoint/redirect'],
  ['ready', { kind: 'html' }, 'endpoint/not-health'],
  ['live', { kind: 'garbage' }, 'endpoint/not-http'],
  ['live', { kind: 'drop' }, 'endpoint/unreachable'],
];

describe('a setup against a fault ends in time, with its own code, and writes nothing', () => {
  it.each(FAULTS)(
    '%s: %j',
    async (place, fault, code) => {
      const server = await sandbox();
      const root = gitRepo();
      const options = { cwd: root, home: makeHome() };
      const args = [
      'setup', 'vera', '--runtime', 'codex', '--yes', '--timeout', NEVER_ENDS.includes(fault.kind) ? String(LIMIT) : '20000',
      '--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`,
    ]; // biome-ignore format: flags and values
      const before = treeOf(root, { git: true });
      // What the same run takes on this machine when nobody is asked.
      const began = performance.now();
      await runJson([...args, '--offline', '--dry-run'], options);
      const own = performance.now() - began;
      server.update({ faults: { [place]: fault } });
      const started = performance.now();
      const run = await runJson(args, options);
      const took = performance.now() - started;
      expect(run.document.error?.code, run.stdout).toBe(code);
      expect(run.code).toBe(4);
      expect(run.document.exitCode).toBe(4);
      expect(treeOf(root, { git: true })).toEqual(before);
      expect(took - own).toBeLessThan(LIMIT + GRACE);
    },
    60_000,
  );
});

it('a run that waits for what never comes says so, and is no success', async () => {
  const cwd = gitRepo();
  const preload = path.join(scratch(), 'never.cjs');
  // A request without an answer, an error or an open connection: nothing is left that could happen.
  fs.writeFileSync(
    preload,
    `const { EventEmitter } = require('node:events');
    require('node:http').request = () => Object.assign(new EventEmitter(), { end() {}, destroy() {} });`,
  );
  const args = [
    'setup', 'vera', '--runtime', 'codex', '--yes', '--timeout', '300',
    '--set', 'VERA_API_URL=http://127.0.0.1:1', '--set', 'VERA_MCP_URL=http://127.0.0.1:1/mcp',
  ]; // biome-ignore format: flags and values
  const before = treeOf(cwd, { git: true });
  const run = await runJson(args, { cwd, nodeArgs: ['--require', preload] });
  expect(run.code).toBe(2);
  expect(run.document).toMatchObject({
    schema: 'tenon/setup/v1',
    ok: false,
    exitCode: 2,
    error: { code: 'internal/bug', state: 'nothing-written' },
  });
  expect(treeOf(cwd, { git: true })).toEqual(before);
});
