import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Bench, bench, expectCode, runtimeFlags, setupVera } from '../helpers/bench.ts';

// What a person changed in an entry of ours, and what sync, setup and uninstall make of it.

const kb = (port: number, ...more: string[]): string[] => [
  ...['add', 'kb', `http://127.0.0.1:${port}/mcp`, '--offline', '--yes'],
  ...runtimeFlags(['codex', 'opencode', 'claude-code']),
  ...more,
];

function replace(repo: Bench, file: string, from: string | RegExp, to: string): void {
  const text = repo.text(file);
  const next = text.replace(from, () => to);
  expect(next, `${file}: ${from}`).not.toBe(text);
  fs.writeFileSync(path.join(repo.root, file), next);
}

/** The manifest asks for another port, as after a pull. */
const pull = (repo: Bench, from: number, to: number): void =>
  replace(repo, '.tenon/manifest.json', `127.0.0.1:${from}`, `127.0.0.1:${to}`);

const codesOf = (run: { document: { findings: { code: string; subject: string }[] } }) =>
  run.document.findings.map(({ code, subject }) => `${code} ${subject}`);

describe('an update of the definition', () => {
  it('keeps switches and time limits of the user, and uninstall takes the entry with them', async () => {
    const repo = bench({ 'README.md': '# x\n' });
    const before = repo.tree();
    await repo.prepare(kb(1));
    replace(
      repo,
      '.codex/config.toml',
      /(url = .*\n)/,
      'url = "http://127.0.0.1:1/mcp"\nenabled = false\ntool_timeout_sec = 7\n',
    );
    replace(repo, 'opencode.json', '"enabled": true', '"enabled": false, "timeout": 9000');
    const stamps = repo.stamps();
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(['sync', '--yes']), 0);
    expectCode(await repo.run(['sync', '--check']), 0);
    expect(repo.stamps()).toEqual(stamps);

    expectCode(await repo.run(kb(2)), 0);
    expect(repo.text('.codex/config.toml')).toBe(
      '[mcp_servers.kb]\nurl = "http://127.0.0.1:2/mcp"\nenabled = false\ntool_timeout_sec = 7\n',
    );
    const opencode = JSON.parse(repo.text('opencode.json')).mcp.kb;
    expect(opencode).toMatchObject({ url: 'http://127.0.0.1:2/mcp', enabled: false, timeout: 9000 });
    expectCode(await repo.run(['uninstall', 'kb', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('merges with a change of the user in another leaf, which it reports', async () => {
    const repo = bench();
    await repo.prepare(kb(1));
    replace(repo, '.mcp.json', '"type": "http"', '"type": "sse"');
    const add = await repo.json(kb(2));
    expectCode(add, 0);
    expect(codesOf(add)).toContain('ownership/drifted .mcp.json#/mcpServers/kb');
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.kb).toEqual({
      type: 'sse',
      url: 'http://127.0.0.1:2/mcp',
    });
    // Uninstall keeps an entry that the user edited, and says so.
    const uninstall = await repo.json(['uninstall', 'kb', '--yes']);
    expectCode(uninstall, 1);
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.kb.type).toBe('sse');
    expect(repo.exists('opencode.json')).toBe(false);
  });

  it('of the same leaf is a conflict: nothing is written until a person decides', async () => {
    const repo = bench();
    await repo.prepare(kb(1));
    replace(repo, '.mcp.json', ':1/mcp', ':9/mcp');
    const before = repo.tree();
    const add = await repo.json(kb(2));
    expectCode(add, 4);
    expect(add.document.error.code).toBe('ownership/both-changed');
    expect(repo.tree()).toEqual(before);
    const address = '.mcp.json#/mcpServers/kb';
    expectCode(await repo.run(kb(2, '--resolve', `${address}=replace`)), 0);
    expect(repo.text('.mcp.json')).toContain(':2/mcp');
    expect(repo.text('.codex/config.toml')).toContain(':2/mcp');
  });
});

describe('sync', () => {
  it('leaves out what was removed by hand, and brings it back with --restore', async () => {
    const repo = bench();
    await repo.prepare(kb(1));
    const full = repo.tree();
    fs.rmSync(path.join(repo.root, 'opencode.json'));
    const sync = await repo.json(['sync', '--yes']);
    expectCode(sync, 1);
    expect(codesOf(sync)).toEqual(['ownership/removed opencode.json#/mcp/kb']);
    expect(repo.exists('opencode.json')).toBe(false);
    expectCode(await repo.run(['sync', '--yes', '--restore', 'opencode.json#/mcp/kb']), 0);
    expect(repo.tree()).toEqual(full);
  });

  it('prunes only what no readable definition asks for', async () => {
    const repo = bench();
    const before = repo.tree();
    await repo.prepare(kb(1));
    const manifest = repo.text('.tenon/manifest.json');
    const entries = ['.mcp.json', '.codex/config.toml', 'opencode.json'];
    const there = entries.map((file) => repo.text(file));

    // A manifest that does not parse prunes nothing.
    fs.writeFileSync(path.join(repo.root, '.tenon/manifest.json'), manifest.slice(0, -20));
    expectCode(await repo.run(['sync', '--prune', '--yes']), 4);
    expect(entries.map((file) => repo.text(file))).toEqual(there);

    // A definition that is in the manifest and cannot be loaded neither.
    const unknown = { schemaVersion: 1, integrations: { gone: { version: '1.0.0', runtimes: ['codex'] } } };
    fs.writeFileSync(
      path.join(repo.root, '.tenon/manifest.json'),
      JSON.stringify({ ...JSON.parse(manifest), ...unknown }),
    );
    const failed = await repo.json(['sync', '--prune', '--yes']);
    expectCode(failed, 1);
    expect(codesOf(failed)).toContain('integration/unknown gone');
    expect(entries.map((file) => repo.text(file))).toEqual(there);

    // Without it in the manifest it is stale: reported, and taken out with --prune alone.
    fs.rmSync(path.join(repo.root, '.tenon'), { recursive: true });
    const stale = await repo.json(['sync', '--yes']);
    expectCode(stale, 1);
    expect(codesOf(stale)).toContain('ownership/stale .mcp.json#/mcpServers/kb');
    expect(entries.map((file) => repo.text(file))).toEqual(there);
    expectCode(await repo.run(['sync', '--prune', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('prunes one runtime that the manifest no longer names', async () => {
    const repo = bench();
    await repo.prepare(kb(1));
    const manifest = JSON.parse(repo.text('.tenon/manifest.json'));
    manifest.servers.kb.runtimes = ['codex', 'claude-code'];
    fs.writeFileSync(path.join(repo.root, '.tenon/manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    expectCode(await repo.run(['sync', '--yes', '--prune']), 0);
    expect(repo.exists('opencode.json')).toBe(false);
    expect(repo.exists('.mcp.json')).toBe(true);
    expectCode(await repo.run(['status']), 0);
  });

  it('keeps the parts out that --without left out', async () => {
    const repo = bench();
    const runtimes = ['claude-code', 'codex', 'opencode'];
    await repo.prepare(setupVera(runtimes, '--without', 'hooks,permissions'));
    const tree = repo.tree();
    const stamps = repo.stamps();
    for (const args of [['sync', '--yes'], ['sync', '--check'], ['status'], setupVera(runtimes)])
      expectCode(await repo.run(args), 0);
    expect(repo.tree()).toEqual(tree);
    expect(repo.stamps()).toEqual(stamps);
    expect(Object.keys(tree).filter((name) => name.includes('hook'))).toEqual([]);
    expect(repo.exists('.claude/settings.json')).toBe(false);
  });

  it('takes no definition that came with the repository before it is trusted here', async () => {
    const repo = bench();
    await repo.prepare(kb(1));
    const entry = repo.text('.mcp.json');
    pull(repo, 1, 2);
    expectCode(await repo.run(['sync', '--check']), 1);
    const sync = await repo.json(['sync', '--yes']);
    expectCode(sync, 0);
    expect(codesOf(sync)).toContain('trust/required .mcp.json#/mcpServers/kb');
    expect(repo.text('.mcp.json')).toBe(entry);
  });
});

describe('two integrations in the same files', () => {
  it('come and go in either order', async () => {
    const repo = bench({ 'AGENTS.md': '# x\n' });
    const before = repo.tree();
    await repo.prepare(kb(1));
    const one = repo.tree();
    expectCode(await repo.run(setupVera(['claude-code', 'codex', 'opencode'])), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(one);
    expectCode(await repo.run(setupVera(['claude-code', 'codex', 'opencode'])), 0);
    expectCode(await repo.run(['uninstall', 'kb', '--yes']), 0);
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(['uninstall', 'vera', '--yes']), 0);
    expect(repo.tree()).toEqual(before);
  });
});

describe('a handler that the user put into our hook group', () => {
  const SETTINGS = '{\n  "env": { "A": "b" }\n}\n';
  const MINE = '{ "type": "command",   "command": "date" }';

  /** Adds a handler before or behind ours in the group of a hook event. */
  function addHandler(repo: Bench, file: string, event: string, inFront: boolean): void {
    const text = repo.text(file);
    const value = JSON.parse(text).hooks[event][0].hooks;
    expect(value).toHaveLength(1);
    const start = text.indexOf('{', text.indexOf('"hooks"', text.indexOf(event)));
    const end = text.indexOf('}', text.indexOf('vera-hook.cjs', start)) + 1;
    const added = inFront
      ? `${text.slice(0, start)}${MINE}, ${text.slice(start)}`
      : `${text.slice(0, end)}, ${MINE}${text.slice(end)}`;
    fs.writeFileSync(path.join(repo.root, file), added);
    expect(JSON.parse(repo.text(file)).hooks[event][0].hooks).toHaveLength(2);
  }

  it.each([
    ['claude-code', '.claude/settings.json', 'SessionStart'],
    ['codex', '.codex/hooks.json', 'SessionStart'],
  ])('%s: no drift, kept by sync, and by uninstall to the byte', async (id, file, event) => {
    const repo = bench(id === 'codex' ? {} : { [file]: SETTINGS });
    await repo.prepare(setupVera([id]));
    addHandler(repo, file, event, id === 'codex');
    const tree = repo.tree();
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(['sync', '--yes']), 0);
    expectCode(await repo.run(['sync', '--check']), 0);
    expect(repo.tree()).toEqual(tree);

    const uninstall = await repo.json(['uninstall', 'vera', '--yes']);
    expectCode(uninstall, 0);
    const left = JSON.parse(repo.text(file));
    expect(left.hooks[event]).toHaveLength(1);
    expect(left.hooks[event][0].hooks).toEqual([{ type: 'command', command: 'date' }]);
    expect(Object.keys(left.hooks)).toEqual([event]);
    expect(repo.text(file)).toContain(MINE);
    expect(repo.text(file)).not.toContain('vera');
    if (id === 'claude-code') expect(left.env).toEqual({ A: 'b' });
    expectCode(await repo.run(['status']), 0);
  });
});
