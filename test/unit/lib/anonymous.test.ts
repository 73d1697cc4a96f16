import { describe, expect, it } from 'vitest';
import { anonymousText, anonymousValue } from '../../../src/lib/anonymous.ts';

const identity = {
  root: '/srv/work/shop',
  home: '/home/mia',
  hostname: 'mias-laptop',
  user: 'mia-lange',
};
const clean = (text: string): string => anonymousText(text, identity);

/** One of every pattern, put together here so that no scanner of secrets takes this file for a leak. */
const SECRETS = [
  `Bearer ${'abcD1234'}efgh`,
  `${'eyJ'}hbGciOiJIUzI1NiJ9.${'eyJ'}zdWIiOiIxIn0.abcDEF123_-x`,
  ...['vk', 'sk', 'pk', 'api', 'key'].map((kind) => `${kind}_${'abcd1234'}`),
  `sk-${'a1b2c3d4e5f6'}`,
  `ghp_${'a1b2c3d4e5f6g7'}`,
  `github_pat_${'a1b2c3d4e5f6g7'}`,
  'deadbeef'.repeat(4),
  `aB3${'xYz9Qw'.repeat(7)}`,
  ...['key', 'token', 'secret', 'password', 'authorization'].map((name) => `api_${name}=hunter2hunter2`),
  'x-api-key: hunter2hunter2',
];

describe('a support file', () => {
  it.each(SECRETS)('does not hold %s', (secret) => {
    const value = secret.split(/[=:]\s?|\s/).at(-1) ?? secret;
    for (const text of [secret, `failed with ${secret} here`, `"${secret}"`]) {
      expect(clean(text)).not.toContain(value);
    }
  });

  it.each([
    ['/home/mia/code/x.json', '~/code/x.json'],
    ['/home/someone-else/x', '~/x'],
    ['/Users/mia.lange/Library/x.plist', '~/Library/x.plist'],
    ['C:\\Users\\Mia Lange\\x', '~\\x'],
    ['/home/mia and /home/tom', '~ and ~'],
    ['C:\\Users\\mia\\AppData\\x.json', '~\\AppData\\x.json'],
    ['"C:\\\\Users\\\\mia\\\\x"', '"~\\\\x"'],
    ['d:/users/mia/x', '~/x'],
    ['/root/.codex/config.toml', '~/.codex/config.toml'],
    ['/srv/work/shop/.mcp.json', '<root>/.mcp.json'],
    ['on mias-laptop by mia-lange', 'on <host> by <user>'],
  ])('shows %s as %s', (text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  it.each([
    ['https://mcp.internal.example/team/mcp?x=1#y', 'https://[ADDRESS]'],
    ['https://mia:secret@host.example/x', 'https://[ADDRESS]'],
    ['http://127.0.0.1:8765/mcp', 'http://127.0.0.1:8765'],
    ['http://[::1]:1/x', 'http://[::1]:1'],
    ['http://127.0.0.1.evil.example/x', 'http://[ADDRESS]'],
    ['http://localhost@evil.example/x', 'http://[ADDRESS]'],
    ['ssh://git@host.example/x.git', 'ssh://[ADDRESS]'],
    ['git@host.example:team/x.git', '[ADDRESS]'],
    ['mia@house.example', '[ADDRESS]'],
  ])('shows %s as %s', (text, shown) => {
    expect(clean(text)).toBe(shown);
  });

  it('keeps what helps: codes, versions, digests, relative paths', () => {
    const text = `config/malformed .mcp.json:3:4 1.2.3 sha256:${'0a'.repeat(32)} .claude/settings.json`;
    expect(clean(text)).toBe(text);
  });

  it('goes into members and their names, and masks by name', () => {
    const value = { '/home/mia/x': [{ note: 'see /Users/a/b' }], token: 'plain', deep: { n: 1, no: null } };
    expect(anonymousValue(value, identity)).toEqual({
      '~/x': [{ note: 'see ~/b' }],
      token: '[REDACTED]',
      deep: { n: 1, no: null },
    });
  });

  it('ends on a value that is too deep', () => {
    const circle: Record<string, unknown> = {};
    circle['again'] = circle;
    expect(JSON.stringify(anonymousValue(circle, identity))).toContain('[REDACTED]');
  });
});
