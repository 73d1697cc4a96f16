import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/options.ts';
import { type CliOptions, makeHome, runJson } from '../../helpers/cli.ts';
import { gitRepo, type TreeEntry, treeOf } from '../../helpers/repo.ts';
import { runWarm } from '../../helpers/warm.ts';
import { sandbox } from '../endpoint-servers.ts';

/** What differs between the coding tools of the matrix. */
export interface Tool {
  readonly id: 'claude-code' | 'codex' | 'opencode';
  /** The file that holds the server, and the address of its entry. */
  readonly file: string;
  readonly address: string;
  /** A file of that name with one unrelated server. */
  readonly other: string;
  readonly skill: string;
  /** A configuration with a server `vera` (or another name) at this URL, as the tool writes it. */
  entry(url: string, name?: string): string;
  /** The user's own file in the home folder. */
  readonly userFile: string;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export const TOOLS: readonly Tool[] = [
  {
    id: 'claude-code',
    file: '.mcp.json',
    address: '.mcp.json#/mcpServers/vera',
    other: json({ mcpServers: { other: { type: 'http', url: 'https://other.example/mcp' } } }),
    skill: '.claude/skills/vera-memory/SKILL.md',
    entry: (url, name = 'vera') => json({ mcpServers: { [name]: { type: 'http', url } } }),
    userFile: '.claude.json',
  },
  {
    id: 'codex',
    file: '.codex/config.toml',
    address: '.codex/config.toml#/mcp_servers/vera',
    other: '[mcp_servers.other]\nurl = "https://other.example/mcp"\n',
    skill: '.agents/skills/vera-memory/SKILL.md',
    entry: (url, name = 'vera') =>
      `[mcp_servers.${name}]\nurl = "${url}"\ndefault_tools_approval_mode = "writes"\n`,
    userFile: '.codex/config.toml',
  },
  {
    id: 'opencode',
    file: 'opencode.json',
    address: 'opencode.json#/mcp/vera',
    other: json({ mcp: { other: { type: 'remote', url: 'https://other.example/mcp', enabled: true } } }),
    skill: '.opencode/skills/vera-memory/SKILL.md',
    entry: (url, name = 'vera') => json({ mcp: { [name]: { type: 'remote', url, enabled: true } } }),
    userFile: '.config/opencode/opencode.json',
  },
];

/** The rows of the table, for `describe.each`. */
export const ROWS = TOOLS.map((tool) => [tool.id, tool] as const);

export interface Bench {
  readonly server: Sandbox;
  readonly root: string;
  readonly home: string;
  readonly options: CliOptions & { readonly cwd: string; readonly home: string };
  /** `tenon setup vera` for the tool, in a script. */
  setup(extra?: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<typeof runJson>;
  tenon(args: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<typeof runJson>;
  read(path: string): string;
  tree(): Record<string, string>;
}

/** A repository, a home, and a server over a real socket. */
export async function bench(
  tool: Tool,
  files: Readonly<Record<string, TreeEntry>> = { 'README.md': '# here\n' },
  options: SandboxOptions = {},
): Promise<Bench> {
  const server = await sandbox(options);
  const root = gitRepo(files);
  const home = makeHome();
  const at = { cwd: root, home };
  const tenon: Bench['tenon'] = (args, env) =>
    runJson(args, { ...at, ...(env === undefined ? {} : { env }) });
  const inputs = ['--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`];
  return {
    server,
    root,
    home,
    options: at,
    tenon,
    setup: (extra = [], env) =>
      tenon(['setup', 'vera', '--runtime', tool.id, ...inputs, '--yes', ...extra], env),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    tree: () => treeOf(root),
  };
}

/** Codes of the findings of a run. */
export const codesOf = (run: { document: { findings: { code: string }[] } }): string[] =>
  run.document.findings.map(({ code }) => code);

/** Takes everything out, as many tests do by a process of its own, and compares with what was there before. */
export async function leaves(one: Bench, before: Record<string, string>): Promise<void> {
  const out = await runWarm(['uninstall', '--yes'], one.options);
  expect(out.code, out.stdout + out.stderr).toBe(0);
  expect(one.tree()).toEqual(before);
}

/** A check of doctor by the beginning of its id. */
export function checkOf(run: { document: { data: { checks: Check[] } } }, id: string): Check {
  const check = run.document.data.checks.find((one) => one.id.startsWith(id));
  if (check === undefined) throw new Error(`no check ${id}`);
  return check;
}

export interface Check {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly remedy?: { readonly text: string };
}
