'use strict';
/** Loaded with `node --require`: writes to the file COUNT_FILE how many calls of node:fs the program made. */
const fs = require('node:fs');

const { writeFileSync } = fs;
const NAMES = ['openSync', 'readSync', 'fstatSync', 'lstatSync', 'statSync', 'readdirSync', 'readlinkSync'];
let count = 0;
const counted = (call) =>
  function (...args) {
    count += 1;
    return call.apply(this, args);
  };

for (const name of NAMES) fs[name] = counted(fs[name]);
fs.realpathSync.native = counted(fs.realpathSync.native);
process.on('exit', () => writeFileSync(process.env.COUNT_FILE, String(count)));
