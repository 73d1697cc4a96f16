import type { Context } from '../../cli/context.ts';
import { MANIFEST_PATH } from '../../engine/plan-manifest.ts';
import type { Finding } from '../../errors/error.ts';
import { printable } from '../../lib/printable.ts';
import { displayPath, isThere, isWithin, pathsOf } from '../../system/paths.ts';
import { shellQuote } from './shell-quote.ts';
import type { Workspace } from './workspace.ts';

/**
 * Tells of the nearest folder between the working folder and the root that has a manifest of its own: whoever stands there
 * may take the answer for one about it. Where the root has nothing set up itself that is a warning.
 */
export function rootBelow(
  { system, options }: Context,
  { root, facts, enrolments }: Workspace,
  command: string,
): readonly Finding[] {
  const { reader, host } = system;
  if (options.root !== undefined || facts.cwd === root || !isWithin(root, facts.cwd, host.platform))
    return [];
  const { dirname, join } = pathsOf(host.platform);
  let at = facts.cwd;
  while (at !== root && !isThere(reader, join(at, MANIFEST_PATH))) at = dirname(at);
  if (at === root) return [];
  const folder = displayPath(at, { root, home: host.home, platform: host.platform });
  const up = facts.cwd.slice(at.length).split(/[\\/]/).length - 1;
  const named = options.cwd === undefined ? (up === 0 ? '.' : Array(up).fill('..').join('/')) : folder;
  return [
    {
      code: 'repo/root-below',
      severity: enrolments.length === 0 ? 'warning' : 'info',
      subject: printable(folder),
      message: `${printable(folder)} has a manifest of its own, which this run did not look at: it is about the top level of the repository`,
      remedy: {
        text: 'Name that folder',
        command: `tenon ${command} --root ${shellQuote(named)}`,
      },
      data: { file: `${folder}/${MANIFEST_PATH}` },
    },
  ];
}
