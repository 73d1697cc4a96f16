'use strict';
/** Loaded with `node --require`: MANAGED_DIR stands in for the folder that only an administrator may write. */
const fs = require('node:fs');

const REAL = '/etc/claude-code';
const moved = (path) => {
  const text = typeof path === 'string' ? path : undefined;
  if (text === undefined || !(text === REAL || text.startsWith(`${REAL}/`))) return path;
  return process.env.MANAGED_DIR + text.slice(REAL.length);
};
const through =
  (original, keeps) =>
  (path, ...rest) => {
    const result = original(moved(path), ...rest);
    return keeps && moved(path) !== path ? path : result;
  };
for (const name of ['readFileSync', 'statSync', 'lstatSync', 'existsSync', 'readdirSync', 'openSync']) {
  fs[name] = through(fs[name], false);
}
const native = through(fs.realpathSync.native, true);
fs.realpathSync = Object.assign(through(fs.realpathSync, true), { native });
