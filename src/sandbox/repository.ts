/**
 * The identity of a repository from its remote (V47), or undefined for anything that names a local path:
 * `https://user:secret@GitHub.com/Org/Repo.git?x` -> `github.com/Org/Repo`.
 */
export function repositoryIdentity(remote: string): string | undefined {
  const text = remote.split(/[?#]/)[0] ?? '';
  if (text === '' || text.length > 4096 || /[\s\\\p{Cc}]/u.test(text)) return undefined;
  const url = /^(?:git|https?|ssh):\/\/(?:[^/@]*@)?([^/@]+)\/(.+)$/i.exec(text);
  const scp = /^(?:[^/@:]+@)?([A-Za-z0-9.-]{2,}):(?!\/\/)([^/].*)$/.exec(text);
  const canonical = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?)\/([^/].*)$/.exec(text);
  const match = url ?? canonical ?? scp;
  if (match === null) return undefined;
  const host = (match[1] ?? '').toLowerCase();
  const path = (match[2] ?? '').replace(/\/+$/, '').replace(/\.git$/, '');
  if (host === 'file' || path === '' || path.split('/').some((part) => part === '..' || part === ''))
    return undefined;
  const identity = `${host}/${path}`;
  return identity.length <= 1024 ? identity : undefined;
}
