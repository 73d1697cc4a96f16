import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];
afterAll(() => {
  for (const folder of made.splice(0)) {
    unlock(folder);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

function unlock(folder: string): void {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) unlock(path.join(folder, entry.name));
  }
}

/** Where there is a disk in memory, tests do not wait for every fsync. */
const base = fs.existsSync('/dev/shm') && process.env['CI'] === undefined ? '/dev/shm' : os.tmpdir();

/** A new empty folder with a canonical path, removed when the test file is done. */
export function scratch(prefix = 'tenon-test-'): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(base, prefix)));
  made.push(folder);
  return folder;
}

/** What a scratch tree consists of: text or bytes of a file, a link, or an empty folder. Paths are relative. */
export type TreeEntry =
  | string
  | Uint8Array
  | { readonly text: string | Uint8Array; readonly mode: number }
  | { readonly link: string }
  | { readonly hardLink: string }
  | { readonly directory: true };

/** Writes a tree below a folder, in the order given. */
export function writeTree(folder: string, files: Readonly<Record<string, TreeEntry>>): void {
  for (const [name, entry] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (typeof entry === 'string' || entry instanceof Uint8Array) fs.writeFileSync(file, entry);
    else if ('link' in entry) fs.symlinkSync(entry.link, file);
    else if ('hardLink' in entry) fs.linkSync(path.join(folder, entry.hardLink), file);
    else if ('directory' in entry) fs.mkdirSync(file, { recursive: true });
    else {
      fs.writeFileSync(file, entry.text);
      fs.chmodSync(file, entry.mode);
    }
  }
}

/** The environment without what git, CI, agents and the user's own set-up would add. */
export function cleanEnv(home: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    ...extra,
  };
}

/** Runs git and gives its output; throws with git's text when it fails. */
export function git(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  return execFileSync(
    'git',
    [
      '-c',
      'user.name=Test',
      '-c',
      'user.email=test@example.com',
      '-c',
      'init.defaultBranch=main',
      '-c',
      'protocol.file.allow=always',
      ...args,
    ],
    { cwd: folder, env: cleanEnv(folder, env), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
}

/** A repository with these files committed, in a new folder. */
export function gitRepo(files: Readonly<Record<string, TreeEntry>> = { 'README.md': '# here\n' }): string {
  const folder = scratch('tenon-repo-');
  git(folder, ['init', '-q']);
  writeTree(folder, files);
  git(folder, ['add', '-A']);
  git(folder, ['commit', '-q', '--allow-empty', '-m', 'Start']);
  return folder;
}

export interface TreeOptions {
  /** Include `.git`. Default: no. */
  readonly git?: boolean;
}

function walk(
  folder: string,
  options: TreeOptions,
  visit: (name: string, stat: fs.Stats, file: string) => void,
): void {
  const go = (below: string): void => {
    for (const name of fs.readdirSync(path.join(folder, below)).sort()) {
      if (below === '' && name === '.git' && options.git !== true) continue;
      const relative = below === '' ? name : `${below}/${name}`;
      const file = path.join(folder, relative);
      const stat = fs.lstatSync(file);
      visit(relative, stat, file);
      if (stat.isDirectory()) go(relative);
    }
  };
  go('');
}

/** One line per path: kind, mode, and the hash of the bytes or the link's target. Equal trees give equal objects. */
export function treeOf(folder: string, options: TreeOptions = {}): Record<string, string> {
  const lines: Record<string, string> = {};
  walk(folder, options, (name, stat, file) => {
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) lines[name] = `link ${fs.readlinkSync(file)}`;
    else if (stat.isDirectory()) lines[name] = `folder ${mode}`;
    else if (stat.isFile()) {
      const hash = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
      lines[name] = `file ${mode} ${stat.nlink} ${stat.uid}:${stat.gid} ${hash}`;
    } else lines[name] = `other ${mode}`;
  });
  return lines;
}

/** Hash over {@link treeOf}. */
export const treeHash = (folder: string, options: TreeOptions = {}): string =>
  createHash('sha256')
    .update(JSON.stringify(treeOf(folder, options)))
    .digest('hex');

/** Inode, size and times of every path: unchanged stamps mean that nothing was written at all. */
export function stampsOf(folder: string, options: TreeOptions = {}): Record<string, string> {
  const stamps: Record<string, string> = {};
  walk(folder, options, (name, stat) => {
    stamps[name] = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  });
  return stamps;
}
