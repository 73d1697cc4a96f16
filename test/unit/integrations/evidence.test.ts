import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evidenceFor, requireFiles } from '../../../src/integrations/evidence.ts';
import { resolveInputs } from '../../../src/integrations/inputs.ts';
import { loadIntegration } from '../../../src/integrations/load.ts';
import type { InputSpec } from '../../../src/integrations/schema.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { scratch } from '../../helpers/repo.ts';

const PACKAGE = join(import.meta.dirname, '..', '..', '..');
const { manifest } = await loadIntegration(realReader, PACKAGE, PACKAGE, 'vaultspec');
const mode = manifest.inputs.find(({ name }) => name === 'MODE') as InputSpec;

function repository(files: Readonly<Record<string, string>>) {
  const root = scratch('tenon-evidence-');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, reader: realReader, platform: process.platform };
}

const workspace = (text: string) => ({ '.vaultspec/workspace.json': text });
const declared = (value: string) =>
  workspace(JSON.stringify({ packages: { 'vaultspec-core': { install_mode: value } } }));
const project = (text: string) => ({ 'pyproject.toml': `[project]\nname = "shop"\n${text}\n` });

describe('the mode that a repository speaks for (S32)', () => {
  it.each<[string, Record<string, string>, string | undefined, string?]>([
    ['nothing', {}, undefined],
    ['another project', project('dependencies = ["httpx", "vaultspec-core-extra>=1"]'), undefined],
    [
      'a dependency',
      project('dependencies = ["httpx", "Vaultspec_Core[mcp]>=0.3"]'),
      'dependency',
      'project.dependencies',
    ],
    [
      'an optional dependency',
      project('[project.optional-dependencies]\ndocs = ["vaultspec-core"]'),
      'dependency',
      'optional-dependencies',
    ],
    [
      'a group',
      project('[dependency-groups]\ntools = ["vaultspec-core==0.3.5"]'),
      'dev',
      'dependency-groups',
    ],
    ['dev dependencies of uv', project('[tool.uv]\ndev-dependencies = ["vaultspec.core"]'), 'dev', 'tool.uv'],
    [
      'poetry',
      project('[tool.poetry.dependencies]\nvaultspec-core = { version = "*" }'),
      'dependency',
      'tool.poetry',
    ],
    [
      'a group of poetry',
      project('[tool.poetry.group.dev.dependencies]\nvaultspec-core = "^0.3"'),
      'dev',
      'a group of tool.poetry',
    ],
    [
      'both places: the one that ships wins',
      project('dependencies = ["vaultspec-core"]\n[dependency-groups]\ndev = ["vaultspec-core"]'),
      'dependency',
    ],
    ['a declaration', declared('tool'), 'tool', '.vaultspec/workspace.json'],
    [
      'a declaration before the placement',
      { ...declared('dev'), ...project('dependencies = ["vaultspec-core"]') },
      'dev',
      'declares that mode',
    ],
  ])('with %s', async (_name, files, value, says) => {
    const evidence = await evidenceFor(mode, repository(files));
    expect(evidence?.value).toBe(value);
    if (says !== undefined) expect(evidence?.says).toContain(says);
  });

  it.each([
    ['a file that does not parse', workspace('{"packages": ')],
    ['a mode that there is not', declared('global')],
    ['a project file that does not parse', { 'pyproject.toml': '[project\n' }],
  ])('is not guessed past %s', async (_name, files) => {
    await expect(evidenceFor(mode, repository(files))).rejects.toMatchObject({
      code: 'input/evidence-invalid',
      exit: 4,
    });
  });

  it('takes no file through a link that leaves the repository', async () => {
    const away = repository(project('dependencies = ["vaultspec-core"]'));
    const at = repository({});
    symlinkSync(join(away.root, 'pyproject.toml'), join(at.root, 'pyproject.toml'));
    expect(await evidenceFor(mode, at)).toBeUndefined();
    expect(() => requireFiles(mode, 'dev', at)).toThrow(
      expect.objectContaining({ code: 'input/contradiction' }),
    );
  });
});

describe('the order of the sources', () => {
  const sources = {
    id: 'vaultspec',
    mode: 'setup',
    flags: {},
    env: { MODE: 'dev' },
    manifest: {},
    trusted: true,
  } as const;
  const at = repository(project('dependencies = ["vaultspec-core"]'));
  const resolve = async (change: object) =>
    (await resolveInputs([mode], { ...sources, repository: at, ...change })).values[0];

  it('is flag, earlier choice, repository, default', async () => {
    expect(await resolve({ flags: { MODE: 'dev' }, manifest: { MODE: 'tool' } })).toMatchObject({
      value: 'dev',
      origin: 'flag',
    });
    expect(await resolve({ manifest: { MODE: 'tool' } })).toMatchObject({
      value: 'tool',
      origin: 'manifest',
    });
    expect(await resolve({})).toEqual({
      name: 'MODE',
      value: 'dependency',
      origin: 'repository',
      says: 'pyproject.toml lists vaultspec-core under project.dependencies',
    });
    expect(await resolve({ repository: repository({}) })).toMatchObject({ value: 'tool', origin: 'default' });
  });

  it('leaves the repository out of later commands, which keep what was set up', async () => {
    expect(await resolve({ mode: 'later' })).toMatchObject({ value: 'tool', origin: 'default' });
    const gone = { mode: 'later', manifest: { MODE: 'dependency' }, repository: repository({}) };
    expect(await resolve(gone)).toMatchObject({ value: 'dependency' });
  });

  it.each(['dependency', 'dev'])('refuses %s without a project', async (value) => {
    await expect(resolve({ flags: { MODE: value }, repository: repository({}) })).rejects.toMatchObject({
      code: 'input/contradiction',
      exit: 4,
    });
  });
});
