import { randomBytes } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import type { AbsPath, Host, System } from './ports.ts';
import { realExec } from './real-exec.ts';
import { realReader, realWriter } from './real-files.ts';

function workingFolder(): AbsPath {
  try {
    return process.cwd();
  } catch {
    // The folder was removed under the shell; what needs it says so when it does not find it.
    return process.env['PWD'] ?? homedir();
  }
}

/** The machine: its disk, programs, clock and environment. */
export function realSystem(): System {
  const host: Host = {
    platform: process.platform,
    arch: process.arch,
    env: process.env,
    cwd: workingFolder(),
    home: homedir(),
    node: process.execPath,
    pid: process.pid,
    hostname: hostname(),
    uid: process.getuid?.() ?? -1,
    umask: process.umask(),
  };
  return {
    reader: realReader,
    writer: realWriter,
    exec: realExec(host, realReader),
    clock: {
      now: () => Date.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
    host,
    randomHex: (bytes) => randomBytes(bytes).toString('hex'),
  };
}
