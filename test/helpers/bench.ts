import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type CliOptions, type CliResult, PACKAGE, runCli, runJson } from './cli.ts';
import { git, scratch, stampsOf, type TreeEntry, treeOf, writeTree } from './repo.ts';
import { prepare, runWarm, type WarmRun } from './warm.ts';

export type Files = Readonly<Record<string, TreeEntry>>;

/** A repository with a home folder beside it, and the built program to run in it. */
export interface Bench {
  readonly root: string;
  readonly home: string;
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** With `--json`; the one document of the run is in `document`. */
  json(args: readonly string[], options?: CliOptions): ReturnType<typeof runJson>;
  /** Command lines that bring the place into the state that a test begins with, in the warm process; each succeeds. */
  prepare(...commands: readonly (readonly string[])[]): Promise<void>;
  /** {@link runWarm} in this place. */
  warm(args: readonly string[]): Promise<WarmRun>;
  bytes(file: string): Buffer;
  text(file: string): string;
  write(file: string, entry: TreeEntry): void;
  exists(file: string): boolean;
  /** Every path of the work tree with kind, mode, links and hash. */
  tree(): Record<string, string>;
  /** Inode, size, mtime and ctime of every path of the work tree and of every file of the state folder. */
  stamps(): Record<string, string>;
}

export interface BenchOptions {
  /** Files of the home folder. */
  readonly home?: Files;
  /** Run in every call, e.g. another package or variables. */
  readonly cli?: CliOptions;
  /** Name of the repository's folder. Default `repo`. */
  readonly name?: string;
}

/** A new repository with these files, nothing committed. */
export function bench(files: Files = {}, options: BenchOptions = {}): Bench {
  const folder = scratch('tenon-bench-');
  const root = path.join(folder, options.name ?? 'repo');
  const home = path.join(folder, 'home');
  fs.mkdirSync(root, { recursive: true });
  fs.mkdirSync(home);
  git(root, ['init', '-q']);
  writeTree(root, files);
  writeTree(home, options.home ?? {});
  const inside = (more: CliOptions = {}): CliOptions => ({
    cwd: root,
    home,
    ...options.cli,
    ...more,
    env: { ...options.cli?.env, ...more.env },
  });
  const state = path.join(home, '.local', 'state');
  const { env = {}, packageDir = PACKAGE } = inside();
  const warmPlace = { cwd: root, home, env, packageDir };
  return {
    root,
    home,
    run: (args, more) => runCli(args, inside(more)),
    json: (args, more) => runJson(args, inside(more)),
    prepare: (...commands) => prepare(warmPlace, ...commands),
    warm: (args) => runWarm(args, warmPlace),
    bytes: (file) => fs.readFileSync(path.join(root, file)),
    text: (file) => fs.readFileSync(path.join(root, file), 'utf8'),
    write: (file, entry) => writeTree(root, { [file]: entry }),
    exists: (file) => fs.lstatSync(path.join(root, file), { throwIfNoEntry: false }) !== undefined,
    tree: () => treeOf(root),
    stamps: () => ({ ...stampsOf(root), ...stateStamps(state) }),
  };
}

function stateStamps(state: string): Record<string, string> {
  if (!fs.existsSync(state)) return {};
  const files = Object.entries(stampsOf(state)).filter(([name]) =>
    fs.statSync(path.join(state, name)).isFile(),
  );
  return Object.fromEntries(files.map(([name, stamp]) => [`state:${name}`, stamp]));
}

/** Where nothing listens; `add` and `setup` run with --offline. */
export const VERA_URL = 'http://127.0.0.1:8765/mcp';

export const runtimeFlags = (runtimes: readonly string[]): string[] =>
  runtimes.flatMap((id) => ['--runtime', id]);

/** `tenon add vera …` for these runtimes. */
export const addVera = (runtimes: readonly string[], ...more: string[]): string[] => [
  'add',
  'vera',
  VERA_URL,
  ...runtimeFlags(runtimes),
  '--offline',
  '--yes',
  ...more,
];

/** `tenon setup vera …` for these runtimes, against an address where nothing needs to listen. */
export const setupVera = (runtimes: readonly string[], ...more: string[]): string[] => [
  'setup',
  'vera',
  '--set',
  'VERA_API_URL=http://127.0.0.1:8765',
  '--set',
  `VERA_MCP_URL=${VERA_URL}`,
  ...runtimeFlags(runtimes),
  '--offline',
  '--yes',
  ...more,
];

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The exit code, with everything printed when it is another one. */
export function expectCode(run: Run, code: number): void {
  expect(run.code, `${run.stdout}\n${run.stderr}`).toBe(code);
}
