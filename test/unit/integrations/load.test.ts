import { linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TenonError } from '../../../src/errors/error.ts';
import { loadIntegration } from '../../../src/integrations/load.ts';
import type { LoadedIntegration } from '../../../src/integrations/types.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { manifest, scratch, write } from './definition-folder.ts';

/** A package with one bundled integration, and a repository beside it. */
function places(): { packageDir: string; root: string; load: (ref: string) => Promise<LoadedIntegration> } {
  const base = scratch();
  const packageDir = join(base, 'package');
  const root = join(base, 'repo');
  write(packageDir, { 'templates/ledgerbook/integration.json': manifest({ id: 'ledgerbook' }) });
  mkdirSync(root);
  return { packageDir, root, load: (ref) => loadIntegration(realReader, packageDir, root, ref) };
}

async function refusal(promise: Promise<unknown>): Promise<TenonError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TenonError)) throw new Error(`expected a refusal, got ${String(error)}`);
  return error;
}

describe('what a reference means', () => {
  it('takes a bundled id as the bundled integration, also where the repository has a folder or package of that name', async () => {
    const { root, load } = places();
    write(root, {
      'ledgerbook/integration.json': manifest({ id: 'evil' }),
      'node_modules/ledgerbook/integration.json': manifest({ id: 'evil' }),
    });
    const loaded = await load('ledgerbook');
    expect([loaded.source, loaded.manifest.id, loaded.ref]).toEqual(['bundled', 'ledgerbook', 'ledgerbook']);
  });

  it('reads a folder of the repository with all its files', async () => {
    const { root, load } = places();
    write(root, {
      'tools/glossary/integration.json': manifest(),
      'tools/glossary/notes/a.md': 'a',
      'tools/glossary/b.bin': new Uint8Array([0, 255]),
    });
    const loaded = await load('./tools/glossary');
    expect(loaded.source).toBe('repository');
    expect([...loaded.files.keys()]).toEqual(['b.bin', 'integration.json', 'notes/a.md']);
    expect(loaded.files.get('b.bin')).toEqual(new Uint8Array([0, 255]));
  });

  it.each(['./tools/glossary', './tools//glossary/', './tools/../tools/glossary', '../repo/tools/glossary'])(
    'knows the folder %s by one name',
    async (ref) => {
      const { root, load } = places();
      write(root, { 'tools/glossary/integration.json': manifest() });
      expect((await load(ref)).ref).toBe('./tools/glossary');
    },
  );

  it('reads an installed package, or the folder that its package.json names', async () => {
    const { root, load } = places();
    write(root, {
      'node_modules/@house/plain/integration.json': manifest(),
      'node_modules/inner/package.json': { name: 'inner', tenon: './dist/integration' },
      'node_modules/inner/dist/integration/integration.json': manifest({ id: 'inner' }),
      'node_modules/inner/dist/other.js': '',
    });
    expect((await load('@house/plain')).source).toBe('package');
    const inner = await load('inner');
    expect([inner.manifest.id, [...inner.files.keys()]]).toEqual(['inner', ['integration.json']]);
  });

  it.each([
    ['nothing', 'integration/unknown', 2],
    ['./missing', 'integration/unknown', 2],
    ['../outside', 'integration/outside', 4],
    ['./a/../../outside', 'integration/outside', 4],
    ['/etc', 'integration/outside', 4],
    ['~/x', 'integration/outside', 4],
    ['C:\\x', 'integration/outside', 4],
    ['.\\x', 'integration/unknown', 2],
    ['templates/../x', 'integration/unknown', 2],
    ['add:x', 'integration/unknown', 2],
    ['', 'integration/unknown', 2],
    ['a\u001b[2Jb', 'integration/unknown', 2],
  ] as const)('refuses %j', async (ref, code, exit) => {
    const { load } = places();
    const error = await refusal(load(ref));
    expect([error.code, error.exit]).toEqual([code, exit]);
    expect(error.message).not.toContain('\u001b');
  });

  it('says what was probably meant', async () => {
    const { root, load } = places();
    write(root, { 'tools/x/integration.json': manifest() });
    expect((await refusal(load('ledgrebook'))).remedy?.text).toContain('ledgerbook');
    expect((await refusal(load('tools/x'))).remedy?.text).toContain('./tools/x');
  });
});

describe('links and special files', () => {
  it('refuses a folder that leads out of the repository by a link', async () => {
    const { root, packageDir, load } = places();
    write(packageDir, { 'elsewhere/integration.json': manifest() });
    symlinkSync(join(packageDir, 'elsewhere'), join(root, 'link'));
    expect((await refusal(load('./link'))).code).toBe('integration/outside');
  });

  it('refuses a package that is a link out of the repository, and takes one inside', async () => {
    const { root, packageDir, load } = places();
    write(packageDir, { 'elsewhere/integration.json': manifest() });
    write(root, { 'packages/mine/integration.json': manifest({ id: 'mine' }), 'node_modules/x/y': '' });
    symlinkSync(join(packageDir, 'elsewhere'), join(root, 'node_modules', 'foreign'));
    symlinkSync('../packages/mine', join(root, 'node_modules', 'mine'));
    expect((await refusal(load('foreign'))).code).toBe('integration/outside');
    expect((await load('mine')).manifest.id).toBe('mine');
  });

  it('reads a link to a file of the folder, refuses every other link', async () => {
    const { root, load } = places();
    write(root, {
      'i/integration.json': manifest(),
      'i/a.md': 'text',
      'secret.txt': 'outside',
      'i/sub/x': 'x',
    });
    symlinkSync('a.md', join(root, 'i', 'b.md'));
    expect(Buffer.from((await load('./i')).files.get('b.md') ?? []).toString()).toBe('text');
    symlinkSync('../secret.txt', join(root, 'i', 'c.md'));
    expect((await refusal(load('./i'))).message).toContain('i/c.md is a link that leads out');
    rmSync(join(root, 'i', 'c.md'));
    symlinkSync('sub', join(root, 'i', 'd'));
    expect((await refusal(load('./i'))).message).toContain('i/d is no regular file');
    rmSync(join(root, 'i', 'd'));
    symlinkSync('nowhere', join(root, 'i', 'e'));
    expect((await refusal(load('./i'))).code).toBe('integration/invalid');
  });

  it('reads a hard-linked file like any other', async () => {
    const { root, load } = places();
    write(root, { 'i/integration.json': manifest(), 'a.md': 'text' });
    linkSync(join(root, 'a.md'), join(root, 'i', 'a.md'));
    expect((await load('./i')).files.has('a.md')).toBe(true);
  });

  it('bounds file size, total size and number of files', async () => {
    const { root, load } = places();
    const mb = new Uint8Array(1024 * 1024);
    write(root, { 'exact/integration.json': manifest(), 'exact/a.bin': mb });
    expect((await load('./exact')).files.size).toBe(2);
    write(root, { 'big/integration.json': manifest(), 'big/a.bin': new Uint8Array(1024 * 1024 + 1) });
    expect((await refusal(load('./big'))).message).toContain('larger than 1 MB');
    write(root, { 'sum/integration.json': manifest(), 'sum/a': mb, 'sum/b': mb, 'sum/c': mb, 'sum/d': mb });
    expect((await refusal(load('./sum'))).message).toContain('over 4 MB');
    const many: Record<string, unknown> = { 'many/integration.json': manifest() };
    for (let index = 0; index < 500; index++) many[`many/f${index}`] = '';
    write(root, many);
    expect((await refusal(load('./many'))).message).toContain('500');
    rmSync(join(root, 'many', 'f0'));
    expect((await load('./many')).files.size).toBe(500);
  });

  it('bounds how deep its folders lie', async () => {
    const { root, load } = places();
    const deep = (folders: number) => ({
      'i/integration.json': manifest(),
      [`i/${'d/'.repeat(folders)}x`]: '',
    });
    write(root, deep(16));
    expect((await load('./i')).files.size).toBe(2);
    write(root, deep(17));
    expect((await refusal(load('./i'))).message).toContain('lies deeper than 16 folders');
  });

  it('leaves node_modules and .git out and refuses names that no plan could show', async () => {
    const { root, load } = places();
    write(root, { 'i/integration.json': manifest(), 'i/node_modules/x/y': '', 'i/.git/config': '' });
    expect([...(await load('./i')).files.keys()]).toEqual(['integration.json']);
    write(root, { 'i/a\u202eb.md': '' });
    const error = await refusal(load('./i'));
    expect(error.message).toContain('i/a\\u{202e}b.md');
  });
});

describe('the manifest', () => {
  it.each([
    [
      'a missing comma',
      '{\n  "schemaVersion": 1\n  "id": "x"\n}',
      'i/integration.json:3:3: this is not valid JSON',
    ],
    ['a comment', '{\n  // note\n}', 'i/integration.json:2:3: this is not valid JSON'],
    ['nothing', '', 'i/integration.json'],
  ])('names the place of %s', async (_what, text, where) => {
    const { root, load } = places();
    write(root, { 'i/integration.json': text });
    const error = await refusal(load('./i'));
    expect(error.code).toBe('integration/invalid');
    expect(error.message).toContain(where);
  });

  it('names file, line, column and field of what the schema refuses', async () => {
    const { root, load } = places();
    write(root, {
      'i/integration.json': manifest({
        artifacts: [{ kind: 'skill', name: 'Bad Name', skill: 's', folder: 's' }],
      }),
    });
    const error = await refusal(load('./i'));
    expect(error.message).toMatch(/^i\/integration\.json:10:15: artifacts\.0\.name: /);
  });

  it('refuses unknown members instead of ignoring them', async () => {
    const { root, load } = places();
    write(root, { 'i/integration.json': manifest({ postInstall: 'curl x | sh' }) });
    expect((await refusal(load('./i'))).message).toContain('postInstall');
  });

  it('refuses a newer schema before it looks at anything else', async () => {
    const { root, load } = places();
    write(root, { 'i/integration.json': { schemaVersion: 2, shape: 'unknown' } });
    const error = await refusal(load('./i'));
    expect([error.code, error.exit]).toEqual(['integration/unsupported-version', 4]);
  });

  it.each(['a/b', '..', 'a\u0000b', 'UPPER', ''])('refuses the id %j', async (id) => {
    const { root, load } = places();
    write(root, { 'i/integration.json': manifest({ id }) });
    expect((await refusal(load('./i'))).code).toBe('integration/invalid');
  });

  it('refuses the id of a bundled integration in a folder and in a package', async () => {
    const { root, load } = places();
    write(root, {
      'i/integration.json': manifest({ id: 'ledgerbook' }),
      'node_modules/p/integration.json': manifest({ id: 'ledgerbook' }),
    });
    for (const ref of ['./i', 'p']) {
      expect((await refusal(load(ref))).message).toContain('"ledgerbook" is the id of a bundled integration');
    }
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    [
      'a server without transport',
      { artifacts: [{ kind: 'mcp-server', name: 's', server: 's' }] },
      'integration/invalid',
      'either `http` or `stdio`',
    ],
    [
      'a skill without SKILL.md',
      { artifacts: [{ kind: 'skill', name: 's', skill: 's', folder: 'skills/s' }] },
      'integration/invalid',
      'skills/s/SKILL.md is missing',
    ],
    [
      'a skill folder that leaves',
      { artifacts: [{ kind: 'skill', name: 's', skill: 's', folder: '../s' }] },
      'integration/invalid',
      '".."',
    ],
    [
      'a missing script',
      {
        artifacts: [{ kind: 'hook', name: 'h', event: 'session-start', script: 'h.cjs', timeoutSeconds: 5 }],
      },
      'integration/invalid',
      'h.cjs is missing',
    ],
    [
      'a hook without script',
      { artifacts: [{ kind: 'hook', name: 'h', event: 'session-start', timeoutSeconds: 5 }] },
      'integration/invalid',
      '`script`',
    ],
    [
      'an absolute source',
      { artifacts: [{ kind: 'block', name: 'b', block: 'b', source: '/etc/passwd' }] },
      'integration/invalid',
      'absolute',
    ],
    [
      'a file in .git',
      { artifacts: [{ kind: 'file', name: 'f', path: '.git/hooks/pre-commit', source: 'integration.json' }] },
      'integration/invalid',
      'no integration may write',
    ],
    [
      'a CI file',
      {
        artifacts: [{ kind: 'file', name: 'f', path: '.github/workflows/x.yml', source: 'integration.json' }],
      },
      'integration/invalid',
      'no integration may write',
    ],
    [
      'an .envrc anywhere',
      { artifacts: [{ kind: 'file', name: 'f', path: 'sub/.envrc', source: 'integration.json' }] },
      'integration/invalid',
      'no integration may write',
    ],
    [
      'an unknown placeholder',
      { endpoints: [{ kind: 'mcp', url: '{NOWHERE}/mcp' }] },
      'integration/unknown-placeholder',
      '{NOWHERE}',
    ],
    [
      'a condition of no input',
      {
        artifacts: [
          {
            kind: 'mcp-server',
            name: 's',
            server: 's',
            http: { url: 'https://x.example' },
            when: { input: 'MODE', equals: 'a' },
          },
        ],
      },
      'integration/invalid',
      'MODE',
    ],
    [
      'a literal header',
      {
        artifacts: [
          {
            kind: 'mcp-server',
            name: 's',
            server: 's',
            http: { url: 'https://x.example', headers: { Authorization: 'hunter2' } },
          },
        ],
      },
      'secret/literal',
      'credential',
    ],
    [
      'a literal token in an argument',
      {
        artifacts: [
          {
            kind: 'mcp-server',
            name: 's',
            server: 's',
            stdio: { command: 'x', args: ['--key=sk_live_0123456789abcdef'] },
          },
        ],
      },
      'secret/literal',
      'credential',
    ],
    [
      'an input for a secret',
      { inputs: [{ name: 'API_TOKEN', type: 'string', prompt: 'Token' }] },
      'secret/literal',
      'by \u0024{env:NAME}',
    ],
    [
      'two artifacts of one name',
      {
        artifacts: [1, 2].map(() => ({
          kind: 'mcp-server',
          name: 's',
          server: 's',
          http: { url: 'https://x.example' },
        })),
      },
      'integration/invalid',
      'used twice',
    ],
    [
      'a default that is no choice',
      { inputs: [{ name: 'M', type: 'choice', prompt: 'M', choices: ['a'], default: 'b' }] },
      'integration/invalid',
      'none of a',
    ],
  ])('refuses %s', async (_what, members, code, words) => {
    const { root, load } = places();
    write(root, { 'i/integration.json': manifest(members) });
    const error = await refusal(load('./i'));
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/^i\/integration\.json:\d+:\d+: /);
    expect(error.message).not.toContain('hunter2');
    expect(error.message).not.toContain('sk_live_0123456789abcdef');
  });

  it('uses a bundled manifest that the build has validated without validating it again', async () => {
    const { packageDir, load } = places();
    const { createHash } = await import('node:crypto');
    const text = JSON.stringify({ ...manifest({ id: 'raw', unknownMember: true }), inputs: [] });
    const digest = createHash('sha256').update(text).digest('hex');
    write(packageDir, { 'templates/raw/integration.json': text });
    expect((await refusal(load('raw'))).code).toBe('integration/invalid');
    write(packageDir, { 'dist/data-index.json': { 'templates/raw/integration.json': `sha256:${digest}` } });
    expect((await load('raw')).manifest).toHaveProperty('unknownMember', true);
    write(packageDir, { 'templates/raw/integration.json': `${text} ` });
    expect((await refusal(load('raw'))).code).toBe('integration/invalid');
  });
});
