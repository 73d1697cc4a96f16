import { describe, expect, it } from 'vitest';
import { TenonError } from '../../../src/errors/error.ts';
import { expandEndpoints, expandIntegration } from '../../../src/integrations/expand.ts';
import {
  refuseCredentialName,
  serverDefinition,
  serverFromDefinition,
  serverIntegration,
} from '../../../src/integrations/server.ts';
import type { LoadedIntegration } from '../../../src/integrations/types.ts';

const HTTP = { url: 'https://docs.example/mcp' };
const REF = (name: string): string => `\${env:${name}}`;
const artifactOf = (loaded: LoadedIntegration) =>
  expandIntegration(loaded, [], { without: [], runtimes: ['any'], overrides: {} })[0]?.artifact;
const refusal = (run: () => unknown): TenonError => {
  try {
    run();
  } catch (error) {
    if (error instanceof TenonError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
};

describe('a server with a URL', () => {
  it('is one artifact under its own namespace, operator content', () => {
    const loaded = serverIntegration('Docs_1', HTTP, {}, {}, undefined);
    expect([loaded.ref, loaded.source, loaded.folder]).toEqual(['add:Docs_1', 'operator', undefined]);
    expect(artifactOf(loaded)).toMatchObject({ kind: 'mcp-server', server: 'Docs_1', http: HTTP });
    expect(expandEndpoints(loaded, [])).toEqual([{ kind: 'mcp', url: HTTP.url }]);
  });

  it('keeps headers, and references to variables in one neutral form', () => {
    const headers = { 'X-Team': 'blue', 'X-A': '${A_B}', 'X-B': '{env:B}', Authorization: 'Bearer ${env:C}' };
    expect(artifactOf(serverIntegration('docs', HTTP, headers, {}, undefined))).toMatchObject({
      http: {
        headers: {
          'X-Team': 'blue',
          'X-A': REF('A_B'),
          'X-B': REF('B'),
          Authorization: `Bearer ${REF('C')}`,
        },
      },
    });
  });

  it('sends the token variable as bearer token', () => {
    expect(artifactOf(serverIntegration('docs', HTTP, {}, {}, 'DOCS_TOKEN'))).toMatchObject({
      http: { headers: { Authorization: `Bearer ${REF('DOCS_TOKEN')}` } },
    });
  });

  it('keeps a query and braces that look like placeholders as they were typed', () => {
    const url = 'https://docs.example/mcp?space={TEAM}';
    const loaded = serverIntegration('docs', { url }, {}, {}, undefined);
    expect(artifactOf(loaded)).toMatchObject({ http: { url } });
    expect(expandEndpoints(loaded, [])).toEqual([{ kind: 'mcp', url }]);
  });

  it.each<[string, string, Record<string, string>, string | undefined, string]>([
    [
      'a token in a header',
      HTTP.url,
      { Authorization: 'Bearer abcdefgh12345678' },
      undefined,
      'secret/literal',
    ],
    ['a secret-like header name', HTTP.url, { 'X-Api-Key': 'short' }, undefined, 'secret/literal'],
    [
      'a default inside a reference',
      HTTP.url,
      { Authorization: '${A:-hunter2}' },
      undefined,
      'secret/literal',
    ],
    ['userinfo', 'https://u:p@docs.example/mcp', {}, undefined, 'endpoint/url-userinfo'],
    ['a token in the query', 'https://docs.example/mcp?token=hunter22', {}, undefined, 'secret/literal'],
    ['a credential over plain http', 'http://docs.example/mcp', {}, 'T', 'endpoint/url-insecure'],
    ['a token value as variable name', HTTP.url, {}, 'eyJhbGciOi.J9.x', 'usage/server'],
    ['a token of a known shape as variable name', HTTP.url, {}, `ghp_${'a1b2'.repeat(9)}`, 'usage/server'],
    ['a key in hex as variable name', HTTP.url, {}, 'dead0eef'.repeat(4), 'usage/server'],
    [
      'a token in the path',
      `https://docs.example/ghp_${'a1b2'.repeat(9)}/mcp`,
      {},
      undefined,
      'secret/literal',
    ],
    ['two authorizations', HTTP.url, { authorization: '${A}' }, 'T', 'usage/server'],
    ['a header with a line end', HTTP.url, { 'X-A': 'a\r\nX-B: b' }, undefined, 'usage/server'],
    ['a bad header name', HTTP.url, { 'X A': 'a' }, undefined, 'usage/server'],
  ])('refuses %s', (_what, url, headers, tokenEnv, code) => {
    const error = refusal(() => serverIntegration('docs', { url }, headers, {}, tokenEnv));
    expect(error.code).toBe(code);
    expect(error.exit).toBe(code === 'usage/server' ? 2 : 4);
    for (const secret of ['hunter2', 'abcdefgh12345678', 'short', 'eyJhbGciOi', 'a1b2a1b2']) {
      expect(`${error.message} ${error.remedy?.text}`).not.toContain(secret);
    }
  });

  it.each(['npm_config_key1', 'api_token_v2', 'CI_JOB_TOKEN'])('takes the variable %s', (name) => {
    expect(artifactOf(serverIntegration('docs', HTTP, {}, {}, name))).toMatchObject({
      http: { headers: { Authorization: `Bearer ${REF(name)}` } },
    });
  });

  it('refuses a credential as the name, once it is typed', () => {
    expect(refusal(() => refuseCredentialName(`ghp_${'a1b2'.repeat(9)}`)).code).toBe('secret/literal');
    for (const name of ['docs', 'api_docs_v2', 'sentry-eu-1']) refuseCredentialName(name);
  });

  it.each(['', 'a b', 'a/b', '../x', 'ä', 'x'.repeat(65), 'a\u0000'])('refuses the name %j', (name) => {
    expect(refusal(() => serverIntegration(name, HTTP, {}, {}, undefined)).code).toBe('usage/server');
  });

  it('refuses --env', () => {
    expect(refusal(() => serverIntegration('docs', HTTP, {}, { A: 'b' }, undefined)).code).toBe(
      'usage/server',
    );
  });
});

describe('a server that is started', () => {
  it('keeps command, arguments and environment literally', () => {
    const target = { command: 'npx', args: ['-y', 'docs-mcp@1.2.3', '--format', '{ID}', ''] };
    const loaded = serverIntegration('docs', target, {}, { LEVEL: 'info', KEY_FILE: '/k' }, 'DOCS_TOKEN');
    expect(artifactOf(loaded)).toMatchObject({
      stdio: { ...target, env: { LEVEL: 'info', KEY_FILE: '/k', DOCS_TOKEN: REF('DOCS_TOKEN') } },
    });
    expect(expandEndpoints(loaded, [])).toEqual([]);
  });

  it.each<[string, string[], Record<string, string>, string]>([
    ['a secret after its option', ['--token', 'hunter2'], {}, 'secret/literal'],
    ['a secret in an option', ['--token=hunter22'], {}, 'secret/literal'],
    ['a key by its shape', ['sk-abcdefghijkl0123'], {}, 'secret/literal'],
    ['a secret in the environment', [], { API_TOKEN: 'hunter2' }, 'secret/literal'],
    ['a bad variable name', [], { 'A-B': 'x' }, 'usage/server'],
    ['an escape sequence', ['\u001b[2J'], {}, 'usage/server'],
  ])('refuses %s', (_what, args, env, code) => {
    const error = refusal(() => serverIntegration('docs', { command: 'x', args }, {}, env, undefined));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('hunter2');
  });

  it('takes a reference after a secret option', () => {
    const target = { command: 'x', args: ['--token', REF('T')] };
    expect(artifactOf(serverIntegration('docs', target, {}, {}, undefined))).toMatchObject({ stdio: target });
  });

  it('refuses an empty command and --header', () => {
    const empty = { command: ' ', args: [] };
    expect(refusal(() => serverIntegration('docs', empty, {}, {}, undefined)).code).toBe('usage/server');
    const target = { command: 'x', args: [] };
    expect(refusal(() => serverIntegration('docs', target, { A: 'b' }, {}, undefined)).code).toBe(
      'usage/server',
    );
  });
});

describe('the stored definition', () => {
  it.each([
    serverIntegration('docs', HTTP, { 'X-A': '${A}' }, {}, 'T'),
    serverIntegration('docs', { command: 'x', args: ['a', '{B}'] }, {}, { C: 'd' }, undefined),
  ])('gives the same integration back, with the source of whoever stored it', (loaded) => {
    const again = serverFromDefinition('docs', serverDefinition(loaded), 'repository');
    expect(again).toEqual({ ...loaded, source: 'repository' });
  });

  it.each([
    null,
    'x',
    [],
    {},
    { http: {} },
    { http: { url: 'https://x.example' }, stdio: { command: 'x' } },
    { post: 'x', http: { url: 'https://x.example' } },
    { http: { url: 1 } },
    { http: { url: 'https://x.example', headers: { A: 1 } } },
    { http: { url: 'https://x.example', post: 'x' } },
    { stdio: { args: ['x'] } },
    { stdio: { command: 'x', args: 'x' } },
    { stdio: { command: 'x', args: [1] } },
    { stdio: { command: 'x', env: { A: null } } },
    { stdio: { command: 'x', shell: true } },
  ])('refuses %j', (definition) => {
    expect(() => serverFromDefinition('docs', definition as never, 'repository')).toThrow(
      expect.objectContaining({ code: 'integration/invalid', exit: 4 }),
    );
  });

  it('refuses a literal secret that someone put into the manifest', () => {
    const definition = { http: { url: HTTP.url, headers: { Authorization: 'hunter2' } } };
    expect(() => serverFromDefinition('docs', definition, 'repository')).toThrow(
      expect.objectContaining({ code: 'secret/literal' }),
    );
  });
});
