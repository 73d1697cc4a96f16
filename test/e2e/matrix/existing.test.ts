import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench, checkOf, leaves, ROWS } from './support.ts';

describe('A clean repository with no existing agent configuration', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      const before = one.tree();
      const run = await one.setup();
      expect(run.code, run.stdout).toBe(0);
      expect(run.document.data.completed[tool.id]).toMatchObject({ files: true, endpoint: 'passed' });
      expect(one.read(tool.file)).toContain(one.server.mcpUrl);
      expect(one.read(tool.skill)).toContain('vera-memory');
      expect((await one.tenon(['status'])).document.data.state).toBe('ok');
      const again = await one.setup();
      expect(again.document.data.plan.isEmpty).toBe(true);
      await leaves(one, before);
    },
    120_000,
  );
});

describe('Existing unrelated MCP servers, skills, hooks, and plugins', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const hooks = '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"true"}]}]}}\n';
      const one = await bench(tool, {
        [tool.file]: tool.other,
        '.claude/settings.json': hooks,
        '.codex/hooks.json': hooks,
        '.opencode/plugins/mine.ts': 'export const Mine = async () => ({});\n',
        [`${dirname(dirname(tool.skill))}/mine/SKILL.md`]: '---\nname: mine\n---\nMine.\n',
      });
      const before = one.tree();
      const run = await one.setup();
      expect(run.code, run.stdout).toBe(0);
      expect(one.read(tool.file)).toContain('https://other.example/mcp');
      expect(one.read(tool.file)).toContain(one.server.mcpUrl);
      const after = one.tree();
      expect(after['.opencode/plugins/mine.ts']).toBe(before['.opencode/plugins/mine.ts']);
      const hookFile = tool.id === 'codex' ? '.codex/hooks.json' : '.claude/settings.json';
      expect(JSON.parse(one.read(hookFile)).hooks.SessionStart[0].hooks[0].command).toBe('true');
      await leaves(one, before);
    },
    120_000,
  );
});

describe('An equivalent existing VERA server definition (reused, not duplicated)', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      writeFile(one.root, tool.file, tool.entry(one.server.mcpUrl));
      const before = one.tree();
      const run = await one.setup(['--without', 'hooks,skills,permissions']);
      // Codex's approval mode is part of the same entry, and so is left out with the permissions.
      const wanted = tool.id === 'codex' ? [] : ['reuse'];
      const actions = run.document.data.plan.ops.map(({ action }: { action: string }) => action);
      if (tool.id === 'codex') {
        const whole = await one.setup(['--without', 'hooks,skills']);
        expect(whole.code, whole.stdout).toBe(0);
        expect(whole.document.data.plan.ops[0].action).toBe('reuse');
      } else {
        expect(run.code, run.stdout).toBe(0);
        expect(actions).toEqual(expect.arrayContaining(wanted));
      }
      expect(one.read(tool.file).split(one.server.mcpUrl)).toHaveLength(2);
      await leaves(one, before);
      writeFile(one.root, tool.file, tool.entry(one.server.mcpUrl, 'memory'));
      const double = await one.setup();
      expect(double.code).toBe(4);
      expect(double.document.error.code).toBe('ownership/duplicate-endpoint');
    },
    120_000,
  );
});

describe('A conflicting VERA endpoint or scope (user selection required)', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      writeFile(one.root, tool.file, tool.entry('https://elsewhere.example/mcp'));
      const before = one.tree();
      const run = await one.setup();
      expect(run.code).toBe(4);
      expect(run.document.error.code).toBe('ownership/not-ours');
      expect(run.document.data.plan.conflicts[0].choices).toEqual(
        expect.arrayContaining(['keep', 'replace']),
      );
      expect(one.tree()).toEqual(before);
      const chosen = await one.setup(['--resolve', `${tool.address}=replace`]);
      expect(chosen.code, chosen.stdout).toBe(0);
      expect(one.read(tool.file)).toContain(one.server.mcpUrl);
      expect(one.read(tool.file)).not.toContain('elsewhere.example');
      await leaves(one, before);
    },
    120_000,
  );
});

describe('A repository with JSONC or TOML comments', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      const comment = tool.id === 'codex' ? '# mine\n' : '// mine\n';
      const file = tool.id === 'opencode' ? 'opencode.jsonc' : tool.file;
      writeFile(one.root, file, comment + tool.other);
      const before = one.tree();
      const run = await one.setup();
      if (tool.id === 'claude-code') {
        // The tool itself takes no comments, so nothing is written, and the text to paste is shown.
        expect(run.code).toBe(4);
        expect(run.document.error.code).toBe('host/file-ignored');
        expect(JSON.stringify(run.document)).toContain('snippet');
        expect(one.tree()).toEqual(before);
        return;
      }
      expect(run.code, run.stdout).toBe(0);
      expect(one.read(file).startsWith(comment)).toBe(true);
      expect(one.read(file)).toContain(one.server.mcpUrl);
      await leaves(one, before);
    },
    120_000,
  );
});

describe('A user-global VERA config plus a project override', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      const own = tool.entry('https://global.example/mcp');
      writeFile(one.home, tool.userFile, own);
      const run = await one.setup();
      expect(run.code, run.stdout).toBe(0);
      expect(readFileSync(join(one.home, tool.userFile), 'utf8')).toBe(own);
      const told = run.document.findings.find(({ code }: { code: string }) => code === 'host/shadowed');
      expect(told.message).toContain('global.example');
      expect(told.data).toMatchObject({ scope: 'user', wins: true });
      expect(checkOf(await one.tenon(['doctor', '--offline']), 'host/scopes').status).toBe('pass');
      const out = await one.tenon(['uninstall', '--yes']);
      expect(out.code).toBe(0);
      expect(readFileSync(join(one.home, tool.userFile), 'utf8')).toBe(own);
    },
    120_000,
  );
});

function writeFile(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
