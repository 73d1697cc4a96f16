// What the scripts of this project share: installing, building, starting programs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
export const BIN = join(ROOT, 'bin', 'cli.cjs');

/** Runs a program in the project's folder with its output shown; throws when it fails. */
export function run(command, args) {
  const isNpm = command === 'npm' && process.platform === 'win32';
  const result = spawnSync(isNpm ? 'npm.cmd' : command, args, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: isNpm,
  });
  if (result.error) throw new Error(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${result.status ?? result.signal}`);
}

/** True when every package of the lock file is installed in the version that it names. */
function isInstalled() {
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const want = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(want).every(
    ([path, entry]) =>
      path === '' ||
      (have[path] === undefined ? entry.optional === true : have[path].version === entry.version),
  );
}

/** Installs the locked packages where they are missing or stale. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.log('Installing the locked packages (npm ci)');
  run('npm', ['ci', '--no-audit', '--no-fund']);
}

export function build() {
  run('npm', ['run', '--silent', 'build']);
}
