import { expandIntegration } from '../integrations/expand.ts';
import type { Artifact } from '../integrations/schema.ts';
import { type Facts, isInspection } from './facts.ts';
import { type Ours, serverOf } from './ours.ts';

type McpServer = Extract<Artifact, { kind: 'mcp-server' }>;

/** A server of an integration, with what the integration knows of its tools. */
export interface NamedServer {
  readonly integration: string;
  readonly artifact: McpServer;
  /** Every tool that the integration names, with the hint that it must have where that is known. */
  readonly tools: ReadonlyMap<string, { readonly readOnly?: boolean | undefined }>;
}

/** The servers of everything that is set up here, inputs filled in. */
export function namedServers(facts: Facts): NamedServer[] {
  const { inspection } = facts;
  if (!isInspection(inspection)) return [];
  return inspection.selections.flatMap(({ enrolment, loaded, inputs }): NamedServer[] => {
    const { without, runtimes, overrides } = enrolment;
    const artifacts = expandIntegration(loaded, inputs, { without, runtimes, overrides }).map(
      ({ artifact }) => artifact,
    );
    return artifacts.flatMap((artifact): NamedServer[] => {
      if (artifact.kind !== 'mcp-server') return [];
      const tools = new Map<string, { readonly readOnly?: boolean | undefined }>();
      for (const other of artifacts) {
        const isRule = other.kind === 'permission' || other.kind === 'hook';
        if (!isRule || other.server !== artifact.server) continue;
        for (const name of other.tools ?? []) if (!/[*?]/u.test(name)) tools.set(name, {});
      }
      for (const [name, tool] of Object.entries(artifact.tools ?? {})) tools.set(name, tool);
      return [{ integration: loaded.ref, artifact, tools }];
    });
  });
}

/** Whether a thing of ours is the entry of this server. */
export const isEntryOf = (one: Ours, { integration, artifact }: NamedServer): boolean =>
  serverOf(one)?.name === artifact.server &&
  (one.judgement.slot.wish?.owners ?? []).some(
    (owner) => owner.integration === integration && owner.artifact === artifact.name,
  );
