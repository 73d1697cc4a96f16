import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientVersion } from '../../../src/clients/version.ts';
import type { Host } from '../../../src/system/ports.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { scratch, specOf } from '../../runtimes/support.ts';

const hostOf = (home: string, env: Record<string, string>): Host => ({
  platform: process.platform,
  arch: 'x64',
  env,
  cwd: home,
  home,
  pid: 1,
  hostname: 'here',
  uid: 1000,
  umask: 0o022,
});

const ask = (root: string, home: string, PATH: string, scale?: number) =>
  clientVersion(
    specOf('codex'),
    root,
    { host: hostOf(home, { PATH, HOME: home, SECRET_TOKEN: 'sesame' }), reader: realReader },
    scale,
  );

function probe(body: string, where: 'home' | 'repository' = 'home', scale?: number) {
  const at = scratch();
  const bin = join(where === 'home' ? at.home : at.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'codex'), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return ask(at.root, at.home, `${bin}:/usr/bin:/bin`, scale);
}

describe('the version of an installed coding tool', () => {
  it.each([
    ['echo "codex-cli 0.171.0"', { state: 'found', version: '0.171.0', isTested: true, isOld: false }],
    ['echo "codex-cli 0.99.3"', { state: 'found', version: '0.99.3', isTested: false, isOld: true }],
    [
      'echo note; echo "codex-cli 1.2.0"',
      { state: 'found', version: '1.2.0', isTested: false, isOld: false },
    ],
    ['printf "\\033[1mcodex-cli 1.2.0\\033[0m\\n"', { state: 'found', version: '1.2.0' }],
    ['echo "codex-cli 1.0.${SECRET_TOKEN:-0}"', { state: 'found', version: '1.0.0' }],
    ['[ "$1" = --version ] && [ $# -eq 1 ] && echo "codex-cli 1.0.0"', { state: 'found' }],
    ['[ "$(pwd)" = "$HOME" ] && echo "codex-cli 1.0.0"', { state: 'found' }],
    [
      'echo "codex-cli 0.171.0" >&2',
      {
        state: 'failed',
        reason: 'codex --version printed no version of Codex (exit code 0): codex-cli 0.171.0',
      },
    ],
    [
      'printf "\\033[31mno"; exit 3',
      { state: 'failed', reason: 'codex --version printed no version of Codex (exit code 3): no' },
    ],
    [
      'echo "token ghp_0123456789abcdefABCDEF0123456789abcd"',
      { state: 'failed', reason: expect.not.stringContaining('ghp_0123') },
    ],
  ])('%s', async (body, expected) => {
    expect(await probe(body)).toMatchObject(expected);
  });

  it('of one that hangs, or prints without end, is not known', async () => {
    expect(await probe('sleep 60', 'home', 0.02)).toMatchObject({
      state: 'failed',
      reason: 'codex --version did not end in its time, so it was ended',
    });
    expect(await probe('yes codex-cli')).toMatchObject({
      state: 'failed',
      reason: 'codex --version printed more than it should, so it was ended',
    });
  });

  it('is not asked of a program of the repository', async () => {
    expect(await probe('echo "codex-cli 1.0.0"', 'repository')).toMatchObject({ state: 'skipped' });
  });

  it('nor of one that a link on PATH leads into the repository', async () => {
    const at = scratch({ 'tool/codex': '#!/bin/sh\necho "codex-cli 1.0.0"\n' });
    chmodSync(join(at.root, 'tool/codex'), 0o755);
    mkdirSync(join(at.home, 'bin'));
    symlinkSync(join(at.root, 'tool/codex'), join(at.home, 'bin/codex'));
    expect(await ask(at.root, at.home, join(at.home, 'bin'))).toMatchObject({ state: 'skipped' });
  });

  it('says why there is none', async () => {
    const at = scratch();
    expect(await ask(at.root, at.home, at.home)).toEqual({ state: 'absent', reason: 'codex is not on PATH' });
    mkdirSync(join(at.home, 'bin'));
    symlinkSync(join(at.home, 'gone'), join(at.home, 'bin/codex'));
    expect(await ask(at.root, at.home, join(at.home, 'bin'))).toMatchObject({
      state: 'absent',
      reason: expect.stringContaining('leads nowhere'),
    });
    const system = { host: hostOf(at.home, {}), reader: realReader };
    expect(await clientVersion(specOf('zed'), at.root, system)).toMatchObject({ state: 'skipped' });
  });

  it('is asked for without a home folder as well', async () => {
    const at = scratch();
    mkdirSync(join(at.home, 'bin'));
    writeFileSync(join(at.home, 'bin/codex'), '#!/bin/sh\necho "codex-cli 1.0.0 in $(pwd)"\n', {
      mode: 0o755,
    });
    const host = { ...hostOf(join(at.home, 'gone'), { PATH: `${join(at.home, 'bin')}:/usr/bin:/bin` }) };
    expect(await clientVersion(specOf('codex'), at.root, { host, reader: realReader })).toMatchObject({
      state: 'found',
      version: '1.0.0',
    });
  });
});
