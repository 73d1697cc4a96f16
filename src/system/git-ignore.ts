import { matchesWildcard } from '../lib/wildcard.ts';
import { pathsOf } from './paths.ts';
import type { Host, Reader } from './ports.ts';
import type { RepoRoot } from './root.ts';

/** Longer files of patterns or settings are left to git. */
const MAX_BYTES = 256 * 1024;

/** Where a build of git keeps the settings of the machine. */
const SYSTEM_CONFIGS = [
  '/etc/gitconfig',
  '/usr/etc/gitconfig',
  '/usr/local/etc/gitconfig',
  '/opt/homebrew/etc/gitconfig',
];

/** What the look needs of a repository and of the machine. */
interface Surroundings {
  readonly reader: Pick<Reader, 'readFile' | 'stat'>;
  readonly repo: Pick<RepoRoot, 'root' | 'top' | 'gitDir' | 'commonDir' | 'excludeFile'>;
  readonly host: Pick<Host, 'env' | 'platform' | 'home' | 'uid'>;
}

/**
 * Whether git has to be asked which of the paths it ignores. Starting git takes longer than everything else that is looked
 * at in a small repository, and mostly no pattern comes near the paths. False only where that is sure: every doubt
 * (settings that name other files, classes and escapes in patterns, a folder of another owner, Windows) is a yes.
 * `paths` are relative to the root, posix. gitignore(5), git-config(1).
 */
export function mayBeIgnored(around: Surroundings, paths: readonly string[]): boolean {
  const { reader, repo, host } = around;
  if (host.platform === 'win32' || repo.excludeFile === undefined) return true;
  if (host.env['GIT_TEST_ASSUME_DIFFERENT_OWNER'] !== undefined) return true;
  if (reader.stat(repo.top)?.uid !== host.uid || reader.stat(repo.gitDir)?.uid !== host.uid) return true;
  const { join, relative } = pathsOf(host.platform);
  const below = relative(repo.top, repo.root);
  const full = paths.map((path) => join(below, path).split('/'));
  const names = full.map((segments) => segments.map((name) => name.toLowerCase()));
  return [...configs(around), ...patternFiles(around, full)].some(({ path, isConfig }) => {
    const text = textOf(reader, path);
    if (text === undefined) return true;
    if (text === '') return false;
    return isConfig ? !isPlainConfig(text) : linesOf(text).some((line) => mayMatch(line, names));
  });
}

/** The patterns of a file, read once: those of the top level are asked about in every root. */
const lines = new Map<string, readonly Line[]>();
const KEPT_FILES = 64;

function linesOf(text: string): readonly Line[] {
  let read = lines.get(text);
  if (read === undefined) {
    read = text.split(/\r?\n/).flatMap((line) => readLine(line) ?? []);
    if (lines.size >= KEPT_FILES) lines.clear();
    lines.set(text, read);
  }
  return read;
}

interface Source {
  readonly path: string;
  readonly isConfig: boolean;
}

/** Every file that could name further files of patterns. */
function configs({ repo, host }: Surroundings): Source[] {
  const { join } = pathsOf(host.platform);
  const { env, home } = host;
  const noSystem = /^(1|true|yes|on)$/i.test(env['GIT_CONFIG_NOSYSTEM'] ?? '');
  const ofSystem = env['GIT_CONFIG_SYSTEM'] === undefined ? SYSTEM_CONFIGS : [env['GIT_CONFIG_SYSTEM']];
  const ofUser =
    env['GIT_CONFIG_GLOBAL'] === undefined
      ? [join(home, '.gitconfig'), join(userConfig(host), 'git', 'config')]
      : [env['GIT_CONFIG_GLOBAL']];
  return [
    ...(noSystem ? [] : ofSystem),
    ...ofUser,
    join(repo.commonDir, 'config'),
    join(repo.gitDir, 'config.worktree'),
  ].map((path) => ({ path, isConfig: true }));
}

/** The files of patterns that git reads by itself for these paths. */
function patternFiles({ repo, host }: Surroundings, full: readonly (readonly string[])[]): Source[] {
  const { join } = pathsOf(host.platform);
  const folders = new Set(['']);
  for (const segments of full) {
    for (let length = 1; length < segments.length; length += 1)
      folders.add(segments.slice(0, length).join('/'));
  }
  return [
    ...(repo.excludeFile === undefined ? [] : [repo.excludeFile]),
    join(userConfig(host), 'git', 'ignore'),
    ...[...folders].map((folder) => join(repo.top, folder, '.gitignore')),
  ].map((path) => ({ path, isConfig: false }));
}

const userConfig = ({ env, home, platform }: Surroundings['host']): string =>
  env['XDG_CONFIG_HOME'] || pathsOf(platform).join(home, '.config');

/** Empty for a missing file; undefined for one that cannot be looked into. */
function textOf(reader: Surroundings['reader'], path: string): string | undefined {
  try {
    // Most of them are not there, and reading what is not there takes long.
    const bytes = reader.stat(path) === undefined ? undefined : reader.readFile(path, MAX_BYTES);
    return bytes === undefined ? '' : new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

/** Settings that git surely reads, and that name no other file and no other way of keeping a repository. */
const isPlainConfig = (text: string): boolean =>
  !/exclude|include|extensions/i.test(text) &&
  text
    .split(/\r?\n/)
    .every((line) => /^\s*(?:[#;].*|\[[^\]\\]*\]\s*|[A-Za-z][\w-]*\s*(?:=.*)?)?$/.test(line));

/**
 * Whether a line of a file of patterns could match one of the paths, given as their segments. A pattern matches only what
 * has, or lies below, a name that its last part matches; where it stands and how it is anchored is not looked at.
 */
const mayMatch = (wanted: Line, paths: readonly (readonly string[])[]): boolean =>
  wanted === 'any' || paths.some((names) => names.some((name) => matchesWildcard(wanted.name, name)));

/** What a pattern needs one name of a path to match; `any` where that is not sure. */
type Line = 'any' | { readonly name: string };

function readLine(line: string): Line | undefined {
  const pattern = line.replace(/ +$/, '');
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  if (/[[\\]/.test(pattern)) return 'any';
  const parts = pattern.replace(/^!/, '').split('/');
  const last = parts.findLast((part) => part !== '' && part !== '**');
  if (last === undefined) return 'any';
  // Compared without case, as on file systems that do not tell it. Not as an expression: a repository wrote the pattern.
  // A `?` counts as any text, because git means one byte by it, of which a letter may have several.
  return { name: last.toLowerCase().replaceAll('?', '*') };
}
