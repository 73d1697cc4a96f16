import type { Finding } from '../errors/error.ts';
import type { LeafChange } from './decide.ts';

const leafName = (pointer: string): string =>
  pointer === '' ? 'its value' : pointer.slice(1).replaceAll('/', '.');
/** Leaves as a person reads them: `url, headers.X-A`. */
export const leafNames = (pointers: readonly string[]): string => pointers.map(leafName).join(', ');

/** What a change does, for the plan: `sets url, takes out headers.X`. */
export function changes(change: LeafChange): string {
  const parts = [];
  if (change.set.size > 0) parts.push(`sets ${leafNames([...change.set.keys()])}`);
  if (change.unset.length > 0) parts.push(`takes out ${leafNames(change.unset)}`);
  return parts.join(', ');
}

/** The finding of an entry that was edited after tenon wrote it. */
export function drifted(
  address: string,
  theirs: readonly string[],
  outcome: string,
  command: string,
): Finding {
  const verb = command === 'uninstall' ? 'uninstall' : 'sync';
  return {
    code: 'ownership/drifted',
    severity: 'error',
    subject: address,
    message: `was edited after tenon wrote it (${leafNames(theirs)}); ${outcome}`,
    remedy:
      verb === 'uninstall'
        ? { text: 'Remove it by hand, or force it', command: `tenon uninstall --force '${address}'` }
        : { text: 'Restore what tenon wrote', command: `tenon sync --force '${address}'` },
    data: { leaves: [...theirs] },
  };
}
