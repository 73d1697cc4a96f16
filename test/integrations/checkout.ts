import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { scratch } from '../helpers/repo.ts';

export { scratch } from '../helpers/repo.ts';

/** The environment of a plain terminal: no coding agent's marks, no git settings of whoever runs the tests. */
export function plainEnv(home: string, more: Record<string, string> = {}): Record<string, string> {
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return {
    HOME: home,
    XDG_CONFIG_HOME: home,
    PATH: path,
    GIT_CONFIG_NOSYSTEM: '1',
    LANG: 'C.UTF-8',
    ...more,
  };
}

export function git(cwd: string, ...args: string[]): string {
  return execFileSync(
    'git',
    ['-c', 'protocol.file.allow=always', '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args],
    {
      cwd,
      env: plainEnv(cwd),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

/** A repository with one commit on `main`, and remotes by name. */
export function repository(folder: string, remotes: Record<string, string> = {}): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'start');
  // Set directly: `git remote add` refuses some of the texts that a config file can hold.
  for (const [name, url] of Object.entries(remotes)) git(folder, 'config', `remote.${name}.url`, url);
  return folder;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Runs a shell line under /bin/sh with stdin, as coding tools run hooks. */
export function shell(
  line: string,
  options: { cwd: string; env: Record<string, string>; stdin: string | Buffer },
): Ran {
  const start = performance.now();
  const result = spawnSync('/bin/sh', ['-c', line], {
    cwd: options.cwd,
    env: options.env,
    input: options.stdin,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr, ms: performance.now() - start };
}

/** A `git` that never answers, in a folder for the front of PATH. */
export function stuckGit(): string {
  const bin = scratch();
  writeFileSync(join(bin, 'git'), '#!/bin/sh\nsleep 30\n', { mode: 0o755 });
  return bin;
}
