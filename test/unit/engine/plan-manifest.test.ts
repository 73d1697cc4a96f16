import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/engine/fingerprint.ts';
import type { PlanFacts, PlanRequest } from '../../../src/engine/plan-request.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import { type MemoryEntry, memorySystem } from '../../../src/system/memory.ts';
import { MemoryRepo, ROOT, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const PATH = '.tenon/manifest.json';
const vera = want('.mcp.json', ['mcpServers', 'vera'], { url: 'x' });
const readerOf = (files: Record<string, MemoryEntry>) =>
  memorySystem(Object.fromEntries(Object.entries(files).map(([path, entry]) => [`${ROOT}/${path}`, entry])), {
    home: '/home/me',
    cwd: ROOT,
  }).reader;
const planned = (
  files: Record<string, MemoryEntry>,
  next: string | undefined,
  more: Partial<PlanRequest> = {},
) => new MemoryRepo({}).plan([], { reader: readerOf(files), manifest: () => next, ...more }).plan;

describe('the manifest in a plan', () => {
  test('is made with the first integration, as an operation of project files and without a record', () => {
    const plan = planned({}, '{}\n');
    expect(plan.ops).toEqual([
      {
        id: 'op-001',
        action: 'create',
        address: PATH,
        target: { path: PATH, format: 'whole', place: { kind: 'file' } },
        owners: [],
        runtimes: [],
        scope: 'project',
        classes: ['instructs'],
        summary: 'what this repository has set up',
        reason: 'first integration',
        approval: 'project-files',
      },
    ]);
    expect(plan.files).toEqual([
      {
        path: PATH,
        abs: `${ROOT}/${PATH}`,
        real: `${ROOT}/${PATH}`,
        action: 'create',
        order: 'normal',
        base: undefined,
        baseHash: 'absent',
        result: new TextEncoder().encode('{}\n'),
        resultHash: sha256('{}\n'),
        mode: 0o644,
        inPlace: false,
        outside: false,
        ops: ['op-001'],
        makeDirs: [`${ROOT}/.tenon`],
        removeDirs: [],
      },
    ]);
    expect(plan.ledgers).toEqual({});
    expect(plan).toMatchObject({ isEmpty: false, isApplicable: true });
    expect(planned({}, '{}\n', { umask: 0o077 }).files[0]?.mode).toBe(0o600);
  });

  test('is changed, keeping its mode', () => {
    const plan = planned({ [PATH]: { text: '{}\n', mode: 0o640 } }, '{"a":1}\n');
    expect(plan.ops).toMatchObject([{ action: 'update', reason: 'choices changed' }]);
    expect(plan.files).toMatchObject([
      { action: 'edit', mode: 0o640, baseHash: sha256('{}\n'), makeDirs: [], removeDirs: [] },
    ]);
    expect(plan.files[0]?.base).toEqual(new TextEncoder().encode('{}\n'));
  });

  test('goes with the last integration, and its folder with it', () => {
    const plan = planned({ [PATH]: '{}\n' }, undefined);
    expect(plan.ops).toMatchObject([{ action: 'remove', reason: 'last integration' }]);
    expect(plan.files).toMatchObject([
      {
        action: 'delete',
        result: undefined,
        resultHash: 'absent',
        removeDirs: [`${ROOT}/.tenon`],
        makeDirs: [],
      },
    ]);
  });

  test.each<[string, Record<string, MemoryEntry>, string | undefined]>([
    ['as it should be', { [PATH]: '{}\n' }, '{}\n'],
    ['not there, and not wanted', {}, undefined],
  ])('%s is not touched', (_, files, next) => {
    expect(planned(files, next)).toMatchObject({ isEmpty: true, files: [], ops: [] });
  });

  test('that cannot be edited is a conflict, also where it should go', () => {
    const file = { [PATH]: { text: '{}\n', mode: 0o444 } };
    for (const next of ['{"a":1}\n', undefined])
      expect(planned(file, next)).toMatchObject({
        files: [],
        ops: [],
        isApplicable: false,
        conflicts: [
          {
            address: PATH,
            code: 'file/read-only',
            message: `${PATH} is read-only`,
            choices: [],
            remedy: 'Make it writable, then run again.',
            runtimes: [],
          },
        ],
      });
    const away = { [PATH]: new Uint8Array([0xff, 0xfe, 0x00]) };
    expect(planned(away, undefined).conflicts).toMatchObject([{ code: 'file/encoding' }]);
    expect(planned(file, '{}\n').isEmpty).toBe(true);
  });

  test('is the last operation, and its file has that operation alone', () => {
    const { plan } = new MemoryRepo({}).plan([vera], { manifest: () => '{}\n' });
    expect(plan.files.map(({ path, ops }) => `${path} ${ops.join()}`)).toEqual([
      '.mcp.json op-001',
      `${PATH} op-002`,
    ]);
  });

  test('is made from what the plan found out', () => {
    const seen: PlanFacts[] = [];
    const ask = (facts: PlanFacts) => {
      seen.push(facts);
      return undefined;
    };
    const other = { integration: 'acme', artifact: 'a', version: '1' };
    const repo = new MemoryRepo({ '.mcp.json': '{"mcpServers":{"vera":{"url":"x"}}}' });
    repo.plan([vera, want('b.json', ['a'], 1, { owner: other })], { manifest: ask });
    repo.files.set('.mcp.json', '{"mcpServers":{}}');
    repo.apply(repo.plan([vera]));
    repo.plan([], { manifest: ask, uncovered: () => 'leave' });
    repo.plan([], { manifest: ask, uncovered: () => 'remove', command: 'uninstall' });
    repo.files.set('.mcp.json', '{"mcpServers":{}}');
    repo.plan([], { manifest: ask, uncovered: () => 'leave' });
    expect(
      seen.map(({ external, remaining }) => [external.map((one) => one.address), [...remaining]]),
    ).toEqual([
      [['.mcp.json#/mcpServers/vera'], ['vera', 'acme']],
      [[], ['vera']],
      [[], []],
      [[], []],
    ]);
    expect(seen[0]?.external).toEqual([{ address: '.mcp.json#/mcpServers/vera', integration: 'vera' }]);
  });
});
