'use strict';
/** Loaded with `node --require`: MANAGED_DIR stands in for the folders that only an administrator may write. */
const fs = require('node:fs');

const REAL = ['/etc/claude-code', '/etc/codex', '/etc/opencode'];
const moved = (path) => {
  const text = typeof path === 'string' ? path : undefined;
  const real = REAL.find((one) => text === one || text?.startsWith(`${one}/`));
  return real === undefined ? path : process.env.MANAGED_DIR + text.slice(real.length);
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
