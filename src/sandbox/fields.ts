import { z } from 'zod';

/** The bounds of tool arguments (VERA contract, "Input Bounds"). A value outside is `invalid_input` naming the field. */
const text = (min: number, max: number) => z.string().min(min).max(max);
export const ref = text(1, 512).optional();
export const requiredRef = text(1, 512);

export const query = text(1, 8192);
export const limit = (max: number) => z.number().int().min(1).max(max).optional();
export const long = text(1, 1024).optional();
export const entity = text(1, 1024);
const label = text(1, 256).optional();
export const moment = text(1, 64).optional();
export const depth = z.number().int().min(1).max(5).optional();
export const tokenBudget = z.number().int().min(100).max(32_000).optional();
export const signal = z.enum(['up', 'down']);

const predicates = z.array(text(1, 256)).max(64).optional();

/** Filters that every retrieval takes. */
export const retrieval = {
  project: ref,
  repository: long,
  branch: ref,
  code_path: long,
  as_of: moment,
  known_as_of: moment,
  min_authority: z.number().min(0).max(1).optional(),
  max_trust_tier: z.number().int().min(0).max(4).optional(),
  include_predicates: predicates,
  exclude_predicates: predicates,
  source_type: label,
  document_type: label,
  cursor: long,
};

/** Identity of the task that a proposal belongs to. */
export const task = { runtime: label, session_ref: label, task_ref: label, repository_ref: label };

export const claim = {
  subject: text(1, 512),
  predicate: text(1, 2048),
  object: text(1, 2048),
  evidence_text: text(0, 8000).optional(),
};
