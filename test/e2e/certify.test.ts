import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cleanEnv } from '../helpers/clean-env.ts';
import { BIN, makeHome, PACKAGE, runCli, runJson } from '../helpers/cli.ts';
import { packageWith } from '../helpers/package-copy.ts';
import { expectEnded } from '../helpers/processes.ts';
import { gitRepo, scratch, treeHash, writeTree } from '../helpers/repo.ts';

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
    await expectEnded(pids);
    expect(existsSync(join(at.state, 'evidence', 'gemini-cli.json'))).toBe(false);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const at = machine('hang');
    const temp = { TMPDIR: at.temp, TENON_STATE_DIR: at.state };
    const child = spawn(process.execPath, [BIN, 'certify', 'gemini-cli'], {
      cwd: at.cwd,
      env: cleanEnv(at.home, { ...at.env, ...temp }),
      stdio: 'ignore',
    });
    const started = () => expect(readFileSync(join(at.bin, 'pids'), 'utf8')).toMatch(/^\d+ \d+$/);
    await vi.waitFor(started, { timeout: 30_000, interval: 50 });
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(130);
    const pids = readFileSync(join(at.bin, 'pids'), 'utf8').split(' ').map(Number);
    await expectEnded(pids);
    expect(readdirSync(at.temp)).toEqual([]);
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

describe('the tier that evidence makes', () => {
  const TIER = (document: { data: { runtimes: { id: string; tier?: object }[] } }) =>
    document.data.runtimes.find(({ id }) => id === 'gemini-cli')?.tier;
  const codes = (document: { findings: { code: string; severity: string; subject: string }[] }) =>
    document.findings
      .filter(({ subject, code }) => subject === 'gemini-cli' && code.startsWith('host/'))
      .map(({ code, severity }) => `${code} ${severity}`);

  const server = createServer((_, response) => response.end('{}'));
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  afterAll(() => server.close());

  /** A server is set up for the fake client, which its user trusts here. */
  async function setUp(packageDir = PACKAGE) {
    const at = { ...machine(), packageDir };
    const add = ['add', 'pantry', url, '--runtime', 'gemini-cli', '--offline', '--yes'];
    expect(await runCli(add, at)).toMatchObject({ code: 0 });
    writeTree(at.home, { '.gemini/trustedFolders.json': JSON.stringify({ [at.cwd]: 'TRUST_FOLDER' }) });
    return at;
  }

  it('is a warning before, a pass after, and the same in every command', async () => {
    const at = await setUp();
    const before = await runJson(['doctor', '--offline'], at);
    expect([before.code, TIER(before.document)]).toMatchObject([
      0,
      { state: 'configured', failureClass: 'none' },
    ]);
    expect(codes(before.document)).toEqual(['host/not-certified warning']);
    expect((await runJson(['doctor', '--offline', '--strict'], at)).code).toBe(1);

    expect((await certify(at)).code).toBe(0);
    const after = await runJson(['doctor', '--offline'], at);
    expect(TIER(after.document)).toMatchObject({ state: 'certified', failureClass: 'none' });
    expect(codes(after.document)).toEqual([]);
    expect((await runJson(['doctor', '--offline', '--strict'], at)).code).toBe(0);
    const { document: status } = await runJson(['status'], at);
    expect(status.data.runtimes['gemini-cli'].tier).toMatchObject({ state: 'certified' });
    const { document: listed } = await runJson(['runtimes', 'gemini-cli'], at);
    expect(listed.data.runtimes[0]).toMatchObject({
      state: 'certified',
      support: expect.stringMatching(/^tier/),
    });
    expect((await runCli(['status'], at)).stdout).toContain('certified');
    expect((await runCli(['runtimes', 'gemini-cli'], at)).stdout).toMatch(
      /^certified: .*\nCertification of 0\.61\.0/m,
    );
    expect((await runCli(['doctor', '--offline'], at)).stdout).toMatch(/tier +. certified/);

    // The same bytes, another version: only the client itself can say so.
    writeFileSync(join(at.bin, 'version'), '0.99.0');
    const asked = await runJson(['doctor', '--offline', '--clients'], at);
    expect(TIER(asked.document)).toMatchObject({
      state: 'configured',
      failureClass: 'certification-stale',
      reason: expect.stringContaining('from 0.61.0 to 0.99.0'),
    });
    // Older than tested, and another program: degraded, an error.
    writeFileSync(join(at.bin, 'version'), '0.1.0');
    const old = await runJson(['doctor', '--offline', '--clients'], at);
    expect([old.code, TIER(old.document)]).toMatchObject([
      1,
      { state: 'degraded', failureClass: 'incompatible-build' },
    ]);
    expect(codes(old.document)).toContain('host/degraded error');
    behave(at, 'other');
    const other = await runJson(['doctor', '--offline', '--clients'], at);
    expect(TIER(other.document)).toMatchObject({
      state: 'degraded',
      reason: expect.stringContaining('telescope'),
    });
  });

  it('goes with the build, the spec and the template, each alone', async () => {
    const packageDir = packageWith({});
    const at = await setUp(packageDir);
    expect((await certify(at)).code).toBe(0);
    const stale = async () => TIER((await runJson(['doctor', '--offline'], at)).document);
    expect(await stale()).toMatchObject({ state: 'certified' });

    const program = join(at.bin, 'gemini');
    const bytes = readFileSync(program);
    writeFileSync(program, `${bytes}# the same version, another build\n`);
    expect(await stale()).toMatchObject({
      state: 'configured',
      reason: expect.stringContaining('build changed'),
    });
    writeFileSync(program, bytes);
    expect(await stale()).toMatchObject({ state: 'certified' });

    const template = join(packageDir, 'templates', 'vera', 'blocks');
    mkdirSync(template, { recursive: true });
    writeFileSync(join(template, 'one-more.md'), 'x\n');
    expect(await stale()).toMatchObject({ reason: expect.stringContaining('integration vera') });
    rmSync(join(template, 'one-more.md'));
    expect(await stale()).toMatchObject({ state: 'certified' });

    const specs = join(packageDir, 'dist', 'specs.json');
    writeFileSync(specs, readFileSync(specs, 'utf8').replace('"title":"Gemini CLI"', '"title":"Gemini"'));
    expect(await stale()).toMatchObject({
      failureClass: 'certification-stale',
      reason: expect.stringContaining('spec'),
    });

    // A run that fails is kept too, and says so until one passes.
    behave(at, 'blind');
    expect((await certify(at)).code).toBe(1);
    const failed = await runJson(['doctor', '--offline'], at);
    expect([failed.code, TIER(failed.document)]).toMatchObject([
      1,
      { state: 'degraded', failureClass: 'run-failed' },
    ]);
  });

  it('is a warning where the client is not on this machine, which a repository can accept', async () => {
    const at = await setUp();
    rmSync(join(at.bin, 'gemini'));
    const gone = await runJson(['doctor', '--offline'], at);
    expect([gone.code, TIER(gone.document)]).toMatchObject([
      0,
      { state: 'configured', failureClass: 'not-installed' },
    ]);
    expect(codes(gone.document)).toEqual(['host/not-certified warning']);
    const file = join(at.cwd, '.tenon', 'manifest.json');
    const accepted = [{ code: 'host/not-certified', reason: 'no coding tools here', expires: '2999-12-31' }];
    writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), suppressions: accepted }),
    );
    const { code, document } = await runJson(['doctor', '--offline', '--strict'], at);
    expect([code, codes(document)]).toEqual([0, ['host/not-certified info']]);
  });
});
