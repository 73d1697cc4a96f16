import type { Context } from '../cli/context.ts';
import { DEFAULT_TIMEOUT_MS } from '../cli/options.ts';
import { type Inspection, inspect } from '../commands/shared/inspect.ts';
import { pathWord } from '../commands/shared/path-word.ts';
import type { Workspace } from '../commands/shared/workspace.ts';
import type { Finding, TenonError } from '../errors/error.ts';
import { toError } from '../errors/to-error.ts';
import { loadFormats } from '../formats/index.ts';
import type { PathBase } from '../runtimes/paths.ts';
import { pendingFinding } from '../state/journal.ts';
import { isOutside } from '../system/paths.ts';
import { openClients } from './client-facts.ts';
import { openDocuments } from './documents.ts';
import { examinedRuntimes, namedRuntimes } from './examined.ts';
import { type Facts, isInspection, memo } from './facts.ts';

/** Collects what every probe needs (`seen`: an inspection made already); git and the network are asked only when a probe does. Writes nothing. */
export async function gatherFacts(
  context: Context,
  workspace: Workspace,
  manifestProblem: Finding | undefined,
  seen?: Inspection,
): Promise<Facts> {
  const { system, options } = context;
  const { host, reader } = system;
  await loadFormats(['json', 'toml', 'markdown', 'lines', 'whole']);
  const base: PathBase = {
    root: workspace.root,
    home: host.home,
    platform: host.platform,
    env: host.env,
    reader,
  };
  const named = namedRuntimes(workspace.specs, options.runtimes);
  const inspection = seen ?? (await attemptInspection(context, workspace));
  const examined = examinedRuntimes(workspace.specs, workspace.enrolments, base, named);
  const pending = workspace.state.pending();
  // Most runs ask git nothing (cold start).
  const git = memo(async () => (await import('../system/git.ts')).openGit(workspace.facts, system));
  const paths = memo(() => pathsIn(examined, inspection));
  return {
    system,
    options,
    base,
    repo: workspace.facts,
    wordFor: (path) => pathWord(context, path, workspace.facts.top),
    specs: workspace.specs,
    examined,
    documents: openDocuments(base, workspace.followed),
    enrolments: workspace.enrolments,
    ledgers: workspace.ledgers,
    inspection,
    manifestProblem,
    suppressions: workspace.manifest?.suppressions ?? [],
    get today() {
      return new Date(system.clock.now()).toISOString().slice(0, 10);
    },
    pending: pending === undefined ? undefined : pendingFinding(pending, workspace.root),
    state: workspace.state.folder,
    git: {
      tracked: memo(async () => (await git()).isTracked(paths())),
      ignored: memo(async () => (await git()).isIgnored(paths())),
    },
    clients: openClients(system, workspace.root, options.timeoutMs / DEFAULT_TIMEOUT_MS),
    packageDir: context.packageDir,
    tiers: new Map(),
    known: new Map(),
  };
}

/** Every path inside the repository that a question to git may be about. */
function pathsIn(examined: Facts['examined'], inspection: Facts['inspection']): string[] {
  const paths = new Set<string>(['.tenon/manifest.json']);
  for (const { files } of examined) {
    for (const { path, exists } of files) if (exists) paths.add(path.display);
  }
  if (isInspection(inspection)) {
    for (const { slot } of inspection.result.judgements) {
      const path = (slot.wish?.target ?? slot.record)?.path;
      if (path !== undefined) paths.add(path);
    }
  }
  return [...paths].filter((path) => !isOutside(path)).sort();
}

async function attemptInspection(context: Context, workspace: Workspace): Promise<Facts['inspection']> {
  try {
    return await inspect(context, workspace);
  } catch (thrown) {
    const error = toError(thrown, false);
    if (error.code === 'internal/bug') throw thrown;
    return findingOf(error, 'ownership');
  }
}

/** An expected fault as an error finding. */
export const findingOf = (error: TenonError, subject: string): Finding => ({
  code: error.code,
  severity: 'error',
  subject,
  message: error.message,
  ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
});
