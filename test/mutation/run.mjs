// Mutation score of src/trust, src/engine and src/formats: how many small faults, put in one at a time, the tests notice.
//
//   node test/mutation/run.mjs trust                  every mutant of one folder
//   node test/mutation/run.mjs engine formats -n 30   those of every 30th line; `-o 7` takes other lines
//
// Works on a copy in the temporary folder, installs Stryker there (pinned, 90 packages, no dependency of this package)
// and prints score and survivors. A whole folder takes an hour or more.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const STRYKER = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/vitest-runner@9.6.1'];
const KNOWN = ['trust', 'engine', 'formats'];
/** Property tests run this often for each mutant; their own number would take days. */
const RUNS = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', short: 'n', default: '1' },
    offset: { type: 'string', short: 'o', default: '0' },
    keep: { type: 'string' },
  },
});
const folders = positionals.length === 0 ? KNOWN : positionals;
const unknown = folders.filter((folder) => !KNOWN.includes(folder));
if (unknown.length > 0) throw new Error(`no such folder: ${unknown.join(', ')} (${KNOWN.join(', ')})`);

const root = path.join(import.meta.dirname, '../..');
const copy = values.keep ?? fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-mutation-'));
const npm = (...args) => execFileSync('npm', args, { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] });

function prepare() {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const name of listed.split('\0').filter((one) => one !== '' && fs.existsSync(path.join(root, one))))
    fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  for (const name of fs.readdirSync(path.join(copy, 'test/property'))) {
    const file = path.join(copy, 'test/property', name);
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.replaceAll(/(numRuns: |const RUNS = )[\d_]+/g, `$1${RUNS}`));
  }
  npm('install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...STRYKER);
}

/** Whole files, or the lines of a sample. A fault that spans several lines is in no sample. */
function targets(folder) {
  const every = Number(values.every);
  const names = fs.readdirSync(path.join(copy, 'src', folder)).filter((name) => /(?<!\.d)\.ts$/.test(name));
  const files = names.map((name) => `src/${folder}/${name}`);
  if (every === 1) return files;
  return files.flatMap((file) => {
    const lines = fs.readFileSync(path.join(copy, file), 'utf8').split('\n').length;
    return Array.from({ length: lines }, (_, at) => at + 1)
      .filter((line) => {
        const hash = createHash('sha256').update(`${file}:${line}`).digest().readUInt32BE();
        return hash % every === Number(values.offset) % every;
      })
      .map((line) => `${file}:${line}-${line}`);
  });
}

function report() {
  const { files } = JSON.parse(fs.readFileSync(path.join(copy, 'mutation.json'), 'utf8'));
  for (const folder of folders) {
    const count = { Killed: 0, Timeout: 0, Survived: 0, NoCoverage: 0 };
    for (const [file, { source, mutants }] of Object.entries(files)) {
      if (!file.startsWith(`src/${folder}/`)) continue;
      for (const { status, location, replacement } of mutants) {
        if (status in count) count[status] += 1;
        if (status !== 'Survived' && status !== 'NoCoverage') continue;
        const line = source.split('\n')[location.start.line - 1]?.trim();
        console.log(
          `${status} ${file}:${location.start.line}:${location.start.column} ${replacement} | ${line}`,
        );
      }
    }
    const caught = count.Killed + count.Timeout;
    const all = caught + count.Survived + count.NoCoverage;
    const score = all === 0 ? '–' : `${((100 * caught) / all).toFixed(1)} %`;
    console.log(
      `\n${folder}: ${caught} of ${all} caught (${score}), ${count.NoCoverage} reached by no test\n`,
    );
  }
}

prepare();
const config = {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.mjs' },
  mutate: folders.flatMap(targets),
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  inPlace: true,
  concurrency: Math.max(1, os.availableParallelism() - 1),
  timeoutMS: 60_000,
  timeoutFactor: 4,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: 'mutation.json' },
};
fs.writeFileSync(path.join(copy, 'stryker.conf.json'), JSON.stringify(config));
const run = spawnSync('npx', ['--no-install', 'stryker', 'run', 'stryker.conf.json'], {
  cwd: copy,
  stdio: 'inherit',
  env: { ...process.env, MUTATED: folders.join() },
});
if (run.status === 0) report();
process.exitCode = run.status ?? 1;
if (values.keep === undefined) fs.rmSync(copy, { recursive: true, force: true });
