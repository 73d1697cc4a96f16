// Writes schema/*.json from the very zod schemas that the program checks with. --check only compares.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleModule } from './bundle-module.mjs';
import { ROOT } from './project.mjs';

const folder = join(ROOT, 'schema');
const isCheck = process.argv.includes('--check');
const { publishedSchemas } = await bundleModule('src/schemas/published.ts');
const wanted = new Map(
  Object.entries(publishedSchemas()).map(([name, schema]) => [name, `${lines(schema, 2)}\n`]),
);

mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) {
  if (!wanted.has(name)) differs(name, () => rmSync(join(folder, name)));
}
for (const [name, text] of wanted) {
  const file = join(folder, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  differs(name, () => writeFileSync(file, text));
}

function differs(name, mend) {
  if (isCheck) {
    console.error(`schema/${name} is not up to date: run npm run generate`);
    process.exitCode = 1;
  } else {
    mend();
    console.log(`wrote schema/${name}`);
  }
}

/** One definition a line, which keeps differences readable and the package small. */
function lines(value, depth, indent = '') {
  if (depth === 0 || value === null || typeof value !== 'object' || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${indent} ${JSON.stringify(name)}: ${lines(member, depth - 1, `${indent} `)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}
