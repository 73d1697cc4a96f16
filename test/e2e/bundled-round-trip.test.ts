import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, runJson, runTerminal } from '../helpers/cli.ts';
import { git, gitRepo, treeHash } from '../helpers/repo.ts';

interface Spec {
  readonly id: string;
  readonly mcp?: { readonly places: readonly { readonly scope: string }[]; readonly stdio?: unknown };
}
interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly subject: string;
}

const specs = readdirSync('specs').map(
  (name) => JSON.parse(readFileSync(join('specs', name), 'utf8')) as Spec,
);
/** Every runtime that takes a server started as a program, in a file of the project. */
const runtimes = specs
  .filter(({ mcp }) => mcp?.stdio !== undefined && mcp.places.some(({ scope }) => scope === 'project'))
  .map(({ id }) => id);

/** A repository with the files of every runtime as its users have them; where several have one, the first. */
function inUse(): { cwd: string; home: string } {
  const cwd = gitRepo();
  for (const id of runtimes) {
    const before = join('test/runtimes', id, 'existing/before');
    if (!existsSync(before)) continue;
    for (const path of readdirSync(before, { recursive: true, encoding: 'utf8' })) {
      const target = join(cwd, path);
      if (path.startsWith('home') || statSync(join(before, path)).isDirectory() || existsSync(target))
        continue;
      cpSync(join(before, path), target, { recursive: true });
    }
  }
  writeFileSync(join(cwd, 'pyproject.toml'), '[project]\nname = "shop"\nversion = "1.0.0"\n');
  git(cwd, ['add', '-A']);
  git(cwd, ['commit', '-q', '-m', 'Start']);
  return { cwd, home: makeHome() };
}

const INTEGRATIONS: Readonly<Record<string, readonly string[]>> = {
  vaultspec: [],
  'vaultspec read-only': ['--set', 'ACCESS=read-only', '--set', 'MODE=dev', '--set', 'TARGET_DIR=docs'],
  veritas: [
    '--set',
    'API_URL=http://127.0.0.1:3001',
    '--set',
    'MCP_COMMAND=node',
    '--set',
    'MCP_ENTRY=board/mcp.js',
  ],
};

describe.each(Object.entries(INTEGRATIONS))('%s', (name, inputs) => {
  const [id = ''] = name.split(' ');

  it('is set up in every runtime at once, diagnosed, and leaves every byte as it was', async () => {
    expect(runtimes).toEqual(
      expect.arrayContaining(['claude-code', 'codex', 'opencode', 'antigravity', 'continue']),
    );
    const at = inUse();
    const env = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':') };
    const before = treeHash(at.cwd);
    const flags = runtimes.flatMap((runtime) => ['--runtime', runtime]);
    const setup = await runJson(['setup', id, ...flags, '--yes', '--offline', ...inputs], { ...at, env });
    expect(setup.code, setup.stdout).toBe(0);
    const completed = Object.keys(setup.document.data.completed);
    expect(completed.sort()).toEqual([...runtimes].sort());
    expect(treeHash(at.cwd)).not.toBe(before);

    const again = await runJson(['setup', id, ...flags, '--yes', '--offline', ...inputs], { ...at, env });
    expect(again.document.data.changed?.files ?? []).toEqual([]);

    const doctor = await runJson(['doctor', '--offline'], { ...at, env });
    const errors = (doctor.document.findings as Finding[]).filter(({ severity }) => severity === 'error');
    expect(errors).toEqual([]);

    const out = await runJson(['uninstall', id, '--yes'], { ...at, env });
    expect(out.code, out.stdout).toBe(0);
    expect(git(at.cwd, ['status', '--porcelain', '--ignored'])).toBe('');
    expect(treeHash(at.cwd)).toBe(before);
  });
});

describe('vaultspec', () => {
  const run = (at: { cwd: string; home: string }, ...args: string[]) =>
    runJson([...args, '--offline'], {
      ...at,
      env: { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':') },
    });

  it('takes the mode that the project speaks for only as a choice of this host', async () => {
    const at = { cwd: gitRepo(), home: makeHome() };
    writeFileSync(join(at.cwd, 'pyproject.toml'), '[dependency-groups]\ndev = ["vaultspec-core"]\n');
    const plan = await run(at, 'plan', 'vaultspec', '--runtime', 'claude-code', '--explain');
    const findings: Finding[] = plan.document.findings;
    expect(findings.find(({ code }) => code === 'input/from-repository')).toMatchObject({
      severity: 'info',
      message: 'MODE is dev, because pyproject.toml lists vaultspec-core under dependency-groups',
    });
    expect(plan.document.data.origins).toContainEqual(
      expect.objectContaining({ name: 'MODE', value: 'dev', origin: 'repository' }),
    );
    const unseen = await run(at, 'setup', 'vaultspec', '--runtime', 'claude-code', '--yes');
    expect([unseen.code, unseen.document.error?.code]).toEqual([3, 'trust/required']);
    expect(existsSync(join(at.cwd, '.mcp.json'))).toBe(false);
    const chosen = await run(
      at,
      'setup',
      'vaultspec',
      '--runtime',
      'claude-code',
      '--yes',
      '--set',
      'MODE=dev',
    );
    expect(chosen.code, chosen.stdout).toBe(0);
    const entry = JSON.parse(readFileSync(join(at.cwd, '.mcp.json'), 'utf8')).mcpServers['vaultspec-core'];
    expect(entry.args).toEqual(['run', '--no-sync', 'python', '-P', '-m', 'vaultspec_core.mcp_server.app']);
  });

  it('asks a person for the mode that the project speaks for, with the file named', async () => {
    const at = { cwd: gitRepo(), home: makeHome() };
    writeFileSync(join(at.cwd, 'pyproject.toml'), '[project]\ndependencies = ["vaultspec-core"]\n');
    const { code, screen } = await runTerminal(
      ['setup', 'vaultspec', '--runtime', 'claude-code', '--offline'],
      [
        { expect: /pyproject\.toml lists vaultspec-core under[\s\S]*● dependency/, send: '\r' },
        { expect: 'Apply', send: '\u001b[B\r' },
      ],
      at,
    );
    expect(code, screen).toBe(0);
    const entry = JSON.parse(readFileSync(join(at.cwd, '.mcp.json'), 'utf8')).mcpServers['vaultspec-core'];
    expect([entry.command, entry.args[0]]).toEqual(['uv', 'run']);
    expect((await run(at, 'sync', '--check')).code).toBe(0);
  });

  it('goes without its project file, which only a setup needs', async () => {
    const at = { cwd: gitRepo(), home: makeHome() };
    const refused = await run(
      at,
      'setup',
      'vaultspec',
      '--runtime',
      'codex',
      '--yes',
      '--set',
      'MODE=dependency',
    );
    expect([refused.code, refused.document.error?.code]).toEqual([4, 'input/contradiction']);
    const file = join(at.cwd, 'pyproject.toml');
    writeFileSync(file, '[project]\nname = "shop"\n');
    const before = treeHash(at.cwd);
    const done = await run(
      at,
      'setup',
      'vaultspec',
      '--runtime',
      'codex',
      '--yes',
      '--set',
      'MODE=dependency',
    );
    expect(done.code, done.stdout).toBe(0);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, '[project\n');
    expect((await run(at, 'status')).code).toBe(0);
    expect((await run(at, 'uninstall', 'vaultspec', '--yes')).code).toBe(0);
    writeFileSync(file, text);
    expect(treeHash(at.cwd)).toBe(before);
  });

  it.each(['read-write', 'read-only'])(
    'says in plan and doctor that vault text leaves the machine, %s',
    async (access) => {
      const at = { cwd: gitRepo(), home: makeHome() };
      const flags = ['vaultspec', '--runtime', 'claude-code', '--set', `ACCESS=${access}`];
      const told = (document: { findings: Finding[] }) =>
        document.findings.filter(({ code }) => code === 'disclosure/data').map(({ message }) => message);
      expect(told((await run(at, 'plan', ...flags)).document)).toEqual([]);
      const on = ['--set', 'HOSTED_SEARCH_KEY_ENV=TEAM_SEARCH_KEY'];
      const plan = await run(at, 'plan', ...flags, ...on);
      expect(told(plan.document)).toEqual([
        expect.stringMatching(
          /key in TEAM_SEARCH_KEY.*vault text leaves this machine, in read-only mode too/,
        ),
      ]);
      expect((await run(at, 'setup', ...flags, ...on, '--yes')).code).toBe(0);
      expect(told((await run(at, 'doctor')).document)).toHaveLength(1);
      const entry = JSON.parse(readFileSync(join(at.cwd, '.mcp.json'), 'utf8')).mcpServers['vaultspec-core'];
      expect(entry.env).toEqual({ VAULTSPEC_CORE_TYPESAFE_API_KEY: '${TEAM_SEARCH_KEY}' });
      expect(entry.args.includes('--read-only')).toBe(access === 'read-only');
    },
  );
});
