import { TenonError } from '../errors/error.ts';
import { printable } from '../lib/printable.ts';
import { maskHome, pathsOf } from './paths.ts';
import type { AbsPath, System } from './ports.ts';

/** Where a command works. All paths are canonical. */
export interface RepoRoot {
  /** Target root: the repository's top, or the folder that `--root` names. */
  readonly root: AbsPath;
  /** Top level of the checkout. */
  readonly top: AbsPath;
  readonly kind: 'checkout' | 'worktree' | 'linked';
  /** The git folder of this checkout, and the one that all its worktrees share. */
  readonly gitDir: AbsPath;
  readonly commonDir: AbsPath;
  /**
   * `info/exclude` of the shared git folder; undefined when `.git` is a link or shares another git folder, or is a file that
   * points to a folder that does not point back or does not lie where git puts it, because what it names could be another
   * repository's.
   */
  readonly excludeFile: AbsPath | undefined;
  /** Canonical working folder. */
  readonly cwd: AbsPath;
}

const MAX_POINTER = 8192;

/**
 * Finds the repository by walking up for `.git`; starts no process (cold start), and ignores GIT_DIR and
 * GIT_WORK_TREE, which a git hook passes on and which would name another repository (case K02).
 * Throws `repo/missing`, `repo/bare`, `repo/broken` or `usage/folder`, exit 2.
 */
export function findRoot(
  system: Pick<System, 'reader' | 'host'>,
  options: { readonly cwd?: string; readonly root?: string } = {},
): RepoRoot {
  const cwd = folder(system, options.cwd ?? '.', system.host.cwd, '--cwd');
  const root = options.root === undefined ? undefined : folder(system, options.root, cwd, '--root');
  const found = walkUp(system, root ?? cwd);
  return { ...found, root: root ?? found.top, cwd };
}

function fault(
  code: 'repo/missing' | 'repo/bare' | 'repo/broken' | 'usage/folder',
  message: string,
  text: string,
  command?: string,
): TenonError {
  return new TenonError(code, message, {
    exit: 2,
    remedy: { text, ...(command === undefined ? {} : { command }) },
  });
}

function folder(
  system: Pick<System, 'reader' | 'host'>,
  given: string,
  base: AbsPath,
  flag: string,
): AbsPath {
  const abs = pathsOf(system.host.platform).resolve(base, given);
  const real = system.reader.realpath(abs);
  if (real === undefined || system.reader.stat(real)?.kind !== 'directory') {
    const what = given === '.' ? 'The working folder' : `The folder ${printable(given)} of ${flag}`;
    const why = real === undefined ? 'does not exist' : 'is no folder';
    throw fault('usage/folder', `${what} ${why}.`, 'Name an existing folder.');
  }
  return real;
}

type Found = Omit<RepoRoot, 'root' | 'cwd'>;

function walkUp(system: Pick<System, 'reader' | 'host'>, start: AbsPath): Found {
  const { reader } = system;
  const paths = pathsOf(system.host.platform);
  for (let at = start; ; at = paths.dirname(at)) {
    const dotGit = paths.join(at, '.git');
    const kind = reader.stat(dotGit)?.kind;
    if (kind === 'directory' && isGitDir(system, dotGit)) {
      const found = checkout(system, at, reader.realpath(dotGit) ?? dotGit);
      // A link may lead to the folder of another repository, as a pointer in a file may; and with a `commondir` git reads
      // `info/exclude` of the folder that it names, not the one that lies here.
      const isOther =
        reader.lstat(dotGit)?.kind === 'link' || reader.lstat(paths.join(dotGit, 'commondir')) !== undefined;
      return isOther ? { ...found, excludeFile: undefined } : found;
    }
    if (kind === 'file') return linked(system, at, dotGit);
    if (isGitDir(system, at)) {
      const inside = paths.basename(at) === '.git';
      throw fault(
        'repo/bare',
        inside
          ? 'This is the inside of a .git folder, which has no files to work on.'
          : 'This is a bare repository, which has no files to work on.',
        'Run tenon in a checkout or worktree.',
        inside ? `tenon -C ${paths.dirname(at)} …` : 'git worktree add ../checkout',
      );
    }
    if (paths.dirname(at) === at) break;
  }
  throw fault(
    'repo/missing',
    `No git repository here: no .git in ${printable(maskHome(start, system.host.home))} or any folder above.`,
    'Change to a repository, name one, or make one.',
    'git init',
  );
}

/** Git's own rule: a HEAD, and an object store and refs, its own or shared through `commondir`. */
function isGitDir({ reader, host }: Pick<System, 'reader' | 'host'>, path: AbsPath): boolean {
  const paths = pathsOf(host.platform);
  // HEAD may be a link whose target does not exist yet (git itself tests with lstat).
  if (reader.lstat(paths.join(path, 'HEAD')) === undefined) return false;
  const has = (name: string) => reader.stat(paths.join(path, name))?.kind === 'directory';
  return reader.stat(paths.join(path, 'commondir'))?.kind === 'file' || (has('objects') && has('refs'));
}

function readPointer({ reader }: Pick<System, 'reader'>, path: AbsPath): string | undefined {
  try {
    const bytes = reader.readFile(path, MAX_POINTER);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes).trim();
  } catch {
    return undefined;
  }
}

/** The branch that is checked out, read from its file; undefined for a detached or unreadable HEAD. Starts no process. */
export function branchOf(
  { reader, host }: Pick<System, 'reader' | 'host'>,
  { gitDir }: Pick<RepoRoot, 'gitDir'>,
): string | undefined {
  const head = readPointer({ reader }, pathsOf(host.platform).join(gitDir, 'HEAD'));
  const [, name] = /^ref: refs\/heads\/([^\s]+)$/u.exec(head ?? '') ?? [];
  // With the reftable format the file holds a placeholder that is no legal name.
  return name === undefined || name.startsWith('.') ? undefined : name;
}

function checkout(system: Pick<System, 'reader' | 'host'>, top: AbsPath, gitDir: AbsPath): Found {
  const paths = pathsOf(system.host.platform);
  const config = readConfig(system, gitDir);
  if (/^\s*bare\s*=\s*(true|yes|on|1)\s*$/im.test(config)) {
    throw fault(
      'repo/bare',
      `The repository at ${printable(top)} is bare (core.bare in .git/config), so it has no files to work on.`,
      'Run tenon in one of its worktrees.',
      'git worktree list',
    );
  }
  return {
    top,
    kind: 'checkout',
    gitDir,
    commonDir: gitDir,
    excludeFile: paths.join(gitDir, 'info', 'exclude'),
  };
}

const MAX_CONFIG = 1024 * 1024;

function readConfig({ reader, host }: Pick<System, 'reader' | 'host'>, gitDir: AbsPath): string {
  try {
    const bytes = reader.readFile(pathsOf(host.platform).join(gitDir, 'config'), MAX_CONFIG);
    return bytes === undefined ? '' : new TextDecoder().decode(bytes);
  } catch {
    return '';
  }
}

/** `.git` is a file: a linked worktree, a submodule, or a checkout with its git folder elsewhere (case K01). */
function linked(system: Pick<System, 'reader' | 'host'>, top: AbsPath, dotGit: AbsPath): Found {
  const { reader } = system;
  const paths = pathsOf(system.host.platform);
  const pointer = /^gitdir: (.+)$/.exec(readPointer(system, dotGit) ?? '')?.[1];
  if (pointer === undefined || pointer.includes('\0')) {
    throw fault(
      'repo/broken',
      `${printable(dotGit)} is a file that does not say where the git folder is.`,
      'Repair the checkout; git reports the same.',
      'git status',
    );
  }
  const gitDir = reader.realpath(paths.resolve(top, pointer));
  if (gitDir === undefined || !isGitDir(system, gitDir)) {
    throw fault(
      'repo/broken',
      `${printable(dotGit)} points to ${printable(pointer)}, which is no git folder.`,
      'Repair the worktree, or clone again.',
      'git worktree repair',
    );
  }
  const shared = readPointer(system, paths.join(gitDir, 'commondir'));
  const commonDir =
    shared === undefined ? gitDir : (reader.realpath(paths.resolve(gitDir, shared)) ?? gitDir);
  const back = shared === undefined ? workTreeOf(system, gitDir) : backPointer(system, gitDir);
  // Both pointers lie in a folder that the repository may have brought; that of a worktree lies where git made it.
  const isMade = shared === undefined || paths.dirname(gitDir) === paths.join(commonDir, 'worktrees');
  const proven = isMade && back !== undefined && reader.realpath(back) === top;
  return {
    top,
    kind: shared === undefined ? 'linked' : 'worktree',
    gitDir,
    commonDir,
    excludeFile: proven ? paths.join(commonDir, 'info', 'exclude') : undefined,
  };
}

/** A worktree's git folder names the `.git` file of its checkout in `gitdir`. */
function backPointer(system: Pick<System, 'reader' | 'host'>, gitDir: AbsPath): AbsPath | undefined {
  const paths = pathsOf(system.host.platform);
  const file = readPointer(system, paths.join(gitDir, 'gitdir'));
  return file === undefined ? undefined : paths.dirname(paths.resolve(gitDir, file));
}

/** A submodule's git folder names its checkout in `core.worktree`. */
function workTreeOf(system: Pick<System, 'reader' | 'host'>, gitDir: AbsPath): AbsPath | undefined {
  const value = /^\s*worktree\s*=\s*(.+?)\s*$/im.exec(readConfig(system, gitDir))?.[1];
  return value === undefined
    ? undefined
    : pathsOf(system.host.platform).resolve(gitDir, value.replace(/^"(.*)"$/, '$1'));
}
