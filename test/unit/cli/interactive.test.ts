import { describe, expect, it } from 'vitest';
import { isCi, isInteractive, useColor, useUnicode } from '../../../src/cli/interactive.ts';

const terminal = { stdinTty: true, stderrTty: true, env: { TERM: 'xterm' }, noInput: false, json: false };

describe('isInteractive', () => {
  it('is true at a terminal', () => {
    expect(isInteractive(terminal)).toBe(true);
  });

  it.each([
    { stdinTty: false },
    { stderrTty: false },
    { noInput: true },
    { json: true },
    { env: { TERM: 'dumb' } },
    { env: { CI: 'true' } },
    { env: { CI: ' TRUE ' } },
    { env: { CI: '1' } },
  ])('is false with %j', (change) => {
    expect(isInteractive({ ...terminal, ...change })).toBe(false);
  });

  it('takes no other value of CI as one', () => {
    expect([undefined, '', '0', 'false', 'no'].map((CI) => isCi({ CI }))).toEqual(Array(5).fill(false));
  });
});

describe('useColor', () => {
  const off = { flag: undefined, tty: false, json: false };
  const on = { flag: undefined, tty: true, json: false };
  it.each<[string, Record<string, string>, Parameters<typeof useColor>[1], boolean]>([
    ['a pipe', {}, off, false],
    ['a terminal', {}, on, true],
    ['a dumb terminal', { TERM: 'dumb' }, on, false],
    ['NO_COLOR', { NO_COLOR: '1' }, on, false],
    ['NO_COLOR set and empty', { NO_COLOR: '' }, on, true],
    ['FORCE_COLOR on a pipe', { FORCE_COLOR: '1' }, off, true],
    ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, on, false],
    ['FORCE_COLOR over NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, on, true],
    [
      'NO_COLOR over FORCE_COLOR under JSON',
      { FORCE_COLOR: '1', NO_COLOR: '1' },
      { ...on, json: true },
      false,
    ],
    ['--color over NO_COLOR', { NO_COLOR: '1' }, { ...off, flag: true }, true],
    ['--no-color over FORCE_COLOR', { FORCE_COLOR: '1' }, { ...on, flag: false }, false],
  ])('decides for %s', (_, env, options, expected) => {
    expect(useColor(env, options)).toBe(expected);
  });
});

describe('useUnicode', () => {
  it.each<[Record<string, string>, NodeJS.Platform, boolean]>([
    [{ LANG: 'de_DE.UTF-8' }, 'linux', true],
    [{ LANG: 'C.utf8' }, 'linux', true],
    [{}, 'linux', true],
    [{ LANG: 'C' }, 'linux', false],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' }, 'linux', false],
    [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, 'linux', false],
    [{}, 'win32', false],
    [{ WT_SESSION: '1' }, 'win32', true],
  ])('with %j on %s is %s', (env, platform, expected) => {
    expect(useUnicode(env, platform)).toBe(expected);
  });
});
