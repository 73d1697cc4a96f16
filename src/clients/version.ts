import type { RuntimeSpec } from '../runtimes/schema.ts';
import { showText } from '../runtimes/show.ts';
import { compareVersions } from '../runtimes/version.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { clientEnvironment, findClient, neutralFolder, runClient } from './run.ts';

/** What is known of the installed version of a coding tool. */
export type ClientVersion =
  /** Its program is not on PATH. */
  | { readonly state: 'absent'; readonly reason: string }
  /** It was not started. */
  | { readonly state: 'skipped'; readonly reason: string }
  /** It was started and said nothing that its spec knows: broken, hanging, or another program of the same name. */
  | {
      readonly state: 'failed';
      readonly reason: string;
      /** It answered, and not as this tool does. */
      readonly isOther?: true;
    }
  | {
      readonly state: 'found';
      readonly version: string;
      /** The program that answered. */
      readonly program: AbsPath;
      /** The version is one that the spec was tested with / is older than the oldest one. */
      readonly isTested: boolean;
      readonly isOld: boolean;
    };

/** First starts unpack themselves: up to 7.5 s were measured on a free machine. */
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 64 * 1024;

/**
 * Asks an installed coding tool for its version: its version command only, not in the repository, because some clients
 * rewrite files of the folder they start in. `scale` multiplies the time limit, `signal` ends it. Never rejects.
 */
export async function clientVersion(
  spec: RuntimeSpec,
  root: AbsPath,
  system: Pick<System, 'host' | 'reader'>,
  scale = 1,
  signal?: AbortSignal,
): Promise<ClientVersion> {
  if (spec.version === undefined) return { state: 'skipped', reason: 'no version command is known' };
  const { command, pattern, minimum, tested } = spec.version;
  const [name = '', ...args] = command;
  const found = findClient(name, root, system);
  switch (found.state) {
    case 'absent':
      return { state: 'absent', reason: `${name} is not on PATH` };
    case 'inside':
      return {
        state: 'skipped',
        reason: `${name} on PATH is a file of this repository, so it is not started`,
      };
    case 'broken':
      return {
        state: 'absent',
        reason: `${name} on PATH is no program: ${showText(found.path)} leads nowhere or cannot be run`,
      };
    case 'found':
      break;
  }
  const result = await runClient({
    program: found.path,
    args,
    cwd: neutralFolder(system),
    env: clientEnvironment(spec, root, system, { extra: spec.list?.environment ?? {} }),
    timeoutMs: TIMEOUT_MS * scale,
    maxBytes: MAX_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  const line = [name, ...args].join(' ');
  if (result.problem !== undefined) {
    return { state: 'failed', reason: `${line} ${PROBLEMS[result.problem]}` };
  }
  const version = new RegExp(pattern, 'mu').exec(result.stdout)?.[1];
  if (version === undefined) {
    const said = firstLine(result.stdout) || firstLine(result.stderr) || 'nothing';
    return {
      state: 'failed',
      isOther: true,
      reason: `${line} printed no version of ${spec.title} (exit code ${result.code ?? 'none'}): ${said}`,
    };
  }
  return {
    state: 'found',
    version,
    program: found.path,
    isTested: tested.includes(version),
    isOld: compareVersions(version, minimum) < 0,
  };
}

/** Why a run of a client gave no answer, behind its command line. */
export const PROBLEMS = {
  'not-started': 'could not be started',
  timeout: 'did not end in its time, so it was ended',
  'output-limit': 'printed more than it should, so it was ended',
} as const;

/** The line of an output that says most: the first that speaks of an error, else the first with something on it. Safe to show. */
export function firstLine(text: string): string {
  const lines = text
    .slice(0, 4000)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return showText(lines.find((line) => /^(?:error|fatal)\b/iu.test(line)) ?? lines[0] ?? '');
}
