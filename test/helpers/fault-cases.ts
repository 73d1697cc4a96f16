import fs from 'node:fs';
import path from 'node:path';
import { type Bench, bench, expectCode, type Files, setupVera } from './bench.ts';
import { runTerminal } from './cli.ts';
import { treeOf } from './repo.ts';

/** One way in which a command writes, and a place where it has something to write. */
export interface FaultCase {
  /** The command of the table. */
  readonly command: string;
  readonly title: string;
  readonly files: Files;
  readonly args: readonly string[];
  /** Brings the place into the state in which the command is run. */
  readonly prepare?: (repo: Bench) => Promise<unknown> | unknown;
  /** Where it ends without a fault. Default 0. */
  readonly exit?: number;
  /** Old files that may stay beside the new state, when they say nothing any more. */
  readonly mayStay?: RegExp;
  /** Files of its own, beside the repository's and the user's: `$HOME/…` of which only the form is compared. */
  readonly outputs?: readonly string[];
  /** What the command line is for a run after one that was done but for what it records last. Default: the same. */
  readonly again?: readonly string[];
  /** Does for each file what it can, and tells the rest. */
  readonly inParts?: true;
  /** Starts programs, so that one run takes a second. */
  readonly isHeavy?: true;
  /** Variables of its environment. */
  readonly env?: (repo: Bench) => Readonly<Record<string, string>>;
}

const JSON_FILE = '{\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n';
const FILES: Files = {
  '.mcp.json': JSON_FILE,
  '.claude/settings.json': '{\n  "permissions": { "deny": ["Read(.env)"] }\n}\n',
  '.codex/config.toml': 'model = "m" # why\n',
};
const TWO = ['claude-code', 'codex'] as const;
const SETUP = setupVera(TWO);
const ADD = [
  ...['add', 'docs', 'http://127.0.0.1:9/mcp', '--runtime', 'codex', '--runtime', 'claude-code'],
  ...['--offline', '--yes'],
];
const ours = '.mcp.json#/mcpServers/docs';

const run =
  (...commands: readonly (readonly string[])[]) =>
  async (repo: Bench): Promise<void> => {
    await repo.prepare(...commands);
  };

const state = (repo: Bench, ...parts: string[]): string =>
  path.join(repo.home, '.local/state/tenon', ...parts);

const PRELOAD = path.resolve('test/helpers/fault-preload.cjs');

/** The program keeps no compiled code: those writes are none of the command's. */
export const UNKEPT = { NODE_DISABLE_COMPILE_CACHE: '1' } as const;

/** Ends a setup at this share of its writing calls, by SIGKILL. */
const killed = (share: number) => async (repo: Bench) => {
  const count = path.join(repo.home, 'count');
  const twin = bench(FILES);
  expectCode(
    await twin.run(SETUP, { nodeArgs: ['--require', PRELOAD], env: { ...UNKEPT, COUNT_FILE: count } }),
    0,
  );
  const at = Math.floor(Number(fs.readFileSync(count, 'utf8')) * share);
  fs.rmSync(count);
  const end = await repo.run(SETUP, {
    nodeArgs: ['--require', PRELOAD],
    env: { ...UNKEPT, KILL_AT: String(at) },
  });
  if (end.signal !== 'SIGKILL') throw new Error(`${end.stdout}${end.stderr}`);
};

const TOOL: Files = {
  'tools/acme/integration.json': JSON.stringify({
    schemaVersion: 1,
    id: 'acme',
    version: '1.0.0',
    title: 'Acme',
    summary: 'a server of this repository',
    artifacts: [
      { kind: 'mcp-server', name: 'server', server: 'acme', stdio: { command: 'node', args: ['x.mjs'] } },
    ],
  }),
};
export const TRUST = ['trust', './tools/acme', '--runtime', 'claude-code'];
export const TRUST_FILES: Files = { ...FILES, ...TOOL };

const granted = async (repo: Bench): Promise<void> => {
  const answer = { expect: /Trust this item on this host/, send: '\u001b[D\r' };
  const terminal = await runTerminal(TRUST, [answer], { cwd: repo.root, home: repo.home });
  if (terminal.code !== 0) throw new Error(terminal.screen);
};

/** A client called gemini in the home folder, and a folder for what runs make in the system's temporary one. */
function withGemini({ home }: Bench): void {
  const bin = path.join(home, 'bin');
  for (const folder of [bin, path.join(home, TEMP)]) fs.mkdirSync(folder);
  // Node takes a module without a package only by its ending.
  fs.copyFileSync(path.resolve('test/helpers/fake-gemini.mjs'), path.join(bin, 'gemini.mjs'));
  const start = `#!/bin/sh\nexec "${process.execPath}" "$(dirname "$0")/gemini.mjs" "$@"\n`;
  fs.writeFileSync(path.join(bin, 'gemini'), start, { mode: 0o755 });
}

/** Below the home folder: what stands there once a run is over was left behind. */
const TEMP = 'temp';

const one = (
  command: string,
  title: string,
  args: readonly string[],
  more: Partial<FaultCase> = {},
): FaultCase => ({ command, title, args, files: FILES, ...more });

/** Each writing command in each way in which it writes; a test holds them against the command table. */
export const FAULT_CASES: readonly FaultCase[] = [
  one('setup', 'into files of the repository', SETUP),
  one('setup', 'over an entry of the user', [...SETUP, '--resolve', '.mcp.json#/mcpServers/vera=replace'], {
    files: { ...FILES, '.mcp.json': '{ "mcpServers": { "vera": { "command": "mine" } } }\n' },
  }),
  one('setup', 'in place, where a file has two names', [...SETUP, '--force', '.mcp.json'], {
    files: { ...FILES, 'other.json': { hardLink: '.mcp.json' } },
  }),
  one('setup', 'into the home folder', [...SETUP, '--scope', 'user', '--allow', 'user-files']),
  one('add', 'one server', ADD),
  one('plan', '--out', ['plan', ...SETUP.slice(1, -1), '--out', '../home/saved.plan'], {
    outputs: ['saved.plan'],
  }),
  one('apply', 'a saved plan', ['apply', '../home/saved.plan', '--offline', '--yes'], {
    // A plan that was applied is stale: what else its user approved is recorded by the setup that it saved.
    again: SETUP,
    prepare: run(['plan', ...SETUP.slice(1, -1), '--out', '../home/saved.plan']),
  }),
  one('sync', 'what was taken out by hand', ['sync', '--yes', '--offline', '--restore', '.mcp.json'], {
    prepare: async (repo) => {
      await run(SETUP)(repo);
      repo.write('.mcp.json', JSON_FILE);
    },
  }),
  one('uninstall', 'everything', ['uninstall', '--yes'], { prepare: run(SETUP) }),
  one('uninstall', 'what replaced an entry of the user', ['uninstall', '--yes'], {
    files: { ...FILES, '.mcp.json': '{ "mcpServers": { "vera": { "command": "mine" } } }\n' },
    prepare: run([...SETUP, '--resolve', '.mcp.json#/mcpServers/vera=replace']),
  }),
  one('undo', 'a setup', ['undo', '--yes'], { prepare: run(SETUP) }),
  one('recover', 'by finishing', ['recover'], { prepare: killed(0.8) }),
  one('recover', 'by undoing what was renamed', ['recover', '--undo'], { prepare: killed(0.8) }),
  one('recover', 'by undoing what was staged', ['recover'], { prepare: killed(0.4) }),
  one('disable', 'a server', ['disable', 'docs', '--runtime', 'codex', '--yes'], { prepare: run(ADD) }),
  one('enable', 'a server', ['enable', 'docs', '--runtime', 'codex', '--yes'], {
    prepare: run(ADD, ['disable', 'docs', '--runtime', 'codex', '--yes']),
  }),
  one('trust', '--revoke', ['trust', '--revoke'], { files: TRUST_FILES, prepare: granted }),
  one('adopt', 'everything', ['adopt', '--yes'], {
    inParts: true,
    prepare: async (repo) => {
      await run(ADD)(repo);
      fs.rmSync(state(repo, 'ledger'), { recursive: true });
    },
  }),
  one('forget', 'one entry', ['forget', ours, '--yes'], { prepare: run(ADD) }),
  one('state', 'export', ['state', 'export', '../home/state.json'], {
    prepare: run(ADD),
    outputs: ['state.json'],
  }),
  one('state', 'import', ['state', 'import', '../home/state.json'], {
    prepare: async (repo) => {
      await run(ADD, ['state', 'export', '../home/state.json'])(repo);
      fs.rmSync(state(repo, 'ledger'), { recursive: true });
    },
  }),
  one('state', 'repair of a damaged file', ['state', 'repair'], {
    prepare: async (repo) => {
      await run(ADD)(repo);
      for (const name of fs.readdirSync(state(repo, 'ledger')))
        fs.writeFileSync(state(repo, 'ledger', name), '{broken');
    },
  }),
  one('state', 'repair of a moved checkout', ['state', 'repair'], {
    mayStay: /^~\/\.local\/state\/tenon\/ledger\//,
    prepare: async (repo) => {
      const away = `${repo.root}-before`;
      fs.cpSync(repo.root, away, { recursive: true });
      expectCode(await repo.run(ADD, { cwd: away }), 0);
      for (const name of fs.readdirSync(away))
        fs.cpSync(path.join(away, name), path.join(repo.root, name), { recursive: true });
      fs.rmSync(away, { recursive: true });
    },
  }),
  one('doctor', '--bundle', ['doctor', '--offline', '--bundle', '../home/bundle.json'], {
    prepare: run(ADD),
    outputs: ['bundle.json'],
  }),
  one('certify', 'a client', ['certify', 'gemini-cli'], {
    isHeavy: true,
    prepare: withGemini,
    outputs: ['.local/state/tenon/evidence/gemini-cli.json'],
    env: ({ home }) => ({
      PATH: [path.join(home, 'bin'), path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter),
      TMPDIR: path.join(home, TEMP),
    }),
  }),
  one('new', 'integration', ['new', 'integration', 'acme']),
  one('new', 'runtime', ['new', 'runtime', 'acme']),
];

/** A place for a case, prepared, which can be put back as it was. */
export interface Place {
  readonly repo: Bench;
  /** Everything that a run may have changed, and that counts: files, links, modes, ledgers, grants. */
  look(): Readonly<Record<string, string>>;
  /** Files that only an unfinished run leaves. */
  litter(): readonly string[];
  reset(): void;
}

/** Parts of the state folder that are no record of what is set up: journals, backups, the history. */
const UNCOUNTED = /^(?:\.local\/state\/tenon\/(?:journal|backup|history)|bin|temp)(?:\/|$)/;

export async function placeFor(found: FaultCase): Promise<Place> {
  const repo = bench(found.files);
  await found.prepare?.(repo);
  const folders = [repo.root, repo.home];
  const kept = path.join(path.dirname(repo.root), 'kept');
  const copy = (from: string, to: string): void => {
    fs.rmSync(to, { recursive: true, force: true });
    fs.cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  };
  for (const [index, folder] of folders.entries()) copy(folder, path.join(kept, String(index)));
  const links = Object.entries(found.files).flatMap(([name, entry]) =>
    typeof entry === 'object' && 'hardLink' in entry ? [[name, entry.hardLink] as const] : [],
  );
  return {
    repo,
    look() {
      const home = Object.entries(treeOf(repo.home)).filter(
        ([name, line]) => !UNCOUNTED.test(name) && !line.startsWith('folder'),
      );
      const form = (name: string, line: string): string =>
        found.outputs?.includes(name) === true ? jsonForm(path.join(repo.home, name)) : line;
      return {
        ...treeOf(repo.root, { git: true }),
        ...Object.fromEntries(
          home.map(([name, line]) => [`~/${name.replace(/broken-[0-9a-f]+$/, 'broken')}`, form(name, line)]),
        ),
      };
    },
    litter() {
      const names = [
        ...Object.keys(treeOf(repo.root, { git: true })).filter((name) => name.includes('.tenon-')),
        ...Object.keys(treeOf(repo.home)).filter((name) => /\.tmp$|journal\/[^/]*\.json|^temp\//.test(name)),
      ];
      return names;
    },
    reset() {
      for (const [index, folder] of folders.entries()) copy(path.join(kept, String(index)), folder);
      for (const [name, target] of links) {
        fs.rmSync(path.join(repo.root, name));
        fs.linkSync(path.join(repo.root, target), path.join(repo.root, name));
      }
    },
  };
}

/** A written file whose content differs from run to run counts as whole, or not. */
function jsonForm(file: string): string {
  try {
    JSON.parse(fs.readFileSync(file, 'utf8'));
    return 'whole';
  } catch {
    return 'torn';
  }
}
