import {
  appendFileSync,
  cpSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { certificationOf, isReusable, ownBinding, probeDigest } from '../../../src/certify/binding.ts';
import { buildOf, isSameBuild } from '../../../src/clients/build.ts';
import type { Evidence } from '../../../src/state/evidence.ts';
import { realSystem } from '../../../src/system/real.ts';
import { scratch, writeTree } from '../../helpers/repo.ts';
import { specOf } from '../../runtimes/support.ts';

const system = realSystem();
const PACKAGE = resolve('.');

/** A client as npm installs it: a launcher, its package, and a package for one platform with the program itself. */
function client() {
  const prefix = scratch('tenon-client-');
  writeTree(prefix, {
    'node_modules/@shop/cli/bin/cli.js': 'launch()\n',
    'node_modules/@shop/cli/package.json': JSON.stringify({
      version: '1.2.3',
      optionalDependencies: { '@shop/cli-linux': '1.2.3', '@shop/cli-win32': '1.2.3', '../../../etc': '1' },
    }),
    'node_modules/@shop/cli-linux/package.json': '{"version":"1.2.3"}',
    'node_modules/@shop/cli-linux/vendor/shop': 'native program\n',
  });
  mkdirSync(join(prefix, 'node_modules', '.bin'));
  symlinkSync('../@shop/cli/bin/cli.js', join(prefix, 'node_modules', '.bin', 'shop'));
  const at = (...parts: string[]) => join(prefix, 'node_modules', ...parts);
  return { program: at('.bin', 'shop'), at };
}

describe('the build of a client', () => {
  it('is the same in another installation', () => {
    const [one, two] = [client(), client()];
    expect(buildOf(one.program, system).digest).toBe(buildOf(two.program, system).digest);
  });

  it.each([
    ['the launcher', ['@shop', 'cli', 'bin', 'cli.js']],
    ['the description of its package', ['@shop', 'cli', 'package.json']],
    ['the program for this platform', ['@shop', 'cli-linux', 'vendor', 'shop']],
  ])('changes with %s, whatever the version says', (_, file) => {
    const { program, at } = client();
    const build = buildOf(program, system);
    expect(isSameBuild(program, build, system)).toBe(true);
    const path = at(...file);
    const { size, mtime, atime } = statSync(path);
    writeFileSync(path, 'x'.repeat(size));
    expect(isSameBuild(program, build, system)).toBe(false);
    utimesSync(path, atime, mtime);
    expect(buildOf(program, system).digest).not.toBe(build.digest);
  });

  it('changes with a file that comes or goes, and not with times alone', () => {
    const { program, at } = client();
    const build = buildOf(program, system);
    utimesSync(at('@shop', 'cli', 'bin', 'cli.js'), new Date(), new Date());
    expect(isSameBuild(program, build, system)).toBe(true);
    rmSync(at('@shop', 'cli-linux'), { recursive: true });
    expect(isSameBuild(program, build, system)).toBe(false);
    expect(buildOf(program, system).digest).not.toBe(build.digest);
  });

  it('is the one file where the program is of no package', () => {
    const program = join(scratch(), 'shop');
    writeFileSync(program, 'one');
    const build = buildOf(program, system);
    expect(build.stamps).toHaveLength(1);
    appendFileSync(program, ' more');
    expect(isSameBuild(program, build, system)).toBe(false);
    rmSync(program);
    expect(isSameBuild(program, build, system)).toBe(false);
  });
});

const spec = specOf('codex');

/** Evidence of a client, and of tenon's own data as they are. */
function passed(): { evidence: Evidence; now: Parameters<typeof certificationOf>[1] } {
  const { program } = client();
  const own = ownBinding(spec, PACKAGE, system);
  const { digest, stamps } = buildOf(program, system);
  const binding = { version: '1.2.3', build: digest, ...own };
  const at = new Date().toISOString();
  const evidence: Evidence = { runtime: 'codex', result: 'passed', at, reason: '', binding, program, stamps };
  return { evidence, now: { own, program } };
}

describe('what evidence is worth', () => {
  it('certifies while nothing changed', () => {
    const { evidence, now } = passed();
    expect(certificationOf(undefined, now, system)).toEqual({ state: 'none' });
    expect(certificationOf(evidence, now, system)).toEqual({ state: 'passed' });
    expect(certificationOf(evidence, { ...now, version: '1.2.3' }, system)).toEqual({ state: 'passed' });
    const failed: Evidence = { ...evidence, result: 'failed', reason: 'it did not connect' };
    expect(certificationOf(failed, now, system)).toEqual({ state: 'failed', reason: 'it did not connect' });
  });

  it('is stale when the version, the spec, the template or the scenario is another', () => {
    const { evidence, now } = passed();
    const reasons = [
      { ...now, version: '1.2.4' },
      { ...now, own: { ...now.own, spec: 'sha256:x' } },
      { ...now, own: { ...now.own, template: 'sha256:x' } },
      { ...now, own: { ...now.own, probe: 'sha256:x' } },
      { ...now, program: client().at('@shop', 'cli', 'package.json') },
    ].map((one) => certificationOf(evidence, one, system));
    expect(reasons.map(({ state }) => state)).toEqual(Array(5).fill('stale'));
    expect(reasons.map((one) => ('reason' in one ? one.reason : ''))).toEqual([
      expect.stringContaining('version changed from 1.2.3 to 1.2.4'),
      expect.stringContaining('spec'),
      expect.stringContaining('integration'),
      expect.stringContaining('scenario'),
      expect.stringContaining('build'),
    ]);
  });

  it('follows every part of the spec that decides, and every file of the template', () => {
    const own = ownBinding(spec, PACKAGE, system);
    const other = (change: object) => ownBinding({ ...spec, ...change }, PACKAGE, system).spec;
    expect(other({ fileFolders: [] })).not.toBe(own.spec);
    expect(other({ limits: [...spec.limits, 'one more note'], homepage: 'https://example.com' })).toBe(
      own.spec,
    );
    const copy = scratch();
    cpSync(join(PACKAGE, 'templates', 'vera'), join(copy, 'templates', 'vera'), { recursive: true });
    expect(ownBinding(spec, copy, system)).toEqual(own);
    appendFileSync(join(copy, 'templates', 'vera', 'integration.json'), '\n');
    expect(ownBinding(spec, copy, system).template).not.toBe(own.template);
  });

  it('hashes no argument that looks like a credential', () => {
    const list = spec.list;
    if (list === undefined) throw new Error('Codex has no list');
    const withToken = (token: string) =>
      probeDigest({ ...spec, list: { ...list, command: [...list.command, '--token', token] } });
    expect(withToken('guess-one-1234')).toBe(withToken('guess-two-5678'));
    expect(withToken('guess-one-1234')).not.toBe(probeDigest(spec));
  });

  it('is reused for five minutes, passed and equal only', () => {
    const { evidence } = passed();
    const at = Date.parse(evidence.at);
    const { binding } = evidence;
    expect(isReusable(evidence, binding, at + 300_000)).toBe(true);
    expect(isReusable(evidence, binding, at + 300_001)).toBe(false);
    // A clock that was set back says nothing of the age.
    expect(isReusable(evidence, binding, at - 1)).toBe(false);
    expect(isReusable({ ...evidence, result: 'failed' }, binding, at)).toBe(false);
    expect(isReusable(undefined, binding, at)).toBe(false);
    for (const name of ['version', 'build', 'spec', 'template', 'probe'] as const) {
      expect(isReusable(evidence, { ...binding, [name]: 'another' }, at)).toBe(false);
    }
  });
});
