import { describe, expect, test } from 'vitest';
import { approvePlan, touchesUserFiles } from '../../../src/engine/approval.ts';
import { applyPlan } from '../../../src/engine/transaction.ts';
import type { ApprovedPlan, FilePlan } from '../../../src/engine/types.ts';
import { undo } from '../../../src/engine/undo.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import { ledgerPath, loadLedger } from '../../../src/state/ledger-store.ts';
import { takeLock } from '../../../src/state/lock.ts';
import { faultSystem } from '../../../src/system/fault.ts';
import { type MemorySystem, memorySystem } from '../../../src/system/memory.ts';
import type { Reader, System } from '../../../src/system/ports.ts';
import { ledgerOf } from '../../helpers/ledger.ts';
import { approvedPlan, filePlan } from '../../helpers/plan.ts';

const world = (): MemorySystem =>
  memorySystem({
    '/repo/.git': { directory: true },
    '/repo/a.json': { text: 'old', mode: 0o640 },
    '/home/u/.x.json': 'home',
  });
const state = openStateFolder(world());
const planOf = (system: Pick<System, 'reader'>, change: Partial<FilePlan> = {}): ApprovedPlan =>
  approvedPlan('/repo', [filePlan(system, '/repo', 'a.json', 'new', change)], { root: ledgerOf('/repo') });
const userPlan = (system: Pick<System, 'reader'>): ApprovedPlan =>
  approvedPlan(
    '/repo',
    [
      filePlan(system, '/repo', '~/.x.json', 'new', {
        abs: '/home/u/.x.json',
        real: '/home/u/.x.json',
        outside: true,
      }),
    ],
    { user: ledgerOf('~') },
  );
const apply = (system: System, plan: ApprovedPlan, options: Partial<Parameters<typeof applyPlan>[3]> = {}) =>
  applyPlan(system, state, plan, { ledgerBases: {}, ...options });
const withReader = (system: MemorySystem, change: Partial<Reader>): System => ({
  ...system,
  reader: { ...system.reader, ...change },
});
const write = (system: MemorySystem, path: string, text: string) =>
  system.writer.writeInPlace(path, new TextEncoder().encode(text));

describe('an apply that may not be', () => {
  test('names the files and ledgers that are not as they were', async () => {
    const system = world();
    const plan = planOf(system);
    write(system, '/repo/a.json', 'mine');
    const root = loadLedger(system, state, '/repo').hash;
    await expect(
      apply(system, plan, {
        ledgerBases: { root: `sha256:${'0'.repeat(64)}`, user: `sha256:${'1'.repeat(64)}` },
      }),
    ).rejects.toMatchObject({
      code: 'plan/stale',
      exit: 6,
      message: 'Changed since the plan was made: a.json, the ledger, the ledger of user files.',
    });
    expect(system.snapshot('/repo')['/repo/a.json']).toBe('file 640 mine');
    expect(root).toBe('absent');
  });

  test('because a file got another name on disk, or its folder went', async () => {
    const base = { '/repo/d/a.json': 'old' };
    const plan = approvedPlan('/repo', [filePlan(memorySystem(base), '/repo', 'd/a.json', 'new')]);
    const linked = memorySystem({ ...base, '/repo/b.json': { hardLink: '/repo/d/a.json' } });
    await expect(apply(linked, plan)).rejects.toMatchObject({ code: 'plan/stale' });
    const inPlace = approvedPlan('/repo', [filePlan(linked, '/repo', 'd/a.json', 'new', { inPlace: true })]);
    await expect(apply(linked, inPlace)).resolves.toMatchObject({ findings: [] });
    const created = approvedPlan('/repo', [filePlan(memorySystem({}), '/repo', 'gone/x', 'new')]);
    await expect(apply(memorySystem({}), created)).rejects.toMatchObject({ code: 'plan/stale' });
  });

  test('because a file cannot be read; a bug stays one', async () => {
    const system = world();
    const plan = planOf(system);
    const failing = (error: Error) =>
      withReader(system, {
        lstat: (path) => {
          if (path === '/repo/a.json') throw error;
          return system.reader.lstat(path);
        },
      });
    await expect(
      apply(failing(Object.assign(new Error('EACCES: no'), { code: 'EACCES' })), plan),
    ).rejects.toMatchObject({
      code: 'file/unreadable',
      exit: 4,
      message: expect.stringMatching(/^A file of the plan cannot be read: .*EACCES/),
      remedy: { text: 'Correct the cause, then run the command again.' },
    });
    await expect(apply(failing(new RangeError('a bug')), plan)).rejects.toThrow(RangeError);
    (await takeLock(system, state, '/repo')).release();
  });

  test('because another run is at it, and again when that one is done', async () => {
    const system = world();
    const own = await takeLock(system, state, '/repo');
    await expect(apply(system, planOf(system))).rejects.toMatchObject({ code: 'state/busy', exit: 4 });
    await expect(apply(system, planOf(system), { held: { root: true, user: false } })).resolves.toMatchObject(
      {
        findings: [],
      },
    );
    own.release();
  });

  test('because another run writes user files; those of the repository need not wait for it', async () => {
    const system = world();
    const user = await takeLock(system, state, '~');
    await expect(apply(system, userPlan(system))).rejects.toMatchObject({ code: 'state/busy' });
    const own = await takeLock(system, state, '/repo');
    await expect(
      apply(system, userPlan(system), { held: { root: true, user: false } }),
    ).rejects.toMatchObject({ code: 'state/busy' });
    await expect(
      apply(system, userPlan(system), { held: { root: true, user: true } }),
    ).resolves.toMatchObject({ findings: [] });
    own.release();
    await expect(apply(system, planOf(system))).resolves.toMatchObject({ findings: [] });
    user.release();
  });
});

describe('an apply without files', () => {
  test('writes the ledger that changed, and nothing where none does', async () => {
    const system = world();
    const only = approvedPlan('/repo', [], { root: ledgerOf('/repo') });
    expect(await apply(system, only)).toEqual({ files: [], findings: [] });
    expect(loadLedger(system, state, '/repo').ledger.records).toHaveLength(ledgerOf('/repo').records.length);
    const written = system.snapshot('/home');
    expect(await apply(system, only)).toEqual({ files: [], findings: [] });
    expect(system.snapshot('/home')).toEqual(written);
    const user = approvedPlan('/repo', [], { user: ledgerOf('~') });
    const lock = await takeLock(system, state, '~');
    await expect(apply(system, user)).rejects.toMatchObject({ code: 'state/busy' });
    lock.release();
  });
});

describe('an apply that fails', () => {
  test('says that everything is as it was', async () => {
    const system = world();
    const before = system.snapshot('/repo');
    const full = faultSystem(system, { at: 1, code: 'ENOSPC', calls: ['rename'] });
    const failing = {
      ...system,
      writer: {
        ...full.writer,
        rename: (from: string, to: string) =>
          to === '/repo/a.json' ? full.writer.rename(from, to) : system.writer.rename(from, to),
      },
    };
    await expect(apply(failing, planOf(system))).rejects.toMatchObject({
      code: 'apply/rolled-back',
      exit: 5,
      state: 'restored',
      message: expect.stringMatching(
        /^Writing failed: the disk is full \(ENOSPC.*\)\. Every file was restored to its previous state\.$/,
      ),
      remedy: { text: 'Correct the cause, then run the command again.' },
    });
    expect(system.snapshot('/repo')).toEqual(before);
  });

  test('and tells a file that is another one when it is read back', async () => {
    const system = world();
    let renamed = false;
    const racing: System = {
      ...system,
      reader: {
        ...system.reader,
        lstat: (path) => {
          const ledger = system.reader.lstat(ledgerPath(state, '/repo')) !== undefined;
          if (ledger && !renamed && path === '/repo/a.json') {
            renamed = true;
            write(system, '/repo/a.json', 'theirs');
          }
          return system.reader.lstat(path);
        },
      },
    };
    expect(await apply(racing, planOf(system))).toMatchObject({
      findings: [
        {
          code: 'recover/kept',
          severity: 'warning',
          subject: 'a.json',
          message: 'a.json was changed by someone else meanwhile and was left as it is',
        },
      ],
    });
  });
});

describe('taking the last apply back', () => {
  test('is described file by file', async () => {
    const system = world();
    const made = filePlan(system, '/repo', 'n/new.md', 'fresh', { makeDirs: ['/repo/n'], order: 'early' });
    const plan = approvedPlan(
      '/repo',
      [made, filePlan(system, '/repo', 'a.json', 'new'), userPlan(system).files[0] as FilePlan],
      { root: ledgerOf('/repo'), user: ledgerOf('~') },
    );
    expect(undo(system, state, '/repo')).toBeUndefined();
    await apply(system, plan);
    const taken = undo(system, state, '/repo');
    expect(taken?.of).toBe('setup');
    expect(taken?.plan).toMatchObject({ command: 'undo', isEmpty: false, isApplicable: true, conflicts: [] });
    expect(taken?.plan.ops).toMatchObject([
      {
        id: 'op-001',
        action: 'remove',
        address: 'n/new.md',
        scope: 'project',
        summary: 'goes again',
        reason: 'takes back setup',
        approval: 'project-files',
        classes: [],
      },
      { id: 'op-002', action: 'replace', address: 'a.json', summary: 'as it was before' },
      { id: 'op-003', action: 'replace', address: '~/.x.json', scope: 'user', approval: 'user-files' },
    ]);
    expect(taken?.plan.ops[0]).not.toHaveProperty('after');
    expect(taken?.plan.ops[1]).toMatchObject({ before: expect.any(String), after: expect.any(String) });
    expect(taken?.plan.files).toMatchObject([
      {
        action: 'delete',
        result: undefined,
        removeDirs: ['/repo/n'],
        makeDirs: [],
        order: 'early',
        ops: ['op-001'],
      },
      { action: 'edit', mode: 0o640, removeDirs: [], ops: ['op-002'], outside: false },
      { action: 'edit', outside: true, ops: ['op-003'] },
    ]);
    expect(Object.keys(taken?.ledgerBases ?? {}).sort()).toEqual(['root', 'user']);
    expect(taken?.plan.ledgers).toMatchObject({ root: { records: [] }, user: { records: [] } });
  });

  test('of files alone is a plan as well', async () => {
    const system = world();
    await apply(system, approvedPlan('/repo', [filePlan(system, '/repo', 'a.json', 'new')]));
    expect(undo(system, state, '/repo')?.plan).toMatchObject({ isEmpty: false, files: [{ path: 'a.json' }] });
  });

  test('is refused where anything changed since, by name', async () => {
    const system = world();
    await apply(system, planOf(system));
    write(system, '/repo/a.json', 'mine');
    write(system, ledgerPath(state, '/repo'), '{}');
    expect(() => undo(system, state, '/repo')).toThrow(
      expect.objectContaining({
        code: 'undo/changed',
        exit: 4,
        message: 'Changed since the last apply (setup): a.json, the ledger.',
        remedy: {
          text: 'Take the integration out instead; what was edited is kept.',
          command: 'tenon uninstall',
        },
        findings: [
          {
            code: 'undo/changed',
            severity: 'error',
            subject: 'a.json',
            message: 'a.json is not as the last apply left it',
          },
          expect.objectContaining({ subject: 'the ledger' }),
        ],
      }),
    );
  });

  test('is refused where a backup is gone', async () => {
    const system = world();
    await apply(system, planOf(system));
    for (const path of Object.keys(system.snapshot('/home')))
      if (path.endsWith('.old')) system.writer.remove(path);
    expect(() => undo(system, state, '/repo')).toThrow(
      expect.objectContaining({
        code: 'undo/backup-missing',
        exit: 4,
        message: 'The backup of a.json is missing or damaged.',
        remedy: { text: 'Take the integration out instead.', command: 'tenon uninstall' },
      }),
    );
  });
});

describe('the approval of a plan', () => {
  const plan = planOf(world());
  const consent = { via: 'yes', digest: plan.digest, userFiles: false } as const;

  test('covers exactly the plan with its digest', () => {
    expect(approvePlan(plan, consent)).toBe(plan);
    expect(() => approvePlan(plan, { ...consent, digest: 'sha256:other' })).toThrow(
      expect.objectContaining({
        code: 'plan/stale',
        exit: 6,
        remedy: { text: 'Look at the new plan and approve its digest', command: 'tenon plan' },
      }),
    );
  });

  test('covers no conflict, and no file of the user without an approval of its own', () => {
    expect(() =>
      approvePlan({ ...plan, isApplicable: false, conflicts: [{}, {}] as never }, consent),
    ).toThrow(
      expect.objectContaining({
        code: 'plan/conflicts',
        exit: 4,
        message: 'the plan has 2 unresolved conflicts',
      }),
    );
    const outside = userPlan(world());
    expect([touchesUserFiles(plan), touchesUserFiles(outside)]).toEqual([false, true]);
    const own = { ...consent, digest: outside.digest };
    expect(() => approvePlan(outside, own)).toThrow(
      expect.objectContaining({
        code: 'approval/user-files',
        exit: 3,
        remedy: { text: 'Add --allow user-files' },
      }),
    );
    expect(approvePlan(outside, { ...own, userFiles: true })).toBe(outside);
  });
});
