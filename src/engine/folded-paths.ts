import { printable } from '../lib/printable.ts';
import { foldPath } from '../system/paths.ts';
import type { Slot } from './judgement.ts';
import type { Conflict, Owner } from './types.ts';

interface Named {
  readonly path: string;
  readonly slots: readonly Slot[];
}

const integrationsOf = (slots: readonly Slot[]): Set<string> =>
  new Set(
    slots
      .flatMap(({ wish, record }): readonly Owner[] => wish?.owners ?? record?.owners ?? [])
      .map(({ integration }) => integration),
  );

/**
 * What would be written anew beside a file of another integration that is the same file where case is ignored or letters
 * are composed (NTFS, APFS): committed, one of the two would be lost in a clone there. Files of one definition are
 * compared when it is read, and what stands already is left to go its way.
 */
export function foldedConflicts(files: readonly Named[]): Conflict[] {
  const byFolded = new Map<string, Named[]>();
  for (const file of files) {
    const key = foldPath(file.path);
    const known = byFolded.get(key);
    if (known === undefined) byFolded.set(key, [file]);
    else known.push(file);
  }
  return [...byFolded.values()].flatMap((group) => (group.length === 1 ? [] : conflictsIn(group)));
}

function conflictsIn(group: readonly Named[]): Conflict[] {
  return group.flatMap((file) => {
    const own = integrationsOf(file.slots);
    const other = group.find(
      (one) => one !== file && [...integrationsOf(one.slots)].some((integration) => !own.has(integration)),
    );
    if (other === undefined) return [];
    const whose = [...integrationsOf(other.slots)].filter((one) => !own.has(one)).map(printable);
    return file.slots.flatMap(({ wish, record }): Conflict[] =>
      wish === undefined || record !== undefined
        ? []
        : [
            {
              address: wish.address,
              code: 'ownership/overlap',
              message: `${printable(file.path)} and ${printable(other.path)} of ${whose.join(', ')} are one file where case is ignored or letters are composed`,
              choices: [],
              remedy: 'Leave one of them out with --without or --runtime',
              runtimes: wish.runtimes,
            },
          ],
    );
  });
}
