import type { RuntimeSpec } from '../runtimes/schema.ts';
import type { ClientList } from '../runtimes/schema-list.ts';
import { compareVersions } from '../runtimes/version.ts';
import type { AbsPath, System } from '../system/ports.ts';
import { watchFiles } from './changes.ts';
import { readList, type SeenServer } from './read-list.ts';
import { clientEnvironment, runClient } from './run.ts';
import { type ClientVersion, firstLine, PROBLEMS } from './version.ts';

export interface ListQuestion {
  readonly spec: RuntimeSpec;
  readonly root: AbsPath;
  readonly system: Pick<System, 'host' | 'reader'>;
  /** The answer of {@link clientVersion}: only a program that proved to be the client is asked. */
  readonly version: ClientVersion;
  /** Names of variables that our own trusted entries refer to; handed on only where the list connects. */
  readonly names: readonly string[];
  /** Multiplies the time limits. */
  readonly scale: number;
  /** Ends it at once, for a run that is interrupted. */
  readonly signal?: AbortSignal;
}

/** What a client says of its servers. */
export type ListAnswer =
  | { readonly state: 'skipped'; readonly reason: string; readonly changed: readonly string[] }
  /** It ended with an error of its own. */
  | {
      readonly state: 'refused';
      readonly command: string;
      readonly code: number;
      /** Its first line, safe to show. */
      readonly says: string;
      readonly changed: readonly string[];
    }
  | {
      readonly state: 'listed';
      readonly command: string;
      readonly servers: readonly SeenServer[];
      readonly proves: ClientList['proves'];
      readonly ms: number;
      /** Files of the repository that the client wrote, took away or changed meanwhile. */
      readonly changed: readonly string[];
    };

/**
 * Runs the client's own list command in the root, as its spec describes it, and reads what it prints. Everything bounded;
 * the caller has made sure that nothing is started which its user does not trust. Never rejects.
 */
export async function askList(question: ListQuestion): Promise<ListAnswer> {
  const { spec, root, system, version, names, scale } = question;
  const { list } = spec;
  if (list === undefined) return skip(`no command is known by which ${spec.title} lists its servers`);
  const command = list.command.join(' ');
  if (list.terminal) return skip(`${command} answers in a terminal only`);
  if (version.state !== 'found') return skip(version.reason);
  if (compareVersions(version.version, list.minimum) < 0) {
    return skip(
      `${spec.title} ${version.version} is older than ${list.minimum}, the oldest whose list was tested`,
    );
  }
  const changes = watchFiles(root, foldersOf(spec), system.reader, system.host.platform);
  const result = await runClient({
    program: version.program,
    args: list.command.slice(1),
    cwd: root,
    env: clientEnvironment(spec, root, system, {
      names: list.proves === 'connected' ? names : [],
      extra: list.environment,
    }),
    timeoutMs: list.seconds * 1000 * scale,
    ...(question.signal === undefined ? {} : { signal: question.signal }),
  });
  const changed = changes();
  if (result.problem !== undefined) return skip(`${command} ${PROBLEMS[result.problem]}`, changed);
  const reading = readList(list.output, result);
  if (reading.isList) {
    return {
      state: 'listed',
      command,
      servers: reading.servers,
      proves: list.proves,
      ms: result.ms,
      changed,
    };
  }
  const said = firstLine(result.stderr) || firstLine(result.stdout) || 'nothing';
  if (result.code === 0) return skip(`${command} printed nothing that is its list: ${said}`, changed);
  const says = `${said}${oldNode(list, spec, said)}`;
  return { state: 'refused', command, code: result.code ?? -1, says, changed };
}

const skip = (reason: string, changed: readonly string[] = []): ListAnswer => ({
  state: 'skipped',
  reason,
  changed,
});

/** A hint where the client's own words sound as if Node on PATH were too old for it: its version is not asked for. */
const oldNode = ({ node }: ClientList, spec: RuntimeSpec, said: string): string =>
  node !== undefined && /\bNode(?:\.js)?\b|\bERR_[A-Z]|SyntaxError/u.test(said)
    ? ` (${spec.title} asks for Node ${node} or newer)`
    : '';

/** Folders at the top of a repository in which the client keeps something. */
function foldersOf(spec: RuntimeSpec): string[] {
  const paths = [
    ...Object.values(spec.files).flatMap(({ paths: own }) => own),
    ...(spec.skills?.places ?? []).map(({ path }) => path),
    ...(spec.hooks?.places ?? []).map(({ folder }) => folder),
    ...spec.detect.project,
    ...(spec.creates ?? []),
  ];
  return [
    ...new Set(paths.map((path) => path.split('/')[0] ?? '').filter((name) => /^[\w.-]+$/u.test(name))),
  ];
}
