'use strict';
/**
 * Runs the built program again and again in one process, where starting Node each time would take most of the time.
 * Each message is one run: `{ entry, args, cwd, env, faults }`; the answer `{ code, stdout, stderr, calls, states }`. The
 * code of the program is loaded once, its entry is evaluated anew by each run; `faults` are the settings of `fault-preload.cjs`.
 */
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const zlib = require('node:zlib');
const { arm, disarm } = require('./fault-preload.cjs');

disarm();
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
let count = 0;

// Pauses pass at once.
let passed = 0;
const now = performance.now.bind(performance);
performance.now = () => now() + passed;
Atomics.wait = (_array, _index, _value, ms) => {
  passed += ms;
  return 'timed-out';
};

/** Above every process id of Linux (proc(5), pid_max): to later runs, this one is a process that has ended. */
const ENDED_PID = 2 ** 22;

const chunks = new Map();

/** A chunk of the program as its own loader runs it (bin/load.cjs), without keeping compiled code. */
function load(folder, name) {
  const file = path.join(folder, name);
  const known = chunks.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  chunks.set(file, module);
  const source = fs.existsSync(file)
    ? fs.readFileSync(file, 'latin1')
    : zlib.brotliDecompressSync(fs.readFileSync(`${file}.br`)).toString('latin1');
  const run = vm.compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: file,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const requireChunk = (id) => (id.startsWith('./') ? load(folder, id.slice(2)) : require(id));
  run.call(module.exports, module.exports, requireChunk, module, file, folder);
  return module.exports;
}

/** The entry anew, everything else as it is loaded. */
function evaluate(entry) {
  chunks.delete(entry);
  return load(path.dirname(entry), path.basename(entry)).start();
}

process.on('message', async ({ entry, args, cwd, env, faults }) => {
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (text) => {
      out[name] += text;
      return true;
    };
  }
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, entry, ...args];
  process.exitCode = undefined;
  Object.defineProperty(process, 'pid', { value: ENDED_PID + count, configurable: true });
  process.chdir(cwd);
  count += 1;
  arm(faults);
  let thrown;
  try {
    await evaluate(entry);
  } catch (error) {
    thrown = error instanceof Error ? String(error.stack) : String(error);
  }
  const { calls, states } = disarm();
  process.removeAllListeners('SIGINT');
  process.send({ ...out, code: process.exitCode ?? null, calls, states, thrown });
});
