import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { recover } from '../../../src/engine/recover.ts';
import { applyPlan } from '../../../src/engine/transaction.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import type { System, Writer } from '../../../src/system/ports.ts';
import { realSystem } from '../../../src/system/real.ts';
import { approvedPlan, filePlan } from '../../helpers/plan.ts';
import { scratch, treeOf, writeTree } from '../../helpers/repo.ts';

interface World {
  readonly repo: string;
  readonly outside: string;
  readonly system: System;
  readonly state: ReturnType<typeof openStateFolder>;
}

/** A real system that calls `after` behind every call of its writer. */
function world(after: (call: string, target: string, at: World) => void): World {
  const repo = scratch();
  const outside = scratch();
  writeTree(repo, { '.git/HEAD': 'ref: refs/heads/main\n', '.claude/old.json': 'old\n' });
  const real = realSystem();
  const writer = Object.fromEntries(
    Object.entries(real.writer).map(([call, run]) => [
      call,
      (target: string, ...more: unknown[]) => {
        (run as (...all: unknown[]) => unknown)(target, ...more);
        after(call, target, at);
      },
    ]),
  ) as unknown as Writer;
  const host = { ...real.host, env: { TENON_STATE_DIR: path.join(scratch(), 'state') } };
  const system: System = { ...real, host, writer };
  const at: World = { repo, outside, system, state: openStateFolder(system) };
  return at;
}

/** What somebody does who can write into the repository: the folder goes elsewhere, and a link leads there. */
function swap({ repo, outside }: World): void {
  fs.renameSync(path.join(repo, '.claude'), path.join(outside, 'target'));
  fs.symlinkSync(path.join(outside, 'target'), path.join(repo, '.claude'));
}

const planOf = (at: World) =>
  approvedPlan(at.repo, [
    filePlan(at.system, at.repo, '.claude/new.json', 'new\n'),
    filePlan(at.system, at.repo, '.claude/old.json', 'changed\n'),
    filePlan(at.system, at.repo, '.claude/below/deep.json', 'deep\n', {
      makeDirs: [path.join(at.repo, '.claude/below')],
    }),
  ]);

const isStaged = (target: string): boolean => path.basename(target).startsWith('.tenon-');

describe('a folder that is replaced by a link while a plan is applied', () => {
  it.each<[string, (call: string, target: string) => boolean]>([
    ['before anything is staged', (call, target) => call === 'createExclusive' && target.endsWith('.old')],
    ['after folders are made', (call) => call === 'makeDir'],
    ['after the first file is staged', (call, target) => call === 'createExclusive' && isStaged(target)],
    ['between staging and renaming', (call, target) => call === 'syncDir' && target.endsWith('.claude')],
    ['between two renames', (call, target) => call === 'rename' && isStaged(target)],
  ])('leads no byte out of the repository: %s', async (_, isMoment) => {
    let seen: object | undefined;
    const at = world((call, target, here) => {
      if (seen !== undefined || !isMoment(call, target)) return;
      if (call === 'makeDir' && !target.startsWith(here.repo)) return;
      swap(here);
      seen = treeOf(here.outside);
    });
    await expect(applyPlan(at.system, at.state, planOf(at), { ledgerBases: {} })).rejects.toThrow();
    expect(seen).toBeDefined();
    expect(treeOf(at.outside)).toEqual(seen);
    for (const undo of [false, true]) {
      await recover(at.system, at.state, at.repo, { undo }).catch(() => undefined);
      expect(treeOf(at.outside)).toEqual(seen);
    }
  });
});

describe('a folder that is swapped before its own is made in it', () => {
  it('is told with the files that it was for, and no others', async () => {
    let isDone = false;
    const at = world((call, target, here) => {
      if (isDone || call !== 'createExclusive' || !target.endsWith('.old')) return;
      isDone = true;
      swap(here);
    });
    const error = await applyPlan(at.system, at.state, planOf(at), { ledgerBases: {} }).catch((one) => one);
    expect(error.code).toBe('apply/rolled-back');
    expect(error.message).toContain('.claude/below/deep.json');
    expect(error.message).not.toContain('.claude/new.json');
  });
});

describe('a file that got a second name since the plan', () => {
  it('is not replaced, which would separate the two', async () => {
    const at = world(() => {});
    const plan = planOf(at);
    const [file, other] = [path.join(at.repo, '.claude/old.json'), path.join(at.outside, 'other.json')];
    fs.linkSync(file, other);
    const before = [treeOf(at.repo), treeOf(at.outside)];
    await expect(applyPlan(at.system, at.state, plan, { ledgerBases: {} })).rejects.toMatchObject({
      code: 'plan/stale',
    });
    expect([treeOf(at.repo), treeOf(at.outside)]).toEqual(before);
  });
});
