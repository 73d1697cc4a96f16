#!/usr/bin/env node
// Plain syntax on purpose: an old Node must still be able to parse this file and print the message. CommonJS on purpose:
// the loader of modules alone takes a fifth of the time of an empty Node process.
'use strict';
const [major, minor] = process.versions.node.split('.').map(Number);
const isSupported = major >= 24 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19);
if (!isSupported) {
  process.stderr.write(
    `tenon needs Node ^20.19, ^22.13 or >=24; this is ${process.versions.node}. Nothing was written.\n`,
  );
  process.exitCode = 2;
} else if (!printsVersion(process.argv.slice(2))) {
  const { run } = require('./load.cjs');
  run();
}

/** Answers `--version` alone, which the program would answer the same, without loading it or opening a stream. */
function printsVersion(words) {
  if (words.length !== 1 || (words[0] !== '--version' && words[0] !== '-V')) return false;
  try {
    require('node:fs').writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch (error) {
    // Nobody reads it any more; every other fault is the program's to tell.
    return error.code === 'EPIPE';
  }
}
