// Whether the tests notice when a guard is gone: takes the guards of guards.json out of a copy of this package, one at a
// time, and runs the tests that should fail then.
//
//   node test/mutation/guards.mjs                  every guard, half an hour
//   node test/mutation/guards.mjs 'state folder'   those whose name, file or test holds the text
//   node test/mutation/guards.mjs --list           names only
//
// Prints one line a guard: killed (a named test failed), SURVIVED (they passed), or broken (the copy does not build, or no
// test of the name ran). Exit 1 when one is not killed. Tests of the built program run on a copy that is built anew.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false }, keep: { type: 'string' } },
});
const root = path.join(import.meta.dirname, '../..');
const guards = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'guards.json'), 'utf8')).filter(
  (one) =>
    positionals.every((word) =>
      [one.id, one.test, ...one.edits.map(({ file }) => file)].join(' ').includes(word),
    ),
);
const copy = values.keep ?? fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-guards-'));
/** Without some guards a test does not end. */
const LIMIT_MS = 240_000;

const node = (args, env = process.env, limit = LIMIT_MS) =>
  spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    env,
    timeout: limit,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
  });

/** As `npm run build` does it, but for how small the packed chunks are. */
const isBuilt = () =>
  [['node_modules/.bin/tsdown'], ['scripts/index-data.mjs'], ['scripts/pack-chunks.mjs']].every(
    (args) => node(args).status === 0,
  );

function prepare() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const name of listed.filter((one) => one !== '' && fs.existsSync(path.join(root, one))))
    fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  fs.rmSync(path.join(copy, 'node_modules'), { force: true });
  fs.symlinkSync(fs.realpathSync(path.join(root, 'node_modules')), path.join(copy, 'node_modules'));
  const pack = path.join(copy, 'scripts/pack-chunks.mjs');
  fs.writeFileSync(
    pack,
    fs.readFileSync(pack, 'utf8').replace('params: {', 'params: { [constants.BROTLI_PARAM_QUALITY]: 1,'),
  );
  // Tests ask git about this folder.
  execFileSync('git', ['init', '-q'], { cwd: copy });
}

/** The copy without the guard; gives what puts it back. */
function without({ id, edits }) {
  const before = new Map();
  for (const { file, find, put } of edits) {
    const at = path.join(copy, file);
    const text = fs.readFileSync(at, 'utf8');
    if (!before.has(at)) before.set(at, text);
    if (text.split(find).length !== 2) throw new Error(`${id}: not exactly once in ${file}: ${find}`);
    fs.writeFileSync(
      at,
      text.replace(find, () => put),
    );
  }
  return () => {
    for (const [at, text] of before) fs.writeFileSync(at, text);
  };
}

function verdict({ test, name, env, seconds }) {
  if (test.startsWith('test/e2e/') && !isBuilt()) return 'broken: does not build';
  const report = path.join(copy, 'guards-report.json');
  fs.rmSync(report, { force: true });
  // The name of a test begins with those of its groups; what stands between the parts may be anything.
  const pattern = name
    .split(' > ')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const { TENON_TEST_PACKAGE: _, ...clean } = process.env;
  const result = node(
    [
      'node_modules/.bin/vitest',
      'run',
      test,
      `--testNamePattern=${pattern}`,
      '--bail=1',
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    { ...clean, ...env },
    seconds === undefined ? LIMIT_MS : seconds * 1000,
  );
  if (result.error !== undefined) return 'killed: the tests did not end';
  if (!fs.existsSync(report)) return 'broken: no report';
  const { numFailedTests, numPassedTests, numFailedTestSuites } = JSON.parse(fs.readFileSync(report, 'utf8'));
  if (numFailedTests > 0) return `killed: ${numFailedTests} failed`;
  if (numPassedTests === 0)
    return numFailedTestSuites > 0 ? 'broken: the tests cannot be loaded' : 'broken: no such test';
  return 'SURVIVED';
}

if (values.list) for (const { id, test } of guards) console.log(`${id}  (${test})`);
else {
  prepare();
  const count = {};
  for (const guard of guards) {
    const restore = without(guard);
    const started = performance.now();
    const found = verdict(guard);
    restore();
    const [word = ''] = found.split(':');
    count[word] = (count[word] ?? 0) + 1;
    console.log(
      `${found} | ${guard.id} | ${guard.test} | ${Math.round((performance.now() - started) / 1000)} s`,
    );
  }
  console.log(
    Object.entries(count)
      .map(([word, number]) => `${number} ${word}`)
      .join(', '),
  );
  process.exitCode = count.killed === guards.length ? 0 : 1;
  if (values.keep === undefined) fs.rmSync(copy, { recursive: true, force: true });
}
