/** What the VERA contract says of its tools; the sandbox serves it and the live check compares with it. */

export type ToolClass = 'READ' | 'PROPOSE' | 'FEEDBACK' | 'SNAPSHOT';
export type ToolProfile = 'coding' | 'advanced' | 'compatibility';

export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly idempotentHint: boolean;
  readonly destructiveHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ToolFacts {
  /** Smallest profile that shows the tool (V31a-V31c). */
  readonly profile: ToolProfile;
  readonly class: ToolClass;
  readonly hints: ToolHints;
}

/** The scope that each class needs (default names of the contract). */
export const SCOPES: Readonly<Record<ToolClass, string>> = {
  READ: 'memory:read',
  PROPOSE: 'memory:propose',
  FEEDBACK: 'memory:feedback',
  SNAPSHOT: 'memory:snapshot',
};

const hints = (readOnly: boolean, idempotent: boolean, destructive: boolean): ToolHints => ({
  readOnlyHint: readOnly,
  idempotentHint: idempotent,
  destructiveHint: destructive,
  openWorldHint: true,
});

const READS = hints(true, true, false);
const APPENDS = hints(false, false, false);

const read = (profile: ToolProfile): ToolFacts => ({ profile, class: 'READ', hints: READS });

/** Every tool by name, in the order of V31a, V31b, V31c. */
export const VERA_TOOLS = {
  knowledge_bootstrap: read('coding'),
  // persist=true writes a context pack, so the hint is conservative although the class is READ
  knowledge_get_context: { profile: 'coding', class: 'READ', hints: APPENDS },
  knowledge_get_context_pack: read('coding'),
  knowledge_search: read('coding'),
  knowledge_explain_fact: read('coding'),
  knowledge_get_evidence: read('coding'),
  knowledge_feedback: { profile: 'coding', class: 'FEEDBACK', hints: hints(false, true, false) },
  knowledge_propose: { profile: 'coding', class: 'PROPOSE', hints: APPENDS },
  knowledge_retract_proposal: { profile: 'coding', class: 'PROPOSE', hints: hints(false, true, true) },
  knowledge_proposal_report: read('coding'),
  knowledge_get_community_lineage: read('advanced'),
  knowledge_search_communities: read('advanced'),
  knowledge_get_fact: read('advanced'),
  knowledge_get_entity: read('advanced'),
  knowledge_get_source: read('advanced'),
  knowledge_explore: read('advanced'),
  knowledge_get_changes: read('advanced'),
  knowledge_get_conflicts: read('advanced'),
  knowledge_create_snapshot: { profile: 'advanced', class: 'SNAPSHOT', hints: APPENDS },
  knowledge_get_snapshot: read('advanced'),
  memory_search: read('compatibility'),
  memory_get_context: read('compatibility'),
  memory_explore: read('compatibility'),
  memory_explain: read('compatibility'),
  memory_get_source: read('compatibility'),
  memory_recent_changes: read('compatibility'),
  memory_propose: { profile: 'compatibility', class: 'PROPOSE', hints: APPENDS },
  memory_feedback: { profile: 'compatibility', class: 'FEEDBACK', hints: APPENDS },
} as const satisfies Record<string, ToolFacts>;

export type ToolName = keyof typeof VERA_TOOLS;

const RANK: Readonly<Record<ToolProfile, number>> = { coding: 0, advanced: 1, compatibility: 2 };

/** Names of the tools that a profile shows: 10, 20 or 28. */
export const toolNames = (profile: ToolProfile): ToolName[] =>
  (Object.keys(VERA_TOOLS) as ToolName[]).filter((name) => RANK[VERA_TOOLS[name].profile] <= RANK[profile]);

/** What is known of a tool; undefined for a name that the contract does not have. */
export const toolFacts = (name: string): ToolFacts | undefined =>
  Object.hasOwn(VERA_TOOLS, name) ? VERA_TOOLS[name as ToolName] : undefined;
