'use strict';
/**
 * Loaded with `node --require`: lets calls of node:fs fail, or ends the process in the middle of writing. Required by a
 * process that runs the program many times, `arm` takes the same settings for the next run.
 *
 * FAULT_CALL   name of the function, e.g. renameSync, or `any`, or `writing`; its failing calls throw FAULT_CODE (default EIO)
 * FAULT_AT     the first of its calls that fails, from 1 (default 1)
 * FAULT_TIMES  how many fail from there on (default 1; `forever`: of `any` and `writing`, every writing call that the cause
 *              concerns)
 * FAULT_PATH   count only calls of which an argument holds this text
 * FAULT_SKIP   of `any` and `writing`: pass over calls below this folder
 * KILL_AT      SIGKILL right before the n-th writing call, from 1
 * KILL_AFTER   SIGKILL right after the n-th writing call
 * COUNT_FILE   the number of writing calls is written there when the process ends by itself
 */
const fs = require('node:fs');

const WRITES = [
  'openSync',
  'writeSync',
  'fchmodSync',
  'fsyncSync',
  'ftruncateSync',
  'renameSync',
  'unlinkSync',
  'mkdirSync',
  'rmdirSync',
  'chmodSync',
  'chownSync',
  'writeFileSync',
  'rmSync',
];
const READS = [
  'readSync',
  'fstatSync',
  'lstatSync',
  'statSync',
  'readdirSync',
  'readlinkSync',
  'closeSync',
  'realpathSync.native',
];
/** What still works on a disk without room. */
const FREEING = new Set([
  ...['unlinkSync', 'rmdirSync', 'renameSync', 'fchmodSync', 'chmodSync', 'fsyncSync', 'rmSync'],
]);

const original = Object.fromEntries([...WRITES, ...READS].map((name) => [name, fs[name]]));
original['realpathSync.native'] = fs.realpathSync.native;
const paths = new Map();
const pathOf = ([first]) => (typeof first === 'number' ? (paths.get(first) ?? '') : String(first));
const writesTo = (name, args) =>
  name !== 'openSync' || (typeof args[1] === 'number' ? (args[1] & 3) !== 0 : args[1] !== 'r');

let env;
let writes;
let calls;
let isArmed;

/** Begins to count anew, with these settings. */
function arm(settings) {
  env = settings;
  writes = 0;
  calls = [];
  isArmed = true;
}

/** Nothing fails from now on; gives the counted calls, `[name, path]` each. */
function disarm() {
  isArmed = false;
  return calls;
}

const end = () => {
  process.kill(process.pid, 'SIGKILL');
  // The signal is delivered on return to user space; nothing may run after it.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
};

const isEach = () => env.FAULT_CALL === 'any' || env.FAULT_CALL === 'writing';

function counts(name, args, isWrite) {
  if (!isEach() && name !== env.FAULT_CALL) return false;
  if (env.FAULT_CALL === 'writing' && !isWrite) return false;
  if (env.FAULT_SKIP !== undefined && pathOf(args).startsWith(env.FAULT_SKIP)) return false;
  return env.FAULT_PATH === undefined || args.some((arg) => String(arg).includes(env.FAULT_PATH));
}

function fails(name, isWrite) {
  const first = Number(env.FAULT_AT ?? 1);
  const isForever = env.FAULT_TIMES === 'forever';
  const last = isForever ? Number.POSITIVE_INFINITY : first + Number(env.FAULT_TIMES ?? 1) - 1;
  if (calls.length < first || calls.length > last) return false;
  if (!isEach() || !isForever || calls.length === first) return true;
  return isWrite && !(env.FAULT_CODE === 'ENOSPC' && FREEING.has(name));
}

function failing(name, args) {
  const code = env.FAULT_CODE ?? 'EIO';
  // A handle is gone even when closing it reports a fault, and a full disk takes the beginning of what is written.
  if (name === 'closeSync') original.closeSync(...args);
  if (name === 'writeSync' && code === 'ENOSPC' && args[3] > 1)
    original.writeSync(args[0], args[1], args[2], Math.floor(args[3] / 2), args[4]);
  return Object.assign(new Error(`${code}: injected, ${name} '${pathOf(args)}'`), {
    code,
    syscall: name.replace(/Sync.*$/, ''),
    ...(typeof args[0] === 'string' ? { path: args[0] } : {}),
  });
}

const watched = (name) =>
  function (...args) {
    if (!isArmed) return original[name].apply(this, args);
    const isWrite = WRITES.includes(name) && writesTo(name, args);
    if (isWrite) {
      writes += 1;
      if (writes === Number(env.KILL_AT)) end();
    }
    if (counts(name, args, isWrite)) {
      calls.push([name, pathOf(args)]);
      if (fails(name, isWrite)) throw failing(name, args);
    }
    const result = original[name].apply(this, args);
    if (name === 'openSync') paths.set(result, String(args[0]));
    if (isWrite && writes === Number(env.KILL_AFTER)) end();
    return result;
  };

for (const name of [...WRITES, ...READS]) {
  if (name === 'realpathSync.native') fs.realpathSync.native = watched(name);
  else fs[name] = watched(name);
}

arm(process.env);
if (process.env.COUNT_FILE)
  process.on('exit', () => original.writeFileSync(process.env.COUNT_FILE, String(writes)));

module.exports = { arm, disarm };
