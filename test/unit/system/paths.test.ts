import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printable, printableLines } from '../../../src/lib/printable.ts';
import { resolveTemplate } from '../../../src/system/path-template.ts';
import {
  caseCollisions,
  displayPath,
  fromDisplay,
  isOutside,
  isWithin,
  joinBelow,
  maskHome,
  pathsOf,
  relativeProblem,
  samePath,
} from '../../../src/system/paths.ts';
import fc from '../../helpers/fc.ts';

const posixPlaces = { root: '/home/u/repo', home: '/home/u', platform: 'linux' } as const;
const winPlaces = { root: 'C:\\Users\\u\\repo', home: 'C:\\Users\\u', platform: 'win32' } as const;

/** Pieces of which paths are made that are plain, and that are not. */
const pieces = fc.array(fc.constantFrom('a', 'b', 'repo', '.x', '..', '.', '', '..x', 'a\\b', 'home', 'u'), {
  maxLength: 6,
});

describe('paths that are compared as texts', () => {
  it('say the same as node:path, normalised or not', () => {
    fc.assert(
      fc.property(pieces, pieces, (one, two) => {
        const [folder, path] = [`/${one.join('/')}`, `/${two.join('/')}`];
        for (const child of [path, `${folder}/${two.join('/')}`, folder]) {
          const rest = posix.relative(folder, child);
          const isBelow = rest !== '..' && !/^\.\.[\\/]/.test(rest);
          expect(isWithin(folder, child, 'linux'), `${folder} ${child}`).toBe(isBelow);
          const places = { root: folder, home: '/home/u', platform: 'linux' } as const;
          if (isBelow) expect(displayPath(child, places)).toBe(rest || '.');
        }
        const places = { root: folder, home: '/home/u', platform: 'linux' } as const;
        const display = two.join('/');
        if (display !== '' && !display.startsWith('~'))
          expect(fromDisplay(display, places)).toBe(posix.resolve(folder, display));
        expect(joinBelow(folder, two.join('/'), 'linux')).toBe(posix.join(folder, two.join('/')));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('relativeProblem', () => {
  it.each([
    'a',
    'a/b.json',
    '.mcp.json',
    '.claude/skills/ünï x/SKILL.md',
    'a..b',
    '...x',
    'console',
    'com10',
  ])('takes %s', (path) => expect(relativeProblem(path)).toBeUndefined());
  it.each([
    '',
    '/a',
    'C:/a',
    'c:a',
    '\\\\server\\x',
    'a\\b',
    '..',
    '../a',
    'a/../b',
    'a//b',
    './a',
    'a/',
    'a\0b',
    '~',
    '~/a',
    'nul',
    'NUL.txt',
    'a/COM1',
    'lpt¹.x',
    'a.',
    'a ',
    'a./b',
    'a:b',
    'a?b',
    'a\nb',
  ])('refuses %j', (path) => expect(relativeProblem(path)).toBeTypeOf('string'));

  it('lets no accepted path leave its root, on any platform (law 9)', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', '~', 'C:', 'a', 'nul', '\\', '/', 'b c'),
      fc.string({ maxLength: 5 }),
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), fc.constantFrom('/', '\\'), (parts, separator) => {
        const path = parts.join(separator);
        if (relativeProblem(path) !== undefined) return;
        accepted += 1;
        for (const places of [posixPlaces, winPlaces]) {
          const abs = pathsOf(places.platform).resolve(places.root, path);
          expect(isWithin(places.root, abs, places.platform)).toBe(true);
          expect(abs).not.toBe(places.root);
        }
      }),
    );
    expect(accepted).toBeGreaterThan(0);
  });
});

describe('display paths', () => {
  it.each([
    [posixPlaces, '/home/u/repo/a/b.json', 'a/b.json'],
    [posixPlaces, '/home/u/.claude.json', '~/.claude.json'],
    [posixPlaces, '/home/u/repository/x', '~/repository/x'],
    [posixPlaces, '/etc/x', '/etc/x'],
    [winPlaces, 'C:\\Users\\u\\repo\\a\\b.json', 'a/b.json'],
    [winPlaces, 'C:\\Users\\u\\.claude.json', '~/.claude.json'],
    [winPlaces, 'D:\\x\\y', 'D:/x/y'],
  ])('%j %s', (places, abs, display) => {
    expect(displayPath(abs, places)).toBe(display);
    expect(fromDisplay(display, places)).toBe(abs);
    expect(isOutside(display)).toBe(!isWithin(places.root, abs, places.platform));
  });

  it('masks the home folder, and nothing that only begins like it', () => {
    expect(maskHome('in /home/u/x and /home/u, not /home/u2 or /home/u-x', '/home/u')).toBe(
      'in ~/x and ~, not /home/u2 or /home/u-x',
    );
    expect(maskHome('C:\\Users\\u\\x C:/Users/u/x', 'C:\\Users\\u')).toBe('~\\x ~/x');
    expect(maskHome('/a', '/')).toBe('/a');
  });

  it('takes the spellings of one Windows folder for one (case I06)', () => {
    for (const other of ['c:/Work/Repo', 'C:\\work\\repo', 'C:/WORK/REPO/']) {
      expect(samePath('C:\\Work\\Repo', other, 'win32')).toBe(true);
    }
    expect(samePath('/Work', '/work', 'linux')).toBe(false);
    expect(samePath('/work/', '/work', 'linux')).toBe(true);
  });

  it('finds files that collide where case is ignored', () => {
    expect(caseCollisions(['a/B', 'A/b', 'c', 'caf\u00e9', 'cafe\u0301'])).toEqual([
      ['A/b', 'a/B'],
      ['cafe\u0301', 'caf\u00e9'],
    ]);
  });
});

describe('resolveTemplate', () => {
  const folders = (...known: string[]) => ({
    stat: (path: string) => (known.includes(path) ? ({ kind: 'directory' } as never) : undefined),
  });
  const moved = (env: Record<string, string>, ...known: string[]) =>
    resolveTemplate('{env:CODEX_HOME|~/.codex}/config.toml', posixPlaces, env, folders(...known));

  it('resolves relative and home paths', () => {
    expect(resolveTemplate('.mcp.json', posixPlaces, {}, folders())).toEqual({
      abs: '/home/u/repo/.mcp.json',
      display: '.mcp.json',
    });
    expect(resolveTemplate('~/.a/b', winPlaces, {}, folders())).toEqual({
      abs: 'C:\\Users\\u\\.a\\b',
      display: '~/.a/b',
    });
  });

  it('follows the variable that moves a folder (case I05)', () => {
    expect(moved({})).toEqual({ abs: '/home/u/.codex/config.toml', display: '~/.codex/config.toml' });
    expect(moved({ CODEX_HOME: '/home/u/work/' }, '/home/u/work/')).toEqual({
      abs: '/home/u/work/config.toml',
      display: '~/work/config.toml',
    });
    expect(moved({ CODEX_HOME: '/srv/codex' }, '/srv/codex')).toEqual({
      abs: '/srv/codex/config.toml',
      display: '/srv/codex/config.toml',
    });
    expect(resolveTemplate('{env:X|~}/.claude.json', posixPlaces, {}, folders()).abs).toBe(
      '/home/u/.claude.json',
    );
  });

  it('reports a value that is empty, relative or names nothing', () => {
    expect(moved({ CODEX_HOME: '' })).toMatchObject({
      abs: '/home/u/.codex/config.toml',
      problem: { code: 'host/env-path', severity: 'warning' },
    });
    expect(moved({ CODEX_HOME: 'work' })).toMatchObject({
      abs: '/home/u/.codex/config.toml',
      problem: { severity: 'error' },
    });
    expect(moved({ CODEX_HOME: '/nowhere' })).toMatchObject({
      abs: '/nowhere/config.toml',
      problem: { severity: 'warning' },
    });
  });

  it.each(['../x', '/x', '~/../x', '{env:X|/abs}/y', '{env:X|~/.c}/../y', ''])(
    'throws for %j',
    (template) => {
      expect(() => resolveTemplate(template, posixPlaces, {}, folders())).toThrow(SyntaxError);
    },
  );
});

describe('printable', () => {
  it('escapes what a terminal would act on', () => {
    expect(printable('a\u001b[31m\u202eb\nc\u200b\u0085')).toBe('a\\e[31m\\u{202e}b\\nc\\u{200b}\\u{85}');
    expect(printable('schön 日本 👍')).toBe('schön 日本 👍');
    expect(printable('\ud800')).toBe('\\u{d800}');
    expect(printableLines('a\tb\r\n\u001bc')).toBe('a\tb\\r\n\\ec');
  });
});

describe('folders of Windows', () => {
  const within = (parent: string, child: string) => isWithin(parent, child, 'win32');
  it.each([
    ['C:\\Users\\u\\repo', 'c:\\users\\U\\REPO\\a', true],
    ['C:\\repo', 'C:\\repo2', false],
    ['C:\\repo', 'D:\\repo\\a', false],
    ['C:\\repo', 'C:\\repo\\..\\x', false],
    ['C:\\repo', 'C:\\repo\\..x', true],
    ['C:\\', 'C:\\x', true],
    ['\\\\server\\share\\repo', '\\\\SERVER\\share\\repo\\a', true],
    ['\\\\server\\share\\repo', '\\\\server\\other\\repo\\a', false],
    ['\\\\server\\share', 'C:\\share', false],
    ['\\\\?\\C:\\repo', '\\\\?\\C:\\repo\\a', true],
    // Another spelling of the same folder is not seen through: it counts as outside, which refuses.
    ['C:\\repo', '\\\\?\\C:\\repo\\a', false],
    ['C:\\repo', '\\\\.\\C:\\repo\\a', false],
    ['C:\\Users\\LONGNA~1', 'C:\\Users\\longname\\a', false],
  ])('%s holds %s: %s', (parent, child, wanted) => expect(within(parent, child)).toBe(wanted));

  it.each([
    ['\\\\server\\share\\x', '//server/share/x'],
    ['\\\\?\\C:\\x', '//?/C:/x'],
    ['D:\\x', 'D:/x'],
    ['c:\\users\\U\\x', '~/x'],
  ])('shows %s as %s, outside of the root', (abs, shown) => {
    expect(displayPath(abs, winPlaces)).toBe(shown);
    expect(isOutside(shown)).toBe(true);
    expect(samePath(fromDisplay(shown, winPlaces), abs, 'win32')).toBe(true);
  });

  it.each([
    '\\\\server\\share',
    '//server/share',
    '\\\\?\\C:\\x',
    '//?/C:/x',
    'C:x',
    'c:',
    'C:\\x',
    'a\\..\\..\\b',
    'a:$DATA',
    'CON.json',
    'a/LPT9.txt',
  ])('takes no path of a definition that Windows would read in another way: %s', (path) =>
    expect(relativeProblem(path)).toBeTypeOf('string'),
  );
});
