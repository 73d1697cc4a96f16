import * as iarna from '@iarna/toml';
import { parse as smolParse, stringify as smolStringify } from 'smol-toml';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Desired } from '../../src/engine/types.ts';
import { loadFormats } from '../../src/formats/index.ts';
import fc from '../helpers/fc.ts';
import { MemoryRepo, want } from '../helpers/memory-repo.ts';

// A formatter, or a client that writes its whole file anew, runs between any two commands, and so does a person. What is
// left after uninstall must be what the same would have made of the first text: uninstall(f(update(g(setup(x))))) = f(g(x)).

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const RUNS = { numRuns: 1000 };
const url = (port: number): string => `http://127.0.0.1:${port}/mcp`;

type Change = (text: string) => string;

/** The steps between commands: each a function of the text alone, so that it can be done to the first text as well. */
const sequence = (change: fc.Arbitrary<Change>) =>
  fc.array(fc.array(change, { maxLength: 3 }), { minLength: 3, maxLength: 3 });

interface Run {
  readonly file: string;
  readonly text: string;
  readonly wishes: (port: number) => readonly Desired[];
  readonly between: readonly (readonly Change[])[];
}

function runAll({ file, text, wishes, between }: Run): { readonly left: string; readonly expected: string } {
  const repo = new MemoryRepo({ [file]: text });
  const all = (changes: readonly Change[], from: string): string =>
    changes.reduce((now, one) => one(now), from);
  const edit = (changes: readonly Change[]): void => {
    repo.files.set(file, all(changes, repo.snapshot()[file] ?? ''));
  };
  const [first = [], second = [], third = []] = between;
  repo.apply(repo.plan(wishes(1)));
  edit(first);
  // Nothing of ours was touched: no drift, and an update is taken.
  const again = repo.plan(wishes(1)).plan;
  expect(again.findings.filter(({ code }) => code.startsWith('ownership/'))).toEqual([]);
  expect(again.files).toEqual([]);
  repo.apply(repo.plan(wishes(2)));
  expect(repo.snapshot()[file]).toContain(url(2));
  expect(repo.snapshot()[file]).not.toContain(url(1));
  edit(second);
  expect(repo.plan(wishes(2)).plan.files).toEqual([]);
  edit(third);
  repo.apply(repo.plan([], { command: 'uninstall', uncovered: () => 'remove' }));
  expect(repo.ledgers.root.records).toEqual([]);
  return { left: repo.snapshot()[file] ?? '', expected: all(between.flat(), text) };
}

describe('a formatter or a client that writes its file anew, between any two commands', () => {
  const values = fc.record(
    {
      model: fc.string({ maxLength: 6 }),
      servers: fc.dictionary(
        fc.constantFrom('s1', 's2', 's3'),
        fc.record({ command: fc.constantFrom('x', 'y') }),
      ),
      hooks: fc.record({
        start: fc.array(fc.record({ matcher: fc.constantFrom('a', 'b') }), { maxLength: 2 }),
      }),
      list: fc.array(fc.integer(), { maxLength: 3 }),
      empty: fc.constant({}),
    },
    { requiredKeys: [] },
  );

  test('JSON: exactly our spans go', () => {
    const format = fc
      .record({ indent: fc.constantFrom<string | number>(2, 4, '\t', 0), end: fc.constantFrom('', '\n') })
      .map(
        ({ indent, end }): Change =>
          (text) =>
            JSON.stringify(JSON.parse(text), undefined, indent) + end,
      );
    // A person's own value changes, where it is there.
    const person = fc.constantFrom('"command":"x"', '"command": "x"', '"matcher":"a"', '"matcher": "a"').map(
      (from): Change =>
        (text) =>
          text.replace(from, () => from.replace(/.$/, '2"')),
    );
    const rules = { reads: 'jsonc', bom: 'ok' } as const;
    const hook = { matcher: 'ours', hooks: [{ type: 'command', command: 'node h.cjs' }] };
    const item: Desired = {
      ...want('.mcp.json', [], hook),
      owner: { integration: 'vera', artifact: 'hook', version: '1.0.0' },
      target: {
        path: '.mcp.json',
        format: 'json',
        place: { kind: 'item', path: ['hooks', 'start'], value: hook, tag: 'h.cjs' },
      },
      rules,
    };
    const wishes = (port: number): Desired[] => [
      want('.mcp.json', ['servers', 'vera'], { type: 'http', url: url(port) }, { rules }),
      item,
    ];
    const property = fc.property(
      values,
      format,
      sequence(fc.oneof(format, person)),
      (value, first, between) => {
        const text = first(JSON.stringify(value));
        const { left, expected } = runAll({ file: '.mcp.json', text, wishes, between });
        expect(JSON.parse(left)).toEqual(JSON.parse(expected));
        expect(left).toBe(expected);
      },
    );
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  }, 120_000);

  test('TOML: exactly our values go, whichever writer ran', () => {
    const writers: readonly Change[] = [
      (text) => smolStringify(smolParse(text)),
      (text) => iarna.stringify(iarna.parse(text)),
    ];
    const person: Change = (text) => text.replace('command = "x"', () => 'command = "z"');
    const tables = fc
      .record({
        root: fc.boolean(),
        servers: fc.nat(2),
        projects: fc.boolean(),
        end: fc.constantFrom('', '\n', '\n\n'),
      })
      .map(({ root, servers, projects, end }) => {
        const own = Array.from({ length: servers }, (_, i) => `[mcp_servers.s${i}] # mine\ncommand = "x"\n`);
        const parts = [
          root ? '# mine\nmodel = "m"\n' : '',
          ...own,
          projects ? '[projects."/x"]\ntrust_level = "trusted"\n' : '',
        ];
        return (
          parts
            .filter((part) => part !== '')
            .join('\n')
            .replace(/\n$/, '') + end
        );
      });
    const wishes = (port: number): Desired[] => [
      want('.codex/config.toml', ['mcp_servers', 'vera'], { url: url(port) }),
    ];
    const property = fc.property(tables, sequence(fc.constantFrom(...writers, person)), (text, between) => {
      const { left, expected } = runAll({ file: '.codex/config.toml', text, wishes, between });
      expect(smolParse(left)).toEqual(smolParse(expected));
      expect(left.replace(/\s+/g, ' ').trim()).toBe(expected.replace(/\s+/g, ' ').trim());
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  }, 120_000);
});
