import type { Format, FormatId } from './format.ts';
import { jsonFormat } from './json.ts';
import { linesFormat } from './lines.ts';
import { markdownFormat } from './markdown.ts';
import { wholeFileFormat } from './whole-file.ts';

const loaded = new Map<FormatId, Format>([
  ['json', jsonFormat],
  ['markdown', markdownFormat],
  ['lines', linesFormat],
  ['whole', wholeFileFormat],
]);

/** The parsers of TOML double the start-up time of a command, so only one that meets a TOML file pays. */
const lazy: Partial<Record<FormatId, () => Promise<Format>>> = {
  toml: async () => (await import('./toml.ts')).tomlFormat,
};

/** Makes {@link formatOf} usable for these formats. Idempotent; call it once the files of a command are known. */
export async function loadFormats(ids: Iterable<FormatId>): Promise<void> {
  for (const id of new Set(ids)) {
    const load = lazy[id];
    if (load !== undefined && !loaded.has(id)) loaded.set(id, await load());
  }
}

/** The editor of a format. Throws a plain error (a bug) when {@link loadFormats} was not called for it. */
export function formatOf(id: FormatId): Format {
  const format = loaded.get(id);
  if (format === undefined) throw new Error(`format ${id} is used before it was loaded`);
  return format;
}
