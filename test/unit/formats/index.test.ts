import { expect, it } from 'vitest';
import type { FormatId } from '../../../src/formats/format.ts';
import { formatOf, loadFormats } from '../../../src/formats/index.ts';

it('has the light formats at once, and the parsed ones only after they were loaded', async () => {
  for (const id of ['markdown', 'lines', 'whole'] as const) expect(formatOf(id).id).toBe(id);
  for (const id of ['json', 'toml'] as const) expect(() => formatOf(id)).toThrow(id);
  const all: FormatId[] = ['toml', 'json', 'toml', 'lines'];
  await loadFormats(all);
  for (const id of all) expect(formatOf(id).id).toBe(id);
});
