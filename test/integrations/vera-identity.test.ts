import { describe, expect, it } from 'vitest';
import { repositoryIdentity } from '../../src/lib/repository-identity.ts';
import { openGit } from '../../src/system/git.ts';
import fc from '../helpers/fc.ts';
import { git, repository, scratch } from './checkout.ts';
import { REMOTE_CHOICES, REMOTES } from './remotes.ts';
import { hookIdentity, pluginIdentity } from './vera-files.ts';

describe.each([
  ['the command hook', async () => hookIdentity()],
  ['the OpenCode plugin', pluginIdentity],
  ['the live check', async () => repositoryIdentity],
] as const)('the repository identity of %s', (_what, load) => {
  it.each(REMOTES)('makes of %j %j', async (remote, identity) => {
    expect((await load())(remote)).toBe(identity);
  });

  const word = fc.string({
    minLength: 1,
    maxLength: 20,
    unit: fc.constantFrom(...'abcXYZ019-_.~%?#@:/\\ é\u202e\u0000'),
  });
  const secret = fc
    .string({
      minLength: 6,
      maxLength: 24,
      unit: fc.constantFrom(...'ABCDEFGHJKLMNP23456789-_.~!$&()*+,;=@:/?#%'),
    })
    .map((text) => `S3cr3t${text}`);
  const remote = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.string({ maxLength: 80, unit: 'binary' }),
    fc
      .tuple(fc.constantFrom('https', 'http', 'ssh', 'git', 'file', 'ftp', 'HTTPS'), word, word, word)
      .map(([scheme, host, a, b]) => `${scheme}://${host}/${a}/${b}`),
    fc.tuple(word, word, word).map(([user, host, path]) => `${user}@${host}:${path}`),
    fc
      .tuple(fc.constantFrom('/', './', '../', '~/', 'C:/', 'C:\\', '\\\\', 'file://'), word, word)
      .map(([start, a, b]) => `${start}${a}/${b}`),
  );

  it('lets through nothing but host and path: no credential, query, control character or way out', async () => {
    const identityOf = await load();
    fc.assert(
      fc.property(remote, (text) => {
        const identity = identityOf(text);
        if (identity === undefined) return true;
        const [host = '', ...path] = identity.split('/');
        return (
          /^(?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(host) &&
          path.length > 0 &&
          !path.some((part) => part === '' || part === '.' || part === '..') &&
          !/[@?#\\\s\p{Cc}\p{Cf}]/u.test(identity) &&
          identity.length <= 1024
        );
      }),
      { numRuns: 5000 },
    );
    expect(identityOf('https://github.com/a/b')).toBe('github.com/a/b');
  });

  it('never lets a password through, wherever its characters make a URL break', async () => {
    const identityOf = await load();
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom('https', 'http', 'ssh', 'git'),
        fc.boolean(),
        (password, scheme, isScp) => {
          const text = isScp
            ? `jane:${password}@git.example.com:team/repo.git`
            : `${scheme}://jane:${password}@git.example.com/team/repo.git`;
          const identity = identityOf(text);
          return identity === undefined || identity === 'git.example.com/team/repo';
        },
      ),
      { numRuns: 5000 },
    );
    expect(identityOf('https://jane:S3cr3t@git.example.com/team/repo.git')).toBe('git.example.com/team/repo');
  });

  it('never lets a token in query or fragment through', async () => {
    const identityOf = await load();
    fc.assert(
      fc.property(secret, fc.constantFrom('?', '#', '?a=1#', '#?'), (token, sign) => {
        const identity = identityOf(`https://git.example.com/team/repo.git${sign}${token}`);
        return identity === undefined || identity === 'git.example.com/team/repo';
      }),
      { numRuns: 2000 },
    );
    expect(identityOf('https://git.example.com/team/repo.git?S3cr3t')).toBe('git.example.com/team/repo');
  });

  it('never makes an identity of a local path', async () => {
    const identityOf = await load();
    const start = fc.constantFrom(
      '/',
      './',
      '../',
      '~/',
      '~',
      'C:/',
      'z:\\',
      'C:',
      '\\\\',
      'file://',
      'file:',
      'FILE:///',
    );
    fc.assert(
      fc.property(start, word, word, (prefix, a, b) => identityOf(`${prefix}${a}/${b}`) === undefined),
      { numRuns: 5000 },
    );
    expect(identityOf('/srv/repo')).toBe(undefined);
    // With a user's name behind it, the beginning looks like the scp form.
    expect(identityOf('file:@host:team/repo')).toBe(undefined);
    expect(identityOf('~@host:team/repo')).toBe(undefined);
  });

  it('is its own identity once it is a URL again', async () => {
    const identityOf = await load();
    fc.assert(
      fc.property(remote, (text) => {
        const identity = identityOf(text);
        if (identity === undefined || identity.endsWith('.git')) return true;
        return identityOf(`https://${identity}`) === identity;
      }),
      { numRuns: 3000 },
    );
    expect(identityOf('https://github.com/a/b')).toBe('github.com/a/b');
  });
});

describe('the three', () => {
  it('agree on every text', async () => {
    const hook = hookIdentity();
    const plugin = await pluginIdentity();
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60, unit: fc.constantFrom(...'abAB019-_.~%?#@:/\\ é\u202e\u0000[]') }),
        (text) => {
          const remote = text.length % 2 === 0 ? text : `https://${text}`;
          return hook(remote) === plugin(remote) && hook(remote) === repositoryIdentity(remote);
        },
      ),
      { numRuns: 5000 },
    );
    expect(hook('https://github.com/a/b')).toBe(plugin('https://github.com/a/b'));
  });
});

describe('the repository of a checkout in the live check', () => {
  it.each(REMOTE_CHOICES)('chooses of the remotes: %s', async (_what, remotes, settings, identity) => {
    const root = repository(scratch(), remotes);
    for (const [key = '', value = ''] of settings) git(root, 'config', key, value);
    expect(await openGit({ root, top: root }).repository()).toEqual({ ok: true, value: identity });
  });
});
