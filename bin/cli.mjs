#!/usr/bin/env node
// Plain syntax on purpose: an old Node must still be able to parse this file and print the message.
import * as nodeModule from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
const supported = major >= 24 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19);
if (!supported) {
  process.stderr.write(
    `tenon needs Node ^20.19, ^22.13 or >=24; this is ${process.versions.node}. Nothing was written.\n`,
  );
  process.exitCode = 2;
} else {
  try {
    nodeModule.enableCompileCache?.();
  } catch {
    // The cache only saves time; Node 20 does not have it.
  }
  await import('../dist/cli.mjs');
}
