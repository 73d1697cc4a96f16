import { describe, expect, it } from 'vitest';
import type { Fault, Place } from '../../src/sandbox/faults.ts';
import { makeHome, runJson } from '../helpers/cli.ts';
import { gitRepo, treeOf } from '../helpers/repo.ts';
import { sandbox } from './endpoint-servers.ts';

const LIMIT = 1000;

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
      'setup', 'vera', '--runtime', 'codex', '--yes', '--timeout', String(LIMIT),
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
      expect(took - own).toBeLessThan(LIMIT + 1000);
    },
    30_000,
  );
});
