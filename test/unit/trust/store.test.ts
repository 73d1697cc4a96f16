import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json.ts';
import { openStateFolder } from '../../../src/state/folder.ts';
import { takeLock } from '../../../src/state/lock.ts';
import { type MemorySystem, memorySystem } from '../../../src/system/memory.ts';
import type { TrustItem } from '../../../src/trust/item.ts';
import { addGrants, loadGrants, revokeGrants, trustPath } from '../../../src/trust/store.ts';

const ROOT = '/repo';
const digestOf = (digit: string): `sha256:${string}` => `sha256:${digit.repeat(64)}`;
const item = (digit: string, change: Partial<TrustItem> = {}): TrustItem => ({
  digest: digestOf(digit),
  kind: 'artifact',
  integration: './tools/acme',
  artifact: 'server',
  class: 'executes',
  runtimes: ['codex'],
  scope: 'project',
  address: '.codex/config.toml#/mcp_servers/acme',
  source: 'tools/acme',
  definition: digestOf('0'),
  value: { command: 'node' },
  executable: false,
  launch: ['node'],
  files: [],
  notes: ['shown, and not kept'],
  ...change,
});
const grant = (digit: string, via = 'trust') => ({
  digest: digestOf(digit),
  via,
  integration: './tools/acme',
  artifact: 'server',
  class: 'executes',
  runtimes: ['codex'],
  scope: 'project',
  address: '.codex/config.toml#/mcp_servers/acme',
});

const world = (): MemorySystem => memorySystem({ '/repo/.git': { directory: true } }, { home: '/home/u' });
const fileOf = (system: MemorySystem) => trustPath(openStateFolder(system), ROOT);
const put = (text: string | Uint8Array, mode = 0o600): MemorySystem =>
  memorySystem({ [fileOf(world())]: { text, mode } }, { home: '/home/u' });
const sound = { schemaVersion: 1, root: ROOT, grants: [grant('a')] };
const load = (system: MemorySystem) => loadGrants(system, openStateFolder(system), ROOT);
const add = (system: MemorySystem, items: readonly TrustItem[], via: 'trust' | 'setup' = 'trust') =>
  addGrants(system, openStateFolder(system), ROOT, items, via);

describe('the file of grants', () => {
  test('gives what it holds', () => {
    expect(load(put(JSON.stringify(sound)))).toEqual({ grants: [grant('a')] });
    expect(load(put(JSON.stringify({ ...sound, grants: [grant('a', 'setup')] }))).grants).toHaveLength(1);
    expect(load(world())).toEqual({ grants: [] });
  });

  test.each<[string, string | Uint8Array | Json]>([
    ['it is no JSON', '{'],
    ['it is no JSON', new Uint8Array([0x22, 0xff, 0x22])],
    ['it is no object', []],
    ['it is no object', null],
    ['its version is not known', { ...sound, schemaVersion: 2 }],
    ['it belongs to another folder', { ...sound, root: '/other' }],
    ['it is damaged', { ...sound, more: 1 }],
    ['it is damaged', { schemaVersion: 1, root: ROOT }],
    ['it is damaged', { ...sound, grants: {} }],
    ['it is damaged', { ...sound, grants: [null] }],
    ['it is damaged', { ...sound, grants: [grant('a'), { ...grant('b'), digest: 'sha256:b' }] }],
    ['it is damaged', { ...sound, grants: [{ ...grant('a'), digest: 7 }] }],
    ['it is damaged', { ...sound, grants: [{ ...grant('a'), digest: [digestOf('a')] }] }],
    ['it is damaged', { ...sound, grants: [{ ...grant('a'), digest: `x${digestOf('a')}` }] }],
    ['it is damaged', { ...sound, grants: [{ ...grant('a'), digest: `${digestOf('a')}0` }] }],
    ['it is damaged', { ...sound, grants: [{ ...grant('a'), via: 'yes' }] }],
    ['it is damaged', { ...sound, grants: [{ ...grant('a'), runtimes: 'codex' }] }],
    ['it is damaged', { ...sound, grants: [{ ...grant('a'), runtimes: ['codex', 1] }] }],
    ['it is damaged', { ...sound, grants: [{ ...grant('a'), more: 'x' }] }],
    ...['integration', 'artifact', 'class', 'scope', 'address'].map((name): [string, Json] => [
      'it is damaged',
      { ...sound, grants: [{ ...grant('a'), [name]: null }] },
    ]),
    ['it is damaged', { ...sound, grants: Array.from({ length: 10_001 }, () => grant('a')) }],
  ])('denies everything where %s', (why, content) => {
    const text =
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);
    const { grants, problem } = load(put(text));
    expect(grants).toEqual([]);
    expect(problem).toMatchObject({ code: 'trust/unusable', severity: 'warning' });
    expect(problem?.subject).toMatch(/^~\/.*\/trust\/.*\.json$/);
    expect(problem?.message).toMatch(new RegExp(`: ${why}; nothing is trusted$`));
    expect(problem?.remedy).toEqual({
      text: 'Look at the file, remove it, and grant again',
      command: 'tenon trust',
    });
  });

  test.each([
    [0o600, true],
    [0o644, true],
    [0o620, false],
    [0o602, false],
  ])('with mode %o is used: %s, because others may not write it', (mode, used) => {
    const { grants, problem } = load(put(JSON.stringify(sound), mode));
    expect(grants).toHaveLength(used ? 1 : 0);
    if (!used) expect(problem?.message).toContain('others may write it');
  });

  test('of another user is not used; where there are no such bits, nothing is said', () => {
    const path = fileOf(world());
    const files = { [path]: { text: JSON.stringify(sound), mode: 0o600 } };
    expect(load(memorySystem(files, { home: '/home/u', uid: 1 })).grants).toEqual([]);
    const system = put(JSON.stringify(sound), 0o666);
    const windows = { ...system, host: { ...system.host, platform: 'win32' as const, uid: -1 } };
    const { grants, problem } = loadGrants(windows, { ...openStateFolder(system) }, ROOT);
    expect([grants.length, problem]).toEqual([1, undefined]);
  });

  test('behind a link is not followed', () => {
    const path = fileOf(world());
    const system = memorySystem(
      { [path]: { link: '/repo/forged.json' }, '/repo/forged.json': JSON.stringify(sound) },
      { home: '/home/u' },
    );
    expect(load(system)).toMatchObject({ grants: [], problem: { code: 'trust/unusable' } });
  });

  test('a fault of the system itself is not taken for a damaged file', () => {
    const system = world();
    const broken = {
      ...system,
      reader: {
        ...system.reader,
        lstat: () => {
          throw new RangeError('a bug');
        },
      },
    };
    expect(() => loadGrants(broken, openStateFolder(system), ROOT)).toThrow(RangeError);
  });
});

describe('granting', () => {
  test('keeps what binds and names it, owner-only, sorted, without what was only shown', async () => {
    const system = world();
    await add(system, [item('b'), item('a')]);
    expect(load(system)).toEqual({ grants: [grant('a'), grant('b')] });
    const line = system.snapshot()[fileOf(system)];
    expect(line).toMatch(/^file 600 \{/);
    expect(line).toMatch(/\}\n$/);
    expect(line).not.toContain('shown');
  });

  test('the same twice, also in one go, is one grant, and the first way it was given stays', async () => {
    const system = world();
    await add(system, [item('a'), item('a')], 'setup');
    await add(system, [item('a'), item('b')], 'trust');
    expect(load(system).grants.map(({ digest, via }) => [digest.slice(7, 8), via])).toEqual([
      ['a', 'setup'],
      ['b', 'trust'],
    ]);
  });

  test('nothing new writes nothing, nothing at all does not even make the state folder', async () => {
    const system = world();
    const empty = system.snapshot();
    await add(system, []);
    expect(system.snapshot()).toEqual(empty);
    await add(system, [item('a')]);
    const stamp = system.reader.lstat(fileOf(system))?.ino;
    await add(system, [item('a')]);
    expect(system.reader.lstat(fileOf(system))?.ino).toBe(stamp);
  });

  test('does not repair a file that it cannot use, and lets the lock go', async () => {
    const system = put('{');
    await expect(add(system, [item('a')])).rejects.toMatchObject({ code: 'state/unreadable', exit: 2 });
    expect(system.snapshot()[fileOf(system)]).toBe('file 600 {');
    const lock = await takeLock(system, openStateFolder(system), ROOT);
    lock.release();
  });
});

describe('revoking', () => {
  const revoke = (system: MemorySystem, digit: string) =>
    revokeGrants(system, openStateFolder(system), ROOT, ({ digest }) => digest === digestOf(digit));

  test('takes exactly what was meant and says what went', async () => {
    const system = world();
    await add(system, [item('a'), item('b')]);
    expect(await revoke(system, 'a')).toEqual([grant('a')]);
    expect(load(system).grants).toEqual([grant('b')]);
    const ino = system.reader.lstat(fileOf(system))?.ino;
    expect(await revoke(system, 'a')).toEqual([]);
    expect(system.reader.lstat(fileOf(system))?.ino).toBe(ino);
  });

  test('the last one takes the file along, and the lock is free again', async () => {
    const system = world();
    await add(system, [item('a')]);
    await revoke(system, 'a');
    expect(system.reader.lstat(fileOf(system))).toBeUndefined();
    expect(Object.keys(system.snapshot()).filter((path) => path.includes('.lock'))).toEqual([]);
  });
});
