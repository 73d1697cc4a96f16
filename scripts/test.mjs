// npm test: installs what is missing, builds, runs every test, ends with "N passed, N failed" of the whole run.
// Arguments go to vitest: npm test -- test/unit/cli
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, ensureInstalled, ROOT } from './project.mjs';

function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-results-'));
  const report = join(folder, 'report.json');
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const result = spawnSync(
    process.execPath,
    [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const counts = existsSync(report)
    ? countResults(JSON.parse(readFileSync(report, 'utf8')))
    : { passed: 0, failed: 0, skipped: 0 };
  rmSync(folder, { recursive: true, force: true });
  // A crash, an unhandled error or an empty run is a failure even when no single test failed.
  if (result.status !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

/** A file that could not be loaded has no tests; it counts as one failure. */
function countResults(report) {
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

let counts = { passed: 0, failed: 1, skipped: 0 };
try {
  ensureInstalled();
  build();
  counts = runTests(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
}
if (counts.skipped > 0) console.log(`${counts.skipped} skipped`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
