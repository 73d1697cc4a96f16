import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Desired } from '../../src/engine/types.ts';
import type { Container } from '../../src/formats/format.ts';
import { formatOf, loadFormats } from '../../src/formats/index.ts';
import { getIn, type Json, type JsonPath } from '../../src/lib/json.ts';
import { scopesOf } from '../../src/runtimes/scopes.ts';
import { refusedByClient } from '../../src/runtimes/strictness.ts';
import { SHAPES } from './shapes/entries.ts';
import { codesOf, expanded, httpServer, render, scratch, specs, stdioServer } from './support.ts';

await loadFormats(['json', 'toml']);
const folder = import.meta.dirname;

/** The files of a fixture: below the repository, and below `home/` in the home folder. */
function filesOf(id: string): { files: Record<string, string>; home: Record<string, string> } {
  const files: Record<string, string> = {};
  const home: Record<string, string> = {};
  const base = join(folder, id, 'existing', 'before');
  const walk = (at: string): void => {
    for (const name of readdirSync(at)) {
      const path = join(at, name);
      if (statSync(path).isDirectory()) walk(path);
      else {
        const display = relative(base, path).replaceAll('\\', '/');
        const text = readFileSync(path, 'utf8');
        if (display.startsWith('home/')) home[display.slice('home/'.length)] = text;
        else files[display] = text;
      }
    }
  };
  if (existsSync(base)) walk(base);
  return { files, home };
}

const textOf = ({ files, home }: ReturnType<typeof filesOf>, path: string): string | undefined =>
  path.startsWith('~/') ? home[path.slice(2)] : files[path];

function insertAndRemove(
  one: Desired,
  before: string,
): { after: string; back: string; value: Json | undefined } {
  const format = formatOf(one.target.format);
  const { skeleton } = one.rules;
  const context = skeleton === undefined ? {} : { skeleton };
  const inserted = format.insert(before, one.target.place, one.value, context);
  if (!inserted.ok) throw new Error(`${inserted.fault.code}: ${inserted.fault.message}`);
  const { text, trace, containers } = inserted.value;
  const removed = format.remove(text, one.target.place, { trace, containers: containers as Container[] });
  if (!removed.ok) throw new Error(`${removed.fault.code}: ${removed.fault.message}`);
  const parsed = format.parse(text);
  return { after: text, back: removed.value.text, value: parsed.ok ? parsed.value : undefined };
}

const url = 'http://127.0.0.1:8765/mcp';

describe.each([...specs.values()].filter(({ support }) => support !== 'none'))('fixture of $id', (spec) => {
  const scope = scopesOf(spec).includes('project') ? 'project' : 'user';
  const fixture = filesOf(spec.id);
  const shape = SHAPES[spec.id];
  const server =
    shape?.http === undefined ? stdioServer({ command: 'pantry-mcp', args: ['--all'] }) : httpServer({ url });

  test('exists', () => {
    expect(Object.keys({ ...fixture.files, ...fixture.home })).not.toEqual([]);
  });

  test.runIf(shape !== undefined)(
    'a server fits into the file that is there, and comes out again',
    async () => {
      const rendered = render({
        ids: [spec.id],
        artifacts: [server],
        scope,
        at: scratch(fixture.files, fixture.home),
      });
      const [one] = rendered.desired;
      expect(rendered.desired).toHaveLength(1);
      const before = textOf(fixture, one!.target.path);
      expect(before, `${one!.target.path} is not in the fixture`).toBeDefined();
      const { after, back, value } = insertAndRemove(one!, before ?? '');
      expect(back).toBe(before);
      expect(refusedByClient(after, false, one!.rules)).toBeUndefined();
      const path: JsonPath = [...shape!.container, 'pantry'];
      const entry = getIn(value, path);
      const schema = shape?.http ?? shape?.stdio;
      expect(schema?.safeParse(entry).error?.issues ?? []).toEqual([]);
      const stored = one!.target.path.replace(/^~\//u, 'home/');
      await expect(after).toMatchFileSnapshot(join(folder, spec.id, 'existing', 'after', stored));
    },
  );

  test.runIf(shape !== undefined)('a server goes into a new file that the client reads', () => {
    const rendered = render({ ids: [spec.id], artifacts: [server], scope });
    const [one] = rendered.desired;
    const { after, value } = insertAndRemove(one!, '');
    expect(refusedByClient(after, false, one!.rules)).toBeUndefined();
    expect(getIn(value, [...shape!.container, 'pantry'])).toEqual(one!.value);
    for (const [name, member] of Object.entries((one!.rules.skeleton ?? {}) as Record<string, Json>)) {
      expect(getIn(value, [name])).toEqual(member);
    }
  });
});

test('Goose takes skills and instructions, and says that servers are added by hand', () => {
  const block = expanded(
    { name: 'note', kind: 'block', default: 'on', required: false, block: 'pantry', source: 'note.md' },
    { 'note.md': 'Look into the pantry.\n' },
  );
  const at = scratch(filesOf('goose').files);
  const rendered = render({ ids: ['goose'], artifacts: [block, httpServer({ url })], at });
  expect(rendered.desired.map(({ target }) => target.path)).toEqual(['AGENTS.md']);
  expect(codesOf(rendered)).toContain('render/unsupported');
});
