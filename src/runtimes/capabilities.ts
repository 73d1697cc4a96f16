import type { RuntimeSpec } from './schema.ts';

/**
 * What a coding tool can do or have, one row each in its matrix (guide, "Per-adapter Documentation Requirements"; K20).
 * The ids stand in specs and in `tenon runtimes <id> --json`; they are permanent.
 */
export const CAPABILITIES = [
  'mcp-stdio',
  'mcp-http',
  'skills',
  'hooks',
  'permissions',
  'instructions',
  'scopes',
  'secrets',
  'oauth',
  'trust',
  'reload',
  'lifecycle',
] as const;

export type CapabilityId = (typeof CAPABILITIES)[number];
type Evidence = RuntimeSpec['evidence'][number];
type Support = NonNullable<RuntimeSpec['skills']>['support'];

export interface CapabilityRow {
  readonly id: CapabilityId;
  readonly state: Support['state'];
  /** What it is like, or why it is not more. */
  readonly reason?: string;
  /** What the state rests on; empty only where nothing is known. */
  readonly sources: readonly Evidence[];
}

/** Every capability of a coding tool with its state and source. What the spec does not say is unknown, never unsupported. */
export function capabilityMatrix(spec: RuntimeSpec): CapabilityRow[] {
  return CAPABILITIES.map((id) => {
    const { state, reason } = capabilityOf(spec, id);
    return {
      id,
      state,
      ...(reason === undefined ? {} : { reason }),
      sources: spec.evidence.filter(({ covers }) => covers?.includes(id)),
    };
  });
}

/** State and reason of one capability: what the spec's own `capabilities` say, else what its section says. */
export function capabilityOf(spec: RuntimeSpec, id: CapabilityId): Support {
  const stated = spec.capabilities?.[id];
  return (
    stated ?? sectionOf(spec, id) ?? { state: 'unknown', reason: 'nobody looked into it: its spec is silent' }
  );
}

/** What the section of a capability says; undefined where there is no section. */
export function sectionOf(spec: RuntimeSpec, id: CapabilityId): Support | undefined {
  switch (id) {
    case 'mcp-stdio':
      return spec.mcp?.stdio === undefined ? undefined : spec.mcp.support;
    case 'mcp-http':
      return spec.mcp?.http === undefined ? undefined : spec.mcp.support;
    case 'skills':
    case 'hooks':
    case 'permissions':
    case 'instructions':
      return spec[id]?.support;
    default:
      return undefined;
  }
}
