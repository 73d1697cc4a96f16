import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { git, gitRepo, scratch, type TreeEntry, treeOf, writeTree } from '../helpers/repo.ts';
import { runWarm, warmJson } from '../helpers/warm.ts';

// Repositories that want to harm whoever runs tenon in them. Each is refused or neutral: nothing runs, nothing is written
// outside, nothing is lost, and no answer is a bug of ours or acts on the terminal.

const RUNTIME = ['--runtime', 'claude-code'];
const VERA = [
  'vera',
  ...RUNTIME,
  '--set',
  'VERA_API_URL=http://127.0.0.1:1',
  '--set',
  'VERA_MCP_URL=http://127.0.0.1:1/mcp',
  '--offline',
];
const SETUP = ['setup', ...VERA, '--yes'];
/** Every command that looks at a repository or writes into it without being asked anything. */
const COMMANDS = [
  SETUP,
  ['status'],
  ['doctor', '--offline'],
  ['sync', '--yes', '--offline'],
  ['adopt', '--yes'],
  ['trust', 'scan'],
  ['uninstall', '--yes'],
];

/**
 * Runs commands one after the other; the codes of every answer. The first one, which writes where it can, is a process of its
 * own; the others share one, where whatever ends it or throws fails the test as well.
 */
async function runAll(cwd: string, home: string, commands: readonly (readonly string[])[] = COMMANDS) {
  const seen: string[] = [];
  for (const [index, args] of commands.entries()) {
    const run = [...args, '--json'];
    const { stdout, code } = await (index === 0 ? runCli(run, { cwd, home }) : runWarm(run, { cwd, home }));
    const document = JSON.parse(stdout);
    expect(`${args.join(' ')}: ${document.error?.code}`).not.toMatch(/internal\//);
    expect(code).not.toBe(null);
    expectHarmless(stdout);
    seen.push(document.error?.code, ...document.findings.map((one: { code: string }) => one.code));
    seen.push(...(document.data?.plan?.conflicts ?? []).map((one: { code: string }) => one.code));
  }
  return new Set(seen.filter((one) => one !== undefined));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
function expectHarmless(output: string): void {
  expect(ACTIVE.exec(output)?.index).toBeUndefined();
}

describe('links in every position', () => {
  const OUT = '{OUTSIDE}';
  test.each<[string, Record<string, TreeEntry>, string]>([
    ['a configuration that leaves', { '.mcp.json': { link: `${OUT}/victim.json` } }, 'file/outside'],
    ['a folder that leaves', { '.claude': { link: OUT } }, 'file/outside'],
    ['a folder inside that leaves', { '.claude/skills': { link: OUT } }, 'file/outside'],
    ['into .git', { '.mcp.json': { link: '.git/config' } }, 'file/outside'],
    ['hooks into those of git', { '.claude/hooks': { link: '../.git/hooks' } }, 'file/outside'],
    ['to a device', { '.mcp.json': { link: '/dev/zero' } }, 'file/outside'],
    ['into a folder of the system', { '.claude/hooks': { link: '/etc' } }, 'file/outside'],
    ['to nothing', { '.mcp.json': { link: `${OUT}/nothing` } }, 'file/dangling-link'],
    ['a folder to nothing', { '.claude': { link: `${OUT}/nothing` } }, 'file/dangling-link'],
    ['in a circle', { '.mcp.json': { link: '.mcp.json' } }, 'file/dangling-link'],
    ['a folder in a circle', { '.claude': { link: '.claude' } }, 'file/dangling-link'],
    ['a folder on the way in a circle', { '.claude/skills': { link: 'skills' } }, 'file/dangling-link'],
    ["tenon's own folder that leaves", { '.tenon': { link: OUT } }, 'file/outside'],
    ["tenon's own folder in a circle", { '.tenon': { link: '.tenon' } }, 'manifest/invalid'],
    [
      'a manifest that leaves',
      { '.tenon/manifest.json': { link: `${OUT}/victim.json` } },
      'manifest/invalid',
    ],
    ['a manifest in a circle', { '.tenon/manifest.json': { link: 'manifest.json' } }, 'manifest/invalid'],
    ['a manifest that is a folder', { '.tenon/manifest.json': { directory: true } }, 'manifest/invalid'],
  ])('%s', async (_, files, code) => {
    // Below the home folder: what lies in a folder of the system, as /dev/shm does, is refused for that already.
    const home = makeHome();
    const outside = path.join(home, 'outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'victim.json'), '{}\n');
    const cwd = gitRepo();
    for (const [name, entry] of Object.entries(files)) {
      const isLink = typeof entry === 'object' && 'link' in entry;
      writeTree(cwd, { [name]: isLink ? { link: entry.link.replace(OUT, outside) } : entry });
    }
    const before = [treeOf(outside), treeOf(path.join(cwd, '.git/hooks')), treeOf(cwd)];
    expect(await runAll(cwd, home)).toContain(code);
    expect([treeOf(outside), treeOf(path.join(cwd, '.git/hooks')), treeOf(cwd)]).toEqual(before);
  });

  test('circles of links in every folder that is looked into stop no check', async () => {
    const cwd = gitRepo();
    const home = makeHome();
    const names = [
      '.claude',
      '.codex',
      '.cursor',
      '.vscode',
      '.agents',
      '.gemini',
      '.opencode',
      '.kiro',
      '.github',
    ];
    for (const place of [cwd, path.join(cwd, 'packages/a'), home])
      for (const name of names) writeTree(place, { [name]: { link: name } });
    for (const args of [
      ['status'],
      ['doctor', '--offline'],
      ['trust', 'scan'],
      ['runtimes'],
      ['plan', ...VERA],
    ]) {
      const { document, stdout } = await runJson(args, { cwd, home });
      expect(stdout).not.toMatch(/internal\/bug|run\/system-error/);
      expect([0, 1, 4], `${args.join(' ')}: ${stdout}`).toContain(document.exitCode);
    }
  });

  test('a manifest or configuration that is a pipe keeps nobody waiting', async () => {
    const cwd = gitRepo({ '.tenon/note': '' });
    execFileSync('mkfifo', [path.join(cwd, '.tenon/manifest.json'), path.join(cwd, '.mcp.json')]);
    const codes = await runAll(cwd, makeHome());
    expect(codes).toContain('manifest/invalid');
    expect(fs.lstatSync(path.join(cwd, '.mcp.json')).isFIFO()).toBe(true);
  });

  test('a valid manifest behind a link speaks for its own repository only', async () => {
    const other = gitRepo({ '.tenon/manifest.json': '{"schemaVersion":1,"minimumVersion":"9.9.9"}' });
    const cwd = gitRepo();
    writeTree(cwd, { '.tenon': { link: path.join(other, '.tenon') } });
    const { document } = await runJson(SETUP, { cwd });
    expect(document.error).toMatchObject({ code: 'manifest/invalid' });
    expect(document.error.message).toContain('leaves the repository');
  });
});

describe('programs that git or PATH would start', () => {
  test('none runs, at any command', async () => {
    const proof = path.join(scratch(), 'ran');
    const evil = path.join(scratch(), 'evil.sh');
    fs.writeFileSync(evil, `#!/bin/sh\ntouch ${proof}\nexit 1\n`, { mode: 0o755 });
    const cwd = gitRepo({
      'a/x': '1',
      'b/y': '2',
      '.gitattributes': '*.json filter=evil diff=evil\n',
      // A literal credential makes doctor ask git whether the file is tracked.
      '.mcp.json': JSON.stringify({
        mcpServers: { n: { command: 'x', env: { API_KEY: 'sk-abcdefghij1234567890' } } },
      }),
      git: { text: `#!/bin/sh\ntouch ${proof}\n`, mode: 0o755 },
    });
    git(cwd, ['sparse-checkout', 'set', '--cone', '--sparse-index', 'a']);
    const tree = git(cwd, ['rev-parse', 'HEAD:b']).trim();
    fs.rmSync(path.join(cwd, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    writeTree(cwd, {
      '.git/more': `[filter "evil"]\n\tclean = ${evil}\n\tprocess = ${evil}\n[core]\n\thooksPath = ${path.dirname(evil)}\n`,
    });
    for (const [key, value] of [
      ['core.repositoryformatversion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.url', 'ssh://nowhere.invalid/x'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.uploadpack', evil],
      ['core.sshCommand', evil],
      ['core.fsmonitor', evil],
      ['core.pager', evil],
      ['core.editor', evil],
      ['alias.config', `!${evil}`],
      ['diff.external', evil],
      ['submodule.s.url', `ext::${evil}`],
      ['protocol.ext.allow', 'always'],
      ['include.path', 'more'],
    ] as const) {
      git(cwd, ['config', key, value]);
    }
    const PATH = `.:${process.env['PATH']}`;
    const home = makeHome();
    for (const args of [...COMMANDS, ['doctor', '--offline', '--clients'], ['trust', 'scan', '--json']]) {
      const { code, stdout } = await runCli(args, { cwd, home, env: { PATH } });
      expect(code).not.toBeNull();
      // The inventory names hooks that an included file brings.
      if (args[2] === '--json') expect(stdout).toContain(`core.hooksPath=${path.dirname(evil)}`);
    }
    expect(fs.existsSync(proof)).toBe(false);
    git(cwd, ['ls-files']);
    expect(fs.existsSync(proof)).toBe(true);
  });

  test('GIT_DIR, GIT_WORK_TREE and GIT_CONFIG_COUNT of the environment name no other repository', async () => {
    const [cwd, other, home] = [gitRepo(), gitRepo({ 'other.txt': '' }), makeHome()];
    const proof = path.join(scratch(), 'ran');
    const env = {
      GIT_DIR: path.join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: path.join(other, '.git/index'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: `touch ${proof}`,
      GIT_EXTERNAL_DIFF: `touch ${proof}`,
    };
    const before = treeOf(other, { git: true });
    for (const args of [SETUP, ['doctor', '--offline']]) {
      const { document } = await runJson(args, { cwd, home, env });
      expect(document.exitCode).toBe(0);
    }
    expect(fs.existsSync(path.join(cwd, '.mcp.json'))).toBe(true);
    expect(treeOf(other, { git: true })).toEqual(before);
    expect(fs.existsSync(proof)).toBe(false);
  });

  test.each([
    ['another repository', (other: string) => `gitdir: ${other}/.git\n`, 0],
    ['no folder', () => 'gitdir: /nowhere\n', 2],
    ['a device', () => 'gitdir: /dev/zero\n', 2],
    ['nothing at all', () => '\0\u001b[31m', 2],
  ])('a .git file that points to %s changes nothing there', async (_, text, exit) => {
    const [cwd, other, home] = [scratch(), gitRepo(), makeHome()];
    writeTree(cwd, { '.git': text(other) });
    const before = treeOf(other, { git: true });
    const { code, stderr } = await runCli(SETUP, { cwd, home });
    expect(code).toBe(exit);
    expectHarmless(stderr);
    expect(treeOf(other, { git: true })).toEqual(before);
  });
});

describe('the state folder', () => {
  test.each<[string, (cwd: string, home: string) => string, string]>([
    ['inside the repository', (cwd) => path.join(cwd, 'state'), 'lies inside the repository'],
    ['inside .git', (cwd) => path.join(cwd, '.git/state'), 'lies inside the repository'],
    [
      'behind a link',
      (_, home) => {
        fs.symlinkSync(scratch(), path.join(home, 'link'));
        return path.join(home, 'link');
      },
      'is a link',
    ],
    [
      'below a link into the repository',
      (cwd, home) => {
        fs.symlinkSync(cwd, path.join(home, 'link'));
        return path.join(home, 'link/state');
      },
      'lies inside the repository',
    ],
    ['relative', () => 'state', 'is the relative path'],
  ])('is refused %s', async (_, place, why) => {
    const [cwd, home] = [gitRepo(), makeHome()];
    const before = treeOf(cwd, { git: true });
    const env = { TENON_STATE_DIR: place(cwd, home) };
    // Also for reading: what stands there would speak for the user.
    for (const [run, args] of [
      [runJson, SETUP],
      [warmJson, ['status']],
    ] as const) {
      const { document } = await run(args, { cwd, home, env });
      expect(document.error, args.join(' ')).toMatchObject({ code: 'state/unsafe' });
      expect(document.error.message).toContain(why);
    }
    expect(treeOf(cwd, { git: true })).toEqual(before);
  });

  test.each(['ledger', 'trust', 'journal', 'backup', 'history'])(
    'is refused with a link for its folder %s, for reading too',
    async (area) => {
      const cwd = gitRepo({ [`${area}/x.json`]: '{}' });
      const home = makeHome();
      const state = path.join(home, '.local/state/tenon');
      fs.mkdirSync(state, { recursive: true });
      fs.symlinkSync(path.join(cwd, area), path.join(state, area));
      const before = treeOf(cwd);
      for (const [run, args] of [
        [runJson, SETUP],
        [warmJson, ['status']],
        [warmJson, ['doctor', '--offline']],
        [warmJson, ['uninstall', '--yes']],
      ] as const) {
        const { document } = await run(args, { cwd, home });
        expect(document.error, args.join(' ')).toMatchObject({ code: 'state/unsafe' });
      }
      expect(treeOf(cwd)).toEqual(before);
    },
  );

  test('a home folder inside the repository brings none of it', async () => {
    const cwd = gitRepo({ 'home/.local/state/tenon/trust/x.json': '{}' });
    const { document } = await runJson(SETUP, {
      cwd,
      home: path.join(cwd, 'home'),
      env: { TENON_STATE_DIR: '', XDG_STATE_HOME: '' },
    });
    expect(document.error).toMatchObject({ code: 'state/unsafe' });
  });

  test('ledgers, grants and plans that a repository carries count for nothing', async () => {
    const [cwd, home] = [gitRepo(), makeHome()];
    await runCli(SETUP, { cwd, home });
    const state = path.join(home, '.local/state/tenon');
    const clone = gitRepo();
    writeTree(clone, { 'CLAUDE.md': 'mine\n' });
    for (const name of ['.mcp.json', '.claude', '.tenon'])
      fs.cpSync(path.join(cwd, name), path.join(clone, name), { recursive: true });
    for (const place of ['.tenon/state', '.local/state/tenon', '.tenon'])
      fs.cpSync(state, path.join(clone, place), { recursive: true });
    const before = treeOf(clone);
    const { document } = await runJson(['uninstall', 'vera', '--yes'], { cwd: clone });
    expect(document.exitCode).toBe(1);
    for (const [name, line] of Object.entries(before))
      if (name !== '.tenon/manifest.json') expect([name, treeOf(clone)[name]]).toEqual([name, line]);
  });
});

const definition = (artifact: object, more: object = {}): string =>
  JSON.stringify({
    schemaVersion: 1,
    id: 'acme',
    version: '1.0.0',
    title: 'T',
    summary: 's',
    artifacts: [artifact],
    ...more,
  });
const file = (target: string) => ({ kind: 'file', name: 'f', path: target, source: 'f.md' });

describe('definitions of a repository', () => {
  test('write nowhere but below the folders of a coding tool', async () => {
    const cwd = gitRepo();
    const bad = [
      '../x',
      '/etc/x',
      '~/x',
      'C:/x',
      '.claude/../x',
      '.claude//x',
      '.claude/commands/a\0b',
      '.claude/commands/aux.md',
      '.claude/commands/x.',
      '.claude/commands/x ',
      '.claude/commands/x:y',
      '.claude/commands/\u001b[31mx',
      '.claude/commands/\u202ex',
      '.git/hooks/x',
      '.GIT/hooks/x',
      'GIT~1/hooks/x',
      '.g\u200cit/hooks/x',
      '.claude/commands/.git/config',
      '.claude/commands/.envrc',
      '.github/workflows/x.yml',
      '.tenon/manifest.json',
      '.husky/pre-commit',
    ];
    for (const [index, target] of bad.entries())
      writeTree(cwd, { [`t/${index}/integration.json`]: definition(file(target)), [`t/${index}/f.md`]: 'x' });
    const found = await Promise.all(
      bad.map(async (target, index) => {
        const { document } = await runJson(['plan', `./t/${index}`, ...RUNTIME], { cwd });
        return [target, document.error?.code];
      }),
    );
    expect(found).toEqual(bad.map((target) => [target, 'integration/invalid']));
  }, 120_000);

  test.each<[string, Record<string, TreeEntry>]>([
    [
      '__proto__ as a member',
      {
        'integration.json': definition(file('.claude/commands/x.md')).replace(
          '"title"',
          '"__proto__":{"x":1},"title"',
        ),
      },
    ],
    [
      'constructor as an id',
      { 'integration.json': definition(file('.claude/commands/x.md'), { id: '__proto__' }) },
    ],
    [
      'a duplicate key',
      {
        'integration.json': definition(file('.claude/commands/x.md')).replace(
          '"summary"',
          '"title":"U","summary"',
        ),
      },
    ],
    ['a file 100,000 levels deep', { 'integration.json': '['.repeat(100_000) }],
    ['a huge file', { 'integration.json': `"${'x'.repeat(2_000_000)}"` }],
    ['bytes that are no UTF-8', { 'integration.json': new Uint8Array([0x7b, 0xff, 0xfe]) }],
    [
      'a link that leaves',
      { 'integration.json': definition(file('.claude/commands/x.md')), evil: { link: '/etc/passwd' } },
    ],
    [
      'the id of a bundled one',
      { 'integration.json': definition(file('.claude/commands/x.md'), { id: 'vera' }) },
    ],
    [
      'a literal credential behind an option',
      {
        'integration.json': definition({
          kind: 'mcp-server',
          name: 's',
          server: 's',
          stdio: { command: 'x', args: ['--token', 'hunter2-hunter2'] },
        }),
      },
    ],
  ])('are refused with %s', async (_, files) => {
    const cwd = gitRepo();
    writeTree(path.join(cwd, 'tools/x'), { 'f.md': 'x', ...files });
    fs.cpSync(path.join(cwd, 'tools/x'), path.join(cwd, 'node_modules/x'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const home = makeHome();
    for (const [run, ref] of [
      [runJson, './tools/x'],
      [warmJson, 'x'],
    ] as const) {
      const { document, stdout } = await run(['setup', ref, ...RUNTIME, '--yes'], { cwd, home });
      expect(document.error?.code).toMatch(/^(integration|secret)\//);
      expectHarmless(stdout);
    }
    expect(fs.existsSync(path.join(cwd, '.claude'))).toBe(false);
  });

  test('run and write nothing untrusted, and act on no terminal in any format', async () => {
    const proof = path.join(scratch(), 'ran');
    const evil = '\u001b]8;;http://evil.invalid\u0007click\u001b]8;;\u0007\u202eevil\u009b31m\u2066';
    const cwd = gitRepo({
      'tools/x/integration.json': definition(
        {
          kind: 'mcp-server',
          name: 's',
          server: 's',
          stdio: { command: 'sh', args: ['-c', `touch ${proof}`, evil] },
        },
        {
          title: evil,
          summary: evil,
          nextSteps: [evil],
          requires: [{ binary: 'not-there', for: ['mcp-server'], remedy: evil }],
        },
      ),
      '.mcp.json': JSON.stringify({
        mcpServers: { [evil]: { command: evil, env: { [evil]: evil, API_KEY: 'sk-abcdefghij1234567890' } } },
      }),
      '.claude/settings.json': JSON.stringify({
        hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `./${evil}.sh` }] }] },
      }),
      [`.claude/commands/${evil.replaceAll('/', '_')}.md`]: 'x',
      '.tenon/manifest.json': JSON.stringify({
        schemaVersion: 1,
        integrations: {
          './tools/x': { version: '1.0.0', runtimes: ['claude-code'] },
          [evil]: { version: '1.0.0', runtimes: ['claude-code'], external: [evil], excluded: [evil] },
        },
        servers: {
          evil: { runtimes: ['claude-code'], stdio: { command: 'sh', args: ['-c', `touch ${proof}`] } },
        },
        suppressions: [{ code: 'trust/required', reason: evil, subject: evil, expires: '2999-01-01' }],
      }),
    });
    const home = makeHome();
    const before = treeOf(cwd);
    const formats = ['text', 'json', 'sarif', 'junit', 'github', 'html'];
    for (const args of [
      ['setup', './tools/x', ...RUNTIME, '--yes'],
      ['plan', './tools/x', ...RUNTIME],
      ['plan', ...VERA],
      ['plan', ...VERA, '--explain'],
      ['status'],
      ['sync', '--check'],
      ['trust'],
      ['trust', 'scan'],
      ['adopt', '--yes'],
      ['runtimes'],
      ['validate', './tools/x'],
      ['setup', evil],
      ['explain', evil],
      ['forget', evil],
      ['--root', evil, 'status'],
      ...formats.map((format) => ['doctor', '--offline', '--format', format]),
    ]) {
      const { stdout, stderr, code } = await runCli([...args, '--debug'], { cwd, home });
      expect([args, code === null]).toEqual([args, false]);
      expect([args, stderr.includes('internal/bug')]).toEqual([args, false]);
      expect([args, ACTIVE.exec(stdout)?.[0], ACTIVE.exec(stderr)?.[0]]).toEqual([
        args,
        undefined,
        undefined,
      ]);
      expect([args, stdout.includes('sk-abcdefghij'), stderr.includes('sk-abcdefghij')]).toEqual([
        args,
        false,
        false,
      ]);
    }
    expect(fs.existsSync(proof)).toBe(false);
    expect(treeOf(cwd)).toEqual(before);
  }, 120_000);
});

test('a folder whose name acts on a terminal is named in no command as it is', async () => {
  const name = "a\n::error::x%0A\u001b[31m\u202e'; touch ran #";
  const cwd = gitRepo({ [`${name}/CLAUDE.md`]: 'x', [`${name}/deep/x`]: '' });
  const home = makeHome();
  const root = ['--root', name];
  for (const args of [
    [...SETUP, ...root],
    ['status', ...root],
    ['doctor', '--offline', ...root],
    ['doctor', '--offline', '--format', 'github', ...root],
    ['doctor', '--offline', '--format', 'junit'],
    ['plan', ...VERA, '--out', `${name}/plan.json`, ...root],
    ['sync', '--check', '--offline', ...root],
    ['status', '--all-roots'],
    ['adopt', ...root],
    ['uninstall', '--yes', ...root],
    ['doctor', '--offline', ...root],
    ['status', ...root],
  ]) {
    const { stdout, stderr, code } = await runWarm(args, { cwd, home, env: {} });
    expect([args, code === null]).toEqual([args, false]);
    const printed = `${stdout}${stderr}`;
    expect([args, ACTIVE.exec(printed)?.[0]]).toEqual([args, undefined]);
    // The line end in the name begins no line of ours.
    expect([args, /^::error::x/m.exec(printed)?.[0]]).toEqual([args, undefined]);
  }
}, 120_000);

describe('documents that want to break the reader', () => {
  const DEEP = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  test.each<[string, Record<string, TreeEntry>, ...string[]]>([
    [
      'a deep configuration',
      { '.mcp.json': DEEP, '.claude/settings.json': '['.repeat(100_000) },
      'config/too-deep',
    ],
    ['a deep manifest', { '.tenon/manifest.json': DEEP }, 'manifest/malformed'],
    ['a huge configuration', { '.mcp.json': ' '.repeat(6_000_000) }, 'file/too-large'],
    [
      'a huge manifest',
      { '.tenon/manifest.json': `{"schemaVersion":1}${' '.repeat(2_000_000)}` },
      'manifest/invalid',
    ],
    [
      'a duplicate key',
      { '.mcp.json': '{"mcpServers":{},"mcpServers":{"vera":{"command":"x"}}}' },
      'config/duplicate-key',
    ],
    [
      'a duplicate key in the manifest',
      { '.tenon/manifest.json': '{"schemaVersion":1,"servers":{},"servers":{}}' },
      'manifest/malformed',
    ],
    [
      'a duplicate key below the manifest',
      {
        '.tenon/manifest.json':
          '{"schemaVersion":1,"servers":{"s":{"runtimes":["codex"],"stdio":{"command":"x","command":"y"}}}}',
      },
      'manifest/malformed',
    ],
    [
      '__proto__ as a container',
      {
        '.mcp.json':
          '{"__proto__":{"mcpServers":{"vera":{}}},"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"}}}',
      },
    ],
    [
      '__proto__ in the manifest',
      {
        '.tenon/manifest.json':
          '{"schemaVersion":1,"integrations":{"__proto__":{"version":"1.0.0","runtimes":["__proto__","constructor"]},"constructor":{"version":"1.0.0","runtimes":["claude-code"]}},"servers":{"__proto__":{"runtimes":["claude-code"],"stdio":{"command":"x"}}}}',
      },
    ],
    [
      'a minimum version that no tenon has',
      { '.tenon/manifest.json': '{"schemaVersion":1,"minimumVersion":"99999999999999999999.0.0"}' },
      'manifest/minimum-version',
    ],
    [
      'rules that are bombs for a matcher',
      {
        '.claude/settings.json': JSON.stringify({
          permissions: {
            deny: [
              `mcp__vera__${'*e'.repeat(40)}z`,
              `Bash(${':*'.repeat(300_000)}`,
              'mcp__vera__knowledge_propose',
            ],
          },
        }),
        'opencode.json': JSON.stringify({
          permission: { [`vera_${'*e'.repeat(40)}z`]: 'ask' },
          tools: { [`vera${'*e'.repeat(40)}z`]: false },
        }),
      },
    ],
    [
      'bytes that are no UTF-8',
      { '.mcp.json': new Uint8Array([0x7b, 0xff]), '.tenon/manifest.json': new Uint8Array([0xff]) },
      'file/encoding',
      'manifest/malformed',
    ],
  ])('%s', async (_, files, ...refused) => {
    const [cwd, home] = [gitRepo(files), makeHome()];
    const name = Object.keys(files)[0] ?? '';
    const foreign = fs.readFileSync(path.join(cwd, name));
    const codes = await runAll(cwd, home, [...COMMANDS.slice(0, -1), ['uninstall', 'vera', '--yes']]);
    for (const code of refused) expect([...codes]).toContain(code);
    // The manifest is tenon's own file, which setup may write anew.
    if (name !== '.tenon/manifest.json')
      expect(fs.readFileSync(path.join(cwd, name)).equals(foreign)).toBe(true);
  });

  test.each([
    '{"__proto__":{"schema":"tenon/planfile/v1"}}',
    '['.repeat(100_000),
    '\0\u001b[31m',
    '{"schema":"tenon/planfile/v1","command":"setup","selections":[{"integration":"../x","scope":"project","runtimes":["__proto__"],"inputs":{},"overrides":{},"without":[]}],"resolve":{"__proto__":"follow"},"force":["../../etc/passwd"],"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000"}',
    '{"schema":"tenon/planfile/v1","command":"setup","selections":[{"integration":"constructor","scope":"project","runtimes":["claude-code"],"inputs":{},"overrides":{},"without":[]}],"resolve":{},"force":[],"digest":"sha256:0000000000000000000000000000000000000000000000000000000000000000"}',
  ])('a forged plan file %#', async (text) => {
    const cwd = gitRepo({ 'plan.json': text });
    const before = treeOf(cwd);
    const { document, stdout } = await runJson(['apply', 'plan.json', '--yes'], { cwd });
    expect(document.ok).toBe(false);
    expect(document.error?.code ?? '').not.toMatch(/internal\//);
    expectHarmless(stdout);
    expect(treeOf(cwd)).toEqual(before);
  });
});

describe("a clone's manifest", () => {
  test('makes nobody call the addresses that it names', async () => {
    let calls = 0;
    const server = createServer((_, response) => {
      calls += 1;
      response.end('{}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const cwd = gitRepo({
        '.tenon/manifest.json': JSON.stringify({
          schemaVersion: 1,
          integrations: {
            vera: {
              version: '1.0.0',
              runtimes: ['claude-code'],
              inputs: { VERA_API_URL: url, VERA_MCP_URL: `${url}/mcp` },
            },
          },
          servers: { s: { runtimes: ['claude-code'], http: { url: `${url}/s/mcp` } } },
        }),
      });
      const home = makeHome();
      for (const args of [
        ['status'],
        ['doctor'],
        ['doctor', '--live'],
        ['plan'],
        ['sync', '--yes'],
        ['sync', '--check'],
        ['adopt', '--yes'],
        ['setup', 'vera', '--yes'],
        ['trust'],
        ['uninstall', '--yes'],
      ])
        expect([args, (await runCli(args, { cwd, home })).code === 2]).toEqual([args, false]);
      expect(calls).toBe(0);
      await runCli(['add', 'mine', `${url}/mine`, ...RUNTIME, '--yes'], { cwd: gitRepo() });
      expect(calls).toBeGreaterThan(0);
    } finally {
      server.close();
    }
  });
});
