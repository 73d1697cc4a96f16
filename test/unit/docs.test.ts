import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { GLOBAL_FLAGS } from '../../src/cli/flags.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const below = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...below('docs'),
  ...below('templates'),
];
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The name that a heading gets as the target of a link. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
const anchors = (text: string): string[] =>
  [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe.each(pages)('%s', (page) => {
  it('links only to what is there', () => {
    const text = textOf(page).replace(/```[\s\S]*?```|^ {4}.*$/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:https?|mailto):/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), path);
      expect(existsSync(file), `${page} -> ${target}`).toBe(true);
      if (anchor !== undefined)
        expect(anchors(readFileSync(file, 'utf8')), `${page} -> ${target}`).toContain(anchor);
    }
    expect(text.length).toBeGreaterThan(0);
  });

  it('names only commands and flags that there are', () => {
    // The lines of examples: `    tenon …`, `$ tenon …`, `- tenon …`.
    const lines = textOf(page).match(/^(?: {4}|\t|\$ | {4}- |\s*entry: )tenon .*$/gm) ?? [];
    for (const line of lines) {
      const words = (
        line
          .trim()
          .replace(/^(?:\$ |- |entry: )/, '')
          .split(/ {2,}|[|>;&#]/)[0] ?? ''
      )
        .split(/\s+/)
        .slice(1);
      const name = words.find((word) => !word.startsWith('-')) ?? '';
      if (!/^[a-z]+$/.test(name) || name === 'help') continue;
      const command = COMMANDS.find((one) => one.name === name);
      expect(command, `${page}: ${line.trim()}`).toBeDefined();
      const end = words.indexOf('--');
      for (const word of end === -1 ? words : words.slice(0, end)) {
        const flag = /^--[a-z-]+/.exec(word)?.[0];
        if (flag === undefined) continue;
        const known = [...(command?.flags ?? []), ...GLOBAL_FLAGS].map(({ long }): string => long);
        expect(known, `${page}: ${line.trim()}`).toContain(flag);
      }
    }
    expect(pages.length).toBeGreaterThan(5);
  });
});
