import { fromDisplay } from '../system/paths.ts';
import type { AbsPath } from '../system/ports.ts';
import type { FileOutcome } from './file-outcome.ts';
import type { PlanRequest } from './plan-request.ts';
import type { DisplayPath, FileRecord } from './types.ts';

const parentOf = (path: AbsPath): AbsPath => path.replace(/[\\/][^\\/]*$/, '') || '/';

/**
 * Folders that have to be made for a new file, outermost first. `planned` collects those of the whole plan, so that each
 * is recorded once, with the first file that needs it.
 */
export function createdFolders(
  outcome: { readonly plan: FileOutcome['plan'] },
  request: Pick<PlanRequest, 'reader'>,
  planned: Set<AbsPath>,
): AbsPath[] {
  if (outcome.plan?.action !== 'create') return [];
  const missing: AbsPath[] = [];
  for (
    let dir = parentOf(outcome.plan.real);
    request.reader.stat(dir) === undefined && !planned.has(dir);
    dir = parentOf(dir)
  ) {
    missing.unshift(dir);
    planned.add(dir);
    if (dir === parentOf(dir)) break;
  }
  return missing;
}

/** A folder behind linked ones; one that is a link itself by now is the user's, and its path is no folder's. */
function realFolder(dir: DisplayPath, request: PlanRequest): AbsPath {
  const abs = fromDisplay(dir, request);
  const { reader } = request;
  return reader.lstat(abs)?.kind === 'directory' ? (reader.realpath(abs) ?? abs) : abs;
}

/**
 * Folders of ours that become free: of every file record that goes, the created folders move to a file record that
 * stays below them, or are removed with the file (the transaction removes only empty ones). Path -> innermost first.
 */
export function leftoverFolders(
  outcomes: readonly FileOutcome[],
  records: Map<FileOutcome, FileRecord | undefined>,
  request: PlanRequest,
): Map<DisplayPath, AbsPath[]> {
  const leftover = new Map<DisplayPath, AbsPath[]>();
  for (const outcome of outcomes) {
    const old = outcome.group.record;
    if (old === undefined || records.get(outcome) !== undefined || old.createdDirs.length === 0) continue;
    const free: AbsPath[] = [];
    for (const dir of old.createdDirs) {
      const heir = [...records].find(
        ([, record]) => record?.createdFile === true && record.path.startsWith(`${dir}/`),
      );
      if (heir?.[1] === undefined) free.unshift(realFolder(dir, request));
      else records.set(heir[0], { ...heir[1], createdDirs: [...new Set([dir, ...heir[1].createdDirs])] });
    }
    if (free.length > 0) leftover.set(outcome.group.facts.path, free);
  }
  return leftover;
}
