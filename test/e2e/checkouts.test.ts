import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { setupVera } from '../helpers/bench.ts';
import { makeHome, runCli, runJson } from '../helpers/cli.ts';
import { git, gitRepo, scratch, stampsOf, treeOf } from '../helpers/repo.ts';

// Checkouts as Windows makes them: CRLF line ends, no symbolic links, a terminal without UTF-8. Run here, on the system
// that the tests run on; what that does not show is in docs/platforms.md.

const SETUP = setupVera(['claude-code', 'codex']);
const LONG = 120_000;
const FILES = {
  'README.md': '# here\n',
  'AGENTS.md': '# Notes\n\nmine\n',
  '.mcp.json': '{\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n',
  '.claude/settings.json': '{\n  "permissions": { "deny": ["Read(.env)"] }\n}\n',
  '.codex/config.toml': 'model = "m" # why\n',
};

/** A clone with these settings of git, which hold in it afterwards too. */
function checkout(from: string, ...settings: string[]): string {
  const folder = path.join(scratch('tenon-clone-'), 'repo');
  git(path.dirname(folder), ['clone', '-q', ...settings.flatMap((one) => ['-c', one]), from, folder]);
  return folder;
}

/** Lines of a file that end in LF alone. */
const bare = (folder: string, name: string): number =>
  fs.readFileSync(path.join(folder, name), 'utf8').split(/(?<!\r)\n/).length - 1;

describe('a checkout with CRLF line ends', () => {
  test(
    'of a repository that is set up is healthy, as it is, and given back byte by byte',
    async () => {
      const [source, home] = [gitRepo(FILES), makeHome()];
      expect((await runCli(SETUP, { cwd: source, home })).code).toBe(0);
      git(source, ['add', '-A']);
      git(source, ['commit', '-q', '-m', 'Set up']);
      const cwd = checkout(source, 'core.autocrlf=true');
      expect(bare(cwd, '.mcp.json')).toBe(0);
      const [other, before] = [makeHome(), stampsOf(cwd)];
      const codes = async () => {
        const { document, stdout } = await runJson(['doctor', '--offline'], { cwd, home: other });
        expect(document.exitCode, stdout).toBe(0);
        return document.findings
          .filter(({ severity }: { severity: string }) => severity !== 'info')
          .map(({ code }: { code: string }) => code)
          .sort();
      };
      // What another LF clone is told is told here, no more.
      const [lf, third] = [checkout(source), makeHome()];
      const plain = await runJson(['doctor', '--offline'], { cwd: lf, home: third });
      const wanted = plain.document.findings
        .filter(({ severity }: { severity: string }) => severity !== 'info')
        .map(({ code }: { code: string }) => code)
        .sort();
      expect(await codes()).toEqual(wanted);
      const check = ['sync', '--check', '--offline'];
      expect((await runCli(check, { cwd, home: other })).code).toBe(0);
      expect((await runCli(['adopt', '--yes'], { cwd, home: other })).code).toBe(0);
      expect((await runCli(check, { cwd, home: other })).code).toBe(0);
      expect(await codes()).toEqual(wanted);
      expect((await runCli(SETUP, { cwd, home: other })).code).toBe(0);
      expect(stampsOf(cwd)).toEqual(before);
      expect((await runCli(['adopt', '--yes'], { cwd: lf, home: third })).code).toBe(0);
      for (const place of [
        { cwd, home: other },
        { cwd: lf, home: third },
      ])
        expect((await runCli(['uninstall', '--yes'], place)).code).toBe(0);
      // An adopted entry is taken out as from an LF checkout; what nobody touched is as it was.
      expect(Object.keys(treeOf(cwd))).toEqual(Object.keys(treeOf(lf)));
      for (const name of Object.keys(FILES)) {
        const [here, there] = [cwd, lf].map((folder) => fs.readFileSync(path.join(folder, name), 'utf8'));
        expect([name, here]).toEqual([name, there?.replaceAll('\n', '\r\n')]);
      }
    },
    LONG,
  );

  test(
    'is set up in its own line ends, and git sees no other change',
    async () => {
      const cwd = checkout(gitRepo(FILES), 'core.autocrlf=true');
      const [home, before] = [makeHome(), treeOf(cwd)];
      expect((await runCli(SETUP, { cwd, home })).code).toBe(0);
      for (const name of ['.mcp.json', '.claude/settings.json', '.codex/config.toml'])
        expect([name, bare(cwd, name)]).toEqual([name, 0]);
      const numbers = git(cwd, ['diff', '--numstat', '--', '.mcp.json', '.codex/config.toml']);
      // Lines are added; of those that were there only one that gets a comma changes.
      expect(numbers).toBe('4\t0\t.codex/config.toml\n5\t1\t.mcp.json\n');
      expect((await runCli(['uninstall', '--yes'], { cwd, home })).code).toBe(0);
      expect(treeOf(cwd)).toEqual(before);
      expect(git(cwd, ['status', '--porcelain'])).toBe('');
    },
    LONG,
  );
});

test(
  'links that a checkout holds as text are refused by their name, and nothing is put into them',
  async () => {
    const source = gitRepo({
      ...FILES,
      'CLAUDE.md': { link: 'AGENTS.md' },
      '.agents/skills/own/SKILL.md': 'x\n',
      '.claude/skills': { link: '../.agents/skills' },
      'acme/integration.json': JSON.stringify({
        ...{ schemaVersion: 1, id: 'acme', version: '1.0.0', title: 'T', summary: 's' },
        artifacts: [{ kind: 'block', name: 'note', block: 'note', source: 'f.md' }],
      }),
      'acme/f.md': 'note\n',
    });
    const cwd = checkout(source, 'core.symlinks=false');
    expect(fs.readFileSync(path.join(cwd, 'CLAUDE.md'), 'utf8')).toBe('AGENTS.md');
    const [home, before] = [makeHome(), treeOf(cwd)];
    const conflicts: string[] = [];
    for (const args of [SETUP, ['plan', './acme', '--runtime', 'claude-code']]) {
      const { document } = await runJson(args, { cwd, home });
      for (const { code, message } of document.data?.plan?.conflicts ?? [])
        if (code === 'file/link-as-text') conflicts.push(message);
    }
    expect(conflicts).toEqual([
      '.claude/skills/vera-memory/SKILL.md cannot be created, because its folder .claude/skills is a link to ../.agents/skills that this checkout holds as text',
      'CLAUDE.md is a link to AGENTS.md that this checkout holds as text',
    ]);
    for (const args of [
      ['status'],
      ['doctor', '--offline'],
      ['trust', 'scan'],
      ['sync', '--yes', '--offline'],
    ])
      expect((await runCli(args, { cwd, home })).stdout).not.toMatch(/internal\//);
    expect(treeOf(cwd)).toEqual(before);
    // The way out that the message names.
    git(cwd, ['config', 'core.symlinks', 'true']);
    fs.rmSync(path.join(cwd, 'CLAUDE.md'));
    fs.rmSync(path.join(cwd, '.claude/skills'));
    git(cwd, ['checkout', '-q', '--', '.']);
    expect((await runCli(SETUP, { cwd, home })).code).toBe(0);
  },
  LONG,
);

test(
  'a terminal without UTF-8 is sent ASCII alone',
  async () => {
    const [cwd, home] = [gitRepo(FILES), makeHome()];
    const seen: string[] = [];
    for (const args of [
      SETUP,
      ['status'],
      ['doctor', '--offline'],
      ['runtimes'],
      ['--help'],
      ['uninstall', '--yes'],
    ])
      for (const env of [{ LANG: 'C' }, { LANG: 'de_DE.CP1252' }]) {
        if (args === SETUP && seen.length > 0) continue;
        const { stdout, stderr } = await runCli(args, { cwd, home, env });
        seen.push(
          ...(`${stdout}${stderr}`.match(/^.*[^ -~\t\r\n].*$/gmu) ?? []).map((line) => `${args[0]}: ${line}`),
        );
      }
    expect(seen).toEqual([]);
  },
  LONG,
);
