// Writes THIRD-PARTY-NOTICES.md: name, version, licence and licence text of every package whose code is in dist/.
// With --check it only tells whether the file is up to date. The packages are read from the bundler's own module list.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledPackages } from './bundled-packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'THIRD-PARTY-NOTICES.md');

const packages = await bundledPackages();
const sections = packages.map(({ name, version, license, folder }) => {
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one));
  const text =
    file === undefined ? '(no licence file in the package)' : readFileSync(join(folder, file), 'utf8').trim();
  return `## ${name} ${version}\n\nLicence: ${license}\n\n${text.replace(/\r\n/g, '\n').replace(/^/gm, '    ').replace(/ +$/gm, '')}\n`;
});

const text = `# Third-party notices\n\nThe code of these packages is part of what tenon ships in \`dist/\`.\nMade by \`scripts/notices.mjs\`; do not edit.\n\n${sections.join('\n')}`;

if (process.argv.includes('--check')) {
  const same = existsSync(output) && readFileSync(output, 'utf8') === text;
  if (!same) process.stderr.write('THIRD-PARTY-NOTICES.md is not up to date: run npm run generate\n');
  process.exitCode = same ? 0 : 1;
} else {
  writeFileSync(output, text);
  process.stdout.write(`${sections.length} packages\n`);
}
