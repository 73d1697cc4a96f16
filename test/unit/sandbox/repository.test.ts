import { describe, expect, test } from 'vitest';
import { repositoryIdentity } from '../../../src/sandbox/repository.ts';

describe('repositoryIdentity', () => {
  test.each([
    ['https://user:secret@GitHub.com/Org/Repo.git?token=x#y', 'github.com/Org/Repo'],
    ['git@github.com:Org/Repo.git', 'github.com/Org/Repo'],
    ['ssh://git@host.example:2222/Org/Repo/', 'host.example:2222/Org/Repo'],
    ['git://host.example/a/b/c', 'host.example/a/b/c'],
    ['github.com/Org/Repo', 'github.com/Org/Repo'],
  ])('%s -> %s', (remote, identity) => {
    expect(repositoryIdentity(remote)).toBe(identity);
    expect(repositoryIdentity(identity)).toBe(identity);
  });

  test.each([
    '',
    'file:///srv/repo.git',
    '/home/me/repo',
    './repo',
    '../repo',
    '~/repo',
    'C:/private/repo.git',
    'C:\\repo',
    'https://github.com/a/../b',
    'https://github.com/',
    'https://github.com',
    'ftp://h.example/a',
    'git@h.example:/etc/passwd',
    'a b',
    'https://github.com/a\nb',
    `https://github.com/${'a'.repeat(1024)}`,
    `https://github.com/${'a'.repeat(5000)}`,
  ])('%j names no repository', (remote) => {
    expect(repositoryIdentity(remote)).toBeUndefined();
  });
});
