import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../../src/errors/catalog.ts';

const AREAS = [...new Set(Object.keys(CATALOG).map((code) => code.split('/')[0]))];

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.(ts|json)$/.test(name) && !name.startsWith(join('src', 'errors', 'catalog')));

/** Checks of doctor have ids of the same form; they are no codes. */
const CHECK_IDS = /^\s+(id|needs): .*$/gm;

/** Literals of the form area/kebab in code (single quotes) and in specs and templates ("code": "…"). */
function codesOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(CHECK_IDS, '');
  const pattern = file.endsWith('.ts') ? /'([a-z]+\/[a-z]+(?:-[a-z]+)*)'/g : /"code": *"([a-z]+\/[a-z-]+)"/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** Literals of the same form that are something else. */
const OTHER = /^(application|text|refs|tools|a)\//;

describe('the catalogue of codes', () => {
  it('has an entry for every code that the source, the specs and the templates name', () => {
    const used = ['src', 'specs', 'templates']
      .flatMap(filesBelow)
      .flatMap((file) => codesOf(file).map((code) => ({ code, file })));
    const missing = used.filter(({ code }) => !OTHER.test(code) && !Object.hasOwn(CATALOG, code));
    expect(used.length).toBeGreaterThan(100);
    expect([...new Set(missing.map(({ code }) => code))]).toEqual([]);
  });

  it('names the exit code that the source stops with', () => {
    const thrown = filesBelow('src').flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const pattern = /new TenonError\(\s*'([a-z/-]+)',(?:(?!new TenonError)[^;])*?\bexit: (\d+)\b/g;
      return [...text.matchAll(pattern)].map(([, code = '', exit]) => ({ code, exit: Number(exit) }));
    });
    expect(thrown.length).toBeGreaterThan(80);
    expect(thrown.filter(({ code, exit }) => CATALOG[code]?.exit !== exit)).toEqual([]);
    const manifest = Object.entries(CATALOG).filter(([code]) => code.startsWith('manifest/'));
    expect(manifest.map(([, { exit }]) => exit)).toEqual(manifest.map(() => 4));
  });

  it.each(Object.entries(CATALOG))('explains %s in one to five sentences', (code, entry) => {
    expect(code).toMatch(/^[a-z]+\/[a-z]+(-[a-z]+)*$/);
    expect(entry.title).toMatch(/^[^A-Z.][^.]*[^.]$/);
    expect(entry.explain).toMatch(/[.]$/);
    expect(entry.explain.split(/[.:;?](?:\s|$)/).length).toBeLessThanOrEqual(9);
    expect(AREAS).toContain(code.split('/')[0]);
  });
});
