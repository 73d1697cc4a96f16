// Writes THIRD-PARTY-NOTICES.md: name, version, holders and licence of every package whose code is in dist/; a licence that
// several share stands once. With --check it only tells whether the file is up to date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages } from './bundled-packages.mjs';
import { ROOT } from './project.mjs';

const output = join(ROOT, 'THIRD-PARTY-NOTICES.md');
const END_OF_TERMS = 'END OF TERMS AND CONDITIONS';

/** Licence without the lines that name its holders, as it is compared -> its number and text. */
const licences = new Map();
const packages = (await bundledPackages()).map(({ name, version, license, folder }) => {
  const lines = licenceLines(folder);
  const body = lines.filter((line) => !isHolder(line)).join('\n');
  const key = `${license}\n${body.replace(/\s+/g, ' ').trim()}`;
  if (!licences.has(key)) licences.set(key, { number: licences.size + 1, license, body });
  const holders = lines.filter(isHolder).map((line) => `\n- ${line.trim()}`);
  return `## ${name} ${version}\n\n- ${license}, text ${licences.get(key).number}${holders.join('')}\n`;
});
const texts = [...licences.values()].map(
  ({ number, license, body }) => `# Text ${number}: ${license}\n\n${shown(body)}\n`,
);
const text = [
  '# Third-party notices\n',
  'The code of these packages is part of what tenon ships in `dist/`. The texts of their licences follow the list.',
  'Made by `scripts/notices.mjs`; do not edit.\n',
  ...packages,
  ...texts,
].join('\n');

if (process.argv.includes('--check')) {
  const same = existsSync(output) && readFileSync(output, 'utf8') === text;
  if (!same) process.stderr.write('THIRD-PARTY-NOTICES.md is not up to date: run npm run generate\n');
  process.exitCode = same ? 0 : 1;
} else {
  writeFileSync(output, text);
  process.stdout.write(`${packages.length} packages, ${texts.length} licences\n`);
}

function licenceLines(folder) {
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)(\.|$)/i.test(one));
  const text =
    file === undefined ? '(no licence file in the package)' : readFileSync(join(folder, file), 'utf8');
  return text.replace(/\r\n/g, '\n').trim().split('\n');
}

function isHolder(line) {
  return /^\s*(MIT License )?(copyright|©)\s*(\(c\)|\d{4})/i.test(line);
}

/** tenon's own licence stands in the package already. */
function shown(body) {
  if (body.includes(END_OF_TERMS) && terms(body) === terms(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))) {
    return 'As in `LICENSE` beside this file.';
  }
  return body
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .replace(/^(?=.)/gm, '    ')
    .replace(/ +$/gm, '');
}

function terms(licence) {
  return licence.split(END_OF_TERMS)[0].replace(/\s+/g, ' ').trim();
}
