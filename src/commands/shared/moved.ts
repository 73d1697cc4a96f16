import type { Context } from '../../cli/context.ts';
import { fingerprint } from '../../engine/fingerprint.ts';
import { sight } from '../../engine/observe.ts';
import type { Ledger } from '../../engine/types.ts';
import { formatOf, loadFormats } from '../../formats/index.ts';
import { decodeText } from '../../formats/text-style.ts';
import type { Json } from '../../lib/json.ts';
import { fromDisplay, isOutside } from '../../system/paths.ts';
import type { AbsPath } from '../../system/ports.ts';

/**
 * Whether a ledger's records stand in this root as they were written: every one that is here is one of its recorded
 * values, and at least one is here. What a stranger's checkout would have to forge is the whole content.
 */
export async function matchesHere(context: Context, root: AbsPath, ledger: Ledger): Promise<boolean> {
  await loadFormats(ledger.records.map(({ format }) => format));
  const { reader, host } = context.system;
  let seen = 0;
  for (const record of ledger.records) {
    if (isOutside(record.path)) continue;
    const bytes = reader.readFile(
      fromDisplay(record.path, { root, home: host.home, platform: host.platform }),
    );
    if (bytes === undefined) return false;
    const decoded = decodeText(bytes);
    if (!decoded.ok) return false;
    const found = sight(formatOf(record.format), decoded.value.text, record.place, record.generations);
    if (!found.ok || found.sighting.observed.state !== 'present') return false;
    const { print } = fingerprint(found.sighting.observed.value as Json);
    if (!record.generations.some((one) => one.print === print)) return false;
    seen += 1;
  }
  return seen > 0;
}
