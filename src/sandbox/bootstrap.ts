import type { ToolClass, ToolProfile } from '../endpoint/tools.ts';
import { GuardError } from './errors.ts';
import { repositoryIdentity } from './repository.ts';

export interface SandboxProject {
  readonly id: string;
  readonly title: string;
  /** Canonical identities, `host/path`. */
  readonly repositories: readonly string[];
  /** False: it exists, and this caller may not read it. Default true. */
  readonly readable?: boolean;
}

/** Who calls, as far as a tool needs to know. */
export interface Caller {
  readonly principal: string;
  readonly kind: 'local' | 'user';
  readonly authProfile: 'local-dev' | 'remote-authenticated';
  readonly classes: readonly ToolClass[];
}

type RepositoryStatus =
  | 'selected'
  | 'selection_required'
  | 'unmapped'
  | 'unsupported_repository'
  | 'personal_only';

export interface Mapping {
  readonly status: RepositoryStatus;
  readonly identity: string | null;
  readonly project: string | null;
  readonly candidates: readonly string[];
}

/**
 * Which project a repository belongs to. Throws `project_out_of_scope` for a project that the caller may not read:
 * another one is never taken instead.
 */
export function mapRepository(
  projects: readonly SandboxProject[],
  asked: { readonly repository?: string | undefined; readonly project?: string | undefined },
): Mapping {
  const readable = projects.filter((project) => project.readable !== false);
  if (asked.project !== undefined && !readable.some(({ id }) => id === asked.project)) {
    throw new GuardError('project_out_of_scope');
  }
  const none = { project: null, candidates: [] };
  const identity =
    asked.repository === undefined ? null : (repositoryIdentity(asked.repository) ?? undefined);
  if (identity === undefined) return { status: 'unsupported_repository', identity: null, ...none };
  if (readable.length === 0) return { status: 'personal_only', identity, ...none };
  if (asked.project !== undefined)
    return { status: 'selected', identity, project: asked.project, candidates: [] };
  const hits = readable.filter(({ repositories }) => identity !== null && repositories.includes(identity));
  const [first] = hits;
  if (first === undefined) return { status: 'unmapped', identity, ...none };
  if (hits.length === 1) return { status: 'selected', identity, project: first.id, candidates: [] };
  return { status: 'selection_required', identity, project: null, candidates: hits.map(({ id }) => id) };
}

export const SANDBOX_VERSION = '0.2.1-sandbox';

/** What `knowledge_bootstrap` answers: facts about the connection, no knowledge. */
export function bootstrap(
  caller: Caller,
  toolProfile: ToolProfile,
  projects: readonly SandboxProject[],
  asked: {
    readonly repository?: string | undefined;
    readonly project?: string | undefined;
    readonly branch?: string | undefined;
  },
) {
  const mayPropose = caller.classes.includes('PROPOSE');
  return {
    contract_versions: [1],
    server_version: SANDBOX_VERSION,
    principal: { id: caller.principal, kind: caller.kind },
    auth_profile: caller.authProfile,
    capability_classes: [...caller.classes],
    tool_profile: toolProfile,
    readable_projects: projects.filter((p) => p.readable !== false).map(({ id, title }) => ({ id, title })),
    repository: { ...mapRepository(projects, asked), branch: asked.branch ?? null },
    save_mode_policy: {
      default: 'suggest',
      modes: ['off', 'suggest', ...(mayPropose ? ['auto-propose'] : [])],
      grants: mayPropose ? ['personal-proposal'] : [],
      shared_promotion: 'forbidden',
    },
  };
}
