// npm run test:clients: fills the cache of real coding tools, runs test/clients against them and the built tenon, and
// writes docs/clients.md from the results. On loopback alone, in a network namespace where the system gives one.
//   --fill    only fill the cache          --check   compare docs/clients.md with test/clients/clients.json, run nothing
//   --ci      no failure when the tools cannot be had: one line says why; docs/clients.md is compared, not written
//   --seconds N   with --ci: all that there is time for, the installation included
// Other arguments go to vitest, and the page is then not written: npm run test:clients -- test/clients/codex.test.ts
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENTS, cacheFolder, fillCache, sweepCache } from './clients-cache.mjs';
import { cellsOf, PAGE, render, skeletonFaults, wordsOf } from './clients-page.mjs';
import { build, ensureInstalled, ROOT } from './project.mjs';

const INSTALL_MS = 240_000;
/** Two cores that do nothing else need less than half of it. Only with --ci: each test has a deadline of its own. */
const SUITE_MS = 480_000;
const SHELTER = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"';

const args = process.argv.slice(2);
const at = args.indexOf('--seconds');
const until = performance.now() + (at < 0 ? Number.POSITIVE_INFINITY : Number(args.splice(at, 2)[1]) * 1000);
const flags = new Set(args.filter((arg) => ['--fill', '--check', '--ci'].includes(arg)));
const rest = args.filter((arg) => !flags.has(arg));

if (flags.has('--check')) process.exitCode = check();
else process.exitCode = await main();

/** Milliseconds that are left; never none, because a limit of 0 is no limit to `spawnSync`. */
function left() {
  return Math.max(1, until - performance.now());
}

async function main() {
  const cache = cacheFolder();
  sweepCache(cache);
  const reason =
    process.platform === 'win32'
      ? 'they need process groups, which Windows has not'
      : await fillCache(cache, Math.min(INSTALL_MS, left()));
  if (reason !== undefined) {
    console.log(`real clients: not run: ${reason}`);
    return flags.has('--ci') ? 0 : 1;
  }
  if (flags.has('--fill')) return 0;
  if (process.env.TENON_TEST_PACKAGE === undefined && !flags.has('--ci')) {
    ensureInstalled();
    build();
  }
  const limit = Math.min(SUITE_MS, left());
  const { results, status, isLate } = runTests(cache, limit);
  if (isLate && flags.has('--ci')) {
    console.log(`real clients: not run to the end: they took longer than ${Math.round(limit / 1000)} s here`);
    return 0;
  }
  const counts = { passed: results.filter(isPassed).length, failed: results.filter(isFailed).length };
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  if (rest.length === 0 && counts.passed > 0) counts.failed += page(results);
  console.log(`real clients: ${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

function isPassed({ status }) {
  return status === 'passed';
}

function isFailed({ status }) {
  return status === 'failed';
}

function runTests(cache, limit) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-clients-'));
  const report = join(folder, 'report.json');
  const [command, ...inside] = shelter(folder);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const words = [...inside, process.execPath, vitest, 'run', '--project', 'clients', ...reporters, ...rest];
  try {
    const run = spawnSync(command, words, {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: flags.has('--ci') ? Math.ceil(limit) : undefined,
      killSignal: 'SIGKILL',
      env: {
        ...process.env,
        TENON_TEST_CLIENTS: cache,
        TENON_TEST_CLIENTS_NETWORK: inside.length > 0 ? 'namespace' : 'proxy',
      },
    });
    const isLate = run.error?.code === 'ETIMEDOUT';
    if (isLate || !existsSync(report)) return { results: [], status: run.status ?? 1, isLate };
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const unloaded = testResults.some(
      ({ status, assertionResults }) => status === 'failed' && !assertionResults.some(isFailed),
    );
    return {
      results: testResults.flatMap(({ assertionResults }) => assertionResults),
      status: unloaded ? 1 : (run.status ?? 1),
      isLate: false,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The command that the tests run under: a network namespace with loopback only and no resolver to wait for, and a process
 * namespace that takes every process along when it ends. Just `env` where the system gives none.
 */
function shelter(folder) {
  const resolver = join(folder, 'resolv.conf');
  writeFileSync(resolver, 'nameserver 127.0.0.1\n');
  const inside = ['-rnm', '-pf', '--kill-child', '--mount-proc', 'sh', '-c', SHELTER, resolver];
  const probe = spawnSync('unshare', [...inside, 'true'], { stdio: 'ignore', timeout: 10_000 });
  if (probe.status === 0) return ['unshare', ...inside];
  console.log(
    'real clients: no network namespace here; a proxy that nobody listens on keeps them on loopback',
  );
  return ['env'];
}

/**
 * Writes the page, or with --ci compares it: what this system could not run (there is no namespace) is then taken as the page
 * has it. Returns the number of faults.
 */
function page(results) {
  const cells = cellsOf(results);
  const known = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  if (flags.has('--ci')) {
    for (const [key, word] of wordsOf(known)) if (cells.get(key) === 'not run') cells.set(key, word);
  }
  const { text, faults } = render(cells);
  for (const fault of faults) console.log(`docs/clients.md: ${fault}`);
  if (!flags.has('--ci')) writeFileSync(PAGE, text);
  else if (faults.length === 0 && known !== text) {
    console.log('docs/clients.md is not what this run shows: npm run test:clients writes it');
    return 1;
  }
  return faults.length;
}

function check() {
  const faults = skeletonFaults(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '', CLIENTS);
  for (const fault of faults) console.error(`docs/clients.md: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}
