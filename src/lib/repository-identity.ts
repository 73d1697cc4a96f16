/**
 * `host[:port]/path` of a git remote, or undefined when it is no network remote (requirement V47). User names,
 * passwords, query, fragment and `.git` go; local paths in any spelling are refused, and so is whatever might hide a
 * credential. The hook and the plugin of the VERA integration, which stand alone, follow the same rules.
 */
export function repositoryIdentity(remote: string): string | undefined {
  if (remote.length === 0 || remote.length > 4096) return undefined;
  if (/[\s\\\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(remote)) return undefined;
  // Local by its beginning, whatever follows: `file:`, a home folder, a drive letter, a path.
  if (/^(?:file:|~|[a-z]:|\.{0,2}\/)/i.test(remote)) return undefined;
  const cut = remote.split(/[?#]/, 1)[0] ?? '';
  // An `@` behind the host is either a rare path or the end of a password with a special character in it.
  if (remote.slice(cut.length).includes('@')) return undefined;
  const parts = networkParts(cut);
  if (parts === undefined) return undefined;
  const segments = parts.path.split('/').filter((segment) => segment !== '');
  if (/^(?:~(?:\.git)?)?$/.test(segments[0] ?? '')) return undefined;
  for (const segment of segments) {
    const plain = decoded(segment);
    // With and without the ending that goes: `...git` would become a step up.
    if (plain === undefined || /^\.{1,2}(?:\.git)?$/.test(plain)) return undefined;
    if (/[/\\?#@\p{Cc}\p{Cf}]/u.test(plain)) return undefined;
  }
  const last = (segments.at(-1) ?? '').replace(/\.git$/, '');
  const kept = last === '' ? segments.slice(0, -1) : [...segments.slice(0, -1), last];
  const identity = `${parts.host}/${kept.join('/')}`;
  return kept.length > 0 && identity.length <= 1024 ? identity : undefined;
}

/** Host in lower case (port kept) and path; undefined for what is no URL of git, http, https or ssh and no scp form. */
function networkParts(text: string): { readonly host: string; readonly path: string } | undefined {
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

/**
 * The remote that stands for a checkout (V48), of the entries of `git config --null --get-regexp '^(remote|branch)\.'`:
 * the branch's own, else the default for pushing, else the only one. A chosen one that does not exist is none, and so
 * are several of which none is chosen.
 */
export function chosenRemote(entries: readonly string[], branch: string | undefined): string | undefined {
  const remotes = new Set<string>();
  let upstream: string | undefined;
  let pushDefault: string | undefined;
  for (const entry of entries) {
    const end = entry.indexOf('\n');
    const key = end < 0 ? entry : entry.slice(0, end);
    const value = end < 0 ? '' : entry.slice(end + 1);
    const remote = /^remote\.([\s\S]+)\.url$/.exec(key)?.[1];
    if (remote !== undefined) remotes.add(remote);
    if (branch !== undefined && key === `branch.${branch}.remote`) upstream = value;
    if (key === 'remote.pushdefault') pushDefault = value;
  }
  // `.` says that the branch follows a local one.
  const wanted = upstream !== undefined && upstream !== '.' && upstream !== '' ? upstream : pushDefault;
  if (wanted !== undefined && wanted !== '') return remotes.has(wanted) ? wanted : undefined;
  const [only] = remotes;
  return remotes.size === 1 ? only : undefined;
}
