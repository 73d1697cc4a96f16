// The real coding tools that test/clients runs: pinned packages of npm, in a folder outside the repository.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ROOT } from './project.mjs';

export const CLIENTS = JSON.parse(readFileSync(join(ROOT, 'test', 'clients', 'clients.json'), 'utf8'));
/** All of them together take about 2 GB; npm unpacks beside its own cache. */
const FREE_BYTES = 4 * 1024 ** 3;
const AT_ONCE = 2;

/** `$TENON_CLIENTS_CACHE`, or the user's cache folder. */
export function cacheFolder(env = process.env) {
  const named = env.TENON_CLIENTS_CACHE;
  if (named !== undefined && named !== '') {
    if (!isAbsolute(named)) throw new Error(`TENON_CLIENTS_CACHE is no absolute path: ${named}`);
    return named;
  }
  const base = env.XDG_CACHE_HOME;
  return join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.cache'), 'tenon-clients');
}

/** Every package that the tests need, each once: `{name, version, script?}`; `script` must have run after the install. */
function wanted() {
  const all = Object.values(CLIENTS.clients).map((client) => ({
    name: client.package,
    version: client.version,
    ...(client.postinstall === true ? { script: 'postinstall' } : {}),
  }));
  const nodes = new Set(Object.values(CLIENTS.clients).flatMap(({ node }) => (node ? [node] : [])));
  // The package `node` fetches the binary of this platform in its script.
  return [...[...nodes].map((version) => ({ name: 'node', version, script: 'preinstall' })), ...all];
}

const prefixOf = (cache, { name, version }) => join(cache, `${name.replace('/', '+')}@${version}`);

function isComplete(cache, one) {
  const mark = join(prefixOf(cache, one), 'complete.json');
  if (!existsSync(mark)) return false;
  try {
    return JSON.parse(readFileSync(mark, 'utf8')).complete === true;
  } catch {
    return false;
  }
}

/**
 * Installs what is missing, two packages at a time, until `budgetMs` are over. Returns undefined when all is there, else one
 * sentence why not. What was installed stays for the next time.
 */
export async function fillCache(cache, budgetMs) {
  const missing = wanted().filter((one) => !isComplete(cache, one));
  if (missing.length === 0) return undefined;
  mkdirSync(cache, { recursive: true });
  const disk = statfsSync(cache);
  const free = disk.bavail * disk.bsize;
  if (free < FREE_BYTES)
    return `${cache} has ${(free / 1024 ** 3).toFixed(1)} GB free, and ${FREE_BYTES / 1024 ** 3} GB are wanted`;
  console.log(`Installing ${missing.length} coding tools into ${cache}`);
  const deadline = Date.now() + budgetMs;
  const failures = [];
  const next = async () => {
    for (let one = missing.shift(); one !== undefined; one = missing.shift()) {
      const failure = await install(cache, one, deadline);
      if (failure !== undefined) failures.push(failure);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return failures[0];
}

async function install(cache, one, deadline) {
  const label = `${one.name} ${one.version}`;
  const left = () => deadline - Date.now();
  if (left() < 1000) return `the time for installing was over before ${label}`;
  const folder = join(cache, `.new-${process.pid}-${one.name.replace('/', '+')}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  try {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    await bounded(
      'npm',
      ['install', '--prefix', folder, ...flags, `${one.name}@${one.version}`],
      cache,
      left(),
    );
    if (one.script !== undefined) await runScript(folder, one, left());
    writeFileSync(join(folder, 'complete.json'), `${JSON.stringify({ ...one, complete: true })}\n`);
    const final = prefixOf(cache, one);
    if (isComplete(cache, one)) return undefined;
    rmSync(final, { recursive: true, force: true });
    renameSync(folder, final);
    console.log(`  ${label}`);
    return undefined;
  } catch (error) {
    return `${label} could not be installed: ${error instanceof Error ? error.message : error}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Scripts of packages are off, but for the one of a pinned package that is known to be needed. */
async function runScript(folder, { name, script }, ms) {
  const at = join(folder, 'node_modules', name);
  const line = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')).scripts?.[script] ?? '';
  const file = /^node (\S+)$/u.exec(line)?.[1];
  if (file === undefined) throw new Error(`its ${script} is not as expected: ${line || 'none'}`);
  await bounded(process.execPath, [file], at, ms);
}

/** Runs a program in a process group of its own; rejects when it fails or takes longer. */
function bounded(command, args, cwd, ms) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    told = (told + text).slice(-2000);
  });
  return new Promise((done, fail) => {
    const kill = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It ended meanwhile.
      }
    };
    const limit = setTimeout(() => {
      kill();
      fail(new Error('it took longer than the time for installing'));
    }, ms);
    child.on('error', fail);
    child.on('exit', (code) => {
      clearTimeout(limit);
      kill();
      const [reason = ''] = told.trim().split('\n');
      if (code === 0) done();
      else fail(new Error(`${command} ended with ${code}${reason === '' ? '' : ` (${reason})`}`));
    });
  });
}

/** Leftovers of fills that were killed. */
export function sweepCache(cache) {
  if (!existsSync(cache)) return;
  for (const name of readdirSync(cache)) {
    const pid = /^\.new-(\d+)-/u.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(cache, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
