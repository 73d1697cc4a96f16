import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { faultSystem } from '../../../src/system/fault.ts';
import { memorySystem } from '../../../src/system/memory.ts';
import { realSystem } from '../../../src/system/real.ts';
import { traceSystem } from '../../../src/system/trace.ts';
import { findExecutable } from '../../../src/system/which.ts';
import { scratch } from '../../helpers/repo.ts';

const { reader, writer, exec } = realSystem();
const bytes = (text: string) => new TextEncoder().encode(text);

describe('realSystem', () => {
  it('gives a new file its exact mode, and never a wider one on the way (case F06)', () => {
    const base = scratch();
    const umask = process.umask(0o077);
    const opened: number[] = [];
    const open = fs.openSync;
    vi.spyOn(fs, 'openSync').mockImplementation((file, flags, mode) => {
      if (mode !== undefined && mode !== null) opened.push(Number(mode));
      return open(file, flags, mode);
    });
    try {
      for (const mode of [0o600, 0o664, 0o755, 0o444]) {
        const file = path.join(base, mode.toString(8));
        writer.createExclusive(file, bytes('x'), mode);
        expect(fs.statSync(file).mode & 0o7777).toBe(mode);
        expect((opened.at(-1) ?? 0o777) & ~(mode & 0o600)).toBe(0);
      }
    } finally {
      process.umask(umask);
    }
    expect(opened).toHaveLength(4);
  });

  it('creates through no link, and leaves nothing behind when it fails', () => {
    const base = scratch();
    fs.symlinkSync('target', path.join(base, 'link'));
    expect(() => writer.createExclusive(path.join(base, 'link'), bytes('x'), 0o600)).toThrow(/EEXIST/);
    expect(fs.existsSync(path.join(base, 'target'))).toBe(false);
    vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    expect(() => writer.createExclusive(path.join(base, 'file'), bytes('x'), 0o600)).toThrow(/EIO/);
    expect(fs.readdirSync(base)).toEqual(['link']);
  });

  it('does not wait for a pipe, and reads files that state no size', () => {
    const pipe = path.join(scratch(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(() => reader.readFile(pipe)).toThrow(/not a regular file/);
    expect(reader.lstat(pipe)?.kind).toBe('other');
    expect(reader.readFile('/proc/self/stat')?.length).toBeGreaterThan(20);
  });

  it('tries a refused rename again for about 2 s (case F09)', () => {
    const base = scratch();
    const [from, to] = [path.join(base, 'a'), path.join(base, 'b')];
    fs.writeFileSync(from, 'new');
    fs.writeFileSync(to, 'old');
    const rename = fs.renameSync;
    let refusals = 3;
    vi.spyOn(fs, 'renameSync').mockImplementation((a, b) => {
      if (refusals-- > 0) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
      rename(a, b);
    });
    writer.rename(from, to);
    expect(fs.readFileSync(to, 'utf8')).toBe('new');
    fs.writeFileSync(from, 'newer');
    refusals = Number.POSITIVE_INFINITY;
    const start = performance.now();
    expect(() => writer.rename(from, to)).toThrow(/EBUSY/);
    const took = performance.now() - start;
    expect(took).toBeGreaterThan(1500);
    // Two seconds of its own, and what a busy machine adds.
    expect(took).toBeLessThan(15_000);
    expect(fs.readFileSync(to, 'utf8')).toBe('new');
  });
});

describe('exec', () => {
  const cwd = scratch();
  const run = (
    command: string,
    args: string[],
    more: { timeoutMs?: number; maxBytes?: number; input?: string; env?: Record<string, string> } = {},
  ) => exec.run(command, args, { cwd, env: { PATH: '/usr/bin:/bin' }, timeoutMs: 10_000, ...more });

  it('starts programs without a shell and with the given environment alone', () => {
    expect(run('printf', ['%s', '$HOME; `id` *'])).toEqual({ code: 0, stdout: '$HOME; `id` *', stderr: '' });
    expect(run('env', [], { env: { PATH: '/usr/bin:/bin', ONE: '1' } }).stdout).toBe(
      'PATH=/usr/bin:/bin\nONE=1\n',
    );
    expect(run('cat', [], { input: 'in' }).stdout).toBe('in');
    expect(run('cat', [])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(run('sh', ['-c', 'echo no >&2; exit 3'])).toEqual({ code: 3, stdout: '', stderr: 'no\n' });
  });

  it('tells how a program ended that does not read its input', () => {
    const input = 'x'.repeat(1_000_000);
    expect(run('sh', ['-c', 'exec 0<&-; echo out; exit 3'], { input })).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: '',
    });
  });

  it('names what went wrong', () => {
    expect(run('no-such-program', [])).toMatchObject({ code: undefined, problem: 'not-found' });
    expect(run('sh', ['-c', 'kill -TERM $$'])).toMatchObject({ code: undefined, problem: 'signal' });
    expect(run('yes', [], { maxBytes: 1000 })).toMatchObject({ code: undefined, problem: 'output-limit' });
  });

  it('ends a program that takes too long, with its children', async () => {
    const mark = `sleep 31.${process.pid}`;
    const start = performance.now();
    expect(run('sh', ['-c', `${mark} & wait`], { timeoutMs: 300 })).toMatchObject({
      code: undefined,
      problem: 'timeout',
    });
    expect(performance.now() - start).toBeLessThan(20_000);
    // What was sent SIGKILL is there until the system has come round to it.
    const running = () => spawnSync('pgrep', ['-f', mark], { encoding: 'utf8' }).stdout;
    await expect.poll(running, { timeout: 10_000 }).toBe('');
  });

  it('knows which processes there are', () => {
    expect(exec.isAlive(process.pid)).toBe(true);
    expect(exec.isAlive(1)).toBe(true);
    expect(exec.isAlive(2 ** 22 + 1)).toBe(false);
    expect([0, -1, 1.5, Number.NaN].map((pid) => exec.isAlive(pid))).toEqual([false, false, false, false]);
  });
});

describe('findExecutable', () => {
  it('honours PATH, and never the working folder', () => {
    const system = memorySystem({
      '/bin/tool': { text: '', mode: 0o755 },
      '/usr/bin/tool': { text: '', mode: 0o755 },
      '/usr/bin/plain': { text: '', mode: 0o644 },
      '/usr/bin/folder': { directory: true },
      '/repo/evil': { text: '', mode: 0o755 },
    });
    const find = (name: string, PATH = '/usr/bin:/bin::.:repo') =>
      findExecutable(name, { env: { PATH }, platform: 'linux' }, system.reader);
    expect(find('tool')).toBe('/usr/bin/tool');
    expect(find('tool', '/bin:/usr/bin')).toBe('/bin/tool');
    expect(find('/bin/tool')).toBe('/bin/tool');
    expect(
      ['plain', 'folder', 'evil', './evil', '../repo/evil', '', 'a\0b', '/repo'].map((name) => find(name)),
    ).toEqual(Array(8).fill(undefined));
    expect(findExecutable('tool', { env: {}, platform: 'linux' }, system.reader)).toBeUndefined();
  });

  it('honours PATHEXT and Path on Windows', () => {
    const known = new Set(['C:\\bin\\tool.CMD', 'C:\\bin\\other.exe']);
    const stat = (path: string) => (known.has(path) ? ({ kind: 'file', mode: 0 } as never) : undefined);
    const host = { env: { Path: '.;C:\\bin', PATHEXT: '.EXE;.CMD' }, platform: 'win32' } as const;
    expect(findExecutable('tool', host, { stat })).toBe('C:\\bin\\tool.CMD');
    expect(findExecutable('other.exe', host, { stat })).toBe('C:\\bin\\other.exe');
    expect(findExecutable('none', host, { stat })).toBeUndefined();
  });
});

describe('the decorators', () => {
  it('let the n-th write fail, once or from there on', () => {
    for (const [lasts, expected] of [
      ['once', 'a c'],
      ['forever', 'a'],
    ] as const) {
      const inner = memorySystem();
      const system = faultSystem(inner, { at: 2, code: 'ENOSPC', lasts });
      for (const name of ['a', 'b', 'c']) {
        try {
          system.writer.createExclusive(`/repo/${name}`, bytes(''), 0o600);
        } catch (error) {
          expect(error).toMatchObject({ code: 'ENOSPC' });
        }
      }
      expect(inner.reader.list('/repo')?.join(' ')).toBe(expected);
      expect(system.count()).toBe(3);
    }
  });

  it('trace paths and hashes, never contents', () => {
    const lines: string[] = [];
    const system = traceSystem(memorySystem({ '/home/u/x': 'top secret' }), (line) => lines.push(line));
    system.reader.readFile('/home/u/x');
    system.writer.createExclusive('/repo/a\u001b', bytes('top secret'), 0o600);
    system.writer.rename('/repo/a\u001b', '/repo/b');
    system.exec.run('tool', ['--token', 'hunter2'], {
      cwd: '/repo',
      env: { TOKEN: 'hunter2' },
      timeoutMs: 1,
    });
    expect(lines[0]).toMatch(/^read 10 bytes sha256:[0-9a-f]{12} ~\/x$/);
    expect(lines[1]).toMatch(/^create 600 10 bytes sha256:[0-9a-f]{12} \/repo\/a\\e$/);
    expect(lines[2]).toBe('rename /repo/a\\e -> /repo/b');
    expect(lines.join('\n')).not.toMatch(/secret|hunter2/);
  });
});
