import { isWithin } from '../system/paths.ts';
import type { AbsPath, System } from '../system/ports.ts';
import type { RuntimeSpec } from './schema.ts';
import { showText } from './show.ts';

/** What is known of the installed version of a runtime. */
export type VersionProbe =
  | { readonly state: 'absent' }
  | { readonly state: 'skipped'; readonly reason: string }
  | { readonly state: 'failed'; readonly reason: string }
  | {
      readonly state: 'found';
      readonly version: string;
      /** The version is one that the spec was tested with / is older than the oldest one. */
      readonly isTested: boolean;
      readonly isOld: boolean;
    };

/** First starts unpack themselves: up to 7.5 s were measured. */
const TIMEOUT_MS = 15_000;
const KEPT =
  /^(?:PATH|HOME|USERPROFILE|SYSTEMROOT|APPDATA|LOCALAPPDATA|PATHEXT|COMSPEC|TEMP|TMP|TMPDIR|LANG|LC_ALL)$/iu;

/**
 * Asks an installed runtime for its version: its version command only, without a shell, with a bare environment, in the
 * home folder, because some clients rewrite files of the folder they start in. A program inside the repository is
 * repository content and is not started.
 */
export function probeVersion(
  spec: RuntimeSpec,
  system: Pick<System, 'exec' | 'host' | 'reader'>,
  root: AbsPath,
): VersionProbe {
  if (spec.version === undefined) return { state: 'skipped', reason: 'no version command is known' };
  const { command, pattern, minimum, tested } = spec.version;
  const [name = '', ...args] = command;
  const program = system.exec.which(name);
  if (program === undefined) return { state: 'absent' };
  const real = system.reader.realpath(program) ?? program;
  const { platform, home, env } = system.host;
  if (isWithin(root, program, platform) || isWithin(root, real, platform)) {
    return { state: 'skipped', reason: `${name} on PATH is a file of this repository` };
  }
  const bare = Object.entries(env).flatMap(([key, value]) =>
    KEPT.test(key) && value !== undefined ? [[key, value]] : [],
  );
  const result = system.exec.run(program, args, {
    cwd: home,
    env: Object.fromEntries(bare),
    timeoutMs: TIMEOUT_MS,
    maxBytes: 64 * 1024,
  });
  if (result.problem !== undefined)
    return { state: 'failed', reason: `${name} did not answer (${result.problem})` };
  const version = new RegExp(pattern, 'mu').exec(result.stdout)?.[1];
  if (version === undefined) {
    return { state: 'failed', reason: `${name} printed no version: ${showText(result.stdout.trim())}` };
  }
  return {
    state: 'found',
    version,
    isTested: tested.includes(version),
    isOld: compareVersions(version, minimum) < 0,
  };
}

/** Order of two versions by their numbers; missing numbers count as 0. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
