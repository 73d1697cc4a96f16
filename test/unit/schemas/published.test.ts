import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { publishedSchemas } from '../../../src/schemas/published.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'));

function problems(schema: string, value: unknown): string[] {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(read('schema', schema) as object);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const folders = readdirSync(join(ROOT, 'templates'));
const specs = readdirSync(join(ROOT, 'specs'));

describe('schema/', () => {
  it('is what npm run generate would write', () => {
    const wanted = publishedSchemas();
    expect(readdirSync(join(ROOT, 'schema')).sort()).toEqual(Object.keys(wanted).sort());
    for (const [file, schema] of Object.entries(wanted)) {
      // Member by member in this order; how it is laid out is checked by scripts/generate-schemas.mjs --check.
      expect(JSON.stringify(read('schema', file)), file).toBe(JSON.stringify(schema));
    }
  });

  it.each(specs)('fits specs/%s, which names it', (file) => {
    const spec = read('specs', file) as { $schema: string };
    expect(spec.$schema).toBe('../schema/runtime-spec.json');
    expect(problems('runtime-spec.json', spec)).toEqual([]);
  });

  it.each(folders)('fits templates/%s', (folder) => {
    expect(problems('integration.json', read('templates', folder, 'integration.json'))).toEqual([]);
  });

  it('refuses what the program refuses', () => {
    const manifest = { schemaVersion: 1, integrations: {} };
    expect(problems('manifest.json', manifest)).toEqual([]);
    expect(problems('manifest.json', { ...manifest, more: 1 })).not.toEqual([]);
    expect(problems('manifest.json', { ...manifest, suppressions: [{ code: 'x' }] })).not.toEqual([]);
    expect(problems('integration.json', { schemaVersion: 2 })).not.toEqual([]);
  });
});
