import type { AbsPath, Reader } from '../system/ports.ts';
import type { Env } from './interactive.ts';

interface Signals {
  readonly title: string;
  readonly session: readonly { readonly name: string; readonly value?: string }[];
}

const MAX_SPEC_BYTES = 1_000_000;

/**
 * Title of the coding agent whose session signals stand in the environment, or undefined. The signals are the
 * `session` lists of the shipped specs; they are read without the whole schema, since this runs before commands that
 * need no spec. Consent is refused in such a terminal (contract, section 6).
 */
export function findAgentSession(reader: Reader, specsDir: AbsPath, env: Env): string | undefined {
  for (const file of reader.list(specsDir) ?? []) {
    if (!file.endsWith('.json')) continue;
    const stat = reader.stat(`${specsDir}/${file}`);
    if (stat === undefined || stat.kind !== 'file' || stat.size > MAX_SPEC_BYTES) continue;
    const bytes = reader.readFile(`${specsDir}/${file}`);
    const spec = bytes === undefined ? undefined : signalsOf(new TextDecoder().decode(bytes));
    const isSet = spec?.session.some(({ name, value }) =>
      value === undefined ? (env[name] ?? '') !== '' : env[name] === value,
    );
    if (isSet === true) return spec?.title;
  }
  return undefined;
}

/** A spec that cannot be read is reported by whoever loads it in full; here it signals nothing. */
function signalsOf(text: string): Signals | undefined {
  try {
    const spec: unknown = JSON.parse(text);
    if (typeof spec !== 'object' || spec === null || !('session' in spec) || !Array.isArray(spec.session))
      return undefined;
    return { title: 'title' in spec ? String(spec.title) : 'a coding agent', session: spec.session };
  } catch {
    return undefined;
  }
}
