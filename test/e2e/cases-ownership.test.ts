import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, bench, expectCode, VERA_URL } from '../helpers/bench.ts';
import { runTerminal } from '../helpers/cli.ts';
import { git } from '../helpers/repo.ts';

const uninstall = ['uninstall', 'vera', '--yes'];
const stateOf = (home: string): string => path.join(home, '.local', 'state', 'tenon');

describe('an entry of the user', () => {
  const own = '{\n  "mcpServers": {\n    "vera": { "command": "vera-scan", "args": ["--de"] }\n  }\n}\n';

  it('with our name is a conflict; it stays, and there is nothing of ours to take out', async () => {
    const repo = bench({ '.mcp.json': own });
    const before = repo.tree();
    const { document, ...run } = await repo.json(addVera(['claude-code']));
    expectCode(run, 4);
    expect(document.error.code).toBe('ownership/not-ours');
    expect(document.error.message).toContain('line 3');
    expect(document.data.plan.conflicts[0].choices).toEqual(expect.arrayContaining(['keep', 'replace']));
    expect(repo.tree()).toEqual(before);
    const gone = await repo.run(uninstall);
    expectCode(gone, 0);
    expect(gone.stdout).toMatch(/nothing/i);
    expect(repo.tree()).toEqual(before);
  });

  it('is replaced where that was asked for, and comes back', async () => {
    const repo = bench({ '.mcp.json': own });
    const before = repo.tree();
    const replace = '--resolve=.mcp.json#/mcpServers/vera=replace';
    const done = await repo.run(addVera(['claude-code'], replace));
    expectCode(done, 0);
    expect(JSON.parse(repo.text('.mcp.json'))).toEqual({
      mcpServers: { vera: { type: 'http', url: VERA_URL } },
    });
    expect(done.stdout).toContain('vera setup completed for claude-code');
    expect(done.stdout).not.toContain('was kept');
    expect(done.stdout).toMatch(/claude-code\s+restart/);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('is replaced by the same command line again: it decides nothing twice, and the run repeats itself', async () => {
    const repo = bench({ '.mcp.json': own });
    const replace = '--resolve=.mcp.json#/mcpServers/vera=replace';
    const first = await repo.run(addVera(['claude-code'], replace));
    expect(first.stdout).toContain("--resolve '.mcp.json#/mcpServers/vera=replace'");
    const after = repo.tree();
    expectCode(await repo.run(addVera(['claude-code'], replace)), 0);
    expect(repo.tree()).toEqual(after);
    const other = await repo.json(addVera(['claude-code'], '--resolve=.mcp.json#/mcpServers/other=replace'));
    expectCode(other, 2);
    expect(other.document.error.code).toBe('usage/unknown-address');
  });

  it('is replaced by an answer at the terminal; the command line that repeats it holds the answer', async () => {
    const repo = bench({ '.mcp.json': own });
    const down = '\u001b[B';
    const run = await runTerminal(
      addVera(['claude-code']).filter((word) => word !== '--yes'),
      [
        { expect: 'Stop, write nothing', send: `${down}${down}\r` },
        { expect: /Apply .*\?/, send: `${down}\r` },
      ],
      { cwd: repo.root, home: repo.home },
    );
    expectCode({ ...run, stdout: run.screen, stderr: '' }, 0);
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.vera.url).toBe(VERA_URL);
    expect(run.screen.replace(/\s+/g, ' ')).toContain("--resolve '.mcp.json#/mcpServers/vera=replace'");
  });

  it('that is just what we would write is used and not owned', async () => {
    const repo = bench({
      '.mcp.json': `{"mcpServers":{"vera":{"url":"${VERA_URL}","type":"http"}}}\n`,
    });
    const before = repo.tree();
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    expect(repo.bytes('.mcp.json').toString()).toBe(
      `{"mcpServers":{"vera":{"url":"${VERA_URL}","type":"http"}}}\n`,
    );
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('for the same endpoint under another name needs a decision', async () => {
    const text = '{ "mcpServers": { "kb": { "type": "http", "url": "http://localhost:8765/mcp/" } } }\n';
    const repo = bench({ '.mcp.json': text });
    const before = repo.tree();
    const { document, ...run } = await repo.json(addVera(['claude-code']));
    expectCode(run, 4);
    expect(document.error.code).toBe('ownership/duplicate-endpoint');
    expect(document.error.message).toContain('kb');
    expect(repo.tree()).toEqual(before);
    const both = text.replace('"kb"', `"vera": { "type": "http", "url": "${VERA_URL}" }, "kb"`);
    repo.write('.mcp.json', both);
    const doctor = await repo.json(['doctor', '--offline']);
    const pairs = (doctor.document.findings as { code: string; message: string; subject: string }[]).filter(
      ({ code }) => /duplicate/.test(code),
    );
    expect(pairs.length, doctor.stdout).toBeGreaterThan(0);
    expect(JSON.stringify(pairs)).toMatch(/kb/);
    expect(repo.text('.mcp.json')).toBe(both);
  });

  it('made of nothing but empty containers stays', async () => {
    const repo = bench({ '.vscode/mcp.json': '{ "inputs": [], "servers": {} }\n' });
    const before = repo.tree();
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
    expectCode(await repo.run(addVera(['vscode'])), 0);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });
});

describe('our entry', () => {
  const file = '.mcp.json';
  const start = '{\n  "mcpServers": {\n    "tickets": { "command": "tickets" }\n  }\n}\n';

  it('that a person changed is told, kept by every command, and removed only by force', async () => {
    const repo = bench({ [file]: start });
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    repo.write(file, repo.text(file).replace('127.0.0.1:8765', '127.0.0.1:9876'));
    const changed = repo.bytes(file);

    const doctor = await repo.json(['doctor', '--offline']);
    expectCode(doctor, 1);
    const told = JSON.stringify(
      (doctor.document.findings as { code: string }[]).filter(({ code }) => code === 'ownership/drifted'),
    );
    expect(told).toContain('127.0.0.1:9876');
    expect(told).toContain('127.0.0.1:8765');

    expectCode(await repo.run(addVera(['claude-code'])), 1);
    expectCode(await repo.run(['sync', '--yes', '--offline']), 1);
    expect(repo.bytes(file)).toEqual(changed);

    const kept = await repo.json(uninstall);
    expectCode(kept, 1);
    expect(JSON.stringify(kept.document.findings)).toContain('.mcp.json#/mcpServers/vera');
    expect(repo.bytes(file)).toEqual(changed);
  });

  it('that a person changed goes with --force, and nothing else does', async () => {
    const repo = bench({ [file]: start });
    const before = repo.tree();
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    repo.write(file, repo.text(file).replace('127.0.0.1:8765', '127.0.0.1:9876'));
    expectCode(await repo.run([...uninstall, '--force', '.mcp.json#/mcpServers/vera']), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('that a person changed is restored by setup with --force', async () => {
    const repo = bench({ [file]: start });
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    const written = repo.bytes(file);
    repo.write(file, repo.text(file).replace('127.0.0.1:8765', '127.0.0.1:9876'));
    expectCode(await repo.run(addVera(['claude-code'], '--force', '.mcp.json#/mcpServers/vera')), 0);
    expect(repo.bytes(file)).toEqual(written);
  });

  it('that was only switched off, or written anew by a formatter, comes out', async () => {
    const config = '.codex/config.toml';
    const repo = bench({ [config]: 'model = "m"\n', [file]: start });
    expectCode(await repo.run(addVera(['codex', 'claude-code'])), 0);
    repo.write(
      config,
      repo.text(config).replace(`url = "${VERA_URL}"\n`, `url = "${VERA_URL}"\nenabled = false\n`),
    );
    repo.write(file, JSON.stringify(JSON.parse(repo.text(file)), null, '\t'));
    expectCode(await repo.run(addVera(['codex', 'claude-code'])), 0);
    expect(repo.text(config)).toContain('enabled = false');
    expectCode(await repo.run(uninstall), 0);
    expect(repo.text(config)).toBe('model = "m"\n');
    expect(JSON.parse(repo.text(file))).toEqual(JSON.parse(start));
    expect(repo.exists('.tenon')).toBe(false);
  });

  it('that a person deleted stays away', async () => {
    const repo = bench({ [file]: start });
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    repo.write(file, start);
    const again = await repo.json(addVera(['claude-code']));
    expect(again.code, again.stdout).toBeLessThan(2);
    expect(repo.text(file)).toBe(start);
    expect(again.document.findings).not.toEqual([]);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.text(file)).toBe(start);
  });

  it('is not proven ours once the record is gone: named, kept, exit 1', async () => {
    const repo = bench({ [file]: start });
    expectCode(await repo.run(addVera(['claude-code'])), 0);
    const written = repo.tree();
    fs.rmSync(stateOf(repo.home), { recursive: true });
    const { document, ...run } = await repo.json(uninstall);
    expectCode(run, 1);
    expect(JSON.stringify(document.findings)).toContain('.mcp.json#/mcpServers/vera');
    expect(repo.tree()).toEqual(written);
  });
});

describe('what setup had to create', () => {
  it('goes with it, and what was there stays', async () => {
    const repo = bench({ 'README.md': '# x\n' });
    git(repo.root, ['add', '-A']);
    git(repo.root, ['commit', '-qm', 'Start']);
    fs.mkdirSync(path.join(repo.root, '.cursor'));
    const before = repo.tree();
    const all = ['claude-code', 'codex', 'opencode', 'vscode', 'cursor', 'gemini-cli', 'antigravity', 'zed'];
    expectCode(await repo.run(addVera(all)), 0);
    for (const name of Object.keys(repo.tree())) {
      const stat = fs.statSync(path.join(repo.root, name));
      expect(stat.mode & 0o022, name).toBe(0);
      if (stat.isFile()) expect(repo.bytes(name).subarray(0, 3).toString('hex'), name).not.toBe('efbbbf');
    }
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
    expect(git(repo.root, ['status', '--porcelain', '--ignored'])).toBe('');
  });

  it('stays where a person put something into it', async () => {
    const repo = bench({});
    expectCode(await repo.run(addVera(['claude-code', 'codex'])), 0);
    repo.write('.codex/notes.md', 'mine\n');
    const servers = JSON.parse(repo.text('.mcp.json')) as { mcpServers: Record<string, unknown> };
    servers.mcpServers['mine'] = { command: 'mine' };
    repo.write('.mcp.json', JSON.stringify(servers));
    expectCode(await repo.run(uninstall), 0);
    expect(Object.keys(repo.tree())).toEqual(['.codex', '.codex/notes.md', '.mcp.json']);
    expect(JSON.parse(repo.text('.mcp.json'))).toEqual({ mcpServers: { mine: { command: 'mine' } } });
  });
});
