// Starts a new runtime: node scripts/new-runtime.mjs <id> [title]. Writes specs/<id>.json and a fixture; both are yours
// to correct. Nothing that exists is overwritten. See docs/adding-a-runtime.md.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const [id, title = id] = process.argv.slice(2);
if (id === undefined || !/^[a-z][a-z0-9-]*$/.test(id)) {
  console.error('usage: node scripts/new-runtime.mjs <id> [title]   (id: lower case, digits, hyphens)');
  process.exit(2);
}

const config = `.${id}/mcp.json`;
const spec = {
  $schema: '../schema/runtime-spec.json',
  schemaVersion: 1,
  id,
  title,
  homepage: 'https://example.com',
  aliases: [],
  support: 'tier3',
  detect: { project: [`.${id}`], home: [`~/.${id}`], binaries: [id] },
  session: [],
  files: {
    mcp: {
      scope: 'project',
      paths: [config],
      create: config,
      merged: true,
      format: 'json',
      reads: 'strict',
      bom: 'rejected',
      onInvalid: 'unknown',
      foreign: [],
    },
  },
  mcp: {
    support: { state: 'advisory', reason: 'nobody tested it' },
    places: [{ scope: 'project', file: 'mcp', at: ['mcpServers', '{server}'] }],
    stdio: { command: '{command}', args: '{args}', env: '{env}' },
    http: { type: 'http', url: '{url}', headers: '{headers}' },
    expands: [],
    unset: 'unknown',
    switches: [],
    urlMembers: ['url'],
    commandMember: 'command',
    toolName: '{tool}',
  },
  fileFolders: [],
  gates: [],
  reload: { kind: 'restart', text: `restart ${title}` },
  limits: [],
  evidence: [
    {
      claim: 'project file and the shape of its entries',
      mark: 'weak',
      checked: new Date().toISOString().slice(0, 10),
      source: 'replace this by where it is written, or by your experiment and its version',
    },
  ],
};
const fixture = { mcpServers: { index: { command: 'index-mcp', args: ['--root', '.'] } } };

const specFile = join(root, 'specs', `${id}.json`);
const fixtureFile = join(root, 'test', 'runtimes', id, 'existing', 'before', config);
for (const file of [specFile, fixtureFile]) {
  if (existsSync(file)) {
    console.error(`${file} is there already; nothing was written`);
    process.exit(4);
  }
}
for (const [file, value] of [
  [specFile, spec],
  [fixtureFile, fixture],
]) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
console.log(`written: specs/${id}.json and test/runtimes/${id}/existing/before/${config}

next: correct both after the tool's own documentation; write the shape of its entries by hand in
test/runtimes/shapes/entries.ts; then npx vitest run test/runtimes -u, and read the after/ files that it wrote.`);
