import { join } from 'node:path';
import type { Context, GlobalOptions } from '../../../src/cli/context.ts';
import { run } from '../../../src/commands/doctor.ts';
import type { Finding } from '../../../src/errors/error.ts';
import type { Check } from '../../../src/probes/probe.ts';
import { createTheme } from '../../../src/reporting/theme.ts';
import type { Prompter, Reporter } from '../../../src/reporting/types.ts';
import type { Reader } from '../../../src/system/ports.ts';
import { realSystem } from '../../../src/system/real.ts';
import { cleanEnv } from '../../helpers/clean-env.ts';
import { git, scratch, type TreeEntry, treeHash, writeTree } from '../../helpers/repo.ts';

type Tree = Readonly<Record<string, TreeEntry>>;

export interface Place {
  readonly root: string;
  readonly home: string;
}

/** A repository with these files, committed, and a home folder; `@ROOT@` in a text becomes the root. */
export function place(files: Tree, home: Tree = {}): Place {
  const made = { root: scratch('tenon-doctor-'), home: scratch('tenon-home-') };
  git(made.root, ['init', '-q']);
  const filled = (tree: Tree): Tree =>
    Object.fromEntries(
      Object.entries(tree).map(([name, entry]) => [
        name,
        typeof entry === 'string' ? entry.replaceAll('@ROOT@', made.root) : entry,
      ]),
    );
  writeTree(made.root, filled(files));
  writeTree(made.home, filled(home));
  git(made.root, ['add', '-A']);
  git(made.root, ['commit', '-q', '--allow-empty', '-m', 'Start']);
  return made;
}

const DEFAULTS: GlobalOptions = {
  allRoots: false,
  runtimes: [],
  scope: 'project',
  set: {},
  without: [],
  dryRun: false,
  yes: false,
  allow: [],
  resolve: {},
  force: [],
  json: true,
  format: 'json',
  offline: true,
  online: false,
  live: false,
  clients: false,
  timeoutMs: 1000,
  strict: false,
  noInput: true,
  showPaths: false,
  quiet: false,
  debug: false,
};

const reporter: Reporter = {
  outcome: ({ exit }) => exit,
  error: ({ exit }) => exit,
  note: () => {},
  progress: (_label, work) => work(),
  debug: () => {},
};

const asked = (): never => {
  throw new Error('doctor asked a question');
};
const prompter: Prompter = {
  confirm: asked,
  select: asked,
  multiselect: asked,
  text: asked,
  password: asked,
};

export interface Diagnosis {
  readonly exit: number;
  readonly state: string;
  readonly checks: readonly Check[];
  readonly findings: readonly Finding[];
  readonly summary: Readonly<Record<'pass' | 'warn' | 'fail' | 'skip', number>>;
  readonly human: string;
  /** Everything that is shown, as one text. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  check(id: string): Check | undefined;
  codes(severity?: Finding['severity']): string[];
  one(code: string): Finding;
}

/** Runs doctor in this process on real files; fails when it changed a byte of the repository or the home folder. */
export async function diagnose(
  at: Place,
  options: Partial<GlobalOptions> = {},
  env: Readonly<Record<string, string>> = {},
  cwd = at.root,
  /** Files of an administrator, by their real path. */
  managed: Readonly<Record<string, string>> = {},
  /** The ending of a path that may not be read. */
  refused?: string,
): Promise<Diagnosis> {
  const real = realSystem();
  const system = { ...real, reader: refusing(withManaged(real.reader, managed), refused) };
  const context: Context = {
    system: { ...system, host: { ...system.host, env: cleanEnv(at.home, env), home: at.home, cwd } },
    options: { ...DEFAULTS, ...options },
    packageDir: join(import.meta.dirname, '..', '..', '..'),
    version: '1.0.0',
    reporter,
    prompter,
    interactive: false,
    agentSession: undefined,
  };
  const before = [treeHash(at.root, { git: true }), treeHash(at.home)];
  const outcome = await run(context, { positionals: [], flags: {} });
  const after = [treeHash(at.root, { git: true }), treeHash(at.home)];
  if (before.join() !== after.join()) throw new Error('doctor wrote something');
  const data = outcome.data as unknown as Omit<Diagnosis, 'findings'>;
  // What follows from the machine that the tests run on has its own tests.
  const findings = outcome.findings.filter(({ data: more }) => more?.['failureClass'] === undefined);
  const human = outcome.human(createTheme({ color: false, unicode: true }));
  return {
    exit: outcome.exit,
    state: data.state,
    checks: data.checks,
    summary: data.summary,
    data: outcome.data,
    findings,
    human,
    text: `${JSON.stringify({ data, findings })}\n${human}`,
    check: (id) => data.checks.find((check) => check.id === id),
    codes: (severity) =>
      findings.filter((one) => severity === undefined || one.severity === severity).map(({ code }) => code),
    one: (code) => {
      const found = findings.filter((one) => one.code === code);
      if (found[0] === undefined || found.length > 1) {
        throw new Error(`expected one ${code}, got ${JSON.stringify(findings.map((one) => one.code))}`);
      }
      return found[0];
    },
  };
}

/** The reader of somebody who may not read one file; root may read them all. */
const refusing = (reader: Reader, ending: string | undefined): Reader => ({
  ...reader,
  readFile: (path, limit) => {
    if (ending === undefined || !path.endsWith(ending)) return reader.readFile(path, limit);
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open', path });
  },
});

/** The machine's reader, for which an administrator's files stand somewhere else. */
function withManaged(reader: Reader, managed: Readonly<Record<string, string>>): Reader {
  const at = (path: string): string => managed[path] ?? path;
  return {
    readFile: (path, limit) => reader.readFile(at(path), limit),
    lstat: (path) => reader.lstat(at(path)),
    stat: (path) => reader.stat(at(path)),
    list: (path) => reader.list(path),
    readLink: (path) => reader.readLink(at(path)),
    realpath: (path) => (path in managed ? path : reader.realpath(path)),
  };
}

export const URL = 'http://127.0.0.1:8765/mcp';

/** A manifest that has one server set up for these runtimes. */
export const manifest = (runtimes: readonly string[], more: object = {}, http: object = {}): string =>
  JSON.stringify({
    schemaVersion: 1,
    servers: { pantry: { runtimes, http: { url: URL, ...http } } },
    ...more,
  });

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
export const claudeEntry = json({ mcpServers: { pantry: { type: 'http', url: URL } } });
export const codexEntry = `[mcp_servers.pantry]\nurl = "${URL}"\n`;
export const opencodeEntry = json({
  $schema: 'https://opencode.ai/config.json',
  mcp: { pantry: { type: 'remote', url: URL, enabled: true } },
});
export const geminiEntry = json({ mcpServers: { pantry: { httpUrl: URL } } });

/** A repository in which one server stands where it belongs, for one runtime. */
export const SET_UP: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'claude-code': { '.tenon/manifest.json': manifest(['claude-code']), '.mcp.json': claudeEntry },
  codex: { '.tenon/manifest.json': manifest(['codex']), '.codex/config.toml': codexEntry },
  opencode: { '.tenon/manifest.json': manifest(['opencode']), 'opencode.json': opencodeEntry },
  'gemini-cli': { '.tenon/manifest.json': manifest(['gemini-cli']), '.gemini/settings.json': geminiEntry },
};
