import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runJson } from '../helpers/cli.ts';
import { gitRepo, scratch, treeHash } from '../helpers/repo.ts';

const NODE = resolve(process.execPath, '..');
const FAKE = join(import.meta.dirname, '..', 'helpers', 'fake-gemini.mjs');

/** A machine with a client called gemini, and a repository. */
function machine(behaviour = 'fine') {
  const bin = scratch('tenon-bin-');
  copyFileSync(FAKE, join(bin, 'gemini.mjs'));
  // Node takes a module without a package only by its ending.
  writeFileSync(
    join(bin, 'gemini'),
    `#!/bin/sh\nexec "${process.execPath}" "$(dirname "$0")/gemini.mjs" "$@"\n`,
  );
  chmodSync(join(bin, 'gemini'), 0o755);
  const temp = scratch('tenon-temp-');
  const state = join(scratch('tenon-state-'), 'tenon');
  const at = {
    bin,
    temp,
    state,
    cwd: gitRepo({ 'README.md': 'x\n' }),
    home: makeHome(),
    env: { PATH: [bin, NODE, '/usr/bin', '/bin'].join(delimiter), TMPDIR: temp, TENON_STATE_DIR: state },
  };
  behave(at, behaviour);
  return at;
}

type Machine = ReturnType<typeof machine>;

const behave = ({ bin }: Pick<Machine, 'bin'>, word: string) => writeFileSync(join(bin, 'behaviour'), word);
const calls = ({ bin }: Machine): string[] =>
  existsSync(join(bin, 'calls')) ? readFileSync(join(bin, 'calls'), 'utf8').trimEnd().split('\n') : [];
const lists = (at: Machine): number => calls(at).filter((line) => line.startsWith('mcp list')).length;
const certify = (at: Machine, more: readonly string[] = []) =>
  runJson(['certify', 'gemini-cli', ...more], at);
const steps = (document: { data: { steps: { id: string; status: string }[] } }) =>
  Object.fromEntries(document.data.steps.map(({ id, status }) => [id, status]));

describe('tenon certify', () => {
  it('proves a client in a scratch repository and a scratch home, and leaves nothing but the evidence', async () => {
    const at = machine();
    const before = [treeHash(at.cwd, { git: true }), treeHash(at.home)];
    const { code, stderr, document } = await certify(at);
    expect([code, stderr]).toEqual([0, '']);
    expect(document).toMatchObject({
      schema: 'tenon/certify/v1',
      ok: true,
      data: { result: 'passed', reused: false, version: '0.61.0' },
    });
    expect(steps(document)).toEqual({
      'list-before': 'pass',
      setup: 'pass',
      asks: 'skip',
      seen: 'pass',
      reached: 'pass',
      uninstall: 'pass',
      tree: 'pass',
      'list-after': 'pass',
    });
    expect([treeHash(at.cwd, { git: true }), treeHash(at.home)]).toEqual(before);
    expect(readdirSync(at.temp)).toEqual([]);
    expect(calls(at).filter((line) => line.includes(at.home) || line.includes(at.cwd))).toEqual([]);
    const kept = join(at.state, 'evidence', 'gemini-cli.json');
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toMatchObject({ runtime: 'gemini-cli', result: 'passed' });
  });

  it('reuses a passing run for a while', async () => {
    const at = machine();
    expect((await certify(at)).code).toBe(0);
    const made = lists(at);
    const { code, document } = await certify(at);
    expect([code, document.data.reused, document.data.steps]).toEqual([0, true, []]);
    expect(lists(at)).toBe(made);
    // Older than five minutes: made anew.
    const kept = join(at.state, 'evidence', 'gemini-cli.json');
    const evidence = JSON.parse(readFileSync(kept, 'utf8'));
    writeFileSync(kept, JSON.stringify({ ...evidence, at: new Date(Date.now() - 301_000).toISOString() }));
    expect((await certify(at)).document.data.reused).toBe(false);
    expect(lists(at)).toBeGreaterThan(made);
  });

  it.each([
    ['blind', 'seen', 'does not list vera'],
    ['lies', 'reached', 'no request of it arrived'],
    ['litters', 'tree', 'litter.txt'],
    ['refuses', 'list-before', 'exit code 52'],
  ])('a client that %s fails at the step "%s"', async (behaviour, step, says) => {
    const at = machine(behaviour);
    const { code, document } = await certify(at);
    expect(code).toBe(1);
    expect(steps(document)[step]).toBe('fail');
    expect(document.findings).toMatchObject([
      { code: 'certify/failed', message: expect.stringContaining(says) },
    ]);
    expect(readdirSync(at.temp)).toEqual([]);
  });

  it('never reuses a failed run', async () => {
    const at = machine('refuses');
    expect((await certify(at)).code).toBe(1);
    const made = lists(at);
    expect((await certify(at)).document.data.reused).toBe(false);
    expect(lists(at)).toBeGreaterThan(made);
  });

  it('ends a client that hangs, and everything that it started', async () => {
    const at = machine('hang');
    const { code, document } = await certify(at, ['--timeout', '100']);
    expect(code).toBe(1);
    expect(document.findings[0].message).toContain('did not end in its time');
    const pids = readFileSync(join(at.bin, 'pids'), 'utf8').split(' ').map(Number);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(join(at.state, 'evidence', 'gemini-cli.json'))).toBe(false);
  });

  it('says why it cannot be made', async () => {
    const at = machine();
    const other = await certify({ ...machine('other'), cwd: at.cwd });
    expect([other.code, other.document.findings[0].message]).toEqual([
      1,
      expect.stringContaining('telescope'),
    ]);
    rmSync(join(at.bin, 'gemini'));
    expect((await certify(at)).document).toMatchObject({
      exitCode: 4,
      error: { code: 'certify/not-installed' },
    });
    const editor = await runJson(['certify', 'cursor'], at);
    expect(editor.document).toMatchObject({ exitCode: 4, error: { code: 'certify/not-possible' } });
    expect((await runJson(['certify', 'nobody'], at)).document).toMatchObject({
      exitCode: 2,
      error: { code: 'usage/unknown-runtime' },
    });
  });

  it('never starts a program of the repository', async () => {
    const at = machine();
    const inside = join(at.cwd, 'node_modules', '.bin');
    mkdirSync(inside, { recursive: true });
    for (const name of ['gemini', 'gemini.mjs']) copyFileSync(join(at.bin, name), join(inside, name));
    chmodSync(join(inside, 'gemini'), 0o755);
    const PATH = [inside, NODE, '/usr/bin', '/bin'].join(delimiter);
    const { document } = await runJson(['certify', 'gemini-cli'], { ...at, env: { ...at.env, PATH } });
    expect(document).toMatchObject({ exitCode: 4, error: { code: 'certify/not-installed' } });
    expect(existsSync(join(inside, 'calls'))).toBe(false);
  });
});

/** Ended processes that nobody has fetched yet count as ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const [, state] = /\) (\w)/u.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state !== 'Z';
  } catch {
    return false;
  }
}
