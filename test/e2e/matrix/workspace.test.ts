import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnv } from '../../helpers/clean-env.ts';
import { runJson } from '../../helpers/cli.ts';
import { git, scratch, treeOf } from '../../helpers/repo.ts';
import { importPlugin } from '../../integrations/vera-files.ts';
import { type Bench, bench, checkOf, codesOf, leaves, ROWS, type Tool } from './support.ts';

describe('An untrusted workspace', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      // A definition of the repository is inert until a person grants it on this host.
      const definition = {
        schemaVersion: 1,
        id: 'mine',
        version: '1.0.0',
        title: 'Mine',
        summary: 'Mine.',
        endpoints: [{ kind: 'mcp', url: 'http://127.0.0.1:1/mcp' }],
        artifacts: [
          { kind: 'mcp-server', name: 'server', server: 'mine', http: { url: 'http://127.0.0.1:1/mcp' } },
        ],
      };
      const one = await bench(tool, { 'tools/mine/integration.json': JSON.stringify(definition) });
      const before = one.tree();
      const refused = await one.tenon(['setup', './tools/mine', '--runtime', tool.id, '--yes']);
      expect(refused.code, refused.stdout).toBe(3);
      expect(refused.document.error.code).toBe('trust/required');
      expect(one.tree()).toEqual(before);
      // What the tool itself asks its user is told, and never granted for him.
      const home = treeOf(one.home);
      expect((await one.setup()).code).toBe(0);
      const doctor = await one.tenon(['doctor', '--offline']);
      const own = doctor.document.data.checks.filter(
        ({ id }: { id: string }) => id === `host/servers:${tool.id}`,
      );
      if (tool.id === 'opencode') expect(JSON.stringify(own)).not.toContain('trust');
      else expect(JSON.stringify(own)).toMatch(/trust/);
      const user = Object.keys(treeOf(one.home)).filter((path) => !path.startsWith('.local'));
      expect(user).toEqual(Object.keys(home));
    },
    120_000,
  );
});

/** What an administrator writes to keep hooks, and to keep our server, from a tool; and what leaves both alone. */
const POLICIES: Readonly<Record<string, { file: string; hooks?: string; server: string[]; free: string }>> = {
  'claude-code': {
    file: 'managed-settings.json',
    hooks: '{"allowManagedHooksOnly":true}',
    server: [
      '{"deniedMcpServers":[{"serverName":"vera"}]}',
      '{"allowedMcpServers":[{"serverUrl":"https://allowed.example/*"}]}',
    ],
    free: '{"allowedMcpServers":[{"serverUrl":"http://127.0.0.1:*"}]}',
  },
  codex: {
    file: 'requirements.toml',
    hooks: 'allow_managed_hooks_only = true\n',
    server: [
      '[mcp_servers.other.identity]\nurl = "https://other.example/mcp"\n',
      '[mcp_servers.vera.identity]\nurl = "https://other.example/mcp"\n',
      '[mcp_servers.vera]\nidentity = { url = { match = "prefix", value = "https://" } }\n',
    ],
    free: '[mcp_servers.vera]\nidentity = { url = { match = "prefix", value = "http://127.0.0.1" } }\n',
  },
  opencode: {
    file: 'opencode.json',
    server: ['{"mcp":{"vera":{"enabled":false}}}'],
    free: '{"permission":{"bash":"ask"}}',
  },
};

describe('A managed policy that blocks hooks or MCP', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      expect((await one.setup()).code).toBe(0);
      const before = one.tree();
      const managed = scratch();
      const preload = resolve('test/helpers/managed-preload.cjs');
      const policy = POLICIES[tool.id];
      if (policy === undefined) throw new Error(tool.id);
      const doctor = async (text: string, file = policy.file) => {
        writeFileSync(join(managed, file), text);
        return runJson(['doctor', '--offline'], {
          ...one.options,
          nodeArgs: ['--require', preload],
          env: { MANAGED_DIR: managed },
        });
      };
      const free = await doctor(policy.free);
      expect(codesOf(free)).not.toContain('host/hooks-off');
      expect(codesOf(free)).not.toContain('host/denied');
      for (const text of policy.server) {
        const denied = await doctor(text);
        expect(codesOf(denied), text).toContain('host/denied');
        expect(checkOf(denied, 'host/servers').status, JSON.stringify(denied.document)).toBe('fail');
        expect(denied.code).toBe(1);
      }
      if (policy.hooks !== undefined) expect(codesOf(await doctor(policy.hooks))).toContain('host/hooks-off');
      if (tool.id === 'claude-code') {
        await doctor('{}');
        expect(codesOf(await doctor('{"mcpServers":{}}', 'managed-mcp.json'))).toContain('host/denied');
      }
      // This tool's administrator cannot keep hooks away, but can put a rule behind ours.
      if (tool.id === 'opencode') {
        const loose = await doctor('{"permission":{"vera_*":"allow"}}');
        expect(codesOf(loose)).toContain('config/rule-order');
        expect(loose.code).toBe(1);
        expect((await doctor('{"permission":{"vera_*":"ask"}}')).code).toBe(0);
      }
      // A policy is told and never gone around.
      expect(one.tree()).toEqual(before);
    },
    120_000,
  );
});

describe('A monorepo and a multi-root workspace', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool, { 'packages/a/x': 'x\n', 'packages/b/x': 'x\n' });
      const before = one.tree();
      for (const name of ['a', 'b']) {
        const run = await one.setup(['--root', `packages/${name}`, '--set', `PROJECT=${name}-project`]);
        expect(run.code, run.stdout).toBe(0);
        expect(one.read(`packages/${name}/${tool.file}`)).toContain(one.server.mcpUrl);
        expect(one.read(`packages/${name}/.tenon/manifest.json`)).toContain(`${name}-project`);
      }
      expect(JSON.stringify(textsBelow(one, 'packages/a'))).not.toContain('b-project');
      expect(JSON.stringify(textsBelow(one, 'packages/a'))).toContain('a-project');
      for (const name of ['a', 'b']) {
        const out = await one.tenon(['uninstall', '--yes', '--root', `packages/${name}`]);
        expect(out.code, out.stdout).toBe(0);
      }
      expect(one.tree()).toEqual(before);
    },
    120_000,
  );
});

describe('A worktree and a branch change during the session', () => {
  it.each(ROWS)(
    '%s',
    async (_, tool) => {
      const one = await bench(tool);
      git(one.root, ['remote', 'add', 'origin', 'https://user:secret@GitHub.com/Org/Repo.git']);
      git(one.root, ['switch', '-qc', 'with-vera']);
      const before = one.tree();
      expect((await one.setup()).code).toBe(0);
      git(one.root, ['add', '-A']);
      git(one.root, ['commit', '-qm', 'VERA']);
      const tree = join(scratch(), 'tree');
      git(one.root, ['worktree', 'add', '-q', '-b', 'feature/x', tree]);
      const there = await runJson(['status'], { ...one.options, cwd: tree });
      expect(['ok', 'attention']).toContain(there.document.data.state);
      expect(JSON.stringify(there.document.data.runtimes)).toContain('adoptable');
      const first = await reminder(tool, tree, one.home);
      expect(first).toContain('"repository":"github.com/Org/Repo"');
      expect(first).toContain('"branch":"feature/x"');
      expect(first).not.toContain('secret');
      git(tree, ['switch', '-qc', 'feature/y']);
      expect(await reminder(tool, tree, one.home)).toContain('"branch":"feature/y"');
      git(tree, ['switch', '-q', '--detach']);
      expect(await reminder(tool, tree, one.home)).not.toContain('"branch"');
      git(one.root, ['switch', '-q', 'main']);
      const other = await one.tenon(['status']);
      expect(codesOf(other)).not.toContain('ownership/drifted');
      git(one.root, ['switch', '-q', 'with-vera']);
      await leaves(one, before);
    },
    120_000,
  );
});

/** What the tool reads below a folder: every file but tenon's own manifest. */
function textsBelow(one: Bench, folder: string): string[] {
  return Object.entries(one.tree())
    .filter(([path, line]) => path.startsWith(`${folder}/`) && line.startsWith('file'))
    .filter(([path]) => !path.includes('/.tenon/'))
    .map(([path]) => one.read(path));
}

/** What the tool's hook or plugin, as it was written, adds to a session in this folder. */
async function reminder(tool: Tool, root: string, home: string): Promise<string> {
  if (tool.id === 'opencode') {
    const { readFileSync } = await import('node:fs');
    const module = await importPlugin(readFileSync(join(root, '.opencode/plugins/vera.ts'), 'utf8'));
    const plugin = module['VeraBootstrap'] as (input: unknown) => Promise<{
      'chat.message': (input: unknown, output: unknown) => Promise<void>;
    }>;
    const hooks = await plugin({ directory: root });
    const message: { system?: string } = {};
    await hooks['chat.message']({ sessionID: `s${Math.random()}` }, { message, parts: [] });
    return message.system ?? '';
  }
  const folder = tool.id === 'codex' ? '.codex' : '.claude';
  const event = { hook_event_name: 'SessionStart', cwd: root };
  const output = execFileSync('node', [join(root, folder, 'hooks/vera-hook.cjs'), 'session-start'], {
    input: JSON.stringify(event),
    env: cleanEnv(home),
    encoding: 'utf8',
  });
  mkdirSync(home, { recursive: true });
  return JSON.parse(output).hookSpecificOutput.additionalContext;
}
