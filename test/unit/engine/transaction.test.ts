import { describe, expect, it } from 'vitest';
import { hashFile } from '../../../src/engine/file-hash.ts';
import { recover } from '../../../src/engine/recover.ts';
import { applyPlan } from '../../../src/engine/transaction.ts';
import type { ApprovedPlan } from '../../../src/engine/types.ts';
import { TenonError } from '../../../src/errors/error.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import { pendingJournal } from '../../../src/state/journal.ts';
import { ledgerBytes, ledgerPath, loadLedger } from '../../../src/state/ledger-store.ts';
import { faultSystem } from '../../../src/system/fault.ts';
import { type MemoryEntry, type MemorySystem, memorySystem } from '../../../src/system/memory.ts';
import type { System } from '../../../src/system/ports.ts';
import { ledgerOf } from '../../helpers/ledger.ts';
import { approvedPlan, filePlan } from '../../helpers/plan.ts';

const start: Record<string, MemoryEntry> = {
  '/repo/.git': { directory: true },
  '/repo/.mcp.json': { text: '{ "mcpServers": {} }\n', mode: 0o640 },
  '/repo/README.md': '# here\n',
  '/repo/old/gone.json': { text: 'gone\n', mode: 0o600 },
  '/home/u/.claude.json': { text: '{}', mode: 0o600 },
};
const oldLedger = ledgerOf('/repo', { records: [] });
const newLedger = ledgerOf('/repo');

/** Creates in new folders, edits, deletes with its folder, and touches a user file; two ledgers. */
function scenario(system: System): ApprovedPlan {
  return approvedPlan(
    '/repo',
    [
      filePlan(system, '/repo', '.mcp.json', '{ "mcpServers": { "vera": {} } }\n'),
      filePlan(system, '/repo', 'old/gone.json', undefined, { removeDirs: ['/repo/old'] }),
      filePlan(system, '/repo', '.claude/skills/vera/SKILL.md', '# vera\n', {
        order: 'early',
        makeDirs: ['/repo/.claude', '/repo/.claude/skills', '/repo/.claude/skills/vera'],
      }),
      filePlan(system, '/repo', '~/.claude.json', '{"x":1}', {
        abs: '/home/u/.claude.json',
        real: '/home/u/.claude.json',
        mode: 0o600,
        outside: true,
        base: system.reader.readFile('/home/u/.claude.json'),
      }),
    ],
    { root: newLedger, user: ledgerOf('~') },
  );
}

const ledgerFile = ledgerPath(openStateFolder(memorySystem(start)), '/repo');
const world = (): MemorySystem =>
  memorySystem({ ...start, [ledgerFile]: { text: ledgerBytes(oldLedger), mode: 0o600 } });
const bases = (system: System) => {
  const state = openStateFolder(system);
  return { root: loadLedger(system, state, '/repo').hash, user: loadLedger(system, state, '~').hash };
};
const apply = (system: System, plan: ApprovedPlan) =>
  applyPlan(system, openStateFolder(system), plan, { ledgerBases: bases(system) });

/** What users and later runs see: repository, user file, ledgers. */
const seen = (system: MemorySystem) => ({
  repo: system.snapshot('/repo'),
  user: system.snapshot('/home/u/.claude.json'),
  ledgers: Object.fromEntries(
    Object.entries(system.snapshot('/home/u/.local/state/tenon/ledger')).filter(([path]) =>
      path.endsWith('.json'),
    ),
  ),
});
const before = seen(world());
async function codeOf(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof TenonError) return `${error.code} ${error.exit} ${error.state}`;
    throw error;
  }
  return 'none';
}
const after = await (async () => {
  const system = world();
  await apply(system, scenario(system));
  return seen(system);
})();
const strays = (system: MemorySystem) =>
  Object.keys(system.snapshot()).filter((path) => /\.tenon-|\.tmp$|\.lock/.test(path));

describe('applyPlan', { timeout: 60_000 }, () => {
  it('writes every file, keeps modes, removes emptied folders, and tells what is on disk', async () => {
    const system = world();
    const result = await apply(system, scenario(system));
    expect(result.findings).toEqual([]);
    expect(result.files.map(({ path, action }) => `${action} ${path}`)).toEqual([
      'create .claude/skills/vera/SKILL.md',
      'edit .mcp.json',
      'edit ~/.claude.json',
      'delete old/gone.json',
    ]);
    expect(system.snapshot('/repo')).toEqual({
      '/repo': 'directory 755 ',
      '/repo/.claude': 'directory 755 ',
      '/repo/.claude/skills': 'directory 755 ',
      '/repo/.claude/skills/vera': 'directory 755 ',
      '/repo/.claude/skills/vera/SKILL.md': 'file 644 # vera\n',
      '/repo/.git': 'directory 755 ',
      '/repo/.mcp.json': 'file 640 { "mcpServers": { "vera": {} } }\n',
      '/repo/README.md': 'file 644 # here\n',
    });
    expect(loadLedger(system, openStateFolder(system), '/repo').ledger.records).toHaveLength(
      newLedger.records.length,
    );
    expect(strays(system)).toEqual([]);
    expect(pendingJournal(system, openStateFolder(system), '/repo')).toBeUndefined();
    expect(after).not.toEqual(before);
  });

  it('is all or nothing when any one write fails (law 6)', async () => {
    const counting = faultSystem(world(), { at: 0 });
    await apply(counting, scenario(counting));
    const outcomes = new Set<string>();
    for (let at = 1; at <= counting.count(); at += 1) {
      for (const torn of [false, true]) {
        const inner = world();
        const system = faultSystem(inner, { at, code: 'ENOSPC', torn });
        const code = await codeOf(() => apply(system, scenario(system)));
        outcomes.add(code);
        const state = seen(inner);
        const where = `fault ${at} of ${counting.count()}: ${code}`;
        expect({ where, state }).toEqual({ where, state: code === 'none' ? after : before });
        if (code !== 'none')
          expect([where, pendingJournal(inner, openStateFolder(inner), '/repo')]).toEqual([where, undefined]);
        expect([where, strays(inner).filter((path) => !path.includes('.lock'))]).toEqual([where, []]);
      }
    }
    expect([...outcomes].sort()).toEqual([
      'apply/rolled-back 5 restored',
      'none',
      'state/unwritable 4 nothing-written',
    ]);
  });

  it('is recoverable when it ends at any write (killed process)', async () => {
    const counting = faultSystem(world(), { at: 0 });
    await apply(counting, scenario(counting));
    const outcomes = new Set<string>();
    for (let at = 1; at <= counting.count(); at += 1) {
      for (const undo of [false, true]) {
        for (const torn of [false, true]) {
          const inner = world();
          const killed = faultSystem(inner, { at, lasts: 'forever', torn });
          const code = await codeOf(() => apply(killed, scenario(killed)));
          // The next run is another process of the same host, and the first one is gone.
          const next = {
            ...inner,
            host: { ...inner.host, pid: 5000 },
            exec: { ...inner.exec, isAlive: () => false },
          };
          const folder = openStateFolder(next);
          const pending = pendingJournal(next, folder, '/repo') !== undefined;
          const result = await recover(next, folder, '/repo', { undo });
          const where = `killed at ${at} of ${counting.count()} (${code}): ${result.outcome}`;
          outcomes.add(result.outcome);
          const expected =
            result.outcome === 'finished'
              ? after
              : result.outcome === 'undone'
                ? before
                : code === 'none'
                  ? after
                  : before;
          expect({ where, state: seen(inner) }).toEqual({ where, state: expected });
          expect([where, pending]).toEqual([where, result.outcome !== 'nothing']);
          expect([where, result.findings]).toEqual([where, []]);
          expect([where, strays(inner).filter((path) => path.startsWith('/repo'))]).toEqual([where, []]);
          if (undo) expect(result.outcome).not.toBe('finished');
          const again = await codeOf(() =>
            apply(next, approvedPlan('/repo', [filePlan(next, '/repo', 'x', 'x')])),
          );
          expect([where, again]).toEqual([where, 'none']);
        }
      }
    }
    expect([...outcomes].sort()).toEqual(['finished', 'nothing', 'undone']);
  });

  it('survives that recovery is interrupted as well', async () => {
    const counting = faultSystem(world(), { at: 0 });
    await apply(counting, scenario(counting));
    let interrupted = 0;
    for (let at = 1; at <= counting.count(); at += 8) {
      for (let second = 1; ; second += 1) {
        const inner = world();
        const killed = faultSystem(inner, { at, lasts: 'forever' });
        await codeOf(() => apply(killed, scenario(killed)));
        const dead = { ...inner.exec, isAlive: () => false };
        const next = faultSystem({ ...inner, exec: dead }, { at: second, lasts: 'forever' });
        const folder = openStateFolder(next);
        try {
          await recover(next, folder, '/repo', { undo: at % 2 === 0 });
        } catch {
          interrupted += 1;
        }
        const done = next.count() < second;
        const last = { ...inner, exec: dead };
        await recover(last, openStateFolder(last), '/repo');
        const state = seen(inner);
        const where = `killed at ${at}, then at ${second}`;
        expect({
          where,
          fits: [before, after].some((one) => JSON.stringify(one) === JSON.stringify(state)),
        }).toEqual({ where, fits: true });
        expect([where, strays(inner).filter((path) => path.startsWith('/repo'))]).toEqual([where, []]);
        if (done) break;
      }
    }
    expect(interrupted).toBeGreaterThan(10);
  });

  it('refuses to write while an interrupted apply is pending', async () => {
    const inner = world();
    const killed = faultSystem(inner, { at: 25, lasts: 'forever' });
    await codeOf(() => apply(killed, scenario(killed)));
    const next = { ...inner, exec: { ...inner.exec, isAlive: () => false } };
    const plan = approvedPlan('/repo', [filePlan(next, '/repo', 'x', 'x')]);
    const held = seen(inner);
    expect(await codeOf(() => apply(next, plan))).toBe('recover/needed 5 needs-recover');
    expect(seen(inner)).toEqual(held);
    const other = approvedPlan('/other', [
      filePlan(next, '/repo', '~/.claude.json', 'x', { abs: '/home/u/.claude.json', outside: true }),
    ]);
    expect(await codeOf(() => apply(next, other))).toBe('recover/needed 5 needs-recover');
  });

  it.each([
    [
      'an edited file',
      (system: MemorySystem) => system.writer.writeInPlace('/repo/.mcp.json', new Uint8Array([1])),
    ],
    [
      'a file that appeared',
      (system: MemorySystem) => {
        for (const dir of ['/repo/.claude', '/repo/.claude/skills', '/repo/.claude/skills/vera'])
          system.writer.makeDir(dir);
        system.writer.createExclusive('/repo/.claude/skills/vera/SKILL.md', new Uint8Array(), 0o644);
      },
    ],
    ['a folder that appeared', (system: MemorySystem) => system.writer.makeDir('/repo/.claude')],
    ['a file that went', (system: MemorySystem) => system.writer.remove('/repo/old/gone.json')],
    [
      'a file that became a folder',
      (system: MemorySystem) => {
        system.writer.remove('/repo/.mcp.json');
        system.writer.makeDir('/repo/.mcp.json');
      },
    ],
    [
      'another ledger',
      (system: MemorySystem) =>
        system.writer.writeInPlace(ledgerPath(openStateFolder(system), '/repo'), ledgerBytes(newLedger)),
    ],
  ])('refuses a stale plan: %s (case F07)', async (_, change) => {
    const system = world();
    const plan = scenario(system);
    const ledgerBases = bases(system);
    change(system);
    const changed = seen(system);
    expect(await codeOf(() => applyPlan(system, openStateFolder(system), plan, { ledgerBases }))).toBe(
      'plan/stale 6 nothing-written',
    );
    expect(seen(system)).toEqual(changed);
    expect(strays(system)).toEqual([]);
  });

  it('refuses new records for a file that holds something else by now, also where the ledger is the same again', async () => {
    const system = world();
    const { files: _none, ...rest } = scenario(system);
    const plan = (hash: ReturnType<typeof hashFile>) =>
      ({
        ...rest,
        files: [],
        seen: [{ path: '.mcp.json', real: '/repo/.mcp.json', hash }],
      }) as unknown as ApprovedPlan;
    const before = seen(system);
    expect(await codeOf(() => apply(system, plan('absent')))).toBe('plan/stale 6 nothing-written');
    expect(seen(system)).toEqual(before);
    const there = hashFile(system.reader, '/repo/.mcp.json');
    expect(await codeOf(() => apply(system, plan(there)))).toBe('none');
    expect(seen(system)).not.toEqual(before);
  });

  it('takes everything back when a file changes between staging and its own rename', async () => {
    const system = world();
    let renames = 0;
    const racing: System = {
      ...system,
      writer: {
        ...system.writer,
        rename(from, to) {
          system.writer.rename(from, to);
          if (!to.startsWith('/repo')) return;
          renames += 1;
          if (renames === 1)
            system.writer.writeInPlace('/repo/.mcp.json', new TextEncoder().encode('theirs'));
        },
      },
    };
    const plan = scenario(racing);
    expect(await codeOf(() => apply(racing, plan))).toBe('apply/rolled-back 5 restored');
    const state = seen(system);
    expect(state.repo['/repo/.mcp.json']).toBe('file 640 theirs');
    expect({ ...state.repo, '/repo/.mcp.json': '' }).toEqual({ ...before.repo, '/repo/.mcp.json': '' });
    expect([state.user, state.ledgers]).toEqual([before.user, before.ledgers]);
  });

  it.each([
    ['the journal', (from: string) => /journal\/\w+\.json$/.test(from), 'run tenon recover'],
    ['the history', (_from: string, to: string) => to.includes('/history/'), 'the history could not be'],
  ])('tells that %s could not be put away, and that everything is written', async (_, isIt, says) => {
    const system = world();
    const failing: System = {
      ...system,
      writer: {
        ...system.writer,
        rename(from, to) {
          if (isIt(from, to)) throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
          system.writer.rename(from, to);
        },
      },
    };
    const { files, findings } = await apply(failing, scenario(failing));
    expect(files.length).toBeGreaterThan(3);
    expect(findings.map(({ code }) => code)).toEqual(['state/leftover']);
    expect(findings[0]?.message).toContain(says);
    expect(findings[0]?.message).toContain('EIO');
  });

  it.each(['/repo/', '/ledger/'])(
    'takes everything back when a disk keeps other bytes than it was given: %s',
    async (place) => {
      const system = world();
      const lossy: System = {
        ...system,
        writer: {
          ...system.writer,
          createExclusive: (path, bytes, mode) =>
            system.writer.createExclusive(path, path.includes(place) ? bytes.slice(1) : bytes, mode),
        },
      };
      expect(await codeOf(() => apply(lossy, scenario(lossy)))).toBe('apply/rolled-back 5 restored');
      expect(seen(system)).toEqual(before);
      expect(strays(system)).toEqual([]);
    },
  );

  it('stops cleanly when it is interrupted before the first rename', async () => {
    const system = world();
    let asked = 0;
    const interrupted = () => {
      asked += 1;
      return asked === 2;
    };
    const run = () =>
      applyPlan(system, openStateFolder(system), scenario(system), {
        ledgerBases: bases(system),
        interrupted,
      });
    expect(await codeOf(run)).toBe('run/interrupted 130 nothing-written');
    expect(seen(system)).toEqual(before);
    expect(strays(system)).toEqual([]);
    expect(pendingJournal(system, openStateFolder(system), '/repo')).toBeUndefined();
  });

  it('keeps an edit that was made between a crash and recovery, and reports it', async () => {
    const counting = faultSystem(world(), { at: 0 });
    await apply(counting, scenario(counting));
    let kept = 0;
    for (let at = 1; at <= counting.count(); at += 1) {
      const inner = world();
      const killed = faultSystem(inner, { at, lasts: 'forever' });
      await codeOf(() => apply(killed, scenario(killed)));
      const next = { ...inner, exec: { ...inner.exec, isAlive: () => false } };
      if (pendingJournal(next, openStateFolder(next), '/repo') === undefined) continue;
      inner.writer.writeInPlace('/repo/.mcp.json', new TextEncoder().encode('mine'));
      const result = await recover(next, openStateFolder(next), '/repo');
      const where = `killed at ${at}`;
      expect([
        where,
        result.outcome,
        result.findings.map(({ code, subject }) => `${code} ${subject}`),
      ]).toEqual([where, 'undone', ['recover/kept .mcp.json']]);
      const state = seen(inner);
      expect({ where, ...state.repo, '/repo/.mcp.json': '' }).toEqual({
        where,
        ...before.repo,
        '/repo/.mcp.json': '',
      });
      expect([where, state.repo['/repo/.mcp.json'], state.user, state.ledgers]).toEqual([
        where,
        'file 640 mine',
        before.user,
        before.ledgers,
      ]);
      kept += 1;
    }
    expect(kept).toBeGreaterThan(5);
  });

  it('writes hard-linked files in place, also across a torn write', async () => {
    const files = { '/repo/a.json': 'aaaaaaaaaa', '/repo/b.json': { hardLink: '/repo/a.json' } } as const;
    for (const text of ['bbbb', 'bbbbbbbbbbbbbbbb', '']) {
      const good = memorySystem(files);
      const plan = (system: System) =>
        approvedPlan('/repo', [filePlan(system, '/repo', 'a.json', text, { inPlace: true })]);
      await apply(good, plan(good));
      expect(good.snapshot('/repo')).toMatchObject({
        '/repo/a.json': `file 644 ${text}`,
        '/repo/b.json': `file 644 ${text}`,
      });
      const inner = memorySystem(files);
      const torn = faultSystem(inner, { at: 1, calls: ['writeInPlace'], lasts: 'forever', torn: true });
      await codeOf(() => apply(torn, plan(torn)));
      expect(inner.snapshot('/repo/a.json')['/repo/a.json']).not.toBe(`file 644 ${text}`);
      const next = { ...inner, exec: { ...inner.exec, isAlive: () => false } };
      const result = await recover(next, openStateFolder(next), '/repo', { undo: true });
      expect([text, result.outcome, result.findings]).toEqual([text, 'undone', []]);
      expect(inner.snapshot('/repo')).toEqual(memorySystem(files).snapshot('/repo'));
    }
  });

  it('writes through links and keeps them; a link that was turned meanwhile is stale (cases E08, F01)', async () => {
    const files = {
      '/repo/dots/mcp.json': { text: '{}', mode: 0o600 },
      '/repo/.mcp.json': { link: 'dots/mcp.json' },
      '/repo/.agents/skills/other/SKILL.md': 'x',
      '/repo/.claude/skills': { link: '../.agents/skills' },
    } as const;
    const planFor = (system: System) =>
      approvedPlan('/repo', [
        filePlan(system, '/repo', '.mcp.json', '{"x":1}', { real: '/repo/dots/mcp.json' }),
        filePlan(system, '/repo', '.claude/skills/vera/SKILL.md', 'v', {
          real: '/repo/.agents/skills/vera/SKILL.md',
          makeDirs: ['/repo/.agents/skills/vera'],
        }),
      ]);
    const system = memorySystem(files);
    await apply(system, planFor(system));
    expect(system.snapshot('/repo')).toMatchObject({
      '/repo/.mcp.json': 'link 777 dots/mcp.json',
      '/repo/dots/mcp.json': 'file 600 {"x":1}',
      '/repo/.claude/skills': 'link 777 ../.agents/skills',
      '/repo/.agents/skills/vera/SKILL.md': 'file 644 v',
    });
    for (const turned of ['/repo/.mcp.json', '/repo/.claude/skills']) {
      const moved = memorySystem({ ...files, '/home/u/evil/x': '{}', [turned]: { link: '/home/u/evil/x' } });
      const plan = planFor(memorySystem(files));
      expect(await codeOf(() => apply(moved, plan))).toBe('plan/stale 6 nothing-written');
      expect(moved.snapshot('/home/u/evil/x')).toEqual({ '/home/u/evil/x': 'file 644 {}' });
    }
  });

  it('keeps the owner, also when the file is put back', async () => {
    const owned = (): MemorySystem => {
      const system = memorySystem({ '/repo/a.json': 'a', '/repo/b.json': 'b' });
      system.writer.chown('/repo/a.json', 7, 8);
      return system;
    };
    const plan = (system: System) =>
      approvedPlan('/repo', [
        filePlan(system, '/repo', 'a.json', 'x'),
        filePlan(system, '/repo', 'b.json', 'y'),
      ]);
    const good = owned();
    await apply(good, plan(good));
    expect(good.reader.lstat('/repo/a.json')).toMatchObject({ uid: 7, gid: 8, size: 1 });
    const inner = owned();
    const system: System = {
      ...inner,
      writer: {
        ...inner.writer,
        rename(from, to) {
          if (to === '/repo/b.json') throw Object.assign(new Error('EIO'), { code: 'EIO' });
          inner.writer.rename(from, to);
        },
      },
    };
    expect(await codeOf(() => apply(system, plan(system)))).toBe('apply/rolled-back 5 restored');
    expect(inner.reader.lstat('/repo/a.json')).toMatchObject({ uid: 7, gid: 8 });
    const poor = owned();
    const refused: System = {
      ...poor,
      writer: {
        ...poor.writer,
        chown: () => {
          throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
        },
      },
    };
    const before = poor.snapshot('/repo');
    expect(await codeOf(() => apply(refused, plan(refused)))).toBe('file/owner 4 nothing-written');
    expect(poor.snapshot('/repo')).toEqual(before);
  });

  it('changes a mode alone, and takes that back', async () => {
    const system = memorySystem({ '/repo/run.sh': { text: 'x', mode: 0o644 } });
    const plan = approvedPlan('/repo', [filePlan(system, '/repo', 'run.sh', 'x', { mode: 0o755 })]);
    await apply(system, plan);
    expect(system.snapshot('/repo/run.sh')).toEqual({ '/repo/run.sh': 'file 755 x' });
    const inner = memorySystem({ '/repo/run.sh': { text: 'x', mode: 0o644 }, '/repo/z': 'z' });
    const both = approvedPlan('/repo', [...plan.files, filePlan(inner, '/repo', 'z', 'y')]);
    const failing = faultSystem(inner, { at: 3, calls: ['rename'], code: 'EIO' });
    expect(await codeOf(() => apply(failing, both))).toBe('apply/rolled-back 5 restored');
    expect(inner.snapshot('/repo/run.sh')).toEqual({ '/repo/run.sh': 'file 644 x' });
  });

  it('keeps a folder of ours that someone else uses by now', async () => {
    const system = memorySystem({ '/repo/.claude/a.md': 'a', '/repo/.claude/theirs.md': 'b' });
    await apply(
      system,
      approvedPlan('/repo', [
        filePlan(system, '/repo', '.claude/a.md', undefined, { removeDirs: ['/repo/.claude'] }),
      ]),
    );
    expect(Object.keys(system.snapshot('/repo'))).toEqual([
      '/repo',
      '/repo/.claude',
      '/repo/.claude/theirs.md',
    ]);
  });

  it('refuses a plan whose hashes are not those of its bytes', async () => {
    const system = world();
    const file = filePlan(system, '/repo', '.mcp.json', 'x');
    const plan = approvedPlan('/repo', [{ ...file, result: new Uint8Array([7]) }]);
    await expect(apply(system, plan)).rejects.toThrow('names other bytes than it holds');
    expect(seen(system)).toEqual(before);
  });

  it('writes nothing at all for a plan without a change', async () => {
    const system = world();
    const lockless = (one: Record<string, string>) =>
      Object.keys(one).filter((path) => !/\/journal$/.test(path));
    const whole = lockless(system.snapshot());
    await apply(system, approvedPlan('/repo', [], { root: oldLedger }));
    expect(lockless(system.snapshot())).toEqual(whole);
  });
});
