// Validates specs/ and templates/ with the very schemas of the source and writes dist/specs.json, all specs without
// white space and without their notes (dist/spec-notes.json.br), and dist/data-index.json, the SHA-256 of every file that passed: at run time a file with that
// hash is used without loading the validator.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '..');
const output = join(root, 'dist', 'data-index.json');

const { checkSpec } = await load('src/runtimes/check.ts');
const { IntegrationSchema } = await load('src/integrations/schema.ts');

const index = {};
const specs = {};
const notes = {};
const problems = [];
for (const file of filesBelow(join(root, 'specs')).filter((path) => path.endsWith('.json'))) {
  const path = posix(file);
  const checked = checkSpec(parse(file), path);
  problems.push(...checked.problems.map((problem) => `${path}: ${problem}`));
  if (checked.spec !== undefined) {
    const { homepage, limits, evidence, ...spec } = parse(file);
    specs[spec.id] = spec;
    notes[spec.id] = { homepage, limits, evidence };
  }
  index[path] = sha256(file);
}
for (const file of filesBelow(join(root, 'templates'))) {
  const path = posix(file);
  if (/^templates\/[^/]+\/integration\.json$/.test(path)) {
    const checked = IntegrationSchema.safeParse(parse(file));
    for (const issue of checked.error?.issues ?? []) {
      problems.push(`${path}: ${issue.path.join('.') || '(document)'}: ${issue.message}`);
    }
  }
  index[path] = sha256(file);
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(output, `${JSON.stringify(index, null, 2)}\n`);
writeFileSync(join(root, 'dist', 'specs.json'), JSON.stringify(specs));
writeFileSync(join(root, 'dist', 'spec-notes.json.br'), brotliCompressSync(JSON.stringify(notes)));
console.log(`${Object.keys(index).length} data files indexed`);

/** Bundles one module of the source and imports it. */
async function load(entry) {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'index-data-'));
  try {
    const bundle = await rolldown({ input: join(root, entry), platform: 'node', cwd: root });
    const file = join(folder, 'module.mjs');
    await bundle.write({ file, format: 'esm' });
    await bundle.close();
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function parse(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    problems.push(`${posix(file)}: ${error.message}`);
    return undefined;
  }
}

function posix(file) {
  return relative(root, file).split(sep).join('/');
}

function sha256(file) {
  return `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
}
