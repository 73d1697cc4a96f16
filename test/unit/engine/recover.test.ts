import { describe, expect, test } from 'vitest';
import { commitJournal } from '../../../src/engine/commit.ts';
import { recover } from '../../../src/engine/recover.ts';
import { draftJournal, stage } from '../../../src/engine/stage.ts';
import { applyPlan } from '../../../src/engine/transaction.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import { type Journal, pendingJournal } from '../../../src/state/journal.ts';
import { ledgerPath } from '../../../src/state/ledger-store.ts';
import { takeLock } from '../../../src/state/lock.ts';
import { type MemorySystem, memorySystem } from '../../../src/system/memory.ts';
import type { System } from '../../../src/system/ports.ts';
import { ledgerOf } from '../../helpers/ledger.ts';
import { approvedPlan, filePlan } from '../../helpers/plan.ts';

const world = (): MemorySystem =>
  memorySystem({
    '/repo/.git': { directory: true },
    '/repo/edit.json': { text: 'old', mode: 0o640 },
    '/repo/gone.json': 'bye',
    '/repo/place.json': 'in place',
  });
const state = openStateFolder(world());
const planOf = (system: System) =>
  approvedPlan(
    '/repo',
    [
      filePlan(system, '/repo', 'edit.json', 'new'),
      filePlan(system, '/repo', 'gone.json', undefined),
      filePlan(system, '/repo', 'place.json', 'written through', { inPlace: true }),
      filePlan(system, '/repo', 'new.json', 'fresh'),
    ],
    { root: ledgerOf('/repo') },
  );
/** A run that ended after staging, and after `renames` of its files. */
function interrupted(renames = 0): { system: MemorySystem; journal: Journal } {
  const system = world();
  const draft = draftJournal(system, state, planOf(system));
  stage(system, state, draft);
  const { journal } = draft;
  commitJournal(system, { ...journal, steps: journal.steps.slice(0, renames), removeDirs: [], ledgers: [] });
  return { system, journal };
}
const write = (system: MemorySystem, path: string, text: string) =>
  system.writer.writeInPlace(path, new TextEncoder().encode(text));
const run = (system: System, undo = false) => recover(system, state, '/repo', undo ? { undo } : {});
const seen = (system: MemorySystem) => system.snapshot('/repo');
const finished = await (async () => {
  const system = world();
  await applyPlan(system, state, planOf(system), { ledgerBases: {} });
  return seen(system);
})();
const isOver = (system: MemorySystem) => pendingJournal(system, state, '/repo') === undefined;
const strays = (system: MemorySystem) =>
  Object.keys(system.snapshot()).filter((path) => /\.tenon-|\.tmp$|\.lock|\/\d{4}\.(?:old|new)$/.test(path));

describe('recover', () => {
  test('has nothing to do where nothing was interrupted', async () => {
    const system = world();
    const before = system.snapshot();
    expect(await run(system)).toEqual({ outcome: 'nothing', files: [], findings: [] });
    expect(system.snapshot()).toEqual(before);
  });

  test.each([0, 1, 2, 3, 4])('finishes after %d renames when every staged file proves', async (renames) => {
    const { system, journal } = interrupted(renames);
    const result = await run(system);
    expect(result).toMatchObject({ outcome: 'finished', command: 'setup', findings: [] });
    expect(result.files).toEqual(
      journal.steps.map(({ path, action, result: hash }) => ({ path, action, hash })),
    );
    expect(seen(system)).toEqual(finished);
    expect(system.reader.lstat(ledgerPath(state, '/repo'))?.kind).toBe('file');
    expect(isOver(system)).toBe(true);
  });

  test('finishes a run that ended after its last rename, that of the ledger', async () => {
    const { system, journal } = interrupted(4);
    commitJournal(system, journal);
    expect(await run(system)).toMatchObject({ outcome: 'finished', findings: [] });
    expect(seen(system)).toEqual(finished);
    expect(isOver(system)).toBe(true);
  });

  test.each([0, 1, 2, 3, 4])('takes it back after %d renames when that is asked for', async (renames) => {
    const { system, journal } = interrupted(renames);
    const result = await run(system, true);
    expect(result).toMatchObject({ outcome: 'undone', command: 'setup', findings: [] });
    expect(result.files).toEqual(
      journal.steps.map(({ path, action, base: hash }) => ({ path, action, hash })),
    );
    expect(seen(system)).toEqual(world().snapshot('/repo'));
    expect(system.reader.lstat(ledgerPath(state, '/repo'))).toBeUndefined();
    expect([isOver(system), strays(system)]).toEqual([true, []]);
  });

  const temp = (journal: Journal, at: number) => journal.steps[at]?.temp ?? '';
  test.each<[string, (system: MemorySystem, journal: Journal) => void]>([
    ['a staged file is gone', (system, journal) => system.writer.remove(temp(journal, 0))],
    ['a staged file is cut', (system, journal) => write(system, temp(journal, 0), 'ne')],
    [
      'a staged file has not got its mode yet',
      (system, journal) => system.writer.chmod(temp(journal, 0), 0o600),
    ],
    [
      'a staged file has not got its user yet',
      (system, journal) => system.writer.chown(temp(journal, 0), 1, 1000),
    ],
    [
      'a staged file has not got its group yet',
      (system, journal) => system.writer.chown(temp(journal, 0), 1000, 1),
    ],
    [
      'the bytes for a file in place are cut',
      (system, journal) => write(system, journal.steps.find(({ inPlace }) => inPlace)?.temp ?? '', 'x'),
    ],
    ['the staged ledger is gone', (system, journal) => system.writer.remove(journal.ledgers[0]?.temp ?? '')],
    ['the staged ledger is cut', (system, journal) => write(system, journal.ledgers[0]?.temp ?? '', '{')],
  ])('takes it back when %s', async (_, hurt) => {
    const { system, journal } = interrupted(0);
    hurt(system, journal);
    expect(await run(system)).toMatchObject({ outcome: 'undone', findings: [] });
    expect(seen(system)).toEqual(world().snapshot('/repo'));
    expect([isOver(system), strays(system)]).toEqual([true, []]);
  });

  test('takes it back and keeps what was edited since, with a finding', async () => {
    const { system } = interrupted(4);
    write(system, '/repo/edit.json', 'mine');
    expect(await run(system)).toMatchObject({
      outcome: 'undone',
      findings: [
        {
          code: 'recover/kept',
          severity: 'warning',
          subject: 'edit.json',
          message: 'edit.json was changed by someone else meanwhile and was left as it is',
          remedy: { text: 'Look at the file; tenon status shows what it holds.', command: 'tenon status' },
        },
      ],
    });
    expect(seen(system)).toEqual({
      ...world().snapshot('/repo'),
      '/repo/edit.json': 'file 640 mine',
    });
  });

  test('a file that became a folder is told as absent', async () => {
    const { system } = interrupted(0);
    system.writer.remove('/repo/edit.json');
    system.writer.makeDir('/repo/edit.json');
    const { outcome, files } = await run(system);
    expect(outcome).toBe('undone');
    expect(files.find(({ path }) => path === 'edit.json')).toMatchObject({ hash: 'absent' });
  });

  test('finishes a file in place that was half written', async () => {
    const { system } = interrupted(0);
    write(system, '/repo/place.json', 'writtece');
    expect(await run(system)).toMatchObject({ outcome: 'finished' });
    expect(seen(system)).toEqual(finished);
    const other = interrupted(0).system;
    write(other, '/repo/place.json', 'writtece');
    expect(await run(other, true)).toMatchObject({ outcome: 'undone', findings: [] });
    expect(seen(other)).toEqual(world().snapshot('/repo'));
  });

  test.each([false, true])(
    'a change of the mode alone is finished, after its rename: %s',
    async (renamed) => {
      const system = world();
      const plan = approvedPlan('/repo', [filePlan(system, '/repo', 'edit.json', 'old', { mode: 0o755 })]);
      const draft = draftJournal(system, state, plan);
      stage(system, state, draft);
      if (renamed) commitJournal(system, draft.journal);
      expect(await run(system)).toMatchObject({ outcome: 'finished' });
      expect(system.snapshot('/repo')['/repo/edit.json']).toBe('file 755 old');
    },
  );

  test.each(['linux', 'win32'] as const)(
    'asks for the mode of a staged file where there are modes: %s',
    async (platform) => {
      const { system, journal } = interrupted();
      const [first] = journal.steps.filter(({ path }) => path === 'edit.json');
      system.writer.chmod(first?.temp ?? '', 0o604);
      const here: System = { ...system, host: { ...system.host, platform } };
      const { outcome } = await recover(here, state, '/repo');
      expect(outcome).toBe(platform === 'win32' ? 'finished' : 'undone');
    },
  );

  test('waits for the run that is still at it, and is busy when that takes too long', async () => {
    const { system } = interrupted(1);
    const before = seen(system);
    const lock = await takeLock(system, state, '/repo');
    await expect(run(system)).rejects.toMatchObject({ code: 'state/busy', exit: 4 });
    expect(seen(system)).toEqual(before);
    lock.release();
    expect(await run(system)).toMatchObject({ outcome: 'finished' });
    (await takeLock(system, state, '/repo')).release();
  });
});
