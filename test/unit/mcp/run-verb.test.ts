import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runVerb } from '../../../src/mcp/run-verb.ts';
import { scratch, writeTree } from '../../helpers/repo.ts';

const folder = scratch();

/** Runs a program of the test in the place of tenon. */
async function run(body: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  writeTree(folder, { 'program.mjs': body });
  return runVerb(
    { program: join(folder, 'program.mjs'), cwd: folder, root: '/some/root', env: process.env },
    { verb: 'status', positionals: [], flags: {} },
    options.timeoutMs ?? 20_000,
    options.signal,
  );
}

describe('runVerb', () => {
  it('hands over the document and the command line, the root masked', async () => {
    const result = await run('console.log(JSON.stringify({ argv: process.argv.slice(2) }))');
    expect(result).toEqual({
      argv: ['tenon', 'status', '--json', '--no-input', '--root=<root>'],
      exitCode: 0,
      document: { argv: ['status', '--json', '--no-input', '--root=/some/root'] },
      error: null,
    });
  });

  it('gives the child no stdin and no colour', async () => {
    const result = await run(
      "let n=0; process.stdin.on('data', (d) => { n += d.length }).on('end', () => console.log(JSON.stringify({ n, color: process.env.NO_COLOR, tty: process.stdin.isTTY ?? false })))",
    );
    expect(result.document).toEqual({ n: 0, color: '1', tty: false });
  });

  it('calls another exit code nonzero_exit and keeps the document', async () => {
    const result = await run('console.log(\'{"findings":[1]}\'); process.exitCode = 1');
    expect(result).toMatchObject({
      exitCode: 1,
      document: { findings: [1] },
      error: { kind: 'nonzero_exit' },
    });
  });

  it('calls output that is no document json_parse, with stderr escaped', async () => {
    const result = await run("console.log('hello'); console.error('\\u001b[31mbad')");
    expect(result.error?.kind).toBe('json_parse');
    expect(result.error?.message).toContain('\\e[31mbad');
  });

  it('ends a run that takes too long, with what it started', async () => {
    const start = Date.now();
    const result = await run(
      "import { spawn } from 'node:child_process'; spawn('sleep', ['60'], { stdio: 'inherit' }); setInterval(() => {}, 1000)",
      { timeoutMs: 1500 },
    );
    expect(result).toMatchObject({ exitCode: null, document: null, error: { kind: 'timeout' } });
    expect(Date.now() - start).toBeLessThan(15_000);
  });

  it('ends a run that prints without an end', async () => {
    const result = await run("const write = () => process.stdout.write('x'.repeat(65536), write); write()");
    expect(result.error?.kind).toBe('output_limit');
  });

  it('leaves out a document over 128 KiB and says how large it is', async () => {
    const result = await run("console.log(JSON.stringify({ text: 'é'.repeat(100000) }))");
    expect(result.document).toBeNull();
    expect(result.error).toBeNull();
    expect(result.truncated).toMatchObject({ limit: 131072 });
    expect(result.truncated?.bytes).toBeGreaterThan(200_000);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(131072);
  });

  it('ends a run that nobody waits for', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const result = await run('setInterval(() => {}, 1000)', { signal: controller.signal });
    expect(result.error?.kind).toBe('not_started');
  });
});
