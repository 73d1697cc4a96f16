import type { RuntimeId } from '../engine/types.ts';
import type { Host } from '../system/ports.ts';
import type { RuntimeSpec } from './schema.ts';

/**
 * The variable that many agents set besides their own (agentsmd/agents.md issue 136). It names no runtime that we could
 * choose, but a terminal that carries it is no person's.
 */
const ANY_AGENT = 'AI_AGENT';

type Signals = Pick<RuntimeSpec, 'id' | 'title' | 'session'>;

/** The variable by which a session of this runtime shows itself, or undefined. An empty variable is unset. */
export const sessionSignal = ({ session }: Pick<Signals, 'session'>, env: Host['env']): string | undefined =>
  session.find(({ name, value }) => {
    const set = env[name] ?? '';
    return value === undefined ? set !== '' : set === value;
  })?.name;

/** Every runtime whose session this process runs in; a session may run inside another one. */
export const sessionRuntimes = (specs: Iterable<Signals>, env: Host['env']): RuntimeId[] =>
  [...specs].filter((spec) => sessionSignal(spec, env) !== undefined).map(({ id }) => id);

/**
 * The title of the coding agent whose session this process runs in; undefined in a person's own terminal. There, consent
 * is refused (contract, section 6).
 */
export function agentSession(specs: Iterable<Signals>, env: Host['env']): string | undefined {
  for (const spec of specs) if (sessionSignal(spec, env) !== undefined) return spec.title;
  return (env[ANY_AGENT] ?? '') === '' ? undefined : 'a coding agent';
}
