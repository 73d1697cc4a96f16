'use strict';
/**
 * Loaded with `node --require`: sends this process SIGINT after the first call of a function of node:fs that concerns a
 * path, as Ctrl-C at that instant would.
 *
 * INT_CALL   name of the function, e.g. renameSync
 * INT_PATH   text that one of its arguments holds
 */
const fs = require('node:fs');

const { INT_CALL, INT_PATH } = process.env;
const original = fs[INT_CALL];
let isSent = false;
fs[INT_CALL] = function (...args) {
  const result = original.apply(this, args);
  if (!isSent && args.some((arg) => String(arg).includes(INT_PATH))) {
    isSent = true;
    process.kill(process.pid, 'SIGINT');
  }
  return result;
};
