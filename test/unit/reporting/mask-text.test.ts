import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../src/reporting/line-diff.ts';
import { maskText } from '../../../src/reporting/mask-text.ts';
import fc from '../../helpers/fc.ts';

/** Signs of all formats in any order, and names that hide what follows. */
const part = fc.constantFrom(
  '"',
  "'",
  '"""',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '=',
  '#',
  '//',
  '/*',
  '*/',
  '\\',
  '\n',
  'a',
  ' ',
  'env',
  'token',
);
const noise = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));

const lineCount = (text: string) => text.split('\n').length;

describe('maskText of JSON', () => {
  const text = `{
  // token: ghp_abcdefghijklmnop1234
  "mcpServers": {
    "a": { "url": "https://u:p@host/mcp?key=abc&x=1", "headers": { "X-Team": "blue", "Authorization": "Bearer \${T}" } },
    "b": { "command": "x", "args": ["--token", "hunter2", "--verbose", "yes"], "env": { "MODE": "fast", "KEY": "{env:KEY}" } }
  },
  "api_key": "plain words",
  "port": 8080,
  "password": 12345
}
`;
  const masked = maskText(text, 'x.json');

  it.each([
    'ghp_abcdefghijklmnop1234',
    'u:p@',
    'key=abc',
    'x=1',
    'blue',
    'hunter2',
    'fast',
    'plain words',
    '12345',
  ])('hides %s', (secret) => {
    expect(text).toContain(secret);
    expect(masked).not.toContain(secret);
  });

  it.each(['Bearer ${T}', '{env:KEY}', '"--verbose", "yes"', '"command": "x"', '8080', 'https://', '/mcp?'])(
    'shows %s',
    (kept) => {
      expect(masked).toContain(kept);
    },
  );

  it('keeps the lines', () => {
    expect(lineCount(masked)).toBe(lineCount(text));
  });

  it('hides secrets of a file that is cut off', () => {
    expect(maskText('{ "headers": { "X": "topsecret" ', 'x.json')).not.toContain('topsecret');
  });
});

describe('maskText of TOML', () => {
  const text = `# password = swordfish1
[mcp_servers.a]
url = "https://host/mcp"
bearer_token_env_var = "A_TOKEN"
http_headers = { "X-Team" = "blue", Authorization = "Bearer abcdefgh1234" }

[mcp_servers.b]
command = "run"
args = [
  "--api-key", # the key
  "hunter2",
  "--fast",
]
env.MODE = "quick"

[mcp_servers.b.env]
A = "one"
B = """
two
three
"""
C = "\${FROM_ENV}"
`;
  const masked = maskText(text, 'x.toml');

  it.each(['swordfish1', 'blue', 'abcdefgh1234', 'hunter2', 'quick', '"one"', 'two', 'three'])(
    'hides %s',
    (secret) => {
      expect(text).toContain(secret);
      expect(masked).not.toContain(secret);
    },
  );

  it.each(['A_TOKEN', '"run"', '--fast', '# the key', '${FROM_ENV}', 'https://host/mcp'])(
    'shows %s',
    (kept) => {
      expect(masked).toContain(kept);
    },
  );

  it('keeps the lines', () => {
    expect(lineCount(masked)).toBe(lineCount(text));
  });

  it('hides secrets of a file that is no TOML', () => {
    expect(maskText('[a\nenv = { X = "topsecret\ntoken = swordfish1\n', 'x.toml')).not.toMatch(/swordfish1/);
  });
});

describe('maskText of other text', () => {
  it('hides every line of a private key', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow/abc+\nxyz==\n-----END RSA PRIVATE KEY-----\nafter\n';
    const masked = maskText(`before\n${key}`, 'x.md');
    expect(masked).not.toContain('MIIEow');
    expect(masked).toContain('before');
    expect(masked).toContain('after');
    expect(lineCount(masked)).toBe(lineCount(`before\n${key}`));
  });

  it('never fails and never changes the number of lines', () => {
    fc.assert(
      fc.property(noise, fc.constantFrom('x.json', 'x.toml', 'x.txt'), (text, format) => {
        expect(lineCount(maskText(text, format))).toBe(lineCount(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('masks a range of lines as it masks them in the whole', () => {
    const value = fc.constantFrom(
      '"sk-proj-Zq8wKx3vT1nB7mL5pQ2r"',
      '"${HOME}"',
      '"plain"',
      '12',
      '["--token", "x1y2"]',
    );
    const json = fc
      .array(
        fc.tuple(
          fc.constantFrom('env', 'token', 'args', 'a'),
          value,
          fc.constantFrom('\n', ' ', ' // k=v\n'),
        ),
      )
      .map(
        (all) => `{${all.map(([key, one, end]) => `"${key}": { "b": ${one} },${end}`).join('')}"z": 1 }\n`,
      );
    const toml = fc
      .array(fc.tuple(fc.constantFrom('env', 'token', 'a', '[env]', '[t.headers]'), value))
      .map((all) => all.map(([key, one]) => (key.startsWith('[') ? key : `${key} = ${one}`)).join('\n'));
    const number = fc.nat(12);
    for (const [text, format] of [
      [noise, 'x.json'],
      [noise, 'x.toml'],
      [noise, 'x.txt'],
      [json, 'x.json'],
      [toml, 'x.toml'],
    ] as const) {
      fc.assert(
        fc.property(text, number, number, (all, from, more) => {
          const range = { from, to: from + more };
          expect(maskText(all, format, range)).toBe(linesOf(maskText(all, format), range));
        }),
        { numRuns: 1000 },
      );
    }
  });

  it('leaves text without secrets as it is', () => {
    const json = '{\n  "mcpServers": { "x": { "command": "npx", "args": ["-y", "pkg"] } }, // note\n}\n';
    const toml = 'a = 1 # one\n[t]\nb = [1, 2]\nc = 1979-05-27T07:32:00Z\nd = { e = "f" }\n';
    expect(maskText(json, 'x.json')).toBe(json);
    expect(maskText(toml, 'x.toml')).toBe(toml);
  });
});
