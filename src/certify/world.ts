import { join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { DEFAULT_TIMEOUT_MS, scratchOptions } from '../cli/options.ts';
import { sha256 } from '../engine/fingerprint.ts';
import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { AbsPath, Host, System } from '../system/ports.ts';
import { realSystem } from '../system/real.ts';
import { makeScratch, type Scratch } from '../system/scratch.ts';
import { outsidePath } from '../system/which.ts';

/** Another machine for the scenario: a repository, a home and a state folder of its own, nothing of the user's. */
export interface World {
  readonly root: AbsPath;
  readonly system: System;
  /** Aborted when the world is closed: ends what still runs in it. */
  readonly signal: AbortSignal;
  /** Multiplies the time limits of clients: `--timeout` over its default. */
  readonly scale: number;
  /** A context for tenon's own commands in it. */
  context(change: Partial<Context['options']>): Context;
  /** Path below the root -> what stands there, links and modes included; see {@link CLIENT_OWN}. */
  tree(spec: RuntimeSpec): Readonly<Record<string, string>>;
  close(): void;
}

/** What a client may do to git's own folder is no matter of tenon's; what tenon may write there is. */
const OF_GIT = /^\.git(?:$|\/(?!info(?:\/|$)))/u;

/** Variables of the world that keep a client's package manager from other hosts. */
export const OFFLINE: readonly string[] = ['npm_config_offline'];

/** A closed port: what a client sends to other hosts ends here, and loopback is reached without it. */
const NOWHERE = 'http://127.0.0.1:9';

/**
 * Makes the world. The user's PATH is kept without what leads into `ownRoot`, because the client is found by it; of the rest of the environment only language
 * and platform, no credential and nothing that moves a client's folders. Throws the system's error.
 */
export function makeWorld(context: Context, ownRoot: AbsPath): World {
  const controller = new AbortController();
  const scratch: Scratch = makeScratch('tenon-certify-', () => controller.abort());
  const real = realSystem();
  const at = (...parts: string[]): AbsPath => join(scratch.dir, ...parts);
  for (const folder of [
    'home', 'state', 'temp', 'repo', 'repo/.git', 'repo/.git/objects', 'repo/.git/refs', 'repo/.git/refs/heads', 'repo/.git/info',
  ]) real.writer.makeDir(at(folder), 0o700); // biome-ignore format: a list
  const text = (path: string, content: string): void =>
    real.writer.createExclusive(at(path), new TextEncoder().encode(content), 0o644);
  text('repo/.git/HEAD', 'ref: refs/heads/main\n');
  text('repo/.git/config', '[core]\n\trepositoryformatversion = 0\n\tbare = false\n');
  text('repo/.git/info/exclude', '');
  text('repo/README.md', '# Scratch\n');
  const root = at('repo');
  const host: Host = {
    ...context.system.host,
    cwd: root,
    home: at('home'),
    env: {
      ...pick(context.system.host.env, /^(?:PATHEXT|SYSTEMROOT|COMSPEC|LANG|LC_\w+|TZ)$/iu),
      PATH: outsidePath(ownRoot, context.system.host, context.system.reader),
      HOME: at('home'),
      USERPROFILE: at('home'),
      APPDATA: at('home', 'AppData'),
      LOCALAPPDATA: at('home', 'AppData', 'Local'),
      TMPDIR: at('temp'),
      TEMP: at('temp'),
      TMP: at('temp'),
      TENON_STATE_DIR: at('state'),
      HTTPS_PROXY: NOWHERE,
      npm_config_offline: 'true',
      NO_PROXY: '127.0.0.1,localhost,::1',
    },
  };
  const system: System = { ...real, exec: context.system.exec, host };
  return {
    root,
    system,
    signal: controller.signal,
    scale: context.options.timeoutMs / DEFAULT_TIMEOUT_MS,
    context: (change) => contextIn(context, system, change),
    tree: (spec) => treeOf(system, root, spec),
    close: () => scratch.remove(),
  };
}

const pick = (env: Host['env'], names: RegExp): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      names.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );

function contextIn(context: Context, system: System, change: Partial<Context['options']>): Context {
  const { held: _held, interruption: _interruption, ...rest } = context;
  return {
    ...rest,
    system,
    interactive: false,
    reporter: { ...context.reporter, note: () => {}, progress: (_label, work) => work() },
    options: scratchOptions(context.options, change),
  };
}

function treeOf(
  { reader }: System,
  root: AbsPath,
  { creates = [] }: RuntimeSpec,
): Readonly<Record<string, string>> {
  const tree: Record<string, string> = {};
  const isClients = (path: string): boolean =>
    creates.some((one) => path === one || path.startsWith(`${one}/`));
  const holdsClients = (path: string): boolean =>
    creates.some((one) => one.startsWith(`${path}/`) && reader.lstat(join(root, one)) !== undefined);
  const visit = (below: string): void => {
    for (const name of reader.list(join(root, below)) ?? []) {
      const path = below === '' ? name : `${below}/${name}`;
      const abs = join(root, path);
      const stat = reader.lstat(abs);
      if (stat === undefined || isClients(path)) continue;
      if (stat.kind === 'directory') {
        if (!OF_GIT.test(`${path}/`) || path === '.git') visit(path);
        const isEmpty = !Object.keys(tree).some((one) => one.startsWith(`${path}/`));
        // A folder that holds nothing but what the client made in it stays for the client's sake.
        if (path !== '.git' && !(isEmpty && holdsClients(path))) tree[`${path}/`] = stat.mode.toString(8);
      } else if (!OF_GIT.test(path)) {
        const content = stat.kind === 'file' ? sha256(reader.readFile(abs) ?? '') : reader.readLink(abs);
        tree[path] = `${stat.mode.toString(8)} ${content}`;
      }
    }
  };
  visit('');
  return tree;
}
