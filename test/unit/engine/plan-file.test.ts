import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/engine/fingerprint.ts';
import type { PlanRequest } from '../../../src/engine/plan-request.ts';
import type { Desired, FileRules } from '../../../src/engine/types.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import { type MemoryEntry, memorySystem } from '../../../src/system/memory.ts';
import { MemoryRepo, ROOT, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const FILE = '.mcp.json';
const AT = `${FILE}#/mcpServers/vera`;
const server = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
const vera = (more: Partial<Desired> = {}): Desired => want(FILE, ['mcpServers', 'vera'], server, more);
const rules = (change: Partial<FileRules>): FileRules => ({ reads: 'strict', bom: 'ok', ...change });
const whole = (path: string, text = '# vera\n', more: Partial<Desired> = {}): Desired => ({
  ...want(path, [], text, more),
  target: { path, format: 'whole', place: { kind: 'file' } },
});
const removal: Partial<PlanRequest> = { command: 'uninstall', uncovered: () => 'remove' };
const reader = (files: Record<string, MemoryEntry>) =>
  memorySystem(
    Object.fromEntries(
      Object.entries(files).map(([path, entry]) => [path.startsWith('/') ? path : `${ROOT}/${path}`, entry]),
    ),
    { home: '/home/me', cwd: ROOT },
  ).reader;
const decode = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

describe('a new file', () => {
  const created = (wish: Desired, more: Partial<PlanRequest> = {}) =>
    new MemoryRepo({}).plan([wish], more).plan.files[0];

  test('is planned with all its bytes, its folders and the operation', () => {
    const result = new MemoryRepo({}).plan([whole('a/b/SKILL.md')]);
    expect(result.plan.files).toEqual([
      {
        path: 'a/b/SKILL.md',
        abs: '/repo/a/b/SKILL.md',
        real: '/repo/a/b/SKILL.md',
        action: 'create',
        order: 'normal',
        base: undefined,
        baseHash: 'absent',
        result: new TextEncoder().encode('# vera\n'),
        resultHash: sha256('# vera\n'),
        mode: 0o644,
        inPlace: false,
        outside: false,
        makeDirs: ['/repo/a', '/repo/a/b'],
        removeDirs: [],
        ops: ['op-001'],
      },
    ]);
    expect(result.plan.ledgers.root?.files).toMatchObject([
      { path: 'a/b/SKILL.md', createdFile: true, createdDirs: ['a', 'a/b'], eol: '\n', bom: false },
    ]);
  });

  test.each<[string, Partial<Desired>, number, number]>([
    ['a plain one', {}, 0o022, 0o644],
    ['with a narrower mask', {}, 0o077, 0o600],
    ['an executable one', { executable: true }, 0o022, 0o755],
    ['an executable one with a narrower mask', { executable: true }, 0o027, 0o750],
    ['a private one', { rules: rules({ private: true }) }, 0o000, 0o600],
    ['a private program', { rules: rules({ private: true }), executable: true }, 0o022, 0o600],
  ])('%s has its mode', (_, more, umask, mode) => {
    expect(created(whole('x', 'x', more), { umask })?.mode).toBe(mode);
  });

  test('a file that is there keeps its mode', () => {
    const files = { [FILE]: { text: '{"mcpServers":{}}', mode: 0o640 } };
    const { plan } = new MemoryRepo({}).plan([vera({ executable: true })], { reader: reader(files) });
    expect(plan.files).toMatchObject([{ action: 'edit', mode: 0o640 }]);
  });

  test('comes early where everything in it does', () => {
    expect(created(whole('x', 'x', { order: 'early' }))?.order).toBe('early');
    const both = [vera({ order: 'early' }), want(FILE, ['mcpServers', 'b'], server)];
    expect(new MemoryRepo({}).plan(both).plan.files[0]?.order).toBe('normal');
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([whole('x', 'x', { order: 'early' })]));
    expect(repo.plan([], removal).plan.files).toMatchObject([{ action: 'delete', order: 'early' }]);
  });

  test('gets first members only where tenon makes the file', () => {
    const wish = vera({ rules: rules({ skeleton: { $schema: 'https://x.example/s.json' } }) });
    expect(decode(created(wish)?.result)).toContain('$schema');
    const there = new MemoryRepo({ [FILE]: '{}' }).plan([wish]).plan.files[0];
    expect(decode(there?.result)).not.toContain('$schema');
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([wish]));
    repo.apply(repo.plan([], removal));
    expect(repo.snapshot()).toEqual({});
  });

  test('in the home folder needs the approval of user files', () => {
    const { plan } = new MemoryRepo({}).plan([whole('~/.x/y', 'x', { scope: 'user' })]);
    expect(plan.files).toMatchObject([
      { path: '~/.x/y', real: '/home/me/.x/y', outside: true, makeDirs: ['/home/me/.x'] },
    ]);
    expect(plan.ops).toMatchObject([{ approval: 'user-files', scope: 'user' }]);
    expect(plan.ledgers.root).toBeUndefined();
    expect(plan.ledgers.user?.records).toMatchObject([{ path: '~/.x/y', scope: 'user' }]);
    expect(plan.ledgers.user?.records[0]).not.toHaveProperty('root');
    const local = new MemoryRepo({}).plan([whole('~/.x/y', 'x', { scope: 'local' })]).plan;
    expect(local.ledgers.user?.records).toMatchObject([{ root: ROOT, scope: 'local' }]);
  });
});

describe('an operation', () => {
  test('says what, where, whose and why, with the value before and after', () => {
    const repo = new MemoryRepo({ [FILE]: '{"mcpServers":{}}' });
    const first = repo.plan([vera({ class: 'executes' })]);
    expect(first.plan.ops).toEqual([
      {
        id: 'op-001',
        action: 'create',
        address: AT,
        target: { path: FILE, format: 'json', place: { kind: 'key', path: ['mcpServers', 'vera'] } },
        owners: [{ integration: 'vera', artifact: 'server', version: '1.0.0' }],
        runtimes: ['claude-code'],
        scope: 'project',
        classes: ['executes'],
        summary: 'http://127.0.0.1:8765/mcp',
        reason: 'not there yet',
        approval: 'project-files',
        after: expect.stringMatching(/^sha256:/),
      },
    ]);
    repo.apply(first);
    const kept = repo.plan([vera({ class: 'executes' })]).plan.ops[0];
    expect(kept).toMatchObject({ action: 'keep', approval: 'none', before: first.plan.ops[0]?.after });
    expect(kept).not.toHaveProperty('after');
    const removed = repo.plan([], removal).plan.ops;
    expect(removed).toMatchObject([
      {
        action: 'remove',
        address: AT,
        owners: [{ integration: 'vera' }],
        runtimes: ['claude-code'],
        classes: ['executes'],
        summary: '',
        scope: 'project',
        approval: 'project-files',
        before: first.plan.ops[0]?.after,
      },
    ]);
    expect(removed[0]).not.toHaveProperty('after');
  });

  test('of a local record keeps its scope when it goes', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([vera({ scope: 'local' })]));
    expect(repo.plan([], removal).plan.ops).toMatchObject([{ scope: 'local' }]);
  });

  test('has its file, and a file has its operations', () => {
    const { plan } = new MemoryRepo({}).plan([
      whole('z/SKILL.md'),
      vera(),
      want(FILE, ['mcpServers', 'b'], server),
    ]);
    expect(plan.ops.map(({ id, address }) => `${id} ${address}`)).toEqual([
      `op-001 ${AT}`,
      `op-002 ${FILE}#/mcpServers/b`,
      'op-003 z/SKILL.md',
    ]);
    expect(plan.files.map(({ path, ops }) => `${path} ${ops.join()}`)).toEqual([
      `${FILE} op-001,op-002`,
      'z/SKILL.md op-003',
    ]);
  });
});

describe('byte-order mark and line ends', () => {
  test('stay, and so does what the ledger knows of them', () => {
    const text = '\ufeff{\r\n  "mcpServers": {}\r\n}\r\n';
    const { plan } = new MemoryRepo({}).plan([vera()], { reader: reader({ [FILE]: text }) });
    const [file] = plan.files;
    expect(decode(file?.base)).toBe(text);
    expect(decode(file?.result)).toMatch(/^\ufeff\{\r\n/);
    expect(decode(file?.result)?.replaceAll('\r\n', '')).not.toContain('\n');
    expect(plan.ledgers.root?.files).toMatchObject([
      {
        bom: true,
        eol: '\r\n',
        createdFile: false,
        createdDirs: [],
        before: { hash: sha256(text), size: new TextEncoder().encode(text).length },
        after: { hash: file?.resultHash, size: file?.result?.length },
      },
    ]);
  });

  test('a file of ours that is deleted leaves no trace in the ledger', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([vera()]));
    const { plan } = repo.plan([], removal);
    expect(plan.files).toMatchObject([{ action: 'delete', result: undefined, resultHash: 'absent' }]);
    expect(plan.ledgers.root).toMatchObject({ files: [], records: [] });
  });

  test('a file of the user is never deleted, also when nothing is left in it', () => {
    const repo = new MemoryRepo({ 'AGENTS.md': '' });
    const block = {
      ...want('AGENTS.md', [], 'text\n'),
      target: { path: 'AGENTS.md', format: 'markdown', place: { kind: 'block', id: 'vera' } },
    } as Desired;
    repo.apply(repo.plan([block]));
    expect(repo.snapshot()['AGENTS.md']).toContain('text');
    expect(repo.plan([], removal).plan.files).toMatchObject([{ action: 'edit', resultHash: sha256('') }]);
  });

  test('a file of ours stays while something of the user is in it', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([vera()]));
    const text = repo.snapshot()[FILE] as string;
    repo.files.set(FILE, text.replace('"mcpServers": {', '"mcpServers": {\n    "own": {},'));
    const { plan } = repo.plan([], removal);
    expect(plan.files).toMatchObject([{ action: 'edit' }]);
    expect(JSON.parse(decode(plan.files[0]?.result) as string)).toEqual({ mcpServers: { own: {} } });
  });

  test('what it was before is forgotten once someone else edited between two writes', () => {
    const repo = new MemoryRepo({ [FILE]: '{"mcpServers":{}}' });
    repo.apply(repo.plan([vera()]));
    repo.files.set(FILE, `${repo.files.get(FILE)}\n`);
    repo.apply(repo.plan([vera(), want(FILE, ['mcpServers', 'b'], server)]));
    expect(repo.ledgers.root.files).toMatchObject([{ before: null }]);
  });
});

describe('a removal that would not give back the original', () => {
  test('is refused, with the way out', () => {
    const repo = new MemoryRepo({ [FILE]: '{"mcpServers":{}}' });
    repo.apply(repo.plan([vera()]));
    const [file] = repo.ledgers.root.files;
    const forged = { ...file, before: { hash: sha256('another'), size: 7 } } as NonNullable<typeof file>;
    repo.ledgers = { ...repo.ledgers, root: { ...repo.ledgers.root, files: [forged] } };
    const { plan } = repo.plan([], removal);
    expect(plan.files).toEqual([]);
    expect(plan.conflicts).toEqual([
      {
        address: FILE,
        code: 'edit/unprovable',
        message:
          'taking our entries out would not give back the recorded original, although nobody edited the file since',
        choices: [],
        remedy: 'Take the entries out by hand and run tenon forget for their addresses; please report this',
        runtimes: [],
      },
    ]);
    // After an edit of the user nobody expects the original.
    repo.files.set(FILE, `${repo.files.get(FILE)}\n`);
    expect(repo.plan([], removal).plan.conflicts).toEqual([]);
  });
});

describe('a file that cannot be edited', () => {
  const world = (files: Record<string, MemoryEntry>, more: Partial<PlanRequest> = {}) =>
    new MemoryRepo({}).plan([vera()], { reader: reader(files), ...more });

  test('is one conflict with the text to paste, and nothing else of the plan is lost', () => {
    const files = { '/away/x.json': '{}', [FILE]: { link: '/away/x.json' } };
    const { plan, judgements } = world(files);
    expect(plan.conflicts).toMatchObject([
      {
        address: FILE,
        code: 'file/outside',
        choices: ['follow'],
        remedy: `--resolve ${FILE}=follow`,
        runtimes: ['claude-code'],
        snippet: expect.stringContaining(server.url),
      },
    ]);
    expect(judgements).toMatchObject([{ address: AT, standing: 'conflict', record: 'same' }]);
    expect(judgements[0]?.reason).toContain('leaves the repository');
    expect(plan).toMatchObject({ isApplicable: false, files: [], ops: [], ledgers: {} });
  });

  test('is followed with the answer', () => {
    const files = { '/away/x.json': '{"mcpServers":{}}', [FILE]: { link: '/away/x.json' } };
    const { plan } = world(files, {
      choices: { resolve: () => 'follow', force: () => false, restore: () => false },
    });
    expect(plan.files).toMatchObject([{ path: FILE, real: '/away/x.json', action: 'edit' }]);
  });

  test('with several names on disk is written in place when forced', () => {
    const files = { 'other.json': '{"mcpServers":{}}', [FILE]: { hardLink: `${ROOT}/other.json` } };
    expect(world(files).plan.conflicts).toMatchObject([{ code: 'file/hard-linked', choices: ['force'] }]);
    const forced = world(files, {
      choices: { resolve: () => undefined, force: (address) => address === FILE, restore: () => false },
    });
    expect(forced.plan.files).toMatchObject([{ path: FILE, inPlace: true }]);
  });

  test('and needs no edit is no conflict', () => {
    const repo = new MemoryRepo({ [FILE]: '{"mcpServers":{}}' });
    repo.apply(repo.plan([vera()]));
    const files = { [FILE]: { text: repo.files.get(FILE) as string, mode: 0o444 } };
    const kept = repo.plan([vera()], { reader: reader(files) });
    expect(kept.plan).toMatchObject({ conflicts: [], isEmpty: true });
    expect(repo.plan([], { ...removal, reader: reader(files) }).plan.conflicts).toMatchObject([
      { code: 'file/read-only', choices: [], runtimes: ['claude-code'], remedy: `chmod u+w ${FILE}` },
    ]);
  });

  test('is left out of a tolerant plan with its records as they were, and the rest is done', () => {
    const repo = new MemoryRepo({ [FILE]: '{"mcpServers":{}}' });
    repo.apply(repo.plan([vera()]));
    const record = repo.ledgers.root.records[0];
    repo.files.set(FILE, '{ broken');
    const next = [want(FILE, ['mcpServers', 'vera'], { url: 'http://127.0.0.1:2/mcp' }), whole('x')];
    const { plan, skipped } = repo.plan(next, { tolerant: true });
    expect(plan.conflicts).toEqual([]);
    expect(plan.files.map(({ path }) => path)).toEqual(['x']);
    expect(skipped).toEqual([
      {
        code: 'config/malformed',
        severity: 'error',
        subject: `${FILE}:1:3`,
        message: expect.stringMatching(/; left out$/),
        remedy: { text: expect.any(String) },
      },
    ]);
    expect(plan.ledgers.root?.records).toContainEqual(record);
    const strict = repo.plan(next);
    expect(strict.skipped).toEqual([]);
    expect(strict.plan.conflicts).toHaveLength(1);
  });
});

describe('a file that the client would not read', () => {
  const refuse = (seen: FileRules[]): Partial<PlanRequest> => ({
    refusedByClient: (_text, _bom, one) => {
      seen.push(one);
      return 'it holds a comment';
    },
  });

  test('is refused with the reason and the runtimes', () => {
    const { plan } = new MemoryRepo({ [FILE]: '{"mcpServers":{}}' }).plan([vera()], refuse([]));
    expect(plan.files).toEqual([]);
    expect(plan.conflicts).toMatchObject([
      {
        address: FILE,
        code: 'host/file-ignored',
        message: 'claude-code would not read this file: it holds a comment',
        choices: [],
        remedy: 'Mend the file by hand, or leave that runtime out with --runtime',
        runtimes: ['claude-code'],
        snippet: expect.stringContaining(server.url),
      },
    ]);
  });

  test('is asked of the pickiest reader of the file', () => {
    const seen: FileRules[] = [];
    const one = (name: string, change: Partial<FileRules>) =>
      want(FILE, ['mcpServers', name], server, { rules: rules(change) });
    new MemoryRepo({}).plan(
      [
        one('a', { reads: 'jsonc' }),
        one('b', { reads: 'comments', bom: 'rejected' }),
        one('c', { reads: 'jsonc' }),
      ],
      refuse(seen),
    );
    new MemoryRepo({}).plan([one('a', { reads: 'jsonc' }), one('b', { reads: 'strict' })], refuse(seen));
    new MemoryRepo({}).plan([one('a', { reads: 'jsonc' })], refuse(seen));
    expect(seen.map(({ reads, bom }) => `${reads} ${bom}`)).toEqual([
      'comments rejected',
      'strict ok',
      'jsonc ok',
    ]);
  });

  test('is no obstacle to taking ours out', () => {
    const repo = new MemoryRepo({ [FILE]: '{"mcpServers":{}}' });
    repo.apply(repo.plan([vera()]));
    expect(repo.plan([], { ...removal, ...refuse([]) }).plan.conflicts).toEqual([]);
    expect(repo.plan([vera()], refuse([])).plan.conflicts).toEqual([]);
  });
});
