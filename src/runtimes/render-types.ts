import type { Desired, FileRules, RuntimeId, Scope } from '../engine/types.ts';
import type { Finding, Remedy } from '../errors/error.ts';
import type { FormatId } from '../formats/format.ts';
import type { ExpandedArtifact } from '../integrations/types.ts';
import type { Json } from '../lib/json.ts';
import { capabilityOf } from './capabilities.ts';
import type { PathBase } from './paths.ts';
import { hasReference } from './references.ts';
import type { FileSpecData, RuntimeSpec } from './schema.ts';

/** A desired thing before it is known whether its definition is trusted. */
export type Draft = Omit<Desired, 'trust'>;

export interface RenderInput extends PathBase {
  /** The chosen runtimes. */
  readonly specs: readonly RuntimeSpec[];
  /** Runtimes that are not chosen: what is written may still make them stop reading another file. */
  readonly others?: readonly RuntimeSpec[];
  readonly artifacts: readonly ExpandedArtifact[];
  readonly scope: Scope;
  /** Whether content may be written; asked with the rendered result, which is what trust covers (contract, section 6). */
  trustOf(artifact: ExpandedArtifact, draft: Draft): Desired['trust'];
  /** Whether a program is on PATH. */
  interpreterPresent(name: string): boolean;
  /** Value of a document, undefined when empty or malformed. Default: the formats, which must be loaded then. */
  readonly parse?: (format: FormatId, text: string) => Json | undefined;
}

export interface Rendered {
  readonly desired: readonly Desired[];
  readonly findings: readonly Finding[];
}

/** What one artifact becomes. */
export interface Drafts {
  readonly drafts: readonly Draft[];
  readonly findings: readonly Finding[];
}

type Kind = ExpandedArtifact['artifact']['kind'];
/** An artifact of one kind. */
export type Of<K extends Kind> = Omit<ExpandedArtifact, 'artifact'> & {
  readonly artifact: Extract<ExpandedArtifact['artifact'], { kind: K }>;
};

/** The chosen runtimes that an artifact is for; its other conditions were decided when it was expanded. */
export function runtimesFor(one: ExpandedArtifact, specs: readonly RuntimeSpec[]): RuntimeSpec[] {
  const conditions = [one.artifact.when ?? []].flat();
  return specs.filter(({ id }) =>
    conditions.every(
      ({ runtime, notRuntime }) => (runtime?.includes(id) ?? true) && !(notRuntime?.includes(id) ?? false),
    ),
  );
}

/** A finding that an artifact is left out for a runtime; an error when the integration needs it. */
export function withheld(
  one: ExpandedArtifact,
  runtime: RuntimeId,
  code: Finding['code'],
  reason: string,
  remedy?: string,
): Finding {
  return {
    code,
    severity: one.artifact.required ? 'error' : 'warning',
    subject: runtime,
    message: `${one.owner.integration}/${one.artifact.name} is left out for ${runtime}: ${reason}`,
    remedy: remedy === undefined ? remedyFor(one, runtime) : { text: remedy },
    data: { artifact: one.artifact.name, kind: one.artifact.kind, withheld: true },
  };
}

const PARTS: Partial<Record<Kind, string>> = {
  'mcp-server': 'mcp',
  skill: 'skills',
  hook: 'hooks',
  permission: 'permissions',
  block: 'blocks',
};

/** What is left to do about an artifact that a runtime does not get. */
function remedyFor({ artifact }: ExpandedArtifact, runtime: RuntimeId): Remedy {
  const command = `tenon runtimes ${runtime}`;
  const part = PARTS[artifact.kind];
  if (artifact.required)
    return { text: 'Choose other coding tools, or add it there by hand; what this one takes', command };
  const without = part === undefined ? '' : `, or leave such parts out with --without ${part}`;
  return { text: `Do without it there${without}; what this one takes`, command };
}

/** A warning that a reference to a variable is written in a syntax that nobody tested with this runtime. */
export function doubtfulReference(one: Of<'mcp-server'>, spec: RuntimeSpec): Finding[] {
  const { state, reason } = capabilityOf(spec, 'secrets');
  const values = [
    ...Object.values(one.artifact.http?.headers ?? {}),
    ...Object.values(one.artifact.stdio?.env ?? {}),
  ];
  if (state !== 'advisory' || !values.some(hasReference)) return [];
  const message = `${spec.title} may not put the variable in that ${one.artifact.server} refers to: ${reason ?? 'nobody tested it'}`;
  return [{ code: 'render/advisory', severity: 'warning', subject: spec.id, message }];
}

type Supported = { readonly support: { readonly state: string; readonly reason?: string | undefined } };

/**
 * K20: whether a capability qualifies. Unsupported, unknown and missing withhold the artifact with a finding; advisory
 * goes through with a warning.
 */
export function qualify(
  one: ExpandedArtifact,
  spec: RuntimeSpec,
  capability: Supported | undefined,
  word: string,
): { readonly ok: boolean; readonly findings: readonly Finding[] } {
  const state = capability?.support.state ?? 'unknown';
  const reason = capability?.support.reason;
  if (state === 'supported') return { ok: true, findings: [] };
  if (state === 'advisory') {
    const message = `${spec.title} may not take ${word} as written: ${reason ?? 'nobody tested it'}`;
    return {
      ok: true,
      findings: [{ code: 'render/advisory', severity: 'warning', subject: spec.id, message }],
    };
  }
  const why = reason ?? (state === 'unknown' ? 'nothing certain is known' : 'it has no such thing');
  const text = `${spec.title} takes no ${word} (${why})`;
  return { ok: false, findings: [withheld(one, spec.id, 'render/unsupported', text)] };
}

/** How a file is read, for the engine. */
export const rulesOf = (file: FileSpecData): FileRules => ({
  reads: file.reads,
  bom: file.bom,
  ...(file.skeleton === undefined ? {} : { skeleton: file.skeleton }),
  ...(file.private === undefined ? {} : { private: file.private }),
});

/** Rules of a file that no client parses. */
export const plainRules: FileRules = { reads: 'jsonc', bom: 'ok' };

/** Text with LF ends, or undefined for bytes that are no UTF-8 text. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    return text.includes('\0') ? undefined : text.replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}
