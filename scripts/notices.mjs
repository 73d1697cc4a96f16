// Writes THIRD-PARTY-NOTICES.md: name, version, licence and licence text of every package whose code is in dist/.
// With --check it only tells whether the file is up to date. The packages are read from the bundler's own module list.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { bundleStubs } from './bundle-stubs.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'THIRD-PARTY-NOTICES.md');

const bundle = await rolldown({
  input: join(root, 'src/cli.ts'),
  platform: 'node',
  logLevel: 'silent',
  plugins: [bundleStubs],
  resolve: { mainFields: ['module', 'main'] },
});
const { output: chunks } = await bundle.generate({ format: 'esm' });
await bundle.close();

const packages = new Map();
for (const chunk of chunks) {
  for (const id of chunk.type === 'chunk' ? chunk.moduleIds : []) {
    const at = id.lastIndexOf('/node_modules/');
    if (at < 0) continue;
    const [first, second] = id.slice(at + '/node_modules/'.length).split('/');
    const name = first.startsWith('@') ? `${first}/${second}` : first;
    packages.set(name, join(id.slice(0, at), 'node_modules', name));
  }
}

/** Licence text without the lines that name the holder -> the packages under it, each with those lines. */
const licences = new Map();
for (const [name, folder] of [...packages].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one));
  const text =
    file === undefined ? '' : readFileSync(join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim();
  const isHolder = (line) => /^\s*(MIT License )?(copyright|©)\s*(\(c\)|\d{4})/i.test(line);
  const lines = text.split('\n');
  const body = lines
    .filter((line) => !isHolder(line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  const key = `${license}\n${body.replace(/\s+/g, ' ')}`;
  const group = licences.get(key) ?? { license, body, packages: [] };
  group.packages.push(
    [`- ${name} ${version}`, ...lines.filter(isHolder).map((line) => `  ${line.trim()}`)].join('\n'),
  );
  licences.set(key, group);
}

/** Whether the terms, without the appendix that is filled in, are those of tenon's own licence. */
function isOurs(body) {
  const terms = (text) => text.split('END OF TERMS AND CONDITIONS')[0]?.replace(/\s+/g, ' ').trim() ?? '';
  return body.includes('END OF TERMS') && terms(body) === terms(readFileSync(join(root, 'LICENSE'), 'utf8'));
}

const sections = [...licences.values()].map(({ license, body, packages: listed }) => {
  const text =
    body === ''
      ? '(no licence file in the package)'
      : isOurs(body)
        ? '(as in LICENSE beside this file)'
        : body;
  return `## ${license}\n\n${listed.join('\n')}\n\n${text.replace(/^/gm, '    ').replace(/ +$/gm, '')}\n`;
});

const text = `# Third-party notices\n\nThe code of these packages is part of what tenon ships in \`dist/\`. Each licence stands once, under the packages it is\nfor and their holders. Made by \`scripts/notices.mjs\`; do not edit.\n\n${sections.join('\n')}`;

if (process.argv.includes('--check')) {
  const same = existsSync(output) && readFileSync(output, 'utf8') === text;
  if (!same) process.stderr.write('THIRD-PARTY-NOTICES.md is not up to date: run npm run generate\n');
  process.exitCode = same ? 0 : 1;
} else {
  writeFileSync(output, text);
  process.stdout.write(`${packages.size} packages, ${sections.length} licence texts\n`);
}
