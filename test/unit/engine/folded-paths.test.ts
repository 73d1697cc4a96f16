import { describe, expect, it } from 'vitest';
import { foldedConflicts } from '../../../src/engine/folded-paths.ts';
import type { Slot } from '../../../src/engine/judgement.ts';

/** What a comparison of names looks at: who wants a file, and who wrote it on this host. */
const slot = (wanted: string | undefined, recorded?: string): Slot =>
  ({
    wish:
      wanted === undefined
        ? undefined
        : {
            address: `address of ${wanted}`,
            owners: [{ integration: wanted, artifact: 'f' }],
            runtimes: ['x'],
          },
    record: recorded === undefined ? undefined : { owners: [{ integration: recorded, artifact: 'f' }] },
  }) as unknown as Slot;
const files = (...named: [path: string, ...slots: Slot[]][]) =>
  named.map(([path, ...slots]) => ({ path, slots }));
const addresses = (...named: Parameters<typeof files>): string[] =>
  foldedConflicts(files(...named)).map(({ address }) => address);

describe('files that are one where case is ignored or letters are composed', () => {
  it('are a conflict of two integrations that both want to write them', () => {
    expect(addresses(['a/B.md', slot('one')], ['a/b.md', slot('two')])).toEqual([
      'address of one',
      'address of two',
    ]);
    expect(addresses(['caf\u00e9', slot('one')], ['cafe\u0301', slot('two')])).toHaveLength(2);
    const [first] = foldedConflicts(files(['A', slot('one')], ['a', slot('two')]));
    expect(first).toMatchObject({ code: 'ownership/overlap', runtimes: ['x'], choices: [] });
    expect(first?.message).toContain('A and a of two are one file');
  });

  it('are a conflict for what is new beside what another integration wrote, and for nothing else', () => {
    expect(addresses(['A', slot(undefined, 'one')], ['a', slot('two')])).toEqual(['address of two']);
    expect(addresses(['A', slot('one', 'one')], ['a', slot('two')])).toEqual(['address of two']);
    expect(addresses(['A', slot('one', 'one')], ['a', slot('two', 'two')])).toEqual([]);
    expect(addresses(['A', slot(undefined, 'one')], ['a', slot(undefined, 'two')])).toEqual([]);
  });

  it('are none when one integration gives its own file other letters, or when they differ', () => {
    expect(addresses(['A', slot(undefined, 'one')], ['a', slot('one')])).toEqual([]);
    expect(addresses(['a', slot('one')], ['b', slot('two')])).toEqual([]);
    expect(addresses(['a', slot('one'), slot('two')])).toEqual([]);
  });
});
