import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program on PATH that stands in for a coding tool: a shell script that notes every start. */
export interface FakeClient {
  /** Folder to put on PATH. */
  readonly bin: string;
  /** Words of every start, one line each. */
  calls(): string[];
}

export interface FakeBehaviour {
  /** What `--version` does; text is printed. */
  readonly version?: string;
  /** Shell lines for every other command. */
  readonly list?: string;
  /** Shell lines before anything else. */
  readonly always?: string;
}

/** Writes the program `name` into `folder`/bin. */
export function fakeClient(
  folder: string,
  name: string,
  { version, list, always }: FakeBehaviour,
): FakeClient {
  const bin = join(folder, 'bin');
  const log = join(folder, `${name}.calls`);
  mkdirSync(bin, { recursive: true });
  rmSync(log, { force: true });
  const body = [
    '#!/bin/sh',
    `echo "$*" >> '${log}'`,
    always ?? '',
    `if [ "$1" = --version ]; then ${version === undefined ? ':' : `echo '${version}'`}; exit 0; fi`,
    list ?? '',
  ];
  writeFileSync(join(bin, name), `${body.join('\n')}\n`);
  chmodSync(join(bin, name), 0o755);
  return { bin, calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) };
}

/** Shell lines that print a text as it is. */
export const prints = (text: string): string => `cat <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`;
