import { fromDisplay, isOutside } from '../system/paths.ts';
import { observeFile } from './observe-file.ts';
import type { PlanRequest } from './plan-request.ts';
import type { DisplayPath, FileFacts } from './types.ts';

/** The facts of one file of a plan, with the answers about links and hard links taken in. */
export function lookAt(path: DisplayPath, request: PlanRequest): FileFacts {
  const { root, home, platform, choices } = request;
  const places = { root, home, platform };
  const abs = fromDisplay(path, places);
  const follow = choices.resolve(path) === 'follow';
  const facts = observeFile(
    request.reader,
    { ...places, display: path, abs },
    {
      follow,
      followed: request.followed?.(path),
      force: choices.force(path),
      forbidden: request.protectedDirs,
    },
  );
  if (facts.problem !== undefined || follow || !isOutside(path)) return facts;
  const managed = request.managedElsewhere?.(path, abs);
  return managed === undefined ? facts : { ...facts, problem: managed };
}
