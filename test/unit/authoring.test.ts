import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samplesFor } from '../../src/authoring/samples.ts';
import { formatOf, loadFormats } from '../../src/formats/index.ts';
import { loadSpecs } from '../../src/runtimes/load.ts';
import { realReader } from '../../src/system/real-files.ts';

const specs = await loadSpecs(realReader, join(import.meta.dirname, '..', '..'));
await loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']);

describe('sample repositories', () => {
  it.each([...specs.values()].map((spec) => [spec.id, spec] as const))('are readable for %s', (_, spec) => {
    const samples = samplesFor(spec);
    expect(Object.keys(samples)).toEqual(['empty', 'in use', 'in use, CRLF']);
    for (const file of Object.values(spec.files)) {
      const text = samples['in use']?.[file.create];
      if (text === undefined || file.format === 'markdown') continue;
      expect(formatOf(file.format).parse(text).ok, `${file.create}: ${text}`).toBe(true);
    }
  });
});
