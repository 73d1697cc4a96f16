import { expect, it } from 'vitest';
import type { FormatId } from '../../../src/formats/format.ts';
import { formatOf, loadFormats } from '../../../src/formats/index.ts';

it('has all formats at once but TOML, whose parsers are loaded when they are wanted', async () => {
  for (const id of ['json', 'markdown', 'lines', 'whole'] as const) expect(formatOf(id).id).toBe(id);
  expect(() => formatOf('toml')).toThrow('toml');
  const all: FormatId[] = ['toml', 'json', 'toml', 'lines'];
  await loadFormats(all);
  for (const id of all) expect(formatOf(id).id).toBe(id);
});
