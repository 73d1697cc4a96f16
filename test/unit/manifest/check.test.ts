import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json.ts';
import { manifestProblem } from '../../../src/manifest/check.ts';
import { enrolmentsOf, parseManifest, renderManifest } from '../../../src/manifest/manifest.ts';
import { ManifestSchema } from '../../../src/manifest/schema.ts';
import fc from '../../helpers/fc.ts';

const good = {
  schemaVersion: 1,
  minimumVersion: '0.1.0',
  integrations: {
    vera: {
      version: '1.4.0',
      runtimes: ['codex'],
      inputs: { VERA_API_URL: 'http://127.0.0.1:1' },
      overrides: { x: ['y'] },
    },
    'vera-staging': { integration: 'vera', version: '1.4.0', runtimes: ['codex'] },
  },
  servers: {
    docs: { runtimes: ['cursor'], http: { url: 'https://d.example/mcp', headers: { 'X-A': '${A}' } } },
    index: { runtimes: [], without: ['mcp'], stdio: { command: 'node', args: ['x'], env: { A: 'b' } } },
  },
  suppressions: [{ code: 'config/shape', reason: 'known', expires: '2027-01-31' }],
};

/** A copy with one place of the document changed. */
const damaged = fc
  .tuple(
    fc.constantFrom(
      ['schemaVersion'],
      ['minimumVersion'],
      ['integrations', 'vera', 'version'],
      ['integrations', 'vera', 'runtimes'],
      ['integrations', 'vera', 'inputs'],
      ['integrations', 'a b'],
      ['integrations', 'vera', 'unknown'],
      ['integrations', 'vera-staging', 'integration'],
      ['integrations', 'vera', 'without'],
      ['servers', 'docs', 'http'],
      ['servers', 'docs', 'stdio'],
      ['servers', 'index', 'stdio', 'args'],
      ['servers', 'a b'],
      ['suppressions', '0', 'expires'],
      ['suppressions', '0', 'reason'],
      ['more'],
    ),
    fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(
        '1.2.3',
        '2027-02-29',
        '2028-02-29',
        [],
        {},
        ['mcp'],
        { integration: 'vera', version: '1.4.0', runtimes: [] },
        { TOKEN: 'x' },
        { A_B: 'x' },
        '',
      ),
    ),
  )
  .map(([path, value]) => {
    const copy = structuredClone(good) as unknown as Record<string, unknown>;
    let at = copy;
    for (const part of path.slice(0, -1)) at = at[part] as Record<string, unknown>;
    at[path.at(-1) as string] = value;
    return copy as unknown as Json;
  });

describe('the check written by hand', () => {
  test('takes and refuses what the schema takes and refuses', () => {
    expect(manifestProblem(good as Json)).toBeUndefined();
    fc.assert(
      fc.property(fc.oneof(damaged, fc.jsonValue() as fc.Arbitrary<Json>), (value) => {
        expect(manifestProblem(value) === undefined).toBe(ManifestSchema.safeParse(value).success);
      }),
      { numRuns: 3000 },
    );
  });

  test('reads a manifest as the schema does, defaults included', async () => {
    expect(await parseManifest(JSON.stringify(good))).toEqual(ManifestSchema.parse(good));
  });

  test('names line, column and field', async () => {
    const text =
      '{\n  "schemaVersion": 1,\n  "integrations": { "vera": { "version": 7, "runtimes": [] } }\n}\n';
    await expect(parseManifest(text)).rejects.toMatchObject({
      code: 'manifest/invalid',
      exit: 4,
      message: expect.stringMatching(
        /^\.tenon\/manifest\.json:3:\d+ integrations\.vera\.version: must be a version/,
      ),
    });
    await expect(parseManifest('{"schemaVersion":2}')).rejects.toMatchObject({
      code: 'manifest/unsupported-version',
    });
  });

  test('takes no secret as an input', async () => {
    const entry = { version: '1.0.0', runtimes: [], inputs: { AWS_SECRET_ACCESS_KEY: 'x' } };
    const text = JSON.stringify({ schemaVersion: 1, integrations: { a: entry } });
    await expect(parseManifest(text)).rejects.toMatchObject({
      message: expect.stringContaining('a secret is no input'),
    });
  });
});

describe('the inputs of the bundled integrations', () => {
  test.each(readdirSync('templates'))(
    'of %s can stand in a manifest, those that name a variable too',
    async (id) => {
      const { inputs = [] } = JSON.parse(readFileSync(`templates/${id}/integration.json`, 'utf8')) as {
        inputs?: { name: string }[];
      };
      const entry = {
        version: '1.0.0',
        runtimes: [],
        inputs: Object.fromEntries(inputs.map(({ name }) => [name, 'X'])),
      };
      const text = JSON.stringify({ schemaVersion: 1, integrations: { [id]: entry } });
      await expect(parseManifest(text)).resolves.toBeDefined();
      expect(ManifestSchema.safeParse(JSON.parse(text)).success).toBe(true);
    },
  );
});

describe('the rendered manifest', () => {
  test('keeps the reference to its schema, first', async () => {
    const text = JSON.stringify({ $schema: 'https://example.com/manifest.json', ...good });
    const manifest = await parseManifest(text);
    const rendered = renderManifest(manifest, enrolmentsOf(manifest));
    expect(rendered?.split('\n')[1]).toBe('  "$schema": "https://example.com/manifest.json",');
  });
});
