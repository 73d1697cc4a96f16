import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { AbsPath, Host, System } from '../system/ports.ts';
import { type FoundProgram, findProgram, outsidePath } from '../system/which.ts';
import { plainText } from './plain-text.ts';

/** Bytes of stdout, and of stderr, after which a client is ended; a long list is a few kB. */
const MAX_BYTES = 1024 * 1024;

/**
 * Variables that every client gets: where programs, home and configuration are, the language, and how the network is
 * reached. Nothing else of the caller's environment reaches it, above all no credential.
 */
const BASE =
  /^(?:HOME|USER|LOGNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|SYSTEMROOT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PATHEXT|COMSPEC|TEMP|TMP|TMPDIR|LANG|LC_\w+|TZ|XDG_(?:CONFIG|DATA|STATE|CACHE)_HOME|HTTPS?_PROXY|NO_PROXY|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS)$/iu;

/** What says which variables move a client's folders. */
type Moved = Pick<RuntimeSpec, 'detect' | 'files' | 'skills' | 'hooks'>;

/** One run of a coding tool's program. */
export interface ClientRun {
  /** Absolute, as {@link findClient} gives it. */
  readonly program: AbsPath;
  readonly args: readonly string[];
  readonly cwd: AbsPath;
  /** Complete; {@link clientEnvironment} makes it. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds after which the whole process tree is ended. */
  readonly timeoutMs: number;
  /** Default 1 MiB. */
  readonly maxBytes?: number;
  /** Ends it at once, for a run that is interrupted. */
  readonly signal?: AbortSignal;
}

export interface ClientOutput {
  /** Undefined when it was ended or not started. */
  readonly code: number | undefined;
  /** Without escape sequences and control characters. Not masked: what is shown of it goes through `showText`. */
  readonly stdout: string;
  readonly stderr: string;
  readonly problem?: 'not-started' | 'timeout' | 'output-limit';
  readonly ms: number;
}

/**
 * Runs a coding tool's program: no shell, stdin closed, bounded in time and output, output as plain text. Whatever it
 * started is ended with it, also what went into the background. Never rejects.
 */
export async function runClient(run: ClientRun): Promise<ClientOutput> {
  const { runTree } = await import('../system/child-tree.ts');
  const started = performance.now();
  const result = await runTree(run.program, run.args, {
    cwd: run.cwd,
    env: run.env,
    timeoutMs: run.timeoutMs,
    maxBytes: run.maxBytes ?? MAX_BYTES,
    ...(run.signal === undefined ? {} : { signal: run.signal }),
  });
  const { problem } = result;
  return {
    code: result.code,
    stdout: plainText(result.stdout),
    stderr: plainText(result.stderr),
    ...(problem === undefined || problem === 'ended' ? {} : { problem }),
    ms: Math.round(performance.now() - started),
  };
}

/** The client's program on PATH, never one of this repository; nothing is started. */
export const findClient = (
  name: string,
  root: AbsPath,
  { host, reader }: Pick<System, 'host' | 'reader'>,
): FoundProgram => findProgram(name, root, host, reader);

/**
 * The environment of a client: the base, PATH without entries of the repository, the variables that move this client's own
 * folders, `extra`, and no colours. `names`: further variables to hand on, e.g. those that our own server entries refer to.
 */
export function clientEnvironment(
  spec: Moved,
  root: AbsPath,
  { host, reader }: Pick<System, 'host' | 'reader'>,
  more: {
    readonly names?: readonly string[];
    readonly extra?: Readonly<Record<string, string>>;
  } = {},
): Record<string, string> {
  const kept = new Set([...movingVariables(spec), ...(more.names ?? [])]);
  return {
    ...pick(host.env, (name) => BASE.test(name) || kept.has(name)),
    PATH: outsidePath(root, host, reader),
    NO_COLOR: '1',
    TERM: 'dumb',
    ...more.extra,
  };
}

/** What a program needs of the machine; no proxies and no certificates, because a stdio server is asked offline. */
const MACHINE =
  /^(?:HOME|USER|LOGNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|SYSTEMROOT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PATHEXT|COMSPEC|TEMP|TMP|TMPDIR|LANG|LC_\w+|TZ|XDG_(?:CONFIG|DATA|STATE|CACHE)_HOME)$/iu;

/** Package runners take what they have and fetch nothing: tenon downloads nothing, also not through others. */
const OFFLINE = {
  UV_OFFLINE: '1',
  npm_config_offline: 'true',
  PIP_NO_INDEX: '1',
  PNPM_CONFIG_OFFLINE: 'true',
};

/** The environment of a stdio server of ours: what its entry names, and what a program needs of the machine. */
export const serverEnvironment = (
  named: Readonly<Record<string, string>>,
  root: AbsPath,
  { host, reader }: Pick<System, 'host' | 'reader'>,
): Record<string, string> => ({
  ...pick(host.env, (name) => MACHINE.test(name)),
  PATH: outsidePath(root, host, reader),
  ...OFFLINE,
  ...named,
});

function pick(env: Host['env'], isKept: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && name.toUpperCase() !== 'PATH' && isKept(name)) kept[name] = value;
  }
  return kept;
}

/** Variables that move a folder of this client: `{env:NAME|…}` in the paths of its spec. */
function movingVariables(spec: Moved): string[] {
  const paths = [
    ...spec.detect.home,
    ...Object.values(spec.files).flatMap(({ paths: own, os }) => [
      ...own,
      ...Object.values(os ?? {}).flatMap((where) => where?.paths ?? []),
    ]),
    ...(spec.skills?.places ?? []).map(({ path }) => path),
    ...(spec.hooks?.places ?? []).map(({ folder }) => folder),
  ];
  return paths.flatMap((path) => /^\{env:([A-Z][A-Z0-9_]*)\|/u.exec(path)?.[1] ?? []);
}

/**
 * A folder for commands that say nothing about a repository (`--version`): the home folder, because some clients rewrite
 * files of the folder they start in; where there is none, the top of the file system.
 */
export function neutralFolder({ host, reader }: Pick<System, 'host' | 'reader'>): AbsPath {
  try {
    if (reader.stat(host.home)?.kind === 'directory') return host.home;
  } catch {
    // Not readable: the same as not there.
  }
  return host.platform === 'win32' ? 'C:\\' : '/';
}
