import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { afterAll } from 'vitest';
import { cleanEnv } from './clean-env.ts';
import { runWarm } from './warm.ts';

/** The package under test: this folder, or a built copy of it with `bin/` and `dist/`. */
export const PACKAGE = resolve(process.env['TENON_TEST_PACKAGE'] ?? '.');

/** The program as users start it. */
export const BIN = join(PACKAGE, 'bin', 'cli.cjs');

const homes: string[] = [];
afterAll(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

/** A new empty home folder, removed after the test file. */
export function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'tenon-home-'));
  homes.push(home);
  return home;
}

export interface CliOptions {
  readonly cwd?: string;
  /** Default: a new empty home. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Text on stdin; default: stdin ends at once. */
  readonly input?: string;
  /** Default 30 s; the run is then killed and the promise rejects. */
  readonly timeoutMs?: number;
  /** Arguments of Node before the program, e.g. `--require` of a file. */
  readonly nodeArgs?: readonly string[];
  /** Of a terminal: the program may end before every step was seen, as one that fails on the way does. */
  readonly mayEndEarly?: true;
  /** Folder of another built package. Default: {@link PACKAGE}. */
  readonly packageDir?: string;
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Command lines whose answers are kept (src/cli/keep-answers.ts). */
const KEPT = /^(?:status|doctor --offline|sync --check)(?: --json)?$/;

/**
 * Runs the built program on pipes: no terminal, no CI, no agent session, a home of its own. With TENON_TEST_ANSWERS=compare
 * every command line whose answer may have been kept is run the long way too, in the warm process, and has to answer the same.
 */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const given = { ...options, home: options.home ?? makeHome() };
  const result = await runOnce(args, given);
  if (process.env['TENON_TEST_ANSWERS'] === 'compare' && KEPT.test(args.join(' '))) {
    const { code, stdout, stderr } = await runWarm(args, {
      cwd: given.cwd ?? given.home,
      home: given.home,
      env: { ...given.env, TENON_ANSWERS: '0' },
      ...(given.packageDir === undefined ? {} : { packageDir: given.packageDir }),
    });
    const long: CliResult = { code, signal: null, stdout, stderr };
    if (JSON.stringify(long) !== JSON.stringify(result)) {
      throw new Error(`kept: ${JSON.stringify(result)}\nthe long way: ${JSON.stringify(long)}`);
    }
  }
  return result;
}

function runOnce(
  args: readonly string[],
  options: CliOptions & { readonly home: string },
): Promise<CliResult> {
  requireBuild();
  const { home } = options;
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), programOf(options), ...args], {
    cwd: options.cwd ?? home,
    env: cleanEnv(home, options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program that ends before it reads its input closes the pipe; that is no failure of the test.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return new Promise((done, fail) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      fail(new Error(`tenon ${args.join(' ')} did not end\nstdout: ${stdout}\nstderr: ${stderr}`));
    }, options.timeoutMs ?? 30_000);
    child.on('error', fail);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      done({ code, signal, stdout, stderr });
    });
  });
}

/** The one JSON document of a run; throws when stdout holds anything else. */
export async function runJson(args: readonly string[], options: CliOptions = {}) {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const result = await runCli([...args.slice(0, end), '--json', ...args.slice(end)], options);
  return { ...result, document: JSON.parse(result.stdout) };
}

export interface TerminalStep {
  /** Waits until the screen shows this since the last step … */
  readonly expect: string | RegExp;
  /** … then types this. `\r` is Enter, `\x03` Ctrl-C, `\x04` Ctrl-D. */
  readonly send: string;
  /** Done once it is shown, before anything is typed. */
  readonly meanwhile?: () => void;
}

export interface TerminalResult {
  readonly code: number;
  /** Everything drawn, colour and cursor codes removed. */
  readonly screen: string;
  readonly raw: string;
}

/** Runs the built program in a pseudo-terminal and plays the steps. */
export function runTerminal(
  args: readonly string[],
  steps: readonly TerminalStep[],
  options: CliOptions = {},
): Promise<TerminalResult> {
  requireBuild();
  const home = options.home ?? makeHome();
  const terminal = spawnTerminal(
    process.execPath,
    [...(options.nodeArgs ?? []), programOf(options), ...args],
    {
      cwd: options.cwd ?? home,
      env: cleanEnv(home, options.env),
      cols: 100,
      rows: 50,
      name: options.env?.['TERM'] ?? 'xterm-256color',
    },
  );
  const waiting = [...steps];
  let raw = '';
  let since = '';
  terminal.onData((text) => {
    raw += text;
    since += text;
    const [step] = waiting;
    const seen = plainText(since);
    if (
      step === undefined ||
      !(typeof step.expect === 'string' ? seen.includes(step.expect) : step.expect.test(seen))
    ) {
      return;
    }
    waiting.shift();
    since = '';
    // The program draws its question before it listens for keys.
    setTimeout(() => {
      step.meanwhile?.();
      terminal.write(step.send);
    }, 60);
  });
  return new Promise((done, fail) => {
    const limit = setTimeout(() => {
      terminal.kill('SIGKILL');
      fail(new Error(`tenon ${args.join(' ')} did not end in the terminal\n${plainText(raw)}`));
    }, options.timeoutMs ?? 30_000);
    terminal.onExit(({ exitCode, signal }) => {
      clearTimeout(limit);
      if (waiting.length > 0 && options.mayEndEarly !== true)
        fail(new Error(`never shown: ${String(waiting[0]?.expect)}\n${plainText(raw)}`));
      else
        done({
          code: signal === undefined || signal === 0 ? exitCode : 128 + signal,
          screen: plainText(raw),
          raw,
        });
    });
  });
}

const CONTROL = new RegExp(
  ['\\u001b\\[[0-9;?]*[A-Za-z]', '\\u001b[()][A-Z0-9]', '\\u001b[=>]', '\\r'].join('|'),
  'g',
);
const plainText = (text: string): string => text.replace(CONTROL, '');

const programOf = ({ packageDir = PACKAGE }: CliOptions): string => join(packageDir, 'bin', 'cli.cjs');

function requireBuild(): void {
  if (!existsSync(join(PACKAGE, 'dist', 'cli.cjs')))
    throw new Error('dist/ is missing: run npm run build first');
}
