// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are the subject
import { describe, expect, it } from 'vitest';
import {
  isReference,
  isSecretName,
  isSecretPath,
  isSecretValue,
  REDACTED,
  redactForPrint,
  redactText,
  redactValue,
} from '../../../src/lib/secrets.ts';

describe('isReference', () => {
  it.each([
    '${VERA_TOKEN}',
    'Bearer ${VERA_TOKEN}',
    '${env:VERA_TOKEN}',
    '{env:VERA_TOKEN}',
    '${input:token}',
    '$VERA_TOKEN',
    '%VERA_TOKEN%',
    '<VERA_MCP_JWT>',
    'Bearer <VERA_MCP_JWT>',
    'op://vault/item/field',
    '${A}${B}',
    '{file:~/.token}',
  ])('takes %s', (text) => expect(isReference(text)).toBe(true));
  it.each(['', 'Bearer', 'hunter2', '${A:-hunter2}', '${A}hunter2', '$ecret', 'Bearer x${A}'])(
    'refuses %j',
    (text) => expect(isReference(text)).toBe(false),
  );
});

describe('isSecretName', () => {
  it.each([
    'Authorization',
    'authorization',
    'X-Api-Key',
    'api_key',
    'apiKey',
    'GITHUB_TOKEN',
    'client_secret',
    'clientSecret',
    'password',
    'Set-Cookie',
    'accessToken',
    'refresh_token',
    '--token',
    'SECRET_KEY_BASE',
    'credentials',
  ])('takes %s', (name) => expect(isSecretName(name)).toBe(true));
  it.each([
    'bearer_token_env_var',
    'MAX_TOKENS',
    'TOKEN_FILE',
    'url',
    'command',
    'tool_timeout_sec',
    'keyboard',
    'AWS_ACCESS_KEY_ID',
    'author',
    'monkey',
    '',
    'env_http_headers',
  ])('refuses %j', (name) => expect(isSecretName(name)).toBe(false));
});

describe('isSecretValue', () => {
  it.each([
    'Bearer abc123defg',
    'eyJhbGciOi.eyJzdWIiOi.c2ln',
    'sk-abcdefghijkl1234',
    'ghp_0123456789abcdef',
    'github_pat_0123456789ab',
    '0123456789abcdef0123456789abcdef',
    'aB3'.repeat(14),
    '--token=hunter2',
    'https://u:p@example.com/x',
    'https://EXAMPLE-T0KEN@git.example.com/o/r',
    'https://example.com/mcp?token=abc',
    'vera_ab12.c2VjcmV0MQ',
    'api_k3y5ecret9',
    'AKIAIOSFODNN7EXAMPLE',
  ])('takes %s', (text) => expect(isSecretValue(text)).toBe(true));
  it.each([
    `sha256:${'0'.repeat(64)}`,
    'sha512-aGVsbG8',
    'https://example.com/mcp',
    'npx',
    '-y',
    '@scope/package@1.2.3',
    `github:org/repo#${'a'.repeat(40)}`,
    'some-very-long-name-of-a-tool-that-goes-on-and-on-and-on',
    'git@github.com:org/repo',
    'ssh://git@github.com/org/repo',
    '${TOKEN}',
    '--token=${TOKEN}',
    './node_modules/.bin/server',
    'bearer authentication',
  ])('refuses %s', (text) => expect(isSecretValue(text)).toBe(false));
});

describe('redactText', () => {
  it.each([
    [
      'fatal: https://x-access-token:EXAMPLE-T0KEN@git.example.invalid/o/r.git',
      'fatal: https://[REDACTED]@git.example.invalid/o/r.git',
    ],
    ['https://EXAMPLE-T0KEN@git.example.invalid/o', 'https://[REDACTED]@git.example.invalid/o'],
    ['git@host:org/repo', 'git@host:org/repo'],
    ['https://h/p?a=1&b=${B}#x', 'https://h/p?a=[REDACTED]&b=${B}#x'],
    ['"Authorization": "Bearer abcdefgh"', '"Authorization": "Bearer [REDACTED]"'],
    ['password = hunter2', 'password = [REDACTED]'],
    ['//registry.example.com/:_authToken=hunter2', '//registry.example.com/:_authToken=[REDACTED]'],
    ['run --api-key=hunter2 --name=x', 'run --api-key=[REDACTED] --name=x'],
    [`digest sha256:${'ab'.repeat(32)}`, `digest sha256:${'ab'.repeat(32)}`],
  ])('%s', (text, clean) => expect(redactText(text)).toBe(clean));
});

it('takes time in proportion to the text', () => {
  const start = performance.now();
  for (const piece of [
    'a',
    'aA1',
    'a-',
    'a:',
    'a=',
    'a ',
    '  ',
    'ab://',
    'eyJ.',
    'Bearer ',
    '?a=b&',
    'ab@',
    '-----BEGIN ',
  ]) {
    expect(redactText(piece.repeat(30_000)).length).toBeGreaterThan(0);
  }
  expect(performance.now() - start).toBeLessThan(3000);
});

describe('redactValue', () => {
  it('masks headers and env unless they are references', () => {
    const entry = {
      url: 'https://h/mcp',
      headers: { Authorization: 'Bearer ${T}', 'X-Team': 'red' },
      env: { LEVEL: 'debug', TOKEN: '${TOKEN}' },
      args: ['-y', 'pkg', '--api-key', 'hunter2', '--api-key', '${K}'],
    };
    expect(redactValue(entry)).toEqual({
      url: 'https://h/mcp',
      headers: { Authorization: 'Bearer ${T}', 'X-Team': REDACTED },
      env: { LEVEL: REDACTED, TOKEN: '${TOKEN}' },
      args: ['-y', 'pkg', '--api-key', REDACTED, '--api-key', '${K}'],
    });
    expect(redactValue('debug', ['mcpServers', 'x', 'env', 'LEVEL'])).toBe(REDACTED);
    expect(redactValue({ LEVEL: 'debug' }, ['mcpServers', 'x', 'env'])).toEqual({ LEVEL: REDACTED });
  });

  it('does not take the name of a server for a secret', () => {
    expect(redactValue({ url: 'https://h' }, ['mcpServers', 'token-service'])).toEqual({ url: 'https://h' });
    expect(isSecretPath(['mcpServers', 'token-service', 'url'])).toBe(false);
    expect(isSecretPath(['mcpServers', 'x', 'headers', 'X-Team'])).toBe(true);
  });
});

describe('redactForPrint', () => {
  it('replaces secret leaves alone, so env values still count', () => {
    expect(redactForPrint({ env: { LEVEL: 'debug', TOKEN: 'hunter2' }, secrets: { a: 'b' } })).toEqual({
      env: { LEVEL: 'debug', TOKEN: REDACTED },
      secrets: { a: REDACTED },
    });
  });
});
