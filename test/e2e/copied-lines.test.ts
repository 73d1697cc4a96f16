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
