import { beforeAll, describe, expect, test } from 'vitest';
import type { Desired } from '../../src/engine/types.ts';
import { loadFormats } from '../../src/formats/index.ts';
import fc from '../helpers/fc.ts';
import { insertions, sprinkle } from '../helpers/jsonc-documents.ts';
import { MemoryRepo, want } from '../helpers/memory-repo.ts';

// A person edits the files between setup and uninstall. What is left must be what the same edits make of the files as
// they were before setup: exactly our spans are gone. Edits hang on marked values of the person's own.

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const RUNS = { numRuns: 1000 };
const SERVER = { type: 'http', url: 'http://127.0.0.1:8765/mcp' };
const HOOK = { matcher: 'x', hooks: [{ type: 'command', command: 'node h.cjs' }] };

interface Edit {
  /** Chooses the marked value. */
  readonly pick: number;
  readonly kind: 'value' | 'bigger' | 'behind' | 'note';
}
const edits = fc.array(
  fc.record({
    pick: fc.nat(1000),
    kind: fc.constantFrom<Edit['kind']>('value', 'bigger', 'behind', 'note'),
  }),
  { maxLength: 6 },
);

/** Applies edits to a text; those that chose a mark already used up do nothing. */
function edited(
  text: string,
  marks: readonly string[],
  list: readonly Edit[],
  change: (mark: string, kind: Edit['kind'], serial: number) => string,
): string {
  const used = new Set<string>();
  return list.reduce((now, { pick, kind }, serial) => {
    const mark = marks[pick % Math.max(1, marks.length)];
    if (mark === undefined || used.has(mark)) return now;
    used.add(mark);
    expect(now.split(mark)).toHaveLength(2);
    return now.replace(mark, () => change(mark, kind, serial));
  }, text);
}

describe('uninstall after edits by hand leaves what the edits make of the first text', () => {
  const documents = fc
    .record({
      before: fc.nat(2),
      servers: fc.option(fc.nat(3), { nil: undefined }),
      hooks: fc.option(fc.nat(2), { nil: undefined }),
      behind: fc.nat(2),
      indent: fc.constantFrom<string | number>(2, 2, 4, '\t', 0),
      noise: fc.oneof(fc.constant([]), insertions(6)),
      eol: fc.constantFrom('\n', '\r\n'),
      end: fc.constantFrom('', '\n'),
    })
    .map(({ before, servers, hooks, behind, indent, noise, eol, end }) => {
      const marks: string[] = [];
      const mark = (kind: 'M' | 'L'): string => {
        marks.push(`"${kind}${marks.length}"`);
        return `${kind}${marks.length - 1}`;
      };
      const root: Record<string, unknown> = {};
      for (let i = 0; i < before; i += 1) root[`a${i}`] = mark('M');
      if (servers !== undefined)
        root['servers'] = Object.fromEntries(Array.from({ length: servers }, (_, i) => [`s${i}`, mark('M')]));
      if (hooks !== undefined) root['hooks'] = { start: Array.from({ length: hooks }, () => mark('L')) };
      for (let i = 0; i < behind; i += 1) root[`z${i}`] = mark('M');
      const text = sprinkle(JSON.stringify(root, undefined, indent) + end, noise);
      return { text: text.replaceAll('\n', eol), marks };
    });

  const change = (mark: string, kind: Edit['kind'], serial: number): string => {
    if (kind === 'value') return `"edit ${serial}"`;
    if (kind === 'bigger') return `{ "deep": [1, "two"] }`;
    if (kind === 'note') return `${mark} /* by hand ${serial} */`;
    return mark.startsWith('"M') ? `${mark}, "new${serial}": ${serial}` : `${mark}, "new ${serial}"`;
  };

  test('in JSON with comments', () => {
    const rules = { reads: 'jsonc', bom: 'ok' } as const;
    const item: Desired = {
      ...want('.mcp.json', [], HOOK),
      owner: { integration: 'vera', artifact: 'hook', version: '1.0.0' },
      target: {
        path: '.mcp.json',
        format: 'json',
        place: { kind: 'item', path: ['hooks', 'start'], value: HOOK },
      },
      rules,
    };
    const wishes = [want('.mcp.json', ['servers', 'vera'], SERVER, { rules }), item];
    const property = fc.property(documents, edits, ({ text, marks }, list) => {
      const repo = new MemoryRepo({ '.mcp.json': text });
      repo.apply(repo.plan(wishes));
      const installed = repo.snapshot()['.mcp.json'] ?? '';
      expect(installed).toContain('8765/mcp');
      repo.files.set('.mcp.json', edited(installed, marks, list, change));
      repo.apply(repo.plan([], { command: 'uninstall', uncovered: () => 'remove' }));
      expect(repo.snapshot()).toEqual({ '.mcp.json': edited(text, marks, list, change) });
      expect(repo.ledgers.root.records).toEqual([]);
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });

  const tables = fc
    .record({
      root: fc.nat(2),
      form: fc.constantFrom('none', 'tables', 'dotted', 'parent'),
      servers: fc.nat(2),
      others: fc.nat(2),
      isLast: fc.boolean(),
      blanks: fc.constantFrom('', '\n', '\n\n'),
      eol: fc.constantFrom('\n', '\r\n'),
      hasEnd: fc.boolean(),
    })
    .map(({ root, form, servers, others, isLast, blanks, eol, hasEnd }) => {
      const marks: string[] = [];
      const pair = (key: string): string => {
        marks.push(`"M${marks.length}"`);
        return `${key} = ${marks.at(-1)}\n`;
      };
      const top = Array.from({ length: root }, (_, i) => pair(`a${i}`)).join('');
      const own = Array.from({ length: form === 'none' ? 0 : servers }, (_, i) =>
        form === 'dotted' ? pair(`mcp_servers.s${i}.command`) : `[mcp_servers.s${i}]\n${pair('command')}`,
      );
      if (form === 'parent') own.unshift('[mcp_servers]\n');
      const rest = Array.from({ length: others }, (_, i) => `[t${i}] # of mine\n${pair('x')}`);
      const isFirst = form === 'dotted' || !isLast;
      const text = [top, ...(isFirst ? [...own, ...rest] : [...rest, ...own])].join(blanks);
      const closed = hasEnd ? text : text.replace(/\n$/, '');
      return { text: closed.replaceAll('\n', eol), marks, eol };
    });

  test('in TOML', () => {
    const file = '.codex/config.toml';
    const wishes = [want(file, ['mcp_servers', 'vera'], { url: SERVER.url })];
    const property = fc.property(tables, edits, ({ text, marks, eol }, list) => {
      const toml = (mark: string, kind: Edit['kind'], serial: number): string => {
        if (kind === 'value') return `'edit ${serial}'`;
        if (kind === 'bigger') return `[${eol}  "one", # 1${eol}]`;
        return kind === 'note' ? `${mark} # by hand ${serial}` : `${mark}${eol}new${serial} = ${serial}`;
      };
      const repo = new MemoryRepo({ [file]: text });
      repo.apply(repo.plan(wishes));
      const installed = repo.snapshot()[file] ?? '';
      expect(installed).toContain('8765/mcp');
      repo.files.set(file, edited(installed, marks, list, toml));
      repo.apply(repo.plan([], { command: 'uninstall', uncovered: () => 'remove' }));
      expect(repo.snapshot()).toEqual({ [file]: edited(text, marks, list, toml) });
      expect(repo.ledgers.root.records).toEqual([]);
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });
});
