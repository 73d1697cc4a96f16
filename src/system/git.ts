import { homedir } from 'node:os';
import { relative } from 'node:path';
import type { SimpleGit, SimpleGitOptions } from 'simple-git';
import { noteOutside } from '../lib/outside.ts';
import { printable } from '../lib/printable.ts';
import { chosenRemote, repositoryIdentity } from '../lib/repository-identity.ts';
import { redactText } from '../lib/secrets.ts';
import { mayBeIgnored } from './git-ignore.ts';
import type { Host, Reader } from './ports.ts';
import { realReader } from './real-files.ts';
import type { RepoRoot } from './root.ts';
import { findOutside } from './which.ts';

/** An answer of git, or its own text why there is none; never guessed, never "no repository" (cases K03, K06). */
export type GitAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

export interface IgnoredBy {
  /** File that holds the pattern, as git names it: `.gitignore`, `.git/info/exclude`, or the user's own. */
  readonly source: string;
  readonly line: number;
  readonly pattern: string;
}

export interface StatusEntry {
  /** Index and work tree column of `git status --porcelain`. */
  readonly index: string;
  readonly workTree: string;
  readonly path: string;
}

/** Questions to git. Paths are relative to the root, posix. Nothing is changed, no hook or filter runs. */
export interface Git {
  /** Those of the paths that are in the index. */
  isTracked(paths: readonly string[]): Promise<GitAnswer<ReadonlySet<string>>>;
  /** Those of the paths whose index entry differs from HEAD. */
  isStaged(paths: readonly string[]): Promise<GitAnswer<ReadonlySet<string>>>;
  /** Those of the untracked paths that are ignored, and by what (case K05). */
  isIgnored(paths: readonly string[]): Promise<GitAnswer<ReadonlyMap<string, IgnoredBy>>>;
  /** Those of the paths that a `.gitignore` of the checkout takes back with `!`, which counts more than `info/exclude`. */
  isTakenBack(paths: readonly string[]): Promise<GitAnswer<ReadonlyMap<string, IgnoredBy>>>;
  /** The folder that git counts paths from; `core.worktree` can name another than the one that `.git` lies in. */
  topLevel(): Promise<GitAnswer<string>>;
  statusPorcelain(paths: readonly string[]): Promise<GitAnswer<readonly StatusEntry[]>>;
  /** Short name of the branch; undefined for a detached HEAD. */
  currentBranch(): Promise<GitAnswer<string | undefined>>;
  /** The repository as it may be sent (V47, V48): no credentials, no local path; undefined where none is chosen. */
  repository(): Promise<GitAnswer<string | undefined>>;
}

const TIMEOUT_MS = 10_000;

/**
 * Checkouts in which git gave no answer, with the time of it: a pipe in the place of a file of its own, or a file system
 * that is gone, makes every question wait as long as the first.
 */
const silent = new Map<string, number>();
const SILENT_FOR_MS = 60_000;

/**
 * Settings of a checkout can name programs that git runs while it only looks. All of them are overridden here; filters
 * are switched off by name in {@link statusPorcelain}.
 */
const HARMLESS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.quotePath=false',
  'diff.external=',
  'status.submoduleSummary=false',
];

/**
 * Variables that reach git: what a process needs, where git's configuration is, and its own test switch for foreign
 * owners. GIT_DIR of a hook that started us names no other repository (case K02), and no EDITOR or PAGER is started.
 */
const PASSED =
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|HOMEDRIVE|HOMEPATH|SYSTEMROOT|COMSPEC|APPDATA|LOCALAPPDATA|PROGRAMDATA|TEMP|TMP|TMPDIR|LANG|LC_\w+|XDG_CONFIG_HOME|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM|GIT_CONFIG_NOSYSTEM|GIT_TEST_ASSUME_DIFFERENT_OWNER)$/i;

/**
 * A partial clone fetches objects that it lacks when they are asked for, through a program that its configuration names
 * (`core.sshCommand`, `remote.*.uploadpack`, an `ext::` URL); the index of a sparse checkout is enough to ask for them. No
 * protocol is allowed here: git(1), GIT_ALLOW_PROTOCOL; newer git also knows GIT_NO_LAZY_FETCH.
 */
const NO_FETCH = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' };

// simple-git takes a failure without any text, such as exit 1 of "none found", as an empty answer.

/** What git is looked for with, and started in. */
export interface GitSurroundings {
  readonly reader: Reader;
  readonly host: Pick<Host, 'env' | 'platform' | 'home' | 'uid'>;
  /** How long git may be silent; then it is ended, and asked nothing more for a minute. */
  readonly timeoutMs?: number;
}

/** Git for one root. simple-git is loaded by the first question (cold start). */
export function openGit(
  repo: Pick<RepoRoot, 'root' | 'top'> & Partial<Pick<RepoRoot, 'gitDir' | 'commonDir' | 'excludeFile'>>,
  { reader, host, timeoutMs = TIMEOUT_MS }: GitSurroundings = { reader: realReader, host: hostOf() },
): Git {
  const ask = async <T>(
    args: readonly string[],
    read: (output: string) => T,
    extra: readonly string[] = [],
    input?: string,
  ): Promise<GitAnswer<T>> => {
    const program = findOutside('git', repo.top, host, reader);
    if (program === undefined) return { ok: false, message: NO_GIT };
    const noAnswer = { ok: false, message: `git gave no answer in ${timeoutMs / 1000} s` } as const;
    if (performance.now() - (silent.get(repo.root) ?? Number.NEGATIVE_INFINITY) < SILENT_FOR_MS)
      return noAnswer;
    try {
      const git = await client(program, repo.root, host.env, { config: extra, input, timeoutMs });
      return { ok: true, value: read(await git.raw(['--no-optional-locks', ...args])) };
    } catch (error) {
      const message = messageOf(error);
      if (message !== 'block timeout reached') return { ok: false, message };
      silent.set(repo.root, performance.now());
      return noAnswer;
    }
  };
  // `status --porcelain` names paths from the top level, everything else from the working folder.
  const prefix = repo.root === repo.top ? '' : `${relative(repo.top, repo.root).replaceAll('\\', '/')}/`;
  const literal = (paths: readonly string[]): string[] => ['--', ...paths.map((path) => `:(literal)${path}`)];
  const fields = (output: string): string[] => output.split('\0').filter((field) => field !== '');
  const pathSet = (output: string): ReadonlySet<string> => new Set(fields(output));
  // With -z git reads the paths from its input alone. simple-git waits 50 ms for an answer that is empty, so that git names
  // the paths that no pattern matches as well.
  const decisions = (paths: readonly string[], isWanted: (by: IgnoredBy) => boolean) =>
    ask(
      ['check-ignore', '-v', '-n', '-z', '--stdin'],
      (output) => matchesOf(output, isWanted),
      [],
      paths.join('\0'),
    );
  const currentBranch = () =>
    ask(['symbolic-ref', '--quiet', '--short', 'HEAD'], (output) => output.trim() || undefined);

  return {
    isTracked: (paths) =>
      paths.length === 0
        ? nothing(new Set())
        : ask(['ls-files', '-z', '--cached', ...literal(paths)], pathSet),
    isStaged: async (paths) => {
      if (paths.length === 0) return nothing(new Set());
      const args = [
        'diff',
        '--cached',
        '--name-only',
        '--no-ext-diff',
        '--no-textconv',
        '--no-renames',
        '--relative',
        '-z',
      ];
      return ask([...args, ...literal(paths)], pathSet);
    },
    isIgnored: async (paths) => {
      if (paths.length === 0) return nothing(new Map());
      if (findOutside('git', repo.top, host, reader) === undefined) return { ok: false, message: NO_GIT };
      const { root, top, gitDir, commonDir, excludeFile } = repo;
      if (gitDir !== undefined && commonDir !== undefined) {
        const around = {
          reader,
          repo: { root, top, gitDir, commonDir, excludeFile },
          host,
        };
        if (!mayBeIgnored(around, paths)) return nothing(new Map());
      }
      return decisions(paths, ({ pattern }) => !pattern.startsWith('!'));
    },
    isTakenBack: async (paths) =>
      paths.length === 0
        ? nothing(new Map())
        : decisions(paths, ({ source, pattern }) => pattern.startsWith('!') && isOfCheckout(source)),
    topLevel: () => ask(['rev-parse', '--show-toplevel'], (output) => output.replace(/\r?\n$/, '')),
    statusPorcelain: async (paths) => {
      // Every scope: the checkout's own settings may come in by include.path or stand in config.worktree.
      const names = await ask(['config', '--name-only', '-z', '--get-regexp', '^filter\\.'], fields);
      if (!names.ok) return names;
      // `-c` ends a name at the first `=`, so such a filter cannot be switched off.
      const odd = names.value.find((name) => name.includes('='));
      if (odd !== undefined)
        return {
          ok: false,
          message: `the setting ${printable(odd)} has a name that git cannot be told to ignore`,
        };
      const off = filtersOff(names.value);
      const args = [
        'status',
        '--porcelain=v1',
        '-z',
        '--no-renames',
        '--untracked-files=all',
        '--ignore-submodules=all',
      ];
      return ask(
        [...args, ...literal(paths)],
        (output) => fields(output).map((entry) => statusOf(entry, prefix)),
        off,
      );
    },
    currentBranch,
    repository: async () => {
      const branch = await currentBranch();
      if (!branch.ok) return branch;
      const settings = await ask(['config', '-z', '--get-regexp', '^(remote|branch)\\.'], fields);
      if (!settings.ok) return settings;
      const remote = chosenRemote(settings.value, branch.value);
      if (remote === undefined) return { ok: true, value: undefined };
      // Asked again because `insteadOf` rules may rewrite the configured text.
      return ask(['remote', 'get-url', '--', remote], (output) =>
        repositoryIdentity(output.split('\n', 1)[0] ?? ''),
      );
    },
  };
}

const hostOf = () => ({
  env: process.env,
  platform: process.platform,
  home: process.env['HOME'] ?? homedir(),
  uid: process.getuid?.() ?? -1,
});

const NO_GIT = 'git is not on PATH, or it is a file of this repository, which is not started';

const nothing = <T>(value: T): Promise<GitAnswer<T>> => Promise.resolve({ ok: true, value });

async function client(
  program: string,
  root: string,
  given: Host['env'],
  asked: {
    readonly config: readonly string[];
    readonly input: string | undefined;
    readonly timeoutMs: number;
  },
): Promise<SimpleGit> {
  noteOutside();
  const { simpleGit } = await import('simple-git');
  const passed = Object.entries(given).flatMap(([name, value]) =>
    PASSED.test(name) && value !== undefined ? [[name, value]] : [],
  );
  const env: Record<string, string> = { ...Object.fromEntries(passed), ...NO_FETCH };
  const { config, input, timeoutMs } = asked;
  const options: Partial<SimpleGitOptions> = {
    // Absolute: a relative entry of PATH, and on Windows the working folder, would find a program of the repository.
    binary: program,
    baseDir: root,
    config: [...HARMLESS, ...config],
    allowEnvironment: Object.keys(env),
    ...(input === undefined ? {} : { input: () => input }),
    timeout: { block: timeoutMs, stdOut: false, stdErr: false },
    // Values that simple-git holds back in general are set to harmless ones here.
    unsafe: {
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
      allowUnsafePager: true,
      allowUnsafeDiffExternal: true,
      allowUnsafeFilter: true,
      allowUnsafeCustomBinary: true,
      // Its own variables of where configuration is, as the user set them.
      allowUnsafeConfigPaths: true,
    },
  };
  return simpleGit(options).env(env);
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return redactText(text)
    .split(/\r?\n/)
    .map((line) => printable(line.trim()))
    .filter((line) => line !== '')
    .join('\n');
}

/** Git names the files of the checkout from its top, and those of the user from the top of the file system. */
const isOfCheckout = (source: string): boolean => /^(?!\/|[A-Za-z]:)(?:.*\/)?\.gitignore$/.test(source);

function matchesOf(output: string, isWanted: (by: IgnoredBy) => boolean): ReadonlyMap<string, IgnoredBy> {
  const parts = output.split('\0');
  const found = new Map<string, IgnoredBy>();
  for (let at = 0; at + 3 < parts.length; at += 4) {
    const [source = '', line = '', pattern = '', path = ''] = parts.slice(at, at + 4);
    const by = { source, line: Number(line), pattern };
    if (source !== '' && isWanted(by)) found.set(path, by);
  }
  return found;
}

const filtersOff = (names: readonly string[]): string[] =>
  [...new Set(names.map((name) => name.replace(/\.[^.]*$/, '')))].flatMap((filter) => [
    `${filter}.clean=`,
    `${filter}.smudge=`,
    `${filter}.process=`,
    `${filter}.required=false`,
  ]);

const statusOf = (entry: string, prefix: string): StatusEntry => ({
  index: entry.charAt(0),
  workTree: entry.charAt(1),
  path: entry.slice(3 + prefix.length),
});
