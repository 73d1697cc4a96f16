import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode, runtimeFlags } from '../helpers/bench.ts';
import { runTerminal } from '../helpers/cli.ts';
import { treeOf } from '../helpers/repo.ts';

// Documents of other versions, a minimum version, and definitions of the repository.

const ADD = addVera(['claude-code']);
const WRITES = [ADD, ['sync', '--yes'], ['uninstall', '--yes'], ['sync', '--prune', '--yes']];

const manifestOf = (repo: Bench): string => path.join(repo.root, '.tenon/manifest.json');

function change(file: string, members: object): void {
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), ...members }));
}

const ledgerOf = (repo: Bench): string => {
  const folder = path.join(repo.home, '.local/state/tenon/ledger');
  return path.join(folder, fs.readdirSync(folder)[0] ?? '');
};

describe('a newer version than this program knows', () => {
  it.each(['manifest', 'ledger'])('of the %s: refused by name, and nothing is written', async (which) => {
    const repo = bench();
    await repo.prepare(ADD);
    const file = which === 'manifest' ? manifestOf(repo) : ledgerOf(repo);
    change(file, { schemaVersion: 2 });
    const [tree, home] = [repo.tree(), treeOf(repo.home)];
    for (const args of [...WRITES, ['status']]) {
      const run = await repo.json(args);
      expectCode(run, which === 'manifest' ? 4 : 2);
      expect(run.document.error.code).toBe(
        which === 'manifest' ? 'manifest/unsupported-version' : 'state/unreadable',
      );
      expect(run.document.error.message).toMatch(/version 2.*knows version 1/);
    }
    expect(repo.tree()).toEqual(tree);
    expect(treeOf(repo.home)).toEqual(home);
  });

  it('of a definition: that one is refused, the others go on', async () => {
    const repo = bench({
      'tools/x/integration.json': JSON.stringify({ schemaVersion: 2, id: 'x', anything: [] }),
    });
    const tree = repo.tree();
    const setup = await repo.json(['setup', './tools/x', '--offline', '--yes', ...runtimeFlags(['codex'])]);
    expectCode(setup, 4);
    expect(setup.document.error.code).toBe('integration/unsupported-version');
    expect(repo.tree()).toEqual(tree);
    expectCode(await repo.run(ADD), 0);
    change(manifestOf(repo), { integrations: { './tools/x': { version: '1.0.0', runtimes: ['codex'] } } });
    fs.rmSync(path.join(repo.root, '.mcp.json'));
    const sync = await repo.json(['sync', '--yes', '--restore', '.mcp.json']);
    expectCode(sync, 1);
    expect(sync.document.findings).toContainEqual(
      expect.objectContaining({ code: 'integration/unsupported-version' }),
    );
    expect(repo.exists('.mcp.json')).toBe(true);
  });

  it('a minimum version in the manifest refuses writes below it, and reads go on', async () => {
    const repo = bench();
    await repo.prepare(ADD);
    change(manifestOf(repo), { minimumVersion: '99.0.0' });
    const tree = repo.tree();
    for (const args of WRITES) {
      const run = await repo.json(args);
      expectCode(run, 4);
      expect(run.document.error.code).toBe('manifest/minimum-version');
    }
    expect(repo.tree()).toEqual(tree);
    expect((await repo.json(['status'])).document.data.state).toBe('ok');
  });
});

describe('two definitions of the repository that want one entry', () => {
  const definition = (id: string, url: string): string =>
    JSON.stringify({
      schemaVersion: 1,
      id,
      version: '1.0.0',
      title: id,
      summary: 'shares a server',
      artifacts: [{ kind: 'mcp-server', name: 'server', server: 'shared', http: { url } }],
    });
  const YES = '\u001b[D\r';
  const setup = (id: string, ...more: string[]): string[] => [
    ...['setup', `./tools/${id}`, '--offline', '--yes', ...runtimeFlags(['claude-code']), ...more],
  ];
  const grant = (repo: Bench, id: string) =>
    runTerminal(
      ['trust', `./tools/${id}`, '--runtime', 'claude-code'],
      [{ expect: /Trust this item on this host/, send: YES }],
      { cwd: repo.root, home: repo.home },
    );

  it('share it when they want the same, and it goes with the last one', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const files = {
      'tools/a/integration.json': definition('aa', url),
      'tools/b/integration.json': definition('bb', url),
    };
    const repo = bench(files);
    const before = repo.tree();
    for (const id of ['a', 'b']) {
      expect((await grant(repo, id)).code).toBe(0);
      await repo.prepare(setup(id));
    }
    expect(Object.keys(JSON.parse(repo.text('.mcp.json')).mcpServers)).toEqual(['shared']);
    const entry = repo.text('.mcp.json');
    expectCode(await repo.run(['uninstall', './tools/a', '--yes']), 0);
    expect(repo.text('.mcp.json')).toBe(entry);
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(['uninstall', './tools/b', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('are a conflict when they want different things: nothing is written', async () => {
    const repo = bench({
      'tools/a/integration.json': definition('aa', 'http://127.0.0.1:9/mcp'),
      'tools/b/integration.json': definition('bb', 'http://127.0.0.1:8/mcp'),
    });
    expect((await grant(repo, 'a')).code).toBe(0);
    await repo.prepare(setup('a'));
    expect((await grant(repo, 'b')).code).toBe(0);
    const tree = repo.tree();
    expectCode(await repo.run(setup('b')), 4);
    expect(repo.tree()).toEqual(tree);
  });
});
