import type { Place } from '../formats/format.ts';
import { toPointer } from '../lib/json.ts';
import { fingerprint, sha256 } from './fingerprint.ts';
import type { DisplayPath, Fingerprint, Owner, Scope } from './types.ts';

const short = (print: Fingerprint): string => print.slice('sha256:'.length, 'sha256:'.length + 12);

/**
 * The address as users see and type it (contract, section 3): `FILE`, `FILE#/pointer`, `FILE#/pointer/@<12 hex>`,
 * `FILE#block:<id>`, `FILE#line:@<12 hex>`.
 */
export function formatAddress(path: DisplayPath, place: Place): string {
  switch (place.kind) {
    case 'file':
      return path;
    case 'key':
      return `${path}#${toPointer(place.path)}`;
    case 'item':
      return `${path}#${toPointer(place.path)}/@${short(fingerprint(place.value).print)}`;
    case 'block':
      return `${path}#block:${place.id}`;
    case 'line':
      return `${path}#line:@${short(sha256(place.line))}`;
  }
}

/**
 * What makes two wishes or records the same thing. An item with a tag is known by its container and artifact, so that
 * a new value is an update of the old one; a plain item (a permission rule) is its value.
 */
export function identityOf(path: DisplayPath, place: Place, owner: Owner | undefined): string {
  if (place.kind !== 'item' || place.tag === undefined || owner === undefined)
    return formatAddress(path, place);
  return `${path}#${toPointer(place.path)}/@${owner.integration}/${owner.artifact}`;
}

/** What is set up here, as `Known.listed` holds it: one integration in one scope. */
export const enrolmentKey = (integration: string, scope: Scope): string =>
  scope === 'project' ? integration : `${scope} ${integration}`;
