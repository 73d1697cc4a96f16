import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Answers } from '../../src/state/answers.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, runCli, runTerminal } from '../helpers/cli.ts';
import { git, gitRepo, scratch, stampsOf, writeTree } from '../helpers/repo.ts';
import { runWarm } from '../helpers/warm.ts';

// A run that wrote keeps what the reading commands would answer next, with everything that they look at. These tests ask
// whether a kept answer is the answer, and whether it goes as soon as anything of that changes.

process.env['TENON_TEST_ANSWERS'] ??= 'kept';

const RUNTIMES = ['--runtime', 'claude-code', '--runtime', 'codex'];
const VERA = [
  'vera',
  ...['--set', 'VERA_API_URL=http://127.0.0.1:1', '--set', 'VERA_MCP_URL=http://127.0.0.1:1/mcp'],
];
const SETUP = ['setup', ...VERA, ...RUNTIMES, '--yes', '--offline'];
const MORE = ['setup', ...VERA, '--runtime', 'opencode', '--yes', '--offline'];
const ASKED = [
  ['status'],
  ['status', '--json'],
  ['doctor', '--offline'],
  ['doctor', '--offline', '--json'],
  ['sync', '--check'],
  ['sync', '--check', '--json'],
];
const FILES = {
  '.mcp.json': '{ "mcpServers": {} }\n',
  '.codex/config.toml': '# ours\nmodel = "x"\n',
  'tools/bin/.keep': '',
};
const MARK = 'this was kept\n';

let cwd = '';
let home = '';
let bin = '';

beforeEach(() => {
  cwd = gitRepo(FILES);
  home = makeHome();
  bin = scratch();
});

const env = (extra: Readonly<Record<string, string>> = {}) => ({
  PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`,
  ...extra,
});

async function run(args: readonly string[], extra: Readonly<Record<string, string>> = {}, at = cwd) {
  const { code, stdout, stderr } = await runCli(args, { cwd: at, home, env: env(extra) });
  return { code, stdout, stderr };
}

/** The answer without any kept one, which the other is compared with. */
async function theLongWay(args: readonly string[], extra: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runWarm(args, {
    cwd,
    home,
    env: env({ ...extra, TENON_ANSWERS: '0' }),
  });
  return { code, stdout, stderr };
}

const folder = (): string => path.join(home, '.local', 'state', 'tenon', 'answers');

function keptFile(): string {
  const [name, ...more] = fs.readdirSync(folder());
  expect(more).toEqual([]);
  return path.join(folder(), name ?? '');
}

const kept = (): Answers => JSON.parse(fs.readFileSync(keptFile(), 'utf8'));

/** Replaces every kept text by one that only a kept answer can print. */
function mark(change: (answers: Answers) => unknown = (answers) => answers): void {
  const before = kept();
  const answers = before.answers.map((one) => ({ ...one, printed: [[1, MARK]] }));
  fs.writeFileSync(keptFile(), JSON.stringify(change({ ...before, answers } as unknown as Answers)));
}

async function ready(words: readonly string[] = SETUP): Promise<void> {
  expect((await run(words)).code).toBe(0);
  // Until the coarsest part of a clock has passed, so that every change below gets a time of its own.
  await sleep(30);
}

let one:
  | { readonly cwd: string; readonly home: string; readonly bin: string; readonly text: string }
  | undefined;

/** One place for all tests that change nothing but the file of kept answers, or nothing; it is shown to be used each time. */
async function readyAsBefore(): Promise<void> {
  if (one === undefined) {
    await ready();
    one = { cwd, home, bin, text: fs.readFileSync(keptFile(), 'utf8') };
  }
  ({ cwd, home, bin } = one);
  fs.writeFileSync(keptFile(), one.text);
  mark();
  expect((await run(['status'])).stdout).toBe(MARK);
}

describe('a kept answer', () => {
  it('is used for each command that is asked again and again, and is what the long way says', async () => {
    await ready();
    for (const words of ASKED) expect(await run(words), words.join(' ')).toEqual(await theLongWay(words));
    mark();
    for (const words of ASKED) expect((await run(words)).stdout, words.join(' ')).toBe(MARK);
  });

  it('is used for the same setup again, which has nothing to do', async () => {
    await ready();
    const long = await theLongWay(SETUP);
    expect(long.stdout).toContain('Nothing to do');
    expect(await run(SETUP)).toEqual(long);
    mark();
    expect((await run(SETUP)).stdout).toBe(MARK);
    // Another line of words is another question.
    expect((await run([...SETUP, '--without', 'skills'])).stdout).not.toBe(MARK);
  });

  it('is kept at once, whatever the order of the runtimes: the same setup again records nothing new', async () => {
    const mixed = ['opencode', 'gemini-cli', 'claude-code', 'cursor'].flatMap((id) => ['--runtime', id]);
    const words = ['setup', ...VERA, ...mixed, '--yes', '--offline'];
    await ready(words);
    const before = stampsOf(home);
    expect((await theLongWay(words)).stdout).toContain('Nothing to do');
    expect(stampsOf(home)).toEqual(before);
    mark();
    expect((await run(words)).stdout).toBe(MARK);
  });

  it('has the colours that its command line asks for', async () => {
    const coloured = [...SETUP, '--color'];
    await ready(coloured);
    const long = await theLongWay(coloured);
    expect(long.stdout).toContain('\u001b[');
    expect(await run(coloured)).toEqual(long);
  });

  it.skipIf(process.platform === 'win32')('that cannot be printed ends like the long way', async () => {
    await ready();
    // No file may grow: with the signal ignored the program gets an error, as from a full disk.
    const line = `trap '' XFSZ; ulimit -f 0; "${process.execPath}" "${BIN}" status > "${bin}/full"`;
    const limited = (extra?: Readonly<Record<string, string>>) =>
      spawnSync('sh', ['-c', line], { cwd, env: cleanEnv(home, env(extra)), encoding: 'utf8' });
    const long = limited({ TENON_ANSWERS: '0' });
    expect(long.status).toBe(4);
    expect(long.stderr).toContain('The output cannot be written: the file would be larger');
    expect(long.stderr).toContain('Nothing was written.');
    expect(long.stderr).not.toMatch(/^\s+at /m);
    const { status, stderr } = limited();
    expect({ status, stderr }).toEqual({ status: long.status, stderr: long.stderr });
  });

  it('keeps an exit code of 1', async () => {
    await ready();
    fs.rmSync(path.join(cwd, '.mcp.json'));
    expect((await run(MORE)).code).toBe(1);
    const long = await theLongWay(['status']);
    expect(long.code).toBe(1);
    expect(await run(['status'])).toEqual(long);
    mark();
    expect(await run(['status'])).toMatchObject({ code: 1, stdout: MARK });
  });

  it('is made by no command that only reads, and read by it without a trace', async () => {
    await ready();
    fs.rmSync(folder(), { recursive: true });
    const before = stampsOf(home);
    for (const words of ASKED) await run(words);
    expect(stampsOf(home)).toEqual(before);
    await ready(MORE);
    const later = [stampsOf(home), stampsOf(cwd)];
    for (const words of ASKED) await run(words);
    expect([stampsOf(home), stampsOf(cwd)]).toEqual(later);
  });

  it('goes with what it was about, and so does its folder', async () => {
    await ready();
    expect(fs.existsSync(folder())).toBe(true);
    expect((await run(['uninstall', 'vera', '--yes'])).code).toBe(0);
    expect(fs.existsSync(folder())).toBe(false);
  });

  it('goes when its folder is gone, with what a killed run left, as soon as something is written', async () => {
    await ready();
    const other = path.join(scratch(), 'other');
    git(scratch(), ['init', '-q', other]);
    expect((await run(SETUP, {}, other)).code).toBe(0);
    expect(fs.readdirSync(folder())).toHaveLength(2);
    fs.rmSync(other, { recursive: true });
    const own = fs
      .readdirSync(folder())
      .find((name) => fs.readFileSync(path.join(folder(), name)).includes(cwd));
    const left = { old: `${own}.0123456789ab.tmp`, young: `${own}.ba9876543210.tmp`, foreign: 'notes.txt' };
    writeTree(folder(), { [left.old]: '{', [left.young]: '{', [left.foreign]: 'x' });
    fs.utimesSync(path.join(folder(), left.old), 1, 1);
    expect((await run(MORE)).code).toBe(0);
    expect(fs.readdirSync(folder())).toEqual([own, left.young, left.foreign].sort());
  });

  it('is brought up to date by a setup or sync that has nothing to do, and is made new by none', async () => {
    await ready();
    writeTree(home, { '.codex/config.toml': 'model = "y"\n' });
    mark();
    expect((await run(['status'])).stdout).not.toBe(MARK);
    expect((await run(['sync', '--yes', '--dry-run'])).code).toBe(0);
    expect((await run(['status'])).stdout).not.toBe(MARK);
    expect((await run(['sync', '--yes'])).code).toBe(0);
    mark();
    expect((await run(['status'])).stdout).toBe(MARK);
    const before = stampsOf(home);
    expect((await run(['sync', '--yes'])).code).toBe(0);
    expect(stampsOf(home)).toEqual(before);
    fs.rmSync(folder(), { recursive: true });
    expect((await run(['sync', '--yes'])).code).toBe(0);
    expect(fs.existsSync(folder())).toBe(false);
  });

  it('is taken away by every other command that writes', async () => {
    await ready();
    expect((await run(['disable', 'vera', '--yes'])).code).toBeLessThan(2);
    expect(fs.existsSync(folder())).toBe(false);
  });

  it('is neither made nor used where it is switched off', async () => {
    await ready();
    mark();
    expect((await theLongWay(['status'])).stdout).not.toBe(MARK);
    fs.rmSync(folder(), { recursive: true });
    expect((await theLongWay(MORE)).code).toBe(0);
    expect(fs.existsSync(folder())).toBe(false);
  });

  it('is not for a terminal, another folder, other words or a strange start of Node', async () => {
    await ready();
    mark();
    const { screen } = await runTerminal(['status'], [], { cwd, home, env: env() });
    expect(screen).not.toContain(MARK.trim());
    expect((await run(['status'], {}, path.join(cwd, 'tools'))).stdout).not.toBe(MARK);
    expect((await run(['status', '--strict'])).stdout).not.toBe(MARK);
    const traced = await runCli(['status'], { cwd, home, env: env(), nodeArgs: ['--no-deprecation'] });
    expect(traced.stdout).not.toBe(MARK);
    expect((await run(['status'])).stdout).toBe(MARK);
  });

  it.skipIf(process.platform === 'win32')('is cut short by Ctrl-C, which undoes no success', async () => {
    const child = spawn(process.execPath, [BIN, ...SETUP], { cwd, env: cleanEnv(home, env()) });
    child.stdout.on('data', (text) => {
      if (String(text).includes('setup completed')) child.kill('SIGINT');
    });
    const ended = await new Promise((done) => child.on('close', (code, signal) => done({ code, signal })));
    expect(ended).toEqual({ code: 0, signal: null });
    const left = fs.existsSync(folder()) ? fs.readdirSync(folder()) : [];
    expect(left.filter((name) => !name.endsWith('.json'))).toEqual([]);
    expect((await run(['status'])).code).toBe(0);
  });

  it('is not told when it cannot be made', async () => {
    expect((await run(SETUP)).code).toBe(0);
    fs.rmSync(folder(), { recursive: true });
    fs.writeFileSync(folder(), 'a file where the folder should be');
    const done = await run(MORE);
    expect(done).toMatchObject({ code: 0, stderr: expect.not.stringContaining('answers') });
    expect((await run(['status'])).code).toBe(0);
  });
});

/** Each change is one after which a kept answer must not be given any more. */
const CHANGES: Readonly<Record<string, () => unknown>> = {
  'a file of ours, edited to the same length with its old times': () => {
    const file = path.join(cwd, '.mcp.json');
    const { atime, mtime } = fs.statSync(file);
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('127.0.0.1:1/', '127.0.0.1:2/'));
    fs.utimesSync(file, atime, mtime);
  },
  'a file of ours, replaced by its copy': () => {
    const file = path.join(cwd, '.codex', 'config.toml');
    fs.copyFileSync(file, `${file}.new`);
    fs.renameSync(`${file}.new`, file);
  },
  'a file of ours, gone': () => fs.rmSync(path.join(cwd, '.mcp.json')),
  'its rights': () => fs.chmodSync(path.join(cwd, '.mcp.json'), 0o600),
  'its folder, replaced by a link': () => {
    fs.renameSync(path.join(cwd, '.codex'), path.join(cwd, 'moved'));
    fs.symlinkSync('moved', path.join(cwd, '.codex'));
  },
  'a file of another scope, new': () => writeTree(home, { '.codex/config.toml': 'model = "y"\n' }),
  "the coding tool's own record, new": () => writeTree(home, { '.claude.json': '{ "projects": {} }\n' }),
  'the manifest': () => fs.appendFileSync(path.join(cwd, '.tenon', 'manifest.json'), '\n'),
  'the branch': () => fs.writeFileSync(path.join(cwd, '.git', 'HEAD'), 'ref: refs/heads/other\n'),
  'a rule of git': () => fs.writeFileSync(path.join(cwd, '.gitignore'), '.mcp.json\n'),
  'the ledger': () => {
    const ledger = path.join(home, '.local', 'state', 'tenon', 'ledger');
    for (const name of fs.readdirSync(ledger)) fs.appendFileSync(path.join(ledger, name), ' ');
  },
  'an apply that was interrupted': () => {
    const journal = path.join(home, '.local', 'state', 'tenon', 'journal');
    const [root] = fs.readdirSync(path.join(home, '.local', 'state', 'tenon', 'ledger'));
    fs.writeFileSync(path.join(journal, root ?? ''), '{}');
  },
  'a coding tool on PATH': () => writeTree(bin, { claude: { text: '#!/bin/sh\n', mode: 0o755 } }),
};

/** The same, of the environment alone. */
const VARIABLES: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'a variable that a place is named by': () => ({ CLAUDE_CONFIG_DIR: path.join(home, 'elsewhere') }),
  'a variable of a theme': () => ({ FORCE_COLOR: '1' }),
  'the locale': () => ({ LC_ALL: 'en_US.ISO-8859-1' }),
  'the options of Node': () => ({ NODE_OPTIONS: '--no-warnings' }),
  'another home, with the same state folder': () => {
    const other = scratch();
    writeTree(other, { '.codex/config.toml': '[mcp_servers.vera]\nurl = "http://127.0.0.1:9/mcp"\n' });
    return { HOME: other, USERPROFILE: other };
  },
  'another state folder': () => ({ TENON_STATE_DIR: path.join(home, 'empty') }),
};

describe('a kept answer is not given after a change of', () => {
  const expectNoLonger = async (extra: Readonly<Record<string, string>> = {}): Promise<void> => {
    for (const words of [
      ['status', '--json'],
      ['doctor', '--offline'],
    ]) {
      expect(await run(words, extra), words.join(' ')).toEqual(await theLongWay(words, extra));
    }
  };

  it.each(Object.entries(CHANGES))('%s', async (_, change) => {
    await ready();
    mark();
    expect((await run(['status'])).stdout).toBe(MARK);
    change();
    await expectNoLonger();
  });

  it.each(Object.entries(VARIABLES))('%s', async (_, variables) => {
    await readyAsBefore();
    await expectNoLonger(variables());
  });
});

describe('a file of kept answers is not believed', () => {
  const FORGERIES: Readonly<Record<string, (answers: Answers) => unknown>> = {
    'that names no path that was looked at': (answers) => ({ ...answers, seen: [], real: [] }),
    'that does not begin with the facts of this program': ({ seen, ...answers }) => ({
      ...answers,
      seen: [{ path: seen[0]?.path, listed: false, facts: [0] }],
      real: [],
    }),
    'of another program': (answers) => ({ ...answers, program: 'another' }),
    'of another user': (answers) => ({ ...answers, uid: answers.uid + 1 }),
    'of another folder': (answers) => ({ ...answers, cwd: home }),
    'of another form': (answers) => ({ ...answers, v: 2 }),
    'of another day': (answers) => ({ ...answers, day: '2020-01-01' }),
    'with an exit code that is none': (answers) => ({
      ...answers,
      answers: answers.answers.map((one) => ({ ...one, exit: '0' })),
    }),
    'that prints elsewhere': (answers) => ({
      ...answers,
      answers: answers.answers.map((one) => ({ ...one, printed: [[7, MARK]] })),
    }),
    'that prints no text': (answers) => ({
      ...answers,
      answers: answers.answers.map((one) => ({ ...one, printed: [[1, null]] })),
    }),
    'that is no object': () => [],
    'whose parts are of other types': (answers) => ({ ...answers, seen: 'x', env: 7 }),
    'with a text where facts should be': (answers) => ({
      ...answers,
      seen: answers.seen.map((one) => ({ ...one, facts: '2' })),
    }),
  };

  it.each(Object.entries(FORGERIES))('%s', async (_, forge) => {
    await readyAsBefore();
    mark(forge);
    const long = await theLongWay(['status']);
    expect(await run(['status'])).toEqual(long);
  });

  it('that others may write, that is a link, is no JSON or is too large', async () => {
    await ready();
    mark();
    const file = keptFile();
    const text = fs.readFileSync(file);
    const long = await theLongWay(['status']);
    fs.chmodSync(file, 0o666);
    expect(await run(['status'])).toEqual(long);
    fs.chmodSync(file, 0o600);
    expect((await run(['status'])).stdout).toBe(MARK);
    for (const bad of ['', '{', '['.repeat(100_000), `${text}${' '.repeat(4 * 1024 * 1024)}`]) {
      fs.writeFileSync(file, bad);
      expect(await run(['status'])).toEqual(long);
    }
    fs.renameSync(file, `${file}.real`);
    fs.writeFileSync(`${file}.real`, text);
    fs.symlinkSync(`${file}.real`, file);
    expect(await run(['status'])).toEqual(long);
  });

  it('that a repository carries: its state folder speaks for nobody', async () => {
    await ready();
    mark();
    const inside = path.join(cwd, 'carried');
    fs.cpSync(path.join(home, '.local', 'state', 'tenon'), inside, { recursive: true });
    const extra = { TENON_STATE_DIR: inside };
    const name = path.basename(keptFile());
    // With everything in it that somebody who wrote it elsewhere could know, and more: the variables too.
    const forged = { ...kept(), env: [] };
    fs.writeFileSync(path.join(inside, 'answers', name), JSON.stringify(forged), { mode: 0o600 });
    const answer = await run(['status'], extra);
    expect(answer.stdout).not.toBe(MARK);
    expect(answer.stderr).toContain('state/unsafe');
  });
});

it('holds no value of a variable', async () => {
  const secret = 'sk-proj-Zq8wKx3vT1nB7mL5';
  const extra = { VERA_API_KEY: secret, CLAUDE_CONFIG_DIR: path.join(home, 'named') };
  expect((await run(SETUP, extra)).code).toBe(0);
  const text = fs.readFileSync(keptFile(), 'utf8');
  expect(text).not.toContain(secret);
  for (const [, value] of kept().env) expect(value === null || /^[0-9a-f]{7}$/.test(value)).toBe(true);
  expect(fs.statSync(keptFile()).mode & 0o777).toBe(0o600);
  expect(fs.statSync(folder()).mode & 0o777).toBe(0o700);
});
