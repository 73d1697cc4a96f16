import type { Context } from '../../cli/context.ts';
import type { Desired } from '../../engine/types.ts';
import type { ExpandedArtifact } from '../../integrations/types.ts';
import type { Selection } from './selection.ts';
import type { Workspace } from './workspace.ts';

/**
 * Whether an artifact may be written (contract, section 6): bundled definitions and what the operator typed are
 * trusted; everything that comes from the repository is inert until it is granted on this host.
 */
export async function trustPolicy(
  _context: Context,
  _workspace: Workspace,
): Promise<(artifact: ExpandedArtifact, selection: Selection) => Desired['trust']> {
  return (artifact) =>
    artifact.source === 'bundled' ? 'bundled' : artifact.source === 'operator' ? 'operator' : 'untrusted';
}
