import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode, setupVera, VERA_URL } from '../helpers/bench.ts';
import { readAs } from '../helpers/clients.ts';
import { treeOf } from '../helpers/repo.ts';
import { expectRoundTrip } from '../helpers/round-trip.ts';

const EMPTY = '{\n  "mcpServers": {}\n}\n';
const ENTRY = { type: 'http', url: VERA_URL };
const uninstall = ['uninstall', 'vera', '--yes'];
const modeOf = (repo: Bench, file: string): string =>
  (fs.statSync(path.join(repo.root, file)).mode & 0o777).toString(8);

describe('links', () => {
  it('to a link to a file are followed to the end and stay links', async () => {
    const repo = bench({
      'shared/servers.json': EMPTY,
      'hop/servers.json': { link: '../shared/servers.json' },
      '.mcp.json': { link: 'hop/servers.json' },
    });
    fs.chmodSync(path.join(repo.root, 'hop'), 0o555);
    const before = repo.tree();
    await repo.prepare(addVera(['claude-code']));
    expect(JSON.parse(repo.text('.mcp.json')).mcpServers.vera).toEqual(ENTRY);
    const links = (tree: Record<string, string>) =>
      Object.entries(tree).filter(([, line]) => /^link/.test(line));
    expect(links(repo.tree())).toEqual(links(before));
    expect(fs.readdirSync(path.join(repo.root, 'hop'))).toEqual(['servers.json']);
    expect(fs.readdirSync(path.join(repo.root, 'shared'))).toEqual(['servers.json']);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('that leave the repository are refused with the real path, and followed when told to', async () => {
    const repo = bench({ 'README.md': 'x\n' }, { home: { 'dots/servers.json': EMPTY } });
    const real = path.join(repo.home, 'dots/servers.json');
    fs.symlinkSync(real, path.join(repo.root, '.mcp.json'));
    const before = repo.tree();

    const refused = await repo.json(addVera(['claude-code']));
    expectCode(refused, 4);
    expect(refused.document.error).toMatchObject({ code: 'file/outside' });
    expect(refused.document.error.message).toContain('~/dots/servers.json');
    expect(repo.tree()).toEqual(before);
    expect(fs.readFileSync(real, 'utf8')).toBe(EMPTY);

    expectCode(await repo.run(addVera(['claude-code'], '--resolve', '.mcp.json=follow')), 0);
    expect(JSON.parse(fs.readFileSync(real, 'utf8')).mcpServers.vera).toEqual(ENTRY);
    expect(fs.readlinkSync(path.join(repo.root, '.mcp.json'))).toBe(real);
    expect(fs.readdirSync(path.dirname(real))).toEqual(['servers.json']);
    const out = await repo.run([...uninstall, '--resolve', '.mcp.json=follow']);
    expectCode(out, 0);
    expect(fs.readFileSync(real, 'utf8')).toBe(EMPTY);
    expect(repo.tree()).toEqual(before);
  });

  describe('that leave the repository and were followed once', () => {
    const quiet = [['status'], ['sync', '--check'], ['doctor', '--offline']];

    /** A repository whose `.mcp.json` is a link into the home folder, set up behind it. */
    async function followed() {
      const repo = bench({ 'README.md': 'x\n' }, { home: { 'dots/servers.json': EMPTY } });
      const real = path.join(repo.home, 'dots/servers.json');
      fs.symlinkSync(real, path.join(repo.root, '.mcp.json'));
      const before = repo.tree();
      const run = await repo.json(addVera(['claude-code'], '--resolve', '.mcp.json=follow'));
      expectCode(run, 0);
      return { repo, real, before, run };
    }

    it('are what a person agreed to for every later command, while they lead there', async () => {
      const { repo, real, before, run } = await followed();
      expect(run.document.data.plan.files).toContainEqual(
        expect.objectContaining({ path: '.mcp.json', leadsTo: '~/dots/servers.json' }),
      );
      expect(run.document.data.changed.gitAdd).toBe('git add .tenon/manifest.json');
      for (const args of quiet) expectCode(await repo.run(args), 0);

      // A line of yes writes nothing outside the repository, whatever an earlier run was told.
      const refused = await repo.run(uninstall);
      expectCode(refused, 3);
      expect(refused.stderr).toContain('.mcp.json  outside the repository: ~/dots/servers.json');
      expect(refused.stderr).toContain('--allow user-files');
      expectCode(await repo.run([...uninstall, '--allow', 'user-files']), 0);
      expect(fs.readFileSync(real, 'utf8')).toBe(EMPTY);
      expect(repo.tree()).toEqual(before);
    });

    it('are asked about again once they lead elsewhere, and settled by a new answer', async () => {
      const { repo, real } = await followed();
      const other = path.join(repo.home, 'dots/other.json');
      fs.copyFileSync(real, other);
      fs.rmSync(path.join(repo.root, '.mcp.json'));
      fs.symlinkSync(other, path.join(repo.root, '.mcp.json'));
      for (const args of quiet) {
        const seen = await repo.json(args);
        expectCode(seen, 1);
        const finding = seen.document.findings.find(({ code }: { code: string }) => code === 'file/outside');
        expect(finding.message).toContain('~/dots/other.json');
        expect(finding.message).toContain('~/dots/servers.json');
      }
      const left = await repo.run(['sync', '--yes']);
      expectCode(left, 1);
      expectCode(await repo.run(['sync', '--yes', '--resolve', '.mcp.json=follow']), 0);
      for (const args of quiet) expectCode(await repo.run(args), 0);
    });

    it('are undone with the approval that files outside need', async () => {
      const { repo, real, before } = await followed();
      expectCode(await repo.run(['undo', '--yes']), 3);
      expectCode(await repo.run(['undo', '--yes', '--allow', 'user-files']), 0);
      expect(fs.readFileSync(real, 'utf8')).toBe(EMPTY);
      expect(repo.tree()).toEqual(before);
    });

    it('are taken over on another host with the same answer', async () => {
      const { repo, real, before } = await followed();
      const elsewhere = { env: { TENON_STATE_DIR: path.join(repo.home, 'another-host') } };
      expectCode(await repo.run(['status'], elsewhere), 1);
      expectCode(await repo.run(['adopt', '--resolve', '.mcp.json=follow'], elsewhere), 0);
      expectCode(await repo.run(['status'], elsewhere), 0);
      expectCode(await repo.run([...uninstall, '--allow', 'user-files'], elsewhere), 0);
      expect(JSON.parse(fs.readFileSync(real, 'utf8'))).toEqual(JSON.parse(EMPTY));
      expect(repo.tree()).toEqual(before);
    });

    it('are remembered where the file behind them already holds what is asked for', async () => {
      const own = `${JSON.stringify({ mcpServers: { vera: ENTRY } }, null, 2)}\n`;
      const repo = bench({ 'README.md': 'x\n' }, { home: { 'dots/servers.json': own } });
      const real = path.join(repo.home, 'dots/servers.json');
      fs.symlinkSync(real, path.join(repo.root, '.mcp.json'));
      const before = repo.tree();
      expectCode(await repo.run(addVera(['claude-code'], '--resolve', '.mcp.json=follow')), 0);
      for (const args of quiet) expectCode(await repo.run(args), 0);
      // Taken out by hand and written anew, it is ours like any other.
      fs.writeFileSync(real, EMPTY);
      expectCode(await repo.run(['sync', '--yes', '--allow', 'user-files']), 0);
      expectCode(await repo.run(['undo', '--yes', '--allow', 'user-files']), 0);
      fs.writeFileSync(real, own);
      expectCode(await repo.run(uninstall), 0);
      expect(fs.readFileSync(real, 'utf8')).toBe(own);
      expect(repo.tree()).toEqual(before);
      const ledgers = path.join(repo.home, '.local/state/tenon/ledger');
      expect(fs.existsSync(ledgers) ? fs.readdirSync(ledgers) : []).toEqual([]);
    });

    it('may be folders: what is created behind them goes again', async () => {
      const repo = bench({ 'README.md': 'x\n' }, { home: { 'dots/own.md': 'mine\n' } });
      fs.symlinkSync(path.join(repo.home, 'dots'), path.join(repo.root, '.claude'));
      const before = [repo.tree(), treeOf(path.join(repo.home, 'dots'))];
      await repo.prepare(setupVera(['claude-code'], '--resolve', '.claude/=follow'));
      for (const args of quiet) expectCode(await repo.run(args), 0);
      expectCode(await repo.run([...uninstall, '--allow', 'user-files']), 0);
      expect([repo.tree(), treeOf(path.join(repo.home, 'dots'))]).toEqual(before);
    });
  });

  it('to a folder of the repository: what is created behind them goes again', async () => {
    const repo = bench({ 'dots/own.md': 'mine\n', '.claude': { link: 'dots' } });
    const before = repo.tree();
    await repo.prepare(setupVera(['claude-code']));
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('that lead nowhere, in a circle or into .git are refused', async () => {
    for (const target of ['gone/away.json', '.mcp.json', '.git/config']) {
      const repo = bench({ '.mcp.json': { link: target } });
      const before = repo.tree();
      const run = await repo.json(addVera(['claude-code']));
      expectCode(run, 4);
      expect(run.document.error.message).toContain('.mcp.json');
      expect(repo.tree()).toEqual(before);
      expectCode(await repo.run(addVera(['claude-code'], '--resolve', '.mcp.json=follow')), 4);
      expect(repo.tree()).toEqual(before);
    }
  });
});

describe('hard links', () => {
  it('are refused, and written in place by force so that both names go along', async () => {
    const repo = bench({ '.mcp.json': EMPTY, 'copy.json': { hardLink: '.mcp.json' } });
    const before = repo.tree();
    const inode = fs.statSync(path.join(repo.root, '.mcp.json')).ino;
    const refused = await repo.json(addVera(['claude-code']));
    expectCode(refused, 4);
    expect(refused.document.error).toMatchObject({ code: 'file/hard-linked' });
    expect(JSON.stringify(refused.document.error.remedy)).toContain('--force');
    expect(repo.tree()).toEqual(before);

    expectCode(await repo.run(addVera(['claude-code'], '--force', '.mcp.json')), 0);
    expect(repo.bytes('copy.json')).toEqual(repo.bytes('.mcp.json'));
    expect(fs.statSync(path.join(repo.root, 'copy.json'))).toMatchObject({ ino: inode, nlink: 2 });
    expect(JSON.parse(repo.text('copy.json')).mcpServers.vera).toEqual(ENTRY);
    expectCode(await repo.run([...uninstall, '--force', '.mcp.json']), 0);
    expect(repo.tree()).toEqual(before);
  });
});

describe('modes', () => {
  it('stay through setup, a second run and uninstall; a file with a token gets no copy beside it', async () => {
    const secret =
      '{ "mcpServers": { "kb": { "type": "http", "url": "https://kb.example.com", "headers": { "Authorization": "Bearer EXAMPLE-0f1e2d" } } } }\n';
    const repo = bench({
      '.mcp.json': { text: secret, mode: 0o600 },
      '.vscode/mcp.json': { text: '{ "servers": {} }\n', mode: 0o664 },
      '.cursor/mcp.json': { text: EMPTY, mode: 0o755 },
    });
    const before = repo.tree();
    const modes = () =>
      ['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'].map((file) => modeOf(repo, file));
    const runtimes = ['claude-code', 'vscode', 'cursor'];
    const first = await repo.json(addVera(runtimes));
    expectCode(first, 0);
    expect(modes()).toEqual(['600', '664', '755']);
    expect(first.stdout + first.stderr).not.toContain('EXAMPLE-0f1e2d');
    expect(Object.keys(repo.tree()).filter((name) => !(name in before))).toEqual([
      '.tenon',
      '.tenon/manifest.json',
    ]);
    expectCode(await repo.run(addVera(runtimes)), 0);
    expect(modes()).toEqual(['600', '664', '755']);
    const state = path.join(repo.home, '.local/state/tenon');
    for (const name of fs.readdirSync(state, { recursive: true, encoding: 'utf8' })) {
      const stat = fs.statSync(path.join(state, name));
      expect(stat.mode & 0o077, name).toBe(0);
      if (stat.isFile() && !name.startsWith('backup'))
        expect(fs.readFileSync(path.join(state, name), 'utf8'), name).not.toContain('EXAMPLE-0f1e2d');
    }
    expectCode(await repo.run(uninstall), 0);
    expect(repo.tree()).toEqual(before);
  });

  it('without write permission are a refusal, also for root', async () => {
    const repo = bench({ '.mcp.json': { text: EMPTY, mode: 0o444 }, '.cursor/mcp.json': EMPTY });
    const before = repo.stamps();
    const run = await repo.json(addVera(['claude-code', 'cursor']));
    expectCode(run, 4);
    expect(run.document.error.message).toContain('.mcp.json');
    expect(run.document.error.message).toMatch(/read-only|444/);
    expect(Object.entries(repo.stamps()).filter(([name]) => !name.startsWith('state:'))).toEqual(
      Object.entries(before),
    );
  });
});

describe('encodings and line ends', () => {
  it('a byte order mark in JSON stays first and only, and doctor tells of it', async () => {
    const text = '\uFEFF{\r\n  "mcpServers": {\r\n    "tickets": { "command": "tickets" }\r\n  }\r\n}\r\n';
    await expectRoundTrip({ runtime: 'claude-code', text });
    const repo = bench({ '.mcp.json': text });
    const doctor = await repo.json(['doctor', '--offline']);
    expect(JSON.stringify(doctor.document.findings)).toMatch(/byte.order mark/i);
    expect(repo.text('.mcp.json')).toBe(text);
  });

  it.each<[string, string | Buffer]>([
    [
      'line ends that differ from line to line',
      '{\n  "mcpServers": {\r\n    "a": { "command": "a" },\r\n    "b": { "command": "b" }\r\n  }\n}\n',
    ],
    [
      'letters beyond the first plane',
      '{ "mcpServers": { "ü😀": { "command": "\u{1F469}\u200D\u{1F4BB}" } } }\n',
    ],
    [
      'a form feed free text and U+2028 in a string',
      '{ "mcpServers": { "a": { "command": "x\u2028y" } } }\n',
    ],
  ])('%s stay', async (_, text) => {
    expect.hasAssertions();
    await expectRoundTrip({
      runtime: 'claude-code',
      text,
      holds(after, before) {
        if (before.includes('\r\n')) expect(after).toMatch(/"b": \{ "command": "b" \},?\r\n {4}"vera"/);
      },
    });
  });

  it.each<[string, string, Buffer, RegExp]>([
    ['UTF-16', '.vscode/mcp.json', Buffer.from('\uFEFF{ "servers": {} }\r\n', 'utf16le'), /UTF-16/],
    [
      'Latin-1',
      '.mcp.json',
      Buffer.from('{\n  "mcpServers": {},\n  "owner": "Ren\u00e9"\n}\n', 'latin1'),
      /0xE9.*line 3/i,
    ],
    [
      'UTF-16 without a mark',
      '.cursor/mcp.json',
      Buffer.from('{ "mcpServers": {} }', 'utf16le'),
      /UTF-16|NUL/i,
    ],
  ])('%s is refused', async (_, file, bytes, reason) => {
    const repo = bench({ [file]: bytes });
    const before = repo.tree();
    const run = await repo.json(addVera(['claude-code', 'vscode', 'cursor']));
    expectCode(run, 4);
    expect(run.document.error.message).toContain(file);
    expect(run.document.error.message).toMatch(reason);
    expect(repo.tree()).toEqual(before);
  });

  it('a conversion of line ends between setup and uninstall is no drift', async () => {
    const repo = bench({ '.mcp.json': EMPTY });
    await repo.prepare(addVera(['claude-code']));
    repo.write('.mcp.json', repo.text('.mcp.json').replaceAll('\n', '\r\n'));
    expectCode(await repo.run(['status']), 0);
    expectCode(await repo.run(uninstall), 0);
    expect(repo.text('.mcp.json')).toBe(EMPTY.replaceAll('\n', '\r\n'));
    expect(readAs('json', repo.bytes('.mcp.json'))).toEqual({ mcpServers: {} });
  });
});
