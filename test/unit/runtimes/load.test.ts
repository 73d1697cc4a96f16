import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findSpec, loadSpecs, sha256 } from '../../../src/runtimes/load.ts';
import type { Reader } from '../../../src/system/ports.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { packageDir, scratch, specs } from '../../runtimes/support.ts';

const sound = readFileSync(join(packageDir, 'specs', 'zed.json'), 'utf8');

function packageOf(files: Record<string, string>): string {
  return scratch(Object.fromEntries(Object.entries(files).map(([name, text]) => [`specs/${name}`, text])))
    .root;
}

describe('loading specs', () => {
  test('gives all of them by id, sorted', () => {
    const ids = [...specs.keys()];
    expect(ids).toEqual([...ids].sort());
    expect(ids).toEqual(
      expect.arrayContaining(['claude-code', 'codex', 'opencode', 'vscode', 'cursor', 'zed']),
    );
    expect(findSpec(specs, 'claude')?.id).toBe('claude-code');
    expect(findSpec(specs, 'nobody')).toBeUndefined();
  });

  test('takes a spec that was put into the package later', async () => {
    const text = sound.replace('"id": "zed"', '"id": "zeta"').replace('"title": "Zed"', '"title": "Zeta"');
    const loaded = await loadSpecs(realReader, packageOf({ 'zed.json': sound, 'zeta.json': text }));
    expect([...loaded.keys()]).toEqual(['zed', 'zeta']);
  });

  test.each([
    [
      'an unknown member',
      { 'zed.json': sound.replace('"limits"', '"speed": 1, "limits"') },
      'specs/zed.json: (document)',
    ],
    [
      'a wrong type',
      { 'zed.json': sound.replace('"reads": "jsonc"', '"reads": "yaml"') },
      'specs/zed.json: files.settings.reads',
    ],
    ['no JSON', { 'zed.json': '{' }, 'specs/zed.json: '],
    ['an id of another file', { 'zeta.json': sound }, 'specs/zeta.json: id'],
    ['no folder at all', {}, 'specs: the folder is missing'],
  ])('refuses %s and says where', async (_, files, message) => {
    await expect(loadSpecs(realReader, packageOf(files as Record<string, string>))).rejects.toMatchObject({
      code: 'runtime/spec-invalid',
      exit: 2,
      message: expect.stringContaining(message),
    });
  });

  test('refuses one name for two runtimes', async () => {
    const text = sound.replace('"id": "zed"', '"id": "zeta"').replace('"aliases": []', '"aliases": ["zed"]');
    await expect(
      loadSpecs(realReader, packageOf({ 'zed.json': sound, 'zeta.json': text })),
    ).rejects.toMatchObject({
      message: expect.stringContaining('zed'),
    });
  });

  test('does not check again what the index of the build vouches for, and nothing else', async () => {
    const odd = sound.replace('"limits"', '"speed": 1, "limits"');
    const root = packageOf({ 'zed.json': odd });
    mkdirSync(join(root, 'dist'));
    const index = (hash: string): void =>
      writeFileSync(join(root, 'dist', 'data-index.json'), JSON.stringify({ 'specs/zed.json': hash }));
    index(sha256(new TextEncoder().encode(odd)));
    expect((await loadSpecs(realReader, root)).get('zed')).toMatchObject({ speed: 1 });
    index(sha256(new TextEncoder().encode(sound)));
    await expect(loadSpecs(realReader, root)).rejects.toMatchObject({ code: 'runtime/spec-invalid' });
  });

  test('takes the specs of the build from one file, and a file only where it is new or newer', async () => {
    const titled = (title: string): string => sound.replace('"title": "Zed"', `"title": "${title}"`);
    const root = packageOf({ 'zed.json': titled('Edited') });
    const built = join(root, 'dist', 'specs.json');
    mkdirSync(join(root, 'dist'));
    writeFileSync(built, JSON.stringify({ zed: JSON.parse(titled('Built')) }));
    const title = async () => (await loadSpecs(realReader, root)).get('zed')?.title;
    utimesSync(built, 2_000, 2_000);
    utimesSync(join(root, 'specs', 'zed.json'), 1_000, 1_000);
    expect(await title()).toBe('Built');
    utimesSync(join(root, 'specs', 'zed.json'), 3_000, 3_000);
    expect(await title()).toBe('Edited');
    writeFileSync(join(root, 'specs', 'zeta.json'), titled('Zeta').replace('"id": "zed"', '"id": "zeta"'));
    expect([...(await loadSpecs(realReader, root)).keys()]).toEqual(['zed', 'zeta']);
  });

  test('reads the notes of the specs of the build when one is looked at', async () => {
    const root = packageOf({});
    mkdirSync(join(root, 'dist'));
    const { homepage, limits, evidence, ...rest } = JSON.parse(sound);
    writeFileSync(join(root, 'dist', 'specs.json'), JSON.stringify({ zed: rest }));
    const notes = join(root, 'dist', 'spec-notes.json.br');
    writeFileSync(notes, brotliCompressSync(JSON.stringify({ zed: { homepage, limits, evidence } })));
    const read: string[] = [];
    const reader: Reader = {
      ...realReader,
      readFile: (path) => {
        read.push(path);
        return realReader.readFile(path);
      },
    };
    const zed = (await loadSpecs(reader, root)).get('zed');
    expect(read).not.toContain(notes);
    expect([zed?.homepage, zed?.limits, zed?.evidence]).toEqual([homepage, limits, evidence]);
    expect(read.filter((path) => path === notes)).toHaveLength(1);
  });

  test('needs no folder of specs beside the file of the build', async () => {
    const root = packageOf({});
    mkdirSync(join(root, 'dist'));
    writeFileSync(join(root, 'dist', 'specs.json'), JSON.stringify({ zed: JSON.parse(sound) }));
    expect([...(await loadSpecs(realReader, root)).keys()]).toEqual(['zed']);
  });
});
