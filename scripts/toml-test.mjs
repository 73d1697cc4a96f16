// node scripts/toml-test.mjs <checkout of toml-lang/toml-test>
// Takes the files of that suite for TOML 1.1 into test/fixtures/toml-test/, byte for byte, one JSON document for the valid
// ones and one for the invalid ones; a character is one byte. test/formats/toml-suite.test.ts edits them.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from './project.mjs';

const [from] = process.argv.slice(2);
if (from === undefined) throw new Error('name the checkout');
const target = join(ROOT, 'test', 'fixtures', 'toml-test');
const tests = resolve(from, 'tests');
const names = readFileSync(join(tests, 'files-toml-1.1.0'), 'utf8')
  .split('\n')
  .filter((name) => name.endsWith('.toml'));
for (const kind of ['valid', 'invalid']) {
  const files = names
    .filter((name) => name.startsWith(`${kind}/`))
    .map((name) => [name.slice(kind.length + 1, -'.toml'.length), readFileSync(join(tests, name), 'latin1')]);
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(Object.fromEntries(files), undefined, 1).replace(/[^\n -~]/g, escaped);
  writeFileSync(join(target, `${kind}.json`), `${text}\n`);
  console.log(`${kind}: ${files.length} files`);
}
copyFileSync(resolve(from, 'LICENSE'), join(target, 'LICENSE'));
