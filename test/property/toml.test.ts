import { describe, expect, it } from 'vitest';
import type { Edit } from '../../src/formats/format.ts';
import { tomlFormat as toml } from '../../src/formats/toml.ts';
import { equalJson, getIn, isObject, type Json, type JsonObject, leavesOf } from '../../src/lib/json.ts';
import fc from '../helpers/fc.ts';
import { unwrap } from '../helpers/results.ts';
import { noisyToml } from '../helpers/toml-broken.ts';
import { seams, textOf, tomlDocument } from '../helpers/toml-documents.ts';

const RUNS = { numRuns: 1000 };
const server = { kind: 'key', path: ['mcp_servers', 'vera'] } as const;
const feature = { kind: 'key', path: ['features', 'hooks'] } as const;
const root = { kind: 'key', path: ['approval_policy'] } as const;
const item = { kind: 'item', path: ['notify', 'list'], value: 'vera' } as const;
const jobs = [
  { place: server, value: { url: 'http://127.0.0.1:8765/mcp', env: { A: '1' } } },
  { place: feature, value: true },
  { place: { kind: 'key', path: ['features', 'more'] }, value: [1, 2] },
  { place: root, value: 'never' },
  { place: { kind: 'key', path: ['sandbox_mode'] }, value: 'read-only' },
  { place: item, value: 'vera' },
  { place: { kind: 'key', path: ['mcp_servers', 'docs'] }, value: { command: 'C:\\docs.exe' } },
] as const;
const job = fc.constantFrom(...jobs);

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom("it's", 'C:\\Users\\x', 'a"b', '"""'),
);
const isPaired = (value: string) => !/\p{Surrogate}/u.test(value);
const scalar = fc.oneof(
  text.filter(isPaired),
  fc.integer(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const key = fc.oneof(fc.constantFrom('url', 'env', 'a b', '__proto__', 'x.y', ''), text.filter(isPaired));
const leaf = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
const entry = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { maxKeys: 3 })), { maxKeys: 4 });

const isOneInsertion = (before: string, after: string): boolean => {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  return after.length > before.length && after.endsWith(before.slice(start));
};

describe('TOML: insertion and removal', () => {
  it('law 1 and 2: an insertion is one span, and its removal gives the same text back', () => {
    fc.assert(
      fc.property(tomlDocument, job, (document, { place, value }) => {
        const before = textOf(document);
        const edit = unwrap(toml.insert(before, place, value, { eol: document.eol }));
        expect(isOneInsertion(before, edit.text)).toBe(true);
        expect(unwrap(toml.remove(edit.text, place, edit))).toEqual({
          text: before,
          trace: {},
          containers: [],
        });
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  it('law 3: the new text means the old value with the entry set', () => {
    fc.assert(
      fc.property(tomlDocument, entry, (document, value) => {
        const before = textOf(document);
        const edit = unwrap(toml.insert(before, server, value, {}));
        const read = unwrap(toml.read(edit.text, server));
        expect(read.state === 'present' && equalJson(read.value, value)).toBe(true);
        const rest = (whole: Json | undefined): JsonObject => {
          const copy = isObject(whole) ? { ...whole } : {};
          Reflect.deleteProperty(copy, 'mcp_servers');
          return copy;
        };
        expect(equalJson(rest(unwrap(toml.parse(edit.text))), rest(unwrap(toml.parse(before))))).toBe(true);
        expect(unwrap(toml.remove(edit.text, server, edit)).text).toBe(before);
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  it('law 7: line ends and the final line end are those of the file', () => {
    fc.assert(
      fc.property(tomlDocument, job, (document, { place, value }) => {
        const before = textOf(document);
        const { text: after } = unwrap(toml.insert(before, place, value, { eol: document.eol }));
        const other = document.eol === '\n' ? /\r\n/ : /(?:^|[^\r])\n/;
        expect(other.test(after)).toBe(other.test(before));
        if (before !== '') expect(after.endsWith('\n')).toBe(before.endsWith('\n'));
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  it('entries go in any order, with the containers handed on', () => {
    fc.assert(
      fc.property(
        tomlDocument,
        fc.shuffledSubarray([...jobs], { minLength: 2 }),
        fc.infiniteStream(fc.nat(100)),
        (document, chosen, numbers) => {
          const before = textOf(document);
          let state: Pick<Edit, 'text' | 'containers'> = { text: before, containers: [] };
          const records = chosen.map(({ place, value }) => {
            const edit = unwrap(toml.insert(state.text, place, value, { eol: document.eol }));
            state = { text: edit.text, containers: [...state.containers, ...edit.containers] };
            return { place, trace: edit.trace };
          });
          while (records.length > 0) {
            const [record] = records.splice(Number(numbers.next().value) % records.length, 1);
            if (record === undefined) break;
            state = unwrap(
              toml.remove(state.text, record.place, { ...record, containers: state.containers }),
            );
          }
          expect(state).toMatchObject({ text: before, containers: [] });
        },
      ),
      RUNS,
    );
    expect.hasAssertions();
  });
});

describe('TOML: documents of many parts', () => {
  const above = Array.from(
    { length: 150 },
    (_, at) => `above${at}.k = [1, "${'x'.repeat(20)}"] # ${at}\n`,
  ).join('');
  const below = Array.from({ length: 120 }, (_, at) => `[[below]]\nk = ${at}\n[below.sub]\nv = "z"\n`).join(
    '',
  );

  it('laws 1 to 3 hold in the midst of them', () => {
    fc.assert(
      fc.property(
        tomlDocument,
        job,
        fc.boolean(),
        fc.boolean(),
        (document, { place, value }, top, bottom) => {
          const own = textOf({ ...document, eol: '\n', hasFinalEol: true });
          const before = (top ? above : '') + own + (bottom ? below : '');
          const edit = unwrap(toml.insert(before, place, value, {}));
          expect(isOneInsertion(before, edit.text)).toBe(true);
          const read = unwrap(toml.read(edit.text, place));
          expect(read.state === 'present' && equalJson(read.value, value)).toBe(true);
          expect(unwrap(toml.remove(edit.text, place, edit))).toMatchObject({ text: before, containers: [] });
        },
      ),
      { numRuns: 100 },
    );
    expect.hasAssertions();
  });
});

describe('TOML: what the user does between insertion and removal', () => {
  const extra = fc.constantFrom(
    '# mine',
    '',
    'mine.key = 1',
    'mine_key = [\n  1, # x\n]',
    '[mine]\nx = 1',
    '[[mine_list]]',
  );

  it('lines, keys and tables put anywhere else stay, and nothing of ours does', () => {
    fc.assert(
      fc.property(
        tomlDocument,
        job,
        extra,
        fc.nat(),
        fc.boolean(),
        (document, { place, value }, lines, pick, isAfter) => {
          const before = textOf(document);
          const edit = unwrap(toml.insert(before, place, value, { eol: document.eol }));
          const added = edit.text.length - before.length;
          let at = 0;
          while (at < before.length && before[at] === edit.text[at]) at += 1;
          const offsets = seams(document);
          const offset = offsets[pick % offsets.length] ?? 0;
          const piece = `${lines}\n`.replaceAll('\n', document.eol);
          const isFree = lines === '' || lines.startsWith('#');
          fc.pre(offset < before.length || before.endsWith('\n'));
          fc.pre(isFree || offset < at || offset > at || isAfter);
          fc.pre(!lines.startsWith('mine') || (offset < before.length && offset !== at));
          fc.pre(!lines.startsWith('[') || !isInsideTable(before, offset));
          const below = offset > at || (offset === at && isAfter);
          const moved = offset + (below ? added : 0);
          const edited = edit.text.slice(0, moved) + piece + edit.text.slice(moved);
          const wanted = before.slice(0, offset) + piece + before.slice(offset);
          const seen = toml.read(edited, place);
          fc.pre(seen.ok && seen.value.state === 'present' && toml.parse(wanted).ok);
          expect(unwrap(toml.remove(edited, place, edit)).text).toBe(wanted);
        },
      ),
      RUNS,
    );
    expect.hasAssertions();
  });

  /** A table put between the keys of another one would take these keys over. */
  const isInsideTable = (whole: string, offset: number): boolean => {
    const next = whole
      .slice(offset)
      .split('\n')
      .find((line) => /^\s*[^\s#]/.test(line));
    return next !== undefined && !next.trim().startsWith('[');
  };

  it('comments put between the lines of the entry stay, the blank lines of ours do not', () => {
    fc.assert(
      fc.property(tomlDocument, fc.nat(), (document, pick) => {
        const before = textOf(document);
        const edit = unwrap(toml.insert(before, server, { url: 'u', args: [1], env: { A: '1' } }, {}));
        const header = edit.text.indexOf('[mcp_servers.vera]');
        fc.pre(header >= 0);
        const lines = edit.text.slice(header).split('\n');
        const index = 1 + (pick % Math.max(1, lines.length - 2));
        const eol = edit.text.includes('\r\n') ? '\r\n' : '\n';
        const mine = `# mine${eol === '\r\n' ? '\r' : ''}`;
        const edited = edit.text.slice(0, header) + lines.toSpliced(index, 0, mine).join('\n');
        const wanted =
          before === ''
            ? `# mine${eol}`
            : before.endsWith('\n')
              ? `${before}# mine${eol}`
              : `${before}${eol}# mine`;
        expect(unwrap(toml.remove(edited, server, edit)).text).toBe(wanted);
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  it('a table that a client appends after ours stays as it is', () => {
    fc.assert(
      fc.property(tomlDocument, job, (document, { place, value }) => {
        const before = textOf(document);
        const edit = unwrap(toml.insert(before, place, value, { eol: document.eol }));
        const table = '\n[projects."/home/x y"]\ntrust_level = "trusted"\n'.replaceAll('\n', document.eol);
        const lead = before === '' || before.endsWith('\n') ? '' : document.eol;
        expect(unwrap(toml.remove(edit.text + lead + table, place, edit)).text).toBe(before + lead + table);
      }),
      RUNS,
    );
    expect.hasAssertions();
  });
});

describe('TOML: updates', () => {
  it('the entry gets the new value leaf by leaf, and its removal still restores the text', () => {
    fc.assert(
      fc.property(tomlDocument, entry, entry, (document, first, second) => {
        const before = textOf(document);
        const edit = unwrap(toml.insert(before, server, first, { eol: document.eol }));
        fc.pre(!/\n/.test(inlineOf(edit.text)));
        const [old, wish] = [leavesOf(first), leavesOf(second)];
        const set = new Map(
          [...wish].filter(([pointer, value]) => !equalJson(old.get(pointer) ?? null, value)),
        );
        const unset = [...old.keys()].filter((pointer) => !wish.has(pointer));
        const next = unwrap(toml.update(edit.text, server, { set, unset }, edit));
        expect(equalJson(getIn(unwrap(toml.parse(next.text)), server.path) ?? null, second)).toBe(true);
        expect(unwrap(toml.remove(next.text, server, next))).toMatchObject({ text: before, containers: [] });
      }),
      RUNS,
    );
    expect.hasAssertions();
  });

  const inlineOf = (whole: string): string => /^mcp_servers = \{[^}]*\}/m.exec(whole)?.[0] ?? '';
});

describe('TOML: what commas separate', () => {
  const gap = fc.constantFrom('', ' ', '\t', '\n', '\r\n', '\n  ', ' \n');
  const comma = fc.tuple(gap, gap).map(([before, after]) => `${before},${after}`);
  /** Between brackets: two or less of the given, in any spacing, with or without a comma at the end. */
  const between = (items: readonly string[]) =>
    fc
      .record({
        count: fc.nat(items.length),
        commas: fc.array(comma, { minLength: 4, maxLength: 4 }),
        open: gap,
        close: gap,
        trailing: fc.boolean(),
      })
      .map(({ count, commas, open, close, trailing }) => {
        const inside = items.slice(0, count).map((item, at) => `${at === 0 ? '' : commas[at]}${item}`);
        return `${open}${inside.join('')}${trailing && count > 0 ? commas[0] : ''}${close}`;
      });
  const cases = fc.oneof(
    between(['a = { url = "x" }', 'b = {}']).map((inside) => ({
      text: `mcp_servers = {${inside}}\n`,
      jobs: [jobs[0], jobs[6]] as const,
    })),
    between(['"a"', '"b"']).map((inside) => ({
      text: `[notify]\nlist = [${inside}]\n`,
      jobs: [jobs[5], { place: { ...item, value: 'docs' }, value: 'docs' }] as const,
    })),
  );

  it.each([
    ['a line that begins with a comma', '{\n    a = 1\n  , b = 2\n}', '\n}', '\n  , c = 3\n}'],
    ['a comma behind a blank', '{ a = 1 }', ' }', ' , b = 2 }'],
    ['a comma', '{ a = 1 }', ' }', ', b = 2 }'],
    ['lines in a table that was empty', '{}', ' }', ',\n  c = 3\n}'],
    ['a member in a table that was empty', '{}', ' }', ', b = 2 }'],
    ['a comma at the end', '{ a = 1 }', ' }', ', }'],
  ])('leaves what the user put behind ours as it was written: %s', (_, table, end, continued) => {
    const edit = unwrap(toml.insert(`m = ${table}\n`, { kind: 'key', path: ['m', 'vera'] }, 'x', {}));
    const edited = edit.text.replace(`${end}\n`, `${continued}\n`);
    const left = unwrap(toml.remove(edited, { kind: 'key', path: ['m', 'vera'] }, edit)).text;
    const expected: Record<string, string> = {
      '{}': continued === ', b = 2 }' ? '{ b = 2 }' : '{\n  c = 3\n}',
    };
    expect(left).toBe(`m = ${expected[table] ?? table.slice(0, -end.length) + continued}\n`);
  });

  it.each([
    ['{\n  a = 1,\n}', '\n  a = 1,', '{\n}'],
    ['{\r\n  a = 1,\r\n}', '\r\n  a = 1,', '{\r\n}'],
    ['{\n  a = 1\n}', '\n  a = 1,', '{\n}'],
    ['{ a = 1, b = 2 }', ' a = 1,', '{ b = 2 }'],
  ])('leaves no line of ours where the user took out what it was put behind: %j', (table, gone, left) => {
    const place = { kind: 'key', path: ['m', 'vera'] } as const;
    const edit = unwrap(toml.insert(`m = ${table}\n`, place, 'x', {}));
    expect(unwrap(toml.remove(edit.text.replace(gone, ''), place, edit)).text).toBe(`m = ${left}\n`);
  });

  it('takes out the dotted keys of an entry together with what separates them', () => {
    const place = { kind: 'key', path: ['m', 'vera'] } as const;
    const without = (text: string) => unwrap(toml.remove(text, place, { containers: [], trace: {} })).text;
    expect(without('m = { a = 1, vera.x = 1, vera.y = 2 }\n')).toBe('m = { a = 1 }\n');
    expect(without('m = { a = 1, vera.x = 1, vera.y = 2, b = 3 }\n')).toBe('m = { a = 1, b = 3 }\n');
    expect(without('m = { vera.x = 1, b = 3, vera.y = 2 }\n')).toBe('m = { b = 3 }\n');
    expect(without('m = {\n  a = 1,\n  vera.x = 1,\n  vera.y = 2,\n}\n')).toBe('m = {\n  a = 1,\n}\n');
  });

  it('gets its bytes back, one or two of ours in both orders', () => {
    fc.assert(
      fc.property(cases, fc.boolean(), ({ text: before, jobs: [one, other] }, reversed) => {
        const first = toml.insert(before, one.place, one.value, {});
        if (!first.ok) return;
        expect(unwrap(toml.remove(first.value.text, one.place, first.value)).text).toBe(before);
        const second = unwrap(toml.insert(first.value.text, other.place, other.value, {}));
        if (reversed) {
          const left = unwrap(toml.remove(second.text, other.place, second)).text;
          expect(left).toBe(first.value.text);
        } else {
          const left = unwrap(toml.remove(second.text, one.place, first.value));
          const after = { ...second, containers: [...left.containers, ...second.containers] };
          expect(unwrap(toml.remove(left.text, other.place, after)).text).toBe(before);
        }
      }),
      RUNS,
    );
    expect.hasAssertions();
  });
});

describe('TOML: any text', () => {
  it('is answered with a result, and edited only where both edits can be proved', () => {
    fc.assert(
      fc.property(noisyToml, job, (before, { place, value }) => {
        const parsed = toml.parse(before);
        const edit = toml.insert(before, place, value, {});
        if (!parsed.ok) expect(edit.ok).toBe(false);
        if (!parsed.ok) expect(parsed.fault.code).toMatch(/^config\//);
        if (edit.ok) expect(unwrap(toml.remove(edit.value.text, place, edit.value)).text).toBe(before);
        else expect(edit.fault.message).not.toBe('');
        const removed = toml.remove(before, place, { containers: [], trace: { blank: 1, open: false } });
        if (removed.ok) expect(unwrap(toml.read(removed.value.text, place))).toEqual({ state: 'absent' });
      }),
      { numRuns: 2000 },
    );
    expect.hasAssertions();
  });
});
