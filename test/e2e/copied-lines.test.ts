import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addVera, type Bench, bench, expectCode, setupVera } from '../helpers/bench.ts';
import { git } from '../helpers/repo.ts';

// Lines that tenon prints for copying do in a shell what they say.

const make = (): Bench => {
  const repo = bench({ '.mcp.json': '{\n  "mcpServers": {}\n}\n', 'src/deep/x.txt': 'x\n' });
  git(repo.root, ['add', '-A']);
  git(repo.root, ['commit', '-q', '-m', 'init']);
  return repo;
};
const shell = (line: string, cwd: string): string =>
  execFileSync('sh', ['-c', line], { cwd, encoding: 'utf8', stdio: 'pipe' });
const staged = (repo: Bench): string[] =>
  shell('git diff --cached --name-only', repo.root)
    .split('\n')
    .filter((line) => line !== '');

describe('the git add line', () => {
  it('stages every changed file, from a folder below the root too', async () => {
    const repo = make();
    const cwd = path.join(repo.root, 'src', 'deep');
    const run = await repo.json(setupVera(['claude-code']), { cwd });
    expectCode(run, 0);
    expect(run.document.data.changed.gitAdd).toMatch(/^git -C \.\.\/\.\. add /);
    shell(run.document.data.changed.gitAdd, cwd);
    expect(staged(repo)).toEqual(
      run.document.data.changed.files.map((file: { path: string }) => file.path).sort(),
    );
  });

  it('names a file behind a link by its own path', async () => {
    const repo = bench({
      'real/mcp.json': '{\n  "mcpServers": {}\n}\n',
      '.mcp.json': { link: 'real/mcp.json' },
    });
    git(repo.root, ['add', '-A']);
    git(repo.root, ['commit', '-q', '-m', 'init']);
    const run = await repo.json(addVera(['claude-code']));
    expectCode(run, 0);
    expect(run.document.data.changed.gitAdd).toBe('git add .tenon/manifest.json real/mcp.json');
    shell(run.document.data.changed.gitAdd, repo.root);
    expect(staged(repo)).toEqual(['.tenon/manifest.json', 'real/mcp.json']);
    expect(shell('git status --porcelain', repo.root)).not.toMatch(/^.M/m);
  });

  it('leaves out what is gone and was never tracked, since git refuses the whole line for it', async () => {
    const repo = make();
    expectCode(await repo.json(setupVera(['claude-code'])), 0);
    shell('git add .mcp.json', repo.root);
    const run = await repo.json(['uninstall', 'vera', '--yes']);
    expectCode(run, 0);
    expect(run.document.data.changed.gitAdd).toBe('git add .mcp.json');
    shell(run.document.data.changed.gitAdd, repo.root);
    expect(staged(repo)).toEqual([]);
  });

  it('takes tracked files that are gone', async () => {
    const repo = make();
    const run = await repo.json(addVera(['claude-code']));
    shell(`${run.document.data.changed.gitAdd} && git commit -q -m vera`, repo.root);
    const gone = await repo.json(['uninstall', 'vera', '--yes']);
    shell(gone.document.data.changed.gitAdd, repo.root);
    expect(staged(repo)).toEqual(['.mcp.json', '.tenon/manifest.json']);
  });

  it('leaves out what git ignores, and says so', async () => {
    const repo = make();
    repo.write('.gitignore', '.mcp.json\n');
    git(repo.root, ['rm', '-q', '--cached', '.mcp.json']);
    const run = await repo.json(addVera(['claude-code']));
    expectCode(run, 0);
    expect(run.document.data.changed.gitAdd).toBe('git add .tenon/manifest.json');
    expect(run.document.findings.map(({ code }: { code: string }) => code)).toContain('file/ignored');
  });
});

describe('the approval that is asked for', () => {
  it('is a whole command line, with the digest before the command of a server', async () => {
    const repo = make();
    const words = addVera(['claude-code']).filter((word) => word !== '--yes');
    const run = await repo.json(words);
    expectCode(run, 3);
    const { command } = run.document.error.remedy;
    expect(command).toBe(`tenon ${words.join(' ')} --json --approve ${run.document.data.plan.digest}`);
    expectCode(await repo.run(command.split(' ').slice(1)), 0);
  });
});

describe('the patch of plan', () => {
  const PLAN = [
    'plan',
    ...setupVera(['claude-code'])
      .slice(1)
      .filter((word) => word !== '--yes'),
    '--patch',
  ];
  const SECRET = {
    mcpServers: { own: { command: 'own', env: { API_TOKEN: 'sk-0123456789abcdef0123456789' } } },
  };

  it('is taken by git apply, for a root below the top level and for a file behind a link too', async () => {
    const repo = bench({
      'pkg/real/mcp.json': '{\n  "mcpServers": {}\n}\n',
      'pkg/.mcp.json': { link: 'real/mcp.json' },
    });
    git(repo.root, ['add', '-A']);
    git(repo.root, ['commit', '-q', '-m', 'init']);
    const run = await repo.run([...PLAN, '--root', 'pkg']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('diff --git a/pkg/real/mcp.json b/pkg/real/mcp.json');
    repo.write('../vera.patch', run.stdout);
    shell('git apply ../vera.patch', repo.root);
    expect(repo.exists('pkg/.claude/settings.json')).toBe(true);
    expect(repo.text('pkg/real/mcp.json')).toContain('"vera"');
  });

  it('says for which file it does not apply, because a secret is masked there', async () => {
    const repo = bench({ '.mcp.json': JSON.stringify(SECRET, null, 2) });
    const run = await repo.run(PLAN);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/plan\/masked {2}\.mcp\.json/);
    const { document } = await repo.json(PLAN);
    const masked = document.findings.filter(({ code }: { code: string }) => code === 'plan/masked');
    expect(masked.map(({ subject }: { subject: string }) => subject)).toEqual(['.mcp.json']);
    repo.write('../vera.patch', run.stdout);
    expect(() => shell('git apply --check ../vera.patch', repo.root)).toThrow();
    shell('git apply --exclude .mcp.json ../vera.patch', repo.root);
  });
});

describe('the plan of a saved one that is stale', () => {
  it('is made anew by the line that apply gives, and applies', async () => {
    const repo = make();
    const plan = [
      'plan',
      ...setupVera(['claude-code'], '--without', 'hooks')
        .slice(1)
        .filter((word) => word !== '--yes'),
    ];
    expectCode(await repo.run([...plan, '--out', 'x.plan']), 0);
    repo.write('.mcp.json', '{ "mcpServers": {} }\n');
    const stale = await repo.json(['apply', 'x.plan', '--yes', '--offline']);
    expectCode(stale, 6);
    const { command } = stale.document.error.remedy;
    expect(command).toMatch(/^tenon plan vera .*--without hooks --out x\.plan\.new$/);
    expectCode(await repo.run(command.split(' ').slice(1)), 0);
    expectCode(await repo.run(['apply', 'x.plan.new', '--yes', '--offline']), 0);
    expect(repo.exists('.claude/hooks')).toBe(false);
  });
});

describe('the grant of a plan', () => {
  it('is asked for by the name of what is not set up yet', async () => {
    const server = { command: 'node', args: ['x.mjs'] };
    const artifacts = [{ kind: 'mcp-server', name: 'server', server: 'acme', stdio: server }];
    const definition = {
      schemaVersion: 1,
      id: 'acme',
      version: '1.0.0',
      title: 'A',
      summary: 'a',
      artifacts,
    };
    const repo = bench({ 'acme/integration.json': JSON.stringify(definition) });
    const { document } = await repo.json(['plan', './acme', '--runtime', 'claude-code']);
    const commands = document.findings
      .filter(({ code }: { code: string }) => code === 'trust/required')
      .map(({ remedy }: { remedy: { command: string } }) => remedy.command);
    expect(commands).toEqual(['tenon trust ./acme --runtime claude-code']);
  });
});

describe('a command in a report', () => {
  const from = (repo: Bench) => ({ cwd: path.join(repo.root, 'src') });

  it('names a folder below the root as whoever stands in another one has to', async () => {
    const repo = bench({ '.mcp.json': '{}\n', "it's/.mcp.json": '{}\n', 'src/x.txt': 'x\n' });
    for (const [args, word] of [
      [[], "'../it'\\''s'"],
      [['--root', '..'], "'../it'\\''s'"],
      [['-C', '..'], `'${repo.root}/it'\\''s'`],
    ] as const) {
      const run = await repo.json(['doctor', '--offline', ...args], from(repo));
      expectCode(run, 0);
      const [nested] = run.document.findings.filter(({ code }: { code: string }) => code === 'config/nested');
      expect(nested.remedy.command).toBe(`tenon doctor --root ${word}`);
    }
  });

  it('names the root in the steps after a setup, and the scope and name that it was set up with', async () => {
    const repo = bench({ 'src/x.txt': 'x\n', 'packages/a/x.txt': 'x\n' });
    const where = ['--root', '../packages/a'];
    const texts = ({ next }: { next: { text: string }[] }) => next.map(({ text }) => text);
    const first = await repo.json([...setupVera(['claude-code']), ...where], from(repo));
    expectCode(first, 0);
    const root = '--root ../packages/a';
    expect(texts(first.document.data).at(-1)).toBe(`tenon doctor ${root} --clients`);
    expect(texts(first.document.data).join('\n')).toContain(`tenon setup ${root} vera --set SAVE_MODE=off`);
    expect(texts(first.document.data).join('\n')).toContain(`tenon sync ${root} --prune`);
    const other = [...setupVera(['codex']), '--name', 'two', '--scope', 'user', '--allow', 'user-files'];
    const second = await repo.json([...other, ...where], from(repo));
    expectCode(second, 0);
    expect(texts(second.document.data).join('\n')).toContain(
      `tenon setup ${root} vera --name two --scope user --set SAVE_MODE=off`,
    );
    const { document } = await repo.json(['doctor', '--offline', '--runtime', 'codex', ...where], from(repo));
    const commands = document.findings.map((one: { remedy?: { command?: string } }) => one.remedy?.command);
    expect(commands).toContain(`tenon setup ${root} vera --name two --scope user --set SCOPES=memory:read`);
  });

  it('stays whole where its text is broken into lines', async () => {
    const repo = bench({ 'packages/a/x.txt': 'x\n' });
    const { stdout } = await repo.run([...setupVera(['claude-code']), '--root', 'packages/a']);
    expect(stdout).toMatch(/^ +tenon setup --root packages\/a vera --set SAVE_MODE=off /m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const nothing = await repo.run(['status', '--root', 'packages']);
    expect(nothing.stdout).toContain('Start with tenon setup --root packages <integration>.');
  });
});
