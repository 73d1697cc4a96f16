/*
 * OpenCode plugin of the VERA integration. With the first message of a session it appends the arguments for
 * knowledge_bootstrap to that message's system text: repository, branch, project, and nothing else. It knows nothing but
 * git metadata of this checkout, opens no connection, grants nothing, and never throws.
 */
import { execFile } from 'node:child_process';

const TAG = '[vera-bootstrap-reminder:v1]';
const PROJECT = '{PROJECT}';
const GIT_CALL_MS = 1000;
/** Set by git for its own hooks: they name another repository than the folder we are in. */
const ELSEWHERE =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|PREFIX|OBJECT_DIRECTORY|NAMESPACE|CONFIG|CONFIG_PARAMETERS)$/i;

interface Message {
  system?: string;
}
interface PluginInput {
  directory?: string;
}
interface Hooks {
  'chat.message': (input: { sessionID?: string }, output: { message?: Message }) => Promise<void>;
}
interface Checkout {
  repository?: string;
  branch?: string;
  why?: string;
}

// OpenCode calls every export of a plugin file, so there is exactly one.
export const VeraBootstrap = async (plugin: PluginInput): Promise<Hooks> => {
  const seen = new Set<string>();
  return {
    'chat.message': async (input, output) => {
      try {
        const { message } = output;
        const session = input.sessionID;
        if (message === undefined || typeof session !== 'string' || seen.has(session)) return;
        seen.add(session);
        if (message.system?.includes(TAG) === true) return;
        const text = reminder(await checkout(plugin.directory ?? process.cwd()));
        message.system = message.system ? `${message.system}\n\n${text}` : text;
      } catch {
        // Work goes on without the reminder.
      }
    },
  };
};

function reminder(found: Checkout): string {
  const values: Record<string, string> = {};
  if (found.repository !== undefined) values['repository'] = found.repository;
  if (found.branch !== undefined) values['branch'] = found.branch;
  if (PROJECT !== '') values['project'] = PROJECT;
  const text = JSON.stringify(values);
  return found.repository === undefined
    ? `${TAG} Degraded: ${found.why}. Work on without VERA, or ask the user which project applies. knowledge_bootstrap arguments known so far: ${text}`
    : `${TAG} knowledge_bootstrap arguments for this checkout, from local git metadata only: ${text}`;
}

async function checkout(cwd: string): Promise<Checkout> {
  const head = await git(cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const branch = head === undefined ? undefined : branchName(head.replace(/\n$/, ''));
  const known: Checkout = branch === undefined ? {} : { branch };
  const config = await git(cwd, ['config', '--null', '--get-regexp', '^(remote|branch)\\.']);
  if (config === undefined) return { ...known, why: 'no git remote can be read here' };
  const settings = parseSettings(config);
  const name = chosenRemote(settings, branch);
  if (name === undefined) {
    const why =
      settings.remotes.length === 0
        ? 'the checkout has no git remote'
        : 'several git remotes, none of them chosen for this branch';
    return { ...known, why };
  }
  // Asked again because `insteadOf` rules may rewrite the configured text.
  const url = await git(cwd, ['remote', 'get-url', '--', name]);
  const repository = url === undefined ? undefined : repositoryIdentity(url.split('\n', 1)[0] ?? '');
  return repository === undefined
    ? { ...known, why: 'the git remote is no network address' }
    : { ...known, repository };
}

/** stdout of git in `cwd`, or undefined on any failure, after at most a second. */
function git(cwd: string, args: string[]): Promise<string | undefined> {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!ELSEWHERE.test(name)) env[name] = value;
  }
  Object.assign(env, { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' });
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', cwd, ...args],
      { env, timeout: GIT_CALL_MS, killSignal: 'SIGKILL', maxBuffer: 1024 * 1024, windowsHide: true },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}

interface Settings {
  remotes: string[];
  upstream: Map<string, string>;
  pushDefault: string | undefined;
}

function parseSettings(text: string): Settings {
  const settings: Settings = { remotes: [], upstream: new Map(), pushDefault: undefined };
  for (const entry of text.split('\0')) {
    const end = entry.indexOf('\n');
    const key = end < 0 ? entry : entry.slice(0, end);
    const value = end < 0 ? '' : entry.slice(end + 1);
    const remote = /^remote\.([\s\S]+)\.url$/.exec(key)?.[1];
    if (remote !== undefined && !settings.remotes.includes(remote)) settings.remotes.push(remote);
    const branch = /^branch\.([\s\S]+)\.remote$/.exec(key)?.[1];
    if (branch !== undefined) settings.upstream.set(branch, value);
    if (key === 'remote.pushdefault') settings.pushDefault = value;
  }
  return settings;
}

/** The branch's own remote, else the default for pushing, else the only one. A chosen one that does not exist is none. */
function chosenRemote(settings: Settings, branch: string | undefined): string | undefined {
  const own = branch === undefined ? undefined : settings.upstream.get(branch);
  // `.` says that the branch follows a local one.
  const wanted = own !== undefined && own !== '.' && own !== '' ? own : settings.pushDefault;
  if (wanted !== undefined && wanted !== '') return settings.remotes.find((name) => name === wanted);
  return settings.remotes.length === 1 ? settings.remotes[0] : undefined;
}

/** A branch that can be sent: 1 to 512 characters, none of them invisible. */
function branchName(text: string): string | undefined {
  if (text.length === 0 || text.length > 512) return undefined;
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u.test(text) ? undefined : text;
}

/**
 * `host[:port]/path` of a git remote, or undefined when it is no network remote. User names, passwords, query, fragment
 * and `.git` go; local paths in any spelling are refused, and so is whatever might hide a credential. The same rules as
 * in the command hook of this integration.
 */
function repositoryIdentity(remote: string): string | undefined {
  if (remote.length === 0 || remote.length > 4096) return undefined;
  // Local by its beginning, whatever follows: `file:`, a home folder, a drive letter, a path.
  if (/^(?:file:|~|[a-z]:|\.{0,2}\/)/i.test(remote)) return undefined;
  if (/[\s\\\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(remote)) return undefined;
  const cut = remote.split(/[?#]/, 1)[0] ?? '';
  // An `@` behind the host is either a rare path or the end of a password with a special character in it.
  if (remote.slice(cut.length).includes('@')) return undefined;
  const parts = networkParts(cut);
  if (parts === undefined) return undefined;
  let segments = parts.path.split('/').filter((segment) => segment !== '');
  if (/^(?:~(?:\.git)?)?$/.test(segments[0] ?? '')) return undefined;
  for (const segment of segments) {
    const plain = decoded(segment);
    // With and without the ending that goes: `...git` would become a step up.
    if (plain === undefined || /^\.{1,2}(?:\.git)?$/.test(plain)) return undefined;
    if (/[/\\?#@\p{Cc}\p{Cf}]/u.test(plain)) return undefined;
  }
  const last = (segments.at(-1) ?? '').replace(/\.git$/, '');
  segments = last === '' ? segments.slice(0, -1) : [...segments.slice(0, -1), last];
  const identity = `${parts.host}/${segments.join('/')}`;
  return segments.length > 0 && identity.length <= 1024 ? identity : undefined;
}

/** Host in lower case (port kept) and path; undefined for what is no URL of git, http, https or ssh and no scp form. */
function networkParts(text: string): { host: string; path: string } | undefined {
  const url = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/.exec(text);
  if (url !== null) {
    const [, scheme = '', userAndHost = '', path = ''] = url;
    if (!['git', 'http', 'https', 'ssh'].includes(scheme.toLowerCase())) return undefined;
    const authority = userAndHost.slice(userAndHost.lastIndexOf('@') + 1);
    const host = /^([^:[\]]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/.exec(authority)?.[1];
    return host !== undefined && isHost(host) ? { host: authority.toLowerCase(), path } : undefined;
  }
  // user@host:path; a single letter before the colon is a drive, two colons name a helper program.
  const scp = /^(?:[^@/:]+(?::[^@/]*)?@)?([^@/:]+):(?!:)(.+)$/.exec(text);
  const [, host = '', path = ''] = scp ?? [];
  if (host.length < 2 || !isHost(host)) return undefined;
  if (/^(?:file|git|https?|ssh)$/i.test(host) || path.startsWith('~')) return undefined;
  return { host: host.toLowerCase(), path };
}

const isHost = (host: string): boolean =>
  /^\[[0-9A-Fa-f:.]+\]$/.test(host) || /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host);

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
