import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/engine/fingerprint.ts';
import { applyPlan } from '../../../src/engine/transaction.ts';
import type { ApprovedPlan } from '../../../src/engine/types.ts';
import { TenonError } from '../../../src/errors/error.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import { ledgerPath, loadLedger } from '../../../src/state/ledger-store.ts';
import { openState } from '../../../src/state/store.ts';
import { type MemorySystem, memorySystem } from '../../../src/system/memory.ts';
import { ledgerOf, ledgerRecord } from '../../helpers/ledger.ts';
import { approvedPlan, filePlan } from '../../helpers/plan.ts';

const world = (): MemorySystem =>
  memorySystem({
    '/repo/.git': { directory: true },
    '/repo/.mcp.json': { text: '{}', mode: 0o600 },
    '/repo/old/gone.json': { text: 'gone', mode: 0o640 },
  });
const planFor = (system: MemorySystem): ApprovedPlan =>
  approvedPlan(
    '/repo',
    [
      filePlan(system, '/repo', '.mcp.json', '{"x":1}'),
      filePlan(system, '/repo', 'old/gone.json', undefined, { removeDirs: ['/repo/old'] }),
      filePlan(system, '/repo', 'a/b/new.md', 'new', { makeDirs: ['/repo/a', '/repo/a/b'], order: 'early' }),
    ],
    { root: ledgerOf('/repo') },
  );
async function applied(system: MemorySystem): Promise<void> {
  const state = openState(system, '/repo');
  state.ledgers();
  await state.apply(planFor(system));
}
const approve = (plan: object): ApprovedPlan =>
  ({ ...plan, digest: sha256('undo') }) as unknown as ApprovedPlan;

describe('undo', () => {
  it('takes the last apply back, folders, modes and ledger included', async () => {
    const system = world();
    const before = system.snapshot('/repo');
    await applied(system);
    expect(system.snapshot('/repo')).not.toEqual(before);
    const state = openState(system, '/repo');
    const taken = await state.undo();
    expect(taken?.of).toBe('setup');
    expect(taken?.plan.files.map(({ path, action }) => `${action} ${path}`)).toEqual([
      'delete a/b/new.md',
      'edit .mcp.json',
      'create old/gone.json',
    ]);
    expect(taken?.plan.ops.map(({ id, action, address }) => `${id} ${action} ${address}`)).toEqual([
      'op-001 remove a/b/new.md',
      'op-002 replace .mcp.json',
      'op-003 restore old/gone.json',
    ]);
    await state.apply(approve(taken?.plan ?? {}), { bases: taken?.ledgerBases ?? {} });
    expect(system.snapshot('/repo')).toEqual(before);
    const folder = openStateFolder(system);
    expect(system.reader.lstat(ledgerPath(folder, '/repo'))).toBeUndefined();
  });

  it('can be taken back itself', async () => {
    const system = world();
    await applied(system);
    const after = system.snapshot('/repo');
    const state = openState(system, '/repo');
    for (let times = 0; times < 2; times += 1) {
      const taken = await state.undo();
      await state.apply(approve(taken?.plan ?? {}), { bases: taken?.ledgerBases ?? {} });
    }
    expect(system.snapshot('/repo')).toEqual(after);
    expect(state.ledgers().root.records).toHaveLength(ledgerOf('/repo').records.length);
  });

  it('has nothing to take back before the first apply', async () => {
    expect(await openState(world(), '/repo').undo()).toBeUndefined();
  });

  it.each([
    [
      '.mcp.json',
      (system: MemorySystem) => system.writer.writeInPlace('/repo/.mcp.json', new Uint8Array([1])),
    ],
    ['a/b/new.md', (system: MemorySystem) => system.writer.remove('/repo/a/b/new.md')],
    [
      'old/gone.json',
      (system: MemorySystem) => {
        system.writer.makeDir('/repo/old');
        system.writer.createExclusive('/repo/old/gone.json', new Uint8Array(), 0o600);
      },
    ],
    [
      'the ledger',
      (system: MemorySystem) => system.writer.remove(ledgerPath(openStateFolder(system), '/repo')),
    ],
  ])('refuses when %s changed since', async (path, change) => {
    const system = world();
    await applied(system);
    change(system);
    const failing = openState(system, '/repo').undo();
    await expect(failing).rejects.toMatchObject({
      code: 'undo/changed',
      exit: 4,
      findings: [{ subject: path }],
    });
    await expect(failing).rejects.toBeInstanceOf(TenonError);
  });
});

describe('the state of a root', () => {
  it('keeps backups of the last apply alone, owner-only', async () => {
    const system = world();
    await applied(system);
    const first = Object.keys(system.snapshot('/home/u/.local/state/tenon/backup'));
    expect(first.some((path) => path.endsWith('.old'))).toBe(true);
    const state = openState(system, '/repo');
    await state.apply(approvedPlan('/repo', [filePlan(system, '/repo', '.mcp.json', '{"y":1}')], {}, 'sync'));
    const second = Object.keys(system.snapshot('/home/u/.local/state/tenon/backup'));
    expect(first.filter((path) => path.endsWith('.old') && second.includes(path))).toEqual([]);
    for (const [path, line] of Object.entries(system.snapshot('/home/u/.local/state/tenon'))) {
      expect([path, line]).toEqual([path, expect.stringMatching(/^(directory 700|file 600) /)]);
    }
    expect(system.snapshot('/repo/.mcp.json')['/repo/.mcp.json']).toBe('file 600 {"y":1}');
  });

  it('keeps replaced content while a ledger needs it, then drops it', async () => {
    const system = world();
    const state = openState(system, '/repo');
    const id = 'ab'.repeat(32);
    state.saveReplaced(id, new Uint8Array([1, 2]));
    const record = ledgerRecord({ replaced: { backup: id, whole: false } });
    await state.apply(approvedPlan('/repo', [], { root: ledgerOf('/repo', { records: [record] }) }));
    expect(state.readReplaced(id)).toEqual(new Uint8Array([1, 2]));
    expect(openState(system, '/other').readReplaced(id)).toEqual(new Uint8Array([1, 2]));
    expect(state.readReplaced('../../ledger/user.json')).toBeUndefined();
    const gone = ledgerOf('/repo', { records: [] });
    await state.apply(approvedPlan('/repo', [], { root: gone }, 'uninstall'));
    // Taking the uninstall back would need it again.
    expect(state.readReplaced(id)).toBeDefined();
    await state.apply(approvedPlan('/repo', [filePlan(system, '/repo', 'x', 'x')]));
    expect(state.readReplaced(id)).toBeUndefined();
  });

  it('chains the history of applied plans, and tells when its past was changed', async () => {
    const system = world();
    await applied(system);
    const state = openState(system, '/repo');
    await state.apply(approvedPlan('/repo', [filePlan(system, '/repo', 'x', 'x')], {}, 'sync'));
    const { entries, brokenAt } = state.history();
    expect(brokenAt).toBeUndefined();
    expect(entries.map(({ command, files }) => [command, files.length])).toEqual([
      ['setup', 3],
      ['sync', 1],
    ]);
    expect(entries[1]?.previous).toBe(entries[0]?.hash);
    expect(entries[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT/);
    const [file = ''] = Object.keys(system.snapshot('/home/u/.local/state/tenon/history')).filter((path) =>
      path.endsWith('.jsonl'),
    );
    const text = new TextDecoder().decode(system.reader.readFile(file));
    system.writer.writeInPlace(
      file,
      new TextEncoder().encode(text.replace('"command":"setup"', '"command":"other"')),
    );
    expect(state.history().brokenAt).toBe(0);
    system.writer.writeInPlace(file, new TextEncoder().encode(text.split('\n').slice(1).join('\n')));
    expect(state.history().brokenAt).toBe(0);
    system.writer.writeInPlace(file, new TextEncoder().encode('{'));
    expect(() => state.history()).toThrow(/line 1 is no entry/);
  });

  it('compares the ledgers that it gave out', async () => {
    const system = world();
    const [one, two] = [openState(system, '/repo'), openState(system, '/repo')];
    one.ledgers();
    two.ledgers();
    await one.apply(planFor(system));
    const late = approvedPlan('/repo', [], { root: ledgerOf('/repo', { records: [] }) });
    await expect(two.apply(late)).rejects.toMatchObject({ code: 'plan/stale', exit: 6 });
    expect(loadLedger(system, openStateFolder(system), '/repo').ledger.records).toHaveLength(5);
    await expect(
      applyPlan(system, openStateFolder(system), late, { ledgerBases: {} }),
    ).resolves.toMatchObject({ files: [] });
  });
});
