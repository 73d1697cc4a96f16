import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/options.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { cleanEnv } from '../../helpers/clean-env.ts';
import { BIN, runTerminal } from '../../helpers/cli.ts';
import { git, scratch, treeOf } from '../../helpers/repo.ts';
import { type ClientId, type Installed, installed } from './installed.ts';
import { type Run, type RunOptions, runProgram } from './process.ts';

export interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly subject: string;
  readonly message: string;
  readonly data?: { readonly runtimes?: readonly string[] };
}

/** What `tenon doctor --offline` says. */
export interface DoctorWord {
  /** Its word for the server in the coding tool. */
  readonly inTool: string;
  readonly findings: readonly Finding[];
  readonly codes: readonly string[];
  /** Codes of the findings that name this coding tool. */
  blames(id: ClientId): readonly string[];
  /** Status of a check of this coding tool, e.g. `host/servers`. */
  status(check: string): string | undefined;
}

export interface TenonRun extends Run {
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document that the tests look into.
  readonly document: any;
}

/** Whether the tests run in a namespace of their own, where a file can be put below /etc. */
export const hasNamespace = process.env['TENON_TEST_CLIENTS_NETWORK'] === 'namespace';

export interface ClientRunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly deadlineMs?: number;
}

/** A scratch repository, a scratch home, an embedded VERA endpoint, the built tenon and one real coding tool. */
export interface ClientBench {
  readonly root: string;
  readonly home: string;
  readonly server: Sandbox;
  /** `tenon setup vera` for this coding tool; fails the test when it does not end with 0. */
  setup(...more: string[]): Promise<void>;
  /** The built tenon with `--json`. */
  tenon(args: readonly string[]): Promise<TenonRun>;
  /** From now on these files lie below /etc, for tenon and the coding tool alike. Needs {@link hasNamespace}. */
  manage(files: Readonly<Record<string, string>>): void;
  /** `tenon add local -- node …`, approved at a terminal: an MCP server on stdio made with the official SDK. */
  addLocal(): Promise<void>;
  /** `tenon add NAME URL --token-env VARIABLE`, with the embedded endpoint's URL. */
  addWithToken(name: string, variable: string): Promise<void>;
  doctor(integration?: string): Promise<DoctorWord>;
  /** `tenon uninstall`, and the tree is again what it was when the bench was made or `remember` was called. */
  uninstall(): Promise<void>;
  remember(): void;
  /** The same home, endpoint and tool in another folder, e.g. a worktree. */
  at(root: string): ClientBench;
  /** Runs the coding tool's own program. A run that hangs fails the test. */
  client(args: readonly string[], options?: ClientRunOptions): Promise<Run>;
  /** The environment of its runs. */
  env(more?: Readonly<Record<string, string>>): Record<string, string>;
  write(file: string, text: string): void;
  read(file: string): string;
  writeHome(file: string, text: string): void;
  readHome(file: string): string;
}

/** What a coding tool must not do in a test: look for updates, send telemetry. Loopback is all that there is. */
const QUIET = {
  TERM: 'dumb',
  NO_COLOR: '1',
  DO_NOT_TRACK: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  OPENCODE_DISABLE_AUTOUPDATE: 'true',
  OPENCODE_DISABLE_MODELS_FETCH: 'true',
  npm_config_fetch_retries: '0',
  COPILOT_OFFLINE: 'true',
};

/** Where no network namespace keeps a run on loopback, a proxy that nobody listens on does. */
const PROXY = hasNamespace
  ? {}
  : {
      HTTP_PROXY: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost,::1',
    };

/** Lays a folder over /etc in a mount namespace, for one program alone: nothing of this machine is changed. */
const OVER_ETC = 'mount -t overlay overlay -o lowerdir="$0":/etc /etc && exec "$@"';

const LOCAL_SERVER = fileURLToPath(new URL('stdio-server.mjs', import.meta.url));

/** JSON as people write it. */
export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export interface BenchOptions {
  /** Files of the repository before anything is set up. */
  readonly files?: Readonly<Record<string, string>>;
  /** Ids of files or folders that the coding tool itself makes in a repository. */
  readonly creates?: readonly string[];
}

export async function clientBench(id: ClientId, options: BenchOptions = {}): Promise<ClientBench> {
  const tool = installed(id);
  if (tool === undefined) throw new Error(`${id} is not in the cache: run npm run test:clients`);
  const server = await startSandbox();
  onTestFinished(() => server.close());
  const folder = scratch('tenon-client-');
  const root = join(folder, 'repo');
  const home = join(folder, 'home');
  mkdirSync(root);
  mkdirSync(home);
  if (tool.shared !== undefined) {
    const link = join(home, tool.shared.below);
    mkdirSync(tool.shared.folder, { recursive: true });
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(tool.shared.folder, link);
  }
  git(root, ['init', '-q']);
  git(root, ['remote', 'add', 'origin', 'https://git.example/house/shop.git']);
  for (const [file, text] of Object.entries(options.files ?? {})) put(root, file, text);
  return benchAt(root, { id, tool, server, home, etc: join(folder, 'etc'), creates: options.creates ?? [] });
}

interface World {
  readonly id: ClientId;
  readonly tool: Installed;
  readonly server: Sandbox;
  readonly home: string;
  /** Laid over /etc once it exists. */
  readonly etc: string;
  readonly creates: readonly string[];
}

function put(base: string, file: string, text: string): void {
  mkdirSync(dirname(join(base, file)), { recursive: true });
  writeFileSync(join(base, file), text);
}

function benchAt(root: string, world: World): ClientBench {
  const { id, tool, server, home, etc } = world;
  const env = (more: Readonly<Record<string, string>> = {}) => {
    const all: Record<string, string> = { ...cleanEnv(home), ...QUIET, ...PROXY, ...more };
    all['PATH'] = [...tool.folders, process.env['PATH'] ?? ''].join(delimiter);
    // The tools do not all follow the XDG variables; the defaults below HOME are what the tests mean.
    for (const name of Object.keys(all)) if (name.startsWith('XDG_')) delete all[name];
    return all;
  };
  const run = (program: string, args: readonly string[], options: RunOptions): Promise<Run> =>
    existsSync(etc)
      ? runProgram('unshare', ['-m', 'sh', '-c', OVER_ETC, etc, program, ...args], options)
      : runProgram(program, args, options);
  const tenon = async (args: readonly string[]): Promise<TenonRun> => {
    const end = args.includes('--') ? args.indexOf('--') : args.length;
    const all = [BIN, ...args.slice(0, end), '--json', ...args.slice(end)];
    const done = await run(process.execPath, all, { cwd: root, env: cleanEnv(home) });
    return { ...done, document: JSON.parse(done.stdout) };
  };
  const must = async (args: readonly string[]): Promise<void> => {
    const done = await tenon(args);
    expect(done.code, done.text).toBe(0);
  };
  let before = treeOf(root);
  return {
    root,
    home,
    server,
    env,
    tenon,
    at: (other) => benchAt(other, world),
    write: (file, text) => put(root, file, text),
    writeHome: (file, text) => put(home, file, text),
    read: (file) => readFileSync(join(root, file), 'utf8'),
    readHome: (file) => readFileSync(join(home, file), 'utf8'),
    manage(files) {
      for (const [file, text] of Object.entries(files)) put(etc, file, text);
    },
    remember() {
      before = treeOf(root);
    },
    setup: (...more) => {
      const inputs = ['--set', `VERA_API_URL=${server.apiUrl}`, '--set', `VERA_MCP_URL=${server.mcpUrl}`];
      return must(['setup', 'vera', ...inputs, '--runtime', id, '--offline', '--yes', ...more]);
    },
    addWithToken: (name, variable) => {
      const named = ['--token-env', variable, '--runtime', id, '--offline', '--yes'];
      return must(['add', name, server.mcpUrl, ...named]);
    },
    async addLocal() {
      const typed = ['add', 'local', '--runtime', id, '--offline', '--', 'node', LOCAL_SERVER];
      // The first choice is to leave it; the one below applies.
      const steps = [{ expect: /Apply/, send: '\u001b[B\r' }];
      const done = await runTerminal(typed, steps, { cwd: root, home, timeoutMs: 60_000 });
      expect(done.code, done.screen).toBe(0);
    },
    async doctor(integration = 'vera') {
      const { document } = await tenon(['doctor', '--offline']);
      const findings: readonly Finding[] = document.findings;
      const checks: readonly { id: string; status: string }[] = document.data.checks;
      return {
        inTool: document.data.integrations[integration]?.[id]?.inTool ?? 'absent',
        findings,
        codes: findings.map(({ code }) => code),
        blames: (named) =>
          findings.filter(({ data }) => data?.runtimes?.includes(named)).map(({ code }) => code),
        status: (check) => checks.find((one) => [check, `${check}:${id}`].includes(one.id))?.status,
      };
    },
    async uninstall() {
      await must(['uninstall', '--yes']);
      for (const made of world.creates) rmSync(join(root, made), { recursive: true, force: true });
      expect(treeOf(root)).toEqual(before);
    },
    async client(args, { env: more, cwd = root, deadlineMs = 90_000 } = {}) {
      const done = await run(tool.program, args, { cwd, env: env(more), deadlineMs });
      expect(done.isHung, `${tool.program} ${args.join(' ')} did not end\n${done.text}`).toBe(false);
      return done;
    },
  };
}
