import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanRequest } from '../../../src/engine/plan-request.ts';
import type { Desired } from '../../../src/engine/types.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import { type Json, leavesOf } from '../../../src/lib/json.ts';
import { MemoryRepo, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const FILE = '.mcp.json';
const AT = `${FILE}#/mcpServers/vera`;
const ours = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
const theirs = { type: 'http', url: 'http://other/mcp', headers: { 'X-A': 'hunter2hunter2' } };
const vera = (value: Json = ours, more: Partial<Desired> = {}): Desired =>
  want(FILE, ['mcpServers', 'vera'], value, more);
const text = (value: Json): string => `{\n  "mcpServers": {\n    "vera": ${JSON.stringify(value)}\n  }\n}\n`;
const answers = (change: Partial<PlanRequest['choices']>): Partial<PlanRequest> => ({
  choices: { resolve: () => undefined, force: () => false, restore: () => false, ...change },
});
const resolve = (answer: 'keep' | 'replace') =>
  answers({ resolve: (address) => (address === AT ? answer : undefined) });
const both = `--resolve '${AT}=keep' leaves yours, --resolve '${AT}=replace' takes ours`;

describe('an entry of somebody else', () => {
  const repo = (value: Json = theirs) => new MemoryRepo({ [FILE]: text(value) });

  test('is a conflict with its line, both values, both answers and the text to paste', () => {
    const { plan } = repo().plan([vera()]);
    expect(plan.conflicts).toEqual([
      {
        address: AT,
        code: 'ownership/not-ours',
        message: 'an entry that tenon did not write is there already (line 3), with other content',
        choices: ['keep', 'replace'],
        ours,
        theirs: expect.objectContaining({ url: theirs.url }),
        remedy: both,
        runtimes: ['claude-code'],
        snippet: expect.stringContaining('http://127.0.0.1:1/mcp'),
      },
    ]);
    expect(plan).toMatchObject({ isApplicable: false, isEmpty: true, ops: [], files: [] });
  });

  test('shows no secret of theirs or of ours', () => {
    const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const wish = vera({ ...ours, headers: { Authorization: `Bearer ${token}` } });
    const { plan } = repo({ ...theirs, headers: { Authorization: `Bearer ${token}` } }).plan([wish]);
    expect(plan.conflicts).toHaveLength(1);
    expect(JSON.stringify(plan.conflicts)).not.toContain(token);
    expect(JSON.stringify(plan.conflicts)).toContain('[REDACTED]');
  });

  test('answered with keep is excluded, and noted for the manifest', () => {
    const { plan, facts, judgements } = repo().plan([vera()], resolve('keep'));
    expect(plan).toMatchObject({ isApplicable: true, isEmpty: true, ops: [], findings: [] });
    expect(judgements).toMatchObject([{ standing: 'excluded', reason: 'yours is kept', record: 'none' }]);
    expect(facts.excluded).toEqual([{ address: AT, integration: 'vera' }]);
    expect(facts.external).toEqual([]);
  });

  test.each<[string, Partial<PlanRequest>]>([
    ['--resolve …=replace', resolve('replace')],
    ['--force', answers({ force: (address) => address === AT })],
  ])('with %s is replaced, put aside, and put back by uninstall byte for byte', (_, answer) => {
    const mine = repo();
    const before = mine.snapshot();
    const result = mine.plan([vera()], answer);
    expect(result.plan.ops).toMatchObject([
      { action: 'replace', reason: 'replaces yours, which uninstall puts back', approval: 'project-files' },
    ]);
    expect(result.replacements).toHaveLength(1);
    const [aside] = result.replacements;
    expect(aside).toMatchObject({ path: FILE, id: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.parse(new TextDecoder().decode(aside?.bytes))).toEqual({ value: theirs, file: text(theirs) });
    mine.apply(result);
    expect(JSON.parse(mine.files.get(FILE) as string).mcpServers.vera).toEqual(ours);
    expect(mine.ledgers.root.records).toMatchObject([{ replaced: { backup: aside?.id, whole: false } }]);

    const removal: Partial<PlanRequest> = {
      command: 'uninstall',
      uncovered: () => 'remove',
      readReplaced: (id) => (id === aside?.id ? aside.bytes : undefined),
    };
    const lost = mine.plan([], { ...removal, readReplaced: () => undefined });
    expect(lost.plan.conflicts).toMatchObject([
      {
        code: 'state/backup-missing',
        address: AT,
        message:
          'the content that this entry replaced is no longer in the state folder, so it cannot be put back',
        remedy: 'Put it back by hand, then run tenon forget for this address',
        choices: [],
      },
    ]);
    expect(lost.plan.files).toEqual([]);

    mine.apply(mine.plan([], removal));
    expect(mine.snapshot()).toEqual(before);
    expect(mine.ledgers.root).toMatchObject({ records: [], files: [] });
  });

  test('is put back as a value where the file was edited since, and the edit stays', () => {
    const mine = repo();
    const result = mine.plan([vera()], resolve('replace'));
    mine.apply(result);
    mine.files.set(FILE, `${mine.files.get(FILE)}\n\n`);
    const removal = mine.plan([], {
      command: 'uninstall',
      uncovered: () => 'remove',
      readReplaced: () => result.replacements[0]?.bytes,
    });
    mine.apply(removal);
    const after = mine.files.get(FILE) as string;
    expect(JSON.parse(after)).toEqual({ mcpServers: { vera: theirs } });
    expect(after).toMatch(/\n\n\n$/);
  });

  test.each<[Json, Json]>([
    ['text', ours],
    [ours, 'text'],
    [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { c: 4, d: 3 }, e: [1] },
    ],
    [{}, ours],
    [ours, {}],
    [[1], ours],
  ])('of any shape is replaced as a whole and comes back: %j by %j', (there, wanted) => {
    const mine = repo(there);
    const before = mine.snapshot();
    const result = mine.plan([vera(wanted)], resolve('replace'));
    mine.apply(result);
    expect([...leavesOf(JSON.parse(mine.files.get(FILE) as string).mcpServers.vera)]).toEqual(
      expect.arrayContaining([...leavesOf(wanted)]),
    );
    expect(JSON.parse(mine.files.get(FILE) as string).mcpServers.vera).toEqual(wanted);
    mine.apply(
      mine.plan([], {
        command: 'uninstall',
        uncovered: () => 'remove',
        readReplaced: () => result.replacements[0]?.bytes,
      }),
    );
    expect(mine.snapshot()).toEqual(before);
  });

  test('the id of what was put aside follows its place and value, not the rest of the file', () => {
    const idOf = (one: MemoryRepo, wish = vera()) =>
      one.plan([wish], answers({ resolve: () => 'replace' })).replacements[0]?.id;
    const spaced = new MemoryRepo({ [FILE]: `${text(theirs)}\n` });
    expect(idOf(spaced)).toBe(idOf(repo()));
    expect(idOf(repo({ ...theirs, x: 1 }))).not.toBe(idOf(repo()));
  });
});

describe('a table of TOML that is replaced', () => {
  test('comes back as it was', () => {
    const toml = '# mine\n[mcp_servers.vera] # keep\ncommand = "x"\nbig = 9007199254740993\n';
    const mine = new MemoryRepo({ '.codex/config.toml': toml });
    const wish = want('.codex/config.toml', ['mcp_servers', 'vera'], { url: ours.url });
    const result = mine.plan([wish], answers({ resolve: () => 'replace' }));
    mine.apply(result);
    expect(mine.files.get('.codex/config.toml')).toContain(`url = "${ours.url}"`);
    mine.apply(
      mine.plan([], {
        command: 'uninstall',
        uncovered: () => 'remove',
        readReplaced: () => result.replacements[0]?.bytes,
      }),
    );
    expect(mine.snapshot()).toEqual({ '.codex/config.toml': toml });
  });
});

describe('the same server under another name', () => {
  const duplicate: Partial<PlanRequest> = {
    duplicateOf: () => ({ name: 'mem\u001b[2Jory', path: ['mcpServers', 'memory'] }),
  };
  const repo = () => new MemoryRepo({ [FILE]: '{"mcpServers":{}}\n' });

  test('is a conflict that says how to use it or to add ours beside it', () => {
    const { plan } = repo().plan([vera()], duplicate);
    expect(plan.files).toEqual([]);
    const [conflict] = plan.conflicts;
    expect(conflict).toMatchObject({
      address: AT,
      code: 'ownership/duplicate-endpoint',
      choices: ['keep', 'force'],
      ours,
      remedy: `--resolve '${AT}=keep' uses the one that is there, --force '${AT}' adds ours beside it`,
      runtimes: ['claude-code'],
      snippet: expect.stringContaining(ours.url),
    });
    expect(conflict?.message).toContain(
      '(.mcp.json#/mcpServers/memory) already is the same server under another name',
    );
    expect(conflict?.message).not.toContain('\u001b');
  });

  test('kept is used instead', () => {
    const { plan, judgements, facts } = repo().plan([vera()], {
      ...duplicate,
      duplicateOf: () => ({ name: 'memory', path: ['mcpServers', 'memory'] }),
      ...resolve('keep'),
    });
    expect(plan).toMatchObject({ conflicts: [], isEmpty: true });
    expect(judgements).toMatchObject([
      { standing: 'excluded', reason: 'memory is used instead', record: 'none', excluded: true },
    ]);
    expect(facts.excluded).toEqual([{ address: AT, integration: 'vera' }]);
  });

  test('forced stands beside it; replace is no answer to it', () => {
    const forced = repo().plan([vera()], { ...duplicate, ...answers({ force: (one) => one === AT }) });
    expect(forced.plan).toMatchObject({ conflicts: [], ops: [{ action: 'create' }] });
    expect(repo().plan([vera()], { ...duplicate, ...resolve('replace') }).plan.conflicts).toHaveLength(1);
  });

  test('is no question for an entry of ours that comes back', () => {
    const mine = repo();
    mine.apply(mine.plan([vera()]));
    mine.files.set(FILE, '{"mcpServers":{}}\n');
    expect(mine.plan([vera()], duplicate).plan).toMatchObject({
      conflicts: [],
      ops: [{ action: 'restore' }],
    });
  });
});

describe('both changed the same', () => {
  const edited = (now: Json): MemoryRepo => {
    const mine = new MemoryRepo({ [FILE]: '{"mcpServers":{}}\n' });
    mine.apply(mine.plan([vera({ ...ours, timeout: 1 })]));
    mine.files.set(FILE, text(now));
    return mine;
  };
  const wanted = { type: 'http', url: 'http://127.0.0.1:2/mcp' };
  const now = { type: 'sse', url: 'http://mine/mcp', timeout: 7, note: 'x' };

  test('is a conflict that names the leaves', () => {
    expect(edited(now).plan([vera(wanted)]).plan.conflicts).toEqual([
      {
        address: AT,
        code: 'ownership/both-changed',
        message: 'you changed timeout, url after tenon wrote it, and the definition changes the same',
        choices: ['keep', 'replace'],
        ours: wanted,
        theirs: now,
        remedy: both,
        runtimes: ['claude-code'],
        snippet: expect.stringContaining('127.0.0.1:2'),
      },
    ]);
  });

  test('kept stays, with a finding and the record as it was', () => {
    const mine = edited(now);
    const { plan } = mine.plan([vera(wanted)], resolve('keep'));
    expect(plan).toMatchObject({
      conflicts: [],
      files: [],
      isEmpty: true,
      ops: [{ action: 'keep', reason: 'yours is kept', approval: 'none' }],
      findings: [{ code: 'ownership/drifted', data: { leaves: ['/timeout', '/url'] } }],
    });
  });

  test('replaced is ours in the clashing leaves alone', () => {
    const mine = edited(now);
    const result = mine.plan([vera(wanted)], resolve('replace'));
    expect(result.plan.ops).toMatchObject([{ action: 'replace', reason: 'replaces your timeout, url' }]);
    expect(result.replacements).toEqual([]);
    mine.apply(result);
    expect(JSON.parse(mine.files.get(FILE) as string).mcpServers.vera).toEqual({
      type: 'sse',
      url: wanted.url,
      note: 'x',
    });
  });

  test('a value without leaves is called its value', () => {
    const flag = (value: Json) => want(FILE, ['flag'], value);
    const mine = new MemoryRepo({ [FILE]: '{}\n' });
    mine.apply(mine.plan([flag(1)]));
    mine.files.set(FILE, '{"flag": 2}\n');
    const { plan } = mine.plan([flag(3)]);
    expect(plan.conflicts[0]?.message).toBe(
      'you changed its value after tenon wrote it, and the definition changes the same',
    );
    const drift = mine.plan([flag(1)]).plan;
    expect(drift.findings[0]?.message).toBe('was edited after tenon wrote it; kept');
    expect(drift.findings[0]?.remedy).toEqual({
      text: 'Restore what tenon wrote',
      command: "tenon sync --force '.mcp.json#/flag'",
    });
  });
});

describe('another integration that is set up at the same address', () => {
  const acme = { integration: 'acme', artifact: 'server', version: '1.0.0' };
  const known = (...listed: string[]): Partial<PlanRequest> => ({
    known: { external: new Set(), excluded: new Set(), listed: new Set(listed) },
  });
  const shared = (): MemoryRepo => {
    const mine = new MemoryRepo({ [FILE]: '{"mcpServers":{}}\n' });
    mine.apply(mine.plan([vera(ours, { owner: acme })]));
    return mine;
  };

  test('and wants something else is a conflict, also when only this one is planned', () => {
    const { plan } = shared().plan([vera({ url: 'http://127.0.0.1:2/mcp' })], known('acme', 'vera'));
    expect(plan.conflicts).toMatchObject([
      {
        address: AT,
        code: 'ownership/overlap',
        message: 'acme has set up something else at this address',
        choices: [],
        remedy: 'Take the other one out first, or leave one of them out with --without or --runtime',
        runtimes: ['claude-code'],
        ours: { url: 'http://127.0.0.1:2/mcp' },
        snippet: expect.stringContaining('127.0.0.1:2'),
      },
    ]);
    expect(plan.files).toEqual([]);
  });

  const part = (path: readonly string[], value: Json, more: Partial<Desired> = {}): Desired =>
    want(FILE, path, value, { owner: { integration: 'vera', artifact: 'part', version: '1.0.0' }, ...more });

  test.each<[string, readonly string[], Json, string]>([
    ['inside', ['mcpServers', 'vera', 'note'], 1, `it lies inside ${AT}, which acme has set up`],
    ['around', ['mcpServers'], { other: 1 }, `it lies around ${AT}, which acme has set up`],
  ])('and wants an entry %s is a conflict without an answer', (_, path, value, message) => {
    const { plan } = shared().plan([part(path, value)], known('acme', 'vera'));
    expect(plan.conflicts).toMatchObject([{ code: 'ownership/overlap', message, choices: [] }]);
    expect(plan.files).toEqual([]);
  });

  test('and wants an item of an array inside is a conflict too, one beside it is none', () => {
    const mine = new MemoryRepo({ [FILE]: '{}\n' });
    mine.apply(mine.plan([want(FILE, ['hooks'], { start: ['a'] }, { owner: acme })]));
    const item = (name: string): Desired =>
      part([], 'b', {
        target: { path: FILE, format: 'json', place: { kind: 'item', path: [name, 'start'], value: 'b' } },
      });
    const inside = mine.plan([item('hooks')], known('acme', 'vera')).plan;
    expect(inside.conflicts).toMatchObject([{ code: 'ownership/overlap' }]);
    expect(mine.plan([item('hook')], known('acme', 'vera')).plan.conflicts).toEqual([]);
  });

  test('and was taken out on this branch is no conflict', () => {
    const { plan } = shared().plan([part(['mcpServers', 'vera', 'note'], 1)], known('vera'));
    expect(plan.conflicts).toEqual([]);
  });

  test('and wants the same shares it, and it goes with the last owner', () => {
    const mine = shared();
    const result = mine.plan([vera()], known('acme', 'vera'));
    expect(result.plan).toMatchObject({ conflicts: [], files: [] });
    mine.apply(result);
    expect(mine.ledgers.root.records[0]?.owners.map(({ integration }) => integration)).toEqual([
      'vera',
      'acme',
    ]);
  });

  test('and is not set up any more does not count', () => {
    const { plan } = shared().plan([vera({ url: 'http://127.0.0.1:2/mcp' })], known('vera'));
    expect(plan.conflicts).toEqual([]);
    expect(plan.files).toHaveLength(1);
  });

  test('its own new value is no overlap', () => {
    const { plan } = shared().plan([vera({ url: 'http://127.0.0.1:2/mcp' }, { owner: acme })], known('acme'));
    expect(plan.conflicts).toEqual([]);
  });
});
