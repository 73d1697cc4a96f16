// Writes docs/vera-defaults.md from templates/vera/defaults.json. --print writes to stdout instead.
import { readFileSync, writeFileSync } from 'node:fs';

const source = new URL('../templates/vera/defaults.json', import.meta.url);
const target = new URL('../docs/vera-defaults.md', import.meta.url);
const block = JSON.parse(readFileSync(source, 'utf8'));

const cell = (text) => text.replaceAll('|', '\\|');
const change = ({ switch: flag, refused }) =>
  flag === undefined ? `fixed: ${cell(refused)}` : `\`${cell(flag)}\``;

const lines = [
  '# Defaults of the VERA integration',
  '',
  `Version ${block.vera_integration_contract} of the VERA integration contract. Generated from \`templates/vera/defaults.json\` by`,
  '`node scripts/vera-defaults.mjs`; do not edit.',
  '',
  'A choice that differs from a default is an item of the plan and is recorded in the manifest or the ledger. Where the last',
  'column says *fixed*, no flag and no manifest changes the value.',
  '',
];
for (const [group, members] of Object.entries(block)) {
  if (typeof members !== 'object' || group === 'overrides') continue;
  lines.push(
    `## ${group}`,
    '',
    '| default | value | meaning | another choice |',
    '| --- | --- | --- | --- |',
  );
  for (const [name, value] of Object.entries(members)) {
    const note = block.overrides[`${group}.${name}`];
    lines.push(`| \`${name}\` | \`${value}\` | ${cell(note.means)} | ${change(note)} |`);
  }
  lines.push('');
}
const text = lines.join('\n');

if (process.argv.includes('--print')) process.stdout.write(text);
else writeFileSync(target, text);
