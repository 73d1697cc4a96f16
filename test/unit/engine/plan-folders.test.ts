import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanRequest } from '../../../src/engine/plan-request.ts';
import type { Desired, LedgerRecord } from '../../../src/engine/types.ts';
import { loadFormats } from '../../../src/formats/index.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import { MemoryRepo, ROOT, want } from '../../helpers/memory-repo.ts';

beforeAll(() => loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']));

const whole = (path: string, integration = 'vera'): Desired => ({
  ...want(path, [], 'x', { owner: { integration, artifact: path, version: '1' } }),
  target: { path, format: 'whole', place: { kind: 'file' } },
});
const removal = (isOurs: (record: LedgerRecord) => boolean = () => true): Partial<PlanRequest> => ({
  command: 'uninstall',
  uncovered: (record) => (isOurs(record) ? 'remove' : 'leave'),
});
const dirsOf = (repo: MemoryRepo): Record<string, readonly string[]> =>
  Object.fromEntries(repo.ledgers.root.files.map(({ path, createdDirs }) => [path, createdDirs]));

describe('folders of new files', () => {
  test('are made once, by the first file that needs them, outermost first', () => {
    const { plan } = new MemoryRepo({}).plan([whole('a/b/1'), whole('a/b/2'), whole('a/c/3')]);
    expect(plan.files.map(({ path, makeDirs }) => `${path}: ${makeDirs.join()}`)).toEqual([
      `a/b/1: ${ROOT}/a,${ROOT}/a/b`,
      'a/b/2: ',
      `a/c/3: ${ROOT}/a/c`,
    ]);
  });

  test('that are there are not ours', () => {
    const repo = new MemoryRepo({ 'a/own': 'x' });
    repo.apply(repo.plan([whole('a/b/1')]));
    expect(dirsOf(repo)).toEqual({ 'a/b/1': ['a/b'] });
    expect(repo.plan([], removal()).plan.files).toMatchObject([{ removeDirs: [`${ROOT}/a/b`] }]);
  });

  test('above a file that is edited are not made', () => {
    const repo = new MemoryRepo({ 'a/x.json': '{}' });
    const { plan } = repo.plan([want('a/x.json', ['k'], 1)]);
    expect(plan.files).toMatchObject([{ action: 'edit', makeDirs: [] }]);
  });

  test('of a root that is not there are made down from what is', () => {
    const { reader } = memorySystem({ '/': { directory: true } }, { home: '/home/me', cwd: '/' });
    const { plan } = new MemoryRepo({}).plan([whole('a/1')], { reader });
    expect(plan.files[0]?.makeDirs).toEqual([ROOT, `${ROOT}/a`]);
  });

  test('are named as users see them, in the home folder too', () => {
    const repo = new MemoryRepo({});
    const { plan } = repo.plan([{ ...whole('~/.x/y/z'), scope: 'user' }]);
    expect(plan.ledgers.user?.files).toMatchObject([{ createdDirs: ['~/.x', '~/.x/y'] }]);
    expect(plan.files[0]?.makeDirs).toEqual(['/home/me/.x', '/home/me/.x/y']);
  });
});

describe('folders of ours that become free', () => {
  test('go where their own file was deleted by hand, with another one of the plan', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([whole('a/b/1'), whole('a/b/2'), whole('c')]));
    repo.files.delete('a/b/1');
    repo.files.delete('a/b/2');
    const known = { external: new Set<string>(), excluded: new Set<string>(), listed: new Set(['vera']) };
    const { plan } = repo.plan([], { ...removal(), known });
    expect(plan.files).toMatchObject([
      { path: 'c', action: 'delete', removeDirs: [`${ROOT}/a/b`, `${ROOT}/a`] },
    ]);
  });

  test('go with the last file, innermost first', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([whole('a/b/1')]));
    const { plan } = repo.plan([], removal());
    expect(plan.files).toMatchObject([{ action: 'delete', removeDirs: [`${ROOT}/a/b`, `${ROOT}/a`] }]);
  });

  test('are handed on to a file of ours that stays in them, and go with that one', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([whole('a/b/1'), whole('a/c/2', 'acme'), whole('ab/3', 'acme')]));
    expect(dirsOf(repo)).toEqual({ 'a/b/1': ['a', 'a/b'], 'a/c/2': ['a/c'], 'ab/3': ['ab'] });
    const first = repo.plan(
      [],
      removal((record) => record.owners[0]?.integration === 'vera'),
    );
    expect(first.plan.files).toMatchObject([{ path: 'a/b/1', removeDirs: [`${ROOT}/a/b`] }]);
    repo.apply(first);
    expect(dirsOf(repo)).toEqual({ 'a/c/2': ['a', 'a/c'], 'ab/3': ['ab'] });
    const last = repo.plan([], removal());
    expect(last.plan.files.map(({ path, removeDirs }) => `${path}: ${removeDirs.join()}`)).toEqual([
      `a/c/2: ${ROOT}/a/c,${ROOT}/a`,
      `ab/3: ${ROOT}/ab`,
    ]);
  });

  test('are not handed to a file of the user, which keeps its folder by being in it', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([whole('a/1')]));
    repo.files.set('a/own.json', '{}');
    repo.apply(
      repo.plan([want('a/own.json', ['k'], 1, { owner: { integration: 'x', artifact: 'y', version: '1' } })]),
    );
    const { plan } = repo.plan(
      [],
      removal((record) => record.path === 'a/1'),
    );
    expect(plan.files).toMatchObject([{ path: 'a/1', removeDirs: [`${ROOT}/a`] }]);
    expect(plan.ledgers.root?.files).toMatchObject([{ path: 'a/own.json', createdDirs: [] }]);
  });

  test('stay with the record of a file that stays', () => {
    const repo = new MemoryRepo({});
    repo.apply(repo.plan([want('a/x.json', ['p', 'one'], 1), want('a/x.json', ['p', 'two'], 2)]));
    expect(dirsOf(repo)).toEqual({ 'a/x.json': ['a'] });
    const first = repo.plan([want('a/x.json', ['p', 'one'], 1)], removal());
    expect(first.plan.files).toMatchObject([{ action: 'edit', removeDirs: [] }]);
    repo.apply(first);
    expect(dirsOf(repo)).toEqual({ 'a/x.json': ['a'] });
  });
});
