import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sha256 } from '../../../src/runtimes/load.ts';
import { packageDir, scratch } from '../../runtimes/support.ts';

/** A copy of what the script reads, so that a bad file can be put in. */
function copy(): string {
  const { root } = scratch();
  for (const folder of ['scripts', 'specs', 'src', 'templates']) {
    if (existsSync(join(packageDir, folder)))
      cpSync(join(packageDir, folder), join(root, folder), { recursive: true });
  }
  symlinkSync(join(packageDir, 'node_modules'), join(root, 'node_modules'));
  cpSync(join(packageDir, 'package.json'), join(root, 'package.json'));
  return root;
}

const run = (root: string) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'index-data.mjs')], { cwd: root, encoding: 'utf8' });

test('the build records the hash of every spec and template, and fails on an invalid one', {
  timeout: 60_000,
}, () => {
  const root = copy();
  expect(run(root)).toMatchObject({ status: 0, stderr: '' });
  const index = JSON.parse(readFileSync(join(root, 'dist', 'data-index.json'), 'utf8'));
  expect(index['specs/codex.json']).toBe(sha256(readFileSync(join(root, 'specs', 'codex.json'))));
  const specs = JSON.parse(readFileSync(join(root, 'dist', 'specs.json'), 'utf8'));
  const { homepage, limits, evidence, ...rest } = JSON.parse(
    readFileSync(join(root, 'specs', 'codex.json'), 'utf8'),
  );
  expect(specs.codex).toEqual(rest);
  const notes = brotliDecompressSync(readFileSync(join(root, 'dist', 'spec-notes.json.br'))).toString();
  expect(JSON.parse(notes).codex).toEqual({ homepage, limits, evidence });
  expect(Object.keys(index).some((path) => path.startsWith('templates/'))).toBe(
    existsSync(join(root, 'templates')),
  );

  writeFileSync(join(root, 'specs', 'bad.json'), '{"schemaVersion":2}');
  mkdirSync(join(root, 'templates', 'bad'), { recursive: true });
  writeFileSync(join(root, 'templates', 'bad', 'integration.json'), '{');
  const failed = run(root);
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('specs/bad.json: schemaVersion');
  expect(failed.stderr).toContain('templates/bad/integration.json: ');
});
