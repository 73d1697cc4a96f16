import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/clients/plain-text.ts';
import { clientEnvironment, findClient, neutralFolder, runClient } from '../../../src/clients/run.ts';
import { loadSpecs } from '../../../src/runtimes/load.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { expectEnded } from '../../helpers/processes.ts';
import { scratch } from '../../helpers/repo.ts';

const specs = await loadSpecs(realReader, join(import.meta.dirname, '..', '..', '..'));

function specOf(id: string) {
  const spec = specs.get(id);
  if (spec === undefined) throw new Error(`no spec ${id}`);
  return spec;
}

/** A program that is a shell script. */
function script(folder: string, name: string, body: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const host = (home: string, env: Record<string, string>) => ({
  platform: process.platform,
  arch: process.arch,
  env: { HOME: home, ...env },
  cwd: home,
  home,
  pid: process.pid,
  hostname: 'here',
  uid: process.getuid?.() ?? -1,
  umask: 0o022,
});

const run = (body: string, more: { timeoutMs?: number; maxBytes?: number } = {}) => {
  const folder = scratch('tenon-client-');
  return runClient({
    program: script(folder, 'client', body),
    args: ['one', 'two words', '$HOME'],
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 20_000,
    ...more,
  });
};

describe('a run of a client', () => {
  it('gives code and both streams, and hands the words on without a shell', async () => {
    const seen = await run('printf "%s|" "$@"; echo err >&2; exit 7');
    expect(seen).toMatchObject({ code: 7, stdout: 'one|two words|$HOME|', stderr: 'err\n' });
    expect(seen.problem).toBeUndefined();
  });

  it('has a closed stdin', async () => {
    expect((await run('cat; echo done')).stdout).toBe('done\n');
  });

  it('is ended after its time', async () => {
    const seen = await run('echo begun; sleep 60', { timeoutMs: 500 });
    expect(seen).toMatchObject({ code: undefined, problem: 'timeout', stdout: 'begun\n' });
    expect(seen.ms).toBeLessThan(15_000);
  });

  it('is ended after its share of output', async () => {
    const seen = await run('yes 0123456789', { maxBytes: 10_000 });
    expect(seen.problem).toBe('output-limit');
    expect(seen.stdout.length).toBeLessThanOrEqual(10_000);
  });

  it('leaves no timer behind that would hold the process', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await run('echo done');
    expect(timers()).toBe(before);
  });

  it('gives plain text', async () => {
    const seen = await run(
      "printf '\\033[31mred\\033[0m \\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\\\007\\n'",
    );
    expect(seen.stdout).toBe('red link\n');
  });

  it('says what could not be started', async () => {
    const folder = scratch('tenon-client-');
    const missing = { program: join(folder, 'none'), args: [], cwd: folder, env: {}, timeoutMs: 1000 };
    expect(await runClient(missing)).toMatchObject({ code: undefined, problem: 'not-started' });
    expect(await runClient({ ...missing, args: ['a\0b'] })).toMatchObject({ problem: 'not-started' });
  });

  it.runIf(process.platform === 'linux')(
    'leaves nothing behind: a child in the background, one that ignores TERM, one in a session of its own',
    async () => {
      const body = [
        '(trap "" TERM HUP INT; exec sleep 300) >/dev/null 2>&1 & echo $!',
        'setsid sh -c \'echo $$; trap "" TERM; exec sleep 300\' 2>/dev/null &',
        'sleep 0.5; echo done',
      ].join('\n');
      const seen = await run(body);
      expect(seen.stdout).toContain('done');
      expect(seen.problem).toBeUndefined();
      const pids = seen.stdout.match(/^\d+$/gm)?.map(Number) ?? [];
      expect(pids).toHaveLength(2);
      await expectEnded(pids);
    },
  );
});

describe('the program of a client', () => {
  it('is looked for outside of the repository only', () => {
    const root = scratch('tenon-root-');
    const home = scratch('tenon-home-');
    script(join(root, 'bin'), 'codex', 'true');
    mkdirSync(join(home, 'links'));
    symlinkSync(join(root, 'bin', 'codex'), join(home, 'links', 'codex'));
    const outside = script(join(home, 'bin'), 'codex', 'true');
    const find = (PATH: string) =>
      findClient('codex', root, { host: host(home, { PATH }), reader: realReader });
    expect(find(`bin:.:${join(root, 'bin')}:${join(home, 'links')}:${join(home, 'bin')}`)).toEqual({
      state: 'found',
      path: outside,
    });
    expect(find(`${join(root, 'bin')}:/usr/bin`)).toMatchObject({ state: 'inside' });
    expect(find(join(home, 'links'))).toMatchObject({ state: 'inside' });
    expect(find('bin:.')).toEqual({ state: 'absent' });
  });

  it('may be a link that leads nowhere, and another one behind it counts', () => {
    const root = scratch('tenon-root-');
    const home = scratch('tenon-home-');
    mkdirSync(join(home, 'a'));
    symlinkSync(join(home, 'gone'), join(home, 'a', 'codex'));
    const find = (PATH: string) =>
      findClient('codex', root, { host: host(home, { PATH }), reader: realReader });
    expect(find(join(home, 'a'))).toEqual({ state: 'broken', path: join(home, 'a', 'codex') });
    const path = script(join(home, 'b'), 'codex', 'true');
    expect(find(`${join(home, 'a')}:${join(home, 'b')}`)).toEqual({ state: 'found', path });
  });
});

describe('the environment of a client', () => {
  it('holds the base, its own folders and what is named, and nothing else', () => {
    const root = scratch('tenon-root-');
    const home = scratch('tenon-home-');
    const env = {
      PATH: `${join(root, 'bin')}:relative:/usr/bin`,
      CODEX_HOME: '/somewhere',
      CLAUDE_CONFIG_DIR: '/other',
      AWS_SECRET_ACCESS_KEY: 'sesame',
      VERA_TOKEN: 'named',
      NODE_OPTIONS: '--require x',
      LANG: 'C.UTF-8',
    };
    const made = clientEnvironment(
      specOf('codex'),
      root,
      { host: host(home, env), reader: realReader },
      { names: ['VERA_TOKEN'], extra: { OFFLINE: 'true' } },
    );
    expect(made).toEqual({
      HOME: home,
      LANG: 'C.UTF-8',
      CODEX_HOME: '/somewhere',
      VERA_TOKEN: 'named',
      PATH: '/usr/bin',
      NO_COLOR: '1',
      TERM: 'dumb',
      OFFLINE: 'true',
    });
  });

  it('names a folder that says nothing of the repository, also where there is no home', () => {
    const home = scratch('tenon-home-');
    expect(neutralFolder({ host: host(home, {}), reader: realReader })).toBe(home);
    expect(neutralFolder({ host: host(join(home, 'gone'), {}), reader: realReader })).toBe('/');
  });
});

describe('plain text', () => {
  it.each([
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]8;;https://a.example/\u0007link\u001b]8;;\u0007', 'link'],
    ['\u001b]8;;https://a.example/\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]0;a title without an end\nnext', '\nnext'],
    ['\u009b31mred', 'red'],
    ['\u001bPq#0\u001b\\x', 'x'],
    ['\u001b(Bx\u001b=y', 'xy'],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['a\u0007\u0008\u202eb\tc', 'ab\tc'],
    ['cut in a sequence \u001b[31', 'cut in a sequence '],
    ['✓ vera: Grüße 🙂', '✓ vera: Grüße 🙂'],
  ])('%j', (from, to) => {
    expect(plainText(from)).toBe(to);
  });

  it('takes no time that grows with the square of the text', () => {
    const started = performance.now();
    plainText('\u001b]'.repeat(200_000));
    plainText('\u001b[0;'.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
