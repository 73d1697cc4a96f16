import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { cleanEnv } from '../helpers/clean-env.ts';
import { makeHome, PACKAGE } from '../helpers/cli.ts';
import { gitRepo, scratch } from '../helpers/repo.ts';

/** Bytes of the installed package: 1 MB is a promise (README). Room is made with scripts/pack-chunks.mjs, not here. */
const BUDGET = 1_000_000;

const folder = scratch();
const home = makeHome();
const env = cleanEnv(home);
let installed = '';
let tarball = '';
let files: string[] = [];

const npm = (args: readonly string[], cwd: string): string =>
  execFileSync('npm', [...args], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

beforeAll(() => {
  const name = npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], PACKAGE).trim();
  tarball = join(folder, name);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{ "private": true }');
  npm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], empty);
  installed = join(empty, 'node_modules', 'tenon');
  files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(installed, name)).isFile(),
  );
}, 120_000);

const run = (args: readonly string[], cwd: string) =>
  spawnSync(join(folder, 'empty', 'node_modules', '.bin', 'tenon'), [...args], {
    cwd,
    env,
    encoding: 'utf8',
    input: '',
    timeout: 60_000,
  });

describe('the packed package', () => {
  it('is one package that brings no other', () => {
    const modules = readdirSync(join(folder, 'empty', 'node_modules')).filter(
      (name) => !name.startsWith('.'),
    );
    expect(modules).toEqual(['tenon']);
  });

  it('holds what it should and nothing else', () => {
    const kinds = new Set(
      files.map((name) =>
        name
          .replaceAll('\\', '/')
          .replace(/^dist\/[\w.-]+\.cjs(\.br)?$/, 'dist/*.cjs$1')
          .replace(/^schema\/[\w-]+\.json$/, 'schema/*.json')
          .replace(/^templates\/.*$/, 'templates/**'),
      ),
    );
    const required = [
      'bin/cli.cjs',
      'bin/lane.cjs',
      'bin/load.cjs',
      'dist/*.cjs',
      'dist/*.cjs.br',
      'dist/data-index.json',
      'dist/spec-notes.json.br',
      'dist/specs.json',
      'package.json',
      'schema/*.json',
      'templates/**',
    ];
    const allowed = [...required, 'bin/cli.mjs', 'LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.md'];
    for (const one of required) expect([...kinds], one).toContain(one);
    for (const one of kinds) expect(allowed, one).toContain(one);
  });

  it(`is not larger than ${BUDGET} bytes`, () => {
    const bytes = files.reduce((sum, name) => sum + statSync(join(installed, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(BUDGET);
  });

  it('is packed as written down', () => {
    // What is added to the package shows up here; chunks come and go with the modules that are loaded when needed.
    const names = files
      .map((name) => name.replaceAll('\\', '/').replace(/^dist\/.*\.cjs(\.br)?$/, 'dist/*.cjs$1'))
      .sort();
    expect(`${[...new Set(names)].join('\n')}\n`).toMatchSnapshot();
  });

  it('has nothing that publint calls an error', async () => {
    const { messages } = await publint({ pkgDir: installed, level: 'error', pack: false });
    expect(messages).toEqual([]);
  });

  it('offers no module to import and therefore no types, which attw confirms', async () => {
    const report = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    expect('problems' in report ? report.problems.map(({ kind }) => kind) : []).toEqual(
      Array.from({ length: 4 }, () => 'NoResolution'),
    );
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
    for (const field of ['main', 'module', 'exports', 'types']) expect(manifest).not.toHaveProperty(field);
  });

  it('holds no path of the machine that built it', () => {
    for (const name of files) {
      if (!/\.(cjs|json|md)$/.test(name)) continue;
      expect(readFileSync(join(installed, name), 'utf8').includes(process.cwd()), name).toBe(false);
    }
  });
});

describe('every command starts from the installed package', () => {
  it.each(COMMANDS.map(({ name }) => name))('tenon %s --help', (name) => {
    const { status, stdout } = run([name, '--help'], home);
    expect(status).toBe(0);
    expect(stdout).toContain(`tenon ${name}`);
  });

  it('does its work', () => {
    const repo = gitRepo();
    const steps: [string[], number][] = [
      [['setup', 'tenon', '--runtime', 'claude-code', '--yes'], 0],
      [['status'], 0],
      [['doctor', '--offline', '--json'], 0],
      [['plan', '--json'], 0],
      [['sync', '--check'], 0],
      [['history'], 0],
      [['runtimes', 'codex'], 0],
      [['explain', 'config/malformed'], 0],
      [['completion', 'bash'], 0],
      [['new', 'integration', 'acme'], 0],
      [['validate', './acme', '--runtime', 'codex'], 0],
      [['trust', '--list'], 0],
      [['state', 'export', join(folder, 'state.json')], 0],
      [['mcp'], 0],
      [['recover'], 0],
      [['uninstall', '--yes'], 0],
      [['undo', '--dry-run'], 0],
      [['apply', 'nowhere.plan'], 2],
      [['add', 'docs', 'https://docs.example/mcp', '--offline', '--runtime', 'codex', '--yes'], 0],
      [['adopt'], 0],
      [['forget', 'nowhere.json#/x'], 2],
      [['disable', 'docs', '--yes'], 0],
      [['enable', 'docs', '--yes'], 0],
      [['certify', 'nothing'], 2],
      [['sandbox', '--port', 'none'], 2],
    ];
    // Every command is among them.
    expect([...new Set(steps.map(([[name]]) => name))].sort()).toEqual(
      COMMANDS.map(({ name }) => name).sort(),
    );
    for (const [args, code] of steps) {
      const { status, stdout, stderr } = run(args, repo);
      expect(status, `tenon ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(code);
    }
  }, 120_000);
});
