import { z } from 'zod';

/** Shapes of the sandbox's answers; each tool advertises its own as `outputSchema`. */
export const fact = z.object({
  fact_key: z.string(),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  verification: z.enum(['human-verified', 'unverified']),
  freshness: z.enum(['current', 'stale']),
  source_id: z.string(),
  conflicts: z.array(z.string()),
});

export const ranked = z.object({
  results: z.array(z.object({ rank: z.number(), result_ref: z.string(), fact })),
  next_cursor: z.null(),
});

export const contextPack = z.object({
  context_pack_id: z.string().nullable(),
  notice: z.string(),
  facts: z.array(fact),
  warnings: z.array(z.string()),
});

export const evidence = z.object({
  evidence: z.array(z.object({ source_id: z.string(), excerpt: z.string(), observed_at: z.string() })),
});

export const source = z.object({ source_id: z.string(), title: z.string(), source_type: z.string() });
export const graph = z.object({ nodes: z.array(z.string()), edges: z.array(z.array(z.string())) });
export const changes = z.object({
  changes: z.array(z.object({ fact_key: z.string(), change: z.string(), at: z.string() })),
});
export const conflicts = z.object({
  conflicts: z.array(z.object({ fact_keys: z.array(z.string()), status: z.string() })),
});
export const communities = z.object({
  communities: z.array(z.object({ community_id: z.string(), title: z.string() })),
});
export const snapshot = z.object({ snapshot_id: z.string(), fact_count: z.number() });

export const proposal = z.object({ proposal_id: z.string(), status: z.enum(['pending', 'retracted']) });
export const proposed = proposal.extend({ deduplicated: z.boolean() });
export const report = z.object({
  proposals: z.array(proposal.extend({ subject: z.string(), predicate: z.string(), object: z.string() })),
  counts: z.object({ pending: z.number(), retracted: z.number() }),
  next_cursor: z.null(),
});
export const vote = z.object({ recorded: z.boolean(), duplicate: z.boolean() });

export const bootstrapped = z.object({
  contract_versions: z.array(z.number()),
  server_version: z.string(),
  principal: z.object({ id: z.string(), kind: z.enum(['local', 'user']) }),
  auth_profile: z.enum(['local-dev', 'remote-authenticated']),
  capability_classes: z.array(z.enum(['READ', 'PROPOSE', 'FEEDBACK', 'SNAPSHOT'])),
  tool_profile: z.enum(['coding', 'advanced', 'compatibility']),
  readable_projects: z.array(z.object({ id: z.string(), title: z.string() })),
  repository: z.object({
    status: z.enum(['selected', 'selection_required', 'unmapped', 'unsupported_repository', 'personal_only']),
    identity: z.string().nullable(),
    project: z.string().nullable(),
    candidates: z.array(z.string()),
    branch: z.string().nullable(),
  }),
  save_mode_policy: z.object({
    default: z.string(),
    modes: z.array(z.string()),
    grants: z.array(z.string()),
    shared_promotion: z.string(),
  }),
});
