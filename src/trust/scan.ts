import { sha256 } from '../engine/fingerprint.ts';
import type { Fingerprint } from '../engine/types.ts';
import { TenonError } from '../errors/error.ts';
import { canonicalJson } from '../lib/json.ts';
import { printable } from '../lib/printable.ts';
import { pathsOf } from '../system/paths.ts';
import type { AbsPath, FileStat, System } from '../system/ports.ts';
import type { RepoRoot } from '../system/root.ts';
import { findOutside } from '../system/which.ts';
import { contentsOf, type ScannedServer } from './contents.ts';
import type { Match, Places, ScanClass, ScanKind } from './places.ts';

/** One file of the repository that a coding tool, git or a shell would run or obey. */
export interface ScanEntry {
  /** Relative to the root, posix; of a git hook `.git/hooks/NAME`. */
  readonly path: string;
  readonly kind: ScanKind;
  readonly class: ScanClass;
  /** Over the bytes; of a link over the path that it holds. */
  readonly print: Fingerprint;
  readonly size: number;
  /** A link is named and never followed. */
  readonly link: boolean;
  readonly runtimes: readonly string[];
  readonly servers: readonly ScannedServer[];
}

export interface Inventory {
  readonly entries: readonly ScanEntry[];
  readonly digest: Fingerprint;
  /** Folders that were not looked into. */
  readonly skipped: readonly string[];
}

/** Bounds of requirement K26; beyond one of them there is no inventory at all. */
const LIMITS = { fileBytes: 2 * 1024 * 1024, entries: 2000, depth: 40, visited: 250_000 };

/**
 * The inventory of a root (requirements K25, K26, T-08): reads names everywhere but in `.git` and `node_modules`, and the
 * contents of the files that count. Follows no link and runs nothing but `git config`. Throws `trust/scan-limit` (exit 4)
 * instead of leaving something out.
 */
export function takeInventory(system: System, repo: RepoRoot, places: Places): Inventory {
  const entries: ScanEntry[] = [];
  const skipped: string[] = [];
  let visited = 0;
  const paths = pathsOf(system.host.platform);
  const add = (path: string, abs: AbsPath, stat: FileStat, match: Match): void => {
    if (entries.length >= LIMITS.entries) throw limit(path, `is one entry more than ${LIMITS.entries}`);
    entries.push(entryOf(system, repo.root, path, abs, stat, match));
  };
  const visit = (folder: string, depth: number): void => {
    if (depth > LIMITS.depth) throw limit(folder, `lies deeper than ${LIMITS.depth} folders`);
    const dir = folder === '' ? repo.root : paths.join(repo.root, folder);
    for (const name of readNames(system, dir, folder)) {
      visited += 1;
      if (visited > LIMITS.visited) throw limit(folder, `the repository has over ${LIMITS.visited} files`);
      const path = folder === '' ? name : `${folder}/${name}`;
      const abs = paths.join(dir, name);
      const stat = system.reader.lstat(abs);
      if (stat === undefined || name === '.git') continue;
      if (stat.kind === 'directory') {
        if (name === 'node_modules') skipped.push(path);
        else visit(path, depth + 1);
        continue;
      }
      const match = places.match(path);
      if (match !== undefined) add(path, abs, stat, match);
      else if (stat.kind === 'link' && places.leadsTo(path)) add(path, abs, stat, LINK);
    }
  };
  visit('', 0);
  const hooks = paths.join(repo.commonDir, 'hooks');
  for (const name of system.reader.list(hooks) ?? []) {
    const stat = system.reader.lstat(paths.join(hooks, name));
    if (stat === undefined || stat.kind === 'directory' || name.endsWith('.sample')) continue;
    add(`.git/hooks/${name}`, paths.join(hooks, name), stat, GIT_HOOK);
  }
  const hooksPath = configuredHooks(system, repo.root);
  if (hooksPath !== undefined) {
    entries.push({
      path: `core.hooksPath=${hooksPath}`,
      kind: 'git-hooks-path',
      class: 'executable',
      print: sha256(hooksPath),
      size: hooksPath.length,
      link: false,
      runtimes: [],
      servers: [],
    });
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { entries, digest: digestOf(entries), skipped };
}

const LINK: Match = { kind: 'hook', runtimes: [], readings: [] };
const GIT_HOOK: Match = { kind: 'git-hook', runtimes: [], readings: [] };

const digestOf = (entries: readonly ScanEntry[]): Fingerprint =>
  sha256(
    canonicalJson({
      version: 1,
      entries: entries.map((one) => [one.path, one.kind, one.class, one.print, one.size, one.link]),
    }),
  );

function readNames(system: System, dir: AbsPath, folder: string): readonly string[] {
  try {
    return system.reader.list(dir) ?? [];
  } catch {
    throw limit(folder, 'cannot be read');
  }
}

function entryOf(
  system: System,
  root: AbsPath,
  path: string,
  abs: AbsPath,
  stat: FileStat,
  match: Match,
): ScanEntry {
  const base = { path, kind: match.kind, runtimes: match.runtimes };
  if (stat.kind === 'link') {
    const target = system.reader.readLink(abs) ?? '';
    const size = new TextEncoder().encode(target).length;
    return { ...base, class: 'executable', print: sha256(target), size, link: true, servers: [] };
  }
  if (stat.kind !== 'file') throw limit(path, 'is neither a file, a folder nor a link');
  const bytes = readBounded(system, path, abs, stat);
  const contents = contentsOf(path, decode(bytes), match, (stat.mode & 0o111) !== 0, {
    root,
    platform: system.host.platform,
  });
  return { ...base, ...contents, print: sha256(bytes), size: bytes.length, link: false };
}

function readBounded(system: System, path: string, abs: AbsPath, stat: FileStat): Uint8Array {
  if (stat.size > LIMITS.fileBytes) throw limit(path, 'is larger than 2 MiB');
  try {
    const bytes = system.reader.readFile(abs, LIMITS.fileBytes);
    if (bytes !== undefined) return bytes;
  } catch {
    // Told below: what cannot be read cannot be listed.
  }
  throw limit(path, 'cannot be read');
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The folder that git would take hooks from instead; the repository's own setting, shown and not followed. */
function configuredHooks(system: System, root: AbsPath): string | undefined {
  const git = findOutside('git', root, system.host, system.reader);
  if (git === undefined)
    throw limit('core.hooksPath', 'cannot be asked for without a git outside this repository');
  // The user's own settings are left out; `--local` would leave out config.worktree and what include.path brings as well.
  const env = {
    PATH: system.host.env['PATH'] ?? '',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const args = ['config', '--get', 'core.hooksPath'];
  const answer = system.exec.run(git, args, { cwd: root, env, timeoutMs: 5000 });
  const value = answer.code === 0 ? answer.stdout.replace(/\r?\n$/, '') : '';
  return value === '' ? undefined : value;
}

const limit = (path: string, why: string): TenonError =>
  new TenonError(
    'trust/scan-limit',
    `${printable(path === '' ? '.' : path)} ${why}, so no inventory is complete`,
    {
      exit: 4,
      remedy: { text: 'Look at it, take it out of the repository, or scan a smaller root with --root' },
    },
  );
