import { beforeAll, describe, expect, test } from 'vitest';
import { planDigest } from '../../../src/engine/plan.ts';
import type { PlanRequest } from '../../../src/engine/plan-request.ts';
import type { Desired, FilePlan, LedgerRecord, Op } from '../../../src/engine/types.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import { type MemoryEntry, memorySystem } from '../../../src/system/memory.ts';
import { ledgerRecord } from '../../helpers/ledger.ts';
import { MemoryRepo, ROOT, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const removal: Partial<PlanRequest> = { command: 'uninstall', uncovered: () => 'remove' };
const read = (files: Record<string, MemoryEntry>): Partial<PlanRequest> => ({
  reader: memorySystem(files, { home: '/home/me', cwd: ROOT }).reader,
});
const key = (path: string, name: string, more: Partial<Desired> = {}) =>
  want(path, ['s', name], { n: name }, more);

describe('records of files outside the root', () => {
  const record = (change: Partial<LedgerRecord>) =>
    ledgerRecord({ path: '~/x.json', scope: 'local', ...change });

  test('count where this root asked for them, or where they are of the user', () => {
    const repo = new MemoryRepo({});
    repo.ledgers.user = {
      ...repo.ledgers.user,
      records: [
        record({ root: ROOT, place: { kind: 'key', path: ['a'] } }),
        record({ root: '/other', place: { kind: 'key', path: ['b'] } }),
        record({ scope: 'user', place: { kind: 'key', path: ['c'] } }),
      ],
    };
    const { judgements, plan } = repo.plan([], removal);
    expect(judgements.map(({ address }) => address).sort()).toEqual(['~/x.json#/a', '~/x.json#/c']);
    expect(plan.files).toEqual([]);
  });

  test('a file that another root still uses keeps what is known of it', () => {
    const repo = new MemoryRepo({});
    const home = '/home/me/x.json';
    const local = { scope: 'local' } as const;
    const first = repo.plan(
      [key('~/x.json', 'a', local), key('~/x.json', 'b', local)],
      read({ [home]: '{}' }),
    );
    const bytes = first.plan.files[0]?.result as Uint8Array;
    repo.apply(first);
    const [one, two] = repo.ledgers.user.records as [LedgerRecord, LedgerRecord];
    repo.ledgers.user = { ...repo.ledgers.user, records: [one, { ...two, root: '/other' }] };
    const result = repo.plan([], { ...removal, ...read({ [home]: bytes }) });
    expect(result.plan.files).toMatchObject([{ action: 'edit', path: '~/x.json', outside: true }]);
    expect(result.plan.ledgers.user).toMatchObject({
      files: [{ path: '~/x.json' }],
      records: [{ root: '/other' }],
    });
    repo.ledgers.user = { ...repo.ledgers.user, records: [one] };
    expect(repo.plan([], { ...removal, ...read({ [home]: bytes }) }).plan.ledgers.user).toMatchObject({
      files: [],
      records: [],
    });
  });
});

describe('two names of one file', () => {
  const files: Record<string, MemoryEntry> = {
    [`${ROOT}/real.json`]: '{"s":{}}',
    [`${ROOT}/link.json`]: { link: 'real.json' },
  };

  test('are one file in the plan, with the edits of both', () => {
    const { plan } = new MemoryRepo({}).plan([key('link.json', 'a'), key('real.json', 'b')], read(files));
    expect(plan.files).toMatchObject([
      { path: 'link.json', real: `${ROOT}/real.json`, ops: ['op-001', 'op-002'] },
    ]);
    expect(JSON.parse(new TextDecoder().decode(plan.files[0]?.result))).toEqual({
      s: { a: { n: 'a' }, b: { n: 'b' } },
    });
    expect(plan.ledgers.root?.files).toHaveLength(1);
    expect(plan.ledgers.root?.records.map(({ path }) => path)).toEqual(['link.json', 'real.json']);
  });

  test('find the record of the file under the other one', () => {
    const repo = new MemoryRepo({});
    const first = repo.plan([key('link.json', 'a')], read(files));
    repo.apply(first);
    const bytes = first.plan.files[0]?.result as Uint8Array;
    const second = repo.plan(
      [key('link.json', 'a'), key('real.json', 'b')],
      read({ ...files, [`${ROOT}/real.json`]: bytes }),
    );
    expect(second.plan.ledgers.root?.files).toMatchObject([{ path: 'link.json', before: { size: 8 } }]);
  });
});

describe('a link that leads away', () => {
  const conflictOf = (link: string) => {
    const there = { '/home/me/a.json': '{}', '/etc/x.json': '{}', [`${ROOT}/.git/x.json`]: '{}' };
    const files = { [`${ROOT}/a.json`]: { link }, ...there };
    return new MemoryRepo({}).plan([key('a.json', 'a')], read(files)).plan.conflicts[0];
  };

  test('may be followed on request, and never into a folder of git or of the system', () => {
    expect(conflictOf('/home/me/a.json')).toMatchObject({
      code: 'file/outside',
      choices: ['follow'],
      remedy: '--resolve a.json=follow',
    });
    for (const link of ['.git/x.json', '/etc/x.json'])
      expect(conflictOf(link)).toMatchObject({ code: 'file/outside', choices: [] });
  });
});

describe('a plan', () => {
  test('lists files by path, and problems of the wishes first', () => {
    const clash = [
      key('b.json', 'a'),
      want('b.json', ['s', 'a'], 2, { owner: { integration: 'x', artifact: 'y', version: '1' } }),
    ];
    const { plan } = new MemoryRepo({}).plan([...clash, key('c.json', 'a'), key('a.json', 'a')]);
    expect(plan.files.map(({ path }) => path)).toEqual(['a.json', 'b.json', 'c.json']);
    expect(plan.conflicts).toEqual([
      {
        code: 'ownership/overlap',
        address: 'b.json#/s/a',
        message: 'x and vera want different things at this address',
        choices: [],
        remedy: 'Leave one of them out with --without or --runtime',
        runtimes: ['claude-code'],
      },
    ]);
    expect(plan).toMatchObject({
      isApplicable: false,
      isEmpty: false,
      command: 'setup',
      root: ROOT,
      schemaVersion: 1,
    });
  });

  test('hands on what composing and enrolling found', () => {
    const inside = want('a.json', ['s', 'a', 'mode'], 1, { within: ['s', 'a'] });
    const enrolled: unknown[] = [];
    const { plan } = new MemoryRepo({}).plan([inside], {
      enrol: (ledger) => {
        enrolled.push(ledger.root);
        return ledger;
      },
    });
    expect(plan.findings).toMatchObject([{ code: 'render/entry-missing' }]);
    expect([plan.isEmpty, enrolled]).toEqual([true, [ROOT, '~']]);
  });

  test('takes over an entry without knowing what was before it', () => {
    const repo = new MemoryRepo({ 'a.json': '{"s":{"a":{"n":"a"}}}', 'x.md': 'x\r\n' });
    const whole = {
      ...want('x.md', [], 'x\n'),
      target: { path: 'x.md', format: 'whole', place: { kind: 'file' } },
    } as Desired;
    const { plan } = repo.plan([key('a.json', 'a'), whole], {
      known: { external: new Set(), excluded: new Set(), listed: new Set(['vera']) },
      adopts: () => true,
    });
    expect(plan.files).toEqual([]);
    expect(plan.ledgers.root?.files).toMatchObject([
      { path: 'a.json', createdFile: false, createdDirs: [], containers: [], before: null, eol: '\n' },
      { path: 'x.md', createdFile: true, before: null, eol: '\r\n' },
    ]);
  });

  test('does not write a ledger that would say the same', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([key('a.json', 'a')]));
    expect(repo.plan([key('a.json', 'a')]).plan.ledgers).toEqual({});
    const local = repo.plan([key('~/a.json', 'a', { scope: 'local' })]).plan.ledgers;
    expect(local.root).toBeUndefined();
    expect(local.user?.records).toHaveLength(1);
  });
});

describe('the digest of a plan', () => {
  const file = {
    path: 'a',
    baseHash: 'absent',
    resultHash: 'sha256:1',
    root: ROOT,
    mode: 1,
  } as unknown as FilePlan;
  const op = {
    action: 'create',
    address: 'a#/b',
    classes: ['connects'],
    approval: 'project-files',
  } as unknown as Op;
  const base = planDigest([file], [op]);

  test.each<[string, FilePlan[], Op[]]>([
    ['another path', [{ ...file, path: 'b' }], [op]],
    ['another base', [{ ...file, baseHash: 'sha256:0' }], [op]],
    ['another result', [{ ...file, resultHash: 'absent' }], [op]],
    ['no file', [], [op]],
    ['another action', [file], [{ ...op, action: 'update' }]],
    ['another address', [file], [{ ...op, address: 'a#/c' }]],
    ['another class', [file], [{ ...op, classes: ['executes'] }]],
    ['one operation more', [file], [op, op]],
  ])('changes with %s', (_, files, ops) => {
    expect(planDigest(files, ops)).not.toBe(base);
  });

  test('holds neither root nor reason, nor what needs no approval', () => {
    const other = { ...file, abs: '/elsewhere/a', mode: 2 };
    expect(planDigest([other], [{ ...op, reason: 'x', summary: 'y', id: 'op-9' }])).toBe(base);
    expect(planDigest([file], [op, { ...op, approval: 'none', address: 'z' }])).toBe(base);
  });
});
