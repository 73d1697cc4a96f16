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
 * STATES       folders, with the system's delimiter: notes what is in them right before each writing call, as a hash
 * STATES_FILE  the noted states are written there, as JSON, when the process ends by itself
 * COUNT_FILE   the number of writing calls is written there when the process ends by itself
 */
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

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
let states;
let isArmed;

/** Begins to count anew, with these settings. */
function arm(settings) {
  env = settings;
  writes = 0;
  calls = [];
  states = [];
  isArmed = true;
}

/** Nothing fails from now on; gives the counted calls, `[name, path]` each, and the noted states. */
function disarm() {
  isArmed = false;
  return { calls, states };
}

/** Everything that a process started later could tell apart: names, kinds, rights, inodes, times, links, bytes. */
function stateOf(folders) {
  const hash = crypto.createHash('sha256');
  const look = (file) => {
    const { mode, ino, nlink, size, mtimeNs, ctimeNs } = original.lstatSync(file, { bigint: true });
    hash.update(JSON.stringify([file, ...[mode, ino, nlink, size, mtimeNs, ctimeNs].map(String)]));
    const isOf = (kind) => (Number(mode) & fs.constants.S_IFMT) === kind;
    if (isOf(fs.constants.S_IFLNK)) hash.update(original.readlinkSync(file));
    else if (isOf(fs.constants.S_IFREG)) hash.update(fs.readFileSync(file));
    else if (isOf(fs.constants.S_IFDIR))
      for (const name of original.readdirSync(file).sort()) look(path.join(file, name));
  };
  // What reading does here is none of the program's calls.
  isArmed = false;
  for (const folder of folders.split(path.delimiter)) if (fs.existsSync(folder)) look(folder);
  isArmed = true;
  return hash.digest('hex');
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
      if (env.STATES !== undefined) states.push(stateOf(env.STATES));
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
if (process.env.STATES_FILE)
  process.on('exit', () => original.writeFileSync(process.env.STATES_FILE, JSON.stringify(states)));

module.exports = { arm, disarm };
