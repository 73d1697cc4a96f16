import { posix } from 'node:path';
import type { AbsPath, FileStat, Host, Reader, System, Writer } from './ports.ts';

interface Inode {
  kind: 'file' | 'directory' | 'link';
  mode: number;
  bytes: Uint8Array;
  target: string;
  uid: number;
  gid: number;
  readonly ino: number;
  mtimeMs: number;
}

/** Start content: text or bytes of a file, a link, or a folder; parents come by themselves. */
export type MemoryEntry =
  | string
  | Uint8Array
  | { readonly text: string | Uint8Array; readonly mode?: number }
  | { readonly link: string }
  | { readonly hardLink: AbsPath }
  | { readonly directory: true; readonly mode?: number };

export interface MemorySystem extends System {
  /** Path -> one line that tells kind, mode and content; equal snapshots are equal trees. */
  snapshot(below?: AbsPath): Record<string, string>;
}

const fail = (code: string, path: string): never => {
  throw Object.assign(new Error(`${code}: '${path}'`), { code, path });
};

const MAX_LINKS = 40;

/** A System that lives in memory and behaves like a posix one, links included. Time stands still; programs do not exist. */
export function memorySystem(
  files: Readonly<Record<AbsPath, MemoryEntry>> = {},
  host: Partial<Host> = {},
): MemorySystem {
  const tree = new Map<AbsPath, Inode>();
  let serial = 0;
  let now = 1_700_000_000_000;
  const inode = (
    kind: Inode['kind'],
    mode: number,
    bytes: Uint8Array = new Uint8Array(),
    target = '',
  ): Inode => {
    serial += 1;
    return { kind, mode, bytes, target, uid: 1000, gid: 1000, ino: serial, mtimeMs: now + serial };
  };
  tree.set('/', inode('directory', 0o755));

  /** The path with every link of its folders resolved; with `last`, its own too. Undefined when something is missing. */
  const resolve = (path: AbsPath, last: boolean, hops = 0): AbsPath | undefined => {
    let current: AbsPath = '/';
    const parts = posix
      .normalize(path)
      .split('/')
      .filter((part) => part !== '');
    for (const [at, part] of parts.entries()) {
      if (tree.get(current)?.kind !== 'directory') return undefined;
      const next: AbsPath = posix.join(current, part);
      const node = tree.get(next);
      const isLast = at === parts.length - 1;
      if (node?.kind === 'link' && (!isLast || last)) {
        if (hops >= MAX_LINKS) return fail('ELOOP', path);
        const rest = parts.slice(at + 1).join('/');
        return resolve(posix.resolve(current, node.target, rest), last, hops + 1);
      }
      if (node === undefined && !isLast) return undefined;
      current = next;
    }
    return current;
  };
  const nodeAt = (path: AbsPath, follow: boolean): Inode | undefined => {
    const real = resolve(path, follow);
    return real === undefined ? undefined : tree.get(real);
  };
  const childrenOf = (real: AbsPath): string[] => {
    const prefix = real === '/' ? '/' : `${real}/`;
    return [...tree.keys()]
      .filter((key) => key !== '/' && key.startsWith(prefix) && !key.slice(prefix.length).includes('/'))
      .map((key) => key.slice(prefix.length))
      .sort();
  };
  const statOf = (node: Inode): FileStat => ({
    kind: node.kind,
    mode: node.mode,
    size: node.kind === 'link' ? node.target.length : node.bytes.length,
    nlink: node.kind === 'file' ? [...tree.values()].filter((other) => other === node).length : 1,
    uid: node.uid,
    gid: node.gid,
    dev: 1,
    ino: node.ino,
    mtimeMs: node.mtimeMs,
  });

  const reader: Reader = {
    readFile(path, limit = Number.MAX_SAFE_INTEGER) {
      const node = nodeAt(path, true);
      if (node === undefined) return undefined;
      if (node.kind !== 'file') return fail('EISDIR', path);
      if (node.bytes.length > limit) return fail('EFBIG', path);
      return node.bytes.slice();
    },
    lstat: (path) => {
      const node = nodeAt(path, false);
      return node === undefined ? undefined : statOf(node);
    },
    stat: (path) => {
      const node = nodeAt(path, true);
      return node === undefined ? undefined : statOf(node);
    },
    list: (path) => {
      const real = resolve(path, true);
      return real !== undefined && tree.get(real)?.kind === 'directory' ? childrenOf(real) : undefined;
    },
    readLink: (path) => {
      const node = nodeAt(path, false);
      if (node === undefined) return undefined;
      return node.kind === 'link' ? node.target : fail('EINVAL', path);
    },
    realpath: (path) => {
      const real = resolve(path, true);
      return real !== undefined && tree.has(real) ? real : undefined;
    },
  };

  /** Where a new name would stand: its folder must exist. */
  const placeFor = (path: AbsPath): AbsPath => {
    const parent = resolve(posix.dirname(path), true);
    if (parent === undefined || tree.get(parent)?.kind !== 'directory') return fail('ENOENT', path);
    return posix.join(parent, posix.basename(path));
  };
  const existing = (path: AbsPath, follow: boolean): Inode => nodeAt(path, follow) ?? fail('ENOENT', path);

  const writer: Writer = {
    createExclusive(path, bytes, mode) {
      const real = placeFor(path);
      if (tree.has(real)) fail('EEXIST', path);
      tree.set(real, inode('file', mode, bytes.slice()));
    },
    rename(from, to) {
      const source = placeFor(from);
      const target = placeFor(to);
      const node = tree.get(source) ?? fail('ENOENT', from);
      if (tree.get(target)?.kind === 'directory') fail('EISDIR', to);
      tree.delete(source);
      tree.set(target, node);
    },
    writeInPlace(path, bytes) {
      const node = existing(path, false);
      if (node.kind !== 'file') fail('ELOOP', path);
      node.bytes = bytes.slice();
      now += 1;
      node.mtimeMs = now + serial;
    },
    remove(path) {
      const real = placeFor(path);
      const node = tree.get(real) ?? fail('ENOENT', path);
      if (node.kind === 'directory') fail('EISDIR', path);
      tree.delete(real);
    },
    makeDir(path, mode = 0o755) {
      const real = placeFor(path);
      if (tree.has(real)) fail('EEXIST', path);
      tree.set(real, inode('directory', mode));
    },
    removeDir(path) {
      const real = placeFor(path);
      const node = tree.get(real) ?? fail('ENOENT', path);
      if (node.kind !== 'directory') fail('ENOTDIR', path);
      if (childrenOf(real).length > 0) fail('ENOTEMPTY', path);
      tree.delete(real);
    },
    chmod(path, mode) {
      existing(path, true).mode = mode;
    },
    chown(path, uid, gid) {
      const node = existing(path, true);
      node.uid = uid;
      node.gid = gid;
    },
    syncDir(path) {
      existing(path, true);
    },
  };

  const seed = (path: AbsPath, entry: MemoryEntry): void => {
    for (const parent of parentsOf(path)) if (!tree.has(parent)) tree.set(parent, inode('directory', 0o755));
    if (typeof entry === 'string' || entry instanceof Uint8Array) {
      tree.set(path, inode('file', 0o644, toBytes(entry)));
    } else if ('text' in entry) tree.set(path, inode('file', entry.mode ?? 0o644, toBytes(entry.text)));
    else if ('link' in entry) tree.set(path, inode('link', 0o777, undefined, entry.link));
    else if ('hardLink' in entry) tree.set(path, tree.get(entry.hardLink) ?? fail('ENOENT', entry.hardLink));
    else tree.set(path, inode('directory', entry.mode ?? 0o755));
  };
  for (const [path, entry] of Object.entries(files)) seed(path, entry);

  const fullHost: Host = {
    platform: 'linux',
    arch: 'x64',
    env: {},
    cwd: '/repo',
    home: '/home/u',
    pid: 4242,
    hostname: 'memory',
    uid: 1000,
    umask: 0o022,
    ...host,
  };
  for (const path of [fullHost.cwd, fullHost.home]) {
    if (!tree.has(path)) seed(path, { directory: true });
  }
  let random = 0;
  return {
    reader,
    writer,
    exec: {
      run: () => ({ code: undefined, stdout: '', stderr: '', problem: 'not-found' }),
      which: () => undefined,
      isAlive: (pid) => pid === fullHost.pid,
    },
    clock: {
      now: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    },
    host: fullHost,
    randomHex: (bytes) => {
      random += 1;
      return random.toString(16).padStart(bytes * 2, '0');
    },
    snapshot(below = '/') {
      const lines: Record<string, string> = {};
      for (const [path, node] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (path !== below && !path.startsWith(below === '/' ? '/' : `${below}/`)) continue;
        const content = node.kind === 'link' ? node.target : new TextDecoder('latin1').decode(node.bytes);
        lines[path] = `${node.kind} ${node.mode.toString(8)} ${content}`;
      }
      return lines;
    },
  };
}

const toBytes = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);

function parentsOf(path: AbsPath): AbsPath[] {
  const parents: AbsPath[] = [];
  for (let at = posix.dirname(path); at !== '/'; at = posix.dirname(at)) parents.unshift(at);
  return parents;
}
