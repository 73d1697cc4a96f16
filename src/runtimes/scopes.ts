import type { Scope } from '../engine/types.ts';
import type { RuntimeSpec } from './schema.ts';

/**
 * The scopes in which a runtime takes something. Where servers are wanted, theirs count alone: an integration without
 * its server is nothing (contract, section 3); otherwise those of every capability.
 */
export function scopesOf(spec: RuntimeSpec, wants: 'servers' | 'anything' = 'servers'): Scope[] {
  const { mcp, skills, hooks, permissions, instructions } = spec;
  const hasServers = mcp !== undefined && ['supported', 'advisory'].includes(mcp.support.state);
  if (hasServers && wants === 'servers') return scopesIn(mcp.places);
  const { ask = [], deny = [], allow = [] } = permissions ?? {};
  const others = [skills?.places ?? [], hooks?.places ?? [], ask, deny, allow, instructions?.files ?? []];
  return scopesIn([...(hasServers ? mcp.places : []), ...others.flat()]);
}

const scopesIn = (places: readonly { readonly scope: Scope }[]): Scope[] => [
  ...new Set(places.map(({ scope }) => scope)),
];
