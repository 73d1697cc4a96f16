import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadFormats } from '../../../src/formats/index.ts';
import { openDocuments } from '../../../src/probes/documents.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { rememberRoots } from '../../../src/system/remembering-reader.ts';
import { scratch, writeTree } from '../../helpers/repo.ts';

it('reads a file outside of the roots once for all of them, but not one that is reached through a link', async () => {
  await loadFormats(['json']);
  const [top, home, elsewhere] = [scratch(), scratch(), scratch()];
  writeTree(top, { 'a/.mcp.json': '{"a":1}', 'b/.mcp.json': '{"b":1}' });
  writeTree(home, { 'own.json': '{"own":1}' });
  writeTree(elsewhere, { 'other.json': '{"other":1}' });
  symlinkSync(join(elsewhere, 'other.json'), join(home, 'linked.json'));
  const readerOf = rememberRoots(realReader);
  const [one, other] = ['a', 'b'].map((name) => {
    const root = join(top, name);
    const documents = openDocuments({ root, home, platform: 'linux', env: {}, reader: readerOf(root) });
    const get = (folder: string, display: string) =>
      documents.get({ display, abs: join(folder, display.replace('~/', '')) }, 'json');
    return {
      own: get(home, '~/own.json'),
      absent: get(home, '~/absent.json'),
      linked: get(home, '~/linked.json'),
      file: get(root, '.mcp.json'),
    };
  });
  expect(one?.own.value).toEqual({ own: 1 });
  expect(one?.own).toBe(other?.own);
  expect(one?.absent).toBe(other?.absent);
  expect(one?.absent.state).toBe('absent');
  expect(one?.file.value).toEqual({ a: 1 });
  expect(other?.file.value).toEqual({ b: 1 });
  expect(one?.linked).not.toBe(other?.linked);
  expect(one?.linked.state).toBe(other?.linked.state);
});
