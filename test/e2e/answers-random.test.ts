import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { isUnchanged } from '../../src/system/unchanged.ts';
import { makeHome, runCli } from '../helpers/cli.ts';
import { git, gitRepo, writeTree } from '../helpers/repo.ts';

// Whatever changes on the machine, a kept answer is what the long way says. The other tests name their changes; here they
// are drawn from everything that is there. TENON_TEST_SEED and TENON_TEST_STEPS draw others and more.

process.env['TENON_TEST_ANSWERS'] ??= 'kept';

const SEED = Number(process.env['TENON_TEST_SEED'] ?? 20);
const STEPS = Number(process.env['TENON_TEST_STEPS'] ?? 10);
const RUNTIMES = ['claude-code', 'codex', 'opencode', 'gemini', 'cursor', 'vscode'];
const SETUP = [
  ...['setup', 'vera', '--yes', '--offline', '--set', 'VERA_API_URL=http://127.0.0.1:1'],
  ...['--set', 'VERA_MCP_URL=http://127.0.0.1:1/mcp', ...RUNTIMES.flatMap((id) => ['--runtime', id])],
];
const ASKED = [
  ['status'],
  ['status', '--json'],
  ['doctor', '--offline'],
  ['doctor', '--offline', '--json'],
  ['sync', '--check'],
  ['sync', '--check', '--json'],
];
/** What coding tools and git read and what is not there yet. */
const NEW = [
  ...['.claude/settings.local.json', '.codex/hooks.json', '.vscode/settings.json', '.cursor/rules/a.mdc'],
  ...['AGENTS.md', '.gitignore', '.claude/skills/other/SKILL.md', 'sub/.mcp.json', 'sub/.git/HEAD'],
  ...['.config/opencode/opencode.json', '.gemini/settings.json', '.claude.json', '.gitconfig', 'notes.txt'],
];
const VARIABLES = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'XDG_CONFIG_HOME', 'FORCE_COLOR', 'LC_ALL', 'TZ', 'CI'];
const PROGRAMS = ['claude', 'codex', 'gemini', 'node', 'other'];

/** Numbers in [0, 1) that are the same for the same seed (Numerical Recipes' linear congruential generator). */
function numbersOf(seed: number): () => number {
  let at = seed;
  return () => {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223) >>> 0;
    return at / 2 ** 32;
  };
}

const random = numbersOf(SEED);
function pick<T>(from: readonly T[]): T {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

const made: string[] = [];
afterAll(() => {
  for (const one of made) fs.rmSync(one, { recursive: true, force: true });
});

/** Every path below a folder, but for the objects of git. */
function below(folder: string): string[] {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const at = path.join(folder, entry.name);
      return entry.isDirectory() && entry.name !== 'objects' ? [at, ...below(at)] : [at];
    });
}

const CHANGES: Readonly<Record<string, (at: string) => void>> = {
  removes: (at) => fs.rmSync(at, { recursive: true }),
  'edits to the same length, with the old times': (at) => {
    const bytes = fs.readFileSync(at);
    const { atime, mtime } = fs.statSync(at);
    bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
    fs.writeFileSync(at, bytes);
    fs.utimesSync(at, atime, mtime);
  },
  'changes the rights of': (at) =>
    fs.chmodSync(at, fs.lstatSync(at).isFile() ? pick([0o600, 0o644, 0o755, 0o777]) : pick([0o700, 0o755])),
  'puts a link in the place of': (at) => {
    fs.renameSync(at, `${at}.moved`);
    fs.symlinkSync(`${path.basename(at)}.moved`, at);
  },
  'puts a copy in the place of': (at) => {
    fs.cpSync(at, `${at}.new`, { recursive: true, verbatimSymlinks: true });
    fs.rmSync(at, { recursive: true });
    fs.renameSync(`${at}.new`, at);
  },
  'adds to the folder': (at) => fs.writeFileSync(path.join(at, pick(['new', '.git', 'package.json'])), '{}'),
};
const GIT = [
  ['checkout', '-q', '-b', 'other'],
  ['add', '-A'],
  ['config', 'core.excludesFile', '/dev/null'],
  ['rm', '-rq', '--cached', '.'],
  ['worktree', 'add', '-q', '-b', 'beside', 'beside'],
];

it('says what the long way says, whatever has changed', async () => {
  const cwd = gitRepo({
    '.mcp.json': '{ "mcpServers": { "ours": { "command": "x" } } }\n',
    'opencode.json': '{}\n',
    'AGENTS.md': '# ours\n',
    'sub/file': '',
  });
  const home = makeHome();
  const bin = path.join(home, 'bin');
  fs.mkdirSync(bin);
  const sound = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-sound-'));
  made.push(sound);
  const copy = { recursive: true, verbatimSymlinks: true } as const;
  const env = { PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}` };
  const answers = path.join(home, '.local', 'state', 'tenon', 'answers');
  const run = async (args: readonly string[], extra: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, stderr } = await runCli(args, { cwd, home, env: { ...env, ...extra } });
    return { code, stdout, stderr };
  };

  /** Changes one thing; gives what it was and the variables to ask with. */
  function change(): { readonly what: string; readonly extra: Readonly<Record<string, string>> } {
    const kind = random();
    const told = (what: string, extra = {}) => ({
      what: what.replaceAll(cwd, '.').replaceAll(home, '~'),
      extra,
    });
    if (kind < 0.12) {
      const extra = { [pick(VARIABLES)]: pick(['', '1', cwd, 'en_US.ISO-8859-1']) };
      return told(JSON.stringify(extra), extra);
    }
    if (kind < 0.4) {
      const at = path.join(pick([cwd, home]), pick(NEW));
      writeTree(path.dirname(at), { [path.basename(at)]: pick(['{}\n', '*\n', 'vera\n']) });
      return told(`writes ${at}`);
    }
    if (kind < 0.48) {
      const at = pick(PROGRAMS);
      writeTree(bin, { [at]: { text: '#!/bin/sh\n', mode: pick([0o755, 0o644]) } });
      return told(`makes the program ${at}`);
    }
    if (kind < 0.58) {
      const words = pick(GIT);
      git(cwd, words);
      return told(`git ${words.join(' ')}`);
    }
    const at = pick(below(pick([cwd, cwd, home])));
    const [what, how] = pick(Object.entries(CHANGES));
    how(at);
    return told(`${what} ${at}`);
  }

  const isFresh = (): boolean => {
    try {
      return fs
        .readdirSync(answers)
        .some((name) => isUnchanged(JSON.parse(fs.readFileSync(path.join(answers, name), 'utf8'))));
    } catch {
      return false;
    }
  };
  /** Everything as it was, but for times and inodes; a setup that has nothing to do brings the answers up to date. */
  async function restore(): Promise<void> {
    for (const folder of [cwd, home]) {
      for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
      fs.cpSync(path.join(sound, path.basename(folder)), folder, copy);
    }
    expect(await run(SETUP)).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to do') });
    expect(isFresh()).toBe(true);
  }

  expect((await run(SETUP)).code).toBe(0);
  for (const folder of [cwd, home]) fs.cpSync(folder, path.join(sound, path.basename(folder)), copy);
  expect(isFresh()).toBe(true);
  let steps: string[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    if (!isFresh()) {
      await restore();
      steps = [];
    }
    await sleep(30);
    let extra: Readonly<Record<string, string>> = {};
    try {
      const changed = change();
      steps.push(changed.what);
      extra = changed.extra;
    } catch (error) {
      // The system or git refuses what makes no sense, such as a file in a file.
      if (!(error instanceof Error && ('code' in error || 'status' in error))) throw error;
      steps.push(error.message);
    }
    // The setup writes where something has changed.
    const asked = pick(isFresh() && Object.keys(extra).length === 0 ? [...ASKED, SETUP] : ASKED);
    const about = `seed ${SEED}, step ${step}: ${steps.join('; ')}; ${asked.slice(0, 3).join(' ')}`;
    expect(await run(asked, extra), about).toEqual(await run(asked, { ...extra, TENON_ANSWERS: '0' }));
  }
}, 120_000);
