import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode } from '../helpers/bench.ts';
import { runCli, runJson } from '../helpers/cli.ts';

// Every question is asked both ways, while an answer is kept and without one.
process.env['TENON_TEST_ANSWERS'] ??= 'compare';

const FILE = '{\n  "mcpServers": {}\n}\n';
const ADD = ['add', 'docs', 'http://127.0.0.1:9/mcp', '--runtime', 'claude-code', '--offline', '--yes'];

async function setUp(): Promise<Bench> {
  const repo = bench({ '.mcp.json': FILE });
  expectCode(await repo.run(ADD), 0);
  return repo;
}

/** What `status` lists for Claude Code in a folder. */
async function standing(home: string, cwd: string) {
  const { document } = await runJson(['status'], { home, cwd });
  return document.data.runtimes['claude-code'].scopes.project;
}

describe('a checkout that moved', () => {
  it('gets its records back by repair, and comes clean', async () => {
    const repo = await setUp();
    const moved = `${repo.root}-moved`;
    fs.renameSync(repo.root, moved);
    const at = { home: repo.home, cwd: moved };
    expect(await standing(repo.home, moved)).toMatchObject({ managed: [], adoptable: [expect.any(String)] });
    expectCode(await runCli(['state', 'repair'], at), 0);
    expect(await standing(repo.home, moved)).toMatchObject({ managed: [expect.any(String)], adoptable: [] });
    expectCode(await runCli(['uninstall', '--yes'], at), 0);
    expect(fs.readFileSync(path.join(moved, '.mcp.json'), 'utf8')).toBe(FILE);
  });

  it('is not taken for another repository with other content', async () => {
    const repo = await setUp();
    const other = bench({ '.mcp.json': FILE });
    fs.rmSync(repo.root, { recursive: true });
    const at = { home: repo.home, cwd: other.root };
    const { document } = await runJson(['state', 'repair'], at);
    expect(document.data).toMatchObject({ movedFrom: null });
  });
});

describe('export and import', () => {
  it('prints the state whatever --quiet says, and refuses what is no file or one word too many', async () => {
    const repo = bench();
    const quiet = await repo.run(['state', 'export', '--quiet']);
    expectCode(quiet, 0);
    expect(JSON.parse(quiet.stdout)).toMatchObject({ schema: 'tenon/state/v1' });
    const folder = await repo.json(['state', 'import', '.']);
    expectCode(folder, 2);
    expect(folder.document.error.message).toBe('. is no file');
    const extra = await repo.json(['state', 'repair', 'x']);
    expectCode(extra, 2);
    expect(extra.document.error.code).toBe('usage/unexpected-argument');
  });

  it('carry records to a copy, once', async () => {
    const repo = await setUp();
    const file = path.join(repo.home, 'state.json');
    expectCode(await repo.run(['state', 'export', file]), 0);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const copy = `${repo.root}-copy`;
    fs.cpSync(repo.root, copy, { recursive: true });
    const at = { home: repo.home, cwd: copy };
    expectCode(await runCli(['state', 'import', file], at), 0);
    expect(await standing(repo.home, copy)).toMatchObject({ managed: [expect.any(String)] });
    expectCode(await runCli(['state', 'import', file], at), 4);
    expectCode(await runCli(['uninstall', '--yes'], at), 0);
    expect(fs.readFileSync(path.join(copy, '.mcp.json'), 'utf8')).toBe(FILE);
  });
});

describe('a damaged ledger', () => {
  it('stops every command, is set aside by repair, and never reset', async () => {
    const repo = await setUp();
    const folder = path.join(repo.home, '.local/state/tenon/ledger');
    const [name = ''] = fs.readdirSync(folder);
    fs.writeFileSync(path.join(folder, name), '{broken');
    for (const args of [['status'], ['sync', '--yes'], ['uninstall', '--yes']]) {
      const run = await repo.run(args);
      expectCode(run, 2);
      expect(run.stderr + run.stdout).toContain('tenon state repair');
    }
    expectCode(await repo.run(['state', 'repair']), 0);
    const left = fs.readdirSync(folder).filter((one) => one.includes('broken'));
    expect(left.map((one) => fs.readFileSync(path.join(folder, one), 'utf8'))).toEqual(['{broken']);
    expect(await standing(repo.home, repo.root)).toMatchObject({ adoptable: [expect.any(String)] });
  });
});
