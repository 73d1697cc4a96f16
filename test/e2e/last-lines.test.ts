import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, setupVera } from '../helpers/bench.ts';

// What a run says last agrees with its findings and its exit code.

const EMPTY = '{"mcpServers":{}}\n';
const SERVER = '.mcp.json#/mcpServers/vera';
const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

async function fitted(): Promise<Bench> {
  const repo = bench({ '.mcp.json': EMPTY });
  expectCode(await repo.run(setupVera(['claude-code'])), 0);
  return repo;
}

describe('sync', () => {
  it('does not call everything right where an entry was removed by hand', async () => {
    const repo = await fitted();
    repo.write('.mcp.json', EMPTY);
    const run = await repo.run(['sync', '--yes']);
    expectCode(run, 1);
    expect(run.stdout).toContain('ownership/removed');
    expect(lastLine(run.stdout)).toBe('▲ Nothing was changed; the above was left as it is.');
  });

  it('says that entries are left where nothing is set up any more', async () => {
    const repo = await fitted();
    repo.write('.mcp.json', repo.text('.mcp.json').replace('8765/mcp', '1/mcp'));
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 1);
    for (const args of [
      ['sync', '--prune', '--yes'],
      ['sync', '--yes'],
    ]) {
      const run = await repo.run(args);
      expectCode(run, 1);
      expect(run.stdout).toContain(SERVER);
      expect(lastLine(run.stdout)).toBe('▲ No integration is set up here; the above was left as it is.');
    }
  });

  it('--check claims no other host, and with --strict asks for something that is set up', async () => {
    const repo = await fitted();
    const { code, document } = await repo.json(['sync', '--check']);
    const reasons = document.data.plan.ops.map(({ reason }: { reason: string }) => reason);
    expect([code, new Set(reasons)]).toEqual([0, new Set(['as the manifest asks for'])]);
    expectCode(await repo.run(['sync', '--check', '--strict']), 0);

    const none = bench();
    expectCode(await none.run(['sync', '--check']), 0);
    for (const args of [['sync', '--check'], ['status'], ['doctor', '--offline']])
      expectCode(await none.run([...args, '--strict']), 1);
  });
});

describe('status', () => {
  it('is not as written where a definition lacks its inputs', async () => {
    const repo = bench({ '.mcp.json': EMPTY });
    const elsewhere = path.join(path.dirname(repo.home), 'elsewhere');
    fs.mkdirSync(elsewhere);
    expectCode(await repo.run(setupVera(['claude-code'], '--local'), { home: elsewhere }), 0);
    const run = await repo.run(['status']);
    expectCode(run, 1);
    expect(run.stdout).toContain('input/missing');
    expect(lastLine(run.stdout)).toBe('▲ Something needs attention.');
    expect((await repo.json(['status'])).document.data.state).toBe('attention');
  });
});

describe('an interrupted apply', () => {
  it('is an error of every reading command, and no fresh start', async () => {
    const repo = bench({ '.mcp.json': EMPTY });
    const before = repo.tree();
    const journal = path.join(repo.home, '.local/state/tenon/journal');
    const isPending = (): boolean =>
      fs.existsSync(journal) && fs.readdirSync(journal).some((name) => name.endsWith('.json'));
    for (let at = 10; at < 60 && !isPending(); at += 4)
      await repo.run(setupVera(['claude-code']), {
        nodeArgs: ['--require', path.resolve('test/helpers/fault-preload.cjs')],
        env: { KILL_AT: String(at) },
      });
    expect(isPending()).toBe(true);

    const status = await repo.json(['status']);
    expectCode(status, 1);
    expect(status.document.data.state).toBe('attention');
    for (const args of [['status'], ['sync', '--check'], ['sync', '--dry-run']]) {
      const run = await repo.run(args);
      expectCode(run, 1);
      expect(run.stdout, args.join(' ')).toContain('recover/needed');
      expect(run.stdout).not.toContain('Start with tenon setup');
    }
    const plan = await repo.json(['plan']);
    expect(plan.document.findings.map(({ code }: { code: string }) => code)).toEqual(['recover/needed']);

    expectCode(await repo.run(['recover', '--undo']), 0);
    expect(repo.tree()).toEqual(before);
    expectCode(await repo.run(['status']), 0);
  });
});
