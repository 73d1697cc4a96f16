import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '..', 'src');

const files = (readdirSync(SRC, { recursive: true }) as string[])
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .sort();

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

/** Import statements as text: static ones, type-only ones and `import('…')`. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)';/gm)) {
    found.push({
      from: file,
      to: target(file, match[2] ?? ''),
      typeOnly: match[1] !== undefined,
      dynamic: false,
    });
  }
  for (const match of text.matchAll(/\bimport\('([^']+)'\)/g)) {
    found.push({ from: file, to: target(file, match[1] ?? ''), typeOnly: false, dynamic: true });
  }
  return found;
}

const target = (file: string, specifier: string): string =>
  specifier.startsWith('.')
    ? relative(SRC, normalize(join(SRC, dirname(file), specifier))).replaceAll('\\', '/')
    : specifier;

const all = files.flatMap(importsOf);
const room = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : path);

/** What a room's running code may import besides itself; types may come from anywhere but upwards out of formats and lib. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  errors: ['lib', 'system'],
  system: ['lib', 'errors'],
  formats: ['lib'],
  endpoint: ['lib', 'errors'],
  state: ['lib', 'errors', 'system', 'engine'],
  engine: ['lib', 'errors', 'system', 'state', 'formats'],
  manifest: ['lib', 'errors', 'system', 'state', 'engine', 'formats'],
  runtimes: ['lib', 'errors', 'system', 'formats', 'engine'],
  clients: ['lib', 'errors', 'system', 'runtimes'],
  integrations: ['lib', 'errors', 'endpoint', 'runtimes', 'formats', 'system'],
};

describe('the direction of imports', () => {
  test.each(Object.entries(ALLOWED))('%s imports only what lies below it', (name, allowed) => {
    const wrong = all.filter(
      (one) =>
        room(one.from) === name &&
        !one.typeOnly &&
        !one.to.startsWith('node:') &&
        one.to.includes('/') &&
        files.includes(one.to) &&
        room(one.to) !== name &&
        !allowed.includes(room(one.to)),
    );
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('only src/system opens the disk or starts programs', () => {
    const wrong = all.filter(
      ({ from, to }) =>
        /^node:(fs|fs\/promises|child_process)$/.test(to) && room(from) !== 'system' && from !== 'cli.ts',
    );
    expect(wrong.map(({ from, to, typeOnly }) => `${from} -> ${to}${typeOnly ? ' (type)' : ''}`)).toEqual([]);
  });

  test('only reporting, the root and the protocol server write to the streams', () => {
    const printers = files.filter((file) => {
      const text = readFileSync(join(SRC, file), 'utf8');
      return /\bconsole\.\w+\(|process\.std(out|err)\.write\(/.test(text);
    });
    // A command that speaks a protocol on stdio owns its streams.
    const allowed = /^(cli\.ts|reporting\/|mcp\/|commands\/mcp\.ts)/;
    expect(printers.filter((file) => !allowed.test(file))).toEqual([]);
  });

  test('one place sets the exit code', () => {
    const setters = files.filter((file) =>
      /process\.exitCode\s*=/.test(readFileSync(join(SRC, file), 'utf8')),
    );
    expect(setters).toEqual(['cli.ts']);
  });

  test('running code has no circle of static imports', () => {
    const graph = new Map<string, string[]>();
    for (const { from, to, typeOnly, dynamic } of all) {
      if (!typeOnly && !dynamic && files.includes(to)) graph.set(from, [...(graph.get(from) ?? []), to]);
    }
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const visit = (file: string, trail: readonly string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
        return;
      }
      state.set(file, 'open');
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
      state.set(file, 'done');
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  test('the rules see imports at all', () => {
    expect(all.length).toBeGreaterThan(500);
    expect(all.some(({ from, to }) => from === 'system/real-files.ts' && to === 'node:fs')).toBe(true);
  });
});
