'use strict';
/**
 * Loaded with `node --require`: lets calls of node:fs fail, or ends the process in the middle of writing.
 *
 * FAULT_CALL   name of the function, e.g. renameSync; its failing calls throw FAULT_CODE (default EIO)
 * FAULT_AT     the first of its calls that fails, from 1 (default 1)
 * FAULT_TIMES  how many fail from there on (default 1; `forever`)
 * FAULT_PATH   count only calls of which an argument holds this text
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
const env = process.env;
const original = {};
for (const name of new Set([...WRITES, ...(env.FAULT_CALL ? [env.FAULT_CALL] : [])]))
  original[name] = fs[name];

const writesTo = (name, args) =>
  name !== 'openSync' || (typeof args[1] === 'number' ? (args[1] & 3) !== 0 : args[1] !== 'r');
const holdsPath = (args) =>
  env.FAULT_PATH === undefined || args.some((arg) => String(arg).includes(env.FAULT_PATH));

let writes = 0;
let calls = 0;
const first = Number(env.FAULT_AT ?? 1);
const last =
  env.FAULT_TIMES === 'forever' ? Number.POSITIVE_INFINITY : first + Number(env.FAULT_TIMES ?? 1) - 1;

const end = () => {
  process.kill(process.pid, 'SIGKILL');
  // The signal is delivered on return to user space; nothing may run after it.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
};

for (const name of Object.keys(original)) {
  fs[name] = function (...args) {
    const isWrite = WRITES.includes(name) && writesTo(name, args);
    if (isWrite) {
      writes += 1;
      if (writes === Number(env.KILL_AT)) end();
    }
    if (name === env.FAULT_CALL && holdsPath(args)) {
      calls += 1;
      if (calls >= first && calls <= last) {
        const code = env.FAULT_CODE ?? 'EIO';
        throw Object.assign(new Error(`${code}: injected, ${name} '${args[0]}'`), {
          code,
          syscall: name,
          path: args[0],
        });
      }
    }
    const result = original[name].apply(this, args);
    if (isWrite && writes === Number(env.KILL_AFTER)) end();
    return result;
  };
}

if (env.COUNT_FILE) process.on('exit', () => original.writeFileSync(env.COUNT_FILE, String(writes)));
