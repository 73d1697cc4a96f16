import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode, runtimeFlags, setupVera } from '../helpers/bench.ts';
import { type CliOptions, makeHome, runCli, runJson, runTerminal } from '../helpers/cli.ts';
import { git, stampsOf, treeOf } from '../helpers/repo.ts';

// Every question is asked both ways, while an answer is kept and without one.
process.env['TENON_TEST_ANSWERS'] ??= 'compare';

// One repository on several hosts and branches: what one sets up and commits, others clone.

const RUNTIMES = ['claude-code', 'codex', 'opencode'] as const;
const FILES = {
  'README.md': '# Till\n',
  'AGENTS.md': '# Agents\n\nRun the tests.\n',
  '.mcp.json':
    '{\n  "mcpServers": {\n    "stock": { "command": "npx", "args": ["-y", "stock-mcp"] }\n  }\n}\n',
  '.codex/config.toml': '# ours\nmodel = "m"\n',
};

function commit(root: string, message: string): void {
  git(root, ['add', '-A']);
  git(root, ['commit', '-qm', message, '--allow-empty']);
}

/** A repository that was set up by A and committed. */
async function prepared(...more: string[]): Promise<Bench> {
  const repo = bench(FILES);
  commit(repo.root, 'Start');
  expectCode(await repo.run(setupVera(RUNTIMES, ...more)), 0);
  commit(repo.root, 'Set up vera');
  return repo;
}

/** Clones it, with a home folder of its own. */
function cloned(repo: Bench) {
  const home = makeHome();
  const root = path.join(path.dirname(repo.root), `clone-${path.basename(home)}`);
  git(path.dirname(repo.root), ['clone', '-q', repo.root, root]);
  const inside: CliOptions = { cwd: root, home };
  return {
    root,
    home,
    run: (args: readonly string[], options: CliOptions = {}) => runCli(args, { ...inside, ...options }),
    json: (args: readonly string[], options: CliOptions = {}) => runJson(args, { ...inside, ...options }),
  };
}

/** Files of the first commit are as they were in all that a client reads; nothing of ours is left. */
function expectOriginal(root: string): void {
  expect(fs.existsSync(path.join(root, '.tenon'))).toBe(false);
  expect(git(root, ['ls-files', '-m', '-d']).split('\n')).not.toContain('README.md');
  const mcp = JSON.parse(fs.readFileSync(path.join(root, '.mcp.json'), 'utf8'));
  expect(mcp).toEqual(JSON.parse(FILES['.mcp.json']));
  expect(fs.readFileSync(path.join(root, '.codex/config.toml'), 'utf8').trim()).toBe(
    FILES['.codex/config.toml'].trim(),
  );
  for (const file of Object.keys(treeOf(root)))
    if (fs.statSync(path.join(root, file)).isFile())
      expect(fs.readFileSync(path.join(root, file), 'utf8'), file).not.toMatch(/vera/i);
}

const codes = (run: { document: { findings: { code: string }[] } }): string[] =>
  run.document.findings.map(({ code }) => code);

describe('a fresh clone', () => {
  it('is healthy: entries are adoptable, sync has nothing to do, uninstall keeps what it cannot prove', async () => {
    const clone = cloned(await prepared());
    const before = treeOf(clone.root);

    const status = await clone.json(['status']);
    expectCode(status, 0);
    expect(status.document.data.state).toBe('ok');
    const { scopes } = status.document.data.runtimes['claude-code'];
    expect(scopes.project.adoptable).toContain('.mcp.json#/mcpServers/vera');
    expect(scopes.project.managed).toEqual([]);

    expectCode(await clone.run(['doctor', '--offline']), 0);
    const sync = await clone.json(['sync', '--yes']);
    expectCode(sync, 0);
    expect(sync.document.data.plan.isEmpty).toBe(true);

    const uninstall = await clone.json(['uninstall', '--yes']);
    expectCode(uninstall, 1);
    expect(codes(uninstall)).toContain('ownership/unproven');
    expect(treeOf(clone.root)).toEqual(before);
    expect(git(clone.root, ['status', '--porcelain'])).toBe('');
    expect(fs.readdirSync(clone.home)).toEqual([]);
  });

  it('adopts what the manifest says is ours, and then takes it out', async () => {
    const repo = await prepared();
    const clone = cloned(repo);
    const before = stampsOf(clone.root);
    expectCode(await clone.run(['adopt', '--yes']), 0);
    expect(stampsOf(clone.root)).toEqual(before);
    const status = await clone.json(['status']);
    expectCode(status, 0);
    expect(status.document.data.runtimes.codex.scopes.project.adoptable).toEqual([]);
    expectCode(await clone.run(['uninstall', '--yes']), 0);
    expectOriginal(clone.root);
  });

  it('tells in a dry run, too, that nothing proves what is ours', async () => {
    const clone = cloned(await prepared());
    const { code, stdout } = await clone.run(['uninstall', 'vera', '--dry-run']);
    expect(code).toBe(1);
    expect(stdout).toContain('ownership/unproven');
    const real = await clone.run(['uninstall', 'vera', '--yes']);
    expect([real.code, real.stdout.includes('not set up here')]).toEqual([1, false]);
    expect(git(clone.root, ['status', '--porcelain'])).toBe('');
  });

  it('keeps the manifest while something else stands in the place of an entry, whoever made it so', async () => {
    const clone = cloned(await prepared());
    expectCode(await clone.run(['adopt', '--yes']), 0);
    expectCode(await clone.run(['uninstall', '--yes']), 0);
    git(clone.root, ['checkout', '-q', '.tenon', '.mcp.json']);
    const edited = fs
      .readFileSync(path.join(clone.root, '.mcp.json'), 'utf8')
      .replace(/"url": "[^"]*"/u, '"url": "https://mine.example/mcp"');
    fs.writeFileSync(path.join(clone.root, '.mcp.json'), edited);
    const before = treeOf(clone.root);

    for (const args of [
      ['uninstall', '--yes', '--dry-run'],
      ['uninstall', '--yes'],
    ]) {
      const kept = await clone.json(args);
      expectCode(kept, 1);
      expect(kept.document.findings).toContainEqual(
        expect.objectContaining({ code: 'ownership/unproven', subject: '.mcp.json#/mcpServers/vera' }),
      );
      expect(treeOf(clone.root)).toEqual(before);
    }
    // Whoever says that it is theirs gets rid of the manifest, and keeps the entry.
    expectCode(await clone.run(['forget', '.mcp.json#/mcpServers/vera', '--yes']), 0);
    expectCode(await clone.run(['uninstall', '--yes']), 0);
    expect(fs.readFileSync(path.join(clone.root, '.mcp.json'), 'utf8')).toBe(edited);
    expect(fs.existsSync(path.join(clone.root, '.tenon'))).toBe(false);
  });

  it('knows an entry as ours that was there before and that tenon wrote anew since', async () => {
    const url = 'https://docs.example/mcp';
    const own = (servers: object): string => `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`;
    const repo = bench({ '.mcp.json': own({ docs: { type: 'http', url } }) });
    expectCode(await repo.run(['add', 'docs', url, '--runtime', 'claude-code', '--offline', '--yes']), 0);
    expect(repo.text('.tenon/manifest.json')).toContain('external');
    repo.write('.mcp.json', own({}));
    expectCode(await repo.run(['sync', '--yes']), 0);
    expect(repo.text('.tenon/manifest.json')).not.toContain('external');
    git(repo.root, ['add', '-A']);
    git(repo.root, ['commit', '-qm', 'x']);
    const clone = cloned(repo);
    expectCode(await clone.run(['uninstall', '--yes']), 1);
    expect(git(clone.root, ['status', '--porcelain'])).toBe('');
  });

  it('keeps all of an integration of which neither a record nor a readable file says what was written', async () => {
    const clone = cloned(await prepared());
    for (const file of fs
      .readdirSync(clone.root)
      .filter((name) => /^(?:\.claude|\.codex|opencode)/.test(name)))
      fs.rmSync(path.join(clone.root, file), { recursive: true });
    fs.writeFileSync(path.join(clone.root, '.mcp.json'), '{ "mcpServers": {');
    const before = treeOf(clone.root);
    const unread = await clone.json(['uninstall', 'vera', '--yes']);
    expectCode(unread, 1);
    expect(codes(unread)).toContain('config/malformed');
    expect(treeOf(clone.root)).toEqual(before);

    const manifest = {
      schemaVersion: 1,
      integrations: { './tools/kb': { version: '1.0.0', runtimes: ['codex'] } },
    };
    fs.writeFileSync(path.join(clone.root, '.tenon/manifest.json'), JSON.stringify(manifest));
    const gone = await clone.json(['uninstall', '--yes']);
    expectCode(gone, 1);
    expect(gone.document.findings[0].message).toContain('all of ./tools/kb was kept');
    expect(gone.document.findings[0].remedy.text).toContain('.tenon/manifest.json');
    expect(fs.existsSync(path.join(clone.root, '.tenon/manifest.json'))).toBe(true);
  });

  it('asks at a terminal whether what only looks like ours goes too', async () => {
    const clone = cloned(await prepared());
    const kept = await runTerminal(['uninstall'], [{ expect: 'look like ours', send: '\r' }], {
      cwd: clone.root,
      home: clone.home,
    });
    expect(kept.code).toBe(1);
    expect(git(clone.root, ['status', '--porcelain'])).toBe('');
    const taken = await runTerminal(
      ['uninstall'],
      [
        { expect: 'look like ours', send: 'y' },
        { expect: /Apply these/, send: '\u001b[B\r' },
      ],
      { cwd: clone.root, home: clone.home },
    );
    expect(taken.code, taken.screen).toBe(0);
    expectOriginal(clone.root);
  });

  it('passes the checks of CI without a state folder, also a read-only one, and fails after an edit', async () => {
    const clone = cloned(await prepared());
    const env = { CI: 'true', TENON_STATE_DIR: '/proc/none/tenon' };
    const check = () => clone.json(['sync', '--check'], { env });
    const doctor = () => clone.json(['doctor', '--offline'], { env });
    const before = stampsOf(clone.root);
    expectCode(await check(), 0);
    expectCode(await doctor(), 0);
    expect(stampsOf(clone.root)).toEqual(before);
    expect(fs.readdirSync(clone.home)).toEqual([]);

    const file = path.join(clone.root, '.mcp.json');
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.replace('127.0.0.1:8765', '127.0.0.1:6666'));
    const differs = await check();
    expectCode(differs, 1);
    expect(differs.document.data.differs).toBe(true);
    expectCode(await doctor(), 1);

    // An edit of something else is nobody's business.
    fs.writeFileSync(file, text.replace('stock-mcp', 'stock-mcp@2'));
    expectCode(await check(), 0);
    expectCode(await doctor(), 0);

    fs.rmSync(path.join(clone.root, '.claude/skills/vera-memory/SKILL.md'));
    expectCode(await check(), 1);
    expectCode(await doctor(), 1);
  });

  it('lets a second host set up more for itself, and the first one take everything out', async () => {
    const repo = await prepared();
    const clone = cloned(repo);
    const add = [
      ...['add', 'kb', 'http://127.0.0.1:9/mcp', '--offline', '--yes'],
      ...runtimeFlags(['claude-code']),
    ];
    expectCode(await clone.run(add), 0);
    commit(clone.root, 'Add kb');
    git(repo.root, ['pull', '-q', clone.root, 'HEAD']);
    const status = await repo.json(['status']);
    expectCode(status, 0);
    expect(status.document.data.runtimes['claude-code'].scopes.project.adoptable).toEqual([
      '.mcp.json#/mcpServers/kb',
    ]);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers).toHaveProperty('kb');
    expectCode(await repo.run(['sync', '--check']), 0);
    commit(repo.root, 'Take vera out');
    git(clone.root, ['pull', '-q', repo.root, 'HEAD']);
    expectCode(await clone.run(['uninstall', 'kb', '--yes']), 0);
    expect(treeOf(clone.root)).toEqual(treeOf(bench(FILES).root));
  });
});

describe('branches', () => {
  /** Nothing to say, nothing asked, nothing written. */
  async function isQuiet(repo: Bench): Promise<void> {
    const [stamps, tree] = [repo.stamps(), stampsOf(repo.root)];
    const status = await repo.json(['status']);
    expectCode(status, 0);
    expect(codes(status).filter((code) => code.startsWith('ownership/'))).toEqual([]);
    expectCode(await repo.run(['doctor', '--offline']), 0);
    expectCode(await repo.run(['sync', '--check']), 0);
    expect(repo.stamps()).toEqual(stamps);
    const sync = await repo.json(['sync']);
    expectCode(sync, 0);
    expect(sync.document.data.changed.files).toEqual([]);
    expect(stampsOf(repo.root)).toEqual(tree);
    expect(git(repo.root, ['status', '--porcelain'])).toBe('');
  }

  it('with and without the manifest: back and forth is no drift, no question, no write', async () => {
    const repo = bench(FILES);
    commit(repo.root, 'Start');
    const before = repo.tree();
    git(repo.root, ['checkout', '-qb', 'feature']);
    expectCode(await repo.run(setupVera(RUNTIMES)), 0);
    commit(repo.root, 'Set up vera');
    await isQuiet(repo);
    for (const branch of ['main', 'feature', 'main', 'feature']) {
      git(repo.root, ['checkout', '-q', branch]);
      await isQuiet(repo);
    }
    // The records of the other branch are not lost by an uninstall where nothing is set up.
    git(repo.root, ['checkout', '-q', 'main']);
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    git(repo.root, ['checkout', '-q', 'feature']);
    await isQuiet(repo);
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('sets up in full on a branch that does not have it yet', async () => {
    const repo = bench(FILES);
    commit(repo.root, 'Start');
    git(repo.root, ['checkout', '-qb', 'feature']);
    expectCode(await repo.run(setupVera(RUNTIMES)), 0);
    const there = repo.tree();
    commit(repo.root, 'Set up vera');
    git(repo.root, ['checkout', '-q', 'main']);
    expectCode(await repo.run(setupVera(RUNTIMES)), 0);
    expect(repo.tree()).toEqual(there);
  });

  it('with an older version of a definition: back and forth is no drift, no question, no write', async () => {
    const repo = bench(FILES);
    commit(repo.root, 'Start');
    const before = repo.tree();
    expectCode(await repo.run(addVera(RUNTIMES)), 0);
    commit(repo.root, 'Add vera');
    git(repo.root, ['checkout', '-qb', 'feature']);
    const newer = addVera(RUNTIMES).map((word) => word.replace(':8765', ':8766'));
    expectCode(await repo.run(newer), 0);
    expect(repo.text('.mcp.json')).toContain(':8766');
    commit(repo.root, 'Move vera');
    for (const branch of ['main', 'feature', 'main', 'feature', 'main']) {
      git(repo.root, ['checkout', '-q', branch]);
      await isQuiet(repo);
    }
    expectCode(await repo.run(['uninstall', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
    // What the other branch holds is still known.
    commit(repo.root, 'Take vera out');
    git(repo.root, ['checkout', '-q', 'feature']);
    const status = await repo.json(['status']);
    expectCode(status, 0);
  });
});
