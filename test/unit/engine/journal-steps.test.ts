import { describe, expect, test } from 'vitest';
import { commitJournal, isTornStep, removeIfEmpty } from '../../../src/engine/commit.ts';
import { sha256 } from '../../../src/engine/fingerprint.ts';
import { restoreJournal } from '../../../src/engine/restore.ts';
import { type Draft, draftJournal, stage } from '../../../src/engine/stage.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import { type MemoryEntry, type MemorySystem, memorySystem } from '../../../src/system/memory.ts';
import type { System, Writer } from '../../../src/system/ports.ts';
import { ledgerOf } from '../../helpers/ledger.ts';
import { approvedPlan, filePlan } from '../../helpers/plan.ts';

const start: Record<string, MemoryEntry> = {
  '/repo/.git': { directory: true },
  '/repo/edit.json': { text: 'old', mode: 0o640 },
  '/repo/gone/deep/x': { text: 'bye', mode: 0o600 },
  '/repo/gone/y': 'bye',
  '/repo/place.json': 'in place',
  '/repo/name2.json': { hardLink: '/repo/place.json' },
};
const world = (): MemorySystem => memorySystem(start);
const state = openStateFolder(world());

function draftOf(system: System): Draft {
  const file = (path: string, to: string | undefined, change = {}) =>
    filePlan(system, '/repo', path, to, change);
  const plan = approvedPlan(
    '/repo',
    [
      file('gone/deep/x', undefined, { order: 'early', removeDirs: ['/repo/gone/deep', '/repo/gone'] }),
      file('gone/y', undefined, { removeDirs: ['/repo/gone'] }),
      file('edit.json', 'new'),
      file('place.json', 'written through', { inPlace: true }),
      file('a/b/new', 'fresh', { order: 'early', makeDirs: ['/repo/a/b', '/repo/a'], mode: 0o755 }),
    ],
    { root: ledgerOf('/repo'), user: ledgerOf('~', { records: [], enrolments: [], files: [] }) },
  );
  return draftJournal(system, state, plan);
}
function staged(system: MemorySystem): Draft {
  const draft = draftOf(system);
  stage(system, state, draft);
  return draft;
}
const withWriter = (system: System, change: Partial<Writer>): System => ({
  ...system,
  writer: { ...system.writer, ...change },
});
const write = (system: MemorySystem, path: string, text: string) =>
  system.writer.writeInPlace(path, new TextEncoder().encode(text));
const repo = (system: MemorySystem) =>
  Object.fromEntries(Object.entries(system.snapshot('/repo')).filter(([path]) => !path.includes('.tenon-')));

describe('what an apply is about to do', () => {
  test('is written down in the order of the renames', () => {
    const { journal, results, backups } = draftOf(world());
    expect(journal.steps.map(({ action, path }) => `${action} ${path}`)).toEqual([
      'create a/b/new',
      'edit edit.json',
      'edit place.json',
      'delete gone/y',
      'delete gone/deep/x',
    ]);
    expect(journal.makeDirs).toEqual(['/repo/a', '/repo/a/b']);
    expect(journal.removeDirs).toEqual([
      { path: '/repo/gone/deep', mode: 0o755 },
      { path: '/repo/gone', mode: 0o755 },
    ]);
    expect(journal).toMatchObject({
      schemaVersion: 1,
      root: '/repo',
      command: 'setup',
      time: 1_700_000_000_000,
      planDigest: expect.stringMatching(/^sha256:/),
      id: expect.stringMatching(/^20231114T221320000Z-[0-9a-f]{8}$/),
    });
    expect(journal.backups).toContain(`/backup/`);
    expect([...results.values()].map((bytes) => new TextDecoder().decode(bytes))).toEqual([
      'fresh',
      'new',
      'written through',
    ]);
    expect(backups.size).toBe(4);
  });

  test('says of every file where its bytes are and how it was', () => {
    const [create, edit, place, gone] = draftOf(world()).journal.steps;
    expect(create).toMatchObject({
      base: 'absent',
      result: sha256('fresh'),
      temp: expect.stringMatching(/^\/repo\/a\/b\/\.tenon-[0-9a-f]{12}$/),
      backup: null,
      mode: 0o755,
      baseMode: null,
      owner: null,
    });
    expect(edit).toMatchObject({
      base: sha256('old'),
      result: sha256('new'),
      temp: expect.stringMatching(/^\/repo\/\.tenon-/),
      backup: expect.stringMatching(/\/0001\.old$/),
      mode: 0o640,
      baseMode: 0o640,
      owner: { uid: 1000, gid: 1000 },
      inPlace: false,
      outside: false,
    });
    expect(place).toMatchObject({ inPlace: true, temp: expect.stringMatching(/\/0002\.new$/) });
    expect(gone).toMatchObject({ result: 'absent', backup: expect.stringMatching(/\/0003\.old$/) });
  });

  test('has a ledger only where it changes', () => {
    const { journal, ledgers } = draftOf(world());
    expect(journal.ledgers).toMatchObject([
      {
        root: '/repo',
        base: 'absent',
        backup: null,
        temp: expect.stringMatching(/\.json\.[0-9a-f]{12}\.tmp$/),
      },
    ]);
    expect(ledgers.size).toBe(1);
  });
});

describe('staging', () => {
  test('shows the user new folders and short dot files alone, and keeps the bases', () => {
    const system = world();
    const { journal } = staged(system);
    expect(repo(system)).toEqual({
      ...repo(world()),
      '/repo/a': 'directory 755 ',
      '/repo/a/b': 'directory 755 ',
    });
    const files = system.snapshot(journal.backups);
    expect(Object.values(files).sort()).toEqual([
      expect.stringMatching(/^directory/),
      'file 600 bye',
      'file 600 bye',
      'file 600 in place',
      'file 600 old',
      'file 600 written through',
    ]);
    const temps = Object.entries(system.snapshot('/repo')).filter(([path]) => path.includes('.tenon-'));
    expect(temps.map(([, line]) => line).sort()).toEqual(['file 640 new', 'file 755 fresh']);
  });

  test('refuses bytes, modes and ledgers that did not arrive as they were planned', () => {
    const bad = (
      matches: (path: string) => boolean,
      change: (bytes: Uint8Array, mode: number) => [Uint8Array, number],
    ) => {
      const system = world();
      const odd = withWriter(system, {
        createExclusive: (path, bytes, mode) =>
          system.writer.createExclusive(
            path,
            ...(matches(path) ? change(bytes, mode) : ([bytes, mode] as const)),
          ),
      });
      return () => stage(odd, state, draftOf(odd));
    };
    const inRepo = (path: string) => path.startsWith('/repo/.tenon-');
    expect(bad(inRepo, (_, mode) => [new Uint8Array(), mode])).toThrow(
      'staged bytes of edit.json are not the planned ones',
    );
    expect(bad(inRepo, (bytes) => [bytes, 0o600])).toThrow(
      'staged bytes of edit.json are not the planned ones',
    );
    expect(
      bad(
        (path) => path.includes('/ledger/'),
        (_, mode) => [new Uint8Array(), mode],
      ),
    ).toThrow(/staged bytes of .*\/ledger\/.* are not the planned ones/);
    expect(
      bad(
        () => false,
        (bytes, mode) => [bytes, mode],
      ),
    ).not.toThrow();
  });

  test('keeps the owner of a file that is replaced, with its mode', () => {
    const system = world();
    system.writer.chown('/repo/edit.json', 7, 8);
    const { journal } = staged(system);
    const temp = journal.steps[1]?.temp ?? '';
    expect(system.reader.lstat(temp)).toMatchObject({ uid: 7, gid: 8, mode: 0o640 });
  });

  test('that may not keep the owner says so; another refusal is told as it is', () => {
    const denied = (code: string) => (): never => {
      throw Object.assign(new Error(code), { code });
    };
    const run = (uid: number, code: string) => {
      const system = world();
      system.writer.chown('/repo/edit.json', uid, 8);
      const odd = withWriter(system, { chown: denied(code) });
      return () => stage(odd, state, draftOf(odd));
    };
    expect(run(7, 'EPERM')).toThrow(
      expect.objectContaining({
        code: 'file/owner',
        exit: 4,
        message: 'edit.json belongs to another user, and replacing it would change that.',
        remedy: { text: 'Run as its owner, or change the file by hand.' },
      }),
    );
    expect(run(1000, 'EPERM')).toThrow(expect.objectContaining({ code: 'EPERM' }));
    expect(run(7, 'EIO')).toThrow(expect.objectContaining({ code: 'EIO' }));
  });
});

describe('the renames', () => {
  test('give every file its bytes, take emptied folders, and may be done twice', () => {
    const system = world();
    const { journal } = staged(system);
    commitJournal(system, journal);
    const done = system.snapshot();
    expect(repo(system)).toMatchObject({
      '/repo/edit.json': 'file 640 new',
      '/repo/a/b/new': 'file 755 fresh',
      '/repo/place.json': 'file 644 written through',
      '/repo/name2.json': 'file 644 written through',
    });
    expect(Object.keys(repo(system))).not.toContain('/repo/gone');
    commitJournal(system, journal);
    expect(system.snapshot()).toEqual(done);
  });

  test.each<[string, (system: MemorySystem) => void, string]>([
    ['an edited file', (system) => write(system, '/repo/edit.json', 'mine'), 'edit.json'],
    [
      'a file that is there by now',
      (system) => system.writer.createExclusive('/repo/a/b/new', new Uint8Array(), 0o644),
      'a/b/new',
    ],
    ['a file to be deleted that changed', (system) => write(system, '/repo/gone/y', 'mine'), 'gone/y'],
    [
      'one written in place that changed',
      (system) => write(system, '/repo/place.json', 'mine'),
      'place.json',
    ],
  ])('stop at %s', (_, change, path) => {
    const system = world();
    const { journal } = staged(system);
    change(system);
    expect(() => commitJournal(system, journal)).toThrow(
      expect.objectContaining({
        code: 'plan/stale',
        exit: 6,
        message: `Changed since the plan was made: ${path}.`,
        remedy: { text: 'Run the command again for a new plan.' },
        findings: [
          {
            code: 'plan/stale',
            severity: 'error',
            subject: path,
            message: `${path} changed since the plan was made`,
          },
        ],
      }),
    );
  });

  test('stop at another ledger', () => {
    const system = world();
    const { journal } = staged(system);
    system.writer.createExclusive(journal.ledgers[0]?.path ?? '', new Uint8Array(), 0o600);
    expect(() => commitJournal(system, journal)).toThrow('Changed since the plan was made: ledger.');
  });

  test('a folder is removed only when it is empty and the one that it was', () => {
    const system = memorySystem({
      '/repo/full/x': 'x',
      '/repo/empty': { directory: true },
      '/repo/real/empty': { directory: true },
      '/repo/link': { link: 'real' },
      '/repo/file': 'x',
    });
    for (const path of ['full', 'empty', 'link/empty', 'link', 'file', 'none'])
      removeIfEmpty(system, `/repo/${path}`);
    expect(Object.keys(system.snapshot('/repo'))).toEqual([
      '/repo',
      '/repo/file',
      '/repo/full',
      '/repo/full/x',
      '/repo/link',
      '/repo/real',
      '/repo/real/empty',
    ]);
  });

  test('only a file that is written in place can be torn', () => {
    const system = world();
    const { journal } = staged(system);
    const [, edit, place] = journal.steps;
    if (edit === undefined || place === undefined) throw new Error('no steps');
    write(system, '/repo/place.json', 'writtece');
    expect(isTornStep(system, place)).toBe(true);
    expect(isTornStep(system, { ...place, backup: null })).toBe(false);
    expect(isTornStep(system, { ...place, inPlace: false })).toBe(false);
    expect(isTornStep(system, { ...place, abs: '/repo/none' })).toBe(false);
    expect(isTornStep(system, { ...place, temp: '/repo/none' })).toBe(false);
    expect(isTornStep(system, edit)).toBe(false);
    write(system, '/repo/place.json', 'mine');
    expect(isTornStep(system, place)).toBe(false);
  });
});

describe('taking it back', () => {
  const back = (change: (system: MemorySystem, draft: Draft) => void, renamed = true) => {
    const system = world();
    const draft = staged(system);
    if (renamed) commitJournal(system, draft.journal);
    change(system, draft);
    return { system, kept: restoreJournal(system, draft.journal), draft };
  };
  const nothing = () => undefined;

  test.each([true, false])('gives every byte and mode back, after the renames: %s', (renamed) => {
    const { system, kept, draft } = back(nothing, renamed);
    expect(kept).toEqual([]);
    expect(system.snapshot('/repo')).toEqual(world().snapshot('/repo'));
    expect(system.reader.lstat(draft.journal.ledgers[0]?.path ?? '')).toBeUndefined();
    const files = Object.keys(system.snapshot('/home')).filter((path) => path.includes('/ledger/'));
    expect(files).toEqual([]);
  });

  test('may be done again', () => {
    const { system, draft } = back(nothing);
    expect(restoreJournal(system, draft.journal)).toEqual([]);
    expect(system.snapshot('/repo')).toEqual(world().snapshot('/repo'));
  });

  test('keeps what someone edited meanwhile, and names it', () => {
    const { system, kept } = back((one) => {
      write(one, '/repo/edit.json', 'mine');
      write(one, '/repo/a/b/new', 'mine');
      one.writer.makeDir('/repo/gone');
      one.writer.createExclusive('/repo/gone/y', new TextEncoder().encode('mine'), 0o600);
    });
    expect([...kept].sort()).toEqual(['a/b/new', 'edit.json', 'gone/y']);
    expect(repo(system)).toMatchObject({
      '/repo/edit.json': 'file 640 mine',
      '/repo/a/b/new': 'file 755 mine',
      '/repo/gone/y': 'file 600 mine',
      '/repo/gone/deep/x': 'file 600 bye',
    });
  });

  test('names a ledger that is another one by now', () => {
    const { kept } = back((system, { journal }) => write(system, journal.ledgers[0]?.path ?? '', '{}'));
    expect(kept).toEqual(['the ledger']);
  });

  test('puts the mode back where it alone was changed', () => {
    const system = world();
    const plan = approvedPlan('/repo', [filePlan(system, '/repo', 'edit.json', 'old', { mode: 0o755 })]);
    const draft = draftJournal(system, state, plan);
    stage(system, state, draft);
    commitJournal(system, draft.journal);
    expect(system.reader.lstat('/repo/edit.json')?.mode).toBe(0o755);
    restoreJournal(system, draft.journal);
    expect(system.reader.lstat('/repo/edit.json')?.mode).toBe(0o640);
    system.writer.chmod('/repo/edit.json', 0o700);
    restoreJournal(system, draft.journal);
    expect(system.reader.lstat('/repo/edit.json')?.mode).toBe(0o700);
  });

  test.each([
    ['is gone', (system: MemorySystem, path: string) => system.writer.remove(path)],
    ['is damaged', (system: MemorySystem, path: string) => write(system, path, 'other')],
  ])('stops where a backup %s, and says what to do', (_, hurt) => {
    expect(() => back((system, { journal }) => hurt(system, journal.steps[1]?.backup ?? ''))).toThrow(
      expect.objectContaining({
        code: 'recover/failed',
        exit: 5,
        state: 'needs-recover',
        message: 'The backup of edit.json is missing or damaged, so it cannot be put back.',
        remedy: {
          text: 'Put the file back by hand (git has its committed state), then run tenon recover.',
        },
      }),
    );
  });

  test('makes folders again with the mode that they had', () => {
    const system = world();
    system.writer.chmod('/repo/gone', 0o700);
    const draft = staged(system);
    commitJournal(system, draft.journal);
    restoreJournal(system, draft.journal);
    expect(system.snapshot('/repo')['/repo/gone']).toBe('directory 700 ');
  });

  test('leaves a folder of ours that someone uses', () => {
    const { system } = back((one) => one.writer.createExclusive('/repo/a/own', new Uint8Array(), 0o644));
    expect(Object.keys(repo(system)).filter((path) => path.startsWith('/repo/a'))).toEqual([
      '/repo/a',
      '/repo/a/own',
    ]);
  });

  test('does not make a file again that someone took away', () => {
    const { system, kept } = back((one) => one.writer.rename('/repo/edit.json', '/repo/moved.json'));
    expect(kept).toEqual(['edit.json']);
    expect(repo(system)).toMatchObject({ '/repo/moved.json': 'file 640 new' });
    expect(Object.keys(repo(system))).not.toContain('/repo/edit.json');
  });
});
