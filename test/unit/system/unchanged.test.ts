import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { realSystem } from '../../../src/system/real.ts';
import { record } from '../../../src/system/recording.ts';
import { hasFineClock, isSettled, isUnchanged } from '../../../src/system/unchanged.ts';
import fc from '../../helpers/fc.ts';
import { scratch, writeTree } from '../../helpers/repo.ts';

let folder = '';
const at = (name: string): string => path.join(folder, name);

beforeEach(() => {
  folder = scratch();
  writeTree(folder, {
    file: 'text',
    'a/inner': 'inner',
    'a/b/deep': 'deep',
    link: { link: 'file' },
    toFolder: { link: 'a' },
    dangling: { link: 'nowhere' },
  });
});

/** Far enough in the future that everything on the disk is settled. */
const LATER = Date.now() + 3_600_000;

function recorded(look: (reader: ReturnType<typeof realSystem>['reader']) => void) {
  const recording = record(realSystem());
  look(recording.system.reader);
  return recording.inputs(LATER);
}

/** Every way to look at a path. */
const LOOKS = ['readFile', 'lstat', 'stat', 'list', 'readLink', 'realpath'] as const;
const NAMES = [
  'file',
  'a',
  'a/inner',
  'link',
  'toFolder',
  'toFolder/inner',
  'dangling',
  'absent',
  'a/absent',
];

function look(way: (typeof LOOKS)[number], name: string) {
  return recorded((reader) => {
    try {
      reader[way](at(name));
    } catch {
      // A folder is not read, a file has no target: refused, so that nothing is kept.
    }
  });
}

describe('what was looked at', () => {
  it('is unchanged as long as nobody touches it, however it was looked at', () => {
    for (const way of LOOKS) {
      for (const name of NAMES) {
        const inputs = look(way, name);
        if (inputs !== undefined) expect(isUnchanged(inputs), `${way} ${name}`).toBe(true);
      }
    }
  });

  it('is not kept where the system refused an answer', () => {
    expect(look('readFile', 'a')).toBeUndefined();
    expect(look('readLink', 'file')).toBeUndefined();
    expect(recorded((reader) => reader.readFile(at('file'), 1_000))).toBeDefined();
    expect(
      recorded((reader) => {
        expect(() => reader.readFile(at('file'), 1)).toThrow();
      }),
    ).toBeUndefined();
    expect(recorded((reader) => reader.readFile('/proc/self/stat'))).toBeUndefined();
    expect(recorded((reader) => reader.stat('/dev/null'))).toBeUndefined();
  });

  it('is not kept where a path came or went between two looks', () => {
    const come = recorded((reader) => {
      reader.lstat(at('absent'));
      fs.writeFileSync(at('absent'), '');
      reader.lstat(at('absent'));
    });
    const gone = recorded((reader) => {
      reader.readFile(at('file'));
      fs.rmSync(at('file'));
    });
    const turned = recorded((reader) => {
      reader.realpath(at('toFolder'));
      fs.rmSync(at('toFolder'));
      fs.symlinkSync('.', at('toFolder'));
      reader.realpath(at('toFolder'));
    });
    expect([come, gone, turned]).toEqual([undefined, undefined, undefined]);
  });

  it('is not kept where something changed after it was looked at, though its clock is behind', () => {
    // As on a disk of another machine: all times count as long ago (LATER).
    const after: Readonly<Record<string, readonly [(typeof LOOKS)[number], string, () => void]>> = {
      content: ['readFile', 'file', () => fs.writeFileSync(at('file'), 'TEXT')],
      'content behind a link': ['readFile', 'link', () => fs.writeFileSync(at('file'), 'TEXT')],
      names: ['list', 'a', () => fs.writeFileSync(at('a/new'), '')],
      'names behind a link': ['list', 'toFolder', () => fs.writeFileSync(at('a/newer'), '')],
      'a link': [
        'readLink',
        'dangling',
        () => {
          fs.rmSync(at('dangling'));
          fs.symlinkSync('elsewhere', at('dangling'));
        },
      ],
    };
    for (const [what, [way, name, change]] of Object.entries(after)) {
      const inputs = recorded((reader) => {
        reader[way](at(name));
        change();
      });
      expect(inputs, what).toBeUndefined();
    }
    const inOneLook = recorded((reader) => {
      reader.stat(at('a'));
      fs.writeFileSync(at('a/newest'), '');
    });
    expect(inOneLook, 'names in a folder that was not listed').toBeDefined();
  });

  it.runIf(process.platform === 'linux')('is not kept where a file system tells no changes', () => {
    fs.symlinkSync('/proc/sys/kernel', at('kernel'));
    expect(recorded((reader) => reader.readFile(at('kernel/hostname')))).toBeUndefined();
    expect(recorded((reader) => reader.list(at('kernel')))).toBeUndefined();
    fs.symlinkSync('/proc/sys/kernel/hostname', at('name'));
    expect(recorded((reader) => reader.readFile(at('name')))).toBeUndefined();
  });

  it('is not kept where something was to be written', () => {
    const recording = record(realSystem());
    expect(() => recording.system.writer.makeDir(at('new'))).toThrow();
    expect(fs.existsSync(at('new'))).toBe(false);
    expect(recording.inputs(LATER)).toBeUndefined();
  });

  const CHANGES: Readonly<Record<string, readonly [name: string, change: () => void]>> = {
    content: ['file', () => fs.writeFileSync(at('file'), 'TEXT')],
    'content behind a link': ['link', () => fs.writeFileSync(at('file'), 'TEXT')],
    'content, with the old time of change put back': [
      'file',
      () => {
        const { atime, mtime } = fs.statSync(at('file'));
        fs.writeFileSync(at('file'), 'TEXT');
        fs.utimesSync(at('file'), atime, mtime);
      },
    ],
    'another file under its name': [
      'file',
      () => {
        fs.copyFileSync(at('file'), at('copy'));
        fs.renameSync(at('copy'), at('file'));
      },
    ],
    rights: ['file', () => fs.chmodSync(at('file'), 0o600)],
    'rights of a folder': ['a', () => fs.chmodSync(at('a'), 0o700)],
    absence: ['file', () => fs.rmSync(at('file'))],
    presence: ['absent', () => fs.writeFileSync(at('absent'), '')],
    'a folder above that came': ['x/y/z', () => fs.mkdirSync(at('x/y/z'), { recursive: true })],
    'what a dangling link leads to': ['dangling', () => fs.writeFileSync(at('nowhere'), '')],
    'where a link leads': [
      'link',
      () => {
        fs.rmSync(at('link'));
        fs.symlinkSync('a/inner', at('link'));
      },
    ],
    'where a link above leads': [
      'toFolder/inner',
      () => {
        fs.rmSync(at('toFolder'));
        fs.symlinkSync('a/b', at('toFolder'));
        fs.writeFileSync(at('a/b/inner'), 'inner');
      },
    ],
    'a file in the place of a folder': [
      'a',
      () => {
        fs.rmSync(at('a'), { recursive: true });
        fs.writeFileSync(at('a'), '');
      },
    ],
    'another folder in its place': [
      'a',
      () => {
        fs.renameSync(at('a'), at('old'));
        fs.mkdirSync(at('a'));
      },
    ],
  };

  it.each(Object.entries(CHANGES))('is seen to have changed: %s', (_, [name, change]) => {
    const inputs = look('stat', name);
    expect(inputs).toBeDefined();
    change();
    expect(inputs !== undefined && isUnchanged(inputs)).toBe(false);
  });

  it('has names of a folder in it only where they were listed', () => {
    const inputs = { listed: look('list', 'a'), seen: look('stat', 'a'), linked: look('list', 'toFolder') };
    fs.writeFileSync(at('a/new'), '');
    const now = Object.entries(inputs).map(([name, one]) => [name, one !== undefined && isUnchanged(one)]);
    expect(Object.fromEntries(now)).toEqual({ listed: false, seen: true, linked: false });
  });

  it('has real paths in it', () => {
    const inputs = look('realpath', 'toFolder/inner');
    fs.renameSync(at('a'), at('c'));
    fs.rmSync(at('toFolder'));
    fs.symlinkSync('c', at('toFolder'));
    expect(inputs !== undefined && isUnchanged(inputs)).toBe(false);
  });

  it('has the variables that were asked for in it, and is not kept where all were', () => {
    const { system, env, inputs } = record({
      ...realSystem(),
      host: { ...realSystem().host, env: { ONE: '1', TWO: '2' } },
    });
    expect(system.host.env['ONE']).toBe('1');
    expect('THREE' in system.host.env).toBe(false);
    expect([...env]).toEqual([
      ['ONE', '1'],
      ['THREE', undefined],
    ]);
    expect(inputs(LATER)).toBeDefined();
    expect(Object.keys(system.host.env)).toEqual(['ONE', 'TWO']);
    expect(inputs(LATER)).toBeUndefined();
  });
});

describe('facts are settled', () => {
  const facts = (mtime: number, ctime: number) => [2, 1, 1, 1, 1, 1, mtime, ctime];
  const coarse = () => false;
  const fine = () => true;

  it('when a step of the clock of the file system has passed since the last change', () => {
    expect(isSettled(facts(100.5, 100.5), 121, coarse)).toBe(true);
    expect(isSettled(facts(100.5, 110.5), 121, fine)).toBe(false);
    // Whole milliseconds: a clock that may step by two seconds.
    expect(isSettled(facts(1000, 1000), 3000, coarse)).toBe(false);
    expect(isSettled(facts(1000, 1000), 3501, coarse)).toBe(true);
    // Or a fine one, by chance; its own step has to pass all the same.
    expect(isSettled(facts(1000, 1000), 1021, fine)).toBe(true);
    expect(isSettled(facts(1000, 1000), 1019, fine)).toBe(false);
    expect(isSettled(facts(Number.NaN, 1000.5), 9000, fine)).toBe(false);
    expect(isSettled([0], 0, coarse)).toBe(true);
  });

  it('by a clock that shows parts of a millisecond', () => {
    const none = { ctimeNs: 1_700_000_000_123_000_000n };
    vi.spyOn(fs, 'lstatSync').mockReturnValue(none as unknown as fs.BigIntStats);
    expect(hasFineClock('x', false)).toBe(false);
    vi.spyOn(fs, 'statSync').mockReturnValue({ ctimeNs: none.ctimeNs + 1n } as unknown as fs.BigIntStats);
    expect(hasFineClock('x', true)).toBe(true);
    vi.restoreAllMocks();
    expect(hasFineClock(at('absent'), false)).toBe(false);
  });

  it('never when they lie in the future', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e13, noNaN: true }), fc.nat(1e6), (since, ahead) => {
        expect(isSettled(facts(since - 10_000, since + ahead), since, fine)).toBe(false);
      }),
    );
  });
});
