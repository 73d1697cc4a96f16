import { createHash } from 'node:crypto';
import { printable } from '../lib/printable.ts';
import { maskHome } from './paths.ts';
import type { Exec, Reader, System, Writer } from './ports.ts';

const digest = (bytes: Uint8Array): string =>
  `${bytes.length} bytes sha256:${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;

/**
 * Reports every call for `--debug`: paths, sizes, hashes and program names; never contents, arguments or environment,
 * which may hold secrets.
 */
export function traceSystem(inner: System, log: (line: string) => void): System {
  const say = (what: string, ...paths: string[]): void =>
    log(`${what} ${paths.map((path) => printable(maskHome(path, inner.host.home))).join(' -> ')}`);
  const { reader, writer, exec } = inner;
  const tracedReader: Reader = {
    readFile(path, limit) {
      const bytes = reader.readFile(path, limit);
      say(`read ${bytes === undefined ? 'missing' : digest(bytes)}`, path);
      return bytes;
    },
    lstat: (path) => reader.lstat(path),
    stat: (path) => reader.stat(path),
    list(path) {
      say('list', path);
      return reader.list(path);
    },
    readLink: (path) => reader.readLink(path),
    realpath: (path) => reader.realpath(path),
  };
  const tracedWriter: Writer = {
    createExclusive(path, bytes, mode) {
      say(`create ${mode.toString(8)} ${digest(bytes)}`, path);
      writer.createExclusive(path, bytes, mode);
    },
    rename(from, to) {
      say('rename', from, to);
      writer.rename(from, to);
    },
    writeInPlace(path, bytes) {
      say(`write-in-place ${digest(bytes)}`, path);
      writer.writeInPlace(path, bytes);
    },
    remove(path) {
      say('remove', path);
      writer.remove(path);
    },
    makeDir(path, mode) {
      say('mkdir', path);
      writer.makeDir(path, mode);
    },
    removeDir(path) {
      say('rmdir', path);
      writer.removeDir(path);
    },
    chmod(path, mode) {
      say(`chmod ${mode.toString(8)}`, path);
      writer.chmod(path, mode);
    },
    chown(path, uid, gid) {
      say(`chown ${uid}:${gid}`, path);
      writer.chown(path, uid, gid);
    },
    syncDir: (path) => writer.syncDir(path),
  };
  const tracedExec: Exec = {
    run(command, args, options) {
      const result = exec.run(command, args, options);
      say(`run (${args.length} arguments, ${result.problem ?? `code ${result.code}`})`, command);
      return result;
    },
    which(name) {
      const found = exec.which(name);
      say(`which ${printable(name)}`, found ?? 'missing');
      return found;
    },
    isAlive: (pid) => exec.isAlive(pid),
  };
  return { ...inner, reader: tracedReader, writer: tracedWriter, exec: tracedExec };
}
