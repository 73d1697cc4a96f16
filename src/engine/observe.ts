import type { Fault, Format, Place } from '../formats/format.ts';
import type { Json } from '../lib/json.ts';
import { type Extended, extensionOf } from './extended.ts';
import type { Generation, Observed } from './types.ts';

/** What stands at a place, and the place under which it was found (an item may carry an older value of ours). */
export interface Sighting {
  readonly observed: Observed;
  readonly place: Place;
  /** Ours, with things of the user added to its list. */
  readonly extended?: Extended;
}

/**
 * Looks for a thing in a text: for an item first the wanted value, then every value that was recorded (newest first),
 * then its tag. A fault of the document is returned as it is; the caller turns it into a conflict of the file.
 */
export function sight(
  format: Format,
  text: string,
  place: Place,
  generations: readonly Generation[],
): { ok: true; sighting: Sighting } | { ok: false; fault: Fault } {
  const candidates: Place[] = [place];
  if (place.kind === 'item') {
    for (const { value } of [...generations].reverse()) {
      if (value !== undefined) candidates.push(itemWith(place, value));
    }
  }
  let tagged: Sighting | undefined;
  for (const candidate of candidates) {
    const reading = format.read(text, candidate);
    if (!reading.ok) return { ok: false, fault: reading.fault };
    if (reading.value.state === 'absent') continue;
    const { value, at, byTag } = reading.value;
    if (byTag === true) {
      tagged ??= { observed: { state: 'present', value, at, byTag }, place: itemOf(candidate, value) };
      continue;
    }
    return { ok: true, sighting: { observed: { state: 'present', value, at }, place: candidate } };
  }
  if (tagged === undefined) return { ok: true, sighting: { observed: { state: 'absent' }, place } };
  const recorded = candidates.flatMap((one) => (one.kind === 'item' ? [one.value] : []));
  const extended = extensionOf(format, recorded, tagged.observed.value);
  return { ok: true, sighting: extended === undefined ? tagged : { ...tagged, extended } };
}

const itemWith = (place: Place & { kind: 'item' }, value: Json): Place => ({ ...place, value });
const itemOf = (place: Place, value: Json): Place => (place.kind === 'item' ? { ...place, value } : place);
