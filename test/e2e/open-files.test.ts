import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode } from '../helpers/bench.ts';
import type { CliOptions } from '../helpers/cli.ts';

// The limit of open files (ulimit -n) is no fault of the file that was to be opened.

const FOREVER = '1000000';
const limited = (call: string, at: string, times: string, code = 'EMFILE'): CliOptions => ({
  nodeArgs: ['--require', path.resolve('test/helpers/fault-preload.cjs')],
  env: { FAULT_CALL: call, FAULT_PATH: at, FAULT_TIMES: times, FAULT_CODE: code, TENON_ANSWERS: '0' },
});

async function setUp(): Promise<Bench> {
  const repo = bench({ 'packages/a/x.txt': 'x\n', '.cursor/mcp.json': '{}\n' });
  for (const root of ['.', 'packages/a'])
    expectCode(await repo.run([...addVera(['claude-code', 'cursor']), '--root', root]), 0);
  return repo;
}

describe('no further file can be opened', () => {
  it.each([
    ['openSync', '.mcp.json'],
    ['openSync', 'manifest.json'],
    ['openSync', '/ledger/'],
    ['readdirSync', 'repo'],
  ])(
    'is waited for where it lasts a moment: %s %s',
    async (call, at) => {
      const repo = await setUp();
      for (const words of [['doctor', '--offline'], ['status'], ['doctor', '--offline', '--all-roots']]) {
        const usual = await repo.json(words, { env: { TENON_ANSWERS: '0' } });
        const run = await repo.json(words, limited(call, at, '4'));
        expect(run.document).toEqual(usual.document);
      }
    },
    60_000,
  );

  it.each([
    ['openSync', '.mcp.json', 'EMFILE'],
    ['openSync', 'manifest.json', 'EMFILE'],
    ['openSync', '/ledger/', 'ENFILE'],
    ['readdirSync', 'repo', 'EMFILE'],
  ])(
    'ends the run where it lasts, and nothing is said of a file: %s %s',
    async (call, at, code) => {
      const repo = await setUp();
      const before = repo.stamps();
      for (const words of [
        ['doctor', '--offline'],
        ['status'],
        ['sync', '--check'],
        ['doctor', '--offline', '--all-roots'],
        // Undoing what was begun has an exit code of its own.
        ...(call === 'readdirSync' ? [] : [['uninstall', '--yes']]),
      ]) {
        const run = await repo.json(words, limited(call, at, FOREVER, code));
        // A folder is listed only where many roots, or what lies in folders, are looked at.
        if (call === 'readdirSync' && run.document.error === null) continue;
        expectCode(run, 4);
        expect(run.document, words.join(' ')).toMatchObject({
          findings: [],
          error: { code: 'run/open-files', state: 'nothing-written' },
        });
        expect(run.document.error.message).toContain(code);
      }
      expect(repo.stamps()).toEqual(before);
    },
    60_000,
  );
});
