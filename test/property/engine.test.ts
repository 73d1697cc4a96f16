import { beforeAll, describe, expect, test } from 'vitest';
import { fingerprint } from '../../src/engine/fingerprint.ts';
import { planDigest } from '../../src/engine/plan.ts';
import type { Desired } from '../../src/engine/types.ts';
import { loadFormats } from '../../src/formats/index.ts';
import { jsonFormat } from '../../src/formats/json.ts';
import type { Json } from '../../src/lib/json.ts';
import { ledgerBytes } from '../../src/state/ledger-store.ts';
import fc from '../helpers/fc.ts';
import { anyValue, entryValue, jsoncText } from '../helpers/jsonc-documents.ts';
import { ledgerOf } from '../helpers/ledger.ts';
import { MemoryRepo, want } from '../helpers/memory-repo.ts';
import { textOf, tomlDocument } from '../helpers/toml-documents.ts';

// Laws of the engine over random documents; the number is that of the list in the architecture.

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const RUNS = { numRuns: 1000 };
const [JSON_FILE, TOML_FILE, NEW_FILE] = ['.mcp.json', '.codex/config.toml', '.cursor/mcp.json'];

const url = fc.nat(65_535).map((port) => `http://127.0.0.1:${port}/mcp`);

/** Wishes of one integration: a server in JSON and in TOML, and one in a file that is not there. */
function wishesOf(name: string, address: string): Desired[] {
  const owner = { integration: name, artifact: 'server', version: '1.0.0' };
  const rules = { reads: 'jsonc', bom: 'ok' } as const;
  return [
    want(JSON_FILE, ['servers', name], { type: 'http', url: address }, { owner, rules }),
    want(TOML_FILE, ['mcp_servers', name], { url: address, enabled: true }, { owner }),
    want(NEW_FILE, ['mcpServers', name], { url: address }, { owner }),
  ];
}

const files = fc.record({ json: jsoncText, toml: tomlDocument.map(textOf) });
const filesOf = ({ json, toml }: { json: string; toml: string }): Record<string, string> => ({
  [JSON_FILE]: json,
  [TOML_FILE]: toml,
});
const remove = (repo: MemoryRepo, name: string): void =>
  repo.apply(
    repo.plan([], {
      command: 'uninstall',
      uncovered: (record) => (record.owners[0]?.integration === name ? 'remove' : 'leave'),
    }),
  );

describe('a plan', () => {
  test('is empty after it was applied, and taking it back leaves nothing (4)', () => {
    const property = fc.property(files, url, (start, address) => {
      const repo = new MemoryRepo(filesOf(start));
      const before = [repo.snapshot(), repo.ledgers];
      const wishes = wishesOf('vera', address);
      repo.apply(repo.plan(wishes));
      const { plan } = repo.plan(wishes);
      expect(plan).toMatchObject({ isEmpty: true, files: [], conflicts: [], findings: [] });
      remove(repo, 'vera');
      expect([repo.snapshot(), repo.ledgers]).toEqual(before);
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });

  test('of two integrations means the same in either order, and either may go first (5)', () => {
    const property = fc.property(files, url, url, fc.boolean(), (start, one, two, isOneFirst) => {
      const [a, b] = [wishesOf('alpha', one), wishesOf('beta', two)];
      const ways = [
        [a, b],
        [b, a],
      ].map(([first = [], second = []]) => {
        const repo = new MemoryRepo(filesOf(start));
        repo.apply(repo.plan(first));
        repo.apply(repo.plan([...first, ...second]));
        return repo;
      });
      const meaning = (repo: MemoryRepo) => [
        meaningOf(repo.snapshot()[JSON_FILE] ?? ''),
        repo.ledgers.root.records.map(({ path, place, generations }) => ({ path, place, generations })),
      ];
      expect(meaning(ways[0] as MemoryRepo)).toEqual(meaning(ways[1] as MemoryRepo));
      for (const repo of ways) {
        for (const name of isOneFirst ? ['alpha', 'beta'] : ['beta', 'alpha']) remove(repo, name);
        expect(repo.snapshot()).toEqual(filesOf(start));
      }
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });

  test('has another digest when a base, a result or an operation differs (12)', () => {
    const property = fc.property(files, url, url, (start, one, two) => {
      const plan = (address: string, change = '') => {
        const text = filesOf(start);
        return new MemoryRepo({ ...text, [JSON_FILE]: `${text[JSON_FILE]}${change}` }).plan(
          wishesOf('vera', address),
        ).plan;
      };
      const first = plan(one);
      expect(plan(one).digest).toBe(first.digest);
      expect(plan(two).digest === first.digest).toBe(one === two);
      expect(plan(one, '\n').digest).not.toBe(first.digest);
      const [op] = first.ops;
      if (op === undefined) return;
      const changed = [{ ...op, classes: ['executes' as const] }, ...first.ops.slice(1)];
      expect(planDigest(first.files, changed)).not.toBe(first.digest);
      expect(planDigest(first.files.slice(1), first.ops)).not.toBe(first.digest);
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });
});

const meaningOf = (text: string): Json | undefined => {
  const parsed = jsonFormat.parse(text);
  return parsed.ok ? parsed.value : undefined;
};

describe('a fingerprint (8)', () => {
  test('is that of the value, however the text was laid out', () => {
    const layout = fc.record({ indent: fc.constantFrom(0, 1, 2, 4), isReversed: fc.boolean() });
    const property = fc.property(entryValue, layout, (value, { indent, isReversed }) => {
      const text = JSON.stringify(isReversed ? reversed(value) : value, undefined, indent);
      expect(fingerprint(JSON.parse(text) as Json)).toEqual(fingerprint(value));
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });

  test('is another one for another value', () => {
    const property = fc.property(anyValue, anyValue, (one, two) => {
      const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(two));
      expect(fingerprint({ v: one }).print === fingerprint({ v: two }).print).toBe(same);
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });

  test('tells the leaf that differs', () => {
    const property = fc.property(url, url, fc.boolean(), (one, two, enabled) => {
      const [a, b] = [fingerprint({ url: one, enabled }), fingerprint({ url: two, enabled })];
      const differing = Object.keys(a.leaves).filter((leaf) => a.leaves[leaf] !== b.leaves[leaf]);
      expect(differing).toEqual(one === two ? [] : ['/url']);
    });
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { members: members.map(([key, member]) => [key, sorted(member)]) };
}

describe('a ledger (10)', () => {
  test('has the same bytes in whatever order it was built', () => {
    const ledger = ledgerOf('/repo');
    const bytes = Buffer.from(ledgerBytes(ledger)).toString();
    const property = fc.property(
      fc.shuffledSubarray([...ledger.records], { minLength: ledger.records.length }),
      fc.shuffledSubarray([...ledger.files], { minLength: ledger.files.length }),
      fc.boolean(),
      (records, list, isReversed) => {
        const shuffled = { ...ledger, records, files: list };
        const built = isReversed ? Object.fromEntries(Object.entries(shuffled).reverse()) : shuffled;
        expect(Buffer.from(ledgerBytes(built as typeof ledger)).toString()).toBe(bytes);
      },
    );
    expect(() => fc.assert(property, RUNS)).not.toThrow();
  });
});
