import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { git, gitRepo, stampsOf, writeTree } from '../helpers/repo.ts';

interface Entry {
  readonly path: string;
  readonly kind: string;
  readonly class: string;
  readonly print: string;
  readonly size: number;
  readonly link: boolean;
}

async function scan(cwd: string, ...flags: string[]) {
  const { code, document } = await runJson(['trust', 'scan', ...flags], { cwd, home: makeHome() });
  const entries: Entry[] = document.data?.scan?.entries ?? [];
  const classes = Object.fromEntries(entries.map((one) => [one.path, one.class]));
  return { code, document, entries, classes, digest: document.data?.scan?.digest as string };
}

const full = (): string => {
  const cwd = gitRepo({
    '.mcp.json':
      '{"mcpServers":{"a":{"command":"npx","args":["-y","pkg"]},"b":{"type":"http","url":"https://x.example"}}}',
    '.cursor/mcp.json': '{"mcpServers":{"c":{"url":"https://x.example/mcp"}}}',
    '.claude/settings.json': '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    '.claude/settings.local.json': '{"permissions":{"allow":["Bash(ls)"]}}',
    '.claude/hooks/run.sh': 'echo\n',
    '.claude/skills/s/SKILL.md': '# s\n',
    '.claude/skills/s/run.py': 'print()\n',
    '.claude/commands/c.md': 'do\n',
    '.opencode/plugins/p.ts': 'export {}\n',
    '.codex/config.toml': 'broken = [',
    'CLAUDE.md': 'obey\n',
    'packages/a/AGENTS.md': 'obey\n',
    'packages/a/.mcp.json': '{"mcpServers":{"n":{"command":"node"}}}',
    '.vscode/tasks.json': '{"tasks":[{"command":"make"}]}',
    '.envrc': 'export A=1\n',
    'packages/a/.envrc': 'export A=1\n',
    '.husky/pre-commit': 'x\n',
    'src/index.ts': 'export {}\n',
    'zed-link': { link: '../outside' },
    '.gemini': { link: '../outside' },
    '.kiro/settings/mcp.json': { link: '/etc/passwd' },
  });
  writeTree(cwd, { '.git/hooks/pre-push': { text: 'x\n', mode: 0o755 } });
  git(cwd, ['config', 'core.hooksPath', '.other']);
  return cwd;
};

describe('trust scan', () => {
  test('finds everything that is run or obeyed, wherever it stands, and writes nothing', async () => {
    const cwd = full();
    const stamps = stampsOf(cwd, { git: true });
    const { code, classes, entries, document } = await scan(cwd);
    expect(code).toBe(0);
    expect(classes).toEqual({
      '.claude/commands/c.md': 'model-influencing',
      '.claude/hooks/run.sh': 'executable',
      '.claude/settings.json': 'executable',
      '.claude/settings.local.json': 'model-influencing',
      '.claude/skills/s/SKILL.md': 'model-influencing',
      '.claude/skills/s/run.py': 'executable',
      '.codex/config.toml': 'executable',
      '.cursor/mcp.json': 'model-influencing',
      '.envrc': 'executable',
      '.gemini': 'executable',
      '.git/hooks/pre-push': 'executable',
      '.husky/pre-commit': 'executable',
      '.kiro/settings/mcp.json': 'executable',
      '.mcp.json': 'executable',
      '.opencode/plugins/p.ts': 'executable',
      '.vscode/tasks.json': 'executable',
      'CLAUDE.md': 'model-influencing',
      'core.hooksPath=.other': 'executable',
      'packages/a/.envrc': 'executable',
      'packages/a/.mcp.json': 'executable',
      'packages/a/AGENTS.md': 'model-influencing',
    });
    expect(entries.filter(({ link }) => link).map(({ path }) => path)).toEqual([
      '.gemini',
      '.kiro/settings/mcp.json',
    ]);
    const unpinned = document.findings.map(({ code: of, subject }: { code: string; subject: string }) => [
      of,
      subject,
    ]);
    expect(unpinned).toEqual([['trust/unpinned-launch', '.mcp.json#/mcpServers/a']]);
    expect(stampsOf(cwd, { git: true })).toEqual(stamps);
  });

  test('one digest: the same whatever else changes, another after any change of an entry, and --check tells', async () => {
    const cwd = full();
    const { digest } = await scan(cwd);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect((await scan(cwd, '--check', digest)).code).toBe(0);
    writeFileSync(join(cwd, 'src/index.ts'), 'export const a = 1;\n');
    expect((await scan(cwd, '--check', digest)).code).toBe(0);
    mkdirSync(join(cwd, '.claude/agents'));
    writeFileSync(join(cwd, '.claude/agents/x.md'), 'obey\n');
    const differs = await scan(cwd, '--check', digest);
    expect(differs.code).toBe(1);
    expect(differs.document.findings.map(({ code }: { code: string }) => code)).toContain(
      'trust/scan-differs',
    );
    expect((await runCli(['trust', 'scan', '--check', 'abc'], { cwd })).code).toBe(2);
    expect((await runCli(['trust', '--check', digest], { cwd })).code).toBe(2);
  });

  test('fails closed: a large file, too many entries, folders too deep', async () => {
    const large = gitRepo({ 'CLAUDE.md': 'x'.repeat(2 * 1024 * 1024 + 1) });
    expect((await scan(large)).document.error.code).toBe('trust/scan-limit');
    const many = gitRepo(
      Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`.claude/skills/s/${index}.md`, 'x'])),
    );
    const result = await scan(many);
    expect(result.code).toBe(4);
    expect(result.document.error.message).toContain('2000');
    const deep = gitRepo({ [`${'d/'.repeat(45)}x`]: 'x' });
    expect((await scan(deep)).code).toBe(4);
  });

  test('an empty repository has an inventory too', async () => {
    const { code, entries } = await scan(gitRepo());
    expect(code).toBe(0);
    expect(entries).toEqual([]);
  });
});
