import { describe, expect, it } from 'vitest';
import { toGlobalOptions } from '../../../src/cli/options.ts';
import { TenonError } from '../../../src/errors/error.ts';

const fault = (raw: Record<string, unknown>): string | undefined => {
  try {
    toGlobalOptions(raw, '/srv/here');
    return undefined;
  } catch (error) {
    return error instanceof TenonError ? `${error.code} ${error.exit}` : String(error);
  }
};

describe('toGlobalOptions', () => {
  it('has the defaults of the contract', () => {
    expect(toGlobalOptions({}, '/here')).toEqual({
      allRoots: false,
      runtimes: [],
      scope: 'project',
      set: {},
      without: [],
      dryRun: false,
      yes: false,
      allow: [],
      resolve: {},
      force: [],
      json: false,
      format: 'text',
      offline: false,
      online: false,
      live: false,
      clients: false,
      timeoutMs: 5000,
      strict: false,
      noInput: false,
      showPaths: false,
      quiet: false,
      debug: false,
    });
  });

  it('makes folders absolute, the root relative to --cwd', () => {
    expect(toGlobalOptions({ cwd: 'sub', root: '../other' }, '/here')).toMatchObject({
      cwd: '/here/sub',
      root: '/here/other',
    });
  });

  it('splits --set at the first = and --resolve at the last', () => {
    expect(toGlobalOptions({ set: ['A=b=c', 'E='], resolve: ['f#/a=b=replace'] }, '/here')).toMatchObject({
      set: { A: 'b=c', E: '' },
      resolve: { 'f#/a=b': 'replace' },
    });
  });

  it('does not let an input reach the prototype', () => {
    expect(Object.keys(toGlobalOptions({ set: ['__proto__=x'] }, '/here').set)).toEqual(['__proto__']);
  });

  it('takes lists with commas and repeated', () => {
    expect(
      toGlobalOptions({ without: ['mcp, hooks', 'skills'], runtime: ['a,b', 'c'] }, '/here'),
    ).toMatchObject({
      without: ['mcp', 'hooks', 'skills'],
      runtimes: ['a', 'b', 'c'],
    });
  });

  it('takes --format json as --json', () => {
    expect(toGlobalOptions({ format: 'json' }, '/here')).toMatchObject({ json: true, format: 'json' });
    expect(toGlobalOptions({ json: true, format: 'json' }, '/here')).toMatchObject({ json: true });
  });

  it.each([
    { json: true, format: 'text' },
    { json: true, format: 'html' },
    { offline: true, online: true },
    { offline: true, live: true },
  ])('refuses %j', (raw) => {
    expect(fault(raw)).toBe('usage/conflicting-flags 2');
  });

  it.each([
    { set: ['=x'] },
    { resolve: ['=keep'] },
    { resolve: ['a=merge'] },
    { timeout: '0' },
    { timeout: '-5' },
    { timeout: '5s' },
    { timeout: '99999999' },
    { approve: 'sha256:abc' },
    { without: ['hook'] },
    { runtime: [','] },
    { without: ['', 'hooks'] },
  ])('refuses %j as a value', (raw) => {
    expect(fault(raw)).toBe('usage/bad-value 2');
  });
});
