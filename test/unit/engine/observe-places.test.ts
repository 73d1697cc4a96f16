import { describe, expect, test } from 'vitest';
import { maxBytesOf, type ObserveOptions, observeFile } from '../../../src/engine/observe-file.ts';
import { type MemoryEntry, memorySystem } from '../../../src/system/memory.ts';
import type { Reader } from '../../../src/system/ports.ts';

/** What is seen of one file of `/srv/repo`, whose user lives in `/home/me`. */
function observe(
  files: Record<string, MemoryEntry>,
  display: string,
  options: ObserveOptions & { readonly reader?: Partial<Reader> } = {},
) {
  const { reader } = memorySystem(
    { '/srv/repo/.git': { directory: true }, ...files },
    { home: '/home/me', cwd: '/srv/repo' },
  );
  const abs = display.startsWith('~/')
    ? `/home/me/${display.slice(2)}`
    : display.startsWith('/')
      ? display
      : `/srv/repo/${display}`;
  const place = { root: '/srv/repo', home: '/home/me', platform: 'linux', display, abs } as const;
  return observeFile({ ...reader, ...options.reader }, place, options);
}
const denied = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code });
};

describe('a file that cannot be edited says why, and what to do', () => {
  test.each<[string, Record<string, MemoryEntry>, string, object]>([
    [
      'a folder in its place',
      { '/srv/repo/a.json': { directory: true } },
      'a.json',
      {
        code: 'file/not-a-file',
        severity: 'error',
        subject: 'a.json',
        message: 'a.json is a folder',
        remedy: { text: 'Move it out of the way.' },
      },
    ],
    [
      'a file as its folder',
      { '/srv/repo/a': 'x' },
      'a/b/c.json',
      {
        code: 'file/not-a-file',
        message: 'a/b/c.json cannot be created, because a is no folder',
        remedy: { text: 'Move a out of the way.' },
      },
    ],
    [
      'a link to nothing',
      { '/srv/repo/a.json': { link: 'go\u001bne' } },
      'a.json',
      {
        code: 'file/dangling-link',
        message: expect.stringMatching(/^a\.json is a link to go\\ene, which/),
        remedy: { text: 'Create what it points to, or remove the link.' },
      },
    ],
    [
      'a folder that is a link to nothing',
      { '/srv/repo/a': { link: 'gone' } },
      'a/b/c.json',
      {
        code: 'file/dangling-link',
        message: 'a/b/c.json cannot be created, because its folder a is a link to nothing',
        remedy: { text: 'Create what it points to, or remove the link.' },
      },
    ],
    [
      'a link in a circle',
      { '/srv/repo/a.json': { link: 'b.json' }, '/srv/repo/b.json': { link: 'a.json' } },
      'a.json',
      {
        code: 'file/dangling-link',
        message: 'a.json is a link that leads in a circle',
        remedy: { text: 'Remove or correct the link.' },
      },
    ],
    [
      'a read-only file',
      { '/srv/repo/a.json': { text: '{}', mode: 0o444 } },
      'a.json',
      {
        code: 'file/read-only',
        message: 'a.json is read-only',
        remedy: { text: 'Make it writable, then run again.', command: 'chmod u+w a.json' },
      },
    ],
    [
      'a read-only folder',
      { '/srv/repo/d': { directory: true, mode: 0o555 }, '/srv/repo/d/a.json': '{}' },
      'd/a.json',
      {
        code: 'file/read-only',
        message: 'd/a.json is in a read-only folder, so it cannot be replaced',
        remedy: { text: 'Make the folder writable.' },
      },
    ],
    [
      'a new file in a read-only folder',
      { '/srv/repo/d': { directory: true, mode: 0o555 } },
      'd/a.json',
      {
        code: 'file/read-only',
        message: 'd/a.json cannot be created: its folder is read-only',
        remedy: { text: 'Make the folder writable.' },
      },
    ],
    [
      'more names on disk',
      { '/srv/repo/b.json': '{}', '/srv/repo/a.json': { hardLink: '/srv/repo/b.json' } },
      'a.json',
      {
        code: 'file/hard-linked',
        message: 'a.json has 2 names on disk (hard links); replacing it would separate them',
        remedy: {
          text: 'Have it written in place, which changes the file under every name.',
          command: '--force a.json',
        },
      },
    ],
    [
      'a link out of the repository',
      { '/srv/repo/a.json': { link: '/elsewhere/other.json' }, '/elsewhere/other.json': '{}' },
      'a.json',
      {
        code: 'file/outside',
        message: 'a.json is reached through a link that leaves the repository: /elsewhere/other.json',
        remedy: {
          text: 'Decide whether the file behind the link may be changed.',
          command: '--resolve a.json=follow',
        },
      },
    ],
    [
      'a link out of the home folder',
      { '/home/me/a.json': { link: '/elsewhere/other.json' }, '/elsewhere/other.json': '{}' },
      '~/a.json',
      {
        code: 'file/outside',
        message: '~/a.json is reached through a link that leaves the home folder: /elsewhere/other.json',
      },
    ],
    [
      'a folder out of the repository for a new file',
      { '/srv/repo/d': { link: '/work/away' }, '/work/away': { directory: true } },
      'd/a.json',
      {
        code: 'file/outside',
        message: 'd/a.json is reached through a link that leaves the repository: /work/away/a.json',
      },
    ],
  ])('%s', (_, files, display, expected) => {
    const facts = observe(files, display);
    expect(facts.problem).toMatchObject(expected);
  });

  test.each([
    ['a.json', 5_000_000, 'a.json is larger than 5 MB, which tenon does not edit'],
    ['a.toml', 1_000_000, 'a.toml is larger than 1 MB, which tenon does not edit'],
    ['a.TOML', 1_000_000, 'a.TOML is larger than 1 MB, which tenon does not edit'],
    ['a.toml.json', 5_000_000, 'a.toml.json is larger than 5 MB, which tenon does not edit'],
  ])('%s of more than %d bytes', (name, limit, message) => {
    expect(maxBytesOf(name)).toBe(limit);
    const of = (size: number) => observe({ [`/srv/repo/${name}`]: ' '.repeat(size) }, name);
    expect(of(limit).problem).toBeUndefined();
    expect(of(limit + 1)).toMatchObject({
      exists: true,
      problem: { code: 'file/too-large', message, remedy: { text: 'Add the entry by hand.' } },
    });
  });

  test('what the system does not let be read', () => {
    const files = { '/srv/repo/a.json': '{}' };
    expect(observe(files, 'a.json', { reader: { readFile: denied('EACCES') } })).toMatchObject({
      exists: true,
      problem: {
        code: 'file/unreadable',
        message: 'a.json cannot be read (EACCES)',
        remedy: { text: 'Correct its access rights.' },
      },
    });
    const unreached = observe(files, 'a.json', { reader: { lstat: denied('EACCES') } });
    expect(unreached).toMatchObject({
      exists: false,
      hash: 'absent',
      problem: { code: 'file/unreadable', message: 'a.json cannot be reached (EACCES)' },
    });
    const bug = () => {
      throw new Error('x');
    };
    expect(observe(files, 'a.json', { reader: { lstat: bug } }).problem?.message).toContain('(unknown)');
  });

  test('what goes while it is looked at is absent', () => {
    const files = { '/srv/repo/a.json': '{}' };
    for (const reader of [{ stat: () => undefined }, { readFile: () => undefined }])
      expect(observe(files, 'a.json', { reader })).toMatchObject({ exists: false, hash: 'absent' });
  });
});

describe('links', () => {
  const away = { '/elsewhere/other.json': '{}', '/srv/repo/a.json': { link: '/elsewhere/other.json' } };

  test('that leave are followed on request, and it is noted', () => {
    const facts = observe(away, 'a.json', { follow: true });
    expect(facts).toMatchObject({ real: '/elsewhere/other.json', exists: true, leaves: 'answered' });
    expect(facts.problem).toBeUndefined();
    const inside = { '/srv/repo/b.json': '{}', '/srv/repo/a.json': { link: 'b.json' } };
    expect(observe(inside, 'a.json', { follow: true })).not.toHaveProperty('leaves');
  });

  test('that leave are followed to the file that was agreed to before, and to no other', () => {
    const known = observe(away, 'a.json', { followed: '/elsewhere/other.json' });
    expect(known).toMatchObject({ real: '/elsewhere/other.json', exists: true, leaves: 'recorded' });
    expect(known.problem).toBeUndefined();
    const another = observe(away, 'a.json', { followed: '/elsewhere/first.json' });
    expect(another.problem?.code).toBe('file/outside');
    expect(another.problem?.message).toContain('/elsewhere/first.json');
    expect(another).not.toHaveProperty('text');
    const barred = { '/etc/x.json': '{}', '/srv/repo/a.json': { link: '/etc/x.json' } };
    expect(observe(barred, 'a.json', { followed: '/etc/x.json' }).problem?.code).toBe('file/outside');
  });

  test.each<[string, Record<string, MemoryEntry>, string, string]>([
    [
      'a folder of the system',
      { '/etc/x.json': '{}', '/srv/repo/a.json': { link: '/etc/x.json' } },
      'a.json',
      'a.json leads to /etc/x.json, a folder of the system',
    ],
    [
      'a folder of git',
      { '/srv/repo/.git/config': 'x', '/srv/repo/a.json': { link: '.git/config' } },
      'a.json',
      'a.json leads to .git/config, inside a .git folder',
    ],
    [
      'a folder of git in capitals',
      { '/work/x/.GIT/config': 'x', '/srv/repo/a.json': { link: '/work/x/.GIT/config' } },
      'a.json',
      'a.json leads to /work/x/.GIT/config, inside a .git folder',
    ],
    [
      "a folder of tenon's own",
      { '/state/x': 'x', '/srv/repo/a.json': { link: '/state/x' } },
      'a.json',
      "a.json leads to /state/x, a folder of tenon's own",
    ],
  ])('never lead into %s, whatever was answered', (_, files, display, message) => {
    for (const follow of [true, false])
      expect(observe(files, display, { follow, forbidden: ['/state'] }).problem).toEqual({
        code: 'file/outside',
        severity: 'error',
        subject: display,
        message,
        remedy: { text: 'Replace the link by a file of its own.' },
      });
  });

  test('a repository in a folder of git or of the system is its own place', () => {
    const files = { '/usr/src/repo/b.json': '{}', '/usr/src/repo/a.json': { link: 'b.json' } } as const;
    const { reader } = memorySystem(files, { home: '/home/me', cwd: '/usr/src/repo' });
    const place = {
      root: '/usr/src/repo',
      home: '/home/me',
      platform: 'linux',
      display: 'a.json',
      abs: '/usr/src/repo/a.json',
    } as const;
    expect(observeFile(reader, place).problem).toBeUndefined();
    const home = {
      '/srv/repo/x': 'x',
      '/usr/home/me/b.json': '{}',
      '/usr/home/me/a.json': { link: 'b.json' },
    };
    const other = memorySystem(home as Record<string, MemoryEntry>, {
      home: '/usr/home/me',
      cwd: '/srv/repo',
    });
    const facts = observeFile(other.reader, {
      root: '/srv/repo',
      home: '/usr/home/me',
      platform: 'linux',
      display: '~/a.json',
      abs: '/usr/home/me/a.json',
    });
    expect(facts.problem).toBeUndefined();
  });

  test('into the home folder are at home for a file of the user, not for one of the repository', () => {
    const files = { '/home/me/dot/x.json': '{}', '/home/me/x.json': { link: 'dot/x.json' } };
    expect(observe(files, '~/x.json').problem).toBeUndefined();
    const repo = { '/home/me/dot/x.json': '{}', '/srv/repo/x.json': { link: '/home/me/dot/x.json' } };
    expect(observe(repo, 'x.json').problem?.code).toBe('file/outside');
  });

  test('a folder that a variable names outside the home folder is the choice of the user, a link in it is not', () => {
    const files = {
      '/data/tool/x.json': '{}',
      '/srv/link': { link: '/data' },
      '/data/tool/l.json': { link: '/data/far.json' },
      '/data/far.json': '{}',
    };
    expect(observe(files, '/data/tool/x.json').problem).toBeUndefined();
    expect(observe(files, '/srv/link/tool/x.json').problem).toBeUndefined();
    expect(observe(files, '/srv/link/new/x.json').problem).toBeUndefined();
    expect(observe(files, '/data/tool/l.json').problem?.code).toBe('file/outside');
  });

  test('a repository that is reached through a link is the repository', () => {
    const { reader } = memorySystem(
      { '/real/repo/a.json': '{}', '/srv/repo': { link: '/real/repo' } },
      { home: '/home/me', cwd: '/' },
    );
    const place = {
      root: '/srv/repo',
      home: '/home/me',
      platform: 'linux',
      display: 'a.json',
      abs: '/srv/repo/a.json',
    } as const;
    expect(observeFile(reader, place)).toMatchObject({ exists: true, real: '/real/repo/a.json' });
    expect(observeFile(reader, place).problem).toBeUndefined();
  });
});

describe('a hard-linked file', () => {
  const files = { '/srv/repo/d/b.json': '{}', '/srv/repo/d/a.json': { hardLink: '/srv/repo/d/b.json' } };
  test('is written in place when that is asked for, also in a folder that is read-only', () => {
    const facts = observe({ '/srv/repo/d': { directory: true, mode: 0o555 }, ...files }, 'd/a.json', {
      force: true,
    });
    expect(facts).toMatchObject({ inPlace: true, text: '{}' });
    expect(facts.problem).toBeUndefined();
    expect(observe({ '/srv/repo/a.json': '{}' }, 'a.json', { force: true })).not.toHaveProperty('inPlace');
  });
});
