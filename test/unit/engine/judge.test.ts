import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanResult } from '../../../src/engine/plan.ts';
import type { PlanRequest } from '../../../src/engine/plan-request.ts';
import type { Desired } from '../../../src/engine/types.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import type { Json } from '../../../src/lib/json.ts';
import { MemoryRepo, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const FILE = '.mcp.json';
const AT = `${FILE}#/mcpServers/vera`;
const old = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
const fresh = { type: 'http', url: 'http://127.0.0.1:2/mcp' };
const mine = { type: 'http', url: 'http://127.0.0.1:9/mcp' };

const vera = (value: Json = old, more: Partial<Desired> = {}): Desired =>
  want(FILE, ['mcpServers', 'vera'], value, more);
const text = (value: Json | undefined): string =>
  `${JSON.stringify({ mcpServers: value === undefined ? {} : { vera: value } }, null, 2)}\n`;

/** A repository in which tenon wrote these values one after the other, and in which this stands now. */
function repoWith(written: readonly Json[], now?: Json | undefined): MemoryRepo {
  const repo = new MemoryRepo({ [FILE]: text(undefined) });
  for (const value of written) repo.apply(repo.plan([vera(value)]));
  if (now !== undefined || written.length === 0) repo.files.set(FILE, text(now));
  return repo;
}
const gone = (written: readonly Json[]): MemoryRepo => {
  const repo = repoWith(written);
  repo.files.set(FILE, text(undefined));
  return repo;
};

/** What a user sees of the one address. */
function told(result: PlanResult) {
  const [judgement] = result.judgements;
  const [op] = result.plan.ops;
  return {
    standing: judgement?.standing,
    op: op === undefined ? undefined : `${op.action}: ${op.reason}`,
    writes: result.plan.files.length > 0,
    approval: op?.approval,
    findings: result.plan.findings.map(({ code, severity }) => `${severity} ${code}`),
    conflicts: result.plan.conflicts.map(({ code }) => code),
  };
}
const entryAfter = ({ plan }: PlanResult): Json => {
  const bytes = plan.files[0]?.result;
  return JSON.parse(new TextDecoder().decode(bytes)).mcpServers.vera ?? null;
};
const listed: Partial<PlanRequest> = {
  known: { external: new Set(), excluded: new Set(), listed: new Set(['vera']) },
};
const answers = (change: Partial<PlanRequest['choices']>): Partial<PlanRequest> => ({
  choices: { resolve: () => undefined, force: () => false, restore: () => false, ...change },
});
const only = (address: string) => (one: string) => one === address;
const quiet = { findings: [], conflicts: [] };
const removal: Partial<PlanRequest> = { command: 'uninstall', uncovered: () => 'remove' };

describe('the ownership table, with a wish', () => {
  test.each<[string, () => PlanResult, object]>([
    [
      'nothing there: create',
      () => repoWith([]).plan([vera()]),
      {
        standing: 'missing',
        op: 'create: not there yet',
        writes: true,
        approval: 'project-files',
        ...quiet,
      },
    ],
    [
      'equal and not ours: reuse, never owned',
      () => repoWith([], old).plan([vera()]),
      {
        standing: 'external',
        op: 'reuse: there already with an equal value; not owned',
        writes: false,
        approval: 'none',
        ...quiet,
      },
    ],
    [
      'equal and listed as ours by the manifest: adoptable',
      () => repoWith([], old).plan([vera()], listed),
      {
        standing: 'adoptable',
        op: 'keep: set up on another host; tenon adopt takes it',
        writes: false,
        approval: 'none',
        ...quiet,
      },
    ],
    [
      'another value: conflict',
      () => repoWith([], mine).plan([vera()]),
      { standing: 'conflict', op: undefined, writes: false, conflicts: ['ownership/not-ours'] },
    ],
    [
      'as written: keep',
      () => repoWith([old]).plan([vera()]),
      { standing: 'managed', op: 'keep: as written', writes: false, approval: 'none', ...quiet },
    ],
    [
      'equal to the wish, another recorded last: the record alone',
      () => repoWith([old], fresh).plan([vera(fresh)]),
      {
        standing: 'managed',
        op: 'refresh: equal already; the record is brought up to date',
        writes: false,
        approval: 'none',
        ...quiet,
      },
    ],
    [
      'untouched and another wanted: update',
      () => repoWith([old]).plan([vera(fresh)]),
      { standing: 'stale', op: 'update: sets url', writes: true, approval: 'project-files', ...quiet },
    ],
    [
      'touched and the same wanted: drift',
      () => repoWith([old], mine).plan([vera()]),
      {
        standing: 'drifted',
        op: 'keep: edited after tenon wrote it (url)',
        writes: false,
        findings: ['error ownership/drifted'],
        conflicts: [],
      },
    ],
    [
      'touched and the same leaf changes: conflict',
      () => repoWith([old], mine).plan([vera(fresh)]),
      { standing: 'conflict', op: undefined, writes: false, conflicts: ['ownership/both-changed'] },
    ],
    [
      'touched and another leaf changes: merge',
      () => repoWith([old], mine).plan([vera({ ...old, timeout: 5 })]),
      {
        standing: 'stale',
        op: 'merge: sets timeout; keeps your url',
        writes: true,
        findings: ['error ownership/drifted'],
        conflicts: [],
      },
    ],
    [
      'taken out by the user: left out',
      () => gone([old]).plan([vera()], listed),
      {
        standing: 'missing',
        op: undefined,
        writes: false,
        findings: ['warning ownership/removed'],
        conflicts: [],
      },
    ],
    [
      'recorded and gone, but not set up here any more: brought back by a setup',
      () => gone([old]).plan([vera()]),
      { standing: 'missing', op: 'restore: brought back', writes: true, ...quiet },
    ],
  ])('%s', (_, run, expected) => {
    expect(told(run())).toMatchObject(expected);
  });

  test('an update takes out what is not wanted any more, and says so', () => {
    const result = repoWith([{ ...old, headers: { 'X-A': '1' } }]).plan([vera(fresh)]);
    expect(result.plan.ops[0]?.reason).toBe('sets url, takes out headers.X-A');
    expect(entryAfter(result)).toEqual(fresh);
    const less = repoWith([{ ...old, timeout: 5 }]).plan([vera()]);
    expect(less.plan.ops[0]?.reason).toBe('takes out timeout');
  });

  test('a merge leaves what the user changed', () => {
    expect(entryAfter(repoWith([old], mine).plan([vera({ ...old, timeout: 5 })]))).toEqual({
      ...mine,
      timeout: 5,
    });
  });

  test('an untouched older generation is stale, never drift', () => {
    const result = repoWith([old, fresh], old).plan([vera(fresh)]);
    expect(told(result)).toMatchObject({ standing: 'stale', writes: true, ...quiet });
    expect(entryAfter(result)).toEqual(fresh);
  });

  test('a flipped switch is no drift and survives an update', () => {
    const repo = repoWith([old], { ...old, enabled: false });
    expect(told(repo.plan([vera()]))).toMatchObject({ standing: 'managed', ...quiet });
    expect(entryAfter(repo.plan([vera(fresh)]))).toEqual({ ...fresh, enabled: false });
  });
});

describe('the ownership table, without a wish', () => {
  const uninstall = (repo: MemoryRepo, more: Partial<PlanRequest> = {}) =>
    repo.plan([], { ...removal, ...more });

  test('untouched: removed', () => {
    expect(told(uninstall(repoWith([old])))).toMatchObject({
      standing: 'managed',
      op: 'remove: as written',
      writes: true,
      ...quiet,
    });
  });

  test('touched: kept, with both ways out that name the integration', () => {
    const result = uninstall(repoWith([old], mine));
    expect(told(result)).toMatchObject({ standing: 'drifted', writes: false });
    expect(result.plan.findings).toEqual([
      {
        code: 'ownership/drifted',
        severity: 'error',
        subject: AT,
        message: 'was edited after tenon wrote it (url); kept',
        remedy: {
          text: 'Remove it by hand, or force it',
          command: `tenon uninstall vera --force '${AT}'`,
        },
        data: { leaves: ['/url'] },
      },
    ]);
  });

  test('touched and forced: removed', () => {
    const result = uninstall(repoWith([old], mine), answers({ force: only(AT) }));
    expect(told(result)).toMatchObject({ op: 'remove: as written', writes: true, conflicts: [] });
  });

  test('a leaf of the user keeps the entry, a switch of the user does not', () => {
    expect(told(uninstall(repoWith([old], { ...old, note: 'x' })))).toMatchObject({ writes: false });
    expect(told(uninstall(repoWith([old], { ...old, enabled: false })))).toMatchObject({ writes: true });
  });

  test('gone: forgotten by the uninstall of what is set up here, else another branch: kept and not reported', () => {
    const dormant = uninstall(gone([old]));
    expect(told(dormant)).toMatchObject({ standing: 'dormant', op: undefined, writes: false, ...quiet });
    expect(dormant.plan.isEmpty).toBe(true);
    const forgotten = uninstall(gone([old]), listed);
    expect(forgotten.plan.ledgers.root?.records).toEqual([]);
    const sync = gone([old]).plan([], { ...removal, command: 'sync', ...listed });
    expect(sync.plan.isEmpty).toBe(true);
  });
});

describe('what no wish covers', () => {
  const uncovered = (repo: MemoryRepo, how: ReturnType<PlanRequest['uncovered']>) =>
    repo.plan([], { uncovered: () => how });

  test('is left without a word', () => {
    const there = uncovered(repoWith([old]), 'leave');
    expect(told(there)).toMatchObject({ standing: 'managed', op: undefined, ...quiet });
    expect(there.plan.isEmpty).toBe(true);
    expect(told(uncovered(gone([old]), 'leave'))).toMatchObject({ standing: 'dormant', ...quiet });
  });

  test("becomes the user's with forget, without an edit", () => {
    const repo = repoWith([old], mine);
    const result = uncovered(repo, 'forget');
    expect(told(result)).toMatchObject({
      standing: 'dormant',
      op: 'forget: yours from now on',
      writes: false,
      approval: 'none',
      ...quiet,
    });
    expect(result.plan.ledgers.root?.records).toEqual([]);
  });

  test('is reported as stale, with the way to take it out', () => {
    const result = uncovered(repoWith([old]), 'stale');
    expect(told(result)).toMatchObject({ standing: 'stale', op: undefined, writes: false });
    expect(result.plan.findings).toEqual([
      {
        code: 'ownership/stale',
        severity: 'warning',
        subject: AT,
        message: 'no definition asks for this entry of vera any more',
        remedy: { text: 'Take it out', command: 'tenon sync --prune' },
      },
    ]);
    expect(told(uncovered(gone([old]), 'stale'))).toMatchObject({ standing: 'dormant', ...quiet });
  });

  test('and edited is not offered to be pruned, since pruning would leave it', () => {
    const result = uncovered(repoWith([old], mine), 'stale');
    expect(result.plan.findings).toMatchObject([
      {
        code: 'ownership/stale',
        message: 'was edited after tenon wrote it, and no definition asks for this entry of vera any more',
        remedy: {
          text: `Make it yours with tenon forget '${AT}', or take it out with your edits`,
          command: `tenon uninstall vera --force '${AT}'`,
        },
      },
    ]);
    const flipped = uncovered(repoWith([old], { ...old, enabled: false }), 'stale');
    expect(flipped.plan.findings[0]?.remedy?.command).toBe('tenon sync --prune');
  });

  test('goes on with the owners that are left', () => {
    const repo = repoWith([]);
    const other = { integration: 'add:acme', artifact: 'server', version: '1.0.0' };
    repo.apply(repo.plan([vera(), vera(old, { owner: other })]));
    const result = uncovered(repo, { keepOwners: [other] });
    expect(told(result)).toMatchObject({
      standing: 'managed',
      op: 'forget: still owned by add:acme',
      writes: false,
      ...quiet,
    });
    expect(result.plan.ledgers.root?.records).toMatchObject([{ owners: [other] }]);
    repo.files.set(FILE, text(mine));
    const edited = repo.plan([], removal);
    expect(edited.plan.findings[0]?.remedy?.command).toBe(`tenon uninstall vera acme --force '${AT}'`);
  });
});

describe('answers', () => {
  test('--force restores what tenon wrote, and the switch that was flipped', () => {
    const result = repoWith([old], { ...mine, enabled: false }).plan(
      [vera({ ...old, enabled: true })],
      answers({ force: only(AT) }),
    );
    expect(told(result)).toMatchObject({ standing: 'drifted', writes: true, ...quiet });
    expect(result.plan.ops[0]?.reason).toMatch(/^forced: sets /);
    // It stands there and is changed: nothing is created.
    expect(result.plan.ops[0]?.action).toBe('update');
    expect(entryAfter(result)).toEqual({ ...old, enabled: true });
  });

  test('--force of another address changes nothing', () => {
    const result = repoWith([old], mine).plan([vera()], answers({ force: only('.mcp.json#/x') }));
    expect(told(result)).toMatchObject({ standing: 'drifted', writes: false });
  });

  test('--restore brings back what the user took out', () => {
    const result = gone([old]).plan([vera()], { ...listed, ...answers({ restore: only(AT) }) });
    expect(told(result)).toMatchObject({ op: 'restore: brought back', writes: true, ...quiet });
  });

  test('without it the finding names the command', () => {
    expect(gone([old]).plan([vera()], listed).plan.findings).toEqual([
      {
        code: 'ownership/removed',
        severity: 'warning',
        subject: AT,
        message: 'was removed after tenon wrote it, and is left out',
        remedy: { text: 'Bring it back', command: `tenon sync --restore '${AT}'` },
      },
    ]);
  });

  test('adopt takes over an equal entry as it is, and writes only the record', () => {
    const result = repoWith([], old).plan([vera()], { ...listed, adopts: only(AT) });
    expect(told(result)).toMatchObject({
      standing: 'managed',
      op: 'keep: taken over as it is',
      writes: false,
      ...quiet,
    });
    expect(result.plan.ledgers.root?.records).toMatchObject([
      { path: FILE, owners: [{ integration: 'vera' }] },
    ]);
    const other = repoWith([], old).plan([vera()], { ...listed, adopts: only('x') });
    expect(other.plan.isEmpty).toBe(true);
  });

  test('what the manifest calls external is never adoptable', () => {
    const external: Partial<PlanRequest> = {
      known: { external: new Set([AT]), excluded: new Set(), listed: new Set(['vera']) },
      adopts: () => true,
    };
    expect(told(repoWith([], old).plan([vera()], external))).toMatchObject({ standing: 'external' });
  });

  test('records that go because of what a file holds bind the plan to that file, and an idle plan to none', () => {
    const repo = gone([old]);
    const forgets = repo.plan([], { uncovered: () => 'forget' });
    expect(forgets.plan.files).toEqual([]);
    expect(forgets.plan.ledgers.root).toBeDefined();
    expect(forgets.plan.seen).toMatchObject([{ path: FILE }]);
    expect(repoWith([old]).plan([vera()]).plan.seen).toBeUndefined();
  });

  test('what was excluded is left out, where it is not owned', () => {
    const excluded: Partial<PlanRequest> = {
      known: { external: new Set(), excluded: new Set([AT]), listed: new Set(['vera']) },
    };
    const result = repoWith([]).plan([vera()], excluded);
    expect(told(result)).toMatchObject({ standing: 'excluded', op: undefined, writes: false, ...quiet });
    expect(result.judgements[0]?.reason).toBe('left out on purpose');
    expect(told(repoWith([old]).plan([vera()], excluded))).toMatchObject({ standing: 'managed' });
  });
});

describe('an entry of another host, set up by the manifest', () => {
  test.each<[string, Json, string]>([
    ['with a leaf of the user is adoptable', { ...old, note: 'x' }, 'adoptable'],
    ['with a flipped switch is adoptable', { ...old, enabled: false }, 'adoptable'],
    ['with another value is a conflict', { ...mine, enabled: true }, 'conflict'],
    ['that lacks a leaf is a conflict', { url: old.url }, 'conflict'],
  ])('%s', (_, now, standing) => {
    const wish = vera({ ...old, enabled: true }, { switches: ['/enabled'] });
    const there = now as Record<string, Json>;
    const value = 'enabled' in there ? there : { ...there, enabled: true };
    expect(told(repoWith([], value).plan([wish], listed))).toMatchObject({ standing });
    expect(told(repoWith([], value).plan([wish]))).toMatchObject({ standing: 'conflict' });
  });
});

describe('content that is not trusted', () => {
  const untrusted = (value: Json = old, integration = './tools/acme') =>
    vera(value, { trust: 'untrusted', owner: { integration, artifact: 'server', version: '1' } });
  const finding = (why: string) => ({
    code: 'trust/required',
    severity: 'warning',
    subject: AT,
    message: `not written (http://127.0.0.1:8765/mcp): ${why}`,
    remedy: { text: 'Review it and grant it', command: 'tenon trust' },
  });

  test('is left out with the reason, and nothing of it is written or recorded', () => {
    const result = repoWith([]).plan([untrusted()]);
    expect(told(result)).toMatchObject({
      standing: 'untrusted',
      op: undefined,
      writes: false,
      conflicts: [],
    });
    expect(result.plan.findings).toEqual([
      finding('it comes from the repository and is not trusted on this host'),
    ]);
    expect(result.plan.isEmpty).toBe(true);
  });

  test('of add says that it was not granted where it starts a program; else it is of the repository', () => {
    const executes: Desired = { ...untrusted(old, 'add:acme'), class: 'executes' };
    const typed = repoWith([]).plan([executes]);
    expect(typed.plan.findings).toEqual([finding('it starts a program and was not granted on this host')]);
    const address = repoWith([]).plan([untrusted(old, 'add:acme')]);
    expect(address.plan.findings).toEqual([
      finding('it comes from the repository and is not trusted on this host'),
    ]);
    const mixed = repoWith([]).plan([untrusted(old, 'add:acme'), untrusted()]);
    expect(mixed.plan.findings).toEqual([
      finding('it comes from the repository and is not trusted on this host'),
    ]);
  });

  test('is shown as it would be where the plan is refused anyway', () => {
    const result = repoWith([]).plan([untrusted()], { showUntrusted: true });
    expect(told(result)).toMatchObject({
      standing: 'untrusted',
      op: 'create: not there yet',
      writes: true,
      findings: ['warning trust/required'],
    });
  });

  test('does not update what was written when it was trusted', () => {
    const repo = repoWith([]);
    repo.apply(repo.plan([{ ...untrusted(), trust: 'trusted' }]));
    const before = repo.snapshot();
    const result = repo.plan([untrusted(fresh)]);
    expect(told(result)).toMatchObject({ standing: 'untrusted', writes: false });
    expect(result.plan.isEmpty).toBe(true);
    repo.apply(result);
    expect(repo.snapshot()).toEqual(before);
  });

  test('needs no grant where nothing would be written', () => {
    const repo = repoWith([]);
    repo.apply(repo.plan([{ ...untrusted(), trust: 'trusted' }]));
    expect(told(repo.plan([untrusted()]))).toMatchObject({ standing: 'managed', ...quiet });
  });

  test('is not written over the entry of the user either, whatever was forced', () => {
    const result = repoWith([], mine).plan(
      [untrusted()],
      answers({ force: only(AT), resolve: () => 'replace' }),
    );
    expect(told(result)).toMatchObject({ standing: 'untrusted', writes: false });
  });
});
