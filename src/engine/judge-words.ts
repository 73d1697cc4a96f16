import type { Finding } from '../errors/error.ts';
import type { LeafChange } from './decide.ts';
import type { LedgerRecord } from './types.ts';

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

/** The finding of an entry that was edited after tenon wrote it, and that is still asked for. */
export function drifted(address: string, theirs: readonly string[], outcome: string): Finding {
  return {
    code: 'ownership/drifted',
    severity: 'error',
    subject: address,
    message: `was edited after tenon wrote it${edits(theirs)}; ${outcome}`,
    remedy: { text: 'Restore what tenon wrote', command: `tenon sync --force '${address}'` },
    data: { leaves: [...theirs] },
  };
}

/** The finding of an edited entry that shall go: what was edited is kept. */
export function keptEdited(
  address: string,
  theirs: readonly string[],
  record: Pick<LedgerRecord, 'owners'> | undefined,
): Finding {
  return {
    ...drifted(address, theirs, 'kept'),
    remedy: {
      text: 'Remove it by hand, or force it',
      command: `tenon uninstall ${namesOf(record?.owners ?? [])}--force '${address}'`,
    },
  };
}

/** What differs in a stale entry that was edited: pruning leaves it, so its ways out are others. */
export const editedAndStale = (
  address: string,
  { owners }: Pick<LedgerRecord, 'owners'>,
): Pick<Finding, 'message' | 'remedy'> => ({
  message: `was edited after tenon wrote it, and no definition asks for this entry of ${owners.map(({ integration }) => integration).join(', ')} any more`,
  remedy: {
    text: `Make it yours with tenon forget '${address}', or take it out with your edits`,
    command: `tenon uninstall ${namesOf(owners)}--force '${address}'`,
  },
});

/** Names for the command line, so that nothing else is taken out with them. */
const namesOf = (owners: LedgerRecord['owners']): string =>
  [...new Set(owners.map(({ integration }) => `${integration.replace(/^add:/, '')} `))].join('');

/** A whole file or a plain value has no leaf to name. */
const edits = (theirs: readonly string[]): string =>
  theirs.every((pointer) => pointer === '') ? '' : ` (${leafNames(theirs)})`;
