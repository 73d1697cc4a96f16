import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import data from '../clients/clients.json' with { type: 'json' };
import { runProgram } from '../clients/support/process.ts';
import { expectEnded } from '../helpers/processes.ts';
import { scratch } from '../helpers/repo.ts';

/** What an expression over the script's functions gives. */
function ask(expression: string): unknown {
  const script = `
    import { cacheFolder, fillCache, sweepCache } from './scripts/clients-cache.mjs';
    console.log(JSON.stringify(await (async () => ${expression})() ?? null));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '');
}

/** A cache in which everything counts as installed, without being there. */
function fullCache(): string {
  const cache = scratch('tenon-cache-');
  const all = Object.values(data.clients).flatMap((client) => [
    `${client.package.replace('/', '+')}@${client.version}`,
    ...('node' in client ? [`node@${client.node}`] : []),
  ]);
  for (const name of all) {
    mkdirSync(join(cache, name), { recursive: true });
    writeFileSync(join(cache, name, 'complete.json'), '{"complete":true}\n');
  }
  return cache;
}

describe('the cache of real coding tools', () => {
  it('lies where its variable says, or in the cache folder of the user', () => {
    const at = (env: object) => ask(`cacheFolder(${JSON.stringify(env)})`);
    expect(at({ TENON_CLIENTS_CACHE: '/srv/tools', XDG_CACHE_HOME: '/srv/cache' })).toBe('/srv/tools');
    expect(at({ XDG_CACHE_HOME: '/srv/cache' })).toBe('/srv/cache/tenon-clients');
    expect(at({ XDG_CACHE_HOME: 'relative' })).toMatch(/^\/.*\/\.cache\/tenon-clients$/u);
    expect(() => at({ TENON_CLIENTS_CACHE: 'tools' })).toThrow(/no absolute path/u);
  });

  it('is used again where it is complete, without a time for installing', () => {
    expect(ask(`fillCache(${JSON.stringify(fullCache())}, 0)`)).toBeNull();
  });

  it('says what was missing when its time was over, and leaves nothing half done', () => {
    const cache = fullCache();
    const mark = join(cache, 'opencode-ai@1.18.33', 'complete.json');
    expect(existsSync(mark)).toBe(true);
    writeFileSync(mark, 'cut off');
    expect(ask(`fillCache(${JSON.stringify(cache)}, 0)`)).toBe(
      'the time for installing was over before opencode-ai 1.18.33',
    );
    expect(readdirSync(cache).filter((name) => name.startsWith('.new-'))).toEqual([]);
  });

  it('takes out what a fill that was killed left behind, and nothing of one that still runs', () => {
    const cache = scratch('tenon-cache-');
    mkdirSync(join(cache, '.new-999999999-gone'));
    mkdirSync(join(cache, `.new-${process.pid}-here`));
    ask(`sweepCache(${JSON.stringify(cache)})`);
    expect(readdirSync(cache)).toEqual([`.new-${process.pid}-here`]);
  });
});

describe.runIf(process.platform !== 'win32')('a run of a coding tool', () => {
  const shell = (script: string, deadlineMs: number) =>
    runProgram('/bin/sh', ['-c', script], {
      cwd: scratch(),
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      deadlineMs,
    });

  it('that hangs is ended with everything that it started', async () => {
    const done = await shell("trap '' TERM; sleep 600 & echo $!; wait", 1500);
    expect(done.isHung).toBe(true);
    await expectEnded([Number(done.stdout.trim())]);
  });

  it('that ends leaves nothing behind that holds its output', async () => {
    const started = performance.now();
    const done = await shell('sleep 600 & echo $!', 60_000);
    expect(done.isHung).toBe(false);
    expect(performance.now() - started).toBeLessThan(30_000);
    await expectEnded([Number(done.stdout.trim())]);
  });

  it('gives its words without colours and cursor movements', async () => {
    const done = await shell("printf '\\033[31mred\\033[0m\\033[2K\\r\\n'", 60_000);
    expect(done.stdout).toBe('red\n');
  });
});
