import { describe, expect, it } from 'vitest';
import { openStateFolder } from '../../../src/state/folder.ts';
import { ledgerBytes, ledgerPath, loadLedger } from '../../../src/state/ledger-store.ts';
import { findBroken, importLedger, moveLedger, setAside } from '../../../src/state/maintain.ts';
import { openState } from '../../../src/state/store.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import { ledgerOf, ledgerRecord } from '../../helpers/ledger.ts';
import { approvedPlan, filePlan } from '../../helpers/plan.ts';

async function used() {
  const system = memorySystem({ '/repo/a': 'a' });
  const state = openState(system, '/repo');
  await state.apply(
    approvedPlan('/repo', [filePlan(system, '/repo', 'a', 'b')], {
      root: ledgerOf('/repo'),
      user: ledgerOf('~'),
    }),
  );
  return { system, folder: openStateFolder(system) };
}

describe('findBroken and setAside', () => {
  it('find nothing in a healthy state, or in none', async () => {
    const { system, folder } = await used();
    expect(findBroken(system, folder)).toEqual([]);
    const none = memorySystem();
    expect(findBroken(none, openStateFolder(none))).toEqual([]);
  });

  it('name every file that cannot be read, and set it aside without deleting', async () => {
    const { system, folder } = await used();
    const files = Object.keys(system.snapshot(folder.dir)).filter((path) => /\.jsonl?$/.test(path));
    expect(files).toHaveLength(4);
    for (const file of files) system.writer.writeInPlace(file, new TextEncoder().encode('{'));
    const wrong = folder.path('ledger', `${'0'.repeat(32)}.json`);
    system.writer.createExclusive(wrong, ledgerBytes(ledgerOf('/repo')), 0o600);
    const broken = findBroken(system, folder);
    expect(broken.map(({ path }) => path).sort()).toEqual([...files, wrong].sort());
    const aside = broken.map(({ path }) => setAside(system, path));
    expect(Object.keys(system.snapshot(folder.dir))).toEqual(expect.arrayContaining(aside));
    expect(findBroken(system, folder)).toEqual([]);
    expect(loadLedger(system, folder, '/repo').hash).toBe('absent');
  });
});

describe('importLedger', () => {
  it('takes a ledger to another root, and overwrites none', async () => {
    const { system, folder } = await used();
    const foreign = ledgerRecord({ path: '~/x', root: '/elsewhere' });
    const ledger = { ...ledgerOf('/repo'), records: [...ledgerOf('/repo').records, foreign] };
    const moved = moveLedger(ledger, '/new');
    expect(moved.root).toBe('/new');
    expect(moved.records.map(({ root }) => root)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      '/new',
      '/elsewhere',
    ]);
    expect(moved.enrolments[0]?.root).toBe('/new');
    await importLedger(system, folder, moved);
    expect(loadLedger(system, folder, '/new').ledger.records).toHaveLength(6);
    const before = system.snapshot(ledgerPath(folder, '/repo'));
    await expect(importLedger(system, folder, ledgerOf('/repo', { records: [] }))).rejects.toMatchObject({
      code: 'state/not-empty',
      exit: 4,
    });
    expect(system.snapshot(ledgerPath(folder, '/repo'))).toEqual(before);
  });
});
