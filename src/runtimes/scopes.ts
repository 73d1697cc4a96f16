import type { Scope } from '../engine/types.ts';
import type { RuntimeSpec } from './schema.ts';

/** The scopes in which a runtime takes anything; its servers decide, because an integration without them is nothing. */
export function scopesOf(spec: RuntimeSpec): Scope[] {
  const { mcp, skills, hooks } = spec;
  const hasServers = mcp !== undefined && ['supported', 'advisory'].includes(mcp.support.state);
  const places = hasServers ? mcp.places : [...(skills?.places ?? []), ...(hooks?.places ?? [])];
  return [...new Set(places.map(({ scope }) => scope))];
}
