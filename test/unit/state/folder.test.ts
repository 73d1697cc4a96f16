import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { TenonError } from '../../../src/errors/error.ts';
import { openStateFolder, readState, removeState, writeState } from '../../../src/state/folder.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import type { Host } from '../../../src/system/ports.ts';
import { realSystem } from '../../../src/system/real.ts';
import { gitRepo, scratch, stampsOf, treeOf, writeTree } from '../../helpers/repo.ts';

const dirOn = (host: Partial<Host>): string => openStateFolder(memorySystem({}, host)).dir;
function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof TenonError) return `${error.code} ${error.exit}`;
    throw error;
  }
  return 'none';
}
const real = (env: Record<string, string>, home = scratch()) => {
  const system = realSystem();
  return { ...system, host: { ...system.host, env, home } };
};

describe('openStateFolder', () => {
  it.each([
    [{}, '/home/u/.local/state/tenon'],
    [{ env: { XDG_STATE_HOME: '/x' } }, '/x/tenon'],
    [{ env: { XDG_STATE_HOME: 'relative' } }, '/home/u/.local/state/tenon'],
    [{ env: { TENON_STATE_DIR: '/s/t/', XDG_STATE_HOME: '/x' } }, '/s/t'],
    [{ env: { TENON_STATE_DIR: '' } }, '/home/u/.local/state/tenon'],
    [{ platform: 'darwin', home: '/Users/u' }, '/Users/u/Library/Application Support/tenon'],
  ] as [Partial<Host>, string][])('%j', (host, dir) => expect(dirOn(host)).toBe(dir));

  it('refuses a relative folder, a link, and the inside of a repository', () => {
    expect(codeOf(() => dirOn({ env: { TENON_STATE_DIR: 'x' } }))).toBe('state/unsafe 4');
    const repo = gitRepo();
    expect(codeOf(() => openStateFolder(real({ TENON_STATE_DIR: path.join(repo, 'a/b') })))).toBe(
      'state/unsafe 4',
    );
    const base = scratch();
    fs.symlinkSync(repo, path.join(base, 'into'));
    expect(codeOf(() => openStateFolder(real({ TENON_STATE_DIR: path.join(base, 'into/state') })))).toBe(
      'state/unsafe 4',
    );
    fs.mkdirSync(path.join(base, 'target'));
    fs.symlinkSync('target', path.join(base, 'link'));
    expect(codeOf(() => openStateFolder(real({ TENON_STATE_DIR: path.join(base, 'link') })))).toBe(
      'state/unsafe 4',
    );
  });

  it.each(['EACCES', 'EIO'])(
    'says of a folder that answers %s what is the case, as a state that cannot be read',
    (code) => {
      const system = real({ TENON_STATE_DIR: '/s/tenon' });
      const refuse = (): never => {
        throw Object.assign(new Error(code), { code, syscall: 'lstat', path: '/s/tenon/ledger' });
      };
      const reader = { ...system.reader, lstat: refuse };
      const open = () => openStateFolder({ ...system, reader });
      expect(codeOf(open)).toBe('state/unreadable 2');
      expect(open).toThrow(/^The state folder \/s\/tenon cannot be looked into: .+ \(E\w+\)\.$/);
    },
  );

  it('does not offer to repair a file that may not be read', () => {
    const system = real({ TENON_STATE_DIR: path.join(scratch(), 'state') });
    const file = openStateFolder(system).path('ledger', 'x.json');
    const remedyAt = (code: string) => {
      const refuse = (): never => {
        throw Object.assign(new Error(code), { code });
      };
      try {
        readState({ ...system, reader: { ...system.reader, lstat: refuse } }, file);
      } catch (error) {
        if (error instanceof TenonError) return error.remedy;
      }
      return undefined;
    };
    expect(remedyAt('EACCES')?.command).toBeUndefined();
    expect(remedyAt('EACCES')?.text).toContain('Correct its access rights');
    expect(remedyAt('EIO')?.command).toBe('tenon state repair');
  });

  it('creates nothing by itself, nor by reading', () => {
    const base = scratch();
    const system = real({ TENON_STATE_DIR: path.join(base, 'state') });
    expect(readState(system, openStateFolder(system).path('ledger', 'x.json'))).toBeUndefined();
    expect(treeOf(base)).toEqual({});
  });
});

describe('state files', () => {
  it('are for their owner alone, and replaced as a whole', () => {
    const base = scratch();
    const system = real({ TENON_STATE_DIR: path.join(base, 'a/state') });
    const state = openStateFolder(system);
    const file = state.path('ledger', 'x.json');
    writeState(system, state, file, new Uint8Array([1]));
    writeState(system, state, file, new Uint8Array([1, 2]));
    expect(readState(system, file)).toEqual(new Uint8Array([1, 2]));
    const tree = treeOf(base);
    expect(Object.keys(tree)).toEqual(['a', 'a/state', 'a/state/ledger', 'a/state/ledger/x.json']);
    expect([tree['a/state'], tree['a/state/ledger']]).toEqual(['folder 700', 'folder 700']);
    expect(tree['a/state/ledger/x.json']).toMatch(/^file 600 /);
    const stamps = stampsOf(base);
    readState(system, file);
    expect(stampsOf(base)).toEqual(stamps);
    removeState(system, file);
    removeState(system, file);
    expect(readState(system, file)).toBeUndefined();
  });

  it('narrows a folder that others can enter', () => {
    const base = scratch();
    const system = real({ TENON_STATE_DIR: base });
    fs.chmodSync(base, 0o755);
    const state = openStateFolder(system);
    writeState(system, state, state.path('trust', 'x'), new Uint8Array());
    expect(fs.statSync(base).mode & 0o777).toBe(0o700);
  });

  it('leaves the rights of a folder that holds other things, and refuses it where others can enter', () => {
    const base = scratch();
    const system = real({ TENON_STATE_DIR: base });
    writeTree(base, { 'other/file': 'x' });
    fs.chmodSync(base, 0o1777);
    const state = openStateFolder(system);
    const write = () => writeState(system, state, state.path('trust', 'x'), new Uint8Array());
    expect(write).toThrow(/holds other things than tenon's records.*mode 1777/);
    expect(fs.statSync(base).mode & 0o7777).toBe(0o1777);
    expect(fs.readdirSync(base)).toEqual(['other']);
    fs.chmodSync(base, 0o700);
    write();
    expect(fs.readdirSync(base)).toEqual(['other', 'trust']);
  });

  it('refuse links in their way, and say what cannot be written', () => {
    const base = scratch();
    const system = real({ TENON_STATE_DIR: path.join(base, 'state') });
    const state = openStateFolder(system);
    fs.mkdirSync(path.join(base, 'state'));
    fs.mkdirSync(path.join(base, 'elsewhere'));
    fs.symlinkSync('../elsewhere', path.join(base, 'state/ledger'));
    expect(codeOf(() => writeState(system, state, state.path('ledger', 'x'), new Uint8Array()))).toBe(
      'state/unsafe 4',
    );
    fs.writeFileSync(path.join(base, 'secret'), 's');
    fs.mkdirSync(path.join(base, 'state/trust'));
    fs.symlinkSync('../../secret', path.join(base, 'state/trust/x'));
    expect(codeOf(() => readState(system, state.path('trust', 'x')))).toBe('state/unreadable 2');
    fs.writeFileSync(path.join(base, 'state/journal'), '');
    expect(codeOf(() => writeState(system, state, state.path('journal', 'x'), new Uint8Array()))).toBe(
      'state/unwritable 4',
    );
  });
});
