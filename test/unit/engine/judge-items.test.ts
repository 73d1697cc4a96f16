import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanResult } from '../../../src/engine/plan.ts';
import type { PlanRequest } from '../../../src/engine/plan-request.ts';
import type { Desired } from '../../../src/engine/types.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import type { Json } from '../../../src/lib/json.ts';
import { MemoryRepo, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const FILE = '.claude/settings.json';
const handler = (command: string): Record<string, Json> => ({ type: 'command', command });
const group = (...commands: string[]): Json => ({ hooks: commands.map(handler) });
const OURS = 'node .claude/hooks/x.cjs';
const hook = (value: Json = group(OURS), more: Partial<Desired> = {}): Desired => ({
  ...want(FILE, [], value, more),
  target: {
    path: FILE,
    format: 'json',
    place: { kind: 'item', path: ['hooks', 'Start'], value, tag: '.claude/hooks/x.cjs' },
  },
});
const removal: Partial<PlanRequest> = { command: 'uninstall', uncovered: () => 'remove' };
const text = (...groups: Json[]): string => `${JSON.stringify({ hooks: { Start: groups } }, null, 2)}\n`;
const groupsAfter = ({ plan }: PlanResult): Json =>
  JSON.parse(new TextDecoder().decode(plan.files[0]?.result)).hooks?.Start ?? null;
const written = (start = '{"hooks":{"Start":[]}}\n'): MemoryRepo => {
  const repo = new MemoryRepo({ [FILE]: start });
  repo.apply(repo.plan([hook()]));
  return repo;
};
const answers = (change: Partial<PlanRequest['choices']>): Partial<PlanRequest> => ({
  choices: { resolve: () => undefined, force: () => false, restore: () => false, ...change },
});

describe('a hook of ours in a list', () => {
  test('is known by its script, also when somebody else has one there', () => {
    const repo = new MemoryRepo({ [FILE]: text(group('date'), group(`${OURS} --mine`)) });
    const { plan } = repo.plan([hook()]);
    expect(plan.conflicts).toMatchObject([{ code: 'ownership/not-ours', theirs: group(`${OURS} --mine`) }]);
    expect(plan.conflicts[0]?.message).toMatch(
      /^an entry for the same script or integration is there already \(line \d+\), with other content$/,
    );
    expect(plan.files).toEqual([]);
  });

  test('of another host is adoptable when equal, and a conflict when only its script is the same', () => {
    const listed: Partial<PlanRequest> = {
      known: { external: new Set(), excluded: new Set(), listed: new Set(['vera']) },
    };
    const standing = (...groups: Json[]) =>
      new MemoryRepo({ [FILE]: text(...groups) }).plan([hook()], listed).judgements[0]?.standing;
    expect(standing(group(OURS))).toBe('adoptable');
    expect(standing(group(OURS, 'date'))).toBe('adoptable');
    expect(standing(group(`${OURS} --mine`))).toBe('conflict');
  });

  test('is excluded by what it is, since its address changes with its value', () => {
    const known = (excluded: string): Partial<PlanRequest> => ({
      known: { external: new Set(), excluded: new Set([excluded]), listed: new Set() },
    });
    const repo = new MemoryRepo({ [FILE]: '{}' });
    const standing = (excluded: string) => repo.plan([hook()], known(excluded)).judgements[0]?.standing;
    expect(standing(`${FILE}#/hooks/Start/@vera/server`)).toBe('excluded');
    expect(standing(`${FILE}#/hooks/Start/@vera/other`)).toBe('missing');
  });

  test('and edited is drift; the address is that of what stands there when it is to go', () => {
    const repo = written();
    repo.files.set(FILE, text(group(`${OURS} --mine`)));
    expect(repo.plan([hook()]).plan).toMatchObject({
      files: [],
      findings: [{ code: 'ownership/drifted' }],
      ops: [{ action: 'keep' }],
    });
    const { plan } = repo.plan([], removal);
    expect(plan).toMatchObject({ files: [], findings: [{ code: 'ownership/drifted' }] });
    const subject = plan.findings[0]?.subject ?? '';
    const forced = repo.plan([], { ...removal, ...answers({ force: (one) => one === subject }) });
    expect(groupsAfter(forced)).toEqual([]);
  });
});

describe('a hook of ours to which somebody added', () => {
  const extended = (value: Json = group(OURS, 'date')): MemoryRepo => {
    const repo = written();
    repo.files.set(FILE, text(value));
    return repo;
  };

  test('is as written, and stays', () => {
    const result = extended().plan([hook()]);
    expect(result.plan).toMatchObject({
      files: [],
      findings: [],
      conflicts: [],
      ops: [{ action: 'keep', reason: 'as written; what you added to it stays', approval: 'none' }],
    });
    expect(result.judgements).toMatchObject([{ standing: 'managed', record: 'write' }]);
  });

  test('goes alone', () => {
    const repo = extended();
    const result = repo.plan([], removal);
    expect(result.plan.ops).toMatchObject([
      { action: 'remove', reason: 'what you added to it stays', approval: 'project-files' },
    ]);
    expect(result.judgements).toMatchObject([{ standing: 'managed', record: 'forget' }]);
    expect(groupsAfter(result)).toEqual([group('date')]);
    repo.apply(result);
    expect(repo.ledgers.root.records).toEqual([]);
  });

  test('becomes an entry of its own when ours changes', () => {
    const next = group(`${OURS} --new`);
    const repo = extended();
    const result = repo.plan([hook(next)]);
    expect(result.plan.ops).toMatchObject([
      { action: 'update', reason: 'becomes an entry of its own again; what you added to it stays' },
    ]);
    expect(result.judgements).toMatchObject([{ standing: 'stale', record: 'write' }]);
    expect(groupsAfter(result)).toEqual([group('date'), next]);
    repo.apply(result);
    expect(repo.plan([hook(next)]).plan.isEmpty).toBe(true);
    expect(groupsAfter(repo.plan([], removal))).toEqual([group('date')]);
  });

  test('that is not trusted any more is left as it is, and may still go', () => {
    const next = hook(group(`${OURS} --new`), { trust: 'untrusted' });
    const result = extended().plan([next]);
    expect(result.plan).toMatchObject({ files: [], findings: [{ code: 'trust/required' }] });
    expect(result.judgements).toMatchObject([{ standing: 'untrusted', record: 'same' }]);
    const same = extended().plan([hook(group(OURS), { trust: 'untrusted' })]);
    expect(same.plan).toMatchObject({ files: [], findings: [] });
  });

  test('is taken as a whole when that is forced', () => {
    const repo = extended();
    const { address } = repo.plan([], removal).judgements[0] ?? { address: '' };
    const result = repo.plan([], { ...removal, ...answers({ force: (one) => one === address }) });
    expect(groupsAfter(result)).toEqual([]);
  });
});

describe('the switch of a coding tool', () => {
  const AT = '.mcp.json#/mcpServers/vera';
  const server = want('.mcp.json', ['mcpServers', 'vera'], { url: 'x' });
  const flip =
    (isOn: boolean): NonNullable<PlanRequest['flip']> =>
    (_record, observed) =>
      (observed as { enabled?: boolean }).enabled === isOn
        ? undefined
        : { set: new Map([['/enabled', isOn]]), unset: [] };

  test('is flipped in an entry of ours, and the record stays as it is', () => {
    const repo = new MemoryRepo({ '.mcp.json': '{"mcpServers":{}}' });
    repo.apply(repo.plan([server]));
    const result = repo.plan([], { flip: flip(false) });
    expect(result.plan.ops).toMatchObject([
      { action: 'update', address: AT, reason: 'sets enabled', approval: 'project-files' },
    ]);
    expect(result.judgements).toMatchObject([{ standing: 'managed', record: 'same' }]);
    repo.apply(result);
    expect(JSON.parse(repo.files.get('.mcp.json') as string)).toEqual({
      mcpServers: { vera: { url: 'x', enabled: false } },
    });
    expect(repo.plan([], { flip: flip(false) }).plan).toMatchObject({ isEmpty: true, ops: [] });
    expect(repo.plan([server]).plan).toMatchObject({ files: [], findings: [] });
    repo.apply(repo.plan([], removal));
    expect(repo.snapshot()).toEqual({ '.mcp.json': '{"mcpServers":{}}' });
  });

  test('is not looked for where nothing is ours, or where ours is gone', () => {
    const repo = new MemoryRepo({ '.mcp.json': '{"mcpServers":{"vera":{"url":"x"}}}' });
    const foreign = repo.plan([server], { flip: flip(false) });
    expect(foreign.plan).toMatchObject({ isEmpty: true, ops: [], conflicts: [] });
    expect(foreign.judgements).toMatchObject([{ standing: 'dormant', record: 'none' }]);
    const ours = new MemoryRepo({ '.mcp.json': '{"mcpServers":{}}' });
    ours.apply(ours.plan([server]));
    ours.files.set('.mcp.json', '{"mcpServers":{}}');
    const gone = ours.plan([], { flip: flip(false) });
    expect(gone.plan).toMatchObject({ isEmpty: true, ops: [] });
    expect(gone.judgements).toMatchObject([{ standing: 'managed', record: 'same' }]);
  });
});
