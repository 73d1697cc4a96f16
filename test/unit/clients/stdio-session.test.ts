import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverEnvironment } from '../../../src/clients/run.ts';
import { type SessionQuestion, stdioSession } from '../../../src/clients/stdio-session.ts';
import { realReader } from '../../../src/system/real-files.ts';
import { expectEnded } from '../../helpers/processes.ts';
import { scratch } from '../../helpers/repo.ts';

const SERVER = resolve('test/helpers/stdio-server.cjs');

async function session(env: Record<string, string>, more: Partial<SessionQuestion> = {}) {
  const cwd = scratch('tenon-stdio-');
  const LOG = join(cwd, 'log');
  const report = await stdioSession({
    program: process.execPath,
    args: [SERVER],
    cwd,
    env: { PATH: '/usr/bin:/bin', LOG, ...env },
    timeoutMs: 30_000,
    ...more,
  });
  const log = existsSync(LOG) ? readFileSync(LOG, 'utf8').trim().split('\n') : [];
  const word = (name: string) => log.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  return { report, log: log.filter((line) => !/^(pid|env|cwd|child) /.test(line)), word, cwd };
}

const TOOLS = JSON.stringify([['status', true], ['find', true], ['create', false], ['odd']]);

describe('a session with a stdio server', () => {
  it('is initialize and tools/list, and ends the server', async () => {
    const { report, log, word, cwd } = await session({ TOOLS });
    expect(report).toMatchObject({
      state: 'answered',
      server: 'fake\\e[31m 1.2.3',
      tools: [
        { name: 'status', readOnly: true },
        { name: 'find', readOnly: true },
        { name: 'create', readOnly: false },
        { name: 'odd', readOnly: undefined },
      ],
      isCut: false,
    });
    expect(log).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
    expect(word('cwd')).toBe(cwd);
    await expectEnded([Number(word('pid'))]);
  });

  it('reads every page', async () => {
    const { report } = await session({ TOOLS, MODE: 'pages' });
    expect(report.state === 'answered' && report.tools.map(({ name }) => name)).toEqual([
      'status',
      'find',
      'create',
      'odd',
    ]);
  });

  it('calls the proof once, without arguments, and keeps the names and types of its answer', async () => {
    const RESULT = JSON.stringify({
      kind: 'rollup',
      list: [1],
      more: { secret: 'sesame' },
      n: 1,
      none: null,
    });
    const { report, log } = await session({ TOOLS, RESULT }, { proof: 'status' });
    expect(report).toMatchObject({
      proof: {
        state: 'answered',
        shape: { kind: 'string', list: 'array', more: 'object', n: 'number', none: 'null' },
      },
    });
    expect(JSON.stringify(report)).not.toContain('sesame');
    expect(log.slice(3)).toEqual(['tools/call status {}']);
  });

  it.each([
    ['a tool that may write', TOOLS, 'create', 'the server does not say that it only reads'],
    ['a tool without a hint', TOOLS, 'odd', 'the server does not say that it only reads'],
    ['a tool that is not there', TOOLS, 'gone', 'the server does not show it'],
    ['a tool that wants arguments', '[["status",true,["target"]]]', 'status', 'it wants arguments'],
  ])('never calls %s', async (_, tools, proof, message) => {
    const { report, log } = await session({ TOOLS: tools }, { proof });
    expect(report).toMatchObject({ proof: { state: 'not-called', message } });
    expect(log).not.toContainEqual(expect.stringContaining('tools/call'));
  });

  it('tells a proof that fails', async () => {
    expect((await session({ TOOLS, MODE: 'error' }, { proof: 'status' })).report).toMatchObject({
      proof: { state: 'failed', message: 'the tool answered with an error' },
    });
    expect((await session({ TOOLS, RESULT: 'words' }, { proof: 'status' })).report).toMatchObject({
      proof: { state: 'failed', message: 'the answer is no JSON object' },
    });
  });

  it('passes over lines that are no messages', async () => {
    expect((await session({ TOOLS, MODE: 'noise' })).report).toMatchObject({ state: 'answered' });
  });

  it('says how a server ended, with its last words', async () => {
    expect((await session({ MODE: 'dies' })).report).toEqual({
      state: 'no-answer',
      message: 'ended by itself (exit code 3): ModuleNotFoundError: No module named tool',
    });
  });

  it('ends one that keeps silent, and one that prints without end', async () => {
    const silent = await session({ MODE: 'silent' }, { timeoutMs: 1500 });
    expect(silent.report).toEqual({ state: 'no-answer', message: 'gave no answer in 2 s' });
    await expectEnded([Number(silent.word('pid'))]);
    const endless = await session({ MODE: 'endless' });
    expect(endless.report).toMatchObject({
      state: 'no-answer',
      message: expect.stringContaining('more than 4 MB of output'),
    });
    await expectEnded([Number(endless.word('pid'))]);
  });

  it.runIf(process.platform === 'linux')('ends what the server started as well', async () => {
    const { report, word } = await session({ TOOLS, MODE: 'child' });
    expect(report).toMatchObject({ state: 'answered' });
    expect(word('child')).toMatch(/^\d+$/);
    await expectEnded([Number(word('child'))]);
  });

  it('says that a program is not there', async () => {
    const gone = { program: '/nowhere/at/all' };
    expect((await session({}, gone)).report).toEqual({
      state: 'not-started',
      message: 'could not be started',
    });
  });

  it('gives the server what is named and the minimum of the machine', async () => {
    const root = scratch('tenon-root-');
    const host = {
      platform: process.platform,
      arch: process.arch,
      env: { HOME: root, PATH: `${root}/bin:/usr/bin:/bin`, API_TOKEN: 'sesame', HTTPS_PROXY: 'http://p' },
      cwd: root,
      home: root,
      pid: 1,
      hostname: 'here',
      uid: 1000,
      umask: 0o022,
    };
    const env = serverEnvironment({ TARGET: 'x' }, root, { host, reader: realReader });
    expect(env).toMatchObject({ HOME: root, PATH: '/usr/bin:/bin', TARGET: 'x', UV_OFFLINE: '1' });
    expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['API_TOKEN']));
    expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['HTTPS_PROXY']));
  });
});
